/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that timed out, and the rank that did not arrive. Every rank that waited says that it timed out; the one to
 * look at enqueued less work than the others. */
#include "check/common_net.h"

#define RANKS 1024

struct rank {
	const struct gv_event *ev;
	double enqueued;
};

static bool timeouts(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NCCL_TIMEOUT, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_NCCL_TIMEOUT, ev);
		double ms;

		any = true;
		if (!gv_is(ev->sig->id, "nccl-watchdog"))
			continue;
		gv_set_str(j, f, "op", ev->cap[3]);
		gv_set_str(j, f, "seq", ev->cap[2]);
		if (gv_to_num(ev->cap[6], &ms))
			gv_set(j, f, "timeout", "%.0f s", ms / 1000);
	}
	return any;
}

/* One rank behind while all others stand at the same number. */
static const struct rank *behind(const struct rank *v, size_t n, double *ret_others)
{
	const struct rank *low = NULL;
	double most = 0;
	size_t at_most = 0;

	for (size_t i = 0; i < n; i++)
		most = v[i].enqueued > most ? v[i].enqueued : most;
	for (size_t i = 0; i < n; i++) {
		at_most += v[i].enqueued == most;
		if (v[i].enqueued < most)
			low = &v[i];
	}
	*ret_others = most;
	return n >= 3 && low && at_most == n - 1 ? low : NULL;
}

static bool straggler(struct gv_judge *j)
{
	struct rank *v = GV_NEWN(j->run->arena, struct rank, RANKS);
	const struct rank *low;
	size_t n = 0;
	double others;
	struct gv_finding *f;

	for (struct gv_event *ev = NULL; n < RANKS && (ev = gv_each_event(j->run, "nccl-last-work", NULL, ev));)
		if (ev->cap[1].n && gv_to_num(ev->last_cap[2], &v[n].enqueued) && v[n].enqueued >= 0)
			v[n++].ev = ev;
	low = behind(v, n, &others);
	if (!low)
		return false;
	f = gv_found_event(j, GV_K_STRAGGLER, low->ev);
	f->confidence = GV_MEDIUM;
	gv_quote(f, (low == v ? v[1] : v[0]).ev->last);
	gv_set_str(j, f, "rank", low->ev->cap[1]);
	gv_set_num(j, f, "work", low->enqueued);
	gv_set_num(j, f, "others", others);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = timeouts(j, node);

	if (gv_each_event(j->run, "nccl-last-work", node, NULL))
		any |= straggler(j);
	return any ? GV_FOUND : gv_has_collective_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_collective_timeout = {
	.id = "collective-timeout",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
