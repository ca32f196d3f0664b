/* SPDX-License-Identifier: Apache-2.0 */
/* When a finding was: now, recent, history. */
#include "engine/engine.h"

#define DAY 86400.0
#define LOADING 60.0	 /* seconds that one load of a driver may take, with eight GPUs to start */
#define XID_LOST 79	 /* "GPU has fallen off the bus" */
#define LOADING_LINES 16 /* and lines */

static bool same_clock(struct gv_time a, struct gv_time b)
{
	return a.clock == b.clock && a.year == b.year;
}

/* Answers of node_end() for the event before: thousands in a row ask the same. */
struct end {
	const struct gv_event *of;
	double t;
};

/* The last dated moment of a node, from its logs with the same clock as `like`; that of `like` is one. */
static double node_end(struct end *known, const struct gv_event *like)
{
	const struct gv_event *of = known->of;
	bool boot = like->t_last.clock == GV_CLOCK_BOOT;

	if (of && of->node == like->node && of->doc == like->doc && same_clock(of->t_last, like->t_last))
		return known->t;
	*known = (struct end){ like, like->t_last.t };
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(like->node, ev));) {
		/* seconds since boot are comparable within one document only */
		if (!same_clock(ev->t_last, like->t_last) || (boot && ev->doc != like->doc))
			continue;
		if (ev->t_last.t > known->t)
			known->t = ev->t_last.t;
	}
	if (same_clock(like->doc->last, like->t_last) && like->doc->last.t > known->t)
		known->t = like->doc->last.t;
	return known->t;
}

/* The driver says that it is loading after it has looked at its GPUs: what it said of them just before belongs to that load.
 * Lines that continue another have no stamp. */
static bool same_load(const struct gv_event *ev, const struct gv_event *load)
{
	if (ev->t_last.clock == GV_CLOCK_NONE || load->t_last.clock != ev->t_last.clock)
		return load->last.line - ev->last.line < LOADING_LINES;
	return load->t_last.t - ev->t_last.t < LOADING;
}

/* The load came after the event. Two commands may show the same log, so that lines in their order say nothing between them. */
static bool after(const struct gv_event *load, const struct gv_event *ev)
{
	if (load->seg == ev->seg || ev->t_last.clock == GV_CLOCK_NONE || load->t_last.clock == GV_CLOCK_NONE)
		return load->last.line > ev->last.line;
	return same_clock(load->t_last, ev->t_last) && load->t_last.t > ev->t_last.t;
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
			if (gv_is(m->sig->id, "nv-driver-load") && (same_load(ev, m) || !after(m, ev)))
				continue;
			/* no driver brings back a device that is off the bus: only power, or a start of the machine */
			if (gv_is(m->sig->id, "nv-driver-load") && (ev->sig->kind == GV_K_GPU_FELL_OFF_BUS || ev->code == XID_LOST))
				continue;
			if (ev->sig->kind == GV_K_AMDGPU_RAS && gv_starts(m->sig->id, "amd-"))
				continue;
			if (m->last.line > ev->last.line && m->boot_last == ev->boot_last)
				return true;
		}
	return false;
}

/* What ends with the process or the moment that it struck. Of a log that is known to reach up to now, one of days ago is no
 * fault of this day. */
static bool passes(enum gv_kind kind)
{
	static const enum gv_kind kinds[] = { GV_K_APP_KERNEL_FAULT, GV_K_OOM_KILLER, GV_K_MEMORY_PRESSURE,
					      GV_K_CPU_CLOCKS_CAPPED };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

static enum gv_when when_of(const struct gv_run *run, struct end *known, const struct gv_event *ev)
{
	if (ev->boot_last < ev->doc->boots || mended(run, ev))
		return GV_HISTORY;
	if (ev->t_last.clock == GV_CLOCK_NONE)
		return GV_NOW;
	return node_end(known, ev) - ev->t_last.t <= DAY ? GV_NOW : GV_RECENT;
}

/* Lines that only quote a message are all there is. */
static bool told_only(const struct gv_run *run, const struct gv_finding *f)
{
	if (!f->event || !f->event->told)
		return false;
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(run, f->kind, f->event->node, ev));)
		if (!ev->told)
			return false;
	return true;
}

/* It rests on what a person writes of the machine alone. */
static bool by_person(const struct gv_run *run, const struct gv_finding *f)
{
	if (!f->event || !f->event->sig->by_person)
		return false;
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(run, f->kind, f->event->node, ev));)
		if (!ev->sig->by_person)
			return false;
	return true;
}

/* Outputs and logs outrank what is written of them: where those show a fault, that is the ticket's subject. */
static void weigh_persons(struct gv_run *run)
{
	bool shown = false;

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		shown |= f->severity >= GV_WARN && f->when == GV_NOW && !by_person(run, f);
	}
	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		if (!by_person(run, f))
			continue;
		f->confidence = shown ? GV_LOW : f->confidence > GV_MEDIUM ? GV_MEDIUM : f->confidence;
		if (shown)
			f->severity = GV_NOTE;
	}
}

void gv_set_when(struct gv_run *run)
{
	struct end known = { 0 };

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		if (f->event && !f->fixed_when)
			f->when = when_of(run, &known, f->event);
		if (told_only(run, f))
			f->confidence = GV_LOW;
		if (f->when == GV_HISTORY || told_only(run, f) ||
		    (f->when == GV_RECENT && f->event && f->event->doc->look && passes(f->kind)))
			f->severity = GV_NOTE;
	}
	weigh_persons(run);
}
