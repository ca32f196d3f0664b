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

/* Hot-plug slots hold NVMe drives and NICs as well, and a guest may be given any device: such lines count where a GPU is known
 * to sit there. */
static bool speaks_of_gpu(const struct gv_run *run, const struct gv_event *ev)
{
	bool any_device = gv_is(ev->sig->id, "pcie-slot-gone") || gv_starts(ev->cap[0], "vfio-pci");

	return !any_device || gv_gpu_of_function(run, ev);
}

/* "NVRM: The NVIDIA GPU 0000:18:00.0", "NVRM: (PCI ID: ...) installed in this system has", "NVRM: fallen off the bus":
 * the GPU of such a message is named two lines above its end. */
static const struct gv_entity *named_above(const struct gv_run *run, const struct gv_event *ev, struct gv_place *ret)
{
	for (struct gv_event *e = NULL; (e = gv_each_event(run, "nv-gpu-named", ev->node, e));) {
		struct gv_place at = e->last.line < ev->last.line ? e->last : e->first;

		if (e->gpu && e->doc == ev->doc && at.line < ev->last.line && at.line + 3 >= ev->last.line) {
			*ret = at;
			return e->gpu;
		}
	}
	return NULL;
}

/* Seen while the GPU did not answer, but it is listed further down: it was asleep, or came back. */
static bool came_back(const struct gv_event *ev)
{
	return (gv_is(ev->sig->id, "pci-inaccessible") || gv_is(ev->sig->id, "pci-not-ready")) &&
	       gv_mended_below(ev->node, GV_F_GPU_COUNT, ev->last);
}

/* The driver reads ones from a GPU, and no line tells from which. */
static bool by_assertion(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_event *ev = gv_each_event(j->run, "nv-gpu-lost", node, NULL);
	struct gv_finding *f;

	if (!ev || gv_each_event_of(j->run, GV_K_GPU_FELL_OFF_BUS, node, NULL))
		return false;
	f = gv_found_event(j, GV_K_GPU_FELL_OFF_BUS, ev);
	f->confidence = GV_MEDIUM;
	gv_set_count(j, f, ev);
	return true;
}

static enum gv_answer node_events(struct gv_judge *j, const struct gv_entity *node)
{
	enum gv_answer a = GV_NA;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_GPU_FELL_OFF_BUS, node, ev));) {
		const struct gv_entity *gpu = NULL;
		struct gv_place above;
		struct gv_finding *f;

		if (!speaks_of_gpu(j->run, ev) || ev->code >= 0 || came_back(ev)) /* Xid 79 is the check xid's */
			continue;
		/* a container's message about a GPU may be the device cgroup's doing */
		if (ev->container && !ev->kernel)
			continue;
		above = ev->first;
		if (gv_is(ev->sig->id, "nv-off-bus-noxid"))
			gpu = named_above(j->run, ev, &above);
		else if (!ev->gpu)
			gpu = gv_gpu_of_function(j->run, ev);
		if (gpu) {
			f = gv_found(j, GV_K_GPU_FELL_OFF_BUS, gpu);
			f->event = f->event ? f->event : ev;
			gv_quote(f, above);
			gv_quote(f, ev->last);
		} else {
			f = gv_found_event(j, GV_K_GPU_FELL_OFF_BUS, ev);
			gv_set_count(j, f, ev);
		}
		a = GV_FOUND;
	}
	return by_assertion(j, node) ? GV_FOUND : a;
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
