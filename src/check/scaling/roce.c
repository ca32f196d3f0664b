/* SPDX-License-Identifier: Apache-2.0 */
/* RoCE with the wrong entry of the GID table. Before 2.21 NCCL took entry 0 unless told otherwise: a link-local address of
 * RoCE v1, which no router passes on. Connections are made over TCP and look well; the first transfer is never answered
 * (completion error 12). */
#include "check/common_net.h"

#define CHOOSES_ITSELF "2.21" /* NCCL release notes 2.21: the GID index is chosen dynamically */

/* Entries 0 and 1 hold the link-local address on common adapters (RoCE v1 and v2). */
static bool link_local_index(gv_str v)
{
	return gv_is(v, "0") || gv_is(v, "1");
}

static const struct gv_event *on_roce(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nccl-net-ib", node, ev));)
		if (gv_has(ev->cap[1], "/RoCE"))
			return ev;
	return NULL;
}

/* An entry of the table that is empty or of the other version: the driver says so itself. */
static bool by_modify_qp(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-modify-qp", node, ev));) {
		if (!gv_is(ev->cap[1], "No data available"))
			continue;
		gv_set_str(j, gv_found_event(j, GV_K_ROCE_GID_INDEX, ev), "why", ev->cap[1]);
		any = true;
	}
	return any;
}

static bool by_timeout(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *ev = gv_each_event(j->run, "nccl-ib-12", node, NULL), *roce = on_roce(j->run, node);
	const struct gv_event *version = gv_each_event(j->run, "nccl-version", node, NULL);
	const struct gv_entity *set = gv_by_id(j->run, GV_VAR, node, GV_STR("NCCL_IB_GID_INDEX"));
	gv_str index = set ? gv_text(set, GV_F_VAR_VALUE) : GV_NONE;
	struct gv_finding *f;

	if (!ev || !roce || gv_port_failed(j->run))
		return false;
	if (index.n ? !link_local_index(index) : !version || gv_cmp_version(version->cap[1], GV_STR(CHOOSES_ITSELF)) >= 0)
		return false;
	f = gv_found_event(j, GV_K_ROCE_GID_INDEX, ev);
	f->confidence = GV_MEDIUM;
	gv_quote(f, roce->first);
	if (index.n) {
		gv_quote_fact(f, set, GV_F_VAR_VALUE);
		gv_set_str(j, f, "index", index);
	} else {
		gv_quote(f, version->first);
		gv_set_str(j, f, "version", version->cap[1]);
		gv_set_str(j, f, "index", GV_STR("0"));
	}
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_modify_qp(j, node);

	any |= by_timeout(j, node);
	return any ? GV_FOUND : on_roce(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_roce = {
	.id = "roce",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
	.next_run = "show_gids; env | grep NCCL_IB_GID_INDEX",
	.next_why = "which address RoCE traffic uses",
};
