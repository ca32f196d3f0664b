/* SPDX-License-Identifier: Apache-2.0 */
/* pyproject.toml of a project: what it asks for ([project], [dependency-groups], poetry's own tables), from which
 * indexes, and what it needs to be built. */
#include "inspect/common_python.h"
#include "inspect/common_toml.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "pyproject.toml");
}

struct project {
	struct gv_inspect *x;
	struct gv_package *p;
	struct gv_py_asks asks;
	gv_str name, version; /* found before all is read */
	gv_str local;	      /* of an index */
	bool several;	      /* indexes of different builds: which one is used, markers decide */
};

/* ---- First: what it is called, and its indexes ---- */

static void look(void *ctx, const struct gv_toml_table *t)
{
	struct project *j = ctx;
	gv_str url;

	if (gv_is(t->path, "project") || (gv_is(t->path, "tool.poetry") && !j->name.n)) {
		j->name = gv_dup(j->x->arena, gv_toml_text(t->first, "name"));
		j->version = gv_dup(j->x->arena, gv_toml_text(t->first, "version"));
	}
	if (!gv_is(t->path, "tool.uv.index") && !gv_is(t->path, "tool.poetry.source") &&
	    !gv_is(t->path, "tool.pdm.source"))
		return;
	url = gv_py_index_local(gv_toml_text(t->first, "url"));
	j->several |= url.n && j->local.n && !gv_eq(url, j->local);
	if (url.n)
		j->local = gv_dup(j->x->arena, url);
}

/* ---- Then: what it asks for ---- */

/* An index with builds for one backend is used for the packages that have such builds. */
static void ask(struct project *j, struct gv_py_want *w, gv_str extra, gv_str quote, uint32_t line)
{
	struct gv_by_name says;

	if (!w->local.n && j->local.n && !j->several && gv_package_by_name("pypi", w->name, GV_NONE, &says) &&
	    says.by_local)
		w->local = j->local;
	gv_py_ask(&j->asks, w, extra, quote, line);
}

static void list(struct project *j, const struct gv_toml *l, gv_str extra)
{
	for (const struct gv_toml *n = l && l->kind == GV_TOML_LIST ? l->child : NULL; n; n = n->next) {
		struct gv_py_want w;

		if (n->kind == GV_TOML_TEXT && !gv_py_full(&j->asks) && gv_py_want(j->x->arena, n->text, &w))
			ask(j, &w, extra, n->text, n->line);
	}
}

static void lists(struct project *j, const struct gv_toml *first)
{
	for (; first; first = first->next)
		list(j, first, gv_py_name(j->x->arena, first->key));
}

/* torch = "^2.4", or { version = "^2.4", extras = [...], optional = true, markers = "..." } */
static void poetry(struct project *j, const struct gv_toml *n, gv_str extra)
{
	for (; n && !gv_py_full(&j->asks); n = n->next) {
		struct gv_py_want w = { .name = gv_py_name(j->x->arena, n->key) };
		bool map = n->kind == GV_TOML_MAP;
		const struct gv_toml *extras = map ? gv_toml_member(n->child, "extras") : NULL;
		gv_str quote;

		if (!w.name.n || gv_is(w.name, "python"))
			continue;
		w.spec = map ? gv_toml_text(n->child, "version") : n->text;
		w.marker = map ? gv_toml_text(n->child, "markers") : GV_NONE;
		w.extras = extras && extras->child ? extras->child->text : GV_NONE;
		quote = gv_fmt(j->x->arena, "%.*s %.*s", GV_ARG(w.name), GV_ARG(gv_cut(w.spec, 64)));
		ask(j, &w, map && gv_is(gv_toml_text(n->child, "optional"), "true") ? GV_STR("optional") : extra, quote,
		    n->line);
	}
}

static void on_table(void *ctx, const struct gv_toml_table *t)
{
	struct project *j = ctx;

	if (gv_is(t->path, "project")) {
		list(j, gv_toml_member(t->first, "dependencies"), GV_NONE);
		for (const struct gv_toml *n = t->first; n; n = n->next)
			if (gv_starts(n->key, "optional-dependencies."))
				list(j, n, gv_py_name(j->x->arena, gv_from(n->key, 22)));
	} else if (gv_is(t->path, "project.optional-dependencies") || gv_is(t->path, "dependency-groups")) {
		lists(j, t->first);
	} else if (gv_is(t->path, "tool.poetry.dependencies")) {
		poetry(j, t->first, GV_NONE);
	} else if (gv_starts(t->path, "tool.poetry.group.") && gv_ends(t->path, ".dependencies")) {
		poetry(j, t->first, gv_py_name(j->x->arena, gv_before(gv_from(t->path, 18), ".")));
	} else if (gv_is(t->path, "build-system")) {
		/* installed while it is built, and gone then: told as what it may go without */
		list(j, gv_toml_member(t->first, "requires"), GV_STR("build-system"));
	}
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct project j = { .x = x };
	uint32_t line;

	gv_toml_read(text, look, &j, &line);
	j.p = gv_py_project(x, j.name, j.version);
	if (!j.p)
		return;
	j.asks = gv_py_asks(x, j.p);
	if (gv_toml_read(text, on_table, &j, &line))
		gv_file_note(x, "line %u is no TOML: what follows is not read", line);
}

const struct gv_document gv_document_pyproject_toml = { .type = "project", .claim = claim, .read = read };
