/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/resolve.h"

#include <string.h>

#include "inspect/places.h"
#include "inspect/resolve_common.h"

#define HOPS 64		 /* libraries of the tree between a file and what it needs in the end */
#define REACHED_MAX 2048 /* libraries that one file needs, in all */

/* Libraries of the tree by the names that they can be asked for by. */
struct libs {
	struct gv_arena *arena;
	struct gv_inventory *inv;
	struct gv_places places;
	struct gv_map by_name;	/* -> struct lib */
	struct gv_map by_place; /* "folder/name" -> struct gv_file */
	struct gv_map paths;	/* of files with something to say, by path */
	struct gv_map confs;	/* of loaders, by the root that they are for -> struct conf */
};

struct lib {
	struct gv_file *file;
	struct lib *next;
};

struct conf {
	GV_VEC(gv_str) folders;
};

static void add_lib(struct libs *l, gv_str name, struct gv_file *f, gv_str dir)
{
	struct lib **slot, *own;

	if (!name.n)
		return;
	*gv_map_put(&l->by_place, gv_fmt(l->arena, "%.*s/%.*s", GV_ARG(dir), GV_ARG(name))) = f;
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

/* Names that are links: "libcudart.so" for who loads that. */
static void index_links(struct libs *l)
{
	for (size_t i = l->inv->links.n; i--;) {
		const struct gv_link *k = &l->inv->links.v[i];
		gv_str base = gv_file_name(k->path);
		struct gv_file *f;

		if (!gv_has(base, ".so"))
			continue;
		f = gv_map_get(&l->paths, gv_place(&l->places, k->path));
		if (f && f->elf)
			add_lib(l, base, f, gv_place_folder(&l->places, gv_folder_above(k->path, 1)));
	}
}

static void index_confs(struct libs *l)
{
	for (size_t i = 0; i < l->inv->files.n; i++) {
		const struct gv_file *f = l->inv->files.v[i];
		struct conf **slot;

		if (!f->search.n || f->hidden)
			continue;
		slot = (struct conf **)gv_map_put(&l->confs, gv_place_root(f->path));
		if (!*slot)
			*slot = GV_NEW(l->arena, struct conf);
		for (size_t k = 0; k < f->search.n; k++)
			*gv_push(l->arena, &(*slot)->folders) = f->search.v[k];
	}
}

static void index_libraries(struct gv_inventory *inv, struct libs *l)
{
	for (size_t i = 0; i < inv->files.n; i++)
		if (!inv->files.v[i]->hidden)
			*gv_map_put(&l->paths, inv->files.v[i]->path) = inv->files.v[i];
	index_confs(l);
	index_links(l);
	for (size_t i = inv->files.n; i--;) { /* so that the first comes first */
		struct gv_file *f = inv->files.v[i];
		gv_str base = gv_file_name(f->path), dir;

		if (f->elf && !f->elf->relocatable) {
			f->provides = gv_library_vendor(f->elf->soname.n ? f->elf->soname : base, &f->driver);
			if (!f->provides)
				f->provides = gv_library_vendor(base, &f->driver);
			if (is_stub(f))
				f->provides = 0;
			f->driver &= f->provides != 0;
		}
		if (!f->elf || f->hidden || is_stub(f))
			continue;
		dir = gv_place_folder(&l->places, gv_folder_above(f->path, 1));
		add_lib(l, base, f, dir);
		add_lib(l, gv_without_hash(l->arena, base), f, dir);
		add_lib(l, f->elf->soname, f, dir);
	}
}

/* ---- What is behind a name ---- */

/* A folder as the loader makes it of an entry of RUNPATH: "$ORIGIN/../lib", or an absolute one. */
static gv_str search_folder(struct libs *l, const struct gv_file *f, gv_str dir, gv_str entry)
{
	gv_str rest;

	if (gv_starts(entry, "$ORIGIN"))
		rest = gv_from(entry, 7);
	else if (gv_starts(entry, "${ORIGIN}"))
		rest = gv_from(entry, 9);
	else
		return gv_fmt(l->arena, "%.*s%.*s", GV_ARG(gv_place_root(f->path)),
			      GV_ARG(gv_starts(entry, "/") ? gv_from(entry, 1) : entry));
	return gv_fmt(l->arena, "%.*s%.*s", GV_ARG(dir), GV_ARG(rest));
}

static gv_str normal(struct gv_arena *a, gv_str dir)
{
	gv_str root = gv_place_root(dir), rest = gv_from(dir, root.n), part, out = root;

	while (gv_next(&rest, '/', &part)) {
		if (!part.n || gv_is(part, "."))
			continue;
		if (!gv_is(part, ".."))
			out = gv_fmt(a, "%.*s%s%.*s", GV_ARG(out), out.n > root.n ? "/" : "", GV_ARG(part));
		else
			while (out.n > root.n && out.p[--out.n] != '/')
				;
	}
	/* what is directly in an archive has the archive as its folder, without "!" */
	return out.n && out.n == root.n ? gv_sub(out, 0, out.n - 1) : out;
}

/* Files of different images do not see each other. */
static bool together(const struct gv_file *a, const struct gv_file *b)
{
	return !a->images || !b->images || a->images & b->images;
}

static struct gv_file *in_folder(struct libs *l, const struct gv_file *f, gv_str dir, gv_str name)
{
	gv_str at = normal(l->arena, l->places.links.n ? gv_place_folder(&l->places, dir) : dir);
	struct gv_file *hit = gv_map_get(&l->by_place, gv_fmt(l->arena, "%.*s/%.*s", GV_ARG(at), GV_ARG(name)));

	return hit && together(f, hit) ? hit : NULL;
}

static struct gv_file *in_paths(struct libs *l, const struct gv_file *f, gv_str dir, gv_str name)
{
	struct gv_file *hit = NULL;

	for (size_t i = 0; f->elf && i < f->elf->paths.n && !hit; i++)
		hit = in_folder(l, f, search_folder(l, f, dir, f->elf->paths.v[i]), name);
	return hit;
}

/* LD_LIBRARY_PATH of the image. */
static struct gv_file *in_environment(struct libs *l, const struct gv_file *f, gv_str name)
{
	const struct gv_image *g = f->images ? l->inv->images.v[__builtin_ctzll(f->images)] : NULL;
	struct gv_file *hit = NULL;
	gv_str list, one;

	for (size_t i = 0; g && g->says && i < g->says->env.n && !hit; i++) {
		list = gv_starts(g->says->env.v[i], "LD_LIBRARY_PATH=") ? gv_from(g->says->env.v[i], 16) : GV_NONE;
		for (size_t n = 0; gv_next(&list, ':', &one) && !hit && n < 64; n++)
			if (one.n)
				hit = in_folder(l, f,
						gv_fmt(l->arena, "%.*s%.*s", GV_ARG(g->root),
						       GV_ARG(gv_from(one, gv_starts(one, "/") ? 1 : 0))),
						name);
	}
	return hit;
}

static struct gv_file *in_system(struct libs *l, const struct gv_file *f, gv_str name)
{
	static const char *const usual[] = {
		"usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib",
		"lib/x86_64-linux-gnu",	    "lib/aarch64-linux-gnu",	 "lib64",     "lib"
	};
	gv_str root = gv_place_root(f->path);
	const struct conf *c = gv_map_get(&l->confs, root);
	struct gv_file *hit = NULL;

	for (size_t i = 0; c && i < c->folders.n && !hit; i++)
		hit = in_folder(l, f, gv_fmt(l->arena, "%.*s%.*s", GV_ARG(root), GV_ARG(gv_from(c->folders.v[i], 1))),
				name);
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && !hit; i++)
		hit = in_folder(l, f, gv_fmt(l->arena, "%.*s%s", GV_ARG(root), usual[i]), name);
	return hit;
}

#define CANDIDATES 256
/* As the loader looks: along the paths, where the image and the system say; then beside it, else anywhere in the tree
 * (a program may load it first, or set a path). */
static struct gv_file *find_library(struct libs *l, const struct gv_file *f, gv_str name)
{
	const struct lib *all = gv_map_get(&l->by_name, name);
	struct gv_arena_mark mark = gv_arena_mark(l->arena);
	gv_str dir = gv_folder_above(f->path, 1);
	struct gv_file *hit = NULL;

	if (!all)
		return NULL;
	if (f->elf && f->elf->rpath)
		hit = in_paths(l, f, dir, name);
	if (!hit)
		hit = in_environment(l, f, name);
	if (!hit)
		hit = in_paths(l, f, dir, name);
	if (!hit)
		hit = in_system(l, f, name);
	if (!hit)
		hit = in_folder(l, f, dir, name);
	for (size_t i = 0; all && !hit && i < CANDIDATES; all = all->next, i++)
		hit = together(f, all->file) ? all->file : NULL;
	if (!l->places.links.n) /* nothing is remembered */
		gv_arena_reset(l->arena, mark);
	return hit;
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
	struct gv_arena *arena; /* of what is forgotten after each file */
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

/* What is behind each name that a file is linked to: looked for once, however many files reach it. */
static struct gv_file *const *found_by(struct libs *l, struct gv_file *f)
{
	struct gv_elf *e = f->elf;

	if (!e->found) {
		e->found = GV_NEWN(l->arena, struct gv_file *, e->needed.n);
		for (size_t i = 0; i < e->needed.n; i++)
			e->found[i] = find_library(l, f, e->needed.v[i]);
	}
	return e->found;
}

/* Breadth first: the shortest way is the one that is told. */
static void reach_from(struct reach *r, struct gv_file *f)
{
	struct gv_arena_mark mark = gv_arena_mark(r->arena);

	memset(&r->steps, 0, sizeof(r->steps));
	*gv_push(r->arena, &r->steps) = (struct step){ .file = f };
	r->seen = (struct gv_map){ .arena = r->arena };
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
			to = found_by(r->libs, at)[k];
			if (vendor && i && !has_linked(f, name))
				*gv_push(r->inv->arena, &f->deps) = (struct gv_dep){ .name = name,
										     .vendor = vendor,
										     .grade = GV_LINKED,
										     .driver = driver,
										     .through = true,
										     .via = chain_of(r, i, name) };
			if (to)
				*gv_push(r->arena, &r->steps) =
				    (struct step){ .file = to, .from = i, .name = name };
		}
	}
	gv_arena_reset(r->arena, mark);
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
		*gv_push(inv->arena, &f->deps) =
		    (struct gv_dep){ .name = GV_STR("libcudart_static"), .vendor = GV_NVIDIA, .grade = GV_STATIC };
	if ((e->registers_hip || e->hip_wrappers) && !needs(e, "libamdhip64"))
		*gv_push(inv->arena, &f->deps) =
		    (struct gv_dep){ .name = GV_STR("libamdhip64"), .vendor = GV_AMD, .grade = GV_STATIC };
}

/* ---- By which path ---- */

static gv_str named_at(struct gv_arena *a, gv_str name, const struct gv_file *f, uint32_t line)
{
	return line ? gv_fmt(a, "%.*s (%.*s:%u)", GV_ARG(name), GV_ARG(f->path), line) : name;
}

/* Which requirement to change: what a user asked for, the nearest to the dependency where he wrote it himself; of his
 * own project what that asks for. */
static gv_str change_of(struct gv_arena *a, const struct gv_pnode *node, const struct gv_pnode *top,
			const struct gv_dep *d)
{
	const struct gv_package *own = top->package;
	gv_str next = d->name;

	if (d->of && d->of->how == GV_PACKAGE_ASKED && gv_eq(d->of->name, d->name))
		return named_at(a, d->name, d->of->from, d->of->line);
	if (top->wish)
		return named_at(a, top->wish->name, top->wish->from, top->wish->line);
	if (!own->own)
		return own->name;
	for (; node && node != top; node = node->parent)
		next = node->package->name;
	for (size_t i = 0; i < own->requires.n; i++)
		if (gv_eq(own->requires.v[i].name, next))
			return named_at(a, next, own->from, own->requires.v[i].line);
	return own->name;
}

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
	if (d->grade != GV_DECLARED && !d->of) {
		gv_put(&b, gv_file_name(f->path));
		gv_puts(&b, GV_ARROW);
	}
	gv_put(&b, d->via.n ? d->via : d->name);
told:
	d->via = gv_dup(g->inv->arena, gv_buf_str(&b));
	if (top)
		d->change = change_of(g->inv->arena, node, top, d);
	gv_buf_free(&b);
}

/* The package that a file describes, where it describes one; else that it is part of. */
static const struct gv_package *speaker(const struct gv_file *f, const struct gv_dep *d)
{
	if (d->of)
		return d->of;
	if (d->grade != GV_DECLARED)
		return f->package;
	return f->packages.n == 1 ? f->packages.v[0] : f->package;
}

static void settle(struct gv_graph *g, struct libs *libs, struct gv_file *f)
{
	for (size_t k = 0; k < f->deps.n; k++) {
		struct gv_dep *d = &f->deps.v[k];
		const struct gv_package *p = speaker(f, d);
		const struct gv_pnode *n = d->grade == GV_DECLARED && p ? gv_graph_named(g, p->eco, d->name) : NULL;

		if (d->grade != GV_DECLARED)
			d->found = find_library(libs, f, d->name);
		else
			d->found = n && n->package->how == GV_PACKAGE_HERE ? n->package->from : NULL;
		tell_path(g, f, d, p);
	}
}

static bool is_stopped(const struct gv_inventory *inv)
{
	return inv->stopped && inv->stopped();
}

void gv_inventory_resolve(struct gv_inventory *inv)
{
	struct libs libs = { .arena = inv->arena,
			     .inv = inv,
			     .by_name = { .arena = inv->arena },
			     .by_place = { .arena = inv->arena },
			     .paths = { .arena = inv->arena },
			     .confs = { .arena = inv->arena } };
	struct reach reach = { .inv = inv, .libs = &libs, .arena = gv_arena_new() };
	struct gv_graph g;

	gv_places_make(&libs.places, inv);
	index_libraries(inv, &libs);
	gv_graph_make(&g, inv);
	gv_graph_own_files(&g);
	for (size_t i = 0; i < inv->files.n && !is_stopped(inv); i++)
		if (inv->files.v[i]->elf) {
			reach_from(&reach, inv->files.v[i]);
			add_static(inv, inv->files.v[i]);
		}
	gv_arena_free(reach.arena);
	gv_graph_declared(&g);
	for (size_t i = 0; i < inv->files.n && !is_stopped(inv); i++)
		settle(&g, &libs, inv->files.v[i]);
}
