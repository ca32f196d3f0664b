/* SPDX-License-Identifier: Apache-2.0 */
/* Firmware files that a driver asked for and did not get. Drivers also ask for files that they can do without: the
 * device then comes up all the same. */
#include "check/common.h"

/* The driver gave up on a device after the file was missing: on the same one, or on one that the line does not name. */
static bool gave_up(const struct gv_run *run, const struct gv_event *ev)
{
	static const enum gv_kind kinds[] = { GV_K_DRIVER_NOT_LOADED, GV_K_GPU_MISSING };

	for (size_t k = 0; k < 2; k++)
		for (struct gv_event *o = NULL; (o = gv_each_event_of(run, kinds[k], ev->node, o));)
			if (o->kernel && (!o->gpu || !ev->gpu || o->gpu == ev->gpu))
				return true;
	return gv_driver_fails(run, ev->node);
}

static enum gv_answer firmware_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_FIRMWARE_MISSING, node, ev));) {
		bool fatal = gv_is(ev->sig->id, "amd-fw-fatal") || gave_up(j->run, ev);
		struct gv_finding *f;

		if (!fatal && gv_driver_works(j->run, node))
			continue;
		/* a file without which the driver went on, as far as the log tells */
		if (!fatal && gv_is(ev->sig->id, "fw-missing"))
			continue;
		f = gv_found_event(j, GV_K_FIRMWARE_MISSING, ev);
		if (gv_is(ev->sig->id, "fw-missing"))
			gv_set_str(j, f, "file", ev->cap[2]);
		else
			gv_set_str(j, f, "file", ev->cap[1]);
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_firmware = {
	.id = "firmware",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = firmware_run,
};
