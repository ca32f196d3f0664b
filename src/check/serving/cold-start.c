/* SPDX-License-Identifier: Apache-2.0 */
/* First steps that pay for compiling or loading: known to be so from the library's own line, or from steps that are slow
 * once and steady afterwards. */
#include "check/common_load.h"

enum {
	STEPS = 4,    /* so many steps tell the first from the rest */
	TIMES = 10,   /* the first against the median of the others */
	SECONDS = 5,  /* below it nobody notices */
	MOST = 4096,
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool by_steps(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs **v = GV_NEWN(j->run->arena, const struct gv_obs *, MOST);
	size_t n = gv_series(node, GV_F_JOB_STEP_TIME, v, MOST);
	struct gv_finding *f;
	double *rest;

	n = n < MOST ? n : MOST;
	if (n < STEPS)
		return false;
	rest = GV_NEWN(j->run->arena, double, n);
	for (size_t i = 1; i < n; i++)
		rest[i - 1] = v[i]->num;
	qsort(rest, n - 1, sizeof(rest[0]), by_value);
	/* all others stay together: else it is no matter of the start */
	if (v[0]->num < SECONDS || v[0]->num < rest[(n - 1) / 2] * TIMES || rest[n - 2] > v[0]->num / 2)
		return false;
	f = gv_found(j, GV_K_COLD_START, node);
	f->confidence = GV_MEDIUM;
	gv_quote(f, v[0]->at);
	gv_quote(f, v[1]->at);
	gv_set(j, f, "first", "%.3g s", v[0]->num);
	gv_set(j, f, "usual", "%.3g s", rest[(n - 1) / 2]);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = gv_found_events_of(j, GV_K_COLD_START, node);

	any |= by_steps(j, node);
	return any ? GV_FOUND : gv_series(node, GV_F_JOB_STEP_TIME, NULL, 0) >= STEPS ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_cold_start = {
	.id = "cold-start",
	.stage = GV_STAGE_SERVING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
