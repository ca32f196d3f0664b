/* SPDX-License-Identifier: Apache-2.0 */
/* Device nodes that are there and that the user may not open. */
#include "check/common.h"

/* The groups that id prints, and the node's: read and write for its group, nothing for others, no access list. */
static bool shut_out(const struct gv_entity *dev, gv_str groups)
{
	gv_str mode = gv_text(dev, GV_F_DEVNODE_MODE), group = gv_text(dev, GV_F_DEVNODE_GROUP), word;

	if (mode.n != 10 || !group.n || mode.p[7] != '-' || mode.p[8] != '-')
		return false;
	while (gv_word(&groups, &word))
		if (gv_eq(word, group))
			return false;
	return true;
}

/* Compute goes through render nodes and kfd; a card node drives displays. */
static bool by_listing(struct gv_judge *j, const struct gv_entity *node)
{
	gv_str groups = gv_text(node, GV_F_USER_GROUPS);
	double uid;
	bool any = false;

	if (!groups.n || !gv_num(node, GV_F_USER_ID, &uid) || uid == 0 || gv_flag(node, GV_F_TORCH_GPU))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_DEVNODE, node, e));) {
		struct gv_finding *f;

		if ((!gv_starts(e->id, "renderD") && !gv_is(e->id, "kfd")) || !shut_out(e, groups))
			continue;
		f = gv_found(j, GV_K_DEVICE_PERMISSION, node);
		if (!f->event)
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "device", e->id);
		gv_quote_fact(f, e, GV_F_DEVNODE_MODE);
		gv_quote_fact(f, node, GV_F_USER_GROUPS);
		any = true;
	}
	return any;
}

/* Neither owner, group nor others may both read and write: a mode that nobody meant. Capabilities are nodes of their own kind. */
static bool by_mode(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_DEVNODE, node, e));) {
		gv_str mode = gv_text(e, GV_F_DEVNODE_MODE);
		struct gv_finding *f;
		bool open = false;

		if (!gv_starts(e->id, "nvidia") || gv_starts(e->id, "nvidia-cap") || mode.n < 10)
			continue;
		for (size_t i = 1; i < 10; i += 3)
			open |= mode.p[i] == 'r' && mode.p[i + 1] == 'w';
		if (open)
			continue;
		f = gv_found(j, GV_K_DEVICE_PERMISSION, node);
		gv_set_str(j, f, "device", e->id);
		gv_quote_fact(f, e, GV_F_DEVNODE_MODE);
		any = true;
	}
	return any;
}

/* What NVML says to one who may not open the nodes. */
static bool by_library(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_TOOL_ERROR);

	if (!o || !gv_starts(o->str, "nvmlInit") || !gv_has(o->str, "(Insufficient Permissions)"))
		return false;
	gv_quote(gv_found(j, GV_K_DEVICE_PERMISSION, node), o->at);
	return true;
}

static enum gv_answer permission_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_listing(j, node);

	any |= by_mode(j, node);
	any |= by_library(j, node);
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DEVICE_PERMISSION, node, ev));) {
		bool guess = gv_is(ev->sig->id, "cuda-unknown");
		struct gv_finding *f;

		/* CUDA's unknown error has many causes, a missing nvidia-uvm the most common; it is one beside nothing
		 * else */
		if (guess && (gv_driver_fails(j->run, node) || gv_each_event_of(j->run, GV_K_GPU_XID, node, NULL) ||
			      gv_each_event_of(j->run, GV_K_DRIVER_MISMATCH, node, NULL)))
			continue;
		f = gv_found_event(j, GV_K_DEVICE_PERMISSION, ev);
		if (guess && f->nquotes <= 2)
			f->confidence = GV_LOW;
		gv_set_str(j, f, "device",
			   gv_is(ev->sig->id, "dri-permission")	  ? ev->subject
			   : gv_is(ev->sig->id, "kfd-permission") ? GV_STR("/dev/kfd")
								  : GV_NONE);
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_device_permission = {
	.id = "device-permission",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = permission_run,
};
