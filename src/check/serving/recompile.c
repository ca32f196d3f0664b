/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs or kernels that are compiled again in service. */
#include "check/common.h"

#define RETRACED 3 /* lines; TensorFlow warns at the fifth trace at the earliest */

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_RECOMPILE, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_RECOMPILE, ev);

		/* traced anew once or twice while a model is set up is harmless */
		if (gv_is(ev->sig->id, "tf-retracing") && ev->count < RETRACED)
			f->severity = GV_NOTE;
		gv_set_str(j, f, "limit", ev->cap[1]);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_recompile = {
	.id = "recompile",
	.stage = GV_STAGE_SERVING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
