/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run.h"

struct gv_entity *gv_each(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			  const struct gv_entity *prev)
{
	for (size_t i = prev ? prev->index + 1 : 0; i < run->entities.n; i++) {
		struct gv_entity *e = run->entities.v[i];

		if (e->kind == k && (!node || e->node == node))
			return e;
	}
	return NULL;
}

size_t gv_count(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node)
{
	size_t n = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, k, node, e));)
		n++;
	return n;
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
	for (size_t i = prev ? prev->index + 1 : 0; i < run->events.n; i++) {
		struct gv_event *ev = run->events.v[i];

		if (gv_is(ev->sig->id, sig) && (!node || ev->node == node))
			return ev;
	}
	return NULL;
}

struct gv_event *gv_each_event_of(const struct gv_run *run, enum gv_kind k, const struct gv_entity *node,
				  const struct gv_event *prev)
{
	for (size_t i = prev ? prev->index + 1 : 0; i < run->events.n; i++) {
		struct gv_event *ev = run->events.v[i];

		if (ev->sig->kind == (int)k && (!node || ev->node == node))
			return ev;
	}
	return NULL;
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
