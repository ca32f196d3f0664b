/* SPDX-License-Identifier: Apache-2.0 */
/* The same container started again and again. It is never the cause: the first failure is what to read. */
#include "check/common.h"

/* From the fifth on the back-off has reached minutes. */
static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, pods = false;
	double restarts, storm = gv_threshold(j->run, GV_T_RESTARTS);

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_POD, node, p));) {
		struct gv_finding *f;

		pods = true;
		if (!gv_num(p, GV_F_POD_RESTARTS, &restarts) || restarts < storm)
			continue;
		/* restarts over months are none: it must be failing now */
		if (!gv_is(gv_text(p, GV_F_POD_REASON), "CrashLoopBackOff") && !gv_is(gv_text(p, GV_F_POD_REASON), "Error"))
			continue;
		f = gv_found(j, GV_K_RETRY_STORM, p);
		gv_quote_fact(f, p, GV_F_POD_RESTARTS);
		gv_quote_fact(f, p, GV_F_POD_REASON);
		gv_set_num(j, f, "restarts", restarts);
		gv_set_str(j, f, "last", gv_text(p, GV_F_POD_LAST_REASON));
		any = true;
	}
	for (struct gv_event *ev = NULL; !any && (ev = gv_each_event_of(j->run, GV_K_RETRY_STORM, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_RETRY_STORM, ev);

		f->severity = (double)ev->count >= storm ? GV_WARN : GV_NOTE;
		gv_set(j, f, "lines", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any ? GV_FOUND : pods ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_retries = {
	.id = "retries",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
