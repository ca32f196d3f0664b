/* SPDX-License-Identifier: Apache-2.0 */
/* When a finding was: now, recent, history. */
#include "engine/engine.h"

#define DAY 86400.0
#define LOADING 60.0	 /* seconds that one load of a driver may take, with eight GPUs to start */
#define LOADING_LINES 16 /* and lines */

/* The last dated moment of a node, from its logs with the same clock as `like`. */
static bool node_end(const struct gv_run *run, const struct gv_event *like, double *ret)
{
	bool any = false;

	for (size_t i = 0; i < run->events.n + run->docs.n; i++) {
		const struct gv_event *ev = i < run->events.n ? run->events.v[i] : NULL;
		const struct gv_doc *doc = ev ? ev->doc : run->docs.v[i - run->events.n];
		struct gv_time t = ev ? ev->t_last : doc->last;

		if ((ev ? ev->node != like->node : doc != like->doc) || t.clock != like->t_last.clock ||
		    t.year != like->t_last.year)
			continue;
		/* seconds since boot are comparable within one document only */
		if (t.clock == GV_CLOCK_BOOT && doc != like->doc)
			continue;
		if (!any || t.t > *ret)
			*ret = t.t;
		any = true;
	}
	return any;
}

/* The driver says that it is loading after it has looked at its GPUs: what it said of them just before belongs to that load.
 * Lines that continue another have no stamp. */
static bool same_load(const struct gv_event *ev, const struct gv_event *load)
{
	if (ev->t_last.clock == GV_CLOCK_NONE || load->t_last.clock != ev->t_last.clock)
		return load->last.line - ev->last.line < LOADING_LINES;
	return load->t_last.t - ev->t_last.t < LOADING;
}

/* The driver was loaded again, or the GPU was reset, after the event: the state it spoke of is gone. */
static bool mended(const struct gv_run *run, const struct gv_event *ev)
{
	static const char *const ends[] = { "nv-driver-load", "nv-reset-ok", "amd-reset-ok" };

	if (gv_kind_info[ev->sig->kind < 0 ? 0 : ev->sig->kind].stage != GV_STAGE_VISIBLE || ev->sig->kind < 0)
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		for (struct gv_event *m = NULL; (m = gv_each_event(run, ends[i], ev->node, m));) {
			if (m == ev || m->doc != ev->doc || m->sig->kind == ev->sig->kind)
				continue;
			/* another GPU's reset; and the reset that amdgpu answers a memory error with is part of that error */
			if (m->bus.n && ev->bus.n && !gv_eq(m->bus, ev->bus))
				continue;
			if (gv_is(m->sig->id, "nv-driver-load") && same_load(ev, m))
				continue;
			if (ev->sig->kind == GV_K_AMDGPU_RAS && gv_starts(m->sig->id, "amd-"))
				continue;
			if (m->last.line > ev->last.line && m->boot_last == ev->boot_last)
				return true;
		}
	return false;
}

static enum gv_when when_of(const struct gv_run *run, const struct gv_event *ev)
{
	double end = 0;

	if (ev->boot_last < ev->doc->boots || mended(run, ev))
		return GV_HISTORY;
	if (ev->t_last.clock == GV_CLOCK_NONE || !node_end(run, ev, &end))
		return GV_NOW;
	return end - ev->t_last.t <= DAY ? GV_NOW : GV_RECENT;
}

void gv_set_when(struct gv_run *run)
{
	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		if (f->event && !f->fixed_when)
			f->when = when_of(run, f->event);
		if (f->when == GV_HISTORY)
			f->severity = GV_NOTE;
	}
}
