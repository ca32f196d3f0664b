/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does not answer: tasks that wait inside it and cannot be killed, calls that run into their time limit.
 */
#include "check/common.h"

enum { STACK = 60 }; /* lines that a task and its stack have */

/* Some programs show logs newest first. The kernel's hint stands below the line that names the task; above it there. */
static bool newest_first(const struct gv_run *run, const struct gv_entity *node, const struct gv_event *task)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "hung-task-hint", node, ev));)
		if (ev->doc == task->doc)
			return ev == task || ev->first.line < task->first.line;
	return false;
}

/* The kernel printed the stack of a waiting task, and it ends in the driver: the two stand in one document. */
static const struct gv_event *waits_inside(const struct gv_run *run, const struct gv_entity *node,
					   const struct gv_event *task)
{
	bool back = newest_first(run, node, task);

	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nv-stack", node, ev));)
		if (ev->doc == task->doc &&
		    (ev->last.line > task->first.line || (back && task->last.line - ev->last.line <= STACK)))
			return ev;
	return NULL;
}

static bool by_stacks(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const tasks[] = { "task-in-d", "hung-task", "hung-task-hint" };
	bool any = false, named = gv_has_event(j->run, node, "hung-task");

	for (size_t i = 0; i < (named ? 2 : 3); i++)
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

/* What a call that starts the driver takes depends on how many GPUs there are to start, seconds each without persistence
 * mode: that one of them runs into the time-out is a weaker sign. */
static bool starts(gv_str line)
{
	return gv_starts(line, "nvmlInit") || gv_starts(line, "nvmlDeviceGetHandleBy") || gv_starts(line, "dlopen");
}

/* A live look asked the vendor's library, and a call did not return, or ended the process that made it. */
static bool by_library(struct gv_judge *j, const struct gv_entity *on, enum gv_fact fact)
{
	const struct gv_slot *slot = gv_slot_of(on, fact);
	struct gv_finding *f = NULL;

	for (size_t i = 0; i < slot->n; i++) {
		const struct gv_obs *o = &slot->v[i];
		bool died = gv_has(o->str, ": ended the process (");

		if (o->state != GV_KNOWN || !o->block || !o->block->latest)
			continue;
		f = gv_found(j, GV_K_DRIVER_HUNG, on);
		if (!f->nquotes && (died || starts(o->str)))
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, died ? "crash" : "silent", gv_sub(o->str, 0, 120));
		if (died)
			gv_set_str(j, f, "broken", gv_before(gv_sub(o->str, 0, 120), ": "));
		gv_quote(f, o->at);
	}
	return f;
}

static bool by_libraries(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_library(j, node, GV_F_GPU_TOOL_NO_ANSWER);

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));)
		any |= by_library(j, e, GV_F_GPU_NO_ANSWER);
	return any;
}

/* Tools that ask the driver something and end, and what only waits for it. */
static bool asks_driver(gv_str name)
{
	static const char *const tools[] = { "nvidia-smi", "nvidia-persistenced", "nvidia-modprobe", "nvidia-container-cli", "dcgmi",
					     "nvidia-bug-report", "rocm-smi", "amd-smi", "rocminfo", "xpu-smi", "Xorg" };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (gv_has(name, tools[i]))
			return true;
	return false;
}

/* "May04", "2026": ps prints the time of day of what started within a day. */
static bool since_days(gv_str start)
{
	return start.n && !gv_has(start, ":");
}

/* Tools of the driver that wait in the kernel and cannot be killed: one for days, or several. One that a single look finds
 * there may be back a moment later. */
static bool by_processes(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_entity *who[GV_QUOTES];
	struct gv_finding *f;
	size_t n = 0;
	bool days = false;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_PROC, node, p));) {
		if (!gv_starts(gv_text(p, GV_F_PROC_STATE), "D") || !asks_driver(gv_text(p, GV_F_PROC_NAME)))
			continue;
		days |= since_days(gv_text(p, GV_F_PROC_START));
		if (n < GV_QUOTES)
			who[n++] = p;
	}
	if (!days && n < 3)
		return false;
	f = gv_found(j, GV_K_DRIVER_HUNG, node);
	if (!f->nquotes && !days)
		f->confidence = GV_MEDIUM;
	for (size_t i = 0; i < n; i++)
		gv_quote_fact(f, who[i], GV_F_PROC_STATE);
	gv_set(j, f, "silent", "%.*s waits in state D%s%.*s", GV_ARG(gv_sub(gv_text(who[0], GV_F_PROC_NAME), 0, 60)),
	       days ? " since " : "", GV_ARG(days ? gv_text(who[0], GV_F_PROC_START) : GV_NONE));
	return true;
}

/* The kernel met an error inside the driver: whoever held its locks is gone, and all who ask for them wait. */
static bool by_oops(struct gv_judge *j, const struct gv_entity *node)
{
	enum { BELOW = 60 }; /* lines between the first of an oops and its function, other messages among them */

	for (const struct gv_event *rip = NULL; (rip = gv_each_event(j->run, "nv-rip", node, rip));)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "kernel-oops", node, ev));) {
			struct gv_finding *f;

			if (ev->doc != rip->doc || rip->first.line < ev->first.line || rip->first.line - ev->first.line > BELOW)
				continue;
			f = gv_found_event(j, GV_K_DRIVER_HUNG, ev);
			gv_quote(f, rip->first);
			gv_set(j, f, "silent", "the kernel met an error inside it, in %.*s", GV_ARG(rip->cap[1]));
			return true;
		}
	return false;
}

static enum gv_answer hung_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_stacks(j, node);

	found |= by_events(j, node);
	found |= by_libraries(j, node);
	found |= by_processes(j, node);
	found |= by_oops(j, node);
	return found ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_driver_hung = {
	.id = "driver-hung",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = hung_run,
};
