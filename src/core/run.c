/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run.h"

void gv_add_entity(struct gv_run *run, struct gv_entity *e)
{
	struct gv_chain *all = &run->of_kind[e->kind], *here;

	e->index = run->entities.n;
	*gv_push(run->arena, &run->entities) = e;
	if (e->kind == GV_NODE) {
		e->node = e;
		e->own = GV_NEWN(run->arena, struct gv_chain, GV_ENTITY_KINDS);
	}
	if (all->last)
		all->last->next = e;
	else
		all->first = e;
	all->last = e;
	all->n++;
	here = e->node ? &e->node->own[e->kind] : NULL;
	if (!here)
		return;
	if (here->last)
		here->last->next_here = e;
	else
		here->first = e;
	here->last = e;
	here->n++;
}

void gv_add_event(struct gv_run *run, struct gv_event *ev)
{
	struct gv_event_chain *same, *kin = NULL;
	void **slot;

	ev->index = run->events.n;
	*gv_push(run->arena, &run->events) = ev;
	if (!run->events_by_sig.arena)
		run->events_by_sig.arena = run->arena;
	slot = gv_map_put(&run->events_by_sig, ev->sig->id);
	if (!*slot)
		*slot = GV_NEW(run->arena, struct gv_event_chain);
	same = *slot;
	if (same->last)
		same->last->next = ev;
	else
		same->first = ev;
	same->last = ev;
	if (ev->sig->kind >= 0 && ev->sig->kind < GV_KINDS)
		kin = &run->events_of[ev->sig->kind];
	if (!kin)
		return;
	if (kin->last)
		kin->last->next_of_kind = ev;
	else
		kin->first = ev;
	kin->last = ev;
}

void gv_unread(struct gv_run *run, gv_str file, gv_str why)
{
	struct gv_unread u = { gv_dup(run->arena, file), why };

	*gv_push(run->arena, &run->unread) = u;
}

struct gv_entity *gv_each(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			  const struct gv_entity *prev)
{
	if (!node)
		return prev ? prev->next : run->of_kind[k].first;
	if (prev)
		return prev->next_here;
	return node->own ? node->own[k].first : NULL;
}

size_t gv_count(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node)
{
	return !node ? run->of_kind[k].n : node->own ? node->own[k].n : 0;
}

struct gv_entity *gv_by_key(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			    enum gv_key key, gv_str value)
{
	for (struct gv_entity *e = NULL; value.n && (e = gv_each(run, k, node, e));)
		if (gv_eq(e->key[key], value))
			return e;
	return NULL;
}

struct gv_entity *gv_by_id(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node, gv_str id)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, k, node, e));)
		if (gv_eq(e->id, id))
			return e;
	return NULL;
}

struct gv_event *gv_each_event(const struct gv_run *run, const char *sig, const struct gv_entity *node,
			       const struct gv_event *prev)
{
	const struct gv_event_chain *c = prev ? NULL : gv_map_get(&run->events_by_sig, gv_str_of(sig));
	struct gv_event *ev = prev ? prev->next : c ? c->first : NULL;

	while (ev && node && ev->node != node)
		ev = ev->next;
	return ev;
}

struct gv_event *gv_each_event_of(const struct gv_run *run, enum gv_kind k, const struct gv_entity *node,
				  const struct gv_event *prev)
{
	struct gv_event *ev = prev ? prev->next_of_kind : run->events_of[k].first;

	while (ev && node && ev->node != node)
		ev = ev->next_of_kind;
	return ev;
}

gv_str gv_env(const struct gv_run *run, const struct gv_entity *node, const char *name)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_VAR, node, e));)
		if (gv_is(e->id, name))
			return gv_text(e, GV_F_VAR_VALUE);
	return GV_NONE;
}

unsigned gv_vendors(const struct gv_run *run, const struct gv_entity *node)
{
	unsigned bits = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));) {
		gv_str v = gv_text(e, GV_F_GPU_VENDOR);

		bits |= gv_is(v, "nvidia") ? GV_NVIDIA : gv_is(v, "amd") ? GV_AMD : gv_is(v, "intel") ? GV_INTEL : 0;
	}
	return bits;
}
