/* SPDX-License-Identifier: Apache-2.0 */
/* The host's cores: one at its end, all at their end, taken by the hypervisor, waiting for I/O. */
#include "check/common_load.h"

enum {
	SOFT_CORE = 20,	  /* %: of the hot core in software interrupts: it serves a network card */
};

/* A core at its end beside GPUs that are at work all the time, or that no job uses, keeps nobody waiting. */
static bool keeps_waiting(const struct gv_run *run, const struct gv_entity *node)
{
	enum gv_load l = gv_node_use(run, node);

	return l == GV_LOAD_LOW || l == GV_LOAD_PART || l == GV_LOAD_UNKNOWN;
}

static bool averaged(const struct gv_entity *node)
{
	return gv_flag(node, GV_F_CPU_SINCE_BOOT);
}

static bool hot_core(struct gv_judge *j, const struct gv_entity *node, const struct gv_cores *c)
{
	struct gv_finding *f;

	if (!gv_cores_hot(c))
		return false;
	f = gv_found(j, GV_K_CPU_HOT_CORE, node);
	f->confidence = averaged(node) ? GV_LOW : GV_MEDIUM;
	gv_set_str(j, f, "cpu", c->top->id);
	gv_set(j, f, "busy", "%.0f %%", c->top_busy);
	gv_set(j, f, "idle", "%.0f %%", c->idle);
	if (c->hot > 1)
		gv_set_num(j, f, "hot", (double)c->hot);
	if (c->top_soft >= SOFT_CORE)
		gv_set(j, f, "soft", "%.0f %%", c->top_soft);
	gv_quote_fact(f, c->top, GV_F_CPU_IDLE);
	gv_quote_fact(f, node, GV_F_IDLE);
	if (!keeps_waiting(j->run, node))
		f->severity = GV_NOTE;
	return true;
}

/* A kernel thread that serves interrupts is bound to its core: near its end it is that core's end, seen from top. */
static bool hot_softirq(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const kthread[] = { "ksoftirqd/", NULL };
	double util, idle;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_PROC, node, p));) {
		const struct gv_obs *name = gv_ever(p, GV_F_PROC_NAME, kthread);
		struct gv_finding *f;

		if (!name || !gv_num(p, GV_F_PROC_CPU_UTIL, &util) || util < 90 || !gv_num(node, GV_F_IDLE, &idle) || idle < 40)
			continue;
		f = gv_found(j, GV_K_CPU_HOT_CORE, node);
		f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "cpu", gv_trim(gv_before(gv_after(name->str, "ksoftirqd/"), "]")));
		gv_set(j, f, "busy", "%.0f %%", util);
		gv_set(j, f, "idle", "%.0f %%", idle);
		gv_set(j, f, "soft", "%.0f %%", util);
		gv_quote_fact(f, p, GV_F_PROC_CPU_UTIL);
		gv_quote_fact(f, node, GV_F_IDLE);
		return true;
	}
	return false;
}

static bool steal(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f;
	double v;

	if (!gv_num(node, GV_F_STEAL, &v) || v < fmin(gv_threshold(j->run, GV_T_STEAL_NOTE), gv_threshold(j->run, GV_T_STEAL)))
		return false;
	f = gv_found(j, GV_K_CPU_STEAL, node);
	gv_set(j, f, "steal", "%.1f %%", v);
	gv_quote_fact(f, node, GV_F_STEAL);
	if (v < gv_threshold(j->run, GV_T_STEAL))
		f->severity = GV_NOTE;
	if (averaged(node))
		f->confidence = GV_MEDIUM;
	return true;
}

static bool saturated(struct gv_judge *j, const struct gv_entity *node, const struct gv_cores *c)
{
	double usr, sys, queue, cpus, soft = 0, busy;
	struct gv_finding *f;

	if (!gv_num(node, GV_F_USR, &usr) || !gv_num(node, GV_F_SYS, &sys))
		return false;
	gv_num(node, GV_F_SOFT, &soft);
	busy = usr + sys + soft;
	if (busy < gv_threshold(j->run, GV_T_CORES_BUSY) || averaged(node) || (c->known && c->hot * 2 < c->known))
		return false;
	f = gv_found(j, GV_K_CPU_SATURATED, node);
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "busy", "%.0f %%", busy > 100 ? 100 : busy);
	gv_quote_fact(f, node, GV_F_USR);
	if (gv_num(node, GV_F_RUNNABLE, &queue) && gv_num(node, GV_F_CPUS, &cpus) && queue > cpus) {
		gv_set_num(j, f, "queue", queue);
		gv_set_num(j, f, "cpus", cpus);
		gv_quote_fact(f, node, GV_F_RUNNABLE);
		f->confidence = GV_HIGH;
	}
	if (!keeps_waiting(j->run, node))
		f->severity = GV_NOTE;
	return true;
}

static bool iowait(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f;
	double v, blocked;

	if (!gv_num(node, GV_F_IOWAIT, &v) || v < gv_threshold(j->run, GV_T_IOWAIT))
		return false;
	f = gv_found(j, GV_K_IOWAIT, node);
	f->confidence = averaged(node) ? GV_MEDIUM : GV_HIGH;
	gv_set(j, f, "wait", "%.1f %%", v);
	gv_quote_fact(f, node, GV_F_IOWAIT);
	if (gv_num(node, GV_F_BLOCKED, &blocked) && blocked > 0)
		gv_set_num(j, f, "blocked", blocked);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_cores c;
	bool any;

	gv_cores_read(j->run, node, &c);
	if (!c.known && !gv_obs(node, GV_F_IDLE))
		return GV_NODATA;
	any = steal(j, node);
	any |= saturated(j, node, &c);
	any |= iowait(j, node);
	any |= hot_core(j, node, &c) || hot_softirq(j, node);
	return any ? GV_FOUND : GV_PASS;
}

const struct gv_check gv_check_cpu = {
	.id = "cpu",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "CPU load",
	.run = run,
	.next_run = "mpstat -P ALL 1 5",
	.next_why = "to tell one hot core from a machine that is busy everywhere, and from waiting for I/O",
};
