/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that ran out: the kernel killed, or an allocation of the job failed. */
#include "check/common_load.h"

/* The word stands in the description of a pod: see pods(). */
static bool of_a_pod(const struct gv_run *run, const struct gv_event *ev)
{
	if (!gv_is(ev->sig->id, "k8s-oomkilled"))
		return false;
	for (struct gv_entity *p = NULL; (p = gv_each(run, GV_POD, NULL, p));)
		for (size_t i = 0; i < 2; i++) {
			const struct gv_obs *o = gv_obs(p, i ? GV_F_POD_LAST_REASON : GV_F_POD_REASON);

			if (o && o->at.doc == ev->doc && (o->at.line == ev->first.line || o->at.line == ev->last.line))
				return true;
		}
	return false;
}

static bool killed(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_OOM_KILLER, node, ev));) {
		struct gv_finding *f;

		if (gv_is(ev->sig->id, "worker-killed"))
			continue; /* below: SIGKILL, sent by whomever */
		if (of_a_pod(j->run, ev))
			continue;
		f = gv_found_event(j, GV_K_OOM_KILLER, ev);
		if (gv_is(ev->sig->id, "oom-kill")) {
			gv_set_str(j, f, "pid", ev->last_cap[1]);
			gv_set_str(j, f, "name", ev->last_cap[2]);
		}
		if (gv_is(ev->sig->id, "oom-memcg") || gv_is(ev->sig->id, "oom-slurm") || gv_has(ev->cap[0], "Memory cgroup"))
			gv_set(j, f, "limit", "the limit of its cgroup was reached");
		any = true;
	}
	for (struct gv_event *ev = NULL; any && (ev = gv_each_event(j->run, "worker-killed", node, ev));)
		gv_found_event(j, GV_K_OOM_KILLER, ev);
	return any;
}

#define STORM 3 /* restarts: fewer, and it runs since */

/* It was started again, and runs. */
static bool recovered(const struct gv_entity *pod)
{
	double restarts;

	return gv_is(gv_text(pod, GV_F_POD_STATUS), "Running") && !gv_text(pod, GV_F_POD_REASON).n &&
	       gv_num(pod, GV_F_POD_RESTARTS, &restarts) && restarts < STORM;
}

static bool pods(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_POD, node, p));) {
		enum gv_fact fact = gv_is(gv_text(p, GV_F_POD_REASON), "OOMKilled")	   ? GV_F_POD_REASON
				    : gv_is(gv_text(p, GV_F_POD_LAST_REASON), "OOMKilled") ? GV_F_POD_LAST_REASON
											   : GV_FACTS;

		struct gv_finding *f;

		if (fact == GV_FACTS)
			continue;
		gv_quote_fact(f = gv_found(j, GV_K_OOM_KILLER, p), p, fact);
		if (fact == GV_F_POD_LAST_REASON && recovered(p))
			f->severity = GV_WARN;
		any = true;
	}
	return any;
}

/* A book, which shows how it looks: its start tells. */
static bool of_a_book(const struct gv_doc *doc)
{
	enum { CHAPTERS = 12, LOOKED_AT = 2000 };
	size_t n = 0;

	for (size_t i = 0; i < doc->nlines && i < LOOKED_AT; i++)
		n += gv_starts(doc->lines[i].text, "## ") || gv_starts(doc->lines[i].text, "### ");
	return n >= CHAPTERS;
}

/* The kernel was asked in the same paste, or its log is there: it would have said that it killed. */
static bool kernel_seen(const struct gv_run *run, const struct gv_event *ev)
{
	enum { COMMANDS = 256 }; /* of a paste */

	for (size_t i = 0; i < ev->doc->nsegs && i < COMMANDS; i++)
		if (gv_has(ev->doc->segs[i].cmd, "dmesg") || gv_has(ev->doc->segs[i].cmd, "journalctl"))
			return true;
	return gv_has_kernel_log(run, ev->node);
}

/* A bare "Killed" of the shell: anybody may send that signal; the kernel does for memory, and says so in its log. */
static bool by_shell(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_event *ev = gv_each_event(j->run, "shell-killed", node, NULL);
	struct gv_finding *f;

	if (!ev || gv_has_event(j->run, node, "elastic-signal") || gv_has_event(j->run, node, "killed-by-hand") ||
	    of_a_book(ev->doc) || kernel_seen(j->run, ev))
		return false;
	f = gv_found_event(j, GV_K_OOM_HOST, ev);
	f->severity = GV_WARN;
	f->confidence = GV_MEDIUM;
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = killed(j, node), seen;

	any |= pods(j, node);
	seen = any;
	for (struct gv_event *ev = NULL; !seen && (ev = gv_each_event(j->run, "worker-killed", node, ev));) {
		gv_found_event(j, GV_K_OOM_HOST, ev)->confidence = GV_MEDIUM;
		any = true;
	}
	any |= !any && by_shell(j, node);
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_OOM_HOST, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_OOM_HOST, ev);

		/* the same errno stands for other limits, such as locked memory */
		if (gv_is(ev->sig->id, "errno-12"))
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "line", ev->cap[0]);
		any = true;
	}
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_oom_host = {
	.id = "oom-host",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
