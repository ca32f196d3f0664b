/* SPDX-License-Identifier: Apache-2.0 */
/* Puts images together: index, manifests, configurations and layers lie each in a file of its own, by their digests. */
#include "inspect/image.h"

#include <stdlib.h>
#include <string.h>

#define WALK_MAX 1024 /* entries of an index, and of those that it names */
#define HOPS 8
#define ALIASES 16

struct images {
	struct gv_inventory *inv;
	struct gv_map files;  /* documents by path -> struct gv_file */
	struct gv_map layers; /* by path -> struct gv_image_layer */
	struct gv_map links;  /* by path -> struct gv_link */
	struct gv_map bases;  /* that were looked at */
	bool full;
};

static gv_str join(struct images *im, gv_str a, gv_str b)
{
	return gv_fmt(im->inv->arena, "%.*s%.*s", GV_ARG(a), GV_ARG(b));
}

static gv_str dir_name(gv_str path) /* with what is behind it */
{
	return gv_sub(path, 0, path.n - gv_file_name(path).n);
}

/* What stands in front of "blobs/sha256/" of a blob, of any other document its folder. */
static gv_str base_of(gv_str path)
{
	gv_str dir = dir_name(path), up = gv_sub(dir, 0, dir.n ? dir.n - 1 : 0);

	if (gv_ends(dir, "/") && gv_ends(dir_name(up), "blobs/"))
		return dir_name(gv_sub(dir_name(up), 0, dir_name(up).n - 1));
	return dir;
}

/* A blob by its digest: where a layout has it, else beside the manifest (skopeo's dir:). */
static gv_str blob_path(struct images *im, gv_str base, gv_str digest, bool flat)
{
	gv_str kind = gv_before(digest, ":"), hex = gv_after(digest, ":");

	if (flat)
		return join(im, base, hex);
	return gv_fmt(im->inv->arena, "%.*sblobs/%.*s/%.*s", GV_ARG(base), GV_ARG(kind), GV_ARG(hex));
}

static struct gv_file *doc_at(struct images *im, gv_str path)
{
	return gv_map_get(&im->files, path);
}

/* A path of an archive as docker save writes it: of equal layers all but one are links to that. */
static struct gv_image_layer *layer_at(struct images *im, gv_str base, gv_str path)
{
	for (size_t hop = 0; hop < HOPS; hop++) {
		struct gv_image_layer *l = gv_map_get(&im->layers, path);
		const struct gv_link *link = l ? NULL : gv_map_get(&im->links, path);
		gv_str rest, part, at;

		if (!link)
			return l;
		at = link->hard ? base : dir_name(path);
		rest = link->target;
		while (gv_next(&rest, '/', &part)) {
			if (gv_is(part, "..") && at.n > base.n)
				at = dir_name(gv_sub(at, 0, at.n - 1));
			else if (part.n && !gv_is(part, ".") && !gv_is(part, ".."))
				at = gv_fmt(im->inv->arena, "%.*s%.*s%s", GV_ARG(at), GV_ARG(part), rest.n ? "/" : "");
		}
		path = at;
	}
	return NULL;
}

/* ---- Which images there are ---- */

static gv_str platform_of(struct gv_arena *a, gv_str os, gv_str arch, gv_str variant)
{
	if (!arch.n || gv_is(arch, "unknown"))
		return GV_NONE;
	return gv_fmt(a, "%.*s%s%.*s%s%.*s", GV_ARG(os), os.n ? "/" : "", GV_ARG(arch), variant.n ? "/" : "",
		      GV_ARG(variant));
}

static bool same_layers(const struct gv_image *a, const struct gv_image *b)
{
	if (a->layers.n != b->layers.n || a->config != b->config || !gv_eq(a->base, b->base))
		return false;
	for (size_t i = 0; i < a->layers.n; i++)
		if (!gv_eq(a->layers.v[i].path, b->layers.v[i].path))
			return false;
	return true;
}

static void add_image(struct images *im, gv_str base, const struct gv_oci *m, gv_str name, gv_str platform, bool flat)
{
	struct gv_inventory *inv = im->inv;
	struct gv_image *g = GV_NEW(inv->arena, struct gv_image);
	bool docker = m->kind == GV_OCI_DOCKER;

	if (!m->refs.n || (!docker && m->refs.v[0].type.n && !gv_has(m->refs.v[0].type, "tar")))
		return; /* signatures, attestations: no image */
	g->base = base;
	g->name = name;
	g->platform = platform;
	g->config = doc_at(im, docker ? join(im, base, m->config) : blob_path(im, base, m->config, flat));
	if (g->config && g->config->oci.n && g->config->oci.v[0]->kind == GV_OCI_CONFIG) {
		g->says = g->config->oci.v[0];
		if (!platform.n)
			g->platform = platform_of(inv->arena, g->says->os, g->says->arch, g->says->variant);
	}
	for (size_t i = 0; i < m->refs.n && i < GV_LAYERS_MAX; i++) {
		gv_str path =
		    docker ? join(im, base, m->refs.v[i].target) : blob_path(im, base, m->refs.v[i].target, flat);

		*gv_push(inv->arena, &g->layers) = (struct gv_image_place){ path, layer_at(im, base, path) };
	}
	for (size_t i = 0; i < inv->images.n; i++)
		if (same_layers(inv->images.v[i], g)) {
			if (name.n && !gv_has(inv->images.v[i]->name, gv_dupz(inv->arena, name)))
				inv->images.v[i]->name =
				    inv->images.v[i]->name.n
					? gv_fmt(inv->arena, "%.*s, %.*s", GV_ARG(inv->images.v[i]->name), GV_ARG(name))
					: name;
			return;
		}
	if (inv->images.n < GV_IMAGES_MAX) {
		*gv_push(inv->arena, &inv->images) = g;
		return;
	}
	if (!im->full)
		*gv_push(inv->arena, &inv->unread) =
		    (struct gv_not_read){ base.n ? base : GV_STR("index.json"),
					  GV_STR("more than 64 images: the others are read as archives are") };
	im->full = true;
}

struct todo {
	const struct gv_oci *oci;
	gv_str name, platform;
};

/* All that an index leads to, in its order. */
static void walk_index(struct images *im, gv_str base, const struct gv_oci *index)
{
	struct gv_arena *a = im->inv->arena;
	GV_VEC(struct todo) todo = { 0 };

	*gv_push(a, &todo) = (struct todo){ .oci = index };
	for (size_t i = 0; i < todo.n; i++) {
		struct todo at = todo.v[i];

		if (at.oci->kind == GV_OCI_MANIFEST)
			add_image(im, base, at.oci, at.name, at.platform, false);
		for (size_t k = 0; at.oci->kind == GV_OCI_INDEX && k < at.oci->refs.n && todo.n < WALK_MAX; k++) {
			const struct gv_oci_ref *r = &at.oci->refs.v[k];
			gv_str platform = platform_of(a, r->os, r->arch, r->variant);
			struct gv_file *f = doc_at(im, blob_path(im, base, r->target, false));

			if (f && f->oci.n)
				*gv_push(a, &todo) = (struct todo){ f->oci.v[0], r->name.n ? r->name : at.name,
								    platform.n ? platform : at.platform };
		}
	}
}

static void look_at(struct images *im, gv_str base)
{
	const struct gv_file *index = doc_at(im, join(im, base, GV_STR("index.json"))),
			     *docker = doc_at(im, join(im, base, GV_STR("manifest.json")));
	size_t before = im->inv->images.n;

	if (index && index->oci.n && index->oci.v[0]->kind == GV_OCI_INDEX)
		walk_index(im, base, index->oci.v[0]);
	if (im->inv->images.n > before || !docker)
		return;
	for (size_t i = 0; i < docker->oci.n; i++)
		if (docker->oci.v[i]->kind == GV_OCI_DOCKER || docker->oci.v[i]->kind == GV_OCI_MANIFEST)
			add_image(im, base, docker->oci.v[i], docker->oci.v[i]->name, GV_NONE,
				  docker->oci.v[i]->kind == GV_OCI_MANIFEST);
}

/* A store of blobs without an index: each manifest in it. */
static void look_at_blobs(struct images *im, const struct gv_file *f)
{
	gv_str base = base_of(f->path);

	if (f->oci.v[0]->kind != GV_OCI_MANIFEST || base.n == dir_name(f->path).n)
		return;
	if (doc_at(im, join(im, base, GV_STR("index.json"))) || doc_at(im, join(im, base, GV_STR("manifest.json"))))
		return;
	add_image(im, base, f->oci.v[0], GV_NONE, GV_NONE, false);
}

/* ---- Their roots ---- */

static size_t alike(const struct gv_inventory *inv, const struct gv_image *g, bool platform)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->images.n; i++) {
		const struct gv_image *o = inv->images.v[i];

		n += gv_eq(o->base, g->base) && (!platform || gv_eq(o->platform, g->platform));
	}
	return n;
}

static size_t number_of(const struct gv_inventory *inv, const struct gv_image *g)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->images.n; i++) {
		n += gv_eq(inv->images.v[i]->base, g->base);
		if (inv->images.v[i] == g)
			break;
	}
	return n;
}

/* "app.tar!" for the only image in it; of several each has its platform or else its number behind that. */
static void name_roots(struct gv_inventory *inv)
{
	for (size_t i = 0; i < inv->images.n; i++) {
		struct gv_image *g = inv->images.v[i];
		gv_str base = gv_sub(g->base, 0, g->base.n ? g->base.n - 1 : 0);

		g->root = base.n ? gv_fmt(inv->arena, "%.*s!", GV_ARG(base)) : GV_STR("");
		if (alike(inv, g, false) == 1)
			continue;
		if (g->platform.n && alike(inv, g, true) == 1 && gv_find_c(g->platform, '!') < 0)
			g->root = gv_fmt(inv->arena, "%.*s%.*s!", GV_ARG(g->root), GV_ARG(g->platform));
		else
			g->root = gv_fmt(inv->arena, "%.*simage %zu!", GV_ARG(g->root), number_of(inv, g));
	}
}

/* ---- What is seen ---- */

/* Folders at the root that are links to others: "lib" -> "usr/lib". A layer may speak of either. */
struct alias {
	gv_str from, to;
	uint32_t layer;
};

struct view {
	struct gv_image *g;
	size_t number; /* of the image, from 0 */
	struct gv_layers layers;
	struct alias alias[ALIASES];
	size_t naliases;
};

/* A layer that is there twice has the last of its places. */
static void set_places(struct gv_inventory *inv, struct gv_image *g)
{
	for (size_t i = 0; i < inv->layers.n; i++)
		inv->layers.v[i]->place = 0;
	for (size_t i = 0; i < g->layers.n; i++) {
		struct gv_image_layer *l = g->layers.v[i].layer;

		if (!l)
			continue;
		l->place = (uint32_t)i + 1;
		l->first = l->first ? l->first : g;
	}
}

static uint32_t place_of(const struct gv_image_layer *l)
{
	return l ? l->place : 0;
}

static gv_str below(const struct gv_image_layer *l, gv_str path)
{
	return gv_from(path, l->path.n + 1);
}

static void find_aliases(struct view *v, const struct gv_inventory *inv)
{
	for (size_t i = 0; i < inv->links.n && v->naliases < ALIASES; i++) {
		const struct gv_link *k = &inv->links.v[i];
		uint32_t layer = place_of(k->layer);
		gv_str from, to = k->target;

		if (!layer || k->hard)
			continue;
		from = below(k->layer, k->path);
		if (gv_find_c(from, '/') >= 0 || gv_find_c(from, '!') >= 0)
			continue;
		while (gv_starts(to, "/") || gv_starts(to, "./"))
			to = gv_from(to, gv_starts(to, "/") ? 1 : 2);
		if (to.n && gv_layers_last(&v->layers, from, GV_LAYER_FOLDER) <= layer)
			v->alias[v->naliases++] = (struct alias){ from, to, layer };
	}
}

/* The layer that hides a path of the layer at `place`, 0: none. */
static uint32_t hides(struct view *v, struct gv_arena *a, gv_str rel, uint32_t place, enum gv_layer_does *does,
		      gv_str *at)
{
	uint32_t by = gv_layers_hide(&v->layers, rel, place, does, at);

	for (size_t i = 0; i < v->naliases && !by; i++) {
		gv_str to = v->alias[i].to;

		if (rel.n > to.n && rel.p[to.n] == '/' && gv_eq(gv_sub(rel, 0, to.n), to)) {
			struct gv_arena_mark mark = gv_arena_mark(a);

			by = gv_layers_hide(&v->layers,
					    gv_fmt(a, "%.*s%.*s", GV_ARG(v->alias[i].from), GV_ARG(gv_from(rel, to.n))),
					    place, does, at);
			if (by)
				*at = gv_dup(a, *at);
			else
				gv_arena_reset(a, mark);
		}
	}
	return by;
}

static gv_str why_hidden(struct gv_arena *a, uint32_t by, enum gv_layer_does does, gv_str at, gv_str rel)
{
	if (at.n == rel.n)
		return gv_fmt(a, does == GV_LAYER_GONE ? "layer %u removes it" : "layer %u replaces it", by);
	return gv_fmt(a,
		      does == GV_LAYER_GONE	? "layer %u removes %.*s"
		      : does == GV_LAYER_OPAQUE ? "layer %u empties %.*s"
						: "layer %u replaces %.*s",
		      by, GV_ARG(at.n ? at : GV_STR("/")));
}

static void view_files(struct view *v, struct gv_inventory *inv)
{
	for (size_t i = 0; i < inv->files.n; i++) {
		struct gv_file *f = inv->files.v[i];
		uint32_t place = place_of(f->in_layer), by;
		enum gv_layer_does does;
		gv_str rel, at;

		if (!place)
			continue;
		rel = below(f->in_layer, f->path);
		by = hides(v, inv->arena, rel, place, &does, &at);
		if (!f->layer || (!by && !f->images))
			f->layer = (int)place;
		if (!by)
			f->images |= (uint64_t)1 << v->number;
		else if (!f->hidden_by.n)
			f->hidden_by = why_hidden(inv->arena, by, does, at, rel);
	}
	for (size_t i = 0; i < inv->links.n; i++) {
		struct gv_link *k = &inv->links.v[i];
		uint32_t place = place_of(k->layer);
		enum gv_layer_does does;
		gv_str at;

		if (place && !hides(v, inv->arena, below(k->layer, k->path), place, &does, &at))
			k->images |= (uint64_t)1 << v->number;
	}
}

/* A file whose own name went may be seen by another. */
static void follow_hard_links(struct gv_inventory *inv)
{
	struct gv_map stored = { .arena = inv->arena };
	bool any = false;

	for (size_t i = 0; i < inv->links.n && !any; i++)
		any = inv->links.v[i].hard && inv->links.v[i].images;
	for (size_t i = 0; i < inv->files.n && any; i++)
		if (inv->files.v[i]->layer)
			*gv_map_put(&stored, inv->files.v[i]->path) = inv->files.v[i];
	for (size_t i = 0; i < inv->links.n && any; i++) {
		const struct gv_link *k = &inv->links.v[i];
		struct gv_file *f = k->hard && k->images
					? gv_map_get(&stored, gv_fmt(inv->arena, "%.*s!%.*s", GV_ARG(k->layer->path),
								     GV_ARG(k->target)))
					: NULL;

		if (!f)
			continue;
		if (!f->images)
			f->path = k->path;
		f->images |= k->images;
	}
}

/* ---- Paths below the root ---- */

/* The first image in which it is seen, else in which its layer is. */
static const struct gv_image *image_of(const struct gv_inventory *inv, uint64_t images, const struct gv_image_layer *l)
{
	return images ? inv->images.v[__builtin_ctzll(images)] : l->first;
}

static void move_file(struct gv_inventory *inv, struct gv_file *f)
{
	const struct gv_image *g = image_of(inv, f->images, f->in_layer);
	gv_str prefix = f->in_layer->path;

	if (!g)
		return;
	f->hidden = !f->images;
	if (!f->hidden)
		f->hidden_by = GV_NONE;
	f->stored = f->path;
	f->path = gv_fmt(inv->arena, "%.*s%.*s", GV_ARG(g->root), GV_ARG(below(f->in_layer, f->path)));
	for (size_t i = 0; i < f->packages.n; i++) {
		gv_str dir = f->packages.v[i]->dir;

		if (dir.n >= prefix.n && gv_eq(gv_sub(dir, 0, prefix.n), prefix))
			f->packages.v[i]->dir =
			    gv_fmt(inv->arena, "%.*s%.*s", GV_ARG(g->root), GV_ARG(gv_from(dir, prefix.n + 1)));
	}
}

/* Of links those stay that are seen. */
static void move_links(struct gv_inventory *inv)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->links.n; i++) {
		struct gv_link k = inv->links.v[i];
		const struct gv_image *g = k.layer ? image_of(inv, k.images, k.layer) : NULL;

		if (g && !k.images)
			continue;
		if (g)
			k.path = gv_fmt(inv->arena, "%.*s%.*s", GV_ARG(g->root), GV_ARG(below(k.layer, k.path)));
		inv->links.v[n++] = k;
	}
	inv->links.n = n;
}

/* ---- All of it ---- */

static void tell_missing(struct gv_inventory *inv, const struct gv_image *g, struct gv_map *told)
{
	for (size_t i = 0; i < g->layers.n; i++) {
		const struct gv_image_layer *l = g->layers.v[i].layer;
		gv_str why = GV_NONE;

		if (!l)
			why = GV_STR("a layer of the image that is not in here");
		else if (!l->opened && l->size > 10240) /* else a tar without members, whose first block is zero */
			why = GV_STR("a layer of the image that is no archive which can be read here");
		else if (l->full)
			why = GV_STR("a layer with more members than are kept: some that it hides may be told as seen");
		if (!why.n || gv_map_get(told, g->layers.v[i].path))
			continue;
		*gv_map_put(told, g->layers.v[i].path) = inv;
		*gv_push(inv->arena, &inv->unread) = (struct gv_not_read){ g->layers.v[i].path, why };
	}
}

static int layers_by_path(const void *a, const void *b)
{
	return gv_cmp((*(struct gv_image_layer *const *)a)->path, (*(struct gv_image_layer *const *)b)->path);
}

static int links_by_path(const void *a, const void *b)
{
	const struct gv_link *x = a, *y = b;
	int r = gv_cmp(x->path, y->path);

	return r ? r : gv_cmp(x->target, y->target);
}

static int files_by_path(const void *a, const void *b)
{
	const struct gv_file *x = *(struct gv_file *const *)a, *y = *(struct gv_file *const *)b;
	int r = gv_cmp(x->path, y->path);

	return r ? r : (int)x->root - (int)y->root;
}

static void find_images(struct images *im)
{
	struct gv_inventory *inv = im->inv;

	for (size_t i = 0; i < inv->layers.n; i++)
		*gv_map_put(&im->layers, inv->layers.v[i]->path) = inv->layers.v[i];
	for (size_t i = 0; i < inv->links.n; i++)
		if (gv_image_is_layer(inv->links.v[i].path))
			*gv_map_put(&im->links, inv->links.v[i].path) = &inv->links.v[i];
	for (size_t i = 0; i < inv->files.n; i++)
		if (inv->files.v[i]->oci.n)
			*gv_map_put(&im->files, inv->files.v[i]->path) = inv->files.v[i];
	for (size_t i = 0; i < inv->files.n; i++) {
		struct gv_file *f = inv->files.v[i];
		void **seen;

		if (!f->oci.n)
			continue;
		seen = gv_map_put(&im->bases, base_of(f->path));
		if (!*seen) {
			*seen = f;
			look_at(im, base_of(f->path));
		}
		look_at_blobs(im, f);
	}
}

void gv_inventory_images(struct gv_inventory *inv)
{
	struct gv_map told = { .arena = inv->arena };
	struct images im = { .inv = inv,
			     .files = { .arena = inv->arena },
			     .layers = { .arena = inv->arena },
			     .links = { .arena = inv->arena },
			     .bases = { .arena = inv->arena } };

	if (inv->layers.n)
		qsort(inv->layers.v, inv->layers.n, sizeof(*inv->layers.v), layers_by_path);
	if (inv->links.n)
		qsort(inv->links.v, inv->links.n, sizeof(*inv->links.v), links_by_path);
	if (inv->files.n)
		qsort(inv->files.v, inv->files.n, sizeof(*inv->files.v), files_by_path);
	find_images(&im);
	name_roots(inv);
	for (size_t i = 0; i < inv->images.n; i++) {
		struct view v = { .g = inv->images.v[i], .number = i };

		tell_missing(inv, v.g, &told);
		set_places(inv, v.g);
		gv_layers_make(&v.layers, v.g);
		find_aliases(&v, inv);
		view_files(&v, inv);
		gv_layers_free(&v.layers);
	}
	follow_hard_links(inv);
	for (size_t i = 0; i < inv->files.n && inv->images.n; i++)
		if (inv->files.v[i]->in_layer)
			move_file(inv, inv->files.v[i]);
	move_links(inv);
	for (size_t i = 0; i < inv->layers.n; i++)
		gv_image_layer_free(inv->layers.v[i]);
}
