/* SPDX-License-Identifier: Apache-2.0 */
/* Names as Alpine's package manager writes them. */
#pragma once

#include "inspect/common_package.h"

/* "so:libcuda.so.1", "cuda>=12", "foo~1.2"; what is a conflict ("!foo"), a command or a file is left out. */
void gv_apk_require(struct gv_inspect *x, struct gv_package *p, gv_str text, uint32_t line);
gv_str gv_apk_name(gv_str text, gv_str *ret_spec);
