/* SPDX-License-Identifier: Apache-2.0 */
/* Text that Markdown shows as it is: words that could mean something to it stand in code spans. */
#include <string.h>

#include "report/common_name.h"

/* A word that means something to Markdown, or to what shows it: mentions, numbers of issues, links, formulas. */
static bool special(gv_str word)
{
	static const char chars[] = "\\`*_[]<>|~&@#$";

	size_t colons = 0; /* ":100:" is a picture */

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] && strchr(chars, word.p[i]))
			return true;
		colons += word.p[i] == ':';
	}
	return colons > 1 || gv_has(word, "://") || gv_starts_nocase(word, "www.");
}

/* In tables a bar ends the cell even inside a code span. */
static void put_escaped_bars(struct gv_buf *b, gv_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '|')
			gv_putc(b, '\\');
		gv_putc(b, s.p[i]);
	}
}

/* A word as code where that is needed, and brackets and stops around it outside of the code. */
static void put_word(struct gv_buf *b, gv_str w, bool cell)
{
	struct gv_buf code = { 0 };
	size_t front = 0, back = w.n;

	if (!special(w)) {
		gv_put(b, w);
		return;
	}
	while (front < back && strchr("(\"'", w.p[front]) && w.p[front])
		front++;
	while (back > front && strchr(".,;:)\"'?!", w.p[back - 1]) && w.p[back - 1])
		back--;
	gv_put(b, gv_sub(w, 0, front));
	gv_put_code(&code, gv_sub(w, front, back - front));
	if (cell)
		put_escaped_bars(b, gv_buf_str(&code));
	else
		gv_put(b, gv_buf_str(&code));
	gv_put(b, gv_from(w, back));
	gv_buf_free(&code);
}

void gv_put_prose(struct gv_buf *b, gv_str s, bool cell)
{
	struct gv_buf clean = { 0 };
	gv_str rest, word;
	bool first = true;

	gv_put_clean(&clean, s);
	rest = gv_buf_str(&clean);
	while (gv_word(&rest, &word)) {
		if (!first)
			gv_putc(b, ' ');
		put_word(b, word, cell);
		first = false;
	}
	gv_buf_free(&clean);
}
