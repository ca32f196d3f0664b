/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs held down from outside: a cgroup's quota, heat. */
#include "check/common_load.h"

#define PERIODS_MIN 100	   /* ten seconds at the usual 100 ms */
#define PERIODS_SEEN 10	   /* of a look that saw them go by */
#define HEAT_EVENTS 100	   /* so many cuts of the clock since boot are no flash */

static bool quota(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *p0, *p1, *t0, *t1;
	double periods, throttled, cpus, least = PERIODS_MIN;
	struct gv_finding *f;
	bool two;

	if (!gv_num(node, GV_F_CGROUP_PERIODS, &periods) || !gv_num(node, GV_F_CGROUP_THROTTLED, &throttled))
		return false;
	/* two looks at the counters say what happens now; one says what happened since the cgroup was made */
	two = gv_two_looks(node, GV_F_CGROUP_PERIODS, &p0, &p1) && gv_two_looks(node, GV_F_CGROUP_THROTTLED, &t0, &t1) &&
	      p1->num >= p0->num && t1->num >= t0->num;
	if (two && p1->num - p0->num >= PERIODS_SEEN) {
		periods = p1->num - p0->num;
		throttled = t1->num - t0->num;
		least = PERIODS_SEEN;
	}
	if (periods < least || throttled > periods || throttled < periods * gv_threshold_part(j->run, GV_T_CGROUP_THROTTLED))
		return false;
	f = gv_found(j, GV_K_CPU_THROTTLED, node);
	gv_set(j, f, "share", "%.0f %%", throttled / periods * 100);
	if (gv_num(node, GV_F_CGROUP_CPUS, &cpus))
		gv_set_num(j, f, "cpus", cpus);
	gv_quote_fact(f, node, GV_F_CGROUP_THROTTLED);
	gv_quote_fact(f, node, GV_F_CGROUP_PERIODS);
	gv_quote_fact(f, node, GV_F_CGROUP_CPUS);
	if (least > PERIODS_SEEN) {
		f->confidence = GV_MEDIUM;
		gv_set(j, f, "since", "counted since it was made");
	}
	/* it hardly ran while it was looked at */
	if (gv_node_use(j->run, node) == GV_LOAD_FULL || (two && least > PERIODS_SEEN))
		f->severity = GV_NOTE;
	return true;
}

/* The kernel counts the cuts since boot; short ones belong to normal life. */
static bool heat(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "cpu-thermal", node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_CPU_CLOCKS_CAPPED, ev);
		double n = 0;

		gv_lead_num(ev->last_cap[3], &n, NULL);
		gv_set_num(j, f, "events", n);
		gv_set(j, f, "reason", "heat");
		if (n < HEAT_EVENTS && ev->count < HEAT_EVENTS)
			f->severity = GV_NOTE;
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = quota(j, node);

	any |= heat(j, node);
	return any ? GV_FOUND : gv_obs(node, GV_F_CGROUP_PERIODS) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_cpu_limit = {
	.id = "cpu-limit",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
