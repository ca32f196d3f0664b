/* SPDX-License-Identifier: Apache-2.0 */
/* A port that carries all that it can: bytes between two dated looks against its speed. */
#include "check/common_net.h"

/* Share of the speed: counters hold the frames without preamble and gap, 97 to 99 % of the wire at full load. */
#define FULL 0.9
/* Seconds between the looks: a shorter time is not told exactly enough by stamps of whole seconds. */
#define APART 5

static double rate_of(const struct gv_entity *nic, enum gv_fact f, const struct gv_obs **ret_new)
{
	const struct gv_obs *old, *new;
	double dt;

	if (!gv_two_looks(nic, f, &old, &new) || !old->block || !new->block || old->block->format != new->block->format)
		return NAN;
	if (old->block->when.clock == GV_CLOCK_NONE || old->block->when.clock != new->block->when.clock)
		return NAN;
	dt = new->block->when.t - old->block->when.t;
	if (dt < APART || new->num < old->num)
		return NAN;
	*ret_new = new;
	return (new->num - old->num) * 8 / dt / 1e6;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *nic)
{
	static const enum gv_fact ways[] = { GV_F_NIC_RX_BYTES, GV_F_NIC_TX_BYTES };
	bool looked = false, link, any = false;
	double speed;

	if (gv_nic_virtual(nic->id) || (gv_flag_known(nic, GV_F_NIC_LINK, &link) && !link))
		return GV_NA;
	gv_num(nic, GV_F_NIC_SPEED, &speed);
	for (size_t i = 0; i < 2 && speed > 0; i++) {
		const struct gv_obs *at = NULL;
		double rate = rate_of(nic, ways[i], &at);
		struct gv_finding *f;

		looked |= !isnan(rate);
		if (isnan(rate) || rate < speed * FULL || rate > speed * 1.05)
			continue;
		f = gv_found(j, GV_K_NIC_SATURATED, nic);
		f->confidence = GV_MEDIUM;
		gv_quote(f, at->at);
		gv_quote_fact(f, nic, GV_F_NIC_SPEED);
		gv_set_str(j, f, "way", i ? GV_STR("sends") : GV_STR("receives"));
		gv_set(j, f, "rate", "%.1f Gbit/s", rate / 1000);
		gv_set(j, f, "speed", "%.0f Gbit/s", speed / 1000);
		any = true;
	}
	return any ? GV_FOUND : looked ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_nic_saturated = {
	.id = "nic-saturated",
	.stage = GV_STAGE_SCALING,
	.over = GV_NIC,
	.needs = { GV_F_NIC_SPEED, GV_FACTS },
	.run = run,
};
