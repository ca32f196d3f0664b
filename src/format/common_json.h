/* SPDX-License-Identifier: Apache-2.0 */
/* For readers of outputs that are JSON: a walk over claimed lines that knows, at each token, its line and the keys
 * around it. The lines may begin inside an object, at the key that tells what the output is. */
#pragma once

#include "base/json.h"
#include "format/common.h"

struct gv_json_walk {
	/* The token at hand; in.depth counts the brace that is put before lines that begin with a key. */
	struct gv_json_in in;
	/* Of each level that is open: the key that was met last (unescaped); empty in arrays. key[in.depth] is the name
	 * of a scalar, key[in.depth - 1] that of an object or array that has just begun. */
	gv_str key[GV_JSON_DEPTH + 1];
	struct gv_arena *arena;
	const struct gv_line *l;
	size_t n, at, *start; /* where each line starts in in.text; the line of the last token */
};

/* How many lines from l[0] on belong to the object or array that begins in it, or whose key does; at most n, also where
 * its end is cut off. What stands behind it in the object around it is left to the caller. Values nest in 64 levels at
 * most, so that asking at every line costs no more than 64 readings. */
size_t gv_json_extent(const struct gv_line *l, size_t n);
size_t gv_json_rest(const struct gv_line *l, size_t n); /* the same of the object around a key that begins the line */
void gv_json_walk(struct gv_arena *a, struct gv_json_walk *w, const struct gv_line *l, size_t n);
enum gv_json_kind gv_json_step(struct gv_json_walk *w);		  /* as gv_json_next() */
const struct gv_line *gv_json_line(const struct gv_json_walk *w); /* of the token at hand */
gv_str gv_json_text(const struct gv_json_walk *w);		  /* of a scalar */
/* The innermost key: the name of the scalar at hand, or of the array that it is an item of. */
gv_str gv_json_name(const struct gv_json_walk *w);
bool gv_json_within(const struct gv_json_walk *w,
		    const char *key); /* some level around the token at hand has this key */
