/* SPDX-License-Identifier: Apache-2.0 */
/* environment.yml: what a user wants of conda, and of pip through conda. */
#include "core/yaml.h"
#include "inspect/common_conda.h"
#include "inspect/common_fetch.h"
#include "inspect/common_python.h"

#define YAML_MAX ((size_t)4 << 20) /* a tree of it is held */

static bool claim(const struct gv_item *it)
{
	if ((!gv_ends(it->name, ".yml") && !gv_ends(it->name, ".yaml")) ||
	    (!gv_has(it->name, "env") && !gv_has(it->name, "conda")))
		return false;
	return gv_starts(it->head, "dependencies:") || gv_has(it->head, "\ndependencies:");
}

/* The list behind "pip:", a line each as in requirements.txt: options name the index for all of them. */
static void read_pip(struct gv_inspect *x, const struct gv_yaml *list)
{
	gv_str local = GV_NONE;

	for (const struct gv_yaml *t = list->child; t; t = t->next)
		if (gv_starts(t->text, "-")) {
			gv_str of = gv_py_index_local(t->text);

			local = of.n ? of : local;
			gv_fetch_line(x, t->text, t->line);
		}
	for (const struct gv_yaml *t = list->child; t; t = t->next) {
		struct gv_package *p;
		struct gv_py_want w;

		if (gv_starts(t->text, "-") || !gv_py_want(x->arena, t->text, &w))
			continue;
		p = gv_py_listed(x, GV_PACKAGE_ASKED, w.name, w.version, t->line);
		if (!p)
			return;
		p->top = true;
		p->extras = gv_dup(x->arena, w.extras);
		p->local = p->local.n ? p->local : gv_dup(x->arena, w.local);
		gv_package_judge(p);
		gv_py_from_index(x, p, local);
	}
}

static void read_list(struct gv_inspect *x, const struct gv_yaml *list)
{
	for (const struct gv_yaml *y = list->child; y; y = y->next) {
		if (y->kind == GV_YAML_TEXT)
			gv_conda_wish(x, y->text, y->line);
		for (const struct gv_yaml *m = y->kind == GV_YAML_MAP ? y->child : NULL; m; m = m->next)
			if (m->kind == GV_YAML_LIST && gv_is(m->key, "pip"))
				read_pip(x, m);
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
