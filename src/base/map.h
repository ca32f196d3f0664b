/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map from strings to pointers, in an arena; keys are views that must outlive it. */
#pragma once

#include "base/arena.h"

struct gv_map {
	struct gv_arena *arena;
	struct gv_map_slot *slots;
	size_t n, cap;
};

void *gv_map_get(const struct gv_map *m, gv_str key); /* NULL where absent */
void **gv_map_put(struct gv_map *m, gv_str key); /* the slot of the key, made (NULL inside) where absent */
