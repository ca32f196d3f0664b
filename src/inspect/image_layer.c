/* SPDX-License-Identifier: Apache-2.0 */
/* What layers do to each other. Of the members of a layer 64 bits of a hash are kept, with what the member does: an
 * image has hundreds of thousands of files, and only the few that are reported are ever asked for. */
#include "inspect/image.h"

#include <stdlib.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325ULL

gv_str gv_image_digest(gv_str name)
{
	static const char *const suffixes[] = { "", ".json", ".tar", ".tar.gz", ".tgz", ".tar.zst", "/layer.tar" };
	gv_str rest;

	if (gv_starts(name, "sha256:"))
		name = gv_from(name, 7);
	rest = gv_from(name, 64);
	if (name.n < 64 || !gv_is_hex(gv_sub(name, 0, 64)))
		return GV_NONE;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (gv_is(rest, suffixes[i]))
			return gv_sub(name, 0, 64);
	return GV_NONE;
}

bool gv_image_is_layer(gv_str path)
{
	path = gv_file_name(path);
	return gv_is(path, "layer.tar") || (gv_image_digest(path).n && !gv_ends(path, ".json"));
}

struct gv_image_layer *gv_image_layer_new(struct gv_arena *a, gv_str path, uint64_t size)
{
	struct gv_image_layer *l = GV_NEW(a, struct gv_image_layer);

	l->path = gv_dup(a, path);
	l->size = size;
	return l;
}

void gv_image_layer_free(struct gv_image_layer *l)
{
	free(l->names);
	l->names = NULL;
	l->n = l->cap = 0;
}

/* ---- Hashes of paths: FNV-1a, so that those of the folders of a path come by the way ---- */

static uint64_t step(uint64_t h, char c)
{
	return (h ^ (unsigned char)c) * 0x100000001b3ULL;
}

static uint64_t with(uint64_t h, enum gv_layer_does does)
{
	h += (uint64_t)does + 1;
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdULL;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 33;
}

static uint64_t hash_of(gv_str path, enum gv_layer_does does)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < path.n; i++)
		h = step(h, path.p[i]);
	return with(h, does);
}

static void add(struct gv_image_layer *l, gv_str path, enum gv_layer_does does)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 256;
		l->names = realloc(l->names, l->cap * sizeof(*l->names));
		if (!l->names)
			gv_oom();
	}
	l->names[l->n++] = hash_of(path, does);
}

/* OCI image-spec 1.1, layer.md: ".wh.NAME" removes NAME, ".wh..wh..opq" all of a folder that layers below have. What
 * else begins with
 * ".wh..wh." is the business of a file system that was used for it once. */
void gv_image_layer_member(struct gv_image_layer *l, gv_str rel, bool folder)
{
	size_t cut = (size_t)(gv_rfind(rel, "/") + 1);
	gv_str base = gv_from(rel, cut), dir = gv_sub(rel, 0, cut ? cut - 1 : 0);

	if (gv_is(base, ".wh..wh..opq")) {
		add(l, dir, GV_LAYER_OPAQUE);
	} else if (gv_starts(base, ".wh.") && !gv_starts(base, ".wh..wh.")) {
		char path[4096];

		if (rel.n > sizeof(path))
			return;
		memcpy(path, rel.p, cut);
		memcpy(path + cut, base.p + 4, base.n - 4);
		add(l, (gv_str){ path, rel.n - 4 }, GV_LAYER_GONE);
	} else if (!gv_starts(base, ".wh.")) {
		add(l, rel, folder ? GV_LAYER_FOLDER : GV_LAYER_FILE);
	}
}

/* ---- Those of an image ---- */

#define PLACE (((uint64_t)1 << GV_LAYER_BITS) - 1)

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of each name the last layer is left. The lowest layer hides nothing, and one that is there twice has its last place.
 */
void gv_layers_make(struct gv_layers *ls, const struct gv_image *im)
{
	size_t n = 0, k = 0;

	*ls = (struct gv_layers){ 0 };
	for (size_t i = 1; i < im->layers.n; i++)
		if (im->layers.v[i].layer && im->layers.v[i].layer->place == i + 1)
			n += im->layers.v[i].layer->n;
	if (!n)
		return;
	ls->v = malloc(n * sizeof(*ls->v));
	if (!ls->v)
		gv_oom();
	for (size_t i = 1; i < im->layers.n; i++) {
		const struct gv_image_layer *l = im->layers.v[i].layer;

		for (size_t j = 0; l && l->place == i + 1 && j < l->n; j++)
			ls->v[k++] = (l->names[j] & ~PLACE) | (i + 1);
	}
	qsort(ls->v, n, sizeof(*ls->v), by_hash);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || (ls->v[i + 1] & ~PLACE) != (ls->v[i] & ~PLACE))
			ls->v[ls->n++] = ls->v[i];
}

void gv_layers_free(struct gv_layers *ls)
{
	free(ls->v);
	*ls = (struct gv_layers){ 0 };
}

static uint32_t last_of(const struct gv_layers *ls, uint64_t hash)
{
	size_t lo = 0, hi = ls->n;

	hash &= ~PLACE;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ls->v[mid] < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ls->n && (ls->v[lo] & ~PLACE) == hash ? (uint32_t)(ls->v[lo] & PLACE) : 0;
}

uint32_t gv_layers_last(const struct gv_layers *ls, gv_str rel, enum gv_layer_does does)
{
	return last_of(ls, hash_of(rel, does));
}

/* Folders around it can be removed, emptied, or be something else than folders; it itself be removed or replaced. An
 * archive is a folder of what is in it. */
uint32_t gv_layers_hide(const struct gv_layers *ls, gv_str rel, uint32_t layer, enum gv_layer_does *ret_does,
			gv_str *ret_at)
{
	uint32_t most = 0, found;
	uint64_t h = HASH_START;

	for (size_t i = 0; ls->n && i <= rel.n; i++) {
		bool end = i == rel.n;

		if (end || rel.p[i] == '/' || rel.p[i] == '!' || !i)
			for (int does = 0; does < GV_LAYER_DOES; does++) {
				if (does == (end ? GV_LAYER_OPAQUE : GV_LAYER_FOLDER) ||
				    (!i && does != GV_LAYER_OPAQUE))
					continue;
				found = last_of(ls, with(h, (enum gv_layer_does)does));
				if (found > layer && found > most) {
					most = found;
					*ret_does = (enum gv_layer_does)does;
					*ret_at = gv_sub(rel, 0, i);
				}
			}
		if (!end)
			h = step(h, rel.p[i]);
	}
	return most;
}
