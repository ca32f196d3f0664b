/* SPDX-License-Identifier: Apache-2.0 */
/* What several of NVIDIA's outputs share. */
#pragma once

#include "format/common.h"

/* The clock event reasons of a bit mask. */
void gv_put_clock_reasons(struct gv_read *r, struct gv_entity *gpu, uint64_t mask, const struct gv_line *l);
void gv_put_no_clock_reasons(struct gv_read *r, struct gv_entity *gpu, enum gv_state s, const char *reason,
			     const struct gv_line *l);
