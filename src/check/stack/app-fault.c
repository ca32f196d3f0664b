/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a job's own GPU code, as the job or the AMD driver tells them. NVIDIA's Xids are the check xid's. */
#include "check/common.h"

static enum gv_answer fault_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_APP_KERNEL_FAULT, node, ev));) {
		struct gv_finding *f;

		if (ev->code >= 0)
			continue;
		f = gv_found_event(j, GV_K_APP_KERNEL_FAULT, ev);
		gv_set_count(j, f, ev);
		if (gv_is(ev->sig->id, "cuda-assert"))
			gv_set_str(j, f, "name", GV_STR("a device-side assert"));
		else if (gv_is(ev->sig->id, "cuda-illegal"))
			gv_set_str(j, f, "name", GV_STR("an illegal memory access"));
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_app_fault = {
	.id = "app-fault",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = fault_run,
};
