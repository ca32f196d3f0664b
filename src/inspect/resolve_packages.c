/* SPDX-License-Identifier: Apache-2.0 */
/* Packages: one of each, who asks for it, and whose a file is. */
#include "inspect/resolve_common.h"

#include <string.h>

static gv_str key_of(struct gv_arena *a, const char *eco, gv_str name)
{
	return gv_fmt(a, "%s %.*s", eco, GV_ARG(name));
}

static bool same(const struct gv_package *a, const struct gv_package *b)
{
	return !strcmp(a->eco, b->eco) && a->how == b->how && gv_eq(a->name, b->name) && gv_eq(a->dir, b->dir) &&
	       (gv_eq(a->version, b->version) || !a->version.n || !b->version.n);
}

#define APPEND(inv, to, from)                                                                                          \
	for (size_t i_ = 0; i_ < (from)->n; i_++)                                                                      \
	*gv_push((inv)->arena, (to)) = (from)->v[i_]

/* METADATA, RECORD and REQUESTED of one folder each tell a part. */
static void unite(struct gv_inventory *inv, struct gv_package *to, const struct gv_package *part)
{
	if (!to->version.n)
		to->version = part->version;
	if (part->local.n && !to->local.n) { /* it says which build this is: a name alone says less */
		to->local = part->local;
		to->vendor = part->vendor;
		to->by_default = part->by_default;
	} else if (part->local.n || !to->local.n) {
		to->vendor |= part->vendor;
		to->by_default &= part->by_default;
	}
	to->top |= part->top;
	to->listed |= part->listed;
	to->own |= part->own;
	if (part->requires.n && !to->requires.n) {
		to->from = part->from;
		to->line = part->line;
	}
	APPEND(inv, &to->requires, &part->requires);
	APPEND(inv, &to->files, &part->files);
}

static void unite_packages(struct gv_inventory *inv)
{
	struct gv_map by_key = { .arena = inv->arena };
	size_t n = 0;

	for (size_t i = 0; i < inv->packages.n; i++) {
		struct gv_package *p = inv->packages.v[i], **slot;
		gv_str key =
		    gv_fmt(inv->arena, "%s %d %.*s %.*s", p->eco, (int)p->how, GV_ARG(p->dir), GV_ARG(p->name));

		slot = (struct gv_package **)gv_map_put(&by_key, key);
		if (*slot && same(*slot, p)) {
			unite(inv, *slot, p);
			continue;
		}
		*slot = p;
		inv->packages.v[n++] = p;
	}
	inv->packages.n = n;
}

/* ---- The graph ---- */

static struct gv_pnode *node_of(struct gv_graph *g, const char *eco, gv_str name, bool make)
{
	gv_str key = key_of(g->inv->arena, eco, name);
	struct gv_pnode **slot;

	if (!make)
		return gv_map_get(&g->nodes_by_name, key);
	slot = (struct gv_pnode **)gv_map_put(&g->nodes_by_name, key);
	if (!*slot) {
		*slot = GV_NEW(g->inv->arena, struct gv_pnode);
		*gv_push(g->inv->arena, &g->nodes) = *slot;
	}
	return *slot;
}

struct gv_pnode *gv_graph_node(struct gv_graph *g, const struct gv_package *p)
{
	return node_of(g, p->eco, p->name, false);
}

struct gv_pnode *gv_graph_named(struct gv_graph *g, const char *eco, gv_str name)
{
	return node_of(g, eco, name, false);
}

/* What is installed says most, a lock file more than a wish. */
static bool better(const struct gv_package *a, const struct gv_package *b)
{
	return a->how < b->how || (a->how == b->how && a->requires.n > b->requires.n);
}

static void add_edges(struct gv_graph *g, struct gv_pnode *from, const struct gv_package *p)
{
	for (size_t i = 0; i < p->requires.n; i++) {
		struct gv_pnode *to = node_of(g, p->eco, p->requires.v[i].name, false);

		if (!to || to == from)
			continue;
		*gv_push(g->inv->arena, &from->needs) = to;
		if (!p->requires.v[i].extra.n)
			to->asked_for = true;
	}
}

/* From those that were asked for, level by level; then from those that nobody asks for; then from what is left
 * (circles). */
static void walk_from(struct gv_graph *g, bool (*is_root)(const struct gv_pnode *n))
{
	GV_VEC(struct gv_pnode *) queue = { 0 };

	for (size_t i = 0; i < g->nodes.n; i++)
		if (!g->nodes.v[i]->reached && is_root(g->nodes.v[i])) {
			g->nodes.v[i]->reached = true;
			*gv_push(g->inv->arena, &queue) = g->nodes.v[i];
		}
	for (size_t i = 0; i < queue.n; i++)
		for (size_t k = 0; k < queue.v[i]->needs.n; k++) {
			struct gv_pnode *to = queue.v[i]->needs.v[k];

			if (to->reached)
				continue;
			to->reached = true;
			to->parent = queue.v[i];
			*gv_push(g->inv->arena, &queue) = to;
		}
}

static bool is_top(const struct gv_pnode *n)
{
	return n->top;
}

static bool is_free(const struct gv_pnode *n)
{
	return !n->asked_for;
}

static bool is_any(const struct gv_pnode *n)
{
	return true;
}

void gv_graph_make(struct gv_graph *g, struct gv_inventory *inv)
{
	*g = (struct gv_graph){ .inv = inv, .nodes_by_name = { .arena = inv->arena } };
	unite_packages(inv);
	for (size_t i = 0; i < inv->packages.n; i++) {
		struct gv_package *p = inv->packages.v[i];
		struct gv_pnode *n = node_of(g, p->eco, p->name, true);

		if (!n->package || better(p, n->package))
			n->package = p;
		if (p->top || p->own || p->how == GV_PACKAGE_ASKED) {
			n->top = true;
			if (!p->own && (!n->wish || p->how == GV_PACKAGE_ASKED))
				n->wish = p;
		}
	}
	for (size_t i = 0; i < inv->packages.n; i++)
		add_edges(g, gv_graph_node(g, inv->packages.v[i]), inv->packages.v[i]);
	walk_from(g, is_top);
	walk_from(g, is_free);
	walk_from(g, is_any);
}

static void put_package(struct gv_buf *b, const struct gv_package *p)
{
	gv_put(b, p->name);
	if (p->version.n && p->how != GV_PACKAGE_ASKED)
		gv_printf(b, " %.*s", GV_ARG(p->version));
}

#define CHAIN 32
void gv_graph_path(struct gv_buf *b, const struct gv_pnode *n, const struct gv_pnode **ret_top)
{
	const struct gv_pnode *chain[CHAIN];
	size_t k = 0;

	for (; n && k < CHAIN; n = n->parent)
		chain[k++] = n;
	*ret_top = k ? chain[k - 1] : NULL;
	for (size_t i = k; i--;) {
		put_package(b, chain[i]->package);
		if (i)
			gv_puts(b, GV_ARROW);
	}
}

/* ---- Whose a file is ---- */

static gv_str join(struct gv_arena *a, gv_str dir, gv_str rel)
{
	if (!dir.n)
		return rel;
	return gv_fmt(a, dir.p[dir.n - 1] == '!' ? "%.*s%.*s" : "%.*s/%.*s", GV_ARG(dir), GV_ARG(rel));
}

/* By the lists of files that packages keep; then by the nearest folder that is a package's own. */
void gv_graph_own_files(struct gv_graph *g)
{
	struct gv_inventory *inv = g->inv;
	struct gv_map by_path = { .arena = inv->arena }, by_dir = { .arena = inv->arena };

	for (size_t i = 0; i < inv->packages.n; i++) {
		struct gv_package *p = inv->packages.v[i];

		if (p->how != GV_PACKAGE_HERE)
			continue;
		for (size_t k = 0; k < p->files.n; k++)
			*gv_map_put(&by_path, join(inv->arena, p->dir, p->files.v[k])) = p;
		if (!p->files.n && !p->listed) {
			struct gv_package **slot = (struct gv_package **)gv_map_put(&by_dir, p->dir);

			/* a folder with several packages without lists tells nothing */
			*slot = *slot && *slot != p ? &gv_no_package : p;
		}
	}
	for (size_t i = 0; i < inv->files.n; i++) {
		struct gv_file *f = inv->files.v[i];
		gv_str dir = f->path;
		struct gv_package *p = gv_map_get(&by_path, f->path);

		while (!p && dir.n) {
			dir = gv_folder_above(dir, 1);
			p = gv_map_get(&by_dir, dir);
			if (!p && f->path.n > dir.n && f->path.p[dir.n] == '!')
				p = gv_map_get(&by_dir, gv_sub(f->path, 0, dir.n + 1));
		}
		if (f->packages.n == 1 && f->packages.v[0]->how == GV_PACKAGE_HERE) /* it speaks of that one */
			p = f->packages.v[0];
		f->package = p == &gv_no_package ? NULL : p;
	}
}

struct gv_package gv_no_package;
