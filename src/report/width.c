/* SPDX-License-Identifier: Apache-2.0 */
/* Text for terminals: what a character takes, lines of a width, nothing that steers the terminal. */
#include "report/common.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 200 /* columns of a word that is not worth more room: a hostile one may be a mebibyte long */

#define TOGETHER_MAX 24 /* bytes of words that are kept on one line */

struct range {
	uint32_t from, to;
};

/* Combining marks and variation selectors: they take no column. */
static const struct range zero[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },	{ 0x591, 0x5bd },   { 0x610, 0x61a },
	{ 0x64b, 0x65f },   { 0x6d6, 0x6dc },	{ 0x900, 0x902 },   { 0xe31, 0xe31 },
	{ 0xe34, 0xe3a },   { 0xe47, 0xe4e },	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

/* East Asian wide and full-width characters, pictographs. */
static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x4dbf },	  { 0x4e00, 0xa4cf },	{ 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },	{ 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

/* Characters that are not seen but do something: zero width, direction, line and paragraph separators. */
static const struct range unseen[] = {
	{ 0x0, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	      { 0x61c, 0x61c },
	{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

#define IN(c, table) in((c), (table), sizeof(table) / sizeof((table)[0]))
static bool in(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].from && c <= r[i].to)
			return true;
	return false;
}

/* Bytes of the character at the start of s (n > 0); 1 and U+FFFD where it is none. */
static size_t decode(gv_str s, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s.p;
	size_t len = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
	uint32_t c = len <= 1 ? *p : *p & (0x7fu >> len);

	*ret = 0xfffd;
	if (!len || len > s.n)
		return 1;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 1;
	*ret = c;
	return len;
}

static size_t columns(uint32_t c)
{
	if (c < 0x300)
		return 1; /* controls are written as one character */
	return IN(c, zero) ? 0 : IN(c, wide) ? 2 : 1;
}

static void put_char(struct gv_buf *out, uint32_t c, gv_str bytes)
{
	if (c == '\t')
		gv_putc(out, ' ');
	else if (c < 0x80 ? c < 0x20 || c == 0x7f : IN(c, unseen))
		gv_putc(out, '.');
	else if (c == 0xfffd)
		gv_puts(out, "\xef\xbf\xbd");
	else
		gv_put(out, bytes);
}

void gv_put_clean(struct gv_buf *out, gv_str s)
{
	uint32_t c;

	while (s.n) {
		size_t len = decode(s, &c);

		put_char(out, c, gv_sub(s, 0, len));
		s = gv_from(s, len);
	}
}

size_t gv_width(gv_str s)
{
	size_t w = 0;
	uint32_t c;

	while (s.n) {
		s = gv_from(s, decode(s, &c));
		w += columns(c);
	}
	return w;
}

static const struct gv_form plain = { .width = GV_REPORT_WIDTH };

static const struct gv_form *form_or_plain(const struct gv_form *form)
{
	return form && form->width ? form : &plain;
}

const char *gv_cut_mark(const struct gv_form *form)
{
	return form && form->ascii ? "..." : "…";
}

/* Writes at most `room` columns of s, the last one being the mark where it is cut. */
static void put_cut(struct gv_buf *out, const struct gv_form *form, gv_str s, size_t room)
{
	size_t at = 0, mark_n = out->n, mark_w = form->ascii ? 3 : 1; /* mark_n: where the mark goes if one is needed */
	uint32_t c;

	while (s.n) {
		size_t len = decode(s, &c), w = columns(c);

		if (at + w > room) {
			out->n = mark_n;
			gv_puts(out, gv_cut_mark(form));
			return;
		}
		put_char(out, c, gv_sub(s, 0, len));
		at += w;
		if (at + mark_w <= room)
			mark_n = out->n;
		s = gv_from(s, len);
	}
}

#define ROW_NAME 10 /* columns kept at the left of a row that is too wide */

static bool plain_ascii(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || (unsigned char)s.p[i] > '~')
			return false;
	return true;
}

void gv_put_row(struct gv_buf *out, const struct gv_form *form, size_t used, gv_str text)
{
	size_t room;

	form = form_or_plain(form);
	while (text.n && (text.p[text.n - 1] == ' ' || text.p[text.n - 1] == '\t' || text.p[text.n - 1] == '\r'))
		text.n--;
	room = used < form->width ? form->width - used : 1;
	if (text.n > room && room > 3 * ROW_NAME && plain_ascii(text)) {
		/* the first column names the row, and the last ones of wide tables are those that decide (%util, %idle) */
		put_cut(out, form, gv_sub(text, 0, ROW_NAME), ROW_NAME);
		gv_puts(out, form->ascii ? "..." : "…");
		gv_put_clean(out, gv_from(text, text.n - (room - ROW_NAME - (form->ascii ? 3 : 1))));
	} else {
		put_cut(out, form, text, room);
	}
	gv_putc(out, '\n');
}

void gv_put_clipped(struct gv_buf *out, const struct gv_form *form, size_t used, gv_str text)
{
	form = form_or_plain(form);
	put_cut(out, form, gv_trim(text), used < form->width ? form->width - used : 1);
	gv_putc(out, '\n');
}

/* As much of s as fits into `room` columns. */
static gv_str fitting(gv_str s, size_t room, size_t *ret_columns)
{
	size_t n = 0, at = 0;
	uint32_t c;

	while (n < s.n) {
		size_t len = decode(gv_from(s, n), &c), w = columns(c);

		if (at + w > room)
			break;
		at += w;
		n += len;
	}
	*ret_columns = at;
	return gv_sub(s, 0, n);
}

static void new_line(struct gv_buf *out, size_t indent, size_t *at)
{
	gv_putc(out, '\n');
	gv_pad(out, ' ', indent);
	*at = indent;
}

static bool is_one_of(char c, const char *chars)
{
	return c && strchr(chars, c);
}

/* "38.1", "~100", "(3": a number that a unit may follow. */
static bool is_number(gv_str w)
{
	bool digit = false;

	while (w.n && is_one_of(*w.p, "(<>~=+-"))
		w = gv_from(w, 1);
	for (size_t i = 0; i < w.n; i++) {
		if (!isdigit((unsigned char)w.p[i]) && w.p[i] != '.')
			return false;
		digit |= w.p[i] != '.';
	}
	return digit;
}

static bool is_unit(gv_str w)
{
	static const char *const units[] = { "%",      "W",	"V",	"A",	 "C",	  "s",	  "ms",
					     "us",     "ns",	"B",	"kB",	 "KB",	  "KiB",  "MB",
					     "MiB",    "GB",	"GiB",	"TB",	 "TiB",	  "B/s",  "kB/s",
					     "MB/s",   "MiB/s", "GB/s", "GiB/s", "KiB/s", "Mb/s", "Gb/s",
					     "Gbit/s", "MHz",	"GHz",	"GT/s",	 "bytes" };

	while (w.n && is_one_of(w.p[w.n - 1], ").,;:"))
		w.n--;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (gv_is(w, units[i]))
			return true;
	return false;
}

/* What is not broken: a word, a number with its unit, and what closes it. */
static bool next_unit(gv_str *text, gv_str *ret)
{
	gv_str word, more, rest;

	if (!gv_word(text, &word))
		return false;
	*ret = word;
	for (rest = *text; ret->n < TOGETHER_MAX && gv_word(&rest, &more) && more.p == word.p + word.n + 1;
	     *text = rest) {
		if (!(is_number(word) && is_unit(more)) && !(more.n <= 2 && is_one_of(*more.p, ")],;:")))
			break;
		ret->n = (size_t)(more.p + more.n - ret->p);
		word = more;
	}
	return true;
}

void gv_put_wrapped(struct gv_buf *out, const struct gv_form *form, size_t used, size_t indent, gv_str text)
{
	size_t at = used, w, part_w, width;
	bool first = true;
	gv_str word;

	form = form_or_plain(form);
	width = form->width;
	for (; next_unit(&text, &word); first = false) {
		gv_str rest = fitting(word, WORD_MAX, &w), part;
		bool cut = rest.n < word.n;

		w += !cut ? 0 : form->ascii ? 3 : 1;
		if (!first && at + 1 + w > width) {
			new_line(out, indent, &at);
		} else if (!first) {
			gv_putc(out, ' ');
			at++;
		}
		while (at + w > width) { /* wider than a line: broken at the edge */
			part = fitting(rest, at < width ? width - at : 0, &part_w);
			if (!part.n && at <= indent)
				break;
			gv_put_clean(out, part);
			rest = gv_from(rest, part.n);
			w -= part_w;
			new_line(out, indent, &at);
		}
		gv_put_clean(out, rest);
		if (cut)
			gv_puts(out, gv_cut_mark(form));
		at += w;
	}
	gv_putc(out, '\n');
}
