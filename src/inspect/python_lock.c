/* SPDX-License-Identifier: Apache-2.0 */
/* uv.lock, poetry.lock, pdm.lock and pylock.toml (PEP 751): a table for each package, "[[package]]" or "[[packages]]",
 * that says what it needs in `dependencies`: names in tables (uv, pylock), requirements (pdm), or a table of its own
 * (poetry). */
#include "inspect/common_python.h"
#include "inspect/common_toml.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "uv.lock") || gv_is(it->name, "poetry.lock") || gv_is(it->name, "pdm.lock") ||
	       gv_is(it->name, "pylock.toml") || (gv_starts(it->name, "pylock.") && gv_ends(it->name, ".toml"));
}

struct lock {
	struct gv_inspect *x;
	struct gv_package *p; /* at hand */
	struct gv_py_asks asks;
	bool optional;
};

/* All that is said of a package has been read. */
static void finish(struct lock *l)
{
	struct gv_package *p = l->p;
	struct gv_dep *d;

	l->p = NULL;
	if (!p || p->own)
		return;
	gv_py_shown_by_needs(p);
	d = gv_py_name_dep(l->x, p, gv_fmt(l->x->arena, "%.*s %.*s", GV_ARG(p->name), GV_ARG(p->version)));
	if (d)
		d->optional = l->optional;
}

/* { name = "torch", extra = ["cuda"], marker = "..." } or "torch>=2; ..." */
static void need(struct lock *l, const struct gv_toml *n, gv_str extra)
{
	struct gv_py_want w = { 0 };
	const struct gv_toml *extras;

	if (n->kind == GV_TOML_TEXT) {
		gv_py_ask_text(&l->asks, n->text, extra, n->text, n->line);
		return;
	}
	w.name = gv_py_name(l->x->arena, gv_toml_text(n->child, "name"));
	w.marker = gv_toml_text(n->child, "marker");
	w.spec = gv_toml_text(n->child, "version");
	extras = gv_toml_member(n->child, "extra");
	for (const struct gv_toml *e = extras ? extras->child : NULL; e && w.extras.n < GV_PY_EXTRAS_LEN; e = e->next)
		w.extras = w.extras.n ? gv_fmt(l->x->arena, "%.*s,%.*s", GV_ARG(w.extras), GV_ARG(gv_cut(e->text, 128)))
				      : gv_cut(e->text, 128);
	if (w.name.n)
		gv_py_ask(&l->asks, &w, extra, GV_NONE, n->line);
}

static void needs(struct lock *l, const struct gv_toml *list, gv_str extra)
{
	for (const struct gv_toml *n = list ? list->child : NULL; n && !gv_py_full(&l->asks); n = n->next)
		need(l, n, extra);
}

/* Where it comes from: the index of other builds, or the user's own folder. */
static void source(struct lock *l, const struct gv_toml *s)
{
	static const char *const urls[] = { "registry", "url", "index", "git" };

	if (gv_toml_member(s, "virtual") || gv_toml_member(s, "editable") || gv_toml_member(s, "workspace"))
		l->p->own = true;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		gv_py_from_index(l->x, l->p, gv_py_index_local(gv_toml_text(s, urls[i])));
}

static void package(struct lock *l, const struct gv_toml_table *t)
{
	const struct gv_toml *s = gv_toml_member(t->first, "source");
	gv_str marker = gv_toml_text(t->first, "marker"), extra;

	l->p = gv_py_listed(l->x, GV_PACKAGE_LOCKED, gv_toml_text(t->first, "name"), gv_toml_text(t->first, "version"),
			    t->line);
	if (!l->p)
		return;
	l->asks = gv_py_asks(l->x, l->p);
	l->asks.no_deps = true;
	if (!marker.n)
		marker = gv_toml_text(t->first, "markers");
	l->optional = gv_is(gv_toml_text(t->first, "optional"), "true") ||
		      gv_py_marker(l->x->arena, marker, &extra) == GV_HOLDS_NOT;
	gv_py_from_index(l->x, l->p, gv_py_index_local(gv_toml_text(t->first, "index")));
	if (s && s->kind == GV_TOML_MAP)
		source(l, s->child);
	needs(l, gv_toml_member(t->first, "dependencies"), GV_NONE);
}

/* poetry: torch = ">=2", or { version = "*", markers = "..." , optional = true } */
static void poetry_needs(struct lock *l, const struct gv_toml *n)
{
	for (; n && !gv_py_full(&l->asks); n = n->next) {
		struct gv_py_want w = { .name = gv_py_name(l->x->arena, n->key) };
		const struct gv_toml *one =
		    n->kind == GV_TOML_LIST ? n->child : n; /* by markers: the first stands for all */

		if (!w.name.n || !one)
			continue;
		w.spec = one->kind == GV_TOML_MAP ? gv_toml_text(one->child, "version") : one->text;
		w.marker = one->kind == GV_TOML_MAP && n == one ? gv_toml_text(one->child, "markers") : GV_NONE;
		gv_py_ask(&l->asks, &w, GV_NONE, GV_NONE, n->line);
	}
}

static void on_table(void *ctx, const struct gv_toml_table *t)
{
	struct lock *l = ctx;
	gv_str sub = gv_starts(t->path, "packages.")  ? gv_from(t->path, 9)
		     : gv_starts(t->path, "package.") ? gv_from(t->path, 8)
						      : GV_NONE;

	if (t->array && (gv_is(t->path, "package") || gv_is(t->path, "packages"))) {
		finish(l);
		package(l, t);
	} else if (!l->p) {
		return;
	} else if (gv_is(sub, "dependencies")) {
		poetry_needs(l, t->first);
	} else if (gv_is(sub, "source")) {
		source(l, t->first);
	} else if (gv_is(sub, "optional-dependencies") || gv_is(sub, "dev-dependencies")) {
		for (const struct gv_toml *n = t->first; n; n = n->next)
			needs(l, n, gv_py_name(l->x->arena, n->key));
	}
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct lock l = { .x = x };
	uint32_t line;

	if (gv_toml_read(text, on_table, &l, &line))
		gv_file_note(x, "line %u is no TOML: what follows is not read", line);
	finish(&l);
}

const struct gv_document gv_document_python_lock = { .type = "lock file", .claim = claim, .read = read };
