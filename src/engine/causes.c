/* SPDX-License-Identifier: Apache-2.0 */
/* Effects are hung under their causes, by the rows of cause.def. */
#include "engine/engine.h"

#include <stdlib.h>

#define ANY GV_JOIN_ANY
#define NODE GV_JOIN_NODE
#define GPU GV_JOIN_GPU
#define SELF GV_JOIN_SELF
const struct gv_cause gv_causes[] = {
#define CAUSE(effect, cause, join) { GV_K_##effect, GV_K_##cause, join },
#include "core/cause.def"
#undef CAUSE
	{ GV_KINDS, GV_KINDS, GV_JOIN_ANY },
};
#undef ANY
#undef NODE
#undef GPU
#undef SELF
const size_t gv_ncauses = sizeof(gv_causes) / sizeof(gv_causes[0]) - 1;

/* The GPU that an entity is or belongs to. */
static const struct gv_entity *gpu_of(const struct gv_entity *e)
{
	if (e->kind == GV_GPU)
		return e;
	return e->parent && e->parent->kind == GV_GPU ? e->parent : NULL;
}

static bool joined(const struct gv_finding *effect, const struct gv_finding *cause, enum gv_join join)
{
	const struct gv_entity *a = effect->on, *b = cause->on, *ga = gpu_of(a), *gb = gpu_of(b);

	if (join == GV_JOIN_ANY)
		return true;
	if (a->node != b->node)
		return false;
	if (join == GV_JOIN_SELF)
		return a == b;
	/* a finding on the node as a whole speaks of all its GPUs */
	return join != GV_JOIN_GPU || !ga || !gb || ga == gb;
}

#define SLACK 60.0 /* seconds by which the lines of one mishap may come in the wrong order */

/* A cause does not come after its effect. Known where one log dates both: clocks of two logs may be zones apart. */
static bool too_late(const struct gv_finding *cause, const struct gv_finding *effect)
{
	const struct gv_event *c = cause->event, *e = effect->event;

	if (!c || !e || c->doc != e->doc || c->t_first.clock == GV_CLOCK_NONE || c->t_first.clock != e->t_last.clock)
		return false;
	return c->boot_first > e->boot_last || (c->boot_first == e->boot_last && c->t_first.t > e->t_last.t + SLACK);
}

/* Told in passing: a check put it below what its kind is otherwise, or the site accepts it. */
static bool made_light(const struct gv_finding *f)
{
	return f->accepted || (f->severity == GV_NOTE && gv_kind_info[f->kind].severity != GV_NOTE);
}

/* What lies in the past, is a guess or was told in passing explains nothing of what is seen now. */
static bool may_explain(const struct gv_finding *cause, const struct gv_finding *effect)
{
	return cause != effect && cause->when >= effect->when && !too_late(cause, effect) &&
	       (cause->confidence > GV_LOW || effect->confidence == GV_LOW) &&
	       (!made_light(cause) || effect->severity == GV_NOTE);
}

static bool better(const struct gv_finding *a, const struct gv_finding *b)
{
	if (!b)
		return true;
	if (a->when != b->when)
		return a->when > b->when;
	if (a->severity != b->severity)
		return a->severity > b->severity;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence;
	return gv_kind_info[a->kind].stage < gv_kind_info[b->kind].stage;
}

struct some {
	GV_VEC(struct gv_finding *) v;
};

/* Findings of one kind, on one node or (NULL) anywhere: on a large fleet most pairs are not worth a look. */
static struct some *some_of(struct gv_map *m, enum gv_kind kind, const struct gv_entity *node, bool add)
{
	uint64_t key[2] = { kind, (uintptr_t)node };
	gv_str bytes = { (const char *)key, sizeof(key) };
	void **slot;

	if (!add)
		return gv_map_get(m, bytes);
	slot = gv_map_put(m, gv_dup(m->arena, bytes));
	if (!*slot)
		*slot = GV_NEW(m->arena, struct some);
	return *slot;
}

static void find_cause(struct gv_map *m, struct gv_finding *f)
{
	for (size_t r = 0; r < gv_ncauses; r++) {
		const struct gv_cause *row = &gv_causes[r];
		const struct some *s;

		if (row->effect != f->kind)
			continue;
		s = some_of(m, row->cause, row->join == GV_JOIN_ANY ? NULL : f->on->node, false);
		for (size_t i = 0; s && i < s->v.n; i++) {
			struct gv_finding *c = s->v.v[i];

			if (joined(f, c, row->join) && better(c, f->caused_by) && may_explain(c, f))
				f->caused_by = c;
		}
	}
}

void gv_count_effects(struct gv_run *run)
{
	for (size_t i = 0; i < run->findings.n; i++) {
		run->findings.v[i]->worst = run->findings.v[i]->severity;
		run->findings.v[i]->explains = 0;
	}
	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];
		size_t depth = 0;

		for (struct gv_finding *up = f->caused_by; up && depth < GV_KINDS; up = up->caused_by, depth++) {
			up->explains++;
			if (f->severity > up->worst)
				up->worst = f->severity;
		}
	}
}

void gv_hang_causes(struct gv_run *run)
{
	struct gv_map m = { .arena = run->arena };

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		*gv_push(run->arena, &some_of(&m, f->kind, NULL, true)->v) = f;
		if (f->on->node)
			*gv_push(run->arena, &some_of(&m, f->kind, f->on->node, true)->v) = f;
	}
	for (size_t i = 0; i < run->findings.n; i++)
		find_cause(&m, run->findings.v[i]);
	gv_count_effects(run);
}
