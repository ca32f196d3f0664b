/* SPDX-License-Identifier: Apache-2.0 */
/* What p2pBandwidthLatencyTest measured between two GPUs, against what connects them. Between sockets a direct copy is
 * often slower than one through host memory, and nobody's fault; below one switch or one root it is not. */
#include "check/common_gputest.h"

#define PER_NVLINK 7e9 /* B/s: half of what the slowest link of any product (14 GB/s, of RTX bridges) carries */
#define MOST 8192      /* pairs of GPUs, and of GPUs and NICs: no machine has more */
#define REDIRECTED 0.6 /* of the rate without peer access */
#define CRAWLS 0.3     /* of it: slower than any way between sockets */

struct seen {
	const struct gv_entity *test, *pair;
	double rate, staged, links;
	bool can, can_known;
};

/* The pair in the topology. */
static const struct gv_entity *pair_of(const struct gv_run *run, const struct gv_entity *t)
{
	const struct gv_entity *a = gv_tested_gpu(run, t, GV_F_TEST_GPU), *b = gv_tested_gpu(run, t, GV_F_TEST_PEER);
	const struct gv_entity *pair;
	double i, k;

	if (!a || !b || !gv_to_num(a->key[GV_KEY_INDEX], &i) || !gv_to_num(b->key[GV_KEY_INDEX], &k))
		return NULL;
	pair = gv_by_id(run, GV_PAIR, t->node, gv_fmt(run->arena, "GPU%.0f GPU%.0f", i < k ? i : k, i < k ? k : i));
	return pair && gv_text(pair, GV_F_PAIR_PATH).n ? pair : NULL;
}

static struct seen look(const struct gv_run *run, const struct gv_entity *t)
{
	struct seen s = { .test = t, .pair = pair_of(run, t), .rate = NAN, .staged = NAN };
	gv_str path = s.pair ? gv_text(s.pair, GV_F_PAIR_PATH) : GV_NONE;

	gv_num(t, GV_F_TEST_BW, &s.rate);
	gv_num(t, GV_F_TEST_BW_STAGED, &s.staged);
	s.can_known = gv_flag_known(t, GV_F_TEST_PEER_ACCESS, &s.can);
	if (!gv_starts(path, "NV") || !gv_to_num(gv_from(path, 2), &s.links))
		s.links = 0;
	return s;
}

static gv_str between(const struct gv_run *run, const struct seen *s)
{
	return gv_fmt(run->arena, "from %.*s to %.*s", GV_ARG(gv_tested_name(run, s->test, GV_F_TEST_GPU)),
		      GV_ARG(gv_tested_name(run, s->test, GV_F_TEST_PEER)));
}

/* NVLink connects them, and CUDA does not use it. */
static bool past_nvlink(struct gv_judge *j, const struct seen *s)
{
	bool refused = s->can_known && !s->can, slow = s->rate < s->links * PER_NVLINK;
	struct gv_finding *f;

	if (!s->links || !(refused || slow))
		return false;
	f = gv_found(j, GV_K_P2P_DISABLED, s->test->node);
	if (!f->nquotes) {
		f->confidence = refused ? GV_HIGH : GV_MEDIUM;
		gv_set_str(j, f, "path", gv_text(s->pair, GV_F_PAIR_PATH));
		if (refused)
			gv_set(j, f, "said", "CUDA has no access %.*s", GV_ARG(between(j->run, s)));
		else
			gv_set(j, f, "said", "%.3g GB/s %.*s", s->rate / 1e9, GV_ARG(between(j->run, s)));
	}
	gv_quote_fact(f, s->test, refused ? GV_F_TEST_PEER_ACCESS : GV_F_TEST_BW);
	gv_quote_fact(f, s->pair, GV_F_PAIR_PATH);
	return true;
}

static bool near(gv_str path)
{
	return gv_is(path, "PIX") || gv_is(path, "PXB") || gv_is(path, "PHB");
}

/* The direct way over PCIe is slower than the way through host memory. Where the topology is not known it may cross
 * sockets. */
static bool redirected(struct gv_judge *j, const struct seen *s)
{
	bool sure = s->pair || s->rate < s->staged * CRAWLS;
	struct gv_finding *f;

	if (s->links || (s->can_known && !s->can) || !(s->rate < s->staged * REDIRECTED))
		return false;
	if (s->pair && !near(gv_text(s->pair, GV_F_PAIR_PATH)))
		return false;
	f = gv_found(j, GV_K_IOMMU_ACS_P2P, s->test->node);
	if (!f->nquotes) {
		f->severity = sure ? GV_WARN : GV_NOTE;
		f->confidence = sure ? GV_MEDIUM : GV_LOW;
		gv_set(j, f, "why", "%.3g GB/s directly and %.3g through host memory %.*s", s->rate / 1e9, s->staged / 1e9,
		       GV_ARG(between(j->run, s)));
	}
	gv_quote_fact(f, s->test, GV_F_TEST_BW);
	gv_quote_fact(f, s->test, GV_F_TEST_BW_STAGED);
	if (s->pair)
		gv_quote_fact(f, s->pair, GV_F_PAIR_PATH);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, known = false;

	if (gv_crowded(j->run, node) || gv_count(j->run, GV_PAIR, node) > MOST ||
	    gv_count(j->run, GV_TEST, node) > MOST)
		return GV_NA;
	for (struct gv_entity *t = NULL; (t = gv_each(j->run, GV_TEST, node, t));) {
		struct seen s;

		if (!gv_is(gv_text(t, GV_F_TEST_TOOL), "p2pBandwidthLatencyTest"))
			continue;
		s = look(j->run, t);
		known = true;
		any |= past_nvlink(j, &s);
		any |= redirected(j, &s);
	}
	return any ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_p2p_rate = {
	.id = "p2p-rate",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
