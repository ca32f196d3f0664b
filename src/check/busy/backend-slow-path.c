/* SPDX-License-Identifier: Apache-2.0 */
/* A library says that it runs a slow implementation. */
#include "check/common_load.h"

/* Attention without one of its fast kernels costs little where another one is there, and nothing can be done where the
 * device or the shapes rule it out. */
static bool minor(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "attention-slow") && !gv_has(ev->cap[1], "not found") && !gv_has(ev->cap[1], "not installed");
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_BACKEND_SLOW_PATH, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_BACKEND_SLOW_PATH, ev);

		f->confidence = GV_MEDIUM;
		if (minor(ev))
			f->severity = GV_NOTE;
		gv_set_str(j, f, "line", ev->cap[0]);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_backend_slow_path = {
	.id = "backend-slow-path",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
