/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/run.h"

#define CAPTURES_BYTES 1024 /* kept of the captures of an event's last line, in all */

struct quote {
	uint32_t no;
	gv_str raw; /* a copy, at most GV_QUOTE_BYTES */
};

/* What stays of the lines of an event. */
struct gv_kept {
	struct quote first, some[GV_KEEP];
	uint32_t last_no;
	size_t last_n;
	char *last;			  /* room for GV_QUOTE_BYTES; made at the second line */
	char *captures;			  /* room for CAPTURES_BYTES */
	const struct gv_found_line *line; /* the last one in the block that is being added; NULL none */
};

struct gv_log {
	struct gv_tally tally;
	struct gv_run *run;
	struct gv_doc *doc;
	size_t head_lines;
	uint64_t lines;	    /* of the blocks so far */
	uint64_t long_line; /* the first one that was not read to its end; 0 none */
	struct gv_time last;
	uint32_t *hard;			     /* by signature */
	size_t seg;			     /* of the line at hand, within the head */
	GV_VEC(struct gv_tallied *) touched; /* by the block */
};

struct gv_log *gv_log_new(struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc)
{
	struct gv_log *log = GV_NEW(run->arena, struct gv_log);

	gv_tally_begin(&log->tally, s, run, doc, true);
	log->run = run;
	log->doc = doc;
	log->head_lines = doc->nlines;
	log->hard = GV_NEWN(run->arena, uint32_t, s->n + 1);
	return log;
}

static struct quote keep(struct gv_log *log, const struct gv_found_line *l)
{
	return (struct quote){ l->line.no, gv_dup(log->run->arena, gv_cut(l->line.raw, GV_QUOTE_BYTES)) };
}

static void keep_captures(struct gv_log *log, struct gv_event *ev)
{
	for (size_t i = 0; i < GV_CAPS; i++)
		ev->cap[i] = ev->cap[i].n ? gv_dup(log->run->arena, gv_sub(ev->cap[i], 0, GV_QUOTE_BYTES)) : GV_NONE;
	memcpy(ev->last_cap, ev->cap, sizeof(ev->last_cap));
}

static void keep_hit(struct gv_log *log, struct gv_tallied *e, const struct gv_found_line *l, enum gv_tally_kept what)
{
	struct gv_kept *k = e->kept;

	if (!k)
		k = e->kept = GV_NEW(log->run->arena, struct gv_kept);
	if (what == GV_TALLY_FIRST) {
		k->first = keep(log, l);
		k->line = NULL;
		k->last_no = 0;
		keep_captures(log, e->ev);
		return;
	}
	if (what == GV_TALLY_SOME)
		k->some[e->ev->nsome - 1] = keep(log, l);
	if (!k->line)
		*gv_push(log->run->arena, &log->touched) = e;
	k->line = l;
}

/* The block goes: what the last line of an event says is copied now, not at every line of a flood. */
static void keep_last(struct gv_log *log, struct gv_tallied *e)
{
	struct gv_kept *k = e->kept;
	gv_str raw;
	size_t n = 0;

	if (!k->line) /* it began anew since */
		return;
	raw = gv_cut(k->line->line.raw, GV_QUOTE_BYTES);
	if (!k->last) {
		k->last = gv_alloc(log->run->arena, GV_QUOTE_BYTES);
		k->captures = gv_alloc(log->run->arena, CAPTURES_BYTES);
	}
	memcpy(k->last, raw.p, raw.n);
	k->last_n = raw.n;
	k->last_no = k->line->line.no;
	for (size_t i = 0; i < GV_CAPS; i++) {
		gv_str *cap = &e->ev->last_cap[i];

		*cap = gv_sub(*cap, 0, GV_QUOTE_BYTES < CAPTURES_BYTES - n ? GV_QUOTE_BYTES : CAPTURES_BYTES - n);
		if (!cap->n)
			continue;
		memcpy(k->captures + n, cap->p, cap->n);
		cap->p = k->captures + n;
		n += cap->n;
	}
	k->line = NULL;
}

static bool resting(const struct gv_log *log, size_t sig)
{
	return log->hard[sig] >= GV_SIGS_HARD;
}

static void add_line(struct gv_log *log, const struct gv_block_hits *b, struct gv_found_line *l)
{
	struct gv_doc *doc = log->doc;
	uint64_t no = log->lines + l->line.no + 1;
	size_t i = (size_t)no - 1;
	bool quiet = l->prompt;

	l->line.no = no > UINT32_MAX ? UINT32_MAX : (uint32_t)no;
	while (log->seg + 1 < doc->nsegs && doc->segs[log->seg + 1].first <= i)
		log->seg++;
	l->line.seg = log->seg;
	gv_tally_walk(&log->tally, &l->line);
	if (i < log->head_lines)
		quiet = doc->lines[i].flags & (GV_LINE_PROMPT | GV_LINE_OWN);
	if (quiet)
		return;
	for (size_t h = l->first; h < l->first + l->n; h++) {
		enum gv_tally_kept what;
		struct gv_tallied *e;

		if (resting(log, b->hits.v[h].sig))
			continue;
		if (i < log->head_lines)
			doc->lines[i].flags |= GV_LINE_SIGNED;
		e = gv_tally_hit(&log->tally, &l->line, &b->hits.v[h], &what);
		if (e)
			keep_hit(log, e, l, what);
	}
}

void gv_log_add(struct gv_log *log, const struct gv_block_hits *b)
{
	log->touched.n = 0;
	for (size_t i = 0; i < b->found.n; i++)
		add_line(log, b, &b->found.v[i]);
	for (size_t i = 0; i < log->touched.n; i++)
		keep_last(log, log->touched.v[i]);
	for (size_t i = 0; i < b->hard.n; i++)
		log->hard[b->hard.v[i].sig] += b->hard.v[i].n;
	if (b->long_line && !log->long_line)
		log->long_line = log->lines + b->long_line;
	if (b->last.clock != GV_CLOCK_NONE)
		log->last = b->last;
	log->lines += b->lines;
	log->doc->stream->bytes += b->bytes.n;
}

static int by_number(const void *a, const void *b)
{
	const struct gv_line *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

static void put_line(struct gv_log *log, uint32_t no, gv_str raw)
{
	struct gv_line l = { .raw = raw, .no = no, .flags = GV_LINE_SIGNED };

	if (!no || no <= log->head_lines)
		return;
	l.text = gv_clean_line(log->run->arena, raw);
	*gv_push(log->run->arena, &log->doc->stream->kept) = l;
}

static void put_lines(struct gv_log *log, const struct gv_tallied *e)
{
	const struct gv_kept *k = e->kept;

	put_line(log, k->first.no, k->first.raw);
	for (size_t i = 0; i < e->ev->nsome; i++)
		put_line(log, k->some[i].no, k->some[i].raw);
	put_line(log, k->last_no, (gv_str){ k->last, k->last_n });
}

void gv_log_end(struct gv_log *log)
{
	struct gv_stream *s = log->doc->stream;
	size_t n = 0;

	gv_tally_end(&log->tally);
	for (size_t i = 0; i < log->tally.found.n; i++) {
		if (!log->tally.found.v[i]->ev->count)
			continue;
		put_lines(log, log->tally.found.v[i]);
		*gv_push(log->run->arena, &s->events) = log->tally.found.v[i]->ev;
	}
	if (s->kept.n)
		qsort(s->kept.v, s->kept.n, sizeof(s->kept.v[0]), by_number);
	for (size_t i = 0; i < s->kept.n; i++)
		if (!n || s->kept.v[i].no != s->kept.v[n - 1].no)
			s->kept.v[n++] = s->kept.v[i];
	s->kept.n = n;
	s->lines = log->lines;
	s->read = true;
	if (log->last.clock != GV_CLOCK_NONE)
		s->last = log->last;
	if (log->long_line && !s->why.n)
		s->why = gv_fmt(log->run->arena, "line %llu is longer than %zu bytes: the rest was skipped",
				(unsigned long long)log->long_line,
				log->run->limits.line < GV_LOG_LINE ? log->run->limits.line : GV_LOG_LINE);
}

void gv_stream_events(struct gv_run *run, struct gv_doc *doc)
{
	for (size_t i = 0; i < doc->stream->events.n; i++)
		gv_add_event(run, doc->stream->events.v[i]);
}

void gv_stream_lines(struct gv_run *run, struct gv_doc *doc)
{
	const struct gv_stream *s = doc->stream;
	struct gv_line *v = GV_NEWN(run->arena, struct gv_line, doc->nlines + s->kept.n + 1);

	memcpy(v, doc->lines, doc->nlines * sizeof(*v));
	if (s->kept.n)
		memcpy(v + doc->nlines, s->kept.v, s->kept.n * sizeof(*v));
	doc->lines = v;
	doc->nlines += s->kept.n;
}
