/* SPDX-License-Identifier: Apache-2.0 */
/* Who is who: sightings of one thing, by different tools under different names, become one entity.
 *
 * Sightings are joined by union-find over keys. Bus id and UUID are strong. An index is weak: it joins only what no strong
 * key tells apart. What has no key at all is the only thing of its kind on the machine, or a thing of its own. */
#include "derive/derive.h"

#include <stdlib.h>

struct joiner {
	struct gv_run *run;
	size_t *up; /* sighting -> another of the same thing */
	struct gv_map by;
};

static size_t root(struct joiner *j, size_t i)
{
	while (j->up[i] != i) {
		j->up[i] = j->up[j->up[i]];
		i = j->up[i];
	}
	return i;
}

static void unite(struct joiner *j, size_t a, size_t b)
{
	a = root(j, a);
	b = root(j, b);
	if (a != b)
		j->up[a > b ? a : b] = a > b ? b : a;
}

static gv_str scoped(struct joiner *j, const struct gv_entity *e, const char *what, gv_str v)
{
	gv_str parent = e->kind == GV_LINK && e->parent ? gv_fmt(j->run->arena, "%zu", root(j, e->parent->index)) : GV_NONE;

	return gv_fmt(j->run->arena, "%.*s/%d/%.*s/%s/%.*s", GV_ARG(e->block->node->id), (int)e->kind, GV_ARG(parent), what,
		      GV_ARG(v));
}

/* Joins sighting i to whatever has this key already. */
static void by_key(struct joiner *j, size_t i, const char *what, gv_str v)
{
	void **slot;

	if (!v.n)
		return;
	slot = gv_map_put(&j->by, scoped(j, j->run->sights.v[i], what, v));
	if (*slot)
		unite(j, (size_t)(uintptr_t)*slot - 1, i);
	else
		*slot = (void *)(uintptr_t)(i + 1);
}

static bool conflict(const struct gv_entity *a, const struct gv_entity *b)
{
	static const enum gv_key strong[] = { GV_KEY_BUS, GV_KEY_UUID };

	for (size_t k = 0; k < 2; k++)
		if (a->key[strong[k]].n && b->key[strong[k]].n && !gv_eq(a->key[strong[k]], b->key[strong[k]]))
			return true;
	return false;
}

static bool has_strong(const struct gv_entity *e)
{
	return e->key[GV_KEY_BUS].n || e->key[GV_KEY_UUID].n;
}

static void strong_pass(struct joiner *j)
{
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];

		if (e->kind == GV_NODE || e->kind == GV_LINK)
			continue;
		by_key(j, i, "bus", e->key[GV_KEY_BUS]);
		by_key(j, i, "uuid", e->key[GV_KEY_UUID]);
		by_key(j, i, "pid", e->key[GV_KEY_PID]);
		if (e->kind != GV_GPU)
			by_key(j, i, "id", e->id);
	}
}

/* The index of a GPU joins it to the first GPU of that index that no strong key contradicts. */
static void index_pass(struct joiner *j, bool weak)
{
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		void **slot;

		if (e->kind != GV_GPU || !e->key[GV_KEY_INDEX].n || has_strong(e) == weak)
			continue;
		slot = gv_map_put(&j->by, scoped(j, e, "index", e->key[GV_KEY_INDEX]));
		if (!*slot)
			*slot = (void *)(uintptr_t)(i + 1);
		else if (!conflict(j->run->sights.v[(size_t)(uintptr_t)*slot - 1], e))
			unite(j, (size_t)(uintptr_t)*slot - 1, i);
	}
}

static void link_pass(struct joiner *j)
{
	for (size_t i = 0; i < j->run->sights.n; i++)
		if (j->run->sights.v[i]->kind == GV_LINK)
			by_key(j, i, "id", j->run->sights.v[i]->id);
}

/* Groups of GPUs on a node, for the passes that count: *ret_one is the root of the last one. */
static size_t gpu_groups(struct joiner *j, const struct gv_entity *node, bool keyless, size_t *ret_one)
{
	size_t n = 0;

	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		bool none = !has_strong(e) && !e->key[GV_KEY_INDEX].n;

		if (e->kind == GV_GPU && e->block->node == node && none == keyless && root(j, i) == i) {
			n++;
			*ret_one = i;
		}
	}
	return n;
}

/* A GPU without any key is the only GPU there is, where there is only one. */
static void keyless_pass(struct joiner *j)
{
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		size_t one, lone = SIZE_MAX;

		if (e->kind != GV_GPU || has_strong(e) || e->key[GV_KEY_INDEX].n || root(j, i) != i)
			continue;
		if (gpu_groups(j, e->block->node, false, &one) == 1) {
			unite(j, one, i);
		} else if (gpu_groups(j, e->block->node, false, &one) == 0) {
			/* none has a key: each output that speaks of one GPU speaks of the same */
			for (size_t k = 0; k < i && lone == SIZE_MAX; k++)
				if (j->run->sights.v[k]->kind == GV_GPU && j->run->sights.v[k]->block->node == e->block->node &&
				    j->run->sights.v[k]->block != e->block)
					lone = k;
			if (lone != SIZE_MAX)
				unite(j, lone, i);
		}
	}
}

struct half {
	size_t i; /* root sighting */
	gv_str bus, uuid;
	double index;
};

/* What one group knows of its keys. */
static struct half half_of(struct joiner *j, size_t r)
{
	struct half h = { .i = r, .index = -1 };

	for (size_t i = r; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];

		if (e->kind != GV_GPU || root(j, i) != r)
			continue;
		if (e->key[GV_KEY_BUS].n)
			h.bus = e->key[GV_KEY_BUS];
		if (e->key[GV_KEY_UUID].n)
			h.uuid = e->key[GV_KEY_UUID];
		if (e->key[GV_KEY_INDEX].n)
			gv_to_num(e->key[GV_KEY_INDEX], &h.index);
	}
	return h;
}

static int by_bus(const void *a, const void *b)
{
	return gv_cmp(((const struct half *)a)->bus, ((const struct half *)b)->bus);
}

static int by_index(const void *a, const void *b)
{
	double x = ((const struct half *)a)->index, y = ((const struct half *)b)->index;

	return (x > y) - (x < y);
}

/* NVIDIA's tools number GPUs in the order of their bus ids. Where one tool gave every GPU an index and another gave as many
 * GPUs a bus id, and none has both, the orders are matched. */
static void order_pass(struct joiner *j, const struct gv_entity *node)
{
	GV_VEC(struct half) bus = { 0 }, idx = { 0 };

	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		struct half h;

		if (e->kind != GV_GPU || e->block->node != node || root(j, i) != i)
			continue;
		h = half_of(j, i);
		if (h.bus.n && h.index >= 0)
			return;
		if (h.bus.n)
			*gv_push(j->run->arena, &bus) = h;
		else if (h.index >= 0)
			*gv_push(j->run->arena, &idx) = h;
	}
	if (!bus.n || bus.n != idx.n || bus.n > 64)
		return;
	qsort(bus.v, bus.n, sizeof(bus.v[0]), by_bus);
	qsort(idx.v, idx.n, sizeof(idx.v[0]), by_index);
	for (size_t k = 0; k < bus.n; k++) {
		if (idx.v[k].index != (double)k || (bus.v[k].uuid.n && idx.v[k].uuid.n))
			return;
	}
	for (size_t k = 0; k < bus.n; k++)
		unite(j, bus.v[k].i, idx.v[k].i);
}

static void name_entity(struct gv_run *run, struct gv_entity *e)
{
	if (e->kind != GV_GPU && e->kind != GV_PCI && e->kind != GV_PROC)
		return;
	if (e->kind == GV_PROC)
		e->id = e->key[GV_KEY_PID].n ? e->key[GV_KEY_PID] : e->id;
	else if (e->key[GV_KEY_BUS].n)
		e->id = e->key[GV_KEY_BUS];
	else if (e->key[GV_KEY_UUID].n)
		e->id = e->key[GV_KEY_UUID];
	else if (e->key[GV_KEY_INDEX].n)
		e->id = gv_fmt(run->arena, "gpu%.*s", GV_ARG(e->key[GV_KEY_INDEX]));
	else if (!e->id.n)
		e->id = GV_STR("gpu");
}

/* Order of looks: what a container sees first (the host's view outweighs it), names that say "before" and "after", then
 * the order of documents. */
static int moment_in_name(gv_str name)
{
	static const char *const early[] = { "before", "old", "prev", "first", "start" };
	static const char *const late[] = { "after", "later", "second", "last", "end" };

	for (size_t i = 0; i < 5; i++) {
		if (gv_has_nocase(name, early[i]))
			return -1;
		if (gv_has_nocase(name, late[i]))
			return 1;
	}
	return 0;
}

static int by_look(const void *a, const void *b)
{
	const struct gv_entity *x = *(struct gv_entity *const *)a, *y = *(struct gv_entity *const *)b;
	int mx = moment_in_name(x->block->doc->name), my = moment_in_name(y->block->doc->name);

	if (x->block->container != y->block->container)
		return x->block->container ? -1 : 1;
	if (mx != my)
		return mx < my ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void absorb(struct gv_run *run, struct gv_entity *into, struct gv_entity *s)
{
	size_t n = gv_fact_count(into->kind);

	for (int k = 0; k < GV_KEYS; k++)
		if (!into->key[k].n)
			into->key[k] = s->key[k];
	for (size_t f = 0; f < n; f++)
		for (size_t i = 0; i < s->slot[f].n; i++)
			*gv_push(run->arena, &into->slot[f]) = s->slot[f].v[i];
	s->joined = into;
}

static struct gv_entity *entity_of(struct joiner *j, struct gv_entity **of_root, size_t i)
{
	struct gv_entity *s = j->run->sights.v[i];
	size_t r = root(j, i);

	if (s->kind == GV_NODE)
		return s->block->node;
	if (!of_root[r]) {
		struct gv_entity *e = gv_entity_new(j->run->arena, s->kind, s->id);

		e->node = s->block->node;
		e->index = j->run->entities.n;
		*gv_push(j->run->arena, &j->run->entities) = e;
		of_root[r] = e;
	}
	return of_root[r];
}

/* Sightings in the order of looks become entities, so that every value list ends with the newest look. */
static void build(struct joiner *j)
{
	struct gv_run *run = j->run;
	struct gv_entity **of_root = GV_NEWN(run->arena, struct gv_entity *, run->sights.n + 1);
	struct gv_entity **order = GV_NEWN(run->arena, struct gv_entity *, run->sights.n + 1);

	for (size_t i = 0; i < run->sights.n; i++) {
		order[i] = run->sights.v[i];
		entity_of(j, of_root, i); /* entities keep the order in which they were first seen */
	}
	qsort(order, run->sights.n, sizeof(order[0]), by_look);
	for (size_t k = 0; k < run->sights.n; k++)
		absorb(run, entity_of(j, of_root, order[k]->index), order[k]);
	for (size_t i = 0; i < run->sights.n; i++) {
		struct gv_entity *s = run->sights.v[i];

		if (s->parent && s->joined && !s->joined->parent)
			s->joined->parent = s->parent->joined;
	}
	for (size_t i = 0; i < run->entities.n; i++)
		name_entity(run, run->entities.v[i]);
}

/* The GPU that a line of its kernel driver names. One that no tool lists becomes an entity here: it is what failed. */
static struct gv_entity *gpu_of_event(struct gv_run *run, const struct gv_event *ev)
{
	struct gv_entity *gpu = gv_by_key(run, GV_GPU, ev->node, GV_KEY_BUS, ev->bus);
	struct gv_obs *o;

	if (gpu || !ev->bus.n || !ev->kernel || gv_is(ev->sig->vendor, "any") || ev->sig->kind == GV_K_NVSWITCH_ERROR)
		return gpu;
	gpu = gv_entity_new(run->arena, GV_GPU, ev->bus);
	gpu->key[GV_KEY_BUS] = ev->bus;
	gpu->node = ev->node;
	gpu->index = run->entities.n;
	*gv_push(run->arena, &run->entities) = gpu;
	o = gv_observe(run->arena, gpu, GV_F_GPU_VENDOR, ev->first);
	o->state = GV_KNOWN;
	o->str = ev->sig->vendor;
	return gpu;
}

void gv_derive_identity(struct gv_run *run)
{
	struct joiner j = { .run = run, .by = { .arena = run->arena } };

	gv_derive_nodes(run);
	j.up = GV_NEWN(run->arena, size_t, run->sights.n + 1);
	for (size_t i = 0; i < run->sights.n; i++) {
		j.up[i] = i;
		run->sights.v[i]->index = i;
	}
	strong_pass(&j);
	index_pass(&j, false);
	index_pass(&j, true);
	for (struct gv_entity *n = NULL; (n = gv_each(run, GV_NODE, NULL, n));)
		order_pass(&j, n);
	keyless_pass(&j);
	link_pass(&j);
	build(&j);
	for (size_t i = 0; i < run->events.n; i++)
		run->events.v[i]->gpu = gpu_of_event(run, run->events.v[i]);
}
