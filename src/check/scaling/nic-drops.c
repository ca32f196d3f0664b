/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that are lost now: what a counter gained between two looks, as a share of the packets of that time. A counter
 * that is not zero says only that something was lost since the machine was started. */
#include "check/common_net.h"

enum {
	CARRIED = 10000, /* packets between the looks: the interface worked */
};

/* rx_dropped also counts frames that nobody listens to (LLDP, unknown VLANs): its share is one that such a trickle does not
 * reach while traffic flows. */
static const struct counter {
	enum gv_fact lost, carried;
	const char *name;
	enum gv_threshold share;
} counters[] = {
	{ GV_F_NIC_RX_MISSED, GV_F_NIC_RX_PACKETS, "received and missed by the ring", GV_T_NIC_MISSED },
	{ GV_F_NIC_RX_ERRORS, GV_F_NIC_RX_PACKETS, "received with errors", GV_T_NIC_MISSED },
	{ GV_F_NIC_RX_DROPPED, GV_F_NIC_RX_PACKETS, "received and dropped", GV_T_NIC_DROPPED },
	{ GV_F_NIC_TX_ERRORS, GV_F_NIC_TX_PACKETS, "to be sent and failed", GV_T_NIC_MISSED },
	{ GV_F_NIC_TX_DROPPED, GV_F_NIC_TX_PACKETS, "to be sent and dropped", GV_T_NIC_DROPPED },
};

/* Growth between the two newest looks of one tool; false where there are not two, or the counter was set back. */
static bool growth(const struct gv_entity *nic, enum gv_fact f, double *ret, const struct gv_obs **ret_old,
		   const struct gv_obs **ret_new)
{
	if (!gv_two_looks(nic, f, ret_old, ret_new) || !(*ret_old)->block || !(*ret_new)->block ||
	    (*ret_old)->block->format != (*ret_new)->block->format || (*ret_new)->num < (*ret_old)->num)
		return false;
	*ret = (*ret_new)->num - (*ret_old)->num;
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *nic)
{
	bool looked = false;

	if (gv_nic_virtual(nic->id))
		return GV_NA;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const struct counter *c = &counters[i];
		const struct gv_obs *old, *new, *po, *pn;
		double lost, carried, share, apart;
		struct gv_finding *f;

		if (!growth(nic, c->carried, &carried, &po, &pn) || !growth(nic, c->lost, &lost, &old, &new))
			continue;
		looked = true;
		share = lost + carried > 0 ? lost / (lost + carried) : 0;
		if (lost < gv_threshold(j->run, GV_T_NIC_LOST) || carried < CARRIED || share < gv_threshold_part(j->run, c->share))
			continue;
		f = gv_found(j, GV_K_NIC_DROPS, nic);
		gv_quote(f, new->at);
		gv_quote(f, old->at);
		gv_set_str(j, f, "what", gv_str_of(c->name));
		gv_set_num(j, f, "lost", lost);
		gv_set_num(j, f, "carried", carried);
		if (gv_seconds(old, new, &apart))
			gv_set(j, f, "over", "%.3g s", apart);
		gv_set(j, f, "share", share >= 0.01 ? "%.1f %%" : "%.2g %%", share * 100);
		return GV_FOUND;
	}
	return looked ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_nic_drops = {
	.id = "nic-drops",
	.stage = GV_STAGE_SCALING,
	.over = GV_NIC,
	.needs = { GV_FACTS },
	.run = run,
};
