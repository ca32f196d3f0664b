/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata in JSON that compilers keep beside what they made. */
#pragma once

#include "base/arena.h"

struct gv_cache_value {
	gv_str parent, key; /* of the object that it is in, and its own; empty at the top, and in lists */
	gv_str text;	    /* of a string or number */
	bool string;
};

/* Each string and number of the document, in its order, up to what is no JSON. At most 100,000. */
void gv_cache_json(struct gv_arena *a, gv_str text, void (*got)(void *ctx, const struct gv_cache_value *v), void *ctx);
