/* SPDX-License-Identifier: Apache-2.0 */
#include "core/check.h"

#include <stdio.h>

struct gv_finding *gv_found(struct gv_judge *j, enum gv_kind kind, const struct gv_entity *on)
{
	struct gv_run *run = j->run;
	uint64_t key[2] = { kind, (uintptr_t)on };
	gv_str bytes = { (const char *)key, sizeof(key) };
	struct gv_finding *f;

	if (!run->found.arena)
		run->found.arena = run->arena;
	f = gv_map_get(&run->found, bytes);
	if (f)
		return f;
	f = GV_NEW(run->arena, struct gv_finding);
	*gv_map_put(&run->found, gv_dup(run->arena, bytes)) = f;
	f->kind = kind;
	f->severity = gv_kind_info[kind].severity == GV_CODE ? GV_WARN : gv_kind_info[kind].severity;
	f->confidence = GV_HIGH;
	f->when = GV_NOW;
	f->on = on;
	f->check = j->check ? j->check->id : "";
	f->index = run->findings.n;
	*gv_push(run->arena, &run->findings) = f;
	return f;
}

/* Lines that continue another have no stamp: within a document their order tells. */
static bool newer(const struct gv_event *a, const struct gv_event *b)
{
	if (a->boot_last != b->boot_last)
		return a->boot_last > b->boot_last;
	return a->doc == b->doc ? a->last.line > b->last.line : a->t_last.t > b->t_last.t;
}

struct gv_finding *gv_found_event(struct gv_judge *j, enum gv_kind kind, const struct gv_event *ev)
{
	struct gv_finding *f = gv_found(j, kind, ev->gpu ? ev->gpu : ev->node);

	/* The newest event gives the finding its time. */
	if (!f->event || newer(ev, f->event))
		f->event = ev;
	gv_quote(f, ev->first);
	if (ev->count > 1)
		gv_quote(f, ev->last);
	return f;
}

void gv_quote(struct gv_finding *f, struct gv_place at)
{
	if (!at.doc || !at.line)
		return;
	for (size_t i = 0; i < f->nquotes; i++)
		if (f->quote[i].doc == at.doc && f->quote[i].line == at.line)
			return;
	if (f->nquotes < GV_QUOTES)
		f->quote[f->nquotes++] = at;
}

void gv_quote_fact(struct gv_finding *f, const struct gv_entity *e, enum gv_fact fact)
{
	const struct gv_obs *o = gv_obs(e, fact);

	if (o)
		gv_quote(f, o->at);
}

void gv_set_str(struct gv_judge *j, struct gv_finding *f, const char *name, gv_str v)
{
	if (!v.n)
		return;
	for (size_t i = 0; i < f->values.n; i++)
		if (gv_is(gv_str_of(f->values.v[i].name), name)) {
			f->values.v[i].text = v;
			return;
		}
	*gv_push(j->run->arena, &f->values) = (struct gv_value){ name, v };
}

void gv_set(struct gv_judge *j, struct gv_finding *f, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gv_set_str(j, f, name, gv_vfmt(j->run->arena, fmt, ap));
	va_end(ap);
}

void gv_set_num(struct gv_judge *j, struct gv_finding *f, const char *name, double v)
{
	if (v > -1e15 && v < 1e15 && v == (double)(long long)v) /* beyond, the conversion is undefined */
		gv_set(j, f, name, "%.0f", v);
	else
		gv_set(j, f, name, "%.3g", v);
}
