/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory that is held by what no longer runs. In a container the driver lists no processes: an empty list proves
 * nothing there. */
#include "check/common_load.h"

#define MOST 0.4 /* of the memory: far more than a desktop has in buffers that no process is told for */

enum { HELD = 2048, /* MiB: above the driver's own reserve, which is hundreds of MiB on large boards */
       QUIET = 3 /* % */,
       BUSY_DESKTOP = 10 /* %: what drawing windows takes */ };

static const char *const no_name[] = { "[Not Found]", "Not Found", "Unknown Error", NULL };

static bool dead(const struct gv_entity *p)
{
	static const char *const states[] = { "Z", "X", NULL };
	gv_str state = gv_text(p, GV_F_PROC_STATE);

	for (const char *const *s = states; *s; s++)
		if (gv_starts(state, *s))
			return true;
	return false;
}

static bool holds(const struct gv_entity *p)
{
	double mem;

	return (gv_num(p, GV_F_PROC_GPU_MEM, &mem) && mem > 0) || (p->parent && p->parent->kind == GV_GPU);
}

/* A list of processes that would name this one, and does not: `ps -p PID`, or all of them. */
static const struct gv_block *missing_from(const struct gv_run *run, const struct gv_entity *p)
{
	for (const struct gv_block *b = NULL; (b = gv_each_block_on(p->node, b));) {
		gv_str cmd = b->seg ? gv_trim(b->seg->cmd) : GV_NONE, w;
		bool asked = false, piped = gv_find_c(cmd, '|') >= 0; /* behind a pipe stands a part of the list */

		if (b->container || !b->n || (!gv_starts(cmd, "ps ") && !gv_starts(cmd, "sudo ps ")))
			continue;
		while (gv_word(&cmd, &w)) {
			gv_str pid;

			asked |= !piped && (gv_is(w, "aux") || gv_is(w, "-e") || gv_is(w, "-A") || gv_is(w, "-ef") ||
					    gv_starts(w, "-eo"));
			while (gv_next(&w, ',', &pid))
				asked |= gv_eq(pid, p->id);
		}
		if (asked)
			return b;
	}
	return NULL;
}

/* Somebody tried to end it, and the shell found none. */
static const struct gv_event *not_found(const struct gv_run *run, const struct gv_entity *p)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event(run, "kill-no-process", p->node, ev));)
		if (gv_eq(ev->subject, p->id))
			return ev;
	return NULL;
}

static struct gv_finding *made(struct gv_judge *j, const struct gv_entity *on, const struct gv_entity *p)
{
	struct gv_finding *f = gv_found(j, GV_K_STUCK_PROCESS, on);
	double mem;

	if (gv_num(p, GV_F_PROC_GPU_MEM, &mem))
		gv_set_num(j, f, "memory", mem);
	gv_set_str(j, f, "pid", p->id);
	gv_quote_fact(f, p, GV_F_PROC_GPU_MEM);
	return f;
}

/* Some tool besides the driver's knows it. */
static bool seen_by_ps(const struct gv_entity *p)
{
	static const enum gv_fact facts[] = { GV_F_PROC_STATE, GV_F_PROC_CPU_UTIL, GV_F_PROC_NAME };

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct gv_slot *s = gv_slot_of(p, facts[i]);

		for (size_t k = 0; k < s->n; k++)
			if (s->v[k].block && s->v[k].block->seg && gv_has(s->v[k].block->seg->cmd, "ps "))
				return true;
	}
	return false;
}

static bool processes(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, inside = gv_in_container(j->run, node);

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_PROC, node, p));) {
		const struct gv_obs *unnamed = gv_ever(p, GV_F_PROC_NAME, no_name);
		const struct gv_event *tried = not_found(j->run, p);
		double busy = NAN;

		if (!holds(p))
			continue;
		if (tried && !inside && !gv_text(p, GV_F_PROC_STATE).n) {
			struct gv_finding *f = made(j, p, p);

			f->confidence = GV_MEDIUM;
			gv_set(j, f, "state", "kill finds no such process");
			gv_quote(f, tried->first);
			any = true;
			continue;
		}
		if (dead(p)) {
			struct gv_finding *f = made(j, p, p);

			gv_set(j, f, "state", "a zombie");
			gv_quote_fact(f, p, GV_F_PROC_STATE);
			any = true;
		} else if (unnamed && !inside && !gv_obs_in_container(unnamed) && p->parent &&
			   !gv_text(p, GV_F_PROC_STATE).n && gv_num(p->parent, GV_F_GPU_UTIL, &busy) && busy <= QUIET) {
			struct gv_finding *f = made(j, p, p);

			f->confidence = GV_MEDIUM;
			gv_set(j, f, "state", "no longer in the process table");
			gv_quote(f, unnamed->at);
			gv_quote_fact(f, p->parent, GV_F_GPU_UTIL);
			any = true;
		} else if (!inside && !gv_text(p, GV_F_PROC_STATE).n && !seen_by_ps(p)) {
			const struct gv_block *list = missing_from(j->run, p);
			struct gv_finding *f;

			if (!list)
				continue;
			f = made(j, p, p);
			gv_set(j, f, "state", "no longer in the list of processes");
			gv_quote(f, (struct gv_place){ list->doc, list->doc->lines[list->first].no });
			any = true;
		}
	}
	return any;
}

/* Something was read that is seen on the machine itself: the kernel's log, its processes, its PCI functions. */
static bool on_the_host(const struct gv_run *run, const struct gv_entity *node)
{
	if (gv_count(run, GV_PCI, node))
		return true;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if (ev->kernel)
			return true;
	for (struct gv_entity *p = NULL; (p = gv_each(run, GV_PROC, node, p));)
		if (seen_by_ps(p) || p->parent) /* the driver names processes: it was not asked in a container */
			return true;
	return false;
}

/* What the listed processes hold together; false where one of them is not told, or computes. */
static bool listed(const struct gv_entity *gpu, double *ret)
{
	double m;

	*ret = 0;
	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));) {
		if (!gv_num(p, GV_F_PROC_GPU_MEM, &m) || gv_has(gv_text(p, GV_F_PROC_TYPE), "C"))
			return false;
		*ret += m;
	}
	return true;
}

/* Memory is held, no process in the list holds it, nothing runs. on_host: it is known that this is no container. */
static bool nobody(struct gv_judge *j, const struct gv_entity *gpu, bool on_host)
{
	const struct gv_obs *list = gv_obs(gpu, GV_F_GPU_PROCESS_LIST);
	double used, total, busy, told = 0;
	struct gv_finding *f;

	/* a guest of Windows is told no processes */
	if (gv_gpu_memory_is_hosts(gpu) || gv_has_nocase(gv_text(gpu->node, GV_F_KERNEL), "microsoft"))
		return false;
	if (!list || !listed(gpu, &told) || gv_obs_in_container(list) ||
	    gv_is(gv_text(gpu, GV_F_GPU_MIG), "Enabled") || !gv_num(gpu, GV_F_GPU_MEM_USED, &used) || used - told < HELD ||
	    (gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) && used - told < total * (told > 0 ? MOST : 0.05)) ||
	    !gv_num(gpu, GV_F_GPU_UTIL, &busy) || busy > (told > 0 ? BUSY_DESKTOP : QUIET))
		return false;
	f = gv_found(j, GV_K_STUCK_PROCESS, gpu);
	f->confidence = GV_MEDIUM;
	if (!on_host) { /* a container's list is empty, too */
		f->confidence = GV_LOW;
		f->severity = GV_NOTE;
	}
	gv_set_num(j, f, "memory", used - told);
	gv_set(j, f, "state", "not in the list of processes");
	gv_quote_fact(f, gpu, GV_F_GPU_MEM_USED);
	gv_quote(f, list->at);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = processes(j, node), seen = false;
	bool inside = gv_in_container(j->run, node), on_host = on_the_host(j->run, node);

	for (struct gv_entity *g = NULL; (g = gv_each(j->run, GV_GPU, node, g));) {
		any |= !inside && nobody(j, g, on_host);
		seen |= gv_obs(g, GV_F_GPU_PROCESS_LIST) != NULL;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_STUCK_PROCESS, node, ev));) {
		gv_found_event(j, GV_K_STUCK_PROCESS, ev)->confidence = GV_MEDIUM;
		any = true;
	}
	return any ? GV_FOUND : seen ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_stuck_process = {
	.id = "stuck-process",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
