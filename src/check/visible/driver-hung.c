/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does not answer: tasks that wait inside it and cannot be killed, calls that run into their time limit.
 */
#include "check/common.h"

/* The kernel printed the stack of a waiting task, and it ends in the driver: the two stand in one document. */
static const struct gv_event *waits_inside(const struct gv_run *run, const struct gv_entity *node,
					   const struct gv_event *task)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nv-stack", node, ev));)
		if (ev->doc == task->doc && ev->last.line > task->first.line)
			return ev;
	return NULL;
}

static bool by_stacks(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const tasks[] = { "task-in-d", "hung-task" };
	bool any = false;

	for (size_t i = 0; i < 2; i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, tasks[i], node, ev));) {
			const struct gv_event *stack = waits_inside(j->run, node, ev);
			struct gv_finding *f;

			if (!stack)
				continue;
			f = gv_found_event(j, GV_K_DRIVER_HUNG, ev);
			gv_quote(f, stack->first);
			gv_set_str(j, f, "task", ev->cap[1]);
			gv_set_str(j, f, "call", stack->cap[1]);
			any = true;
		}
	return any;
}

/* A start of the driver that took too long is persistence mode's where that is off. */
static bool persistence_off(const struct gv_run *run, const struct gv_entity *node)
{
	bool mode;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		if (gv_flag_known(e, GV_F_GPU_PERSISTENCE, &mode) && !mode)
			return true;
	return false;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DRIVER_HUNG, node, ev));) {
		gv_found_event(j, GV_K_DRIVER_HUNG, ev);
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "ctk-timeout", node, ev));) {
		if (persistence_off(j->run, node))
			continue;
		gv_found_event(j, GV_K_DRIVER_HUNG, ev)->confidence = GV_MEDIUM;
		any = true;
	}
	return any;
}

static enum gv_answer hung_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_stacks(j, node);

	found |= by_events(j, node);
	return found ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_driver_hung = {
	.id = "driver-hung",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = hung_run,
};
