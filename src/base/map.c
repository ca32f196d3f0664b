/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

struct gv_map_slot {
	gv_str key;
	uint64_t hash;
	void *value;
};

static uint64_t hash_of(gv_str s)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return h ? h : 1;
}

static struct gv_map_slot *slot_of(const struct gv_map *m, gv_str key, uint64_t h)
{
	for (size_t i = h & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
		struct gv_map_slot *s = &m->slots[i];

		if (!s->hash || (s->hash == h && gv_eq(s->key, key)))
			return s;
	}
}

void *gv_map_get(const struct gv_map *m, gv_str key)
{
	return m->cap ? slot_of(m, key, hash_of(key))->value : NULL;
}

void **gv_map_put(struct gv_map *m, gv_str key)
{
	uint64_t h = hash_of(key);
	struct gv_map_slot *s;

	if (m->n * 4 >= m->cap * 3) {
		struct gv_map old = *m;

		m->cap = old.cap ? old.cap * 2 : 16;
		m->slots = GV_NEWN(m->arena, struct gv_map_slot, m->cap);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].hash)
				*slot_of(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
	}
	s = slot_of(m, key, h);
	if (!s->hash) {
		s->hash = h;
		s->key = key;
		m->n++;
	}
	return &s->value;
}
