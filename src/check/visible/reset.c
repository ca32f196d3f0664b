/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs whose driver says that they need a reset, a drain or a reboot. Xid 154 is the check xid's. */
#include "check/common.h"

static bool asks(struct gv_judge *j, const struct gv_entity *gpu)
{
	gv_str action = gv_text(gpu, GV_F_GPU_RECOVERY), broken = gv_text(gpu, GV_F_GPU_BROKEN);
	bool wants = action.n && !gv_is(action, "None") && !gv_starts(action, "N/A");
	bool reset = gv_flag(gpu, GV_F_GPU_RESET_REQUIRED), cell = gv_has_nocase(broken, "requires reset");
	struct gv_finding *f;

	if (!wants && !reset && !cell)
		return false;
	f = gv_found(j, GV_K_GPU_RESET_REQUIRED, gpu);
	gv_quote_fact(f, gpu, wants ? GV_F_GPU_RECOVERY : reset ? GV_F_GPU_RESET_REQUIRED : GV_F_GPU_BROKEN);
	if (wants)
		gv_set_str(j, f, "wants", action);
	return true;
}

/* What nvidia-smi of R570 and later prints for a GPU that waits for its reset: values that it can still read from the
 * board (temperature), and an error or nothing in place of those that the GPU itself would answer. */
static bool half_dead(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_obs *b = gv_obs(gpu, GV_F_GPU_BROKEN), *t = gv_obs(gpu, GV_F_GPU_TEMP);
	struct gv_finding *f;

	if (!b || !t || t->block != b->block || !gv_has(b->str, "ERR!") || gv_obs(gpu, GV_F_GPU_UTIL) ||
	    gv_obs(gpu, GV_F_GPU_POWER))
		return false;
	f = gv_found(j, GV_K_GPU_RESET_REQUIRED, gpu);
	if (!f->nquotes)
		f->confidence = GV_MEDIUM;
	gv_quote(f, b->at);
	return true;
}

/* A repair of memory channels or TPCs that is prepared: the GPU works, and takes it at the next reset. */
static bool repair_waits(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_finding *f;

	if (!gv_flag(gpu, GV_F_GPU_REPAIR_PENDING))
		return false;
	f = gv_found(j, GV_K_GPU_RESET_REQUIRED, gpu);
	if (f->nquotes == 0)
		f->severity = GV_WARN;
	gv_set_str(j, f, "repair", GV_STR("a repair waits for it"));
	gv_quote_fact(f, gpu, GV_F_GPU_REPAIR_PENDING);
	return true;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_GPU_RESET_REQUIRED, node, ev));) {
		struct gv_finding *f;

		uint64_t to;

		if (ev->code >= 0)
			continue;
		/* the action that the driver asked for last; 0x0 is none */
		if (gv_is(ev->sig->id, "nv-recovery-action") && gv_to_u64(ev->last_cap[4], &to) && to == 0)
			continue;
		f = gv_found_event(j, GV_K_GPU_RESET_REQUIRED, ev);
		gv_set_count(j, f, ev);
		any = true;
	}
	return any;
}

static enum gv_answer reset_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node), known = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		found |= asks(j, e);
		found |= repair_waits(j, e);
		found |= half_dead(j, e);
		known |= gv_obs(e, GV_F_GPU_RECOVERY) || gv_obs(e, GV_F_GPU_RESET_REQUIRED);
	}
	return found ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_reset = {
	.id = "reset",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = reset_run,
};
