/* SPDX-License-Identifier: Apache-2.0 */
/* Readers over documents: one pass finds the lines at which some reader's output may begin, then claims. */
#include <stdlib.h>

#include "base/ac.h"
#include "derive/derive.h"
#include "engine/engine.h"
#include "engine/stream.h"
#include "format/common.h"

struct head {
	uint32_t line; /* index into doc->lines */
	uint16_t format;
};

struct heads {
	struct gv_arena *arena;
	struct gv_doc *doc;
	const uint16_t *owner; /* format of a literal */
	size_t at;	       /* line that the scan has reached */
	GV_VEC(struct head) hits;
};

struct readers {
	struct gv_ac *ac;
	uint16_t *owner;
};

static struct readers make_readers(struct gv_arena *a)
{
	GV_VEC(gv_str) lits = { 0 };
	GV_VEC(uint16_t) owner = { 0 };

	for (size_t f = 0; f < gv_nformats; f++)
		for (size_t h = 0; h < GV_HEADS && gv_formats[f]->heads[h]; h++) {
			*gv_push(a, &lits) = gv_str_of(gv_formats[f]->heads[h]);
			*gv_push(a, &owner) = (uint16_t)f;
		}
	return (struct readers){ gv_ac_new(a, lits.v, lits.n), owner.v };
}

static void on_head(void *ctx, uint32_t lit, size_t end)
{
	struct heads *h = ctx;
	const char *p = h->doc->text.p + end - 1;
	struct head *last = h->hits.n ? &h->hits.v[h->hits.n - 1] : NULL;

	while (h->at + 1 < h->doc->nlines && h->doc->lines[h->at + 1].raw.p <= p)
		h->at++;
	if (last && last->line == h->at && last->format == h->owner[lit])
		return;
	*gv_push(h->arena, &h->hits) = (struct head){ (uint32_t)h->at, h->owner[lit] };
}

/* Lines of a known command's output at which its reader is asked too. */
#define FIRST_LINES 8

static bool names_any(gv_str cmd, const char *const *words)
{
	for (size_t i = 0; i < GV_CMDS && words[i]; i++)
		if (gv_has(cmd, words[i]))
			return true;
	return false;
}

static void heads_by_command(struct heads *h)
{
	for (size_t s = 0; s < h->doc->nsegs; s++) {
		const struct gv_seg *seg = &h->doc->segs[s];
		size_t from = seg->first ? seg->first - 1 : 0; /* the prompt itself: the answer may be empty */

		for (size_t f = 0; seg->cmd.n && f < gv_nformats; f++)
			for (size_t i = from; names_any(seg->cmd, gv_formats[f]->cmds) && i < seg->first + seg->n &&
					      i < from + FIRST_LINES; i++)
				*gv_push(h->arena, &h->hits) = (struct head){ (uint32_t)i, (uint16_t)f };
	}
}

static int by_line(const void *a, const void *b)
{
	const struct head *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->format > y->format) - (x->format < y->format);
}

/* By line, then by table; each reader once a line. */
static void sort_heads(struct heads *h)
{
	bool sorted = true;
	size_t kept = 0;

	for (size_t i = 1; i < h->hits.n && sorted; i++)
		sorted = by_line(&h->hits.v[i - 1], &h->hits.v[i]) < 0;
	if (sorted)
		return;
	qsort(h->hits.v, h->hits.n, sizeof(h->hits.v[0]), by_line);
	for (size_t i = 0; i < h->hits.n; i++)
		if (!kept || by_line(&h->hits.v[kept - 1], &h->hits.v[i]) != 0)
			h->hits.v[kept++] = h->hits.v[i];
	h->hits.n = kept;
}

/* The lines without their log prefixes, made at most once a document. */
static struct gv_line *bare_lines(struct gv_arena *a, const struct gv_doc *doc)
{
	struct gv_line *v = GV_NEWN(a, struct gv_line, doc->nlines + 1);

	for (size_t i = 0; i < doc->nlines; i++) {
		struct gv_logline l;

		v[i] = doc->lines[i];
		gv_logline_parse(v[i].text, &l);
		v[i].text = gv_rtrim(l.text);
	}
	return v;
}

static const struct gv_seg *seg_of(const struct gv_doc *doc, size_t line, size_t *hint)
{
	while (*hint + 1 < doc->nsegs && doc->segs[*hint + 1].first <= line)
		(*hint)++;
	return &doc->segs[*hint];
}

/* The segment that a prompt's own line opens, where the command printed nothing; NULL where it did. An empty answer is an
 * answer, and only the prompt is there to be read. */
static const struct gv_seg *silent_seg(const struct gv_doc *doc, size_t line, size_t hint)
{
	const struct gv_seg *seg = hint + 1 < doc->nsegs ? &doc->segs[hint + 1] : NULL;

	if (!seg || seg->first != line + 1 || !seg->cmd.n || !(doc->lines[line].flags & GV_LINE_PROMPT))
		return NULL;
	for (size_t i = seg->first; i < seg->first + seg->n; i++)
		if (gv_trim(doc->lines[i].text).n && !(doc->lines[i].flags & GV_LINE_FENCE))
			return NULL;
	return seg;
}

struct claim {
	const struct gv_format *format;
	const struct gv_line *lines; /* of the whole document */
	size_t n;
};

static void try_claim(struct claim *best, const struct gv_format *f, const struct gv_line *lines, size_t at, size_t left,
		      const struct gv_seg *seg)
{
	size_t n = f->claim(lines + at, left, seg);

	if (n > left)
		n = left;
	if (n > best->n)
		*best = (struct claim){ f, lines, n };
}

/* Since the first `from` sightings something was seen: a thing on the machine, or a fact of the machine. */
static bool any_seen(const struct gv_run *run, size_t from)
{
	for (size_t i = from; i < run->sights.n; i++) {
		const struct gv_entity *e = run->sights.v[i];

		if (e->kind != GV_NODE)
			return true;
		for (size_t f = 0; f < gv_fact_count(GV_NODE); f++)
			if (e->slot[f].n)
				return true;
	}
	return false;
}

static void read_block(struct gv_run *run, struct gv_doc *doc, const struct gv_seg *seg, const struct claim *c, size_t at)
{
	struct gv_block *b = GV_NEW(run->arena, struct gv_block);
	size_t before = run->sights.n;
	struct gv_read r = { run, run->arena, doc, b };

	*b = (struct gv_block){ .doc = doc, .seg = seg, .format = c->format, .tool = c->format->name, .first = at, .n = c->n,
				
				.container = seg->container || (doc->look && doc->look->container), .index = run->blocks.n };
	*gv_push(run->arena, &run->blocks) = b;
	c->format->read(&r, c->lines + at, c->n);
	b->seen = any_seen(run, before);
	for (size_t i = at; i < at + c->n; i++)
		doc->lines[i].flags |= GV_LINE_CLAIMED;
}

/* At most so many attempts on lines with their prefix cut off: a log is no place to look for outputs without end. */
#define BARE_TRIES 2000

static void read_document(struct gv_run *run, const struct readers *rd, struct gv_doc *doc)
{
	struct heads h = { .arena = run->arena, .doc = doc, .owner = rd->owner };
	struct gv_line *bare = NULL;
	size_t hint = 0, tries = 0;

	if (rd->ac)
		gv_ac_scan(rd->ac, doc->text, on_head, &h);
	heads_by_command(&h);
	sort_heads(&h);
	for (size_t i = 0; i < h.hits.n;) {
		size_t line = h.hits.v[i].line, next = i;
		const struct gv_seg *seg = seg_of(doc, line, &hint);
		size_t end = seg->first + seg->n, left = line < end ? end - line : 0;
		const struct gv_seg *silent = left ? NULL : silent_seg(doc, line, hint);
		struct claim best = { 0 };
		struct gv_logline l;

		if (silent) {
			seg = silent;
			left = 1 + seg->n;
		}

		for (; next < h.hits.n && h.hits.v[next].line == line; next++)
			if (left)
				try_claim(&best, gv_formats[h.hits.v[next].format], doc->lines, line, left, seg);
		if (!best.n && left && tries < BARE_TRIES && gv_logline_parse(doc->lines[line].text, &l)) {
			tries++;
			if (!bare)
				bare = bare_lines(run->arena, doc);
			for (size_t k = i; k < next; k++)
				try_claim(&best, gv_formats[h.hits.v[k].format], bare, line, left, seg);
		}
		if (best.n) {
			read_block(run, doc, seg, &best, line);
			while (next < h.hits.n && h.hits.v[next].line < line + best.n)
				next++;
		}
		i = next;
	}
}

static void read_one(struct gv_run *run, const struct readers *rd, struct gv_doc *doc)
{
	bool page = gv_doc_is_page(doc), no_log;

	if (page)
		doc->note = GV_STR("a page of documentation: nothing in it is taken for an output");
	else
		read_document(run, rd, doc);
	no_log = page || doc->no_log || gv_doc_is_source(doc);
	if (!doc->stream) {
		if (!no_log)
			gv_sigs_scan(gv_run_sigs(run), run, doc);
		return;
	}
	if (!doc->stream->read)
		gv_read_log(run, doc);
	if (no_log)
		return;
	gv_stream_events(run, doc);
	gv_stream_lines(run, doc);
}

void gv_read_all(struct gv_run *run)
{
	struct readers rd = make_readers(run->arena);

	run->sourced = run->unread.n;
	gv_window_begin(run);
	for (size_t i = 0; i < run->docs.n; i++)
		read_one(run, &rd, run->docs.v[i]);
	gv_sigs_free(run->sigs);
	run->sigs = NULL;
	gv_derive_time(run);
	gv_window_end(run);
	gv_derive_identity(run);
	gv_derive_looks(run);
	gv_derive_hops(run);
	gv_tell_children(run);
	gv_derive_job(run);
}
