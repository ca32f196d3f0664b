/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs of dcgmi share. */
#pragma once

#include "format/common_nvidia.h"

/* A message of a test or watch that failed: of the GPU that it names, else of the one that it was printed for, else of
 * the machine. `about` is text that may name one: "GPU0", "3", "" ... `health`: it is a watch's. */
void gv_put_dcgm_says(struct gv_read *r, bool health, gv_str message, gv_str about, const struct gv_line *l);
/* The result of one test of a diagnostic, or of the health watches. */
void gv_put_dcgm_result(struct gv_read *r, gv_str test, const char *tool, gv_str result, const struct gv_line *l);
/* Which result is the one to be told of several: fail before warn before pass before skip; 0: it is no result. */
int gv_dcgm_rank(gv_str result);
/* Messages that were cut at the width of a table: puts the next piece behind what there is. */
gv_str gv_join_dcgm(struct gv_arena *a, gv_str text, gv_str piece);
