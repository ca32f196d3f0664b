/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives over TCP where the node has an RDMA device. Without such a device, and between the GPUs of one machine, the
 * same lines are normal: libibverbs that is missing, "No device found", "Using network Socket". */
#include "check/common_net.h"

/* A line that says that this node's ranks use sockets. */
static const struct gv_event *socket_line(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const sigs[] = { "nccl-socket", "nccl-no-ib", "nccl-net-socket" };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		const struct gv_event *ev = gv_each_event(run, sigs[i], node, NULL);

		if (ev)
			return ev;
	}
	return NULL;
}

/* Why the library passes the device by, where something says so. */
static void tell_why(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node)
{
	const struct gv_entity *off = gv_by_id(j->run, GV_VAR, node, GV_STR("NCCL_IB_DISABLE"));
	const struct gv_event *ev = gv_each_event(j->run, "nccl-no-device", node, NULL);

	if (ev) {
		gv_quote(f, ev->first);
		gv_set(j, f, "why", "%.*s cannot be opened", GV_ARG(ev->cap[1]));
	} else if ((ev = gv_each_event(j->run, "nccl-no-verbs", node, NULL))) {
		gv_quote(f, ev->first);
		gv_set_str(j, f, "why", GV_STR("libibverbs is not there"));
	} else if (off && gv_is(gv_text(off, GV_F_VAR_VALUE), "1")) {
		gv_quote_fact(f, off, GV_F_VAR_VALUE);
		gv_set_str(j, f, "why", GV_STR("NCCL_IB_DISABLE=1"));
	}
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *sockets = socket_line(j->run, node);
	struct gv_place rdma, span_at;
	enum gv_span span = gv_job_span(j->run, node, &span_at);
	bool opened_none = gv_each_event(j->run, "nccl-no-device", node, NULL) != NULL;
	struct gv_finding *f;

	if (gv_each_event(j->run, "nccl-net-ib", node, NULL))
		return GV_PASS;
	if (!sockets || span == GV_SPAN_ONE)
		return GV_NA;
	/* of a device that is only listed nobody knows that it was meant */
	if (!gv_rdma_shown(j->run, node, &rdma) || (span == GV_SPAN_UNKNOWN && !opened_none))
		return GV_NODATA;
	f = gv_found_event(j, GV_K_NCCL_SOCKET_FALLBACK, sockets);
	if (!opened_none)
		f->confidence = GV_MEDIUM;
	gv_quote(f, rdma);
	tell_why(j, f, node);
	return GV_FOUND;
}

const struct gv_check gv_check_socket_fallback = {
	.id = "socket-fallback",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "log of the collectives",
	.run = run,
};
