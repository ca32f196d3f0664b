/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to lines: decoding, cleaning, and cutting a paste into what each command printed. */
#include "core/evidence.h"

#include <string.h>

/* Length of the well-formed UTF-8 sequence at s[i]; 0 = ill-formed, *ret_bad = length of the maximal bad part. */
static size_t utf8_len(gv_str s, size_t i, size_t *ret_bad)
{
	const unsigned char *p = (const unsigned char *)s.p + i;
	size_t left = s.n - i, need;
	unsigned char lo = 0x80, hi = 0xbf;

	*ret_bad = 1;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		need = 1;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		need = 2;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		need = 3;
	else
		return 0;
	if (p[0] == 0xe0)
		lo = 0xa0;
	if (p[0] == 0xed)
		hi = 0x9f;
	if (p[0] == 0xf0)
		lo = 0x90;
	if (p[0] == 0xf4)
		hi = 0x8f;
	for (size_t k = 1; k <= need; k++, lo = 0x80, hi = 0xbf) {
		if (k >= left || p[k] < lo || p[k] > hi) {
			*ret_bad = k;
			return 0;
		}
	}
	return need + 1;
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t gv_from_utf16(gv_str b, bool big, bool end, char *out, size_t *ret_used)
{
	const unsigned char *p = (const unsigned char *)b.p;
	size_t n = 0, i = 0;

	for (; i + 1 < b.n; i += 2) {
		uint32_t c = big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 3 >= b.n && !end)
			break;
		if (c >= 0xd800 && c < 0xdc00 && i + 3 < b.n) {
			uint32_t d = big ? (uint32_t)p[i + 2] << 8 | p[i + 3] : (uint32_t)p[i + 3] << 8 | p[i + 2];

			if (d >= 0xdc00 && d < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
				i += 2;
			}
		}
		if ((c >= 0xd800 && c < 0xe000) || c == 0)
			c = 0xfffd;
		n += put_utf8(out + n, c);
	}
	*ret_used = i;
	return n;
}

static gv_str from_utf16(struct gv_arena *a, gv_str b, bool big)
{
	char *out = gv_alloc(a, GV_UTF16_ROOM(b.n));
	size_t used;

	return (gv_str){ out, gv_from_utf16(b, big, true, out, &used) };
}

/* UTF-16 without a byte order mark: mostly text whose every second byte is zero. 0 no, 1 little, 2 big endian. */
static int looks_utf16(gv_str b)
{
	size_t n = b.n < 4096 ? b.n & ~(size_t)1 : 4096, even = 0, odd = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		even += b.p[i] == 0;
		odd += b.p[i + 1] == 0;
	}
	if (n < 4)
		return 0;
	if (odd * 10 > n / 2 * 7 && even * 20 < n / 2)
		return 1;
	return even * 10 > n / 2 * 7 && odd * 20 < n / 2 ? 2 : 0;
}

static bool binary(gv_str b)
{
	size_t n = b.n < 65536 ? b.n : 65536, odd = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)b.p[i];

		if (c == 0)
			return true;
		odd += c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 27;
	}
	return odd * 20 > n;
}

static gv_str mend_utf8(struct gv_arena *a, gv_str b, size_t from)
{
	size_t bad, n = from;
	char *out = gv_alloc_n(a, b.n, 3);

	memcpy(out, b.p, from);
	for (size_t i = from; i < b.n;) {
		size_t len = utf8_len(b, i, &bad);

		if (len) {
			memcpy(out + n, b.p + i, len);
			n += len;
			i += len;
		} else {
			n += put_utf8(out + n, 0xfffd);
			i += bad;
		}
	}
	return (gv_str){ out, n };
}

gv_str gv_valid_utf8(struct gv_arena *a, gv_str b)
{
	size_t bad;

	for (size_t i = 0; i < b.n;) {
		size_t len;

		if ((unsigned char)b.p[i] < 0x80) {
			i++;
			continue;
		}
		len = utf8_len(b, i, &bad);
		if (!len)
			return mend_utf8(a, b, i);
		i += len;
	}
	return b;
}

enum gv_encoding gv_encoding_of(gv_str b)
{
	int wide;

	if (b.n >= 2 && (memcmp(b.p, "\xff\xfe", 2) == 0 || memcmp(b.p, "\xfe\xff", 2) == 0))
		return b.p[0] == '\xfe' ? GV_UTF16_BIG : GV_UTF16_LITTLE;
	wide = looks_utf16(b);
	if (wide)
		return wide == 2 ? GV_UTF16_BIG : GV_UTF16_LITTLE;
	return binary(b) ? GV_BINARY : GV_UTF8;
}

bool gv_to_utf8(struct gv_arena *a, gv_str b, gv_str *ret)
{
	int wide;

	if (b.n >= 2 && (memcmp(b.p, "\xff\xfe", 2) == 0 || memcmp(b.p, "\xfe\xff", 2) == 0)) {
		*ret = from_utf16(a, gv_from(b, 2), b.p[0] == '\xfe');
		return true;
	}
	wide = looks_utf16(b);
	if (wide) {
		*ret = from_utf16(a, b, wide == 2);
		return true;
	}
	if (binary(b))
		return false;
	if (b.n >= 3 && memcmp(b.p, "\xef\xbb\xbf", 3) == 0)
		b = gv_from(b, 3);
	*ret = gv_valid_utf8(a, b);
	return true;
}

gv_str gv_without_ansi(struct gv_arena *a, gv_str s)
{
	char *out = gv_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\b') {
			n -= n > 0;
			continue;
		}
		if (s.p[i] != 27) {
			out[n++] = s.p[i];
			continue;
		}
		if (i + 1 < s.n && s.p[i + 1] == '[') {
			for (i += 2; i < s.n && !(s.p[i] >= '@' && s.p[i] <= '~'); i++)
				;
		} else if (i + 1 < s.n && s.p[i + 1] == ']') {
			for (i += 2; i < s.n && s.p[i] != 7 && s.p[i] != 27; i++)
				;
			i += i + 1 < s.n && s.p[i] == 27;
		} else {
			i += i + 1 < s.n && (s.p[i + 1] == '(' || s.p[i + 1] == ')') ? 2 : 1;
		}
	}
	return (gv_str){ out, n };
}

/* Mail and Markdown quotes: "> text", "> > text", ">". A Python prompt (">>> ") is none. */
static gv_str without_quote(gv_str s)
{
	while (s.n && s.p[0] == '>' && !gv_starts(s, ">>>") && (s.n == 1 || s.p[1] == ' ' || s.p[1] == '>'))
		s = gv_from(s, s.n > 1 && s.p[1] == ' ' ? 2 : 1);
	return s;
}

gv_str gv_clean_line(struct gv_arena *a, gv_str raw)
{
	gv_str s = gv_rtrim(raw), record;
	const char *cr;

	if (gv_find_c(s, 27) >= 0 || gv_find_c(s, '\b') >= 0)
		s = gv_without_ansi(a, s);
	s = gv_rtrim(s);
	cr = s.n ? memrchr(s.p, '\r', s.n) : NULL; /* progress: what came last is what stays on the screen */
	s = gv_rtrim(without_quote(cr ? gv_from(s, (size_t)(cr + 1 - s.p)) : s));
	/* a code span that goes on over lines: its marks are no part of them */
	if (s.n > 1 && s.p[0] == '`' && s.p[1] != '`' && gv_find_c(gv_from(s, 1), '`') < 0)
		s = gv_from(s, 1);
	if (s.n && (s.p[s.n - 1] == '}' || s.p[s.n - 1] == ',') && gv_record_line(a, s, &record))
		return record;
	return s;
}

/* Lines of text, at most one more than may be kept. */
static size_t count_lines(gv_str t)
{
	size_t n = 0;

	for (const char *p = t.p, *end = t.p + t.n; p < end && n <= GV_LINES_MAX; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	return n;
}

static bool fence(gv_str s)
{
	return gv_starts(s, "```") || gv_starts(s, "~~~");
}

static void cut_lines(struct gv_arena *a, struct gv_doc *doc, size_t max_line)
{
	const char *p = doc->text.p, *end = p ? p + doc->text.n : NULL;

	doc->nlines = count_lines(doc->text);
	if (doc->nlines > GV_LINES_MAX) {
		doc->nlines = GV_LINES_MAX;
		doc->cut = true;
		doc->note = gv_fmt(a, "more than %d lines: the rest was left out", GV_LINES_MAX);
	}
	doc->lines = GV_NEWN(a, struct gv_line, doc->nlines + 1);
	for (size_t i = 0; i < doc->nlines; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct gv_line *l = &doc->lines[i];

		l->raw = (gv_str){ p, (size_t)((nl ? nl : end) - p) };
		l->no = (uint32_t)(i + 1);
		if (l->raw.n > max_line) {
			l->raw.n = max_line;
			if (!doc->note.n)
				doc->note = gv_fmt(a, "line %u is longer than %zu bytes: the rest was skipped", l->no,
						   max_line);
		}
		l->text = gv_clean_line(a, l->raw);
		if (fence(gv_trim(l->text)))
			l->flags |= GV_LINE_FENCE;
		p = nl ? nl + 1 : end;
	}
	if (doc->cut)
		doc->text.n = (size_t)(p - doc->text.p);
}

static struct gv_seg *new_seg(struct gv_arena *a, struct gv_doc *doc, size_t *cap, size_t first)
{
	if (doc->nsegs == *cap)
		doc->segs = gv_vec_grow(a, doc->segs, doc->nsegs, cap, sizeof(*doc->segs));
	doc->segs[doc->nsegs] = (struct gv_seg){ .first = first };
	return &doc->segs[doc->nsegs++];
}

#define COMMAND_MAX 4096 /* bytes; what follows is no command any more */

/* A command that goes on after a backslash is joined; its lines are prompts too. */
static gv_str whole_command(struct gv_arena *a, struct gv_doc *doc, size_t *i, gv_str cmd)
{
	while (gv_ends(cmd, "\\") && cmd.n < COMMAND_MAX && *i + 1 < doc->nlines) {
		struct gv_line *l = &doc->lines[++*i];

		l->flags |= GV_LINE_PROMPT;
		cmd = gv_fmt(a, "%.*s %.*s", (int)cmd.n - 1, cmd.p, GV_ARG(gv_trim(l->text)));
	}
	return cmd;
}

void gv_doc_split(struct gv_arena *a, struct gv_doc *doc, size_t max_line)
{
	size_t cap = 0;
	struct gv_sections sections = { 0 };
	struct gv_seg *seg;
	bool empty = true;

	cut_lines(a, doc, max_line);
	gv_read_records(a, doc);
	gv_mark_own(a, doc);
	seg = new_seg(a, doc, &cap, 0);
	for (size_t i = 0; i < doc->nlines; i++) {
		struct gv_line *l = &doc->lines[i];
		gv_str cmd, host = GV_NONE;
		enum gv_section section = gv_section(a, &sections, l->text, &cmd);

		if (l->flags & GV_LINE_OWN)
			seg->cmd = empty ? GV_NONE : seg->cmd; /* it answered with a report: that is no empty answer */
		if (l->flags & (GV_LINE_FENCE | GV_LINE_OWN)) {
			if (!empty) { /* what stands after a closing fence is prose again */
				seg->n = i - seg->first;
				seg = new_seg(a, doc, &cap, i + 1);
				empty = true;
			}
		} else if (section == GV_SECTION_GOES_ON && empty) {
			l->flags |= GV_LINE_PROMPT;
			seg->first = i + 1;
		} else if (section == GV_SECTION_BEGINS || gv_prompt(l->text, &cmd, &host)) {
			l->flags |= GV_LINE_PROMPT;
			seg->n = i - seg->first;
			cmd = whole_command(a, doc, &i, cmd);
			seg = new_seg(a, doc, &cap, i + 1);
			seg->cmd = cmd;
			seg->host = host;
			seg->container = gv_cmd_in_container(cmd);
			empty = true;
		} else if (gv_trim(l->text).n) {
			empty = false;
		}
	}
	seg->n = doc->nlines > seg->first ? doc->nlines - seg->first : 0;
}
