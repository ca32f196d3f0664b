/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run.h"

static void chain_entity(struct gv_chain *c, struct gv_entity *e, bool here)
{
	if (!c->last)
		c->first = e;
	else if (here)
		c->last->next_here = e;
	else
		c->last->next = e;
	c->last = e;
	c->n++;
}

void gv_add_entity(struct gv_run *run, struct gv_entity *e)
{
	e->index = run->entities.n;
	*gv_push(run->arena, &run->entities) = e;
	if (e->kind == GV_NODE) {
		e->node = e;
		e->own = GV_NEW(run->arena, struct gv_own);
	}
	chain_entity(&run->of_kind[e->kind], e, false);
	if (e->node)
		chain_entity(&e->node->own->of_kind[e->kind], e, true);
}

static void chain_event(struct gv_event_chain *c, struct gv_event *ev, struct gv_event **link)
{
	if (c->last)
		*link = ev;
	else
		c->first = ev;
	c->last = ev;
	c->n++;
}

void gv_add_event(struct gv_run *run, struct gv_event *ev)
{
	struct gv_event_chain *c;
	void **slot;

	ev->index = run->events.n;
	*gv_push(run->arena, &run->events) = ev;
	if (!run->events_by_sig.arena)
		run->events_by_sig.arena = run->arena;
	slot = gv_map_put(&run->events_by_sig, ev->sig->id);
	if (!*slot)
		*slot = GV_NEW(run->arena, struct gv_event_chain);
	c = *slot;
	chain_event(c, ev, c->last ? &c->last->next : NULL);
	if (ev->sig->kind < 0 || ev->sig->kind >= GV_KINDS)
		return;
	c = &run->events_of[ev->sig->kind];
	chain_event(c, ev, c->last ? &c->last->next_of_kind : NULL);
}

void gv_tell_nodes(struct gv_run *run)
{
	for (size_t i = 0; i < run->events.n; i++) {
		struct gv_event *ev = run->events.v[i];
		struct gv_event_chain *c = &ev->node->own->events;

		chain_event(c, ev, c->last ? &c->last->next_here : NULL);
	}
	for (size_t i = 0; i < run->blocks.n; i++) {
		struct gv_block *b = run->blocks.v[i];
		struct gv_own *own = b->node->own;

		if (own->last_block)
			own->last_block->next_here = b;
		else
			own->first_block = b;
		own->last_block = b;
	}
}

void gv_tell_children(struct gv_run *run)
{
	for (size_t i = 0; i < run->entities.n; i++) {
		struct gv_entity *e = run->entities.v[i], *parent = e->parent;

		if (!parent)
			continue;
		if (parent->last_child)
			parent->last_child->next_child = e;
		else
			parent->child = e;
		parent->last_child = e;
	}
}

void gv_unread(struct gv_run *run, gv_str file, gv_str why)
{
	struct gv_unread u = { gv_dup(run->arena, file), why };

	*gv_push(run->arena, &run->unread) = u;
}

struct gv_entity *gv_each(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			  const struct gv_entity *prev)
{
	if (prev)
		return node ? prev->next_here : prev->next;
	if (!node)
		return run->of_kind[k].first;
	return node->own ? node->own->of_kind[k].first : NULL;
}

struct gv_entity *gv_each_of(const struct gv_entity *parent, enum gv_entity_kind k, const struct gv_entity *prev)
{
	struct gv_entity *e = prev ? prev->next_child : parent->child;

	while (e && e->kind != k)
		e = e->next_child;
	return e;
}

size_t gv_outputs(const struct gv_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->blocks.n; i++)
		n += run->blocks.v[i]->seen;
	return n;
}

size_t gv_count(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node)
{
	return !node ? run->of_kind[k].n : node->own ? node->own->of_kind[k].n : 0;
}

struct gv_block *gv_each_block_on(const struct gv_entity *node, const struct gv_block *prev)
{
	return prev ? prev->next_here : node && node->own ? node->own->first_block : NULL;
}

struct gv_event *gv_each_event_on(const struct gv_entity *node, const struct gv_event *prev)
{
	return prev ? prev->next_here : node && node->own ? node->own->events.first : NULL;
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

#define FEW_EVENTS 64

struct gv_event *gv_each_event(const struct gv_run *run, const char *sig, const struct gv_entity *node,
			       const struct gv_event *prev)
{
	const struct gv_event_chain *c;
	struct gv_event *ev;

	if (node && node->own && node->own->events.n <= FEW_EVENTS) { /* one of many machines: its own are soon seen through */
		ev = gv_each_event_on(node, prev);
		while (ev && !gv_is(ev->sig->id, sig))
			ev = ev->next_here;
		return ev;
	}
	c = prev ? NULL : gv_map_get(&run->events_by_sig, gv_str_of(sig));
	ev = prev ? prev->next : c ? c->first : NULL;
	while (ev && node && ev->node != node)
		ev = ev->next;
	return ev;
}

static bool ignored(const struct gv_run *run, const struct gv_event *ev)
{
	return run->site && gv_site_ignores(run->site, ev);
}

struct gv_event *gv_each_event_of(const struct gv_run *run, enum gv_kind k, const struct gv_entity *node,
				  const struct gv_event *prev)
{
	struct gv_event *ev;

	if (node && node->own && node->own->events.n <= FEW_EVENTS) {
		ev = gv_each_event_on(node, prev);
		while (ev && (ev->sig->kind != (int)k || ignored(run, ev)))
			ev = ev->next_here;
		return ev;
	}
	ev = prev ? prev->next_of_kind : run->events_of[k].first;
	while (ev && ((node && ev->node != node) || ignored(run, ev)))
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

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		bits |= gv_vendor_of(gv_text(e, GV_F_GPU_VENDOR));
	return bits;
}
