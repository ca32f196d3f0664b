/* SPDX-License-Identifier: Apache-2.0 */
/* What packages declare, once all of them are known: which extras are asked for by somebody, and what is installed or
 * locked under a name in place of what the name alone makes one believe. */
#include "inspect/resolve_common.h"

/* ---- Extras ---- */

/* A package with one of its extras, that somebody asks for. */
struct wanted {
	struct gv_pnode *node;
	gv_str extra;
};

struct extras {
	struct gv_graph *g;
	struct gv_map seen; /* "torch[cuda]" -> itself */
	GV_VEC(struct wanted) queue;
};

static gv_str key_of(struct gv_arena *a, const struct gv_pnode *n, gv_str extra)
{
	return gv_fmt(a, "%s %.*s[%.*s]", n->package->eco, GV_ARG(n->package->name), GV_ARG(extra));
}

/* As names of packages: "and_cuda" is "and-cuda". */
static gv_str plain(struct gv_arena *a, gv_str extra)
{
	gv_str lower = gv_lower(a, gv_trim(extra));
	char *p = (char *)lower.p;

	for (size_t i = 0; i < lower.n; i++)
		if (p[i] == '_' || p[i] == '.')
			p[i] = '-';
	return lower;
}

static void want(struct extras *e, struct gv_pnode *n, gv_str list)
{
	gv_str one;

	while (n && n->package && gv_next(&list, ',', &one)) {
		gv_str extra = plain(e->g->inv->arena, one);
		void **slot = gv_map_put(&e->seen, key_of(e->g->inv->arena, n, extra));

		if (*slot)
			continue;
		*slot = n;
		*gv_push(e->g->inv->arena, &e->queue) = (struct wanted){ n, extra };
	}
}

static bool is_listed(gv_str list, gv_str one)
{
	gv_str part;

	while (gv_next(&list, ',', &part))
		if (gv_eq(gv_trim(part), one))
			return true;
	return false;
}

/* Each package with each of its extras once: what it asks for then, with which extras of theirs. */
static void spread(struct extras *e)
{
	for (size_t i = 0; i < e->g->nodes.n; i++) {
		const struct gv_package *p = e->g->nodes.v[i]->package;

		for (size_t k = 0; k < p->requires.n; k++)
			if (!p->requires.v[k].extra.n && p->requires.v[k].extras.n)
				want(e, gv_graph_named(e->g, p->eco, p->requires.v[k].name), p->requires.v[k].extras);
	}
	for (size_t i = 0; i < e->queue.n; i++) {
		const struct gv_package *p = e->queue.v[i].node->package;
		gv_str extra = e->queue.v[i].extra;

		for (size_t k = 0; k < p->requires.n; k++)
			if (p->requires.v[k].extras.n && is_listed(p->requires.v[k].extra, extra))
				want(e, gv_graph_named(e->g, p->eco, p->requires.v[k].name), p->requires.v[k].extras);
	}
}

static bool is_wanted(struct extras *e, const struct gv_package *p, gv_str list)
{
	const struct gv_pnode *n = gv_graph_node(e->g, p);
	gv_str one;

	while (n && n->package && gv_next(&list, ',', &one))
		if (gv_map_get(&e->seen, key_of(e->g->inv->arena, n, gv_trim(one))))
			return true;
	return false;
}

/* ---- Builds ---- */

/* Whether anything in the tree shows that an installed package is a build for a GPU, whatever its name says. */
static void prove(struct gv_inventory *inv, struct gv_map *proven)
{
	for (size_t i = 0; i < inv->files.n; i++) {
		const struct gv_file *f = inv->files.v[i];
		bool shows = f->provides != 0;

		for (size_t k = 0; k < f->code.n; k++)
			shows |= f->code.v[k].vendor != 0;
		for (size_t k = 0; k < f->deps.n; k++) {
			const struct gv_dep *d = &f->deps.v[k];

			if (d->grade == GV_DECLARED && d->of && !d->optional && !gv_eq(d->of->name, d->name))
				*gv_map_put(proven, d->of->name) = d->of;
			shows |= d->grade == GV_LINKED || d->grade == GV_STATIC;
		}
		if (shows && f->package)
			*gv_map_put(proven, f->package->name) = f->package;
	}
}

/* What is in the tree, or locked, under that name says more than the name. False: it is no GPU build at all. */
static bool correct(struct gv_graph *g, const struct gv_map *proven, struct gv_dep *d, const char *eco)
{
	const struct gv_pnode *n = gv_graph_named(g, eco, d->name);
	const struct gv_package *p = n ? n->package : NULL;

	if (!p || (d->of && gv_eq(d->of->name, d->name) && p->how != GV_PACKAGE_HERE))
		return true;
	d->by_name &= p->how != GV_PACKAGE_HERE;
	if (p->vendor == d->vendor && !p->by_default)
		d->by_default = false;
	if (!d->by_default)
		return true;
	if (p->how == GV_PACKAGE_HERE && p->by_default) {
		d->by_default = false;
		return gv_map_get(proven, p->name) != NULL;
	}
	if (!p->by_default) /* its version says which build it is */
		d->vendor = p->vendor;
	return d->vendor != 0;
}

void gv_graph_declared(struct gv_graph *g)
{
	struct gv_inventory *inv = g->inv;
	struct extras e = { .g = g, .seen = { .arena = inv->arena } };
	struct gv_map proven = { .arena = inv->arena };

	for (size_t i = 0; i < inv->packages.n; i++)
		want(&e, gv_graph_node(g, inv->packages.v[i]), inv->packages.v[i]->extras);
	spread(&e);
	prove(inv, &proven);
	for (size_t i = 0; i < inv->files.n; i++) {
		struct gv_file *f = inv->files.v[i];
		size_t n = 0;

		for (size_t k = 0; k < f->deps.n; k++) {
			struct gv_dep *d = &f->deps.v[k];

			if (d->grade == GV_DECLARED && d->optional && d->extra.n && d->of &&
			    is_wanted(&e, d->of, d->extra))
				d->optional = false;
			if (d->grade != GV_DECLARED || !d->of || correct(g, &proven, d, d->of->eco))
				f->deps.v[n++] = *d;
		}
		f->deps.n = n;
	}
}
