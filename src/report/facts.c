/* SPDX-License-Identifier: Apache-2.0 */
/* `gpuvet facts` for people: what was read, with its place, and what was read but not understood. */
#include "report/common.h"

#include <stdlib.h>
#include <string.h>

#include "core/stream.h"

#define STRETCHES 12 /* unclaimed parts shown without --all */
#define NAME_COLS 28

static void place(struct gv_buf *out, struct gv_place at)
{
	if (!at.doc) {
		gv_puts(out, "(derived)");
		return;
	}
	gv_put_clean(out, at.doc->name);
	if (at.line)
		gv_printf(out, ":%u", at.line);
}

static void value(struct gv_buf *out, const struct gv_obs *o, enum gv_fact f)
{
	if (o->state != GV_KNOWN)
		gv_printf(out, "%s: %s", o->state == GV_UNKNOWN ? "unknown" : "not applicable",
			  o->reason ? o->reason : "no reason was given");
	else if (gv_fact_info[f].type == GV_STR_)
		gv_put_clean(out, o->str.n ? o->str : GV_STR("\"\""));
	else if (gv_fact_info[f].type == GV_FLAG)
		gv_puts(out, o->num != 0 ? "yes" : "no");
	else
		gv_put_number(out, o->num);
	if (o->state != GV_KNOWN || !*gv_fact_info[f].unit)
		return;
	gv_printf(out, " %s", gv_fact_info[f].unit);
	if (gv_is(gv_str_of(gv_fact_info[f].unit), "kB") && o->num >= 1048576)
		gv_printf(out, " (%.1f GiB)", o->num / 1048576);
}

/* What a series says: "41 % (median of 5: 3 to 99)", "3 to 99 %". */
static void series(struct gv_buf *out, enum gv_fact f, const struct gv_shown *s)
{
	bool several = gv_fact_info[f].type == GV_NUM && s->samples > 1 && s->min < s->max;

	if (!several || s->samples > 2)
		value(out, s->obs, f);
	if (!several)
		return;
	if (s->samples > 2)
		gv_printf(out, " (median of %zu: ", s->samples);
	gv_put_number(out, s->min);
	gv_puts(out, " to ");
	gv_put_number(out, s->max);
	if (s->samples > 2)
		gv_putc(out, ')');
	else if (*gv_fact_info[f].unit)
		gv_printf(out, " %s", gv_fact_info[f].unit);
}

/* Where an observation stands, when it was made, and what belongs to it. */
static void origin(struct gv_buf *out, const struct gv_obs *o)
{
	gv_puts(out, "  ");
	place(out, o->at);
	if (o->block && o->block->when.clock != GV_CLOCK_NONE) {
		gv_puts(out, "  at ");
		if (!gv_when_text(out, o->block->when))
			gv_puts(out, "an unknown time");
	}
	if (o->block && !o->block->latest && o->block->look)
		gv_printf(out, "  look %u", o->block->look);
	if (o->block && o->block->container)
		gv_puts(out, "  in a container");
}

static void fact(struct gv_buf *out, const struct gv_entity *e, enum gv_fact f, const struct gv_shown *s)
{
	gv_str name = gv_str_of(gv_fact_info[f].name);
	struct gv_other other;
	size_t at = 0;

	gv_puts(out, "  ");
	gv_put(out, name);
	gv_pad(out, ' ', name.n < NAME_COLS ? NAME_COLS - name.n : 1);
	series(out, f, s);
	origin(out, s->obs);
	gv_putc(out, '\n');
	while (gv_other(e, f, s, &at, &other)) {
		gv_pad(out, ' ', 4);
		gv_puts(out, other.differs ? "DIFFERS " : "also ");
		value(out, other.obs, f);
		if (other.samples > 1)
			gv_printf(out, " (last of %zu)", other.samples);
		origin(out, other.obs);
		if (other.obs->block && other.obs->block->tool)
			gv_printf(out, "  (%s)", other.obs->block->tool);
		gv_putc(out, '\n');
	}
}

static void heading(struct gv_buf *out, const struct gv_entity *e)
{
	static const char *const key[] = { [GV_KEY_BUS] = "bus",
					   [GV_KEY_INDEX] = "index",
					   [GV_KEY_MINOR] = "minor",
					   [GV_KEY_PID] = "pid",
					   [GV_KEY_UUID] = "uuid" };

	gv_puts(out, gv_entity_name[e->kind]);
	gv_putc(out, ' ');
	gv_put_clean(out, e->id.n ? e->id : GV_STR("(no id)"));
	for (size_t k = 0; k < GV_KEYS; k++)
		if (e->key[k].n && !gv_eq(e->key[k], e->id)) {
			gv_printf(out, ", %s ", key[k]);
			gv_put_clean(out, e->key[k]);
		}
	if (e->parent) {
		gv_printf(out, ", of %s ", gv_entity_name[e->parent->kind]);
		gv_put_clean(out, e->parent->id);
	}
	if (e->node && e->node != e) {
		gv_puts(out, ", on ");
		gv_put_clean(out, e->node->id);
	}
	if (e->block && !e->joined)
		gv_puts(out, " (belongs to no machine yet)");
	gv_putc(out, '\n');
}

static int by_name(const void *x, const void *y)
{
	return strcmp(gv_fact_info[*(const enum gv_fact *)x].name, gv_fact_info[*(const enum gv_fact *)y].name);
}

static void entity(struct gv_buf *out, const struct gv_entity *e, const struct gv_report_opts *opts)
{
	enum gv_fact first = gv_fact_first(e->kind), order[GV_FACTS];
	size_t n = gv_fact_count(e->kind);
	struct gv_buf missing = { 0 };

	heading(out, e);
	for (size_t i = 0; i < n; i++)
		order[i] = (enum gv_fact)(first + i);
	qsort(order, n, sizeof(order[0]), by_name);
	for (size_t i = 0; i < n; i++) {
		enum gv_fact f = order[i];
		struct gv_shown s = gv_show(e, f);

		if (s.obs)
			fact(out, e, f, &s);
		else
			gv_printf(&missing, "%s%s", missing.n ? ", " : "", gv_fact_info[f].name);
	}
	if (opts->all && missing.n) {
		gv_puts(out, "  not seen: ");
		gv_put_wrapped(out, &opts->form, 12, 4, gv_buf_str(&missing));
	}
	gv_buf_free(&missing);
}

static void quote(struct gv_buf *out, const struct gv_form *form, struct gv_place at)
{
	const struct gv_line *l = gv_line_at(at);
	bool cut;

	if (!l)
		return;
	gv_puts(out, "    ");
	place(out, at);
	gv_puts(out, "  ");
	gv_put_clean(out, gv_piece(l->raw, GV_PIECE, &cut));
	gv_puts(out, cut ? gv_cut_mark(form) : "");
	gv_putc(out, '\n');
}

static void event(struct gv_buf *out, const struct gv_form *form, const struct gv_event *ev)
{
	gv_puts(out, "event ");
	gv_put(out, ev->sig->id);
	if (ev->sig->kind >= 0 && ev->sig->kind < GV_KINDS)
		gv_printf(out, " (%s)", gv_kind_info[ev->sig->kind].name);
	if (ev->code >= 0)
		gv_printf(out, ", code %d", ev->code);
	if (ev->subject.n) {
		gv_puts(out, ", ");
		gv_put_clean(out, ev->subject);
	}
	if (ev->gpu) {
		gv_puts(out, ", gpu ");
		gv_put_clean(out, ev->gpu->id);
	}
	if (ev->node) {
		gv_puts(out, ", on ");
		gv_put_clean(out, ev->node->id);
	}
	if (ev->count > 1)
		gv_printf(out, ", %llu times", (unsigned long long)ev->count);
	if (ev->t_first.clock != GV_CLOCK_NONE) {
		gv_puts(out, ", ");
		gv_when_text(out, ev->t_first);
	}
	gv_putc(out, '\n');
	quote(out, form, ev->first);
	if (ev->count > 1)
		quote(out, form, ev->last);
}

/* Logs are mostly lines that mean nothing: one line says how many, the stretches only where all is wanted. */
static void unclaimed_log(struct gv_buf *out, const struct gv_doc *d)
{
	struct gv_stretch s;
	size_t at = 0, lines = 0, all = d->stream ? d->nlines - d->stream->kept.n : d->nlines;

	while (gv_unclaimed(d, &at, &s))
		lines += s.n;
	if (!lines)
		return;
	gv_puts(out, "  ");
	gv_put_clean(out, d->name);
	gv_printf(out, "  %zu of %s%zu log lines match no signature\n", lines, d->stream ? "its first " : "", all);
}

static void unclaimed(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	bool all = opts->all;
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < run->docs.n; i++) {
		const struct gv_doc *d = run->docs.v[i];
		struct gv_stretch s;
		size_t at = 0;

		if (d->log && !all) {
			unclaimed_log(&b, d);
			continue;
		}
		for (; gv_unclaimed(d, &at, &s); n++) {
			size_t from = b.n;

			if (n >= STRETCHES && !all)
				continue;
			gv_puts(&b, "  ");
			gv_put_clean(&b, d->name);
			gv_printf(&b, ":%u", s.from);
			if (s.to != s.from)
				gv_printf(&b, "-%u", s.to);
			gv_puts(&b, "  ");
			gv_put_clipped(&b, &opts->form, gv_width(gv_from(gv_buf_str(&b), from)), s.first);
		}
	}
	if (b.n) {
		gv_puts(out, "\nText that no reader knows and no signature matches:\n");
		gv_put(out, gv_buf_str(&b));
	}
	if (n > STRETCHES && !all)
		gv_printf(out, "  and %zu more (--all lists them)\n", n - STRETCHES);
	gv_buf_free(&b);
}

static void unread(struct gv_buf *out, const struct gv_run *run)
{
	if (run->unread.n)
		gv_puts(out, "\nNot read:\n");
	for (size_t i = 0; i < run->unread.n; i++) {
		gv_puts(out, "  ");
		gv_put_clean(out, run->unread.v[i].file);
		gv_puts(out, ": ");
		gv_put_clean(out, run->unread.v[i].why);
		gv_putc(out, '\n');
	}
}

static void write_facts(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	const struct gv_entity *e;
	size_t at = 0, n = 0;

	for (; (e = gv_shown_entity(run, &at)); n++) {
		if (n)
			gv_putc(out, '\n');
		entity(out, e, opts);
	}
	if (n && run->events.n)
		gv_putc(out, '\n');
	for (size_t i = 0; i < run->events.n; i++)
		event(out, &opts->form, run->events.v[i]);
	if (!run->sights.n && !run->events.n)
		gv_puts(out, "No fact was read.\n");
	for (size_t i = 0; i < run->docs.n; i++)
		if (run->docs.v[i]->note.n) {
			gv_puts(out, "\nnote: ");
			gv_put_clean(out, run->docs.v[i]->name);
			gv_puts(out, ": ");
			gv_put_clean(out, run->docs.v[i]->note);
			gv_putc(out, '\n');
		}
	unclaimed(out, run, opts);
	unread(out, run);
}

const struct gv_report gv_report_facts = { "facts", write_facts };
