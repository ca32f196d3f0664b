/* SPDX-License-Identifier: Apache-2.0 */
/* What data/gpu-specs.tsv knows of a GPU. */
#pragma once

#include "base/str.h"

/* Product row of data/gpu-specs.tsv for the name that a tool printed (maybe cut with "..."): SIZE_MAX where none or
 * several fit. */
size_t gv_gpu_spec(gv_str name);
