/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks far below the highest while the GPU works and neither power nor heat is at a limit: something else holds them.
 * GeForce cards run compute work in P2 with lower memory clocks by design; that is none. */
#include "check/common_load.h"

#define LOW_CLOCK 0.7	/* of the highest: no board of gpu-specs.tsv runs that low with power and heat to spare */
#define POWER_SPARE 0.8 /* of the limit */
#define APP_LOW 0.8	/* Tesla boards leave the works with application clocks of 0.82 and more of the highest (V100) */

enum {
	WORKS = 80, /* %: the GPU has work nearly always */
	WARM = 80,  /* C: heat may play a part from here */
};

static bool other_reason(const struct gv_entity *gpu)
{
	static const enum gv_fact reasons[] = { GV_F_GPU_CAP_HW, GV_F_GPU_CAP_HW_THERMAL, GV_F_GPU_CAP_SW_THERMAL,
						GV_F_GPU_CAP_BRAKE, GV_F_GPU_CAP_POWER, GV_F_GPU_CAP_SYNC };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (gv_flag_share(gpu, reasons[i]) > 0)
			return true;
	return false;
}

static struct gv_finding *made(struct gv_judge *j, const struct gv_entity *gpu, double clk, double max)
{
	struct gv_finding *f = gv_found(j, GV_K_CLOCKS_CAPPED, gpu);

	gv_set_num(j, f, "clock", clk);
	gv_set_num(j, f, "max", max);
	gv_quote_fact(f, gpu, GV_F_GPU_CLK_SM);
	gv_quote_fact(f, gpu, GV_F_GPU_CLK_MAX_SM);
	return f;
}

static bool by_setting(struct gv_judge *j, const struct gv_entity *gpu, double clk, double max)
{
	struct gv_finding *f;
	double app;

	if (gv_flag_share(gpu, GV_F_GPU_CAP_APP) < 0.5)
		return false;
	f = made(j, gpu, clk, max);
	gv_quote_fact(f, gpu, GV_F_GPU_CAP_APP);
	gv_set(j, f, "reason", "Applications Clocks Setting");
	if (gv_num(gpu, GV_F_GPU_CLK_APP_SM, &app))
		gv_set_num(j, f, "app", app);
	if (clk >= max * APP_LOW)
		f->severity = GV_NOTE;
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_use use = gv_gpu_use(j->run, gpu);
	double clk, max, power, limit, temp;
	struct gv_finding *f;

	if (!gv_num(gpu, GV_F_GPU_CLK_SM, &clk) || !gv_num(gpu, GV_F_GPU_CLK_MAX_SM, &max) || max <= 0)
		return GV_NODATA;
	if (isnan(use.busy) || use.busy < WORKS || gv_flag(gpu, GV_F_GPU_CAP_IDLE))
		return GV_NA;
	if (by_setting(j, gpu, clk, max))
		return GV_FOUND;
	if (clk >= max * LOW_CLOCK || other_reason(gpu))
		return GV_PASS;
	if (!gv_num(gpu, GV_F_GPU_POWER, &power) ||
	    (!gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) && !gv_num(gpu, GV_F_GPU_POWER_DEFAULT, &limit)) ||
	    power > limit * POWER_SPARE || (gv_num(gpu, GV_F_GPU_TEMP, &temp) && temp >= WARM))
		return GV_PASS;
	f = made(j, gpu, clk, max);
	f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "power", power);
	gv_set_num(j, f, "limit", limit);
	gv_quote_fact(f, gpu, GV_F_GPU_POWER);
	return GV_FOUND;
}

const struct gv_check gv_check_clocks_capped = {
	.id = "clocks-capped",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
