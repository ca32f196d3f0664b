/* SPDX-License-Identifier: Apache-2.0 */
/* A software power limit holds the clocks. At the card's own limit that is how a GPU at full work looks; below it somebody
 * set it. */
#include "check/common_load.h"

#define SET_BELOW 0.98 /* of the default limit: rounding of the tools is below 1 W */
#define COLLAPSED 0.5  /* of the highest clock: full work at the card's own limit runs at 0.6 and more ... */
#define FRUGAL 0.3     /* ... but boards of 70 W (T4, L4) run at 0.35 and more by design */
#define AT_LIMIT 0.95  /* of the limit in force */
#define FAR_BELOW 0.7  /* of the limit: the draw is an average, the cap acts on peaks */

enum {
	FRUGAL_BOARD = 150, /* W */
	WORKS = 50,	    /* % */
};

static bool default_limit(const struct gv_entity *gpu, double *ret, bool *ret_table)
{
	size_t row;

	*ret_table = false;
	if (gv_num(gpu, GV_F_GPU_POWER_DEFAULT, ret) && *ret > 0)
		return true;
	row = gv_gpu_spec(gv_text(gpu, GV_F_GPU_NAME));
	*ret_table = true;
	return row != SIZE_MAX && gv_cell_num(gv_table("gpu-specs"), row, "default_power_w", ret) && *ret > 0;
}

/* Nothing runs on it. Some drivers call the state of an idle GPU a power cap. */
static bool idle(const struct gv_run *run, const struct gv_entity *gpu)
{
	struct gv_use use = gv_gpu_use(run, gpu);

	return gv_flag(gpu, GV_F_GPU_CAP_IDLE) || gv_gpu_asleep(gpu) || use.load == GV_LOAD_IDLE ||
	       (use.busy < 3 && use.load <= GV_LOAD_LOW);
}

/* Held far below what its own limit allows while it works: from outside (board, rack, a shared budget). */
static bool held_from_outside(const struct gv_run *run, const struct gv_entity *gpu, double power, double limit)
{
	const struct gv_obs *draw = gv_obs(gpu, GV_F_GPU_POWER), *cap = gv_obs(gpu, GV_F_GPU_CAP_POWER);

	/* of one look: at another moment the GPU may have rested */
	return limit > 0 && power < limit * FAR_BELOW && draw && cap && draw->block == cap->block &&
	       gv_gpu_use(run, gpu).busy >= WORKS;
}

static bool collapsed(const struct gv_run *run, const struct gv_entity *gpu, double limit, double *ret_clk, double *ret_max)
{
	double share = limit > 0 && limit < FRUGAL_BOARD ? FRUGAL : COLLAPSED;

	return gv_num(gpu, GV_F_GPU_CLK_SM, ret_clk) && gv_num(gpu, GV_F_GPU_CLK_MAX_SM, ret_max) && *ret_clk < *ret_max * share &&
	       gv_gpu_use(run, gpu).load == GV_LOAD_FULL;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	double share = gv_flag_share(gpu, GV_F_GPU_CAP_POWER), power = NAN, limit = NAN, own = NAN, clk, max;
	bool table = false, set_low;
	struct gv_finding *f;

	gv_num(gpu, GV_F_GPU_POWER, &power);
	gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit);
	if (share < 0 && (isnan(power) || isnan(limit)))
		return GV_NODATA;
	set_low = default_limit(gpu, &own, &table) && limit > 0 && limit < own * SET_BELOW;
	if (idle(j->run, gpu) || (share < 0 && power < limit * AT_LIMIT)) {
		if (!set_low || table)
			return GV_PASS;
		/* nothing is slowed now; what comes will be */
		f = gv_found(j, GV_K_POWER_CAP, gpu);
		f->severity = GV_NOTE;
		gv_set_num(j, f, "limit", limit);
		gv_set_num(j, f, "own", own);
		gv_set(j, f, "rests", "it is not reached now");
		gv_quote_fact(f, gpu, GV_F_GPU_POWER_LIMIT);
		gv_quote_fact(f, gpu, GV_F_GPU_POWER_DEFAULT);
		return GV_FOUND;
	}
	/* The driver's own word first; without it only a limit that was lowered and is reached says something. */
	if (share < 0 && !(set_low && !table && power >= limit * AT_LIMIT))
		return GV_PASS;
	if (share >= 0 && share < 0.5)
		return GV_PASS;
	f = gv_found(j, GV_K_POWER_CAP, gpu);
	f->confidence = share < 0 || (set_low && table) ? GV_MEDIUM : GV_HIGH;
	gv_quote_fact(f, gpu, share >= 0 ? GV_F_GPU_CAP_POWER : GV_F_GPU_POWER);
	gv_quote_fact(f, gpu, GV_F_GPU_POWER_LIMIT);
	if (!isnan(power))
		gv_set_num(j, f, "power", power);
	if (!isnan(limit))
		gv_set_num(j, f, "limit", limit);
	if (set_low) {
		f->severity = GV_WARN;
		gv_set_num(j, f, "own", own);
		gv_quote_fact(f, gpu, GV_F_GPU_POWER_DEFAULT);
	} else if (held_from_outside(j->run, gpu, power, limit)) {
		f->severity = GV_WARN;
		f->confidence = GV_MEDIUM;
		gv_set(j, f, "outside", "well below its own limit");
		gv_quote_fact(f, gpu, GV_F_GPU_POWER);
	}
	if (collapsed(j->run, gpu, limit, &clk, &max)) {
		f->severity = GV_WARN;
		gv_set_num(j, f, "clock", clk);
		gv_set_num(j, f, "max", max);
		gv_quote_fact(f, gpu, GV_F_GPU_CLK_SM);
	}
	return GV_FOUND;
}

const struct gv_check gv_check_power_cap = {
	.id = "power-cap",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
