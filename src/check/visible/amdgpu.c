/* SPDX-License-Identifier: Apache-2.0 */
/* AMD GPUs: hangs and resets, and memory errors that RAS reports. */
#include "check/common.h"

static bool by_kind(struct gv_judge *j, const struct gv_entity *node, enum gv_kind kind)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, kind, node, ev));) {
		struct gv_finding *f = gv_found_event(j, kind, ev);

		if (gv_is(ev->sig->id, "amd-ring-timeout"))
			gv_set_str(j, f, "ring", ev->cap[1]);
		if (gv_is(ev->sig->id, "amd-mes-stuck"))
			gv_set_str(j, f, "firmware", GV_STR("the scheduler firmware (MES) does not answer"));
		if (gv_is(ev->sig->id, "amd-reset-ok"))
			gv_set_str(j, f, "result", GV_STR("the reset succeeded"));
		any = true;
	}
	return any;
}

static enum gv_answer amdgpu_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_kind(j, node, GV_K_AMDGPU_RAS);

	found |= by_kind(j, node, GV_K_AMDGPU_RESET);
	if (found)
		return GV_FOUND;
	return (gv_vendors_shown(j->run, node) & GV_AMD) && gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_amdgpu = {
	.id = "amdgpu",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = amdgpu_run,
};
