/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of two machines that use different numbers of HCAs: channels on the one that the peer lacks wait for ever. */
#include "check/common_net.h"

/* "[0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:...": entries with a number in brackets. */
static size_t count_hcas(gv_str list)
{
	gv_str rest = list;
	size_t n = 0;

	while ((rest = gv_after(rest, "[")).p && n < 64)
		n += rest.n && rest.p[0] >= '0' && rest.p[0] <= '9';
	return n;
}

static void told(struct gv_judge *j, struct gv_finding *f, const struct gv_event *less, size_t n, size_t other)
{
	const struct gv_event *denied = gv_each_event(j->run, "nccl-no-device", less->node, NULL);

	gv_set(j, f, "hcas", "%zu", n);
	gv_set(j, f, "others", "%zu", other);
	if (denied) {
		gv_quote(f, denied->first);
		gv_set_str(j, f, "denied", denied->cap[1]);
	}
}

/* Another machine's set that is larger; told once, on the node that has fewer. */
static bool other_node(struct gv_judge *j, const struct gv_event *mine, bool *ret_compared)
{
	size_t n = count_hcas(mine->cap[1]);
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-net-ib", NULL, ev));) {
		size_t other = count_hcas(ev->cap[1]);
		struct gv_finding *f;

		if (ev->node == mine->node || !other)
			continue;
		*ret_compared = true;
		if (n >= other)
			continue;
		f = gv_found_event(j, GV_K_HCA_SET_MISMATCH, mine);
		gv_quote(f, ev->first);
		told(j, f, mine, n, other);
		any = true;
	}
	return any;
}

/* Logs of one node, or of several that nothing tells apart: ranks of one machine may have a set each, so this is less
 * sure. */
static bool same_node(struct gv_judge *j, const struct gv_event *mine)
{
	size_t least = count_hcas(mine->cap[1]), most = least;
	const struct gv_event *less = mine, *more = mine;
	struct gv_finding *f;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-net-ib", mine->node, ev));) {
		size_t n[2] = { count_hcas(ev->cap[1]), count_hcas(ev->last_cap[1]) };

		for (size_t i = 0; i < 2; i++) {
			if (!n[i])
				continue;
			if (n[i] < least) {
				least = n[i];
				less = ev;
			}
			if (n[i] > most) {
				most = n[i];
				more = ev;
			}
		}
	}
	if (least == most)
		return false;
	f = gv_found_event(j, GV_K_HCA_SET_MISMATCH, less);
	f->severity = GV_WARN;
	f->confidence = GV_MEDIUM;
	gv_quote(f, more->first);
	told(j, f, less, least, most);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *mine = gv_each_event(j->run, "nccl-net-ib", node, NULL);
	bool compared = false;

	if (!mine || !count_hcas(mine->cap[1]))
		return GV_NA;
	if (other_node(j, mine, &compared) || same_node(j, mine))
		return GV_FOUND;
	return compared ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_hca_set = {
	.id = "hca-set",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
