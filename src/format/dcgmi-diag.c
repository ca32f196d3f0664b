/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi diag -r N: a table of two columns. A row is a test with its result; below it, with empty or small words in the
 * left column, stand results by GPU and messages, which are cut at the width of the table. */
#include "format/common_dcgm.h"

#define PIECES_MAX 4096

struct diag {
	struct gv_read *r;
	gv_str test, result; /* as printed: "Pass - All", "Fail - GPU: 3" */
	const struct gv_line *result_at;
	bool message; /* the row at hand is a message that counts */
	gv_str text, about;
	const struct gv_line *text_at;
	bool cut; /* the last piece of it fills its cell: the next one goes on in the middle of a word */
};

static bool row_of(gv_str line, gv_str *ret_left, gv_str *ret_right)
{
	gv_str rest = line;

	return gv_box_cell(&rest, ret_left) && gv_box_cell(&rest, ret_right);
}

static bool is_head(gv_str line)
{
	gv_str left, right;

	return row_of(line, &left, &right) && gv_is(left, "Diagnostic") && gv_is(right, "Result");
}

/* A piece from the middle of a table begins with the result of a test: "| GPU Memory | Fail - GPU: 0 |". */
static bool is_result(gv_str line)
{
	gv_str left, right;

	return row_of(line, &left, &right) && left.n && gv_has(right, " - ") && gv_dcgm_rank(gv_trim(gv_before(right, " - ")));
}

/* "|-----  Deployment  --------+------|" */
static bool is_category(gv_str line)
{
	gv_str t = gv_trim(line);

	return gv_starts(t, "|---") || gv_starts(t, "+---");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 1;

	(void)seg;
	if (!is_head(l[0].text) && !is_result(l[0].text))
		return 0;
	while (end < n && !(l[end].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) && !is_head(l[end].text) &&
	       (gv_starts(gv_trim(l[end].text), "|") || gv_starts(gv_trim(l[end].text), "+")))
		end++;
	return end;
}

/* Text is cut where the cell ends, wherever that is, with up to two blanks behind it. */
static bool fills_cell(gv_str line)
{
	gv_str t = gv_rtrim(line), cell = gv_sub(t, 0, t.n - 1);

	return cell.n - gv_rtrim(cell).n <= 2;
}

static bool blank_first(gv_str line)
{
	gv_str t = gv_trim(line);
	ptrdiff_t bar = gv_find_c(gv_from(t, 1), '|');

	return bar >= 0 && gv_starts(gv_from(t, (size_t)bar + 2), "  ");
}

static void add_piece(struct diag *d, gv_str piece, const struct gv_line *l)
{
	if (d->cut && !blank_first(l->text))
		d->text = gv_fmt(d->r->arena, "%.*s%.*s", GV_ARG(gv_sub(d->text, 0, PIECES_MAX)), GV_ARG(piece));
	else
		d->text = gv_join_dcgm(d->r->arena, d->text, piece);
	d->cut = fills_cell(l->text);
}

static void finish_message(struct diag *d)
{
	if (d->message)
		gv_put_dcgm_says(d->r, false, d->text, d->about, d->text_at);
	d->message = false;
	d->text = d->about = GV_NONE;
}

static void finish_test(struct diag *d)
{
	finish_message(d);
	if (d->result.n)
		gv_put_dcgm_result(d->r, d->test, "dcgmi diag", gv_trim(gv_before(d->result, " - ")), d->result_at);
	d->test = d->result = GV_NONE;
}

/* What a message begins with; *ret_rest is what follows it in its cell. */
static bool begins_message(gv_str cell, gv_str *ret_rest)
{
	if (!gv_starts(cell, "Warning") && !gv_starts(cell, "Error"))
		return false;
	*ret_rest = gv_trim(gv_from(cell, gv_starts(cell, "Error") ? 5 : 7));
	if (gv_starts(*ret_rest, ":"))
		*ret_rest = gv_trim(gv_from(*ret_rest, 1));
	return true;
}

/* Messages count where their test did not pass: others tell how it went. */
static void begin_message(struct diag *d, gv_str text, gv_str about, const struct gv_line *l)
{
	finish_message(d);
	/* an error that stands below no test, or under a heading alone, is one of the whole run */
	d->message = !d->result.n || gv_dcgm_rank(d->result) >= gv_dcgm_rank(GV_STR("Warn"));
	d->text = text;
	d->cut = fills_cell(l->text);
	/* "Fail - GPUs: 0, 3" is of several */
	d->about = about.n ? about : gv_has(d->result, ",") ? GV_NONE : d->result;
	d->text_at = l;
}

/* "DCGM Version | 3.3.8", and the like */
static bool metadata(struct diag *d, gv_str left, gv_str right, const struct gv_line *l)
{
	if (gv_is(left, "Driver Version Detected"))
		gv_put_str(d->r, gv_see_node(d->r), GV_F_DRIVER_KERNEL, right, l);
	return gv_starts(left, "DCGM Version") || gv_starts(left, "Driver Version") ||
	       gv_starts(left, "GPU Device IDs") || gv_has(left, "EUD Test Version") || gv_starts(left, "Diagnostic");
}

static void read_row(struct diag *d, gv_str left, gv_str right, const struct gv_line *l)
{
	gv_str rest;

	if (!left.n && begins_message(right, &rest)) {
		begin_message(d, rest, GV_NONE, l);
	} else if (!left.n && gv_starts(right, "GPU") && gv_dcgm_rank(gv_trim(gv_after(right, ":")))) {
		finish_message(d); /* "GPU0: Fail" says no more than the messages do */
	} else if (!left.n && gv_has(right, " - ") && gv_dcgm_rank(gv_trim(gv_before(right, " - ")))) {
		finish_message(d); /* the other GPUs of the same test: "Pass - GPUs: 1, 2" and below it "Fail - GPU: 0" */
		if (gv_dcgm_rank(gv_trim(gv_before(right, " - "))) > gv_dcgm_rank(gv_trim(gv_before(d->result, " - ")))) {
			d->result = right;
			d->result_at = l;
		}
	} else if (!left.n) {
		if (d->message)
			add_piece(d, right, l);
	} else if (begins_message(left, &rest)) {
		begin_message(d, right, rest, l);
	} else if (gv_starts(left, "Info")) {
		finish_message(d);
	} else {
		finish_test(d);
		if (metadata(d, left, right, l) || !gv_dcgm_rank(right))
			return;
		d->test = left;
		d->result = right;
		d->result_at = l;
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct diag d = { .r = r };
	gv_str left, right;

	for (size_t i = is_head(l[0].text); i < n; i++)
		if (!is_category(l[i].text) && row_of(l[i].text, &left, &right))
			read_row(&d, left, right, &l[i]);
	finish_test(&d);
}

const struct gv_format gv_format_dcgmi_diag = {
	.name = "dcgmi diag",
	.heads = { "| Diagnostic", "| Pass - ", "| Fail - ", "| Warn - " },
	.claim = claim,
	.read = read,
};
