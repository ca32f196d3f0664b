/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's GRES against the machine: what slurmd, slurmctld or the reason of a drained node say. Steps of a job that wait
 * for each other are no such thing. */
#include "check/common.h"

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_SLURM_GRES_MISMATCH, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_SLURM_GRES_MISMATCH, ev);

		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 100)));
		if (gv_is(ev->sig->id, "slurm-count")) {
			gv_set_str(j, f, "got", ev->cap[1]);
			gv_set_str(j, f, "want", ev->cap[2]);
		}
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_slurm = {
	.id = "slurm",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
