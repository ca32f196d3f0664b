/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_copy of SuperBench: "cpu_to_gpu0_by_dma_under_numa0 26.2387", a name that says all and a rate in GB/s. */
#include "format/common_gputest.h"

#define MODE_MAX 64

/* "gpu12" at the start of s, or "cpu": its number, -1 for the host, -2 for anything else. */
static double end_of(gv_str s, gv_str *ret_rest)
{
	double v;

	if (gv_starts(s, "cpu_") || gv_is(s, "cpu")) {
		*ret_rest = gv_from(s, 3);
		return -1;
	}
	if (!gv_starts(s, "gpu") || s.n < 4 || s.p[3] < '0' || s.p[3] > '9' ||
	    !gv_lead_num(gv_from(s, 3), &v, ret_rest))
		return -2;
	return v;
}

struct copy {
	double from, to, rate; /* -1: the host */
	bool both;	       /* "cpu_and_gpu0": both directions at once */
	gv_str how;	       /* "by_dma_under_numa0" */
};

static bool copy_of(gv_str t, struct copy *c)
{
	gv_str w[2], rest = GV_NONE;

	if (gv_words(t, w, 2) != 2 || !gv_to_num(w[1], &c->rate))
		return false;
	c->from = end_of(w[0], &rest);
	c->both = gv_starts(rest, "_and_");
	if (c->from < -1 || !(c->both || gv_starts(rest, "_to_")))
		return false;
	c->to = end_of(gv_from(rest, c->both ? 5 : 4), &rest);
	c->how = gv_starts(rest, "_") ? gv_from(rest, 1) : GV_NONE;
	return c->to >= -1 && (c->from >= 0 || c->to >= 0) && c->how.n < MODE_MAX && gv_has(c->how, "by_");
}

/* Of many pairs together: claimed, not read. */
static bool sum_of(gv_str t)
{
	gv_str w[2];
	double v;

	return gv_words(t, w, 2) == 2 && gv_to_num(w[1], &v) && gv_has(w[0], "gpu_all_") && gv_has(w[0], "_to_");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct copy c;
	size_t i = 0;

	(void)seg;
	while (i < n && (copy_of(l[i].text, &c) || sum_of(l[i].text)))
		i++;
	return i;
}

static void read_copies(struct gv_read *r, const struct gv_line *l, size_t n)
{
	static const struct gv_tested_gpus none;

	for (size_t i = 0; i < n; i++) {
		struct gv_entity *e;
		const char *way;
		struct copy c;

		if (!copy_of(l[i].text, &c))
			continue;
		if (c.from < 0 || c.to < 0)
			way = c.both ? "host_and_device" : c.from < 0 ? "host_to_device" : "device_to_host";
		else
			way = c.both ? "device_and_device" : "device_to_device";
		e = gv_see_gpu_test(r, &none, "gpu_copy", gv_fmt(r->arena, "%s_%.*s", way, GV_ARG(c.how)),
				    c.to < 0 ? c.from : c.to, c.from >= 0 && c.to >= 0 ? c.from : -1, &l[i]);
		gv_put_num(r, e, GV_F_TEST_BW, c.rate * 1e9, &l[i]);
	}
}

const struct gv_format gv_format_gpu_copy = {
	.name = "gpu_copy",
	.heads = { "cpu_to_gpu", "cpu_and_gpu", "_to_cpu_by_", "_and_cpu_by_", "_to_gpu", "_and_gpu" },
	.claim = claim,
	.read = read_copies,
};
