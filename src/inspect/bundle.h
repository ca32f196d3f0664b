/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a bundle of clang's offload bundler: of HIP, of OpenMP and SYCL too. */
#pragma once

#include "inspect/inventory.h"

#define GV_BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define GV_BUNDLE_ENTRIES 512
#define GV_BUNDLE_HEADER ((size_t)64 << 10) /* at most */

struct gv_bundle_entry {
	uint64_t at, size; /* from the beginning of the bundle */
	gv_str id;	   /* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+" */
};

/* How many entries, at most GV_BUNDLE_ENTRIES; 0 where it is no bundle, or its header is not all there. *ret_end: where
 * the last ends. */
size_t gv_bundle_read(gv_str bytes, struct gv_bundle_entry *ret, uint64_t *ret_end);
/* Vendor and architecture, as the ID says; kind must be set. False where it is for a host, or is empty. */
bool gv_bundle_code(struct gv_arena *a, const struct gv_bundle_entry *e, struct gv_code *code);
/* Sections of objects that hold code for one target each are named after it. Sets vendor and arch where the code itself
 * does not say for which it is. */
void gv_code_by_section(struct gv_arena *a, struct gv_code *code);
