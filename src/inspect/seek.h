/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the patterns of inspect.def, all at once. */
#pragma once

#include "inspect/scan.h"

#define GV_PATTERN_MAX 24

/* The first hit that begins in [from, to) of the bytes, and which; SIZE_MAX where there is none. Bytes behind `to` may
 * belong to it. */
size_t gv_seek(gv_str bytes, size_t from, size_t to, const struct gv_pattern **ret);
