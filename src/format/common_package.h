/* SPDX-License-Identifier: Apache-2.0 */
/* Packages of GPU drivers and of kernels, whoever lists them. */
#pragma once

#include "format/common.h"

/* A driver's package, or a kernel: others are of no use here. */
bool gv_package_matters(gv_str name);
/* "linux-image-6.8.0-52-generic" -> "6.8.0-52-generic"; empty for others, the ones that only name the newest included.
 */
gv_str gv_package_kernel(gv_str name);
/* "6.8.0-52-generic", "5.14.0-427.13.1.el9_4.x86_64": begins with three numbers and goes on with more. */
bool gv_kernel_release(gv_str s);
/* The package, where it matters, and the kernel that it is the image of. `version` may have an epoch. */
void gv_see_package(struct gv_read *r, gv_str name, gv_str version, const struct gv_line *l);
void gv_see_image(struct gv_read *r, gv_str release, enum gv_fact how, const struct gv_line *l);
