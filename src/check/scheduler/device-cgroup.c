/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that the cgroup of a container does not admit: the hook could not set it up, or it was rewritten under a running
 * container. "Unknown Error" of NVML on a host has other reasons: a GPU that is lost, a driver that is stuck. */
#include "check/common_load.h"

static const struct gv_event *gpu_lost(const struct gv_run *run, const struct gv_entity *node)
{
	static const enum gv_kind kinds[] = { GV_K_GPU_FELL_OFF_BUS, GV_K_DRIVER_HUNG, GV_K_PCI_BAR_INVALID, GV_K_GPU_RESET_REQUIRED };
	const struct gv_event *ev = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !ev; i++)
		ev = gv_each_event_of(run, kinds[i], node, NULL);
	for (const struct gv_event *any = NULL; !ev && (any = gv_each_event_on(node, any));)
		ev = any->code >= 0 ? any : NULL;
	return ev;
}

/* A live look that asked NVML itself. */
static bool by_library(struct gv_judge *j, const struct gv_entity *node, bool inside)
{
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_TOOL_ERROR);
	struct gv_finding *f;

	if (!o || !gv_starts(o->str, "nvmlInit") || !gv_has(o->str, "(Unknown Error)") || (!inside && gpu_lost(j->run, node)))
		return false;
	f = gv_found(j, GV_K_CGROUP_DEVICE_DENIED, node);
	f->confidence = GV_MEDIUM;
	gv_quote(f, o->at);
	gv_set_str(j, f, "said", gv_sub(o->str, 0, 100));
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool inside = gv_in_container(j->run, node), works = gv_driver_works(j->run, node),
	     any = by_library(j, node, inside);

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CGROUP_DEVICE_DENIED, node, ev));) {
		bool by_hook = gv_is(ev->sig->id, "ctk-cgroup");
		struct gv_finding *f;

		if (!by_hook && !ev->container && !inside && gpu_lost(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_CGROUP_DEVICE_DENIED, ev);
		if (!by_hook && !(works && (ev->container || inside)))
			f->confidence = GV_MEDIUM;
		if (works)
			gv_quote_fact(f, node, GV_F_GPU_COUNT);
		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 100)));
		any = true;
	}
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_device_cgroup = {
	.id = "device-cgroup",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
