/* SPDX-License-Identifier: Apache-2.0 */
/* What limits a GPU that is always at work: its arithmetic or its memory. Both are notes. dmon's mem is the share of time
 * in which memory was read or written, not of the bandwidth: it must be near all of the time. */
#include "check/common_load.h"

#define POWER_FULL 0.85 /* of the limit: arithmetic at full work draws as much, spinning kernels about a third */

enum {
	SM_FULL = 90,	/* % of the time */
	MEM_FULL = 88,	/* % of the time */
	MEM_LOW = 75,	/* % of the time */
	SAMPLES_MIN = 3,
};

static bool power_full(const struct gv_entity *gpu, struct gv_finding **f, bool quote)
{
	double power, limit;

	if (gv_num(gpu, GV_F_GPU_POWER, &power) &&
	    (gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) || gv_num(gpu, GV_F_GPU_POWER_DEFAULT, &limit)) &&
	    power >= limit * POWER_FULL) {
		if (quote)
			gv_quote_fact(*f, gpu, GV_F_GPU_POWER);
		return true;
	}
	return gv_flag_share(gpu, GV_F_GPU_CAP_POWER) >= 0.5;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	double sm = gv_mean(gpu, GV_F_GPU_SM_UTIL), mem = gv_mean(gpu, GV_F_GPU_MEM_UTIL);
	struct gv_finding *f;
	bool memory;

	if (isnan(sm) || isnan(mem) || gv_series(gpu, GV_F_GPU_SM_UTIL, NULL, 0) < SAMPLES_MIN)
		return GV_NODATA;
	if (sm < SM_FULL)
		return GV_NA;
	memory = mem >= MEM_FULL;
	if (!memory && !(mem > 5 && mem <= MEM_LOW && power_full(gpu, NULL, false)))
		return GV_PASS;
	f = gv_found(j, memory ? GV_K_MEMORY_BOUND : GV_K_COMPUTE_BOUND, gpu);
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "sm", "%.0f %%", sm);
	gv_set(j, f, "mem", "%.0f %%", mem);
	gv_quote_fact(f, gpu, GV_F_GPU_SM_UTIL);
	gv_quote_fact(f, gpu, GV_F_GPU_MEM_UTIL);
	if (!memory)
		power_full(gpu, &f, true);
	return GV_FOUND;
}

const struct gv_check gv_check_gpu_limit = {
	.id = "gpu-limit",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
