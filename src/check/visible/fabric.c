/* SPDX-License-Identifier: Apache-2.0 */
/* The NVSwitch fabric: its manager, and the state that each GPU reports of it. */
#include "check/common.h"

/* A manager that fails on a machine without switches has nothing to manage: GPUs that are known to be cards say so. */
static bool no_switches(const struct gv_run *run, const struct gv_entity *node)
{
	bool cards = false;

	if (gv_has_event(run, node, "nv-fm-nothing"))
		return true;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));) {
		gv_str name = gv_text(e, GV_F_GPU_NAME);

		if (!name.n)
			continue;
		if (!gv_has_nocase(name, "PCI") && !gv_has(name, "RTX") && !gv_has(name, "GeForce") &&
		    !gv_has(name, "L40") && !gv_has(name, "Tesla T4"))
			return false;
		cards = true;
	}
	return cards;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_FABRIC_MANAGER_DOWN, node, ev));) {
		struct gv_finding *f;

		if (no_switches(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_FABRIC_MANAGER_DOWN, ev);
		if (gv_is(ev->sig->id, "nv-fm-version")) {
			gv_set_str(j, f, "manager", ev->cap[1]);
			gv_set_str(j, f, "driver", ev->cap[2]);
		}
		any = true;
	}
	return any;
}

static bool by_state(struct gv_judge *j, const struct gv_entity *gpu)
{
	gv_str state = gv_text(gpu, GV_F_GPU_FABRIC_STATE), status = gv_text(gpu, GV_F_GPU_FABRIC_STATUS);
	bool waits = gv_is(state, "In Progress") || gv_is(state, "Not Started");
	bool failed = gv_is(state, "Completed") && status.n && !gv_is(status, "Success") && !gv_starts(status, "N/A");
	struct gv_finding *f;

	if (!waits && !failed)
		return false;
	f = gv_found(j, GV_K_FABRIC_MANAGER_DOWN, gpu->node);
	if (!f->nquotes && waits)
		f->confidence = GV_MEDIUM; /* it may have been starting at that moment */
	gv_set_str(j, f, "state", failed ? status : state);
	gv_quote_fact(f, gpu, failed ? GV_F_GPU_FABRIC_STATUS : GV_F_GPU_FABRIC_STATE);
	return true;
}

static enum gv_answer fabric_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node), known = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		found |= by_state(j, e);
		known |= gv_obs(e, GV_F_GPU_FABRIC_STATE) != NULL;
	}
	return found ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_fabric = {
	.id = "fabric",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = fabric_run,
};
