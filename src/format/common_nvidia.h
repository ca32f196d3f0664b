/* SPDX-License-Identifier: Apache-2.0 */
/* What several of NVIDIA's outputs share. */
#pragma once

#include "format/common.h"

/* The clock event reasons of a bit mask. */
void gv_put_clock_reasons(struct gv_read *r, struct gv_entity *gpu, uint64_t mask, const struct gv_line *l);
void gv_put_no_clock_reasons(struct gv_read *r, struct gv_entity *gpu, enum gv_state s, const char *reason,
			     const struct gv_line *l);

/* A sighting of the GPU with this number. */
struct gv_entity *gv_see_nvidia(struct gv_read *r, uint64_t index, const struct gv_line *l);

/* A cell between the bars of a table that is drawn with '|' and '+': from the one at *rest on, trimmed. False at the end of
 * the line, and for a line that has no bar at its start. */
bool gv_box_cell(gv_str *rest, gv_str *ret_cell);
/* "+-----+", "|=====|": a rule of such a table. */
bool gv_box_rule(gv_str text);
