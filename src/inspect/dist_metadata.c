/* SPDX-License-Identifier: Apache-2.0 */
/* METADATA and PKG-INFO of Python packages: headers as of a mail, then a description that tells nothing.
 * "Requires-Dist: nvidia-cublas-cu12==12.4.5.8; platform_system == 'Linux'" */
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return (gv_is(it->name, "METADATA") && gv_py_in_dist(it)) ||
	       (gv_is(it->name, "PKG-INFO") && gv_starts(it->head, "Metadata-Version:")) ||
	       (gv_ends(it->name, ".egg-info") && gv_starts(it->head, "Metadata-Version:"));
}

struct header {
	gv_str name, value, raw;
	uint32_t line;
};

/* The next header; its value runs on over lines that begin with blanks. */
static bool next_header(gv_str *rest, uint32_t *line, struct header *ret)
{
	gv_str start = *rest, l;
	ptrdiff_t colon;

	if (!gv_next(rest, '\n', &l) || !gv_rtrim(l).n)
		return false;
	ret->line = ++*line;
	colon = gv_find_c(l, ':');
	ret->raw = gv_rtrim(l);
	ret->name = gv_trim(gv_sub(l, 0, colon < 0 ? 0 : (size_t)colon));
	while (rest->n && (rest->p[0] == ' ' || rest->p[0] == '\t')) {
		gv_next(rest, '\n', &l);
		++*line;
	}
	ret->value = gv_trim(gv_sub(start, (size_t)(colon + 1), (size_t)(l.p + l.n - start.p) - (size_t)(colon + 1)));
	return true;
}

static gv_str find_header(gv_str text, const char *name)
{
	struct header h;
	uint32_t line = 0;

	while (next_header(&text, &line, &h))
		if (gv_eq_nocase(h.name, gv_str_of(name)))
			return h.value;
	return GV_NONE;
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, find_header(text, "Name"), find_header(text, "Version"));
	struct gv_py_asks asks;
	struct header h;
	uint32_t line = 0;

	if (!p) {
		gv_file_note(x, "metadata of a package without a name");
		return;
	}
	asks = gv_py_asks(x, p);
	if (p->local.n)
		gv_py_name_dep(x, p, gv_fmt(x->arena, "Version: %.*s", GV_ARG(p->version)));
	while (next_header(&text, &line, &h))
		if (gv_eq_nocase(h.name, GV_STR("Requires-Dist")))
			gv_py_ask_text(&asks, h.value, GV_NONE, h.raw, h.line);
}

const struct gv_document gv_document_dist_metadata = { .type = "package metadata", .claim = claim, .read = read };
