/* SPDX-License-Identifier: Apache-2.0 */
/* Intel GPUs: hangs and engine resets. */
#include "check/common.h"

static enum gv_answer intel_run(struct gv_judge *j, const struct gv_entity *node)
{
	if (gv_found_events_of(j, GV_K_INTEL_GPU_HANG, node))
		return GV_FOUND;
	return (gv_vendors_shown(j->run, node) & GV_INTEL) && gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_intel_gpu = {
	.id = "intel-gpu",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = intel_run,
};
