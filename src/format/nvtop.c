/* SPDX-License-Identifier: Apache-2.0 */
/* `nvtop -s`: a JSON list with an object for each GPU, of any vendor, in nvtop's own order and without bus ids. Values
 * are texts with their units, or null. */
#include "base/json.h"
#include "format/common.h"

#define MAX_GPUS 64

static const struct row {
	const char *key;
	enum gv_fact fact;
	double unit;	  /* what it is divided by */
	const char *ends; /* the unit that is read */
} rows[] = {
	{ "gpu_clock", GV_F_GPU_CLK_SM, 1, "MHz" },
	{ "mem_clock", GV_F_GPU_CLK_MEM, 1, "MHz" },
	{ "temp", GV_F_GPU_TEMP, 1, "C" },
	{ "fan_speed", GV_F_GPU_FAN, 1, "%" },
	{ "power_draw", GV_F_GPU_POWER, 1, "W" },
	{ "gpu_util", GV_F_GPU_UTIL, 1, "%" },
	{ "encode", GV_F_GPU_ENC_UTIL, 1, "%" },
	{ "decode", GV_F_GPU_DEC_UTIL, 1, "%" },
	{ "mem_total", GV_F_GPU_MEM_TOTAL, 1 << 20, "" },
	{ "mem_used", GV_F_GPU_MEM_USED, 1 << 20, "" },
	{ "mem_free", GV_F_GPU_MEM_FREE, 1 << 20, "" },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

#define NAME_KEY "\"device_name\""

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	long depth = 0;
	bool clock = false;

	(void)seg;
	if (!gv_has(l[0].text, NAME_KEY))
		return 0;
	for (size_t i = 0; i < n; i++) {
		gv_str t = l[i].text;

		clock = clock || gv_has(t, "\"gpu_clock\"");
		if (!clock && i > 2)
			return 0;
		for (size_t k = 0; k < t.n; k++) {
			depth += (t.p[k] == '[') - (t.p[k] == ']');
			if (depth < 0) /* the list around all of them */
				return clock ? i + 1 : 0;
		}
	}
	return clock ? n : 0;
}

struct device {
	gv_str name;
	double v[ROWS];
	bool has[ROWS];
	const struct gv_line *name_at, *at[ROWS];
};

struct reading {
	struct gv_read *r;
	const struct gv_line *l;
	size_t n, line;
	const char *key; /* the first key */
	struct device gpu[MAX_GPUS];
	size_t gpus;
};

#define OPENED 2 /* brackets that the reader puts in front of the first key */

static const struct gv_line *line_at(struct reading *x, size_t at)
{
	while (x->line + 1 < x->n && x->l[x->line + 1].raw.p <= x->key + (at > OPENED ? at - OPENED : 0))
		x->line++;
	return &x->l[x->line];
}

static void read_value(struct device *d, gv_str key, gv_str v, const struct gv_line *l)
{
	gv_str rest;
	double n;

	for (size_t i = 0; i < ROWS; i++) {
		if (!gv_is(key, rows[i].key) || !gv_lead_num(v, &n, &rest) || !gv_is(gv_trim(rest), rows[i].ends))
			continue;
		d->v[i] = n / rows[i].unit;
		d->has[i] = true;
		d->at[i] = l;
	}
}

static void read_devices(struct reading *x, gv_str text)
{
	struct gv_json_in in = { .text = text };
	struct device *d = NULL;
	enum gv_json_kind k;

	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		gv_str key;

		if (k != GV_JSON_KEY)
			continue;
		key = in.raw;
		k = gv_json_next(&in);
		if (gv_is(key, "device_name") && k == GV_JSON_STR) {
			if (x->gpus == MAX_GPUS)
				return;
			d = &x->gpu[x->gpus++];
			d->name = gv_json_unescape(x->r->arena, in.raw);
			d->name_at = line_at(x, in.at);
		} else if (k == GV_JSON_STR && d) {
			read_value(d, key, in.raw, line_at(x, in.at));
		} else if (k == GV_JSON_OBJ || k == GV_JSON_ARR) {
			gv_json_skip(&in, k);
		}
	}
}

static gv_str vendor_of(gv_str name)
{
	static const struct {
		const char *word, *vendor;
	} words[] = { { "NVIDIA", "nvidia" }, { "GeForce", "nvidia" }, { "Tesla", "nvidia" }, { "Quadro", "nvidia" },
		      { "AMD", "amd" },	      { "Radeon", "amd" },     { "Intel", "intel" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has(name, words[i].word))
			return gv_str_of(words[i].vendor);
	return GV_NONE;
}

static void put(struct reading *x, size_t i, bool one_vendor)
{
	const struct device *d = &x->gpu[i];
	struct gv_entity *gpu = gv_see(x->r, GV_GPU, GV_NONE);
	gv_str vendor = vendor_of(d->name);

	/* a number counts over all vendors, so that it is nobody else's where there are several */
	gv_key(x->r, gpu, GV_KEY_INDEX, gv_fmt(x->r->arena, one_vendor ? "%zu" : "-nvtop%zu", i));
	gv_put_str(x->r, gpu, GV_F_GPU_NAME, d->name, d->name_at);
	if (vendor.n)
		gv_put_str(x->r, gpu, GV_F_GPU_VENDOR, vendor, d->name_at);
	for (size_t f = 0; f < ROWS; f++)
		if (d->has[f])
			gv_put_num(x->r, gpu, rows[f].fact, d->v[f], d->at[f]);
}

static void read_nvtop(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading reading = { .r = r, .l = l, .n = n }, *x = &reading;
	gv_str all = { l[0].raw.p, (size_t)(l[n - 1].raw.p + l[n - 1].raw.n - l[0].raw.p) };
	bool one_vendor = true;
	gv_str text;

	/* the brackets of the list and of its first object stand above, unless all of it is one line */
	text = gv_fmt(r->arena, "[{%.*s", GV_ARG(gv_from(all, (size_t)gv_find(all, NAME_KEY))));
	x->key = all.p + gv_find(all, NAME_KEY);
	read_devices(x, text);
	for (size_t i = 1; i < x->gpus; i++)
		one_vendor = one_vendor && gv_eq(vendor_of(x->gpu[i].name), vendor_of(x->gpu[0].name));
	for (size_t i = 0; i < x->gpus; i++)
		put(x, i, one_vendor);
}

const struct gv_format gv_format_nvtop = {
	.name = "nvtop -s",
	.heads = { NAME_KEY },
	.claim = claim,
	.read = read_nvtop,
};
