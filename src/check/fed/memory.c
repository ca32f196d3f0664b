/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory: swap under load, little left. */
#include "check/common_load.h"

#define FEW (4.0 * 1024 * 1024)	    /* kB: on large machines five in a hundred are plenty */
#define SOME_SWAP 100		    /* kB/s */

static bool swap(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f;
	struct gv_swap s;

	if (!gv_swap_thrashes(j->run, node, &s))
		return false;
	f = gv_found(j, GV_K_SWAP_THRASH, node);
	gv_set(j, f, "in", "%.1f MB/s", s.in / 1000);
	gv_set(j, f, "out", "%.1f MB/s", s.out / 1000);
	if (!isnan(s.used))
		gv_set(j, f, "used", "%.1f GiB", s.used / 1048576);
	gv_quote_fact(f, node, GV_F_SWAP_IN);
	gv_quote_fact(f, node, GV_F_SWAP_OUT);
	gv_quote_fact(f, node, GV_F_SWAP_USED);
	if (gv_node_use(j->run, node) == GV_LOAD_FULL)
		f->severity = GV_WARN;
	return true;
}

static bool pressure(struct gv_judge *j, const struct gv_entity *node)
{
	double avail, total, in = 0, out = 0;
	struct gv_finding *f;
	bool moves;

	if (!gv_num(node, GV_F_MEM_AVAIL, &avail) || !gv_num(node, GV_F_MEM_TOTAL, &total) || total <= 0 ||
	    avail >= total * gv_threshold_part(j->run, GV_T_MEMORY_LOW))
		return false;
	gv_num(node, GV_F_SWAP_IN, &in);
	gv_num(node, GV_F_SWAP_OUT, &out);
	moves = in + out >= SOME_SWAP;
	f = gv_found(j, GV_K_MEMORY_PRESSURE, node);
	f->severity = GV_WARN;
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "left", "%.1f GiB", avail / 1048576);
	gv_set(j, f, "total", "%.0f GiB", total / 1048576);
	gv_quote_fact(f, node, GV_F_MEM_AVAIL);
	if (moves)
		gv_quote_fact(f, node, GV_F_SWAP_OUT);
	else if (avail >= FEW)
		f->severity = GV_NOTE;
	return true;
}

enum { MANY_FAILURES = 10 };

/* The kernel could not get pages in one piece; drivers ask for large ones and live without. */
static bool page_failures(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_MEMORY_PRESSURE, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_MEMORY_PRESSURE, ev);

		gv_set(j, f, "failures", "%llu", (unsigned long long)ev->count);
		if (f->nquotes <= 2 && ev->count < MANY_FAILURES && !gv_is(ev->cap[2], "0"))
			f->severity = GV_NOTE;
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = swap(j, node);

	any |= page_failures(j, node);
	any |= pressure(j, node);
	if (any)
		return GV_FOUND;
	return gv_obs(node, GV_F_SWAP_IN) || gv_obs(node, GV_F_MEM_AVAIL) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_memory = {
	.id = "memory",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "memory",
	.run = run,
};
