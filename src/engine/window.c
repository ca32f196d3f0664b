/* SPDX-License-Identifier: Apache-2.0 */
/* --since and --until: what lies outside of the span is as if it had not been seen. Lines of logs are left out while
 * they are read (core/tally.c); here is what needs all of the evidence. */
#include "core/account.h"
#include "core/stream.h"
#include "derive/derive.h"
#include "engine/engine.h"

static bool later(struct gv_time a, struct gv_time b)
{
	if (a.clock != GV_CLOCK_WALL)
		return false;
	if (b.clock != GV_CLOCK_WALL || a.year != b.year)
		return b.clock != GV_CLOCK_WALL || a.year;
	return a.t > b.t;
}

static bool unresolved(const struct gv_window *w)
{
	return w->since.how == GV_MOMENT_AGO || w->until.how == GV_MOMENT_AGO;
}

static struct gv_time moment_of(const struct gv_account *look)
{
	return (struct gv_time){
		.t = look->wall, .clock = look->wall > 0 ? GV_CLOCK_WALL : GV_CLOCK_NONE, .zone = true, .year = true
	};
}

/* The last dated line of all logs, or when a machine was looked at. Of a large file it is known before the file is read. */
static struct gv_time last_of_logs(const struct gv_run *run)
{
	struct gv_time last = { 0 };

	for (size_t i = 0; i < run->docs.n; i++) {
		const struct gv_doc *doc = run->docs.v[i];

		if (later(doc->stream ? doc->stream->last : doc->last, last))
			last = doc->stream ? doc->stream->last : doc->last;
		if (doc->look && later(moment_of(doc->look), last))
			last = moment_of(doc->look);
	}
	return last;
}

/* A pipe or a member of an archive was read when it was met, before that was known. */
static bool read_before(const struct gv_run *run)
{
	for (size_t i = 0; i < run->docs.n; i++)
		if (run->docs.v[i]->stream && run->docs.v[i]->stream->read)
			return true;
	return false;
}

/* "2h ago" counts from that. */
void gv_window_begin(struct gv_run *run)
{
	struct gv_window *w = &run->window;
	struct gv_time last = { 0 };

	if (!w->on)
		return;
	if (unresolved(w)) {
		gv_derive_time(run);
		last = last_of_logs(run);
		w->late = read_before(run);
	}
	gv_window_resolve(w, last);
}

static bool last_boot(const struct gv_event *ev)
{
	return ev->boot_last >= ev->doc->boots;
}

/* Of a log that is not held "2h ago" is known at its end only: an event that lies partly within the span stays whole
 * then. */
static bool within(const struct gv_window *w, const struct gv_event *ev)
{
	return gv_window_side(w, ev->t_last) != GV_BEFORE && gv_window_side(w, ev->t_first) != GV_AFTER;
}

/* Events of boots before the last one go, and those outside; the tables are made anew from the others. */
static void leave_events(struct gv_run *run)
{
	size_t n = run->events.n;

	run->events.n = 0;
	run->events_by_sig = (struct gv_map){ .arena = run->arena };
	for (size_t k = 0; k < GV_KINDS; k++)
		run->events_of[k] = (struct gv_event_chain){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct gv_event *ev = run->events.v[i];

		if ((run->window.since.how == GV_MOMENT_BOOT && !last_boot(ev)) || !within(&run->window, ev)) {
			run->window.lines_out += ev->count;
			continue;
		}
		ev->next = ev->next_of_kind = NULL;
		gv_add_event(run, ev);
	}
}

static bool outside(const struct gv_window *w, const struct gv_block *b)
{
	return b && gv_window_side(w, b->when) != GV_INSIDE;
}

static void leave_outputs(struct gv_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->sights.n; i++)
		if (!outside(&run->window, run->sights.v[i]->block))
			run->sights.v[kept++] = run->sights.v[i];
	run->sights.n = kept;
	kept = 0;
	for (size_t i = 0; i < run->blocks.n; i++) {
		struct gv_block *b = run->blocks.v[i];

		if (outside(&run->window, b)) {
			run->window.outputs_out++;
			continue;
		}
		b->index = kept;
		run->blocks.v[kept++] = b;
	}
	run->blocks.n = kept;
}

/* After all was read, and before it is joined. */
void gv_window_end(struct gv_run *run)
{
	struct gv_window *w = &run->window;
	struct gv_time last = { 0 };
	bool logs;

	if (!w->on)
		return;
	last = last_of_logs(run);
	logs = last.clock == GV_CLOCK_WALL;
	for (size_t i = 0; i < run->blocks.n && !logs; i++)
		if (later(run->blocks.v[i]->when, last))
			last = run->blocks.v[i]->when;
	w->late |= unresolved(w);
	gv_window_resolve(w, last);
	if (w->late || w->since.how == GV_MOMENT_BOOT)
		leave_events(run);
	leave_outputs(run);
	for (size_t i = 0; i < run->docs.n; i++) {
		struct gv_doc *doc = run->docs.v[i];

		if (gv_window_side(w, doc->last) == GV_AFTER) /* "now" is the end of the span */
			doc->last.t += gv_time_between(w->until.at, doc->last);
	}
}
