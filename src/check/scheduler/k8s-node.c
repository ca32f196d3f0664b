/* SPDX-License-Identifier: Apache-2.0 */
/* What a Kubernetes node offers, and pods that wait for it. "Insufficient nvidia.com/gpu" alone does not tell a broken node
 * from a full one; what the node says of itself does. */
#include "check/common.h"

/* The node is meant to have GPUs: a label, a GPU that some tool lists, a driver. The place that shows it. */
static bool gpu_node(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	static const enum gv_fact gpu_facts[] = { GV_F_GPU_NAME, GV_F_GPU_BUS_ID, GV_F_GPU_UUID, GV_F_GPU_INDEX };
	const struct gv_obs *o = gv_obs(node, GV_F_K8S_GPU_LABEL);
	const struct gv_event *load = gv_each_event(run, "nv-driver-load", node, NULL);
	const struct gv_entity *gpu = gv_each(run, GV_GPU, node, NULL);

	for (size_t i = 0; !o && gpu && i < sizeof(gpu_facts) / sizeof(gpu_facts[0]); i++)
		o = gv_obs(gpu, gpu_facts[i]);
	if (o)
		*ret_at = o->at;
	else if (load)
		*ret_at = load->first;
	else if ((o = gv_obs(node, GV_F_GPU_TOOL_ERROR)) || (o = gv_obs(node, GV_F_DRIVER_KERNEL)))
		*ret_at = o->at;
	return ret_at->doc != NULL;
}

static struct gv_finding *found(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f = gv_found(j, GV_K_K8S_NO_GPU, node);

	gv_set_str(j, f, "resource", gv_text(node, GV_F_K8S_RESOURCE));
	return f;
}

static bool fewer(struct gv_judge *j, const struct gv_entity *node)
{
	double capacity, allocatable;
	struct gv_place shown = { 0 };
	struct gv_finding *f;

	if (!gv_num(node, GV_F_K8S_CAPACITY, &capacity) || !gv_num(node, GV_F_K8S_ALLOCATABLE, &allocatable) ||
	    (allocatable >= capacity && allocatable > 0))
		return false;
	if (capacity <= 0 && !gpu_node(j->run, node, &shown))
		return false;
	f = found(j, node);
	if (allocatable > 0)
		f->severity = GV_WARN; /* the others still take work */
	gv_quote_fact(f, node, GV_F_K8S_CAPACITY);
	gv_quote_fact(f, node, GV_F_K8S_ALLOCATABLE);
	gv_quote(f, shown);
	gv_set_num(j, f, "capacity", capacity);
	gv_set_num(j, f, "allocatable", allocatable);
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "plugin-unhealthy", node, ev));) {
		gv_quote(f, ev->first);
		gv_set_str(j, f, "device", ev->cap[2]);
	}
	return true;
}

static bool none_listed(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_place shown = { 0 };
	struct gv_finding *f;

	if (!gv_flag(node, GV_F_K8S_NO_GPU_LINE) || gv_obs(node, GV_F_K8S_ALLOCATABLE) || !gpu_node(j->run, node, &shown))
		return false;
	f = found(j, node);
	gv_quote_fact(f, node, GV_F_K8S_NO_GPU_LINE);
	gv_quote(f, shown);
	return true;
}

/* The plugin that found nothing: on a node without GPU that is right. */
static bool plugin_waits(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *ev = gv_each_event(j->run, "plugin-no-devices", node, NULL);
	struct gv_place shown = { 0 };
	struct gv_finding *f;

	if (!ev)
		return false;
	f = gv_found_event(j, GV_K_K8S_NO_GPU, ev);
	if (gpu_node(j->run, node, &shown)) {
		gv_quote(f, shown);
	} else {
		f->severity = GV_NOTE;
		f->confidence = GV_LOW;
	}
	return true;
}

/* A pod waits, and below the scheduler the driver or the runtime of a vendor is seen to be missing. */
static bool broken_below(struct gv_judge *j, const struct gv_entity *node, const struct gv_event *waits)
{
	const struct gv_event *ev = gv_each_event_of(j->run, GV_K_ROCM_NOT_READY, node, NULL);
	struct gv_finding *f;
	bool amd = gv_starts(waits->cap[2], "amd.com/");

	if (!amd)
		ev = gv_each_event_of(j->run, GV_K_DRIVER_NOT_LOADED, node, NULL);
	if (!ev || gv_driver_works(j->run, node) || gv_obs(node, GV_F_K8S_ALLOCATABLE))
		return false;
	f = gv_found_event(j, GV_K_K8S_NO_GPU, waits);
	f->confidence = GV_MEDIUM;
	gv_quote(f, ev->first);
	gv_set_str(j, f, "resource", waits->cap[2]);
	return true;
}

/* Every GPU that is offered is taken, and somebody waits. */
static bool all_taken(struct gv_judge *j, const struct gv_event *waits)
{
	const struct gv_entity *full = NULL;
	struct gv_finding *f;
	double allocatable, allocated;

	for (struct gv_entity *n = NULL; (n = gv_each(j->run, GV_NODE, NULL, n));) {
		if (!gv_num(n, GV_F_K8S_ALLOCATABLE, &allocatable) || allocatable <= 0)
			continue;
		if (!gv_eq(gv_text(n, GV_F_K8S_RESOURCE), waits->cap[2]))
			continue;
		if (!gv_num(n, GV_F_K8S_ALLOCATED, &allocated) || allocated < allocatable)
			return false; /* one is free: the pod wants more, or something else */
		full = n;
	}
	if (!full)
		return false;
	gv_num(full, GV_F_K8S_ALLOCATABLE, &allocatable);
	gv_num(full, GV_F_K8S_ALLOCATED, &allocated);
	f = gv_found(j, GV_K_GPUS_ALL_TAKEN, full);
	gv_quote(f, waits->first);
	gv_quote_fact(f, full, GV_F_K8S_ALLOCATABLE);
	gv_quote_fact(f, full, GV_F_K8S_ALLOCATED);
	gv_set_num(j, f, "allocated", allocated);
	gv_set_num(j, f, "allocatable", allocatable);
	gv_set_str(j, f, "resource", waits->cap[2]);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *waits = gv_each_event(j->run, "k8s-insufficient", node, NULL);
	bool any = fewer(j, node);

	any = any || none_listed(j, node);
	any = any || plugin_waits(j, node);
	any = any || (waits && broken_below(j, node, waits));
	any |= waits && all_taken(j, waits);
	if (any)
		return GV_FOUND;
	if (gv_obs(node, GV_F_K8S_ALLOCATABLE))
		return GV_PASS;
	return waits ? GV_NODATA : GV_NA;
}

const struct gv_check gv_check_k8s_node = {
	.id = "k8s-node",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "scheduler's view of the node",
	.run = run,
	.next_run = "kubectl describe node NODE | grep -A12 -E '^(Capacity|Allocatable|Allocated)'",
	.next_why = "whether the GPUs are taken or not offered",
};
