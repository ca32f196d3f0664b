/* SPDX-License-Identifier: Apache-2.0 */
/* `gpuvet facts --json`: every entity with every fact, the events, and what nobody understood. */
#include "report/common.h"

#include "core/stream.h"

#define OTHERS_MAX 32	   /* other observations of one fact that are written; the rest is counted */
#define STRETCHES_MAX 1000 /* per document */

static const char *const state_name[] = {
	[GV_UNKNOWN] = "unknown", [GV_KNOWN] = "known", [GV_NOT_APPLICABLE] = "not-applicable"
};
static const char *const type_name[] = { [GV_NUM] = "number", [GV_STR_] = "text", [GV_FLAG] = "flag" };
static const char *const key_name[] = { [GV_KEY_BUS] = "bus",
					[GV_KEY_INDEX] = "index",
					[GV_KEY_MINOR] = "minor",
					[GV_KEY_PID] = "pid",
					[GV_KEY_UUID] = "uuid" };

static void value(struct gv_json *j, const struct gv_obs *o, enum gv_fact f)
{
	gv_json_key(j, "value");
	if (!o || o->state != GV_KNOWN)
		gv_json_null(j);
	else if (gv_fact_info[f].type == GV_STR_)
		gv_json_str(j, o->str);
	else if (gv_fact_info[f].type == GV_FLAG)
		gv_json_bool(j, o->num != 0);
	else
		gv_json_num(j, o->num);
}

/* Where and when an observation was made. */
static void origin(struct gv_json *j, const struct gv_obs *o)
{
	gv_json_some(j, "file", o && o->at.doc ? o->at.doc->name : GV_NONE);
	gv_json_key(j, "line");
	if (o && o->at.doc && o->at.line)
		gv_json_u64(j, o->at.line);
	else
		gv_json_null(j);
	gv_json_key(j, "tool");
	gv_json_strz(j, o && o->block ? o->block->tool : NULL);
	gv_json_when(j, "at", o && o->block ? o->block->when : (struct gv_time){ 0 });
	gv_json_key(j, "look");
	if (o && o->block)
		gv_json_u64(j, o->block->look);
	else
		gv_json_null(j);
}

static void state(struct gv_json *j, const struct gv_obs *o, enum gv_fact f)
{
	gv_json_key(j, "state");
	gv_json_strz(j, state_name[o ? o->state : GV_UNKNOWN]);
	value(j, o, f);
	gv_json_key(j, "reason");
	gv_json_strz(j, !o ? GV_NOT_SEEN : o->state == GV_KNOWN ? NULL : o->reason ? o->reason : "no reason was given");
}

static void others(struct gv_json *j, const struct gv_entity *e, enum gv_fact f, const struct gv_shown *s)
{
	struct gv_other other;
	size_t at = 0, n = 0;
	bool differs = false;

	gv_json_key(j, "others");
	gv_json_arr(j);
	for (; gv_other(e, f, s, &at, &other); n++) {
		differs |= other.differs;
		if (n >= OTHERS_MAX)
			continue;
		gv_json_obj(j);
		state(j, other.obs, f);
		origin(j, other.obs);
		gv_json_key(j, "samples");
		gv_json_u64(j, other.samples);
		gv_json_key(j, "differs");
		gv_json_bool(j, other.differs);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_key(j, "others_left_out");
	gv_json_u64(j, n > OTHERS_MAX ? n - OTHERS_MAX : 0);
	gv_json_key(j, "disagree");
	gv_json_bool(j, differs);
}

static void fact(struct gv_json *j, const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_fact_info *info = &gv_fact_info[f];
	struct gv_shown s = gv_show(e, f);

	gv_json_obj(j);
	gv_json_key(j, "name");
	gv_json_strz(j, info->name);
	gv_json_key(j, "type");
	gv_json_strz(j, type_name[info->type]);
	state(j, s.obs, f);
	gv_json_key(j, "unit");
	gv_json_strz(j, *info->unit ? info->unit : NULL);
	if (s.obs) { /* what nobody saw has no origin: a hundred nulls a GPU would hide the rest */
		origin(j, s.obs);
		gv_json_key(j, "samples");
		gv_json_u64(j, s.samples);
		if (info->type == GV_NUM && s.samples > 1) {
			gv_json_key(j, "min");
			gv_json_num(j, s.min);
			gv_json_key(j, "max");
			gv_json_num(j, s.max);
		}
		others(j, e, f, &s);
	}
	gv_json_end(j);
}

static void entity(struct gv_json *j, const struct gv_entity *e)
{
	enum gv_fact first = gv_fact_first(e->kind);
	bool sighting = e->block && !e->joined;

	gv_json_obj(j);
	gv_json_some(j, "node", e->node ? e->node->id : GV_NONE);
	gv_json_key(j, "type");
	gv_json_strz(j, gv_entity_name[e->kind]);
	gv_json_some(j, "id", e->id);
	gv_json_some(j, "parent", e->parent ? e->parent->id : GV_NONE);
	gv_json_key(j, "sighting");
	gv_json_bool(j, sighting);
	gv_json_key(j, "keys");
	gv_json_obj(j);
	for (size_t k = 0; k < GV_KEYS; k++)
		if (e->key[k].n)
			gv_json_some(j, key_name[k], e->key[k]);
	gv_json_end(j);
	gv_json_key(j, "facts");
	gv_json_arr(j);
	for (size_t i = 0; i < gv_fact_count(e->kind); i++)
		fact(j, e, (enum gv_fact)(first + i));
	gv_json_end(j);
	gv_json_end(j);
}

static void event(struct gv_json *j, const struct gv_event *ev)
{
	gv_json_obj(j);
	gv_json_key(j, "signature");
	gv_json_str(j, ev->sig->id);
	gv_json_key(j, "kind");
	gv_json_strz(j, ev->sig->kind >= 0 && ev->sig->kind < GV_KINDS ? gv_kind_info[ev->sig->kind].name : NULL);
	gv_json_some(j, "node", ev->node ? ev->node->id : GV_NONE);
	gv_json_some(j, "host", ev->host);
	gv_json_some(j, "gpu", ev->gpu ? ev->gpu->id : GV_NONE);
	gv_json_some(j, "bus", ev->bus);
	gv_json_some(j, "subject", ev->subject);
	gv_json_key(j, "code");
	if (ev->code >= 0)
		gv_json_i64(j, ev->code);
	else
		gv_json_null(j);
	gv_json_key(j, "count");
	gv_json_u64(j, ev->count);
	gv_json_when(j, "from", ev->t_first);
	gv_json_when(j, "to", ev->t_last);
	gv_json_key(j, "evidence");
	gv_json_arr(j);
	gv_json_place(j, ev->first);
	for (size_t i = 0; i < ev->nsome; i++)
		gv_json_place(j, ev->some[i]);
	if (ev->count > 1)
		gv_json_place(j, ev->last);
	gv_json_end(j);
	gv_json_end(j);
}

static void document(struct gv_json *j, const struct gv_doc *d)
{
	struct gv_stretch s;
	size_t at = 0, n = 0;

	gv_json_obj(j);
	gv_json_key(j, "file");
	gv_json_str(j, d->name);
	gv_json_key(j, "lines");
	gv_json_u64(j, d->stream ? d->stream->lines : d->nlines);
	gv_json_key(j, "log");
	gv_json_bool(j, d->log);
	gv_json_some(j, "note", d->note);
	gv_json_key(j, "unclaimed");
	gv_json_arr(j);
	for (; gv_unclaimed(d, &at, &s); n++) {
		if (n >= STRETCHES_MAX)
			continue;
		gv_json_obj(j);
		gv_json_key(j, "from");
		gv_json_u64(j, s.from);
		gv_json_key(j, "to");
		gv_json_u64(j, s.to);
		gv_json_key(j, "lines");
		gv_json_u64(j, s.n);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_key(j, "unclaimed_left_out");
	gv_json_u64(j, n > STRETCHES_MAX ? n - STRETCHES_MAX : 0);
	gv_json_end(j);
}

static void write_facts_json(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	struct gv_json json = { .out = out, .pretty = true }, *j = &json;
	const struct gv_entity *e;
	size_t at = 0;

	gv_json_obj(j);
	gv_json_key(j, "schema");
	gv_json_strz(j, "gpuvet.facts.v1");
	gv_json_key(j, "version");
	gv_json_strz(j, opts->version);
	gv_json_key(j, "documents");
	gv_json_arr(j);
	for (size_t i = 0; i < run->docs.n; i++)
		document(j, run->docs.v[i]);
	gv_json_end(j);
	gv_json_key(j, "entities");
	gv_json_arr(j);
	while ((e = gv_shown_entity(run, &at)))
		entity(j, e);
	gv_json_end(j);
	gv_json_key(j, "events");
	gv_json_arr(j);
	for (size_t i = 0; i < run->events.n; i++)
		event(j, run->events.v[i]);
	gv_json_end(j);
	gv_json_unread(j, run);
	gv_json_end(j);
}

const struct gv_report gv_report_facts_json = { "facts_json", write_facts_json };
