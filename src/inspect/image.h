/* SPDX-License-Identifier: Apache-2.0 */
/* Images of containers: OCI layouts, what "docker save" and "skopeo copy dir:" write. Their layers are read as all
 * archives are; what each does to those below is known afterwards, since the document that says their order may come
 * last. */
#pragma once

#include "inspect/inventory.h"

/* The hex digits of a digest that a blob is called by, with or without a suffix (".json", ".tar", ".tar.gz"); empty: it
 * is not. */
gv_str gv_image_digest(gv_str name);
/* Whether an archive of that path is a layer, by its name: a digest, or "layer.tar". */
bool gv_image_is_layer(gv_str path);

/* ---- While files are read ---- */

#define GV_LAYER_NAMES ((size_t)2 << 20) /* of all layers together */

struct gv_image_layer *gv_image_layer_new(struct gv_arena *a, gv_str path, uint64_t size);
/* A member, by its path below the root of the layer: whiteouts are told by their names. */
void gv_image_layer_member(struct gv_image_layer *l, gv_str rel, bool folder);
void gv_image_layer_free(struct gv_image_layer *l); /* its names */

/* ---- Afterwards ---- */

/* On the whole inventory, before names are resolved: finds the images and their layers; says of each file in which it
 * is seen or by which layer it is hidden; gives files and packages their paths below the root of the image. */
void gv_inventory_images(struct gv_inventory *inv);

/* What a later layer can do to a path of one below it. */
enum gv_layer_does {
	GV_LAYER_FILE,	 /* has something else there, that is no folder */
	GV_LAYER_FOLDER, /* has a folder there */
	GV_LAYER_GONE,	 /* removes it: a whiteout */
	GV_LAYER_OPAQUE, /* empties it */
	GV_LAYER_DOES
};

/* All of that of one image, put together: a hash each, with the place of the last layer in its lowest bits. */
struct gv_layers {
	uint64_t *v;
	size_t n;
};
#define GV_LAYER_BITS 10
#define GV_LAYERS_MAX 512
/* Their places are set. */
void gv_layers_make(struct gv_layers *ls, const struct gv_image *im);
void gv_layers_free(struct gv_layers *ls);
/* The last layer, from 1, that does that to the path; 0: none. */
uint32_t gv_layers_last(const struct gv_layers *ls, gv_str rel, enum gv_layer_does does);
/* The last layer above `layer` that hides the path, from 1, and what it does; 0: it is seen. *ret_at: the path that it
 * does it to. */
uint32_t gv_layers_hide(const struct gv_layers *ls, gv_str rel, uint32_t layer, enum gv_layer_does *ret_does,
			gv_str *ret_at);
