/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel driver says that it cut the clocks. */
#include "check/common_load.h"

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool heat = gv_found_events_of(j, GV_K_THROTTLE_THERMAL, node);
	bool power = gv_found_events_of(j, GV_K_THROTTLE_POWER, node);
	bool cap = gv_found_events_of(j, GV_K_POWER_CAP, node);

	if (heat || power || cap)
		return GV_FOUND;
	return gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_throttle_log = {
	.id = "throttle-log",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
