/* SPDX-License-Identifier: Apache-2.0 */
/* Device nodes that are there and that the user may not open. */
#include "check/common.h"

static enum gv_answer permission_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DEVICE_PERMISSION, node, ev));) {
		bool guess = gv_is(ev->sig->id, "cuda-unknown");
		struct gv_finding *f;

		/* CUDA's unknown error has many causes, a missing nvidia-uvm the most common; it is one beside nothing else */
		if (guess && (gv_driver_fails(j->run, node) || gv_each_event_of(j->run, GV_K_GPU_XID, node, NULL) ||
			      gv_each_event_of(j->run, GV_K_DRIVER_MISMATCH, node, NULL)))
			continue;
		f = gv_found_event(j, GV_K_DEVICE_PERMISSION, ev);
		if (guess && f->nquotes <= 2)
			f->confidence = GV_LOW;
		gv_set_str(j, f, "device", gv_is(ev->sig->id, "dri-permission") ? ev->subject
					   : gv_is(ev->sig->id, "kfd-permission") ? GV_STR("/dev/kfd")
										   : GV_NONE);
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_device_permission = {
	.id = "device-permission",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = permission_run,
};
