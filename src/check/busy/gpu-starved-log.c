/* SPDX-License-Identifier: Apache-2.0 */
/* A training log that names the wait for data and the step says itself what the GPUs wait for. */
#include "check/common_load.h"

#define STEPS 3

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *step[64], *data[64];
	double share = gv_data_share(node);
	struct gv_finding *f;
	size_t n;

	if (isnan(share))
		return GV_NODATA;
	n = gv_series(node, GV_F_JOB_STEP_TIME, step, 64);
	if (gv_series(node, GV_F_JOB_DATA_TIME, data, 64) != n || n < STEPS)
		return GV_NODATA;
	if (share < gv_threshold_part(j->run, GV_T_DATA_WAIT))
		return GV_PASS;
	for (struct gv_entity *g = NULL; (g = gv_each(j->run, GV_GPU, node, g));)
		if (gv_gpu_use(j->run, g).load == GV_LOAD_LOW)
			return GV_NA; /* the GPU itself shows it: see gpu-starved */
	f = gv_found(j, GV_K_GPU_STARVED, node);
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "wait", "%.0f %%", share * 100);
	for (size_t k = n > 3 ? n - 3 : 0; k < n; k++)
		gv_quote(f, data[k]->at);
	return GV_FOUND;
}

const struct gv_check gv_check_gpu_starved_log = {
	.id = "gpu-starved-log",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "GPU use over time",
	.run = run,
};
