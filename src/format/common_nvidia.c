/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_nvidia.h"

static const struct {
	uint64_t bit;
	enum gv_fact fact;
} reasons[] = {
	{ 0x1, GV_F_GPU_CAP_IDLE },	   { 0x2, GV_F_GPU_CAP_APP },	 { 0x4, GV_F_GPU_CAP_POWER },
	{ 0x8, GV_F_GPU_CAP_HW },	   { 0x10, GV_F_GPU_CAP_SYNC },	 { 0x20, GV_F_GPU_CAP_SW_THERMAL },
	{ 0x40, GV_F_GPU_CAP_HW_THERMAL }, { 0x80, GV_F_GPU_CAP_BRAKE }, { 0x100, GV_F_GPU_CAP_DISPLAY },
};

void gv_put_clock_reasons(struct gv_read *r, struct gv_entity *gpu, uint64_t mask, const struct gv_line *l)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		gv_put_flag(r, gpu, reasons[i].fact, mask & reasons[i].bit, l);
}

void gv_put_no_clock_reasons(struct gv_read *r, struct gv_entity *gpu, enum gv_state s, const char *reason,
			     const struct gv_line *l)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		gv_put_none(r, gpu, reasons[i].fact, s, reason, l);
}
