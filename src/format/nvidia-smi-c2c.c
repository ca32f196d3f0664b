/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi c2c -s: the links between GPU and CPU of superchips, below a line for each GPU. */
#include "format/common_nvidia.h"

#define MAX_GPUS 256

/* "C2C Link 0: 44.712 GB/s" */
static bool link_of(gv_str text, gv_str *ret_value)
{
	gv_str t = gv_trim(text), key;
	uint64_t n;

	return gv_starts(t, "C2C Link ") && gv_key_value(t, &key, ret_value) && gv_to_u64(gv_from(key, 9), &n);
}

/* "GPU 0: NVIDIA GH200 480GB (UUID: GPU-...)" */
static bool gpu_of(gv_str text, uint64_t *ret_index)
{
	gv_str t = gv_trim(text);

	return gv_starts(t, "GPU ") && gv_to_u64(gv_before(gv_from(t, 4), ":"), ret_index);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0;
	uint64_t index;
	gv_str value;

	(void)seg;
	for (size_t i = 0; i < n && i - end < 2; i++) {
		if (link_of(l[i].text, &value))
			end = i + 1;
		else if (!gpu_of(l[i].text, &index))
			break;
	}
	return end;
}

struct gpu {
	struct gv_entity *e;
	double up, down, rate;
	const struct gv_line *l;
};

static void finish(struct gv_read *r, const struct gpu *g)
{
	if (!g->l)
		return;
	gv_put_num(r, g->e, GV_F_GPU_C2C_UP, g->up, g->l);
	gv_put_num(r, g->e, GV_F_GPU_C2C_DOWN, g->down, g->l);
	gv_put_num(r, g->e, GV_F_GPU_C2C_RATE, g->rate, g->l);
}

static void begin(struct gv_read *r, struct gpu *g, uint64_t index, const struct gv_line *l)
{
	gv_str uuid = gv_trim(gv_between(l->text, "(UUID:", ")"));
	gv_str name = gv_trim(gv_before(gv_after(l->text, ":"), "(UUID:"));

	*g = (struct gpu){ .e = gv_see_nvidia(r, index, l) };
	if (name.n)
		gv_put_str(r, g->e, GV_F_GPU_NAME, name, l);
	if (gv_starts(uuid, "GPU-")) {
		gv_put_str(r, g->e, GV_F_GPU_UUID, uuid, l);
		gv_key(r, g->e, GV_KEY_UUID, uuid);
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gpu g = { 0 };
	size_t gpus = 0;

	for (size_t i = 0; i < n; i++) {
		gv_str value, rest;
		uint64_t index;
		double rate;

		if (gpu_of(l[i].text, &index)) {
			finish(r, &g);
			if (gpus++ == MAX_GPUS)
				return;
			begin(r, &g, index, &l[i]);
		} else if (g.e && link_of(l[i].text, &value)) {
			bool up = gv_lead_num(value, &rate, &rest) && gv_starts(gv_trim(rest), "GB/s");

			g.up += up;
			g.down += !up;
			g.rate += up ? rate : 0;
			g.l = &l[i];
		}
	}
	finish(r, &g);
}

const struct gv_format gv_format_nvidia_smi_c2c = {
	.name = "nvidia-smi c2c",
	.heads = { "(UUID:", "C2C Link " },
	.claim = claim,
	.read = read,
};
