/* SPDX-License-Identifier: Apache-2.0 */
/* `nvidia-settings -q all` or of some attributes: "  Attribute 'GPUCoreTemp' (node07:0[gpu:0]): 45." and lines about
 * its range below. The same attribute comes for the X screen (node07:0.0) and for the GPU; the screen's is read only
 * where no GPU's is there. Of the PCIe link it says what no other tool defines alike: left out. */
#include "format/common.h"

struct attribute {
	gv_str name, target, value;
};

/* Its full stop at the end goes. */
static bool attribute_of(gv_str t, struct attribute *a)
{
	gv_str rest;

	t = gv_trim(t);
	if (!gv_starts(t, "Attribute '"))
		return false;
	a->name = gv_between(t, "'", "'");
	rest = gv_after(gv_from(t, 11 + a->name.n), "(");
	a->target = gv_before(rest, "): ");
	a->value = gv_trim(gv_after(rest, "): "));
	if (gv_ends(a->value, "."))
		a->value.n--;
	return a->name.n && a->target.n && a->value.n;
}

static bool is_talk(gv_str t)
{
	return gv_starts(t, "Attributes queryable via") || gv_starts(t, "'") ||
	       gv_starts(t, "The valid values for '") || gv_starts(t, "(inclusive)") || gv_starts(t, "target types:") ||
	       gv_has(t, "' is a") || gv_has(t, "' can use") || gv_starts(t, "Device.") || gv_starts(t, "SDI Input") ||
	       gv_starts(t, "Note:") || gv_starts(t, "Input");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct attribute a;
	size_t end = 0;

	(void)seg;
	if (!attribute_of(l[0].text, &a))
		return 0;
	for (size_t i = 0; i < n && i - end < 6; i++) {
		if (l[i].flags & (GV_LINE_FENCE | GV_LINE_PROMPT))
			break;
		if (attribute_of(l[i].text, &a) || is_talk(gv_trim(l[i].text)))
			end = i + 1;
	}
	return end;
}

#define GPUS 64

struct gpus {
	struct gv_entity *of[GPUS + 1]; /* the last: that of a screen */
	bool by_gpu;
};

static size_t number_of(gv_str target)
{
	gv_str n = gv_between(target, "[gpu:", "]");
	uint64_t v;

	return n.n && gv_to_u64(n, &v) && v < GPUS ? (size_t)v : GPUS;
}

static struct gv_entity *see(struct gv_read *r, struct gpus *g, size_t k, const struct gv_line *l)
{
	if (!g->of[k]) {
		g->of[k] = gv_see(r, GV_GPU, GV_NONE);
		if (k < GPUS)
			gv_key(r, g->of[k], GV_KEY_INDEX, gv_fmt(r->arena, "%zu", k));
		gv_put_str(r, g->of[k], GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	}
	return g->of[k];
}

static void read_attribute(struct gv_read *r, struct gpus *g, const struct attribute *a, const struct gv_line *l)
{
	static const struct {
		const char *name;
		enum gv_fact fact;
	} of_gpu[] = { { "GPUCoreTemp", GV_F_GPU_TEMP },
		       { "TotalDedicatedGPUMemory", GV_F_GPU_MEM_TOTAL },
		       { "UsedDedicatedGPUMemory", GV_F_GPU_MEM_USED } };
	size_t k = number_of(a->target);
	bool screen = k == GPUS, other = gv_has(a->target, "[") && screen; /* [fan:0], [thermalsensor:0] */
	gv_str rest;
	double v;

	if (gv_is(a->name, "NvidiaDriverVersion"))
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, a->value, l);
	if (other || (screen && g->by_gpu))
		return;
	for (size_t i = 0; i < sizeof(of_gpu) / sizeof(of_gpu[0]); i++)
		if (gv_is(a->name, of_gpu[i].name))
			gv_put_cell(r, see(r, g, k, l), of_gpu[i].fact, a->value, l);
	if (gv_is(a->name, "GPUUtilization") && gv_lead_num(gv_after(a->value, "graphics="), &v, &rest))
		gv_put_num(r, see(r, g, k, l), GV_F_GPU_UTIL, v, l);
	if (gv_is(a->name, "GpuUUID") && gv_starts(a->value, "GPU-")) {
		gv_key(r, see(r, g, k, l), GV_KEY_UUID, a->value);
		gv_put_str(r, see(r, g, k, l), GV_F_GPU_UUID, a->value, l);
	}
}

static void read_settings(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gpus g = { 0 };
	struct attribute a;

	for (size_t i = 0; i < n; i++)
		g.by_gpu |= attribute_of(l[i].text, &a) && gv_has(a.target, "[gpu:");
	for (size_t i = 0; i < n; i++)
		if (attribute_of(l[i].text, &a))
			read_attribute(r, &g, &a, &l[i]);
}

const struct gv_format gv_format_nvidia_settings = {
	.name = "nvidia-settings -q",
	.heads = { "Attribute '" },
	.claim = claim,
	.read = read_settings,
};
