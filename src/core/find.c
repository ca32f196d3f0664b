/* SPDX-License-Identifier: Apache-2.0 */
/* The hits of one block of a log. Nothing is done line by line but for the lines that hold a literal, a mark or an
 * escape sequence: lines are counted and escapes looked for sixteen bytes at a time. */
#include "core/find.h"

#include <string.h>

#include "core/run.h"

#define LOOK_BACK 64 /* lines above an undated one in which a date is looked for, and lines at the end of a block */

struct gv_finder {
	struct gv_sigs *sigs;
	struct gv_cands *cands;
	size_t max_line;
	bool window; /* undated lines need the last date above them */
	struct gv_block_hits *b;
	size_t start, end;  /* the line at hand */
	size_t counted, no; /* line ends before `counted`: the number of the line that begins there or holds it */
	gv_str text;	    /* of the line at hand, valid where `entered` */
	bool entered, copied, mark;
	bool escapes;	 /* the block holds some */
	size_t next_esc; /* the next one at or behind `end` */
};

typedef unsigned char v16 __attribute__((vector_size(16)));
typedef uint64_t v2 __attribute__((vector_size(16)));

static size_t sum(v16 v)
{
	size_t n = 0;

	for (int i = 0; i < 16; i++)
		n += v[i];
	return n;
}

static size_t count_ends(const char *p, size_t n)
{
	size_t count = 0;

	while (n >= 16) {
		size_t rows = n / 16 < 255 ? n / 16 : 255; /* a byte counts no further */
		v16 in = { 0 };

		for (size_t i = 0; i < rows; i++, p += 16) {
			v16 v;

			memcpy(&v, p, sizeof(v));
			in -= (v16)(v == '\n');
		}
		n -= rows * 16;
		count += sum(in);
	}
	for (size_t i = 0; i < n; i++)
		count += p[i] == '\n';
	return count;
}

static bool has_escapes(const char *p, size_t n)
{
	v16 any = { 0 };
	v2 halves;
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		v16 v;

		memcpy(&v, p + i, sizeof(v));
		any |= (v16)(v == 27) | (v16)(v == '\b');
	}
	memcpy(&halves, &any, sizeof(halves));
	if (halves[0] | halves[1])
		return true;
	for (; i < n; i++)
		if (p[i] == 27 || p[i] == '\b')
			return true;
	return false;
}

static size_t find_escape(gv_str s, size_t from)
{
	const char *p = s.p + from, *end = s.p + s.n;
	const char *esc = memchr(p, 27, (size_t)(end - p)), *back;

	if (!esc)
		esc = end;
	back = memchr(p, '\b', (size_t)(esc - p));
	return (size_t)((back ? back : esc) - s.p);
}

static bool ascii(gv_str s)
{
	uint64_t any = 0, v;
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		memcpy(&v, s.p + i, sizeof(v));
		any |= v;
	}
	for (; i < s.n; i++)
		any |= (unsigned char)s.p[i];
	return !(any & 0x8080808080808080u);
}

static size_t line_end(gv_str s, size_t from)
{
	const char *nl = from < s.n ? memchr(s.p + from, '\n', s.n - from) : NULL;

	return nl ? (size_t)(nl - s.p) : s.n;
}

static gv_str raw_of(const struct gv_finder *f)
{
	size_t n = f->end - f->start;

	return gv_sub(f->b->bytes, f->start, n > f->max_line ? f->max_line : n);
}

/* The date above a line that has none. */
static void push_date(struct gv_finder *f, size_t no)
{
	struct gv_block_hits *b = f->b;
	size_t end = f->start;
	struct gv_found_line l = { 0 };

	for (size_t back = 1; end && back <= LOOK_BACK && back <= no; back++) {
		const char *nl = memrchr(b->bytes.p, '\n', end - 1);
		size_t start = nl ? (size_t)(nl - b->bytes.p) + 1 : 0;

		l.line.raw = gv_sub(b->bytes, start, end - 1 - start);
		l.line.text = gv_sub(l.line.raw, 0, f->max_line);
		l.line.no = (uint32_t)(no - back);
		if (gv_logline_parse(l.line.text, &l.line.log) && l.line.log.when.clock != GV_CLOCK_NONE) {
			*gv_push(b->arena, &b->found) = l;
			return;
		}
		end = start;
	}
}

static void finish_line(struct gv_finder *f)
{
	struct gv_block_hits *b = f->b;
	struct gv_found_line l = { .first = b->hits.n };
	struct gv_tally_hit h;

	if (!f->entered || (!f->cands->n && !f->mark))
		return;
	gv_cands_sort(f->cands, f->sigs);
	for (size_t i = 0; i < f->cands->n; i++) {
		h.sig = f->cands->v[i].sig;
		if (!gv_sigs_run(f->sigs, h.sig, f->text, f->cands->v[i].near, &h.m))
			continue;
		if (l.first == b->hits.n)
			gv_logline_parse(f->text, &l.line.log);
		h.bus = gv_bus_of(b->arena, &f->sigs->sig[h.sig], &h.m, l.line.log.text);
		*gv_push(b->arena, &b->hits) = h;
	}
	l.n = b->hits.n - l.first;
	if (!l.n && !f->mark)
		return;
	if (!l.n)
		gv_logline_parse(f->text, &l.line.log);
	f->no += count_ends(b->bytes.p + f->counted, f->start - f->counted);
	f->counted = f->start;
	l.line.no = (uint32_t)f->no;
	l.line.raw = raw_of(f);
	if (!ascii(l.line.raw))
		l.line.raw = gv_valid_utf8(b->arena, l.line.raw);
	l.line.text = f->text;
	if (l.n) {
		gv_str cmd, host;

		l.prompt = l.line.log.when.clock == GV_CLOCK_NONE && gv_prompt(f->text, &cmd, &host);
		if (f->window && l.line.log.when.clock == GV_CLOCK_NONE)
			push_date(f, f->no);
	}
	*gv_push(b->arena, &b->found) = l;
}

static void on_copied(void *ctx, uint32_t lit, size_t end)
{
	struct gv_finder *f = ctx;

	if (lit < f->sigs->nlits)
		gv_cands_add(f->cands, f->sigs, lit, end);
	else
		f->mark = true;
}

/* The line that holds offset `at`, which lies behind the line at hand. */
static void enter_line(struct gv_finder *f, size_t from, size_t at)
{
	gv_str s = f->b->bytes, raw;
	const char *nl = at > from ? memrchr(s.p + from, '\n', at - from) : NULL;

	f->start = nl ? (size_t)(nl - s.p) + 1 : from;
	f->end = line_end(s, at);
	f->entered = true;
	f->mark = false;
	gv_cands_begin(f->cands);
	raw = raw_of(f);
	f->text = gv_clean_line(f->b->arena, ascii(raw) ? raw : gv_valid_utf8(f->b->arena, raw));
	f->copied = f->text.n && (f->text.p < raw.p || f->text.p >= raw.p + raw.n);
	if (f->copied) /* escape sequences may stand amid a literal */
		gv_search(f->sigs->searcher, f->text, on_copied, f);
}

/* Done with the line at hand, and with lines up to offset `at` that hold escape sequences. */
static void go_to(struct gv_finder *f, size_t at)
{
	size_t from, stop;

	finish_line(f);
	from = f->entered ? f->end + 1 : 0;
	stop = !f->escapes ? 0 : at < f->b->bytes.n ? line_end(f->b->bytes, at) : at + 1;
	while (f->escapes && from < f->b->bytes.n) {
		if (f->next_esc < from)
			f->next_esc = find_escape(f->b->bytes, from);
		if (f->next_esc >= f->b->bytes.n || line_end(f->b->bytes, f->next_esc) >= stop)
			break;
		enter_line(f, from, f->next_esc);
		finish_line(f);
		from = f->end + 1;
	}
	if (at < f->b->bytes.n)
		enter_line(f, from < at ? from : at, at);
}

static void on_literal(void *ctx, uint32_t lit, size_t end)
{
	struct gv_finder *f = ctx;
	const char *last = f->b->bytes.p + end - 1;

	if (!f->entered || end - 1 >= f->end)
		go_to(f, end - 1);
	if (f->copied || !f->text.n || last < f->text.p || last >= f->text.p + f->text.n)
		return;
	if (lit < f->sigs->nlits)
		gv_cands_add(f->cands, f->sigs, lit, (size_t)(last - f->text.p) + 1);
	else
		f->mark = true;
}

/* A line that is longer than is read lies where no line's end is found within so many bytes. */
static size_t first_long(gv_str s, size_t max, bool cut)
{
	size_t at = 0;

	while (s.n - at > max) {
		const char *nl = memrchr(s.p + at, '\n', max + 1);

		if (!nl)
			return 1 + count_ends(s.p, at);
		at = (size_t)(nl - s.p) + 1;
	}
	return cut ? 1 + count_ends(s.p, s.n) : 0;
}

struct gv_time gv_last_stamp(gv_str s)
{
	size_t end = s.n;

	for (size_t tries = 0; end && tries < LOOK_BACK; tries++) {
		const char *nl = memrchr(s.p, '\n', s.p[end - 1] == '\n' ? end - 1 : end);
		size_t start = nl ? (size_t)(nl - s.p) + 1 : 0;
		struct gv_logline l;

		if (gv_logline_parse(gv_rtrim(gv_sub(s, start, end - start < 4096 ? end - start : 4096)), &l) &&
		    l.when.clock != GV_CLOCK_NONE)
			return l.when;
		end = start;
	}
	return (struct gv_time){ 0 };
}

static void put_hard(void *ctx, size_t sig, uint32_t n)
{
	struct gv_block_hits *b = ctx;

	*gv_push(b->arena, &b->hard) = (struct gv_hard){ sig, n };
}

void gv_find_hits(struct gv_finder *f, struct gv_block_hits *b)
{
	gv_arena_free(b->arena);
	*b = (struct gv_block_hits){ .bytes = b->bytes, .cut = b->cut, .arena = gv_arena_new() };
	if (!b->bytes.n)
		return;
	f->b = b;
	f->start = f->end = f->counted = f->no = 0;
	f->entered = false;
	f->next_esc = 0;
	f->escapes = has_escapes(b->bytes.p, b->bytes.n);
	if (f->escapes)
		f->next_esc = find_escape(b->bytes, 0);
	gv_sigs_rested(f->sigs);
	gv_search(f->sigs->searcher, b->bytes, on_literal, f);
	go_to(f, b->bytes.n);
	b->lines = f->no + count_ends(b->bytes.p + f->counted, b->bytes.n - f->counted);
	b->lines += b->bytes.p[b->bytes.n - 1] != '\n';
	b->long_line = first_long(b->bytes, f->max_line, b->cut);
	b->last = gv_last_stamp(b->bytes);
	gv_sigs_each_hard(f->sigs, put_hard, b);
}

struct gv_finder *gv_finder_new(struct gv_arena *a, const struct gv_sigs *s, const struct gv_run *run)
{
	struct gv_finder *f = GV_NEW(a, struct gv_finder);

	f->sigs = gv_sigs_clone(a, s);
	f->cands = gv_cands_new(a, s);
	f->max_line = run->limits.line < GV_LOG_LINE ? run->limits.line : GV_LOG_LINE;
	f->window = run->window.on;
	return f;
}

void gv_finder_free(struct gv_finder *f)
{
	if (f)
		gv_sigs_free(f->sigs);
}
