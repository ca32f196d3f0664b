/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between host and GPU, measured on several equal GPUs: one that reaches half of its equals has a worse link.
 * What a single GPU reaches proves nothing: virtual machines, IOMMUs and the other socket cost as much; and where more
 * than a quarter of the GPUs are slow, it is the way to them. */
#include "check/common_gputest.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAST = 4, /* GPUs in one test */
	MOST = 64,
};

#define SLOW 0.5 /* of the median */

static const char *const modes[] = {
	"host_to_device_memcpy_ce", "device_to_host_memcpy_ce", "host_to_device_memcpy_sm",
	"device_to_host_memcpy_sm", "host_to_device_pinned",	"device_to_host_pinned",
};

struct copies {
	const struct gv_entity *test[MOST];
	double rate[MOST];
	size_t n;
	double median;
};

static int by_rate(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* False where there are too few, or they ran on different products. */
static bool collect(const struct gv_run *run, const struct gv_entity *node, const char *mode, struct copies *c)
{
	double sorted[MOST];
	gv_str name = GV_NONE;

	c->n = 0;
	for (struct gv_entity *t = NULL; (t = gv_each(run, GV_TEST, node, t));) {
		gv_str device = gv_text(t, GV_F_TEST_DEVICE);

		if (!gv_is(gv_text(t, GV_F_TEST_MODE), mode) || !gv_num(t, GV_F_TEST_BW, &c->rate[c->n]))
			continue;
		if (c->n + 1 == MOST || (name.n && device.n && !gv_eq(name, device)))
			return false;
		name = device.n ? device : name;
		c->test[c->n++] = t;
	}
	if (c->n < LEAST)
		return false;
	memcpy(sorted, c->rate, sizeof(sorted[0]) * c->n);
	qsort(sorted, c->n, sizeof(sorted[0]), by_rate);
	c->median = sorted[c->n / 2];
	return true;
}

/* The driver shows the link at all that it can do: then it is not the link. */
static bool link_is_full(const struct gv_entity *gpu)
{
	double w, wmax, gen, gmax;

	return gpu && gv_num(gpu, GV_F_GPU_PCIE_WIDTH, &w) && gv_num(gpu, GV_F_GPU_PCIE_WIDTH_MAX, &wmax) &&
	       gv_num(gpu, GV_F_GPU_PCIE_GEN, &gen) && gv_num(gpu, GV_F_GPU_PCIE_GEN_MAX, &gmax) && w >= wmax &&
	       gen >= gmax;
}

static void accuse(struct gv_judge *j, const struct copies *c, size_t i, size_t equal)
{
	const struct gv_entity *t = c->test[i], *gpu = gv_tested_gpu(j->run, t, GV_F_TEST_GPU);
	struct gv_finding *f = gv_found(j, GV_K_PCIE_LINK_DEGRADED, gpu ? gpu : t->node);
	gv_str name =
	    gpu ? GV_NONE : gv_fmt(j->run->arena, " on its %.*s", GV_ARG(gv_tested_name(j->run, t, GV_F_TEST_GPU)));

	if (!f->nquotes) {
		f->severity = link_is_full(gpu) ? GV_NOTE : GV_WARN;
		f->confidence = GV_MEDIUM;
	}
	gv_set(j, f, "rate", "%.3g GB/s%.*s where its equals reach %.3g", c->rate[i] / 1e9, GV_ARG(name),
	       c->median / 1e9);
	gv_quote_fact(f, t, GV_F_TEST_BW);
	gv_quote_fact(f, c->test[equal], GV_F_TEST_BW);
}

static bool slow_ones(struct gv_judge *j, const struct copies *c)
{
	size_t slow = 0, equal = 0;

	for (size_t i = 0; i < c->n; i++) {
		slow += c->rate[i] <= c->median * SLOW;
		if (c->rate[i] >= c->median && c->rate[equal] < c->median)
			equal = i;
	}
	if (!slow || slow * 4 > c->n)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (c->rate[i] <= c->median * SLOW)
			accuse(j, c, i, equal);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, known = false;
	struct copies c;

	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		if (!collect(j->run, node, modes[m], &c))
			continue;
		known = true;
		any |= slow_ones(j, &c);
	}
	return any ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_copy_rate = {
	.id = "copy-rate",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
