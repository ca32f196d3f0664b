/* SPDX-License-Identifier: Apache-2.0 */
/* Control files of Debian's packages. */
#pragma once

#include "inspect/common_package.h"

/* Each paragraph that describes an installed package (or any, where it states no status). `dir` as in struct
 * gv_package. */
void gv_deb_paragraphs(struct gv_inspect *x, gv_str text, gv_str dir, bool listed);
