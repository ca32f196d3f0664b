/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_deb.h"

struct paragraph {
	gv_str name, version, status;
	gv_str asks[4]; /* Pre-Depends, Depends, Recommends, Suggests: views of one or several lines */
	uint32_t lines[4];
	uint32_t line;
};

/* "libc6:any (>= 2.36) [amd64] <!nocheck>" */
static void add_one(struct gv_inspect *x, struct gv_package *p, gv_str text, bool optional, uint32_t line)
{
	size_t n = 0;

	text = gv_trim(text);
	while (n < text.n && !strchr(" \t\n(:[<", text.p[n]))
		n++;
	gv_add_require(x, p, gv_sub(text, 0, n), gv_between(text, "(", ")"), optional, line);
}

static void add_relations(struct gv_inspect *x, struct gv_package *p, gv_str field, bool optional, uint32_t line)
{
	gv_str group, one;

	while (gv_next(&field, ',', &group)) {
		bool first = true;

		while (gv_next(&group, '|', &one)) {
			add_one(x, p, one, optional || !first, line);
			first = false;
		}
	}
}

static void end_paragraph(struct gv_inspect *x, struct paragraph *para, gv_str dir, bool listed)
{
	struct gv_package *p;

	if (para->name.n && para->version.n && (!para->status.n || gv_ends(para->status, " installed"))) {
		p = gv_add_package(x, "deb", para->name, para->version);
		p->local = GV_NONE; /* "1.2+dfsg" says nothing */
		p->dir = dir;
		p->listed = listed;
		p->line = para->line;
		for (size_t i = 0; i < 4; i++)
			add_relations(x, p, para->asks[i], i >= 2, para->lines[i]);
	}
	*para = (struct paragraph){ 0 };
}

void gv_deb_paragraphs(struct gv_inspect *x, gv_str text, gv_str dir, bool listed)
{
	static const char *const names[] = { "Pre-Depends", "Depends", "Recommends", "Suggests" };
	struct gv_text_lines l = { .rest = text };
	struct paragraph para = { 0 };
	gv_str *field = NULL;

	while (gv_text_line(&l)) {
		gv_str key = gv_before(l.line, ":"), value = gv_trim(gv_from(l.line, key.n + 1));

		if (!gv_trim(l.line).n) {
			end_paragraph(x, &para, dir, listed);
			field = NULL;
			continue;
		}
		if (l.line.p[0] == ' ' || l.line.p[0] == '\t') {
			if (field) /* the field goes on: its view does */
				field->n = (size_t)(l.line.p + l.line.n - field->p);
			continue;
		}
		field = NULL;
		if (gv_is(key, "Package")) {
			para.name = value;
			para.line = l.n;
		} else if (gv_is(key, "Version")) {
			para.version = value;
		} else if (gv_is(key, "Status")) {
			para.status = value;
		}
		for (size_t i = 0; i < 4; i++)
			if (gv_is(key, names[i])) {
				field = &para.asks[i];
				*field = value;
				para.lines[i] = l.n;
			}
	}
	end_paragraph(x, &para, dir, listed);
}
