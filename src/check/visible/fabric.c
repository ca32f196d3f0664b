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
		if (gv_nvlink_wired(name))
			return false;
		cards = true;
	}
	return cards;
}

/* Anything besides the failed unit that speaks of switches. Images with the manager are started on all sorts of machines. */
static bool switches_meant(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const sigs[] = { "cuda-802",	   "nv-fm-version",  "nv-fm-topology",	"nv-sxid",
					    "nv-fm-fatal", "nv-fm-nonfatal", "nv-fm-configured" };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (gv_has_event(run, node, sigs[i]))
			return true;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		if (gv_text(e, GV_F_GPU_NAME).n || gv_obs(e, GV_F_GPU_FABRIC_STATE))
			return true;
	return false;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_FABRIC_MANAGER_DOWN, node, ev));) {
		struct gv_finding *f;

		if (no_switches(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_FABRIC_MANAGER_DOWN, ev);
		if (gv_is(ev->sig->id, "nv-fm-unit") && !switches_meant(j->run, node)) {
			f->severity = GV_NOTE;
			f->confidence = GV_LOW;
		}
		if (gv_is(ev->sig->id, "nv-fm-version")) {
			gv_set_str(j, f, "manager", ev->cap[1]);
			gv_set_str(j, f, "driver", ev->cap[2]);
		}
		any = true;
	}
	return any;
}

/* CUDA error 401, "the operation cannot be performed in the present state": the switches' multicast is not set up.
 * Other errors of the same call are memory or driver. "invalid argument" for memory of NVLS is what GPUs answer that
 * were in use when the manager was restarted. */
static bool by_multicast(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-nvls-invalid", node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_FABRIC_MANAGER_DOWN, ev);

		f->severity = GV_WARN;
		f->confidence = GV_MEDIUM;
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-nvls-bind", node, ev));) {
		if (!gv_is(ev->cap[1], "401"))
			continue;
		gv_found_event(j, GV_K_FABRIC_MANAGER_DOWN, ev)->confidence = GV_MEDIUM;
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

/* The fabric is up and gives this GPU less than all: links of it, of the switches or of the trunks are lost. */
static bool by_health(struct gv_judge *j, const struct gv_entity *gpu)
{
	gv_str health = gv_text(gpu, GV_F_GPU_FABRIC_HEALTH), bandwidth = gv_text(gpu, GV_F_GPU_FABRIC_BANDWIDTH);
	bool ill = gv_is(health, "Unhealthy") || gv_starts(health, "Limited"), less = gv_is(bandwidth, "Degraded");
	struct gv_finding *f;

	if (!ill && !less)
		return false;
	f = gv_found(j, GV_K_NVLINK_DOWN, gpu);
	if (!f->nquotes) {
		f->severity = GV_WARN;
		f->confidence = GV_MEDIUM;
	}
	gv_set(j, f, "erring", "the fabric says %.*s", GV_ARG(less ? bandwidth : health));
	gv_quote_fact(f, gpu, less ? GV_F_GPU_FABRIC_BANDWIDTH : GV_F_GPU_FABRIC_HEALTH);
	return true;
}

static enum gv_answer fabric_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node), known = false;

	found |= by_multicast(j, node);
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		found |= by_state(j, e);
		found |= by_health(j, e);
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
