/* SPDX-License-Identifier: Apache-2.0 */
/* Where a request's time goes, by the reports of load generators: in the queue, and in the slowest of a hundred. */
#include "check/common.h"

#define QUEUE_TIMES 10.0  /* the queue against all the rest: the server is asked for far more than it can do */
#define REPORTS 256	  /* of one kind that are looked at */

static bool queue(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "triton-queue", node, ev));) {
		double all, waits;
		struct gv_finding *f;

		if (!gv_to_num(ev->last_cap[1], &all) || !gv_to_num(ev->last_cap[2], &waits) || waits > all ||
		    waits < gv_threshold(j->run, GV_T_QUEUE_WAIT) * 1000 || waits < (all - waits) * QUEUE_TIMES)
			continue;
		f = gv_found(j, GV_K_QUEUE_UNBOUNDED, node);
		f->confidence = GV_MEDIUM;
		gv_quote(f, ev->last);
		gv_set(j, f, "queue", "%.0f ms", waits / 1000);
		gv_set(j, f, "rest", "%.1f ms", (all - waits) / 1000);
		any = true;
	}
	return any;
}

struct tail {
	const char *sig, *middle, *high; /* subjects of the two percentiles */
	double unit;			 /* ms of one */
	const char *of;
};

static const struct tail tails[] = {
	{ "perf-latency", "50", "99", 0.001, "a request" },
	{ "serve-latency", "Median TTFT", "P99 TTFT", 1, "the first token" },
	{ "serve-latency", "Median TPOT", "P99 TPOT", 1, "a token" },
	{ "serve-latency", "Median E2EL", "P99 E2EL", 1, "a request" },
};

/* "14,937.16" and "14937.16". */
static bool number(gv_str s, double *ret)
{
	double v = 0, part = 0, scale = 1;
	bool digits = false, fraction = false;

	for (size_t i = 0; i < s.n && i < 32; i++) {
		char c = s.p[i];

		if (c == '.' && !fraction) {
			fraction = true;
		} else if (c >= '0' && c <= '9') {
			digits = true;
			if (fraction)
				part += (c - '0') * (scale /= 10);
			else
				v = v * 10 + (c - '0');
		} else if (c != ',') {
			return false;
		}
	}
	*ret = v + part;
	return digits;
}

/* The last value of a percentile in the same document. */
static const struct gv_event *percentile(const struct gv_run *run, const struct tail *t, const struct gv_event *like, double *ret)
{
	const struct gv_event *hit = NULL;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, t->sig, like->node, ev));)
		if (ev->doc == like->doc && ev->seg == like->seg && gv_is(ev->subject, t->middle) &&
		    number(ev->last_cap[2], ret))
			hit = ev;
	return hit;
}

static bool tail(struct gv_judge *j, const struct gv_entity *node, const struct tail *t)
{
	size_t reports = 0;
	bool any = false;

	for (struct gv_event *ev = NULL; reports < REPORTS && (ev = gv_each_event(j->run, t->sig, node, ev)); reports++) {
		double high, middle;
		const struct gv_event *other;
		struct gv_finding *f;

		if (!gv_is(ev->subject, t->high) || !number(ev->last_cap[2], &high))
			continue;
		other = percentile(j->run, t, ev, &middle);
		if (!other || middle <= 0 || high < middle * gv_threshold(j->run, GV_T_TAIL_FACTOR) ||
		    high * t->unit < gv_threshold(j->run, GV_T_TAIL_LATENCY))
			continue;
		f = gv_found(j, GV_K_TAIL_LATENCY, node);
		f->confidence = GV_MEDIUM;
		gv_quote(f, ev->last);
		gv_quote(f, other->last);
		gv_set(j, f, "of", "%s", t->of);
		gv_set(j, f, "p99", "%.0f ms", high * t->unit);
		gv_set(j, f, "p50", "%.1f ms", middle * t->unit);
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const sigs[] = { "triton-queue", "perf-latency", "serve-latency" };
	bool any = queue(j, node);

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		any |= tail(j, node, &tails[i]);
	if (any)
		return GV_FOUND;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (gv_each_event(j->run, sigs[i], node, NULL))
			return GV_PASS;
	return GV_NA;
}

const struct gv_check gv_check_latency = {
	.id = "latency",
	.stage = GV_STAGE_SERVING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "latencies",
	.run = run,
};
