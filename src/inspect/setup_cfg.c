/* SPDX-License-Identifier: Apache-2.0 */
/* setup.cfg of a project: install_requires of [options], a line each, and the lists of [options.extras_require]. */
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "setup.cfg");
}

struct cfg {
	gv_str rest, line;
	gv_str section, key, value; /* at hand; `value` of this line alone */
	uint32_t n;
};

/* The next line with a value: of the key on it, or of that of a line before. */
static bool next_value(struct cfg *c)
{
	while (gv_next(&c->rest, '\n', &c->line)) {
		gv_str l = gv_trim(c->line);
		ptrdiff_t eq;

		c->n++;
		if (!l.n || l.p[0] == '#' || l.p[0] == ';')
			continue;
		if (gv_starts(l, "[") && gv_ends(l, "]") && !gv_indent(c->line)) {
			c->section = gv_sub(l, 1, l.n - 2);
			c->key = GV_NONE;
			continue;
		}
		c->value = l;
		if (gv_indent(c->line))
			return true;
		eq = gv_find_c(l, '=');
		if (eq < 0)
			continue;
		c->key = gv_trim(gv_sub(l, 0, (size_t)eq));
		c->value = gv_trim(gv_from(l, (size_t)eq + 1));
		return true;
	}
	return false;
}

static gv_str find_value(gv_str text, const char *section, const char *key)
{
	struct cfg c = { .rest = text };

	while (next_value(&c))
		if (gv_is(c.section, section) && gv_is(c.key, key))
			return c.value;
	return GV_NONE;
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct cfg c = { .rest = text };
	gv_str name = find_value(text, "metadata", "name");
	struct gv_package *p;
	struct gv_py_asks asks;

	if (!name.n && !gv_has(text, "install_requires"))
		return; /* settings of other tools */
	p = gv_py_project(x, name, find_value(text, "metadata", "version"));
	asks = gv_py_asks(x, p);
	while (next_value(&c)) {
		if (gv_is(c.section, "options") && gv_is(c.key, "install_requires"))
			gv_py_ask_text(&asks, c.value, GV_NONE, c.value, c.n);
		else if (gv_is(c.section, "options.extras_require"))
			gv_py_ask_text(&asks, c.value, gv_py_name(x->arena, c.key), c.value, c.n);
	}
}

const struct gv_document gv_document_setup_cfg = { .type = "project", .claim = claim, .read = read };
