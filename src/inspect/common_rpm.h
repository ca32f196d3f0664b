/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a package of RPM: a list of tagged values, of which each package file has one (behind a signature that
 * has the same form), and the database of a system one for each package. Numbers are big-endian. */
#pragma once

#include "inspect/common_package.h"

/* Without the magic in front of it: how many entries, how many bytes of data, then both. False where it is none. */
bool gv_rpm_header(struct gv_inspect *x, gv_str bytes, gv_str dir, bool listed);
uint32_t gv_be32(gv_str s, size_t at); /* 0 beyond the end */
