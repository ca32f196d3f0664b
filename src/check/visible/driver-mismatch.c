/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel module and user-space libraries of different versions: after an upgrade under a module that stays loaded. */
#include "check/common.h"

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DRIVER_MISMATCH, node, ev));) {
		struct gv_finding *f;

		if (!ev->container && gv_mended_below(node, GV_F_GPU_COUNT, ev->last))
			continue;
		f = gv_found_event(j, GV_K_DRIVER_MISMATCH, ev);
		/* the host's own tools work: one client, in a container say, brought other libraries */
		if (gv_driver_works(j->run, node)) {
			f->severity = GV_WARN;
			f->confidence = GV_MEDIUM;
			gv_set_str(j, f, "client", GV_STR("the host's own tools answer: it is one client's libraries"));
		}
		any = true;
	}
	return any;
}

static enum gv_answer mismatch_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *error = gv_obs(node, GV_F_GPU_TOOL_ERROR);
	gv_str kernel = gv_text(node, GV_F_DRIVER_KERNEL), user = gv_text(node, GV_F_DRIVER_USER);
	bool found = by_events(j, node), said = error && gv_has_nocase(error->str, "version mismatch") &&
						  !gv_mended_below(node, GV_F_GPU_COUNT, error->at);
	bool differ = kernel.n && user.n && gv_cmp_version(kernel, user) && !gv_driver_works(j->run, node);
	struct gv_finding *f;

	if (said || differ) {
		f = gv_found(j, GV_K_DRIVER_MISMATCH, node);
		if (said)
			gv_quote(f, error->at);
		gv_set_str(j, f, "module", kernel);
		gv_set_str(j, f, "library", user);
		if (differ) {
			gv_quote_fact(f, node, GV_F_DRIVER_KERNEL);
			gv_quote_fact(f, node, GV_F_DRIVER_USER);
		}
		found = true;
	}
	return found ? GV_FOUND : kernel.n || gv_driver_works(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_driver_mismatch = {
	.id = "driver-mismatch",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = mismatch_run,
};
