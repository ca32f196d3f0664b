/* SPDX-License-Identifier: Apache-2.0 */
/* GPUDirect RDMA that is not used: the library says that it is disabled, or the channels of an InfiniBand job go through
 * host memory. By distance, or on a card without it, that is by design. */
#include "check/common_net.h"

/* Consumer cards do not offer their memory to NICs. */
static bool has_none(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		if (gv_has(gv_text(e, GV_F_GPU_NAME), "GeForce") || gv_has(gv_text(e, GV_F_GPU_NAME), "TITAN"))
			return true;
	return false;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-gdr-off", node, ev));) {
		struct gv_finding *f;

		if (gv_has_nocase(ev->cap[2], "distance")) /* the topology's own limit: gpu-nic-distance */
			continue;
		f = gv_found_event(j, GV_K_GDR_MISSING, ev);
		gv_set_str(j, f, "what", ev->cap[1]);
		gv_set_str(j, f, "why", ev->cap[2]);
		any = true;
	}
	return any;
}

/* The module that would bring it does not fit the driver or the RDMA stack. */
static bool by_module(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "peermem-symbols", node, ev));) {
		gv_set(j, gv_found_event(j, GV_K_GDR_MISSING, ev), "why", "%.*s does not fit: symbol %.*s", GV_ARG(ev->cap[1]),
		       GV_ARG(ev->cap[2]));
		any = true;
	}
	return any;
}

static const struct gv_event *infiniband(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nccl-net-ib", node, ev));)
		if (gv_has(ev->cap[1], "/IB") && !gv_has(ev->cap[1], "/RoCE"))
			return ev;
	return NULL;
}

/* Channels to another machine via an HCA, none of them marked GDRDMA. RoCE is left out: many such networks are not meant
 * for it. */
static bool by_channels(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *ib = infiniband(j->run, node), *plain = NULL;
	struct gv_finding *f;

	for (struct gv_event *ev = NULL; ib && (ev = gv_each_event(j->run, "nccl-channel", node, ev));) {
		if (gv_has(ev->cap[1], "GDRDMA"))
			return false;
		if (!plain && gv_starts(ev->cap[1], "NET/IB"))
			plain = ev;
	}
	if (!plain)
		return false;
	f = gv_found_event(j, GV_K_GDR_MISSING, plain);
	f->confidence = GV_MEDIUM;
	gv_quote(f, ib->first);
	gv_set(j, f, "why", "channels go via %.*s without GDRDMA", GV_ARG(plain->cap[1]));
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any;

	if (gv_job_span(j->run, node, NULL) == GV_SPAN_ONE || has_none(j->run, node))
		return GV_NA;
	any = by_module(j, node);
	any |= by_lines(j, node);
	any = any || by_channels(j, node);
	return any ? GV_FOUND : gv_each_event(j->run, "nccl-net-ib", node, NULL) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_gdr = {
	.id = "gdr",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
