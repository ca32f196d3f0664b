/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for a fact, what was seen besides, and which lines nobody understood. */
#include "report/common.h"

static bool same(const struct gv_obs *a, const struct gv_obs *b, enum gv_fact f)
{
	return gv_fact_info[f].type == GV_STR_ ? gv_eq(a->str, b->str) : a->num == b->num;
}

struct gv_shown gv_show(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_slot *slot = gv_slot_of(e, f);
	struct gv_shown s = { 0 };

	if (!slot || !slot->n)
		return s;
	s.obs = gv_obs(e, f);
	for (size_t i = slot->n; !s.obs && i-- > 0;)
		if (slot->v[i].state == GV_KNOWN)
			s.obs = &slot->v[i];
	if (!s.obs)
		s.obs = &slot->v[slot->n - 1];
	for (size_t i = 0; i < slot->n; i++) {
		const struct gv_obs *o = &slot->v[i];

		if (o->state != GV_KNOWN || o->block != s.obs->block)
			continue;
		if (!s.samples || o->num < s.min)
			s.min = o->num;
		if (!s.samples || o->num > s.max)
			s.max = o->num;
		s.samples++;
	}
	return s;
}

bool gv_other(const struct gv_entity *e, enum gv_fact f, const struct gv_shown *s, size_t *at, struct gv_other *ret)
{
	const struct gv_slot *slot = gv_slot_of(e, f);
	const struct gv_obs *o;

	if (!slot || !s->obs)
		return false;
	while (*at < slot->n && slot->v[*at].block == s->obs->block)
		++*at;
	if (*at >= slot->n)
		return false;
	o = &slot->v[*at];
	*ret = (struct gv_other){ .obs = o };
	for (; *at < slot->n && slot->v[*at].block == o->block; ++*at) {
		if (slot->v[*at].state != GV_KNOWN && ret->samples)
			continue;
		ret->obs = &slot->v[*at];
		ret->samples += slot->v[*at].state == GV_KNOWN;
	}
	ret->differs = s->samples == 1 && ret->samples == 1 && (!ret->obs->block || ret->obs->block->latest) &&
		       !same(s->obs, ret->obs, f);
	return true;
}

const struct gv_entity *gv_shown_entity(const struct gv_run *run, size_t *i)
{
	if (*i < run->entities.n)
		return run->entities.v[(*i)++];
	while (*i - run->entities.n < run->sights.n) {
		const struct gv_entity *e = run->sights.v[(*i)++ - run->entities.n];

		if (!e->joined)
			return e;
	}
	return NULL;
}

bool gv_unclaimed(const struct gv_doc *doc, size_t *at, struct gv_stretch *ret)
{
	const uint8_t ends = GV_LINE_PROMPT | GV_LINE_FENCE | GV_LINE_CLAIMED | GV_LINE_SIGNED;
	struct gv_stretch s = { 0 };

	for (; *at < doc->nlines; ++*at) {
		const struct gv_line *l = &doc->lines[*at];

		if (l->flags & ends) {
			if (s.n)
				break;
		} else if (gv_trim(l->text).n) {
			if (!s.n++) {
				s.from = l->no;
				s.first = l->text;
			}
			s.to = l->no;
		}
	}
	if (s.n)
		*ret = s;
	return s.n != 0;
}
