/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/resolve.h"

#include <string.h>

#include "inspect/resolve_common.h"

#define HOPS 64		  /* libraries of the tree between a file and what it needs in the end */
#define REACHED_MAX 2048 /* libraries that one file needs, in all */

/* Libraries of the tree by the names that they can be asked for by. */
struct libs {
	struct gv_arena *arena;
	struct gv_map by_name; /* -> struct lib */
};

struct lib {
	struct gv_file *file;
	struct lib *next;
};

static gv_str base_name(gv_str path)
{
	size_t from = path.n;

	while (from && path.p[from - 1] != '/' && path.p[from - 1] != '!')
		from--;
	return gv_from(path, from);
}

static gv_str folder(gv_str path)
{
	gv_str base = base_name(path);

	return gv_sub(path, 0, path.n > base.n ? path.n - base.n - 1 : 0);
}

static void add_lib(struct libs *l, gv_str name, struct gv_file *f)
{
	struct lib **slot, *own;

	if (!name.n)
		return;
	slot = (struct lib **)gv_map_put(&l->by_name, name);
	if (*slot && (*slot)->file == f)
		return;
	own = GV_NEW(l->arena, struct lib);
	own->file = f;
	own->next = *slot;
	*slot = own;
}

/* A stub of the toolkit, to link against, is no driver. */
static bool is_stub(const struct gv_file *f)
{
	return gv_has(f->path, "/stubs/") || gv_starts(f->path, "stubs/");
}

static void index_libraries(struct gv_inventory *inv, struct libs *l)
{
	for (size_t i = inv->files.n; i--;) { /* so that the first comes first */
		struct gv_file *f = inv->files.v[i];
		gv_str base = base_name(f->path);

		if (f->elf && !f->elf->relocatable) {
			f->provides = gv_library_vendor(f->elf->soname.n ? f->elf->soname : base, &f->driver);
			if (!f->provides)
				f->provides = gv_library_vendor(base, &f->driver);
			if (is_stub(f))
				f->provides = 0;
			f->driver &= f->provides != 0;
		}
		if ((!f->elf && !f->link.n) || f->hidden || is_stub(f))
			continue;
		add_lib(l, base, f);
		add_lib(l, gv_without_hash(l->arena, base), f);
		if (f->elf)
			add_lib(l, f->elf->soname, f);
	}
}

/* ---- What is behind a name ---- */

/* A folder as the loader makes it of an entry of RUNPATH: "$ORIGIN/../lib". Empty for absolute ones. */
static gv_str search_folder(struct gv_arena *a, gv_str dir, gv_str entry)
{
	gv_str part, rest;

	if (gv_starts(entry, "$ORIGIN"))
		rest = gv_from(entry, 7);
	else if (gv_starts(entry, "${ORIGIN}"))
		rest = gv_from(entry, 9);
	else
		return GV_NONE;
	while (gv_next(&rest, '/', &part)) {
		if (!part.n || gv_is(part, "."))
			continue;
		if (gv_is(part, ".."))
			dir = folder(dir);
		else
			dir = dir.n ? gv_fmt(a, "%.*s/%.*s", GV_ARG(dir), GV_ARG(part)) : part;
	}
	return dir;
}

static const struct lib *in_folder(const struct lib *l, gv_str dir)
{
	for (; l; l = l->next)
		if (gv_eq(folder(l->file->path), dir))
			return l;
	return NULL;
}

/* As the loader looks: along the paths, beside it, else anywhere in the tree (a program may load it first, or set a path). */
static struct gv_file *find_library(struct libs *l, const struct gv_file *f, gv_str name)
{
	const struct lib *all = gv_map_get(&l->by_name, name), *hit;
	gv_str dir = folder(f->path);

	if (!all)
		return NULL;
	for (size_t i = 0; f->elf && i < f->elf->paths.n; i++) {
		hit = in_folder(all, search_folder(l->arena, dir, f->elf->paths.v[i]));
		if (hit)
			return hit->file;
	}
	hit = in_folder(all, dir);
	return hit ? hit->file : all->file;
}

/* ---- What is needed through others ---- */

struct step {
	struct gv_file *file;
	size_t from; /* the step before it */
	gv_str name; /* by which it was asked for */
};

struct reach {
	struct gv_inventory *inv;
	struct libs *libs;
	struct gv_map seen; /* names, of the file at hand */
	GV_VEC(struct step) steps;
};

static bool has_linked(const struct gv_file *f, gv_str name)
{
	for (size_t i = 0; i < f->deps.n; i++)
		if (f->deps.v[i].grade == GV_LINKED && gv_eq(f->deps.v[i].name, name))
			return true;
	return false;
}

static gv_str chain_of(struct reach *r, size_t at, gv_str last)
{
	const struct step *chain[HOPS];
	gv_str text = GV_STR("");
	size_t n = 0;

	for (; at && n < HOPS; at = r->steps.v[at].from)
		chain[n++] = &r->steps.v[at];
	while (n--)
		text = gv_fmt(r->inv->arena, "%.*s%.*s" GV_ARROW, GV_ARG(text), GV_ARG(chain[n]->name));
	return gv_fmt(r->inv->arena, "%.*s%.*s", GV_ARG(text), GV_ARG(last));
}

/* Breadth first: the shortest way is the one that is told. */
static void reach_from(struct reach *r, struct gv_file *f)
{
	r->steps.n = 0;
	*gv_push(r->inv->arena, &r->steps) = (struct step){ .file = f };
	r->seen = (struct gv_map){ .arena = r->inv->arena };
	for (size_t i = 0; i < r->steps.n; i++) {
		struct gv_file *at = r->steps.v[i].file;

		for (size_t k = 0; at->elf && k < at->elf->needed.n && r->steps.n < REACHED_MAX; k++) {
			gv_str name = at->elf->needed.v[k];
			void **seen = gv_map_put(&r->seen, name);
			bool driver;
			unsigned vendor;
			struct gv_file *to;

			if (*seen)
				continue;
			*seen = f;
			vendor = gv_library_vendor(name, &driver);
			to = find_library(r->libs, at, name);
			if (vendor && i && !has_linked(f, name))
				*gv_push(r->inv->arena, &f->deps) = (struct gv_dep){ .name = name, .vendor = vendor, .grade = GV_LINKED, .driver = driver, .through = true,
										       .via = chain_of(r, i, name) };
			if (to)
				*gv_push(r->inv->arena, &r->steps) = (struct step){ .file = to, .from = i, .name = name };
		}
	}
}

/* ---- Runtimes that are linked in ---- */

static bool needs(const struct gv_elf *e, const char *stem)
{
	for (size_t i = 0; i < e->needed.n; i++)
		if (gv_starts(e->needed.v[i], stem))
			return true;
	return false;
}

static void add_static(struct gv_inventory *inv, struct gv_file *f)
{
	const struct gv_elf *e = f->elf;

	if (e->relocatable || gv_starts(e->soname, "libcudart") || gv_starts(e->soname, "libamdhip64"))
		return;
	if ((e->registers_cuda || e->wrappers) && !needs(e, "libcudart"))
		*gv_push(inv->arena, &f->deps) = (struct gv_dep){ .name = GV_STR("libcudart_static"), .vendor = GV_NVIDIA, .grade = GV_STATIC };
	if ((e->registers_hip || e->hip_wrappers) && !needs(e, "libamdhip64"))
		*gv_push(inv->arena, &f->deps) = (struct gv_dep){ .name = GV_STR("libamdhip64"), .vendor = GV_AMD, .grade = GV_STATIC };
}

/* ---- By which path ---- */

static void tell_path(struct gv_graph *g, struct gv_file *f, struct gv_dep *d, const struct gv_package *p)
{
	const struct gv_pnode *node = p ? gv_graph_node(g, p) : NULL, *top = NULL;
	struct gv_buf b = { 0 };

	if (node) {
		gv_graph_path(&b, node, &top);
		if (gv_eq(p->name, d->name) && d->grade == GV_DECLARED)
			goto told; /* a list names it by itself */
		gv_puts(&b, GV_ARROW);
	}
	if (d->grade != GV_DECLARED) {
		gv_put(&b, base_name(f->path));
		gv_puts(&b, GV_ARROW);
	}
	gv_put(&b, d->via.n ? d->via : d->name);
told:
	d->via = gv_dup(g->inv->arena, gv_buf_str(&b));
	if (top && top->wish)
		d->change = top->wish->line ? gv_fmt(g->inv->arena, "%.*s (%.*s:%u)", GV_ARG(top->wish->name), GV_ARG(top->wish->from->path), top->wish->line)
					    : top->wish->name;
	else if (top)
		d->change = top->package->name;
	gv_buf_free(&b);
}

/* The package that a file describes, where it describes one; else that it is part of. */
static const struct gv_package *speaker(const struct gv_file *f, const struct gv_dep *d)
{
	if (d->grade != GV_DECLARED)
		return f->package;
	if (d->of)
		return d->of;
	return f->packages.n == 1 ? f->packages.v[0] : f->package;
}

void gv_inventory_resolve(struct gv_inventory *inv)
{
	struct libs libs = { inv->arena, { .arena = inv->arena } };
	struct reach reach = { .inv = inv, .libs = &libs };
	struct gv_graph g;

	index_libraries(inv, &libs);
	gv_graph_make(&g, inv);
	gv_graph_own_files(&g);
	for (size_t i = 0; i < inv->files.n; i++)
		if (inv->files.v[i]->elf) {
			reach_from(&reach, inv->files.v[i]);
			add_static(inv, inv->files.v[i]);
		}
	for (size_t i = 0; i < inv->files.n; i++) {
		struct gv_file *f = inv->files.v[i];

		for (size_t k = 0; k < f->deps.n; k++) {
			struct gv_dep *d = &f->deps.v[k];
			const struct gv_package *p = speaker(f, d);
			struct gv_pnode *n = d->grade == GV_DECLARED && p ? gv_graph_named(&g, p->eco, d->name) : NULL;

			d->found = n && n->package->how == GV_PACKAGE_HERE ? n->package->from : d->grade == GV_DECLARED ? NULL : find_library(&libs, f, d->name);
			tell_path(&g, f, d, p);
		}
	}
}
