/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel driver, or a person, says that the clocks are cut. */
#include "check/common_load.h"

/* A GPU that does nothing belongs in a low state. */
static bool of_idle(const struct gv_event *ev)
{
	size_t line = ev->first.line;

	return line && line <= ev->doc->nlines && gv_has_nocase(ev->doc->lines[line - 1].text, "idl");
}

/* Somebody writes that the GPU does not leave a low state. */
static bool held(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CLOCKS_CAPPED, node, ev));) {
		struct gv_finding *f;

		if (of_idle(ev))
			continue;
		f = gv_found_event(j, GV_K_CLOCKS_CAPPED, ev);
		gv_set(j, f, "reason", "said to stay in P%.*s", GV_ARG(ev->cap[1]));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool heat = gv_found_events_of(j, GV_K_THROTTLE_THERMAL, node);
	bool power = gv_found_events_of(j, GV_K_THROTTLE_POWER, node);
	bool cap = gv_found_events_of(j, GV_K_POWER_CAP, node);

	if (held(j, node) || heat || power || cap)
		return GV_FOUND;
	return gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_throttle_log = {
	.id = "throttle-log",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
