/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/common.h"

void gv_fuzz_bad(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

gv_str gv_fuzz_copy(gv_str s)
{
	char *p = malloc(s.n ? s.n : 1);

	if (!p)
		abort();
	if (s.n)
		memcpy(p, s.p, s.n);
	return (gv_str){ p, s.n };
}

bool gv_fuzz_inside(gv_str s, gv_str whole)
{
	return !s.n || (s.p >= whole.p && s.n <= whole.n && (size_t)(s.p - whole.p) <= whole.n - s.n);
}

uint16_t gv_fuzz_reader_id(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (uint16_t)(h ^ h >> 16);
}

void gv_fuzz_check_text(gv_str s)
{
	struct gv_arena *a = gv_arena_new();
	gv_str same;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 32 && c != '\n' && c != '\t') || c == 127)
			gv_fuzz_bad("control character %02x in text", c);
	}
	if (s.n >= 4 && (!gv_to_utf8(a, s, &same) || !gv_eq(same, s)))
		gv_fuzz_bad("invalid UTF-8 in text");
	gv_arena_free(a);
}

/* ---- a quote in a JSON report ---- */

struct quote {
	gv_str file, text;
	double line;
};

static void check_quote(const struct quote *q, const struct gv_run *run, gv_str json)
{
	gv_str text = gv_ends(q->text, "…") ? gv_sub(q->text, 0, q->text.n - strlen("…")) : q->text;

	for (size_t d = 0; d < run->docs.n; d++) {
		const struct gv_doc *doc = run->docs.v[d];
		const struct gv_line *l = gv_line_at((struct gv_place){ doc, (uint32_t)q->line });

		if (l && gv_eq(doc->name, q->file) && memmem(l->raw.p, l->raw.n, text.p, text.n))
			return;
	}
	gv_fuzz_bad("line %g of %.*s does not say \"%.*s\":\n%.*s", q->line, GV_ARG(q->file), GV_ARG(q->text),
		    GV_ARG(json));
}

void gv_fuzz_check_json(gv_str json, const struct gv_run *run)
{
	gv_str heap = gv_fuzz_copy(json), key[GV_JSON_DEPTH + 1] = { 0 };
	struct gv_json_in in = { .text = heap };
	struct gv_arena *a = gv_arena_new();
	struct quote q[GV_JSON_DEPTH + 1] = { 0 };
	enum gv_json_kind k;

	while ((k = gv_json_next(&in)) != GV_JSON_END) {
		unsigned d = in.depth;

		if (k == GV_JSON_ERROR)
			gv_fuzz_bad("bad JSON at %zu: %s\n%.*s", in.at, in.error, GV_ARG(json));
		else if (k == GV_JSON_OBJ)
			q[d] = (struct quote){ 0 };
		else if (k == GV_JSON_KEY)
			key[d] = in.raw;
		else if (k == GV_JSON_NUM && gv_is(key[d], "line"))
			gv_to_num(in.raw, &q[d].line);
		else if (k == GV_JSON_STR && gv_is(key[d], "file"))
			q[d].file = gv_json_unescape(a, in.raw);
		else if (k == GV_JSON_STR && gv_is(key[d], "text"))
			q[d].text = gv_json_unescape(a, in.raw);
		else if (k == GV_JSON_OBJ_END && run && q[d + 1].line && q[d + 1].text.n)
			check_quote(&q[d + 1], run, json);
	}
	gv_arena_free(a);
	free((char *)heap.p);
}

/* ---- a run ---- */

static void check_place(const struct gv_run *run, struct gv_place at)
{
	if (!at.doc)
		return;
	gv_fuzz_check(at.doc->index < run->docs.n && run->docs.v[at.doc->index] == at.doc);
	gv_fuzz_check(at.line >= 1 && gv_line_at(at) && gv_line_at(at)->no == at.line);
}

/* The bytes of a view exist. */
static unsigned touched;
static void touch(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		touched += (unsigned char)s.p[i];
}

static void check_entity(const struct gv_run *run, const struct gv_entity *e)
{
	gv_fuzz_check(e->kind < GV_ENTITY_KINDS);
	touch(e->id);
	for (size_t k = 0; k < GV_KEYS; k++)
		touch(e->key[k]);
	for (size_t f = 0, n = gv_fact_count(e->kind); f < n; f++) {
		const struct gv_fact_info *info = &gv_fact_info[gv_fact_first(e->kind) + f];

		for (size_t i = 0; i < e->slot[f].n; i++) {
			const struct gv_obs *o = &e->slot[f].v[i];

			check_place(run, o->at);
			gv_fuzz_check(o->state == GV_KNOWN || o->reason);
			if (o->state == GV_KNOWN && info->type != GV_STR_ && o->num - o->num != 0)
				gv_fuzz_bad("%s is %g", info->name, o->num);
			touch(o->str);
		}
	}
}

static void check_doc(const struct gv_doc *doc)
{
	gv_fuzz_check(doc->nsegs > 0);
	for (size_t i = 0; i < doc->nlines; i++) {
		if (doc->stream) /* of a log that is not held: the lines of its head, and those that are quoted */
			gv_fuzz_check(i ? doc->lines[i].no > doc->lines[i - 1].no : doc->lines[i].no >= 1);
		else
			gv_fuzz_check(doc->lines[i].no == i + 1 && gv_fuzz_inside(doc->lines[i].raw, doc->text));
		touch(doc->lines[i].raw);
		touch(doc->lines[i].text);
	}
	for (size_t i = 0; i < doc->nsegs; i++)
		gv_fuzz_check(doc->segs[i].first + doc->segs[i].n <= doc->nlines || !doc->segs[i].n);
	touch(doc->name);
	touch(doc->note);
	touch(doc->stem);
}

void gv_fuzz_check_run(const struct gv_run *run)
{
	for (size_t i = 0; i < run->docs.n; i++)
		check_doc(run->docs.v[i]);
	for (size_t i = 0; i < run->blocks.n; i++)
		gv_fuzz_check(run->blocks.v[i]->first + run->blocks.v[i]->n <= run->blocks.v[i]->doc->nlines);
	for (size_t i = 0; i < run->sights.n; i++)
		check_entity(run, run->sights.v[i]);
	for (size_t i = 0; i < run->entities.n; i++)
		check_entity(run, run->entities.v[i]);
	for (size_t i = 0; i < run->events.n; i++) {
		const struct gv_event *ev = run->events.v[i];

		gv_fuzz_check(ev->count >= 1 && ev->nsome <= GV_KEEP);
		check_place(run, ev->first);
		check_place(run, ev->last);
		gv_fuzz_check(ev->last.line >= ev->first.line);
		for (size_t k = 0; k < ev->nsome; k++)
			check_place(run, ev->some[k]);
		for (size_t k = 0; k < GV_CAPS; k++) {
			touch(ev->cap[k]);
			touch(ev->last_cap[k]);
		}
		touch(ev->host);
		touch(ev->subject);
	}
	for (size_t i = 0; i < run->findings.n; i++)
		for (size_t k = 0; k < run->findings.v[i]->nquotes; k++)
			check_place(run, run->findings.v[i]->quote[k]);
}
