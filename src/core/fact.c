/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fact.h"

#include <math.h>
#include <stdlib.h>

#define NUM GV_NUM
#define STR GV_STR_
#define FLAG GV_FLAG
const struct gv_fact_info gv_fact_info[GV_FACTS] = {
#define FACT(ent, ID, name, type, unit, meaning) [GV_F_##ID] = { GV_##ent, name, type, unit, meaning },
#include "core/fact.def"
#undef FACT
};

const char *const gv_entity_name[GV_ENTITY_KINDS] = {
#define ENTITY(ID, text) [GV_##ID] = text,
#include "core/entity.def"
#undef ENTITY
};

/* Asked for with every value that is looked at. Made before main(): there may be several threads later. */
static uint16_t first_of[GV_ENTITY_KINDS], count_of[GV_ENTITY_KINDS];

__attribute__((constructor)) static void count_facts(void)
{
	for (size_t f = GV_FACTS; f-- > 0;) {
		first_of[gv_fact_info[f].over] = (uint16_t)f;
		count_of[gv_fact_info[f].over]++;
	}
}

enum gv_fact gv_fact_first(enum gv_entity_kind k)
{
	return count_of[k] ? (enum gv_fact)first_of[k] : GV_FACTS;
}

size_t gv_fact_count(enum gv_entity_kind k)
{
	return count_of[k];
}

enum gv_fact gv_fact_by_name(enum gv_entity_kind k, gv_str name)
{
	size_t n = gv_fact_count(k), first = gv_fact_first(k);

	for (size_t f = first; f < first + n; f++)
		if (gv_is(name, gv_fact_info[f].name))
			return (enum gv_fact)f;
	return GV_FACTS;
}

struct gv_entity *gv_entity_new(struct gv_arena *a, enum gv_entity_kind k, gv_str id)
{
	struct gv_entity *e = gv_alloc(a, sizeof(*e) + gv_fact_count(k) * sizeof(struct gv_slot));

	e->kind = k;
	e->id = id;
	return e;
}

struct gv_slot *gv_slot(struct gv_entity *e, enum gv_fact f)
{
	return gv_fact_info[f].over == e->kind ? &e->slot[f - gv_fact_first(e->kind)] : NULL;
}

const struct gv_slot *gv_slot_of(const struct gv_entity *e, enum gv_fact f)
{
	return e && gv_fact_info[f].over == e->kind ? &e->slot[f - gv_fact_first(e->kind)] : NULL;
}

struct gv_obs *gv_observe(struct gv_arena *a, struct gv_entity *e, enum gv_fact f, struct gv_place at)
{
	struct gv_slot *s = gv_slot(e, f);
	struct gv_obs *o;

	if (!s) /* a reader's slip: the value goes nowhere, the program goes on */
		return GV_NEW(a, struct gv_obs);
	if (!s->cap) { /* most facts of most sightings are seen once */
		s->v = GV_NEW(a, struct gv_obs);
		s->cap = 1;
	}
	o = gv_push(a, s);
	*o = (struct gv_obs){ .at = at, .block = e->block };
	return o;
}

/* Observations are kept in the order of looks (identity sorts them). The end of those that count: the newest `rewind`
 * looks are left out where the same tool looked before. */
static bool looked_before(const struct gv_slot *s, size_t end)
{
	const struct gv_block *b = s->v[end - 1].block;

	for (size_t i = 0; b && i < end; i++)
		if (s->v[i].block && s->v[i].block != b && s->v[i].block->format == b->format)
			return true;
	return false;
}

static size_t end_of(const struct gv_entity *e, const struct gv_slot *s)
{
	size_t end = s->n;

	for (uint32_t k = 0; k < e->rewind && end && looked_before(s, end); k++) {
		const struct gv_block *b = s->v[end - 1].block;

		while (end > 0 && s->v[end - 1].block == b)
			end--;
	}
	return end;
}

/* The latest look that knows the value: [*ret_from, returned end). */
static size_t latest(const struct gv_entity *e, const struct gv_slot *s, size_t *ret_from)
{
	size_t end = end_of(e, s), i;

	while (end > 0 && s->v[end - 1].state != GV_KNOWN)
		end--;
	for (i = end; i > 0 && s->v[i - 1].block == s->v[end - 1].block;)
		i--;
	*ret_from = i;
	return end;
}

size_t gv_series(const struct gv_entity *e, enum gv_fact f, const struct gv_obs **ret_v, size_t max)
{
	const struct gv_slot *s = gv_slot_of(e, f);
	size_t n = 0, from, end;

	if (!s || !s->n)
		return 0;
	end = latest(e, s, &from);
	for (size_t i = from; i < end; i++) {
		if (s->v[i].state != GV_KNOWN)
			continue;
		if (ret_v && n == max)
			break;
		if (ret_v)
			ret_v[n] = &s->v[i];
		n++;
	}
	return n;
}

#define SERIES_MAX 4096

static int by_value(const void *a, const void *b)
{
	const struct gv_obs *x = *(const struct gv_obs *const *)a, *y = *(const struct gv_obs *const *)b;

	return (x->num > y->num) - (x->num < y->num);
}

/* The sample at quantile q of the latest look (nearest rank); NULL where there is none. */
static const struct gv_obs *at_quantile(const struct gv_entity *e, enum gv_fact f, double q)
{
	const struct gv_obs *v[SERIES_MAX];
	size_t n = gv_series(e, f, v, SERIES_MAX);
	size_t i;

	if (!n)
		return NULL;
	qsort(v, n, sizeof(v[0]), by_value);
	i = (size_t)ceil(q * (double)n);
	return v[i ? i - 1 : 0];
}

double gv_series_quantile(const struct gv_entity *e, enum gv_fact f, double q)
{
	const struct gv_obs *o = at_quantile(e, f, q);

	return o ? o->num : NAN;
}

const struct gv_obs *gv_obs(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_slot *s = gv_slot_of(e, f);

	if (!s || !s->n)
		return NULL;
	if (gv_fact_info[f].type == GV_NUM)
		return at_quantile(e, f, 0.5);
	for (size_t i = end_of(e, s); i-- > 0;)
		if (s->v[i].state == GV_KNOWN)
			return &s->v[i];
	return NULL;
}

bool gv_num(const struct gv_entity *e, enum gv_fact f, double *ret)
{
	const struct gv_obs *o = gv_obs(e, f);

	if (!o)
		return false;
	if (ret)
		*ret = o->num;
	return true;
}

bool gv_flag_known(const struct gv_entity *e, enum gv_fact f, bool *ret)
{
	const struct gv_obs *o = gv_obs(e, f);

	if (!o)
		return false;
	if (ret)
		*ret = o->num != 0;
	return true;
}

bool gv_flag(const struct gv_entity *e, enum gv_fact f)
{
	bool v = false;

	return gv_flag_known(e, f, &v) && v;
}

gv_str gv_text(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_obs *o = gv_obs(e, f);

	return o ? o->str : GV_NONE;
}

bool gv_two_looks(const struct gv_entity *e, enum gv_fact f, const struct gv_obs **ret_old, const struct gv_obs **ret_new)
{
	const struct gv_slot *s = gv_slot_of(e, f);
	const struct gv_obs *last = NULL, *first = NULL; /* of the newest look */

	for (size_t i = s ? end_of(e, s) : 0; i-- > 0;) {
		if (s->v[i].state != GV_KNOWN)
			continue;
		if (!last) {
			last = first = &s->v[i];
		} else if (s->v[i].block == last->block) {
			first = &s->v[i];
		} else if (first->sample == last->sample) {
			*ret_old = &s->v[i];
			*ret_new = last;
			return true;
		}
	}
	if (!last || first->sample == last->sample)
		return false;
	*ret_old = first;
	*ret_new = last;
	return true;
}

bool gv_seconds(const struct gv_obs *old, const struct gv_obs *new, double *ret)
{
	const struct gv_block *a = old->block, *b = new->block;
	double s = -1;

	if (a && a == b)
		s = ((double)new->ms - (double)old->ms) / 1000;
	else if (a && b && a->when.clock != GV_CLOCK_NONE && a->when.clock == b->when.clock && a->when.year == b->when.year)
		s = b->when.t - a->when.t;
	if (!(s > 0))
		return false;
	*ret = s;
	return true;
}
