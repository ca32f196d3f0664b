/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs that no longer answer on PCIe: what the driver says, what nvidia-smi says in place of values, and reads that
 * return ones (rev ff). */
#include "check/common.h"

/* Words for a GPU that its driver cannot reach; others ("requires reset") are another finding. */
static bool lost_words(gv_str s)
{
	return gv_has_nocase(s, "is lost") || gv_has_nocase(s, "fallen off") || gv_has(s, "rev ff") ||
	       gv_has(s, "header type 7f") || gv_has(s, "return ones") || gv_has_nocase(s, "no device handle");
}

/* "Unknown Error" and "ERR!" stand for one cell that cannot be read (a fan) or for a GPU that gives no value at all. */
static bool blind(const struct gv_entity *gpu, gv_str s)
{
	static const enum gv_fact live[] = { GV_F_GPU_TEMP, GV_F_GPU_UTIL, GV_F_GPU_POWER, GV_F_GPU_PSTATE };

	if (!gv_has_nocase(s, "Unknown Error") && !gv_has(s, "ERR!"))
		return false;
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
		const struct gv_obs *o = gv_obs(gpu, live[i]), *b = gv_obs(gpu, GV_F_GPU_BROKEN);

		if (o && b && o->block == b->block)
			return false;
	}
	return true;
}

/* Hot-plug slots hold NVMe drives and NICs as well: their lines count where a GPU is known to sit there. */
static bool speaks_of_gpu(const struct gv_event *ev)
{
	return !gv_is(ev->sig->id, "pcie-slot-gone") || ev->gpu;
}

static enum gv_answer node_events(struct gv_judge *j, const struct gv_entity *node)
{
	enum gv_answer a = GV_NA;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_GPU_FELL_OFF_BUS, node, ev));) {
		struct gv_finding *f;

		if (!speaks_of_gpu(ev) || ev->code >= 0) /* Xid 79 is the check xid's */
			continue;
		/* a container's message about a GPU may be the device cgroup's doing */
		if (ev->container && !ev->kernel)
			continue;
		f = gv_found_event(j, GV_K_GPU_FELL_OFF_BUS, ev);
		gv_set_count(j, f, ev);
		a = GV_FOUND;
	}
	return a;
}

static enum gv_answer gpu_facts(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_obs *o = gv_obs(gpu, GV_F_GPU_BROKEN);
	struct gv_finding *f;

	if (!o)
		return GV_PASS;
	/* there the device cgroup makes errors, too, but none of these words */
	if (o->block && o->block->container && !gv_has_nocase(o->str, "is lost"))
		return GV_NA;
	if (!lost_words(o->str) && !blind(gpu, o->str))
		return GV_PASS;
	f = gv_found(j, GV_K_GPU_FELL_OFF_BUS, gpu);
	if (!f->nquotes && !lost_words(o->str))
		f->confidence = GV_MEDIUM; /* it gives no value; why is not said */
	gv_set_str(j, f, "says", o->str);
	gv_quote(f, o->at);
	return GV_FOUND;
}

static enum gv_answer bus_run(struct gv_judge *j, const struct gv_entity *node)
{
	enum gv_answer a = node_events(j, node);

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		enum gv_answer b = gpu_facts(j, e);

		if (b == GV_FOUND || a == GV_NA)
			a = b;
	}
	return a;
}

const struct gv_check gv_check_bus = {
	.id = "bus",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = bus_run,
};
