/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files cachekey*.c. */
#pragma once

#include "inspect/cachekey.h"

/* "9.0", "sm_90", "90" -> "sm_90"; "gfx942:sramecc+:xnack-" -> "gfx942"; empty for what is neither. */
gv_str gv_cache_arch(struct gv_arena *a, gv_str s);
/* What is stated of the machine; NULL where nothing is. */
const struct gv_cache_set *gv_cache_set_of(const struct gv_machine *m, const char *name);
/* The property of a row of data/cache-keys.tsv, of GPUs of that vendor (0: any). */
struct gv_cache_prop gv_cache_prop_of(const struct gv_machine *m, size_t row, unsigned vendor);
/* The same by name, where all rows of it take it from the same facts. */
struct gv_cache_prop gv_cache_prop_named(const struct gv_machine *m, const char *name);
