/* SPDX-License-Identifier: Apache-2.0 */
/* Who is who: sightings of one thing, by different tools under different names, become one entity.
 *
 * Sightings are joined by union-find over keys. Bus id and UUID are strong. An index is weak: it joins only what no strong
 * key tells apart. What has no key at all is the only thing of its kind on the machine, or a thing of its own. */
#include "derive/derive.h"

#include <stdlib.h>

#define NONE SIZE_MAX

/* GPUs of one node, for the passes that count. */
struct gpus {
	size_t groups;		/* that have a key */
	size_t one;		/* a sighting of the last of them */
	size_t first;		/* the first sighting in an output that speaks of one GPU alone */
};

struct joiner {
	struct gv_run *run;
	size_t *up; /* sighting -> another of the same thing */
	struct gv_map by;
	struct gpus *gpus; /* by node, which come first among the entities */
	size_t *in_block;  /* by block, how many GPUs it speaks of */
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

static bool has_key(const struct gv_entity *e)
{
	return has_strong(e) || e->key[GV_KEY_INDEX].n;
}

static void count_gpus(struct joiner *j)
{
	bool *counted = GV_NEWN(j->run->arena, bool, j->run->sights.n + 1);

	j->gpus = GV_NEWN(j->run->arena, struct gpus, j->run->entities.n);
	for (size_t i = 0; i < j->run->entities.n; i++)
		j->gpus[i] = (struct gpus){ 0, NONE, NONE };
	j->in_block = GV_NEWN(j->run->arena, size_t, j->run->blocks.n + 1);
	for (size_t i = 0; i < j->run->sights.n; i++)
		if (j->run->sights.v[i]->kind == GV_GPU)
			j->in_block[j->run->sights.v[i]->block->index]++;
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		struct gpus *g = &j->gpus[e->block->node->index];

		if (e->kind != GV_GPU)
			continue;
		if (g->first == NONE && j->in_block[e->block->index] == 1)
			g->first = i;
		if (!has_key(e) || counted[root(j, i)])
			continue;
		counted[root(j, i)] = true;
		g->groups++;
		g->one = i;
	}
}

/* A GPU without any key is the only GPU there is, where there is only one; not where its own output speaks of another. */
static void keyless_pass(struct joiner *j)
{
	count_gpus(j);
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		const struct gpus *g = &j->gpus[e->block->node->index];

		if (e->kind != GV_GPU || has_key(e) || root(j, i) != i || j->in_block[e->block->index] > 1)
			continue;
		if (g->groups == 1)
			unite(j, g->one, i);
		else if (!g->groups) /* none has a key: each output that speaks of one GPU speaks of the same */
			unite(j, g->first, i);
	}
}

/* One group of sightings and what they know of its keys. */
struct half {
	size_t i; /* a sighting */
	gv_str bus, uuid;
	double index;
};

/* The GPUs of a node of which the bus id is known, and those of which the index is. */
struct halves {
	GV_VEC(struct half) bus, idx;
	bool known; /* some GPU has both: nothing is to be matched */
};

#define HALVES_MAX 64

/* What every group of GPUs knows; by root. */
static struct half *read_keys(struct joiner *j)
{
	struct half *v = GV_NEWN(j->run->arena, struct half, j->run->sights.n + 1);

	for (size_t i = 0; i < j->run->sights.n; i++)
		v[i] = (struct half){ .i = i, .index = -1 };
	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		struct half *h = &v[root(j, i)];

		if (e->kind != GV_GPU)
			continue;
		if (e->key[GV_KEY_BUS].n)
			h->bus = e->key[GV_KEY_BUS];
		if (e->key[GV_KEY_UUID].n)
			h->uuid = e->key[GV_KEY_UUID];
		if (e->key[GV_KEY_INDEX].n)
			gv_to_num(e->key[GV_KEY_INDEX], &h->index);
	}
	return v;
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
static void match_orders(struct joiner *j, struct halves *h)
{
	if (h->known || !h->bus.n || h->bus.n != h->idx.n || h->bus.n > HALVES_MAX)
		return;
	qsort(h->bus.v, h->bus.n, sizeof(h->bus.v[0]), by_bus);
	qsort(h->idx.v, h->idx.n, sizeof(h->idx.v[0]), by_index);
	for (size_t k = 0; k < h->bus.n; k++) {
		if (h->idx.v[k].index != (double)k || (h->bus.v[k].uuid.n && h->idx.v[k].uuid.n))
			return;
	}
	for (size_t k = 0; k < h->bus.n; k++)
		unite(j, h->bus.v[k].i, h->idx.v[k].i);
}

static void order_pass(struct joiner *j)
{
	struct half *keys = read_keys(j);
	struct halves *of_node = GV_NEWN(j->run->arena, struct halves, j->run->entities.n);

	for (size_t i = 0; i < j->run->sights.n; i++) {
		const struct gv_entity *e = j->run->sights.v[i];
		struct halves *h = &of_node[e->block->node->index];

		if (e->kind != GV_GPU || root(j, i) != i)
			continue;
		h->known |= keys[i].bus.n && keys[i].index >= 0;
		if (keys[i].bus.n && h->bus.n <= HALVES_MAX)
			*gv_push(j->run->arena, &h->bus) = keys[i];
		else if (!keys[i].bus.n && keys[i].index >= 0 && h->idx.n <= HALVES_MAX)
			*gv_push(j->run->arena, &h->idx) = keys[i];
	}
	for (size_t i = 0; i < j->run->entities.n; i++)
		match_orders(j, &of_node[i]);
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

static int by_look(const void *a, const void *b)
{
	const struct gv_entity *x = *(struct gv_entity *const *)a, *y = *(struct gv_entity *const *)b;
	int c = gv_cmp_looks(x->block, y->block);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

static void absorb(struct gv_run *run, struct gv_entity *into, struct gv_entity *s)
{
	size_t n = gv_fact_count(into->kind);

	for (int k = 0; k < GV_KEYS; k++)
		if (!into->key[k].n)
			into->key[k] = s->key[k];
	for (size_t f = 0; f < n; f++) {
		if (!into->slot[f].n) { /* most things are seen once: nothing needs to be copied */
			into->slot[f] = s->slot[f];
			continue;
		}
		for (size_t i = 0; i < s->slot[f].n; i++)
			*gv_push(run->arena, &into->slot[f]) = s->slot[f].v[i];
	}
	s->joined = into;
}

/* NULL where the machine has too many of the kind. */
static struct gv_entity *new_entity(struct gv_run *run, enum gv_entity_kind k, gv_str id, struct gv_entity *node,
				    const struct gv_doc *doc)
{
	struct gv_entity *e;
	bool *said = &run->too_many[k];

	if (gv_count(run, k, node) >= GV_THINGS_MAX) {
		if (!*said)
			gv_unread(run, doc->name, gv_fmt(run->arena, "more than %d of a kind on one machine (%s): the rest was "
							 "left out", GV_THINGS_MAX, gv_entity_name[k]));
		*said = true;
		return NULL;
	}
	e = gv_entity_new(run->arena, k, id);
	e->node = node;
	gv_add_entity(run, e);
	return e;
}

static struct gv_entity *entity_of(struct joiner *j, struct gv_entity **of_root, size_t i)
{
	struct gv_entity *s = j->run->sights.v[i];
	size_t r = root(j, i);

	if (s->kind == GV_NODE)
		return s->block->node;
	if (!of_root[r] && r == i)
		of_root[r] = new_entity(j->run, s->kind, s->id, s->block->node, s->block->doc);
	return of_root[r];
}

/* Sightings in the order of looks become entities, so that every value list ends with the newest look. */
static void build(struct joiner *j)
{
	struct gv_run *run = j->run;
	struct gv_entity **of_root = GV_NEWN(run->arena, struct gv_entity *, run->sights.n + 1);
	struct gv_entity **order = GV_NEWN(run->arena, struct gv_entity *, run->sights.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < run->sights.n; i++) /* entities keep the order in which they were first seen */
		if (entity_of(j, of_root, i))
			order[n++] = run->sights.v[i];
	if (n)
		qsort(order, n, sizeof(order[0]), by_look);
	for (size_t k = 0; k < n; k++)
		absorb(run, order[k]->kind == GV_NODE ? order[k]->block->node : of_root[root(j, order[k]->index)], order[k]);
	for (size_t i = 0; i < run->sights.n; i++) {
		struct gv_entity *s = run->sights.v[i];

		if (s->parent && s->joined && !s->joined->parent)
			s->joined->parent = s->parent->joined;
	}
	for (size_t i = 0; i < run->entities.n; i++)
		name_entity(run, run->entities.v[i]);
	for (size_t i = n = 0; i < run->sights.n; i++) /* those that are left out are no sightings any more */
		if (run->sights.v[i]->joined)
			run->sights.v[n++] = run->sights.v[i];
	run->sights.n = n;
}

/* GPUs by node and bus id. */
static void **gpu_slot(struct gv_map *gpus, const struct gv_entity *node, gv_str bus)
{
	return gv_map_put(gpus, gv_fmt(gpus->arena, "%zu/%.*s", node->index, GV_ARG(bus)));
}

/* The GPU that a line of its kernel driver names. One that no tool lists becomes an entity here: it is what failed. */
static struct gv_entity *gpu_of_event(struct gv_run *run, struct gv_map *gpus, const struct gv_event *ev)
{
	void **slot = ev->bus.n ? gpu_slot(gpus, ev->node, ev->bus) : NULL;
	struct gv_entity *gpu = slot ? *slot : NULL;
	struct gv_obs *o;

	if (gpu || !ev->bus.n || !(ev->kernel || gv_is(ev->sig->log, "kernel")) || gv_is(ev->sig->vendor, "any") || ev->sig->kind == GV_K_NVSWITCH_ERROR)
		return gpu;
	gpu = new_entity(run, GV_GPU, ev->bus, ev->node, ev->doc);
	if (!gpu)
		return NULL;
	*slot = gpu;
	gpu->key[GV_KEY_BUS] = ev->bus;
	o = gv_observe(run->arena, gpu, GV_F_GPU_VENDOR, ev->first);
	o->state = GV_KNOWN;
	o->str = ev->sig->vendor;
	return gpu;
}

static void gpus_of_events(struct gv_run *run)
{
	struct gv_map gpus = { .arena = run->arena };

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, NULL, e));) {
		void **slot = e->key[GV_KEY_BUS].n ? gpu_slot(&gpus, e->node, e->key[GV_KEY_BUS]) : NULL;

		if (slot && !*slot)
			*slot = e;
	}
	for (size_t i = 0; i < run->events.n; i++)
		run->events.v[i]->gpu = gpu_of_event(run, &gpus, run->events.v[i]);
}

void gv_derive_identity(struct gv_run *run)
{
	struct joiner j = { .run = run, .by = { .arena = run->arena } };

	gv_derive_nodes(run);
	for (size_t i = 0; i < run->docs.n; i++)
		run->docs.v[i]->moment = gv_moment_in_name(run->docs.v[i]->name);
	j.up = GV_NEWN(run->arena, size_t, run->sights.n + 1);
	for (size_t i = 0; i < run->sights.n; i++) {
		j.up[i] = i;
		run->sights.v[i]->index = i;
	}
	strong_pass(&j);
	index_pass(&j, false);
	index_pass(&j, true);
	order_pass(&j);
	keyless_pass(&j);
	link_pass(&j);
	build(&j);
	gpus_of_events(run);
}
