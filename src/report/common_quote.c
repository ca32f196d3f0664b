/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common_quote.h"

#include <ctype.h>

#define LOOK_UP 200 /* lines above a row in which the names of its columns are looked for */
#define CELLS 64
#define RAW_MAX 1000 /* bytes of a line that are looked at: enough for any terminal */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t blanks_in_front(gv_str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	return n;
}

/* Cells of a line: parted by commas where there are at least two, else words. */
static size_t cells(gv_str s, gv_str *ret)
{
	gv_str rest = s, cell;
	size_t n = 0, commas = 0;

	for (size_t i = 0; i < s.n; i++)
		commas += s.p[i] == ',';
	if (commas < 2)
		return gv_words(s, ret, CELLS);
	for (; gv_next(&rest, ',', &cell); n++)
		if (n < CELLS)
			ret[n] = gv_trim(cell);
	return n;
}

static bool numeric(gv_str cell)
{
	return cell.n &&
	       (isdigit((unsigned char)*cell.p) || (cell.n > 1 && *cell.p == '-' && isdigit((unsigned char)cell.p[1])));
}

/* A row of a table: several cells, apart from each other by more than a blank, by bars or by commas, or mostly numbers.
 */
static bool is_row(gv_str s)
{
	gv_str cell[CELLS];
	size_t n = cells(s, cell), gaps = 0, bars = 0, numbers = 0;

	for (size_t i = 1; i < s.n; i++) {
		gaps += !is_blank(s.p[i]) && is_blank(s.p[i - 1]) &&
			(s.p[i - 1] == '\t' || (i > 1 && is_blank(s.p[i - 2])));
		bars += s.p[i] == '|' || s.p[i] == ',';
	}
	for (size_t i = 0; i < n && i < CELLS; i++)
		numbers += numeric(cell[i]);
	return n >= 3 && (gaps >= 4 || (numbers >= 2 && (gaps >= 3 || bars >= 2 || (gaps && numbers * 2 >= n))));
}

/* The names of columns: as many cells as the row has, give or take one, and no number among them. */
static bool is_header(gv_str s, size_t row_cells)
{
	gv_str cell[CELLS];
	size_t n = cells(s, cell);

	if (n < 3 || n + 1 < row_cells || n > row_cells + 1)
		return false;
	for (size_t i = 0; i < n && i < CELLS; i++)
		if (numeric(cell[i]) && gv_find_c(cell[i], ':') < 0) /* mpstat begins with the time */
			return false;
	return true;
}

static const struct gv_block *block_at(const struct gv_run *run, const struct gv_doc *doc, size_t i)
{
	for (size_t b = 0; b < run->blocks.n; b++) {
		const struct gv_block *x = run->blocks.v[b];

		if (x->doc == doc && i >= x->first && i < x->first + x->n)
			return x;
	}
	return NULL;
}

/* The line above a row, in the same output, that names its columns; NULL where none is near. */
static const struct gv_line *header_of(const struct gv_run *run, struct gv_place at)
{
	const struct gv_line *row = gv_line_at(at), *l;
	size_t i = row ? (size_t)(row - at.doc->lines) : 0, low, n;
	const struct gv_block *b = row ? block_at(run, at.doc, i) : NULL;
	gv_str cell[CELLS];

	if (!b)
		return NULL;
	n = cells(gv_sub(row->raw, 0, RAW_MAX), cell);
	low = i - b->first > LOOK_UP ? i - LOOK_UP : b->first;
	while (i-- > low) {
		l = &at.doc->lines[i];
		if (!is_header(gv_sub(l->raw, 0, RAW_MAX), n))
			continue;
		/* dmon has names and, below them, units */
		if (i > low && gv_starts(gv_trim(l->raw), "#") && gv_starts(gv_trim(l[-1].raw), "#") &&
		    is_header(gv_sub(l[-1].raw, 0, RAW_MAX), n))
			l--;
		return l;
	}
	return NULL;
}

/* Tabs become the blanks that they stand for. */
static void put_expanded(struct gv_buf *b, gv_str s)
{
	size_t from = b->n;

	s = gv_sub(s, 0, RAW_MAX);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\t')
			gv_pad(b, ' ', 8 - (b->n - from) % 8);
		else
			gv_putc(b, s.p[i]);
}

static size_t place_width(struct gv_place at)
{
	struct gv_buf b = { 0 };
	size_t w;

	gv_printf(&b, "%.*s:%u", GV_ARG(at.doc->name), at.line);
	w = gv_width(gv_buf_str(&b));
	gv_buf_free(&b);
	return w;
}

static void put_place(const struct gv_quotes *how, struct gv_place at, size_t width)
{
	size_t w = place_width(at);

	gv_pad(how->out, ' ', how->indent);
	gv_put_clean(how->out, at.doc->name);
	gv_printf(how->out, ":%u", at.line);
	gv_pad(how->out, ' ', (w < width ? width - w : 0) + 2);
}

static void put_header(const struct gv_quotes *how, gv_str header, size_t width)
{
	size_t used = how->indent + width + 2;

	if (how->color)
		gv_puts(how->out, "\033[2m");
	gv_pad(how->out, ' ', used);
	gv_put_row(how->out, how->form, used, header);
	if (how->color) { /* the line's end stands outside the colour */
		how->out->n--;
		gv_puts(how->out, "\033[0m\n");
	}
}

static size_t room_of(const struct gv_quotes *how)
{
	return how->form && how->form->width ? how->form->width : GV_REPORT_WIDTH;
}

/* With single blanks. */
static void put_squeezed(struct gv_buf *b, gv_str s)
{
	gv_str word;

	while (gv_word(&s, &word)) {
		gv_puts(b, b->n ? " " : "");
		gv_put(b, word);
	}
}

/* A row below the names of its columns, which are said once for rows that follow each other. */
static void put_row(const struct gv_quotes *how, struct gv_place at, size_t width, const struct gv_line **header)
{
	const struct gv_line *h = header_of(how->run, at);
	struct gv_buf row = { 0 }, head = { 0 };
	size_t cut, used = how->indent + width + 2;

	put_expanded(&row, gv_line_at(at)->raw);
	cut = blanks_in_front(gv_buf_str(&row));
	if (h) {
		put_expanded(&head, h->raw);
		cut = blanks_in_front(gv_buf_str(&head)) < cut ? blanks_in_front(gv_buf_str(&head)) : cut;
	}
	if (h && h != *header)
		put_header(how, gv_from(gv_buf_str(&head), cut), width);
	*header = h;
	put_place(how, at, width);
	if (!h && used + gv_width(gv_buf_str(&row)) - cut > room_of(how)) { /* no columns to keep: blanks may go */
		row.n = 0;
		put_squeezed(&row, gv_line_at(at)->raw);
		gv_put_clipped(how->out, how->form, used, gv_buf_str(&row));
	} else {
		gv_put_row(how->out, how->form, used, gv_from(gv_buf_str(&row), cut));
	}
	gv_buf_free(&row);
	gv_buf_free(&head);
}

/* Of a log entry that is one line of JSON, from its message on: what stands before it would fill the room. */
static gv_str from_message(gv_str raw)
{
	gv_str s = gv_trim(raw);
	ptrdiff_t at = gv_starts(s, "{") && gv_ends(s, "}") ? gv_find(s, "\"MESSAGE\"") : -1;

	return at > 0 ? gv_from(s, (size_t)at) : raw;
}

/* As it stands where it fits into the line; else with single blanks, on as many lines as it takes or cut. */
static void put_prose(const struct gv_quotes *how, struct gv_place at, size_t width)
{
	size_t used = how->indent + width + 2, room = room_of(how);
	struct gv_buf b = { 0 };
	gv_str piece;
	bool cut;

	piece = gv_piece(from_message(gv_line_at(at)->raw), GV_PIECE, &cut);
	put_expanded(&b, piece);
	put_place(how, at, width);
	if (!cut && used + gv_width(gv_buf_str(&b)) <= room) {
		gv_put_row(how->out, how->form, used, gv_buf_str(&b));
		gv_buf_free(&b);
		return;
	}
	b.n = 0;
	put_squeezed(&b, piece);
	if (cut)
		gv_puts(&b, gv_cut_mark(how->form));
	if (how->whole)
		gv_put_wrapped(how->out, how->form, used, how->indent + 4, gv_buf_str(&b));
	else
		gv_put_clipped(how->out, how->form, used, gv_buf_str(&b));
	gv_buf_free(&b);
}

void gv_put_quotes(const struct gv_quotes *how, const struct gv_place *q, size_t n)
{
	const struct gv_line *header = NULL;
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		if (gv_line_at(q[i]) && place_width(q[i]) > width)
			width = place_width(q[i]);
	if (width > 30) /* long names are not worth a column of blanks */
		width = 0;
	for (size_t i = 0; i < n; i++) {
		const struct gv_line *l = gv_line_at(q[i]);
		size_t w = l && width < place_width(q[i]) ? place_width(q[i]) : width;

		if (!l)
			continue;
		if (from_message(l->raw).n == l->raw.n && is_row(gv_sub(l->raw, 0, RAW_MAX))) {
			put_row(how, q[i], w, &header);
		} else {
			put_prose(how, q[i], w);
			header = NULL;
		}
	}
}
