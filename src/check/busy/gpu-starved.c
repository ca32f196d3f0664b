/* SPDX-License-Identifier: Apache-2.0 */
/* A job holds the GPU and the GPU mostly waits. GPU-Util that is high proves nothing; one that stays low does: no kernel
 * ran. A single look may fall into a gap, so it needs something else that is seen at its end. */
#include "check/common_load.h"

#define DATA_STEPS 3	/* so many lines of the log */
#define POWER_LOW 0.6	/* of the limit */
#define POWER_HIGH 0.75 /* of the limit: who draws as much works, whatever the samples say */
#define POWER_HOLLOW 0.22 /* of the limit: kernels that run all the time and draw as little compute next to nothing */
#define CLOCK_UP 0.5	/* of the highest: below it the clocks explain the power */

enum {
	HOLLOW_BUSY = 95,  /* % */
	HOLLOW_BOARD = 200, /* W: of a smaller board the share of what it draws at rest is too large to tell */
};

static void say_numbers(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *gpu, const struct gv_use *use)
{
	double v;

	gv_set(j, f, "busy", "%.0f %%", use->busy);
	gv_quote_fact(f, gpu, use->fact);
	if (gv_num(gpu, GV_F_GPU_POWER, &v)) {
		gv_set(j, f, "power", "%.0f W", v);
		gv_quote_fact(f, gpu, GV_F_GPU_POWER);
	}
	if (gv_num(gpu, GV_F_GPU_PCIE_RX, &v))
		gv_set(j, f, "rx", "%.0f MB/s", v);
	if (gv_num(gpu, GV_F_GPU_MEM_USED, &v))
		gv_set(j, f, "memory", "%.0f MiB", v);
}

/* GPU-Util says that some kernel ran all the time, power says that it did next to nothing: it polls, waits for a peer, or is
 * tiny. A contradiction that is said; which of these it is cannot be told from it. */
static bool hollow(struct gv_judge *j, const struct gv_entity *gpu, const struct gv_use *use)
{
	const struct gv_obs *util = gv_obs(gpu, use->fact), *draw = gv_obs(gpu, GV_F_GPU_POWER);
	double power, limit, clk, max;
	struct gv_finding *f;

	if (use->busy < HOLLOW_BUSY || !util || !draw || util->block != draw->block || !gv_num(gpu, GV_F_GPU_POWER, &power) ||
	    !gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) || limit < HOLLOW_BOARD || power <= 0 || power > limit * POWER_HOLLOW ||
	    gv_gpu_asleep(gpu))
		return false;
	if (gv_num(gpu, GV_F_GPU_CLK_SM, &clk) && gv_num(gpu, GV_F_GPU_CLK_MAX_SM, &max) && clk < max * CLOCK_UP)
		return false;
	f = gv_found(j, GV_K_GPU_STARVED, gpu);
	f->severity = GV_NOTE;
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "hollow", "GPU-Util says %.0f %% while it draws %.0f W of %.0f W", use->busy, power, limit);
	gv_quote_fact(f, gpu, use->fact);
	gv_quote_fact(f, gpu, GV_F_GPU_POWER);
	return true;
}

static enum gv_answer run_gpu(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_use use = gv_gpu_use(j->run, gpu);
	double power, limit, share = gv_data_share(gpu->node);
	struct gv_finding *f;

	if (use.load == GV_LOAD_UNKNOWN)
		return GV_NODATA;
	if (use.load == GV_LOAD_IDLE)
		return GV_NA;
	if (hollow(j, gpu, &use))
		return GV_FOUND;
	if (use.load != GV_LOAD_LOW)
		return use.series ? GV_PASS : GV_NODATA;
	/* a server without requests does not starve, and MIG slices hide what the whole GPU does */
	if (gv_gpu_serves(j->run, gpu) || gv_is(gv_text(gpu, GV_F_GPU_MIG), "Enabled"))
		return GV_NA;
	if (!use.series && !gv_feed_limited(j->run, gpu->node))
		return GV_NODATA;
	if (gv_num(gpu, GV_F_GPU_POWER, &power) && gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) && power > limit * POWER_HIGH)
		return GV_PASS;
	f = gv_found(j, GV_K_GPU_STARVED, gpu);
	f->confidence = GV_MEDIUM;
	if (use.series && gv_num(gpu, GV_F_GPU_POWER, &power) && gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) &&
	    power < limit * POWER_LOW)
		f->confidence = GV_HIGH; /* utilisation and power say the same */
	say_numbers(j, f, gpu, &use);
	if (share >= gv_threshold_part(j->run, GV_T_DATA_WAIT)) {
		f->confidence = GV_HIGH;
		gv_set(j, f, "wait", "%.0f %%", share * 100);
		gv_quote_fact(f, gpu->node, GV_F_JOB_DATA_TIME);
	}
	return GV_FOUND;
}

const struct gv_check gv_check_gpu_starved = {
	.id = "gpu-starved",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.core = "GPU use over time",
	.run = run_gpu,
	.next_run = "nvidia-smi dmon -s pucvmet -d 1 -c 30",
	.next_why = "a series of SM use, power and PCIe traffic tells a GPU at work from one that waits; GPU-Util does not",
};
