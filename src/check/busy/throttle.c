/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks cut by heat or by the power brake. */
#include "check/common_load.h"

enum {
	COOL = 75, /* C: far from any slowdown temperature there (87 and more) */
};

#define MOSTLY 0.5 /* a reason that shows in fewer looks comes and goes, as it may at a change of the clocks */

static void set_temp(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *gpu)
{
	double t, now;

	if (!gv_num(gpu, GV_F_GPU_TEMP, &t))
		return;
	gv_set_num(j, f, "temp", t);
	gv_quote_fact(f, gpu, GV_F_GPU_TEMP);
	if (gv_num(gpu, GV_F_GPU_TEMP_SLOWDOWN, &t))
		gv_set_num(j, f, "limit", t);
	/* the driver keeps the GPU below its highest operating temperature, which a platform may have set low */
	if (gv_num(gpu, GV_F_GPU_TEMP, &now) && gv_num(gpu, GV_F_GPU_TEMP_MAX_OP, &t) && t > 0 && now >= t - 2) {
		gv_set_num(j, f, "limit", t);
		gv_quote_fact(f, gpu, GV_F_GPU_TEMP_MAX_OP);
	}
}

/* The sample in which the flag was set, to be quoted. */
static void quote_active(struct gv_finding *f, const struct gv_entity *gpu, enum gv_fact fact)
{
	const struct gv_obs *v[64];
	size_t n = gv_series(gpu, fact, v, 64);

	for (size_t i = n; i-- > 0;)
		if (v[i]->num != 0) {
			gv_quote(f, v[i]->at);
			return;
		}
	gv_quote_fact(f, gpu, fact);
}

static bool by_reason(struct gv_judge *j, const struct gv_entity *gpu, enum gv_kind kind, enum gv_fact fact, const char *reason,
		      bool mild)
{
	double share = gv_flag_share(gpu, fact);
	struct gv_finding *f;

	if (share <= 0)
		return false;
	f = gv_found(j, kind, gpu);
	quote_active(f, gpu, fact);
	gv_set(j, f, "reason", "%s", reason);
	if (share < 1)
		gv_set(j, f, "share", "%.0f %%", share * 100);
	set_temp(j, f, gpu);
	if (share < MOSTLY)
		f->severity = mild ? GV_NOTE : GV_WARN;
	else if (mild)
		f->severity = GV_WARN;
	return true;
}

/* HW Slowdown alone: old drivers print no line for heat and brake below it. */
static bool by_parent(struct gv_judge *j, const struct gv_entity *gpu)
{
	bool sub = gv_flag_share(gpu, GV_F_GPU_CAP_HW_THERMAL) >= 0 && gv_flag_share(gpu, GV_F_GPU_CAP_BRAKE) >= 0;
	struct gv_finding *f;
	double temp = NAN, limit;
	bool hot;

	if (gv_flag_share(gpu, GV_F_GPU_CAP_HW) < MOSTLY || gv_flag(gpu, GV_F_GPU_CAP_IDLE))
		return false;
	gv_num(gpu, GV_F_GPU_TEMP, &temp);
	hot = temp >= gv_threshold(j->run, GV_T_GPU_HOT) || (gv_num(gpu, GV_F_GPU_TEMP_SLOWDOWN, &limit) && temp >= limit - 3);
	if (!hot && !sub && !(temp < COOL))
		return false; /* heat or brake: it cannot be told */
	f = gv_found(j, hot ? GV_K_THROTTLE_THERMAL : GV_K_THROTTLE_POWER, gpu);
	f->confidence = GV_MEDIUM;
	if (!hot)
		f->severity = GV_WARN;
	quote_active(f, gpu, GV_F_GPU_CAP_HW);
	gv_set(j, f, "reason", "HW Slowdown");
	set_temp(j, f, gpu);
	return true;
}

/* No reason is printed, but the temperature is at the limit at which clocks are cut. */
static bool by_temperature(struct gv_judge *j, const struct gv_entity *gpu)
{
	double temp, limit, margin;
	struct gv_finding *f;
	bool at_limit = gv_num(gpu, GV_F_GPU_TEMP, &temp) && gv_num(gpu, GV_F_GPU_TEMP_SLOWDOWN, &limit) && limit > 60 &&
			temp >= limit;

	if (!at_limit && !(gv_num(gpu, GV_F_GPU_TEMP_MARGIN, &margin) && margin <= 0 && margin > -60 &&
			   gv_num(gpu, GV_F_GPU_TEMP, &temp) && temp >= COOL))
		return false;
	f = gv_found(j, GV_K_THROTTLE_THERMAL, gpu);
	f->confidence = GV_MEDIUM;
	set_temp(j, f, gpu);
	gv_quote_fact(f, gpu, at_limit ? GV_F_GPU_TEMP_SLOWDOWN : GV_F_GPU_TEMP_MARGIN);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	bool known = gv_flag_share(gpu, GV_F_GPU_CAP_HW) >= 0 || gv_flag_share(gpu, GV_F_GPU_CAP_HW_THERMAL) >= 0 ||
		     gv_flag_share(gpu, GV_F_GPU_CAP_SW_THERMAL) >= 0 || gv_flag_share(gpu, GV_F_GPU_CAP_BRAKE) >= 0;
	bool heat = by_reason(j, gpu, GV_K_THROTTLE_THERMAL, GV_F_GPU_CAP_HW_THERMAL, "HW Thermal Slowdown", false) ||
		    by_reason(j, gpu, GV_K_THROTTLE_THERMAL, GV_F_GPU_CAP_SW_THERMAL, "SW Thermal Slowdown", true);
	bool brake = by_reason(j, gpu, GV_K_THROTTLE_POWER, GV_F_GPU_CAP_BRAKE, "HW Power Brake Slowdown", false);

	if (heat || brake || by_parent(j, gpu))
		return GV_FOUND;
	if (!known && by_temperature(j, gpu))
		return GV_FOUND;
	return known ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_throttle = {
	.id = "throttle",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
	.next_run = "nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK",
	.next_why = "to see whether heat, power or a setting holds the clocks down",
};
