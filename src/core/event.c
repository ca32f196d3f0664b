/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a document's text finds the literals of all signatures; the expressions run on the lines that hold one.
 * Host, time and boot are read only where an event was found, so that a document without any costs the one pass. */
#include "core/event.h"

#include "core/run.h"
#include "core/tally.h"

#define SCRATCH_BYTES (1u << 20)

struct scan {
	struct gv_sigs *s;
	struct gv_doc *doc;
	struct gv_tally tally;
	size_t line; /* that candidates are for */
	struct gv_cands *cands;
	struct gv_tally_line walked; /* the line walked last */
	struct gv_time now;	     /* its time, or that of a line above it and what dmesg -H added since */
	size_t walk_next;
	struct gv_arena *scratch;
};

static bool copied(const struct gv_doc *doc, const struct gv_line *l)
{
	return l->text.n && (l->text.p < doc->text.p || l->text.p >= doc->text.p + doc->text.n);
}

/* For signs of a boot each line up to this one is looked at. */
static void walk_to(struct scan *c, size_t line)
{
	const struct gv_doc *doc = c->doc;
	struct gv_tally_line *w = &c->walked;

	for (; c->walk_next <= line; c->walk_next++) {
		const struct gv_line *l = &doc->lines[c->walk_next];

		while (w->seg + 1 < doc->nsegs && doc->segs[w->seg + 1].first <= c->walk_next)
			w->seg++;
		w->no = l->no;
		w->raw = l->raw;
		w->text = l->text;
		gv_logline_parse(l->text, &w->log);
		if (w->log.delta && c->now.clock != GV_CLOCK_NONE) {
			c->now.t += w->log.since;
			w->log.when = c->now;
		} else if (w->log.when.clock != GV_CLOCK_NONE) {
			c->now = w->log.when;
		}
		gv_tally_walk(&c->tally, w);
	}
}

static void record(struct scan *c, size_t sig, const struct gv_match *m)
{
	struct gv_tally_hit h = { .sig = sig, .m = *m };
	enum gv_tally_kept kept;

	walk_to(c, c->line);
	if (gv_arena_bytes(c->scratch) > SCRATCH_BYTES) { /* a flood must not fill the run's */
		gv_arena_free(c->scratch);
		c->scratch = gv_arena_new();
	}
	h.bus = gv_bus_of(c->scratch, &c->s->sig[sig], m, c->walked.log.text);
	if (gv_tally_hit(&c->tally, &c->walked, &h, &kept) || !c->s->sig[sig].by_person)
		c->doc->lines[c->line].flags |= GV_LINE_SIGNED;
}

static void finish_line(struct scan *c)
{
	const struct gv_line *l = &c->doc->lines[c->line];
	struct gv_match m;

	if (!c->cands->n)
		return;
	gv_cands_sort(c->cands, c->s);
	if (!(l->flags & GV_LINE_PROMPT)) /* a command that greps for a message is not the message */
		for (size_t i = 0; i < c->cands->n; i++)
			if (gv_sigs_run(c->s, c->cands->v[i].sig, l->text, c->cands->v[i].near, &m))
				record(c, c->cands->v[i].sig, &m);
	gv_cands_begin(c->cands);
}

static void on_copied(void *ctx, uint32_t lit, size_t end)
{
	struct scan *c = ctx;

	if (lit < c->s->nlits)
		gv_cands_add(c->cands, c->s, lit, end);
}

static void enter_line(struct scan *c, size_t line)
{
	c->line = line;
	if (copied(c->doc, &c->doc->lines[line])) /* its escape sequences may stand amid a literal */
		gv_search(c->s->searcher, c->doc->lines[line].text, on_copied, c);
}

static void go_to(struct scan *c, size_t line)
{
	while (c->line < line) {
		finish_line(c);
		enter_line(c, c->line + 1);
	}
}

static void on_literal(void *ctx, uint32_t lit, size_t end)
{
	struct scan *c = ctx;
	const char *last = c->doc->text.p + end - 1;
	const struct gv_doc *doc = c->doc;
	size_t line = c->line;
	gv_str text;

	if (lit >= c->s->nlits) /* a mark: all lines are walked here */
		return;
	while (line + 1 < doc->nlines && doc->lines[line + 1].raw.p <= last)
		line++;
	go_to(c, line);
	text = doc->lines[line].text;
	if (!copied(doc, &doc->lines[line]) && text.n && last >= text.p && last < text.p + text.n)
		gv_cands_add(c->cands, c->s, lit, (size_t)(last - text.p) + 1);
}

void gv_sigs_scan(struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc)
{
	struct scan c = { .s = s, .doc = doc };

	if (!doc->nlines)
		return;
	gv_sigs_rested(s);
	gv_tally_begin(&c.tally, s, run, doc, false);
	c.cands = gv_cands_new(run->arena, s);
	c.scratch = gv_arena_new();
	enter_line(&c, 0);
	gv_search(s->searcher, doc->text, on_literal, &c);
	go_to(&c, doc->nlines - 1);
	finish_line(&c);
	if (c.tally.found.n) {
		walk_to(&c, doc->nlines - 1);
		gv_tally_end(&c.tally);
	}
	gv_arena_free(c.scratch);
}
