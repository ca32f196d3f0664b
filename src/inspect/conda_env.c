/* SPDX-License-Identifier: Apache-2.0 */
/* environment.yml: what a user wants of conda, and of pip through conda. */
#include "core/yaml.h"
#include "inspect/common_conda.h"
#include "inspect/common_fetch.h"

#define YAML_MAX ((size_t)4 << 20) /* a tree of it is held */

static bool claim(const struct gv_item *it)
{
	if ((!gv_ends(it->name, ".yml") && !gv_ends(it->name, ".yaml")) || (!gv_has(it->name, "env") && !gv_has(it->name, "conda")))
		return false;
	return gv_starts(it->head, "dependencies:") || gv_has(it->head, "\ndependencies:");
}

static bool in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

/* "torch==2.4.0+cu124 ; marker", "--index-url https://..." */
static void add_pip(struct gv_inspect *x, gv_str text, uint32_t line)
{
	struct gv_package *p;
	gv_str name, spec;
	ptrdiff_t plus;
	size_t n = 0;

	text = gv_trim(gv_before(text, ";"));
	if (gv_starts(text, "-") || gv_has(text, "://")) {
		gv_fetch_line(x, text, line);
		return;
	}
	while (n < text.n && in_name(text.p[n]))
		n++;
	name = gv_pypi_name(x->arena, gv_sub(text, 0, n));
	spec = gv_trim(gv_from(text, n));
	if (gv_starts(spec, "["))
		spec = gv_trim(gv_from(spec, (size_t)(gv_find_c(spec, ']') + 1)));
	if (!name.n)
		return;
	p = gv_add_package(x, "pypi", name, spec);
	plus = gv_find_c(p->version, '+');
	p->local = plus >= 0 ? gv_from(p->version, (size_t)plus + 1) : GV_NONE;
	p->how = GV_PACKAGE_ASKED;
	p->top = true;
	p->line = line;
}

static void read_list(struct gv_inspect *x, const struct gv_yaml *list)
{
	for (const struct gv_yaml *y = list->child; y; y = y->next) {
		if (y->kind == GV_YAML_TEXT)
			gv_conda_wish(x, y->text, y->line);
		for (const struct gv_yaml *m = y->kind == GV_YAML_MAP ? y->child : NULL; m; m = m->next)
			for (const struct gv_yaml *t = m->kind == GV_YAML_LIST && gv_is(m->key, "pip") ? m->child : NULL; t; t = t->next)
				add_pip(x, t->text, t->line);
	}
}

static void read_env(struct gv_inspect *x, gv_str bytes)
{
	struct gv_yaml *root = NULL;
	struct gv_buf err = { 0 };

	if (bytes.n > YAML_MAX)
		gv_file_note(x, "larger than %zu MiB: not read", YAML_MAX >> 20);
	else if (gv_yaml_parse(x->arena, x->item->name, bytes, &root, &err))
		gv_file_note(x, "%.*s", GV_ARG(gv_buf_str(&err)));
	for (const struct gv_yaml *y = root && root->kind == GV_YAML_MAP ? root->child : NULL; y; y = y->next)
		if (gv_is(y->key, "dependencies") && y->kind == GV_YAML_LIST)
			read_list(x, y);
	gv_list_rest(x);
	gv_buf_free(&err);
}

const struct gv_document gv_document_conda_env = { .type = "conda environment", .claim = claim, .read = read_env };
