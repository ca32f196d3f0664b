/* SPDX-License-Identifier: Apache-2.0 */
/* Any text on its way to a terminal: nothing in it steers, no line is wider than asked for. */
#include <stdlib.h>

#include "fuzz.h"
#include "report/common.h"

#define WORD_MAX 200 /* columns: a word that is longer than a line stands alone on it */

static void check_lines(gv_str text, size_t width)
{
	gv_str line;

	gv_fuzz_check_text(text);
	gv_fuzz_check(gv_ends(text, "\n"));
	while (gv_next(&text, '\n', &line))
		if (gv_width(line) > width)
			gv_fuzz_bad("%zu columns where %zu are allowed: %.*s", gv_width(line), width, GV_ARG(line));
}

void gv_fuzz_terminal(const uint8_t *data, size_t n)
{
	struct gv_buf out = { 0 };
	struct gv_form form;
	bool cut;
	gv_str s, piece;

	if (!n)
		return;
	form = (struct gv_form){ 40 + (*data >> 1) % 81, *data & 1 };
	s = gv_fuzz_copy((gv_str){ (const char *)data + 1, n - 1 });
	gv_put_clean(&out, s);
	gv_fuzz_check_text(gv_buf_str(&out));
	gv_fuzz_check(gv_width(gv_buf_str(&out)) == gv_width(s));

	out.n = 0;
	gv_put_row(&out, &form, 0, s);
	check_lines(gv_buf_str(&out), form.width);
	out.n = 0;
	gv_put_clipped(&out, &form, 7, s);
	check_lines(gv_buf_str(&out), form.width - 7);
	out.n = 0;
	gv_put_wrapped(&out, &form, 4, 4, s);
	check_lines(gv_buf_str(&out), WORD_MAX);
	out.n = 0;
	gv_put_markdown(&out, &form, s);
	gv_fuzz_check_text(gv_buf_str(&out));

	piece = gv_piece(s, GV_PIECE, &cut);
	gv_fuzz_check(gv_fuzz_inside(piece, s));
	gv_buf_free(&out);
	free((char *)s.p);
}
