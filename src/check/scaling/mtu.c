/* SPDX-License-Identifier: Apache-2.0 */
/* The same port of two machines with different MTUs: large frames of one are lost at the other, RDMA connections of
 * different path MTUs fail. It is a fault only between machines that work together; of others it is told as a note. */
#include "check/common_net.h"

static bool carries(const struct gv_entity *nic)
{
	bool link;

	return !gv_nic_virtual(nic->id) && gv_num(nic, GV_F_NIC_MTU, &(double){ 0 }) &&
	       gv_flag_known(nic, GV_F_NIC_LINK, &link) && link;
}

/* Ports and machines that are compared at most. */
enum { PORTS = 256, PEERS = 64, STALLED = 1000000 /* B/s: below 1 % of the slowest link that is looked at */ };

/* A transfer between machines came to a stand although segments were sent again: what small frames can do, full ones
 * cannot. */
static const struct gv_entity *stalled(const struct gv_run *run)
{
	double rate, again;

	for (struct gv_entity *t = NULL; (t = gv_each(run, GV_TEST, NULL, t));)
		if (gv_is(gv_text(t, GV_F_TEST_TOOL), "iperf3") && gv_num(t, GV_F_TEST_BW, &rate) && rate < STALLED &&
		    gv_num(t, GV_F_TEST_RETRANS, &again) && again > 0)
			return t;
	return NULL;
}

static bool compare(struct gv_judge *j, const struct gv_entity *nic, const struct gv_entity *peer)
{
	gv_str host = gv_text(peer->node, GV_F_HOSTNAME);
	const struct gv_entity *test = stalled(j->run);
	struct gv_finding *f;
	double mtu, other;

	if (!gv_num(nic, GV_F_NIC_MTU, &mtu) || !gv_num(peer, GV_F_NIC_MTU, &other) || other <= mtu)
		return false; /* told once, at the end with the smaller one */
	f = gv_found(j, GV_K_MTU_MISMATCH, nic);
	if (!test && !gv_has_collective_log(j->run, NULL))
		f->severity = GV_NOTE;
	f->confidence = GV_MEDIUM;
	gv_quote_fact(f, nic, GV_F_NIC_MTU);
	gv_quote_fact(f, peer, GV_F_NIC_MTU);
	if (test)
		gv_quote_fact(f, test, GV_F_TEST_BW);
	gv_set_num(j, f, "mtu", mtu);
	gv_set_num(j, f, "other_mtu", other);
	gv_set_str(j, f, "other", host.n ? host : peer->node->id);
	return true;
}

/* Two looks at a port of one name with two MTUs: it was changed, or the outputs are of two machines that nothing tells
 * apart. Beside transfers that fail it is worth a look. */
static bool two_looks(struct gv_judge *j, const struct gv_entity *nic)
{
	const struct gv_event *ev = gv_each_event(j->run, "nccl-ib-other", nic->node, NULL);
	const struct gv_entity *test = stalled(j->run);
	const struct gv_obs *old, *new;
	struct gv_finding *f;

	ev = ev ? ev : gv_each_event(j->run, "nccl-ib-12", nic->node, NULL);
	if ((!ev && !test) || !gv_two_looks(nic, GV_F_NIC_MTU, &old, &new) || old->num == new->num)
		return false;
	f = gv_found(j, GV_K_MTU_MISMATCH, nic);
	f->confidence = GV_LOW;
	gv_quote(f, new->at);
	gv_quote(f, old->at);
	if (ev)
		gv_quote(f, ev->first);
	else
		gv_quote_fact(f, test, GV_F_TEST_BW);
	gv_set_num(j, f, "mtu", new->num);
	gv_set_num(j, f, "other_mtu", old->num);
	gv_set_str(j, f, "other", GV_STR("another look"));
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	size_t ports = 0, peers;
	bool compared = false, any = false;

	for (struct gv_entity *nic = NULL; ports < PORTS && (nic = gv_each(j->run, GV_NIC, node, nic)); ports++) {
		if (!carries(nic))
			continue;
		if (two_looks(j, nic)) {
			any = true;
			continue;
		}
		peers = 0;
		for (struct gv_entity *n = NULL; peers < PEERS && (n = gv_each(j->run, GV_NODE, NULL, n)); peers++) {
			const struct gv_entity *peer = n == node ? NULL : gv_by_id(j->run, GV_NIC, n, nic->id);

			if (!peer || !carries(peer))
				continue;
			compared = true;
			any |= compare(j, nic, peer);
		}
	}
	return any ? GV_FOUND : compared ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_mtu = {
	.id = "mtu",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
