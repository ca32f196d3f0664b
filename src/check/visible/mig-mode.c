/* SPDX-License-Identifier: Apache-2.0 */
/* MIG mode that waits for a reset, or that differs among equal GPUs of a node. */
#include "check/common.h"

static bool known(gv_str s)
{
	return gv_starts(s, "Enabled") || gv_starts(s, "Disabled");
}

static bool pending(struct gv_judge *j, const struct gv_entity *gpu)
{
	gv_str now = gv_text(gpu, GV_F_GPU_MIG), next = gv_text(gpu, GV_F_GPU_MIG_PENDING);
	struct gv_finding *f;

	if (!known(now) || !known(next) || gv_eq(now, next))
		return false;
	f = gv_found(j, GV_K_MIG_MODE_MIXED, gpu);
	gv_set_str(j, f, "now", now);
	gv_set_str(j, f, "pending", next);
	gv_quote_fact(f, gpu, GV_F_GPU_MIG);
	gv_quote_fact(f, gpu, GV_F_GPU_MIG_PENDING);
	return true;
}

/* "Warning: MIG mode is in pending enable state for GPU ...": the switch itself says so; what the GPU says later counts
 * more. nvidia-mig-parted says only that the change waits. */
static bool by_switch(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_MIG_MODE_MIXED, node, ev));) {
		bool told = ev->last_cap[1].n > 0, on = gv_is(ev->last_cap[1], "enable");
		struct gv_finding *f;

		if (told && ev->gpu && gv_starts(gv_text(ev->gpu, GV_F_GPU_MIG), on ? "Enabled" : "Disabled"))
			continue;
		f = gv_found_event(j, GV_K_MIG_MODE_MIXED, ev);
		any = true;
		if (!told)
			continue;
		gv_set(j, f, "now", on ? "off" : "on");
		gv_set(j, f, "pending", on ? "on" : "off");
	}
	return any;
}

/* GPUs with this name on the node that have MIG in this mode. */
static unsigned in_mode(const struct gv_run *run, const struct gv_entity *node, gv_str name, const char *mode,
			const struct gv_entity **ret_one)
{
	unsigned n = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		if (gv_starts(gv_text(e, GV_F_GPU_MIG), mode) && gv_eq(gv_text(e, GV_F_GPU_NAME), name)) {
			n++;
			*ret_one = e;
		}
	return n;
}

static bool differs(struct gv_judge *j, const struct gv_entity *node, gv_str name)
{
	const struct gv_entity *one_on = NULL, *one_off = NULL;
	unsigned on = in_mode(j->run, node, name, "Enabled", &one_on),
		 off = in_mode(j->run, node, name, "Disabled", &one_off);
	double devices = 0;
	struct gv_finding *f;

	if (!on || !off)
		return false;
	gv_num(one_on, GV_F_GPU_MIG_DEVICES, &devices);
	f = gv_found(j, GV_K_MIG_MODE_MIXED, node);
	f->confidence = GV_MEDIUM;
	if (devices > 0)
		f->severity = GV_NOTE; /* partitions are made on it: somebody meant so */
	gv_set(j, f, "on_count", "%u", on);
	gv_set(j, f, "off_count", "%u", off);
	gv_quote_fact(f, one_on, GV_F_GPU_MIG);
	gv_quote_fact(f, one_off, GV_F_GPU_MIG);
	return true;
}

static enum gv_answer mig_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_switch(j, node), any = false;
	gv_str name = GV_NONE;

	if (gv_crowded(j->run, node))
		return found ? GV_FOUND : GV_NA;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		bool waits = pending(j, e);

		found |= waits;
		any |= known(gv_text(e, GV_F_GPU_MIG));
		if (name.p && gv_eq(name, gv_text(e, GV_F_GPU_NAME)))
			continue;
		name = gv_text(e, GV_F_GPU_NAME);
		name = name.p ? name : GV_STR("");
		found |= !waits && differs(j, node, name);
	}
	return found ? GV_FOUND : any ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_mig_mode = {
	.id = "mig-mode",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = mig_run,
};
