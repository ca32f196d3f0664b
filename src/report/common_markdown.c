/* SPDX-License-Identifier: Apache-2.0 */
/* The runbook pages as plain text: headings, paragraphs, lists, code. */
#include "report/common.h"

#include <ctype.h>

/* Length of what begins an item of a list: "- ", "* ", "12. "; 0 where the line is none. */
static size_t bullet(gv_str s)
{
	size_t n = 0;

	if (s.n > 2 && (*s.p == '-' || *s.p == '*') && s.p[1] == ' ')
		return 2;
	while (n < s.n && n < 3 && isdigit((unsigned char)s.p[n]))
		n++;
	return n && n + 1 < s.n && s.p[n] == '.' && s.p[n + 1] == ' ' ? n + 2 : 0;
}

struct paragraph {
	struct gv_buf text;
	size_t lead, hang; /* blanks in front of the first line, and of the others */
};

static void flush(struct gv_buf *out, const struct gv_form *form, struct paragraph *p)
{
	if (!p->text.n)
		return;
	gv_pad(out, ' ', p->lead);
	gv_put_wrapped(out, form, p->lead, p->hang, gv_buf_str(&p->text));
	p->text.n = 0;
}

/* Backticks and the stars of bold words go; a star that stands alone stays. */
static void put_prose(struct gv_buf *b, gv_str s)
{
	bool code = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '`')
			code = !code;
		else if (!code && s.p[i] == '*' && i + 1 < s.n && s.p[i + 1] == '*')
			i++;
		else
			gv_putc(b, s.p[i]);
	}
}

static void prose(struct gv_buf *out, const struct gv_form *form, struct paragraph *p, gv_str line)
{
	gv_str text = gv_trim(line);
	size_t lead = (size_t)(text.p - line.p), mark = bullet(text);

	if (mark)
		flush(out, form, p);
	if (!p->text.n) {
		p->lead = mark ? lead : 0;
		p->hang = mark ? lead + mark : 0;
	} else {
		gv_putc(&p->text, ' ');
	}
	put_prose(&p->text, text);
}

void gv_put_markdown(struct gv_buf *out, const struct gv_form *form, gv_str page)
{
	struct paragraph p = { 0 };
	bool fence = false;
	gv_str line;

	while (gv_ends(page, "\n"))
		page.n--;
	while (gv_next(&page, '\n', &line)) {
		gv_str text = gv_trim(line);

		if (gv_starts(text, "```")) {
			flush(out, form, &p);
			fence = !fence;
		} else if (fence || (gv_starts(line, "    ") && !p.text.n)) {
			gv_puts(out, fence ? "    " : "");
			gv_put_clean(out, line);
			gv_putc(out, '\n');
		} else if (!text.n) {
			flush(out, form, &p);
			gv_putc(out, '\n');
		} else if (gv_starts(text, "#")) {
			flush(out, form, &p);
			while (text.n && *text.p == '#')
				text = gv_from(text, 1);
			gv_put_wrapped(out, form, 0, 0, text);
		} else if (gv_starts(text, "|")) { /* a table stands as it is */
			flush(out, form, &p);
			gv_put_clean(out, line);
			gv_putc(out, '\n');
		} else {
			prose(out, form, &p, line);
		}
	}
	flush(out, form, &p);
	gv_buf_free(&p.text);
}
