/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that RDMA may not lock, and NICs whose firmware or send queue stopped. */
#include "check/common_net.h"

/* One time-out of a send queue is reset by the driver and may stay the only one. */
#define TIMEOUTS 3

static bool memlock(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_MEMLOCK_LIMIT, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_MEMLOCK_LIMIT, ev);

		/* the registration of GPU memory fails alike where the BAR is full */
		if (gv_is(ev->sig->id, "nccl-reg-mr") && !f->values.n)
			f->confidence = GV_MEDIUM;
		if (gv_is(ev->sig->id, "memlock-ucx"))
			gv_set_str(j, f, "limit", ev->cap[1]);
		any = true;
	}
	return any;
}

static bool firmware(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NIC_FIRMWARE_ERROR, node, ev));) {
		bool queue = gv_is(ev->sig->id, "tx-timeout");
		struct gv_finding *f;

		if (queue && gv_nic_virtual(ev->cap[1]))
			continue;
		f = gv_found_event(j, GV_K_NIC_FIRMWARE_ERROR, ev);
		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 100)));
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		if (queue && ev->count < TIMEOUTS && !any)
			f->severity = GV_WARN;
		else
			f->severity = GV_FAIL;
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = memlock(j, node);

	any |= firmware(j, node);
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_rdma_log = {
	.id = "rdma-log",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
