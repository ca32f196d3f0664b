/* SPDX-License-Identifier: Apache-2.0 */
/* Persistence mode: without it and without a client the NVIDIA driver unloads its state, and the next start pays for
 * it. */
#include "check/common.h"

static const struct gv_event *timeout_of(const struct gv_run *run, const struct gv_entity *node)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if (gv_starts(ev->sig->id, "ctk-") && gv_has(ev->cap[0], "timed out"))
			return ev;
	return NULL;
}

/* Its daemon ended. Where no driver can be reached there is nothing that could persist. */
static bool daemon_ended(struct gv_judge *j, const struct gv_entity *node)
{
	return !gv_driver_fails(j->run, node) && gv_found_events_of(j, GV_K_PERSISTENCE_OFF, node);
}

static enum gv_answer persistence_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *slow = timeout_of(j->run, node);
	unsigned on = 0, off = 0;
	struct gv_finding *f;

	if (gv_flag(node, GV_F_PERSISTENCE_SET))
		return GV_PASS;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		bool mode;

		if (!gv_flag_known(e, GV_F_GPU_PERSISTENCE, &mode))
			continue;
		on += mode;
		off += !mode && !gv_flag(e, GV_F_GPU_DISPLAY);
	}
	if (!off && !on && daemon_ended(j, node))
		return GV_FOUND;
	if (!off)
		return on ? GV_PASS : GV_NA;
	f = gv_found(j, GV_K_PERSISTENCE_OFF, node);
	gv_set(j, f, "gpus", "%u", off);
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e)) && f->nquotes < 2;)
		if (gv_obs(e, GV_F_GPU_PERSISTENCE) && !gv_flag(e, GV_F_GPU_PERSISTENCE))
			gv_quote_fact(f, e, GV_F_GPU_PERSISTENCE);
	if (slow) { /* the start took longer than the container runtime waits */
		f->severity = GV_WARN;
		f->confidence = GV_MEDIUM;
		gv_quote(f, slow->first);
		gv_set_str(j, f, "waits", GV_STR("a container's start ran into its time limit"));
	}
	return GV_FOUND;
}

const struct gv_check gv_check_persistence = {
	.id = "persistence",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = persistence_run,
};
