/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver runs what: data/cuda-driver.tsv and data/ptx-isa.tsv. Versions of CUDA are numbers, 1204 for 12.4; those
 * of PTX too, 805 for 8.5. 0 is unknown. */
#pragma once

#include "base/arena.h"

/* "12.4", "12.4.1", "12" -> 1204, 1204, 1200; 0 where it is none. */
unsigned gv_cuda_parse(gv_str text);
gv_str gv_cuda_text(struct gv_arena *a, unsigned cuda);
/* The CUDA that a driver offers, "550.54.14" -> 1204: that of the newest branch that is not above it. */
unsigned gv_cuda_of_driver(gv_str driver);
/* The first CUDA whose driver compiles PTX of this version; 0 where it is newer than the table. */
unsigned gv_cuda_of_ptx(unsigned isa);
/* The oldest driver on which programs of this CUDA run: from CUDA 11 on, that of the first of its major version. Empty
 * where unknown. */
gv_str gv_driver_for_cuda(unsigned cuda);
/* The oldest branch that offers this CUDA itself, "550"; empty where unknown. */
gv_str gv_branch_for_cuda(unsigned cuda);
/* The first and the last branch that drive devices of this compute capability (61 for 6.1); empty where unknown, and
 * where there is no last one yet. Devices of Tegra have drivers of their own. */
void gv_branches_for_sm(unsigned sm, gv_str *ret_first, gv_str *ret_last);
