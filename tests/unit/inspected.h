/* SPDX-License-Identifier: Apache-2.0 */
/* A file as the inventory reads it, from bytes. */
#pragma once

#include "inspect/scan.h"

/* piece 0: all at once, as a mapped file; else in pieces of that many bytes (more than GV_SCAN_KEEP make sense), as out
 * of an archive. Documents are read whole either way. */
struct gv_file *inspected(struct gv_arena *a, const char *path, gv_str bytes, size_t piece);
/* "vendor kind arch count section" of each code, and "name grade" of each library, sorted, a line each. */
gv_str inspected_text(struct gv_arena *a, const struct gv_file *f);
