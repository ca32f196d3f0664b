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

struct gv_entity *gv_see_nvidia(struct gv_read *r, uint64_t index, const struct gv_line *l)
{
	struct gv_entity *gpu = gv_see(r, GV_GPU, GV_NONE);

	gv_key(r, gpu, GV_KEY_INDEX, gv_fmt(r->arena, "%llu", (unsigned long long)index));
	gv_put_num(r, gpu, GV_F_GPU_INDEX, (double)index, l);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	return gpu;
}

bool gv_box_cell(gv_str *rest, gv_str *ret_cell)
{
	gv_str s = gv_trim(*rest), cell;

	if (s.n < 2 || s.p[0] != '|')
		return false;
	s = gv_from(s, 1);
	cell = gv_before(s, "|");
	*rest = gv_from(s, cell.n);
	*ret_cell = gv_trim(cell);
	return true;
}

bool gv_box_rule(gv_str text)
{
	gv_str t = gv_trim(text);

	if (t.n < 4 || (t.p[0] != '+' && t.p[0] != '|'))
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] != '+' && t.p[i] != '-' && t.p[i] != '=' && t.p[i] != '|')
			return false;
	return true;
}
