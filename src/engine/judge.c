/* SPDX-License-Identifier: Apache-2.0 */
/* Checks over entities, at the latest look and at earlier ones; texts. */
#include "core/check.h"
#include "engine/engine.h"

/* So many earlier looks are judged at most. */
#define REWINDS 3

static bool needs_met(const struct gv_check *c, const struct gv_entity *e)
{
	for (size_t i = 0; i < GV_NEEDS && c->needs[i] != GV_FACTS; i++)
		if (!gv_obs(e, c->needs[i]))
			return false;
	return true;
}

static void suggest(struct gv_run *run, const struct gv_check *c)
{
	struct gv_next next = { c->next_run, c->next_why, c->stage, c->asked };

	if (!c->next_run)
		return;
	for (size_t i = 0; i < run->next.n; i++)
		if (gv_is(gv_str_of(run->next.v[i].run), c->next_run))
			return;
	*gv_push(run->arena, &run->next) = next;
}

/* Checks and entities of which the latest look is known to be well. */
struct well {
	const struct gv_check *check;
	const struct gv_entity *on;
};

struct wells {
	GV_VEC(struct well) v;
	bool latest; /* it is being looked at now */
};

#define MOST_WELL 4096 /* beyond, an earlier look counts as ever */

/* A state of the hardware or the driver that an earlier look shows and the latest does not is mended. Load comes and goes. */
static bool mended_since(const struct wells *w, const struct gv_check *c, const struct gv_entity *e)
{
	for (size_t i = 0; c->stage == GV_STAGE_VISIBLE && i < w->v.n; i++)
		if (w->v.v[i].check == c && w->v.v[i].on == e)
			return true;
	return false;
}

/* What was found now, and had not been: when it was. */
static void set_past(struct gv_run *run, size_t from, enum gv_when when)
{
	for (size_t i = from; i < run->findings.n; i++) {
		run->findings.v[i]->when = when;
		run->findings.v[i]->fixed_when = true;
	}
}

/* The answer of one check over all entities of its kind: the best that any of them gave. */
static enum gv_answer ask(struct gv_judge *j, struct wells *w)
{
	const struct gv_check *c = j->check;
	bool pass = false, found = false, nodata = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, c->over, NULL, e));) {
		size_t before = j->run->findings.n;
		enum gv_answer a;

		if (!w->latest && !e->node->own->looked_again)
			continue;
		a = needs_met(c, e) ? c->run(j, e) : GV_NODATA;
		if (!w->latest && j->run->findings.n > before)
			set_past(j->run, before, mended_since(w, c, e) ? GV_HISTORY : GV_RECENT);
		else if (w->latest && a == GV_PASS && c->stage == GV_STAGE_VISIBLE && w->v.n < MOST_WELL)
			*gv_push(j->run->arena, &w->v) = (struct well){ c, e };

		pass |= a == GV_PASS;
		found |= a == GV_FOUND;
		nodata |= a == GV_NODATA;
	}
	return found ? GV_FOUND : pass ? GV_PASS : nodata ? GV_NODATA : GV_NA;
}

static struct gv_core *core_of(struct gv_run *run, struct gv_stage_state *s, const char *what)
{
	for (size_t i = 0; i < s->core.n; i++)
		if (gv_is(gv_str_of(s->core.v[i].what), what))
			return &s->core.v[i];
	*gv_push(run->arena, &s->core) = (struct gv_core){ what, false };
	return &s->core.v[s->core.n - 1];
}

static void note_answer(struct gv_run *run, const struct gv_check *c, enum gv_answer a)
{
	struct gv_stage_state *s = &run->stage[c->stage];
	bool known = a == GV_PASS || a == GV_FOUND;

	run->judged |= known;
	s->answered += known;
	if (c->core)
		core_of(run, s, c->core)->known |= known;
	if (a == GV_NODATA)
		suggest(run, c);
}

static void rewind_all(struct gv_run *run, uint32_t k)
{
	for (size_t i = 0; i < run->entities.n; i++)
		run->entities.v[i]->rewind = k;
}

/* Some machine was looked at before by the tool that looked last. Marks those. */
static bool mark_earlier_looks(struct gv_run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->blocks.n; i++)
		if (run->blocks.v[i]->look) {
			run->blocks.v[i]->node->own->looked_again = true;
			any = true;
		}
	return any;
}

/* What nothing can be quoted for is no alarm. Checks see to it that they quote; where a paste lost the very line that they
 * count on, they may not. */
static void calm_unproven(struct gv_run *run)
{
	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		if (f->nquotes || f->severity == GV_NOTE)
			continue;
		f->severity = GV_NOTE;
		f->confidence = GV_LOW;
	}
}

/* Something that a stage rests on was looked at: a kernel log without a line that matters is an answer, too. */
static bool core_seen(const struct gv_run *run)
{
	for (int st = 0; st < GV_STAGES; st++)
		for (size_t i = 0; i < run->stage[st].core.n; i++)
			if (run->stage[st].core.v[i].known)
				return true;
	return false;
}

void gv_run_checks(struct gv_run *run)
{
	struct gv_judge j = { .run = run };
	struct wells w = { 0 };
	bool earlier = mark_earlier_looks(run);

	for (uint32_t k = 0; k <= (earlier ? REWINDS : 0); k++) {
		rewind_all(run, k);
		w.latest = k == 0;
		for (size_t c = 0; c < gv_nchecks; c++) {
			enum gv_answer a;

			j.check = gv_checks[c];
			a = ask(&j, &w);
			if (k == 0)
				note_answer(run, gv_checks[c], a);
		}
	}
	rewind_all(run, 0);
	calm_unproven(run);
	run->judged &= gv_outputs(run) || run->events.n || core_seen(run);
}

static gv_str name_of(struct gv_run *run, const struct gv_entity *e)
{
	gv_str index = e->key[GV_KEY_INDEX], host = gv_text(e, GV_F_HOSTNAME);

	if (e->kind == GV_NODE)
		return host.n ? host : GV_STR("the node");
	if (e->kind == GV_GPU)
		return index.n && e->key[GV_KEY_BUS].n
			       ? gv_fmt(run->arena, "GPU %.*s (%.*s)", GV_ARG(index), GV_ARG(e->id))
		       : index.n ? gv_fmt(run->arena, "GPU %.*s", GV_ARG(index))
		       : gv_is(e->id, "gpu") ? GV_STR("the GPU")
		       : gv_starts(e->id, "GPU-") ? e->id
					       : gv_fmt(run->arena, "GPU %.*s", GV_ARG(e->id));
	if (e->kind == GV_PROC)
		return gv_fmt(run->arena, "process %.*s", GV_ARG(e->id));
	if (e->kind == GV_LINK)
		return gv_fmt(run->arena, "link %.*s", GV_ARG(e->id));
	if (e->kind == GV_CPU)
		return gv_fmt(run->arena, "CPU %.*s", GV_ARG(e->id));
	return e->id.n ? e->id : gv_str_of(gv_entity_name[e->kind]);
}

/* Of several machines, the one that it is in is said, too. */
static gv_str spoken(struct gv_run *run, const struct gv_entity *e)
{
	gv_str host = e->node && e->kind != GV_NODE ? gv_text(e->node, GV_F_HOSTNAME) : GV_NONE;

	if (!host.n || gv_count(run, GV_NODE, NULL) < 2)
		return name_of(run, e);
	return gv_fmt(run->arena, "%.*s of %.*s", GV_ARG(name_of(run, e)), GV_ARG(host));
}

/* A GPU did it, or a container, and nothing tells which. */
static const char *some_of(const struct gv_finding *f)
{
	static const enum gv_kind kinds[] = {
		GV_K_AMDGPU_RAS,      GV_K_AMDGPU_RESET,     GV_K_CLOCKS_CAPPED,       GV_K_ECC_UNCORRECTABLE, GV_K_GPU_FELL_OFF_BUS,
		GV_K_GPU_XID,	      GV_K_INTEL_GPU_HANG,   GV_K_GPU_RESET_REQUIRED,  GV_K_NVLINK_DOWN,       GV_K_PAGE_RETIREMENT,
		GV_K_ROW_REMAP_FAILED, GV_K_ROW_REMAP_PENDING, GV_K_THROTTLE_THERMAL, GV_K_THROTTLE_POWER,    GV_K_POWER_CAP,
	};

	for (size_t i = 0; f->on->kind == GV_NODE && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (f->kind == kinds[i])
			return "a GPU of ";
	return f->on->kind == GV_NODE && f->kind == GV_K_RETRY_STORM ? "a container on " : "";
}

#define NAMED 6 /* so many others are named; of more only their number is told */

/* "GPU 3", as it is said beside others of its kind. */
static gv_str short_name(struct gv_run *run, const struct gv_entity *e)
{
	gv_str index = e->key[GV_KEY_INDEX];

	return e->kind == GV_GPU && index.n ? gv_fmt(run->arena, "GPU %.*s", GV_ARG(index)) : spoken(run, e);
}

/* The sentence is about the first; of the others it is said that they are like it. */
static gv_str with_others(struct gv_run *run, gv_str summary, const struct gv_finding *f)
{
	gv_str list = GV_NONE;

	if (!f->also.n)
		return summary;
	if (f->also.n > NAMED)
		return gv_fmt(run->arena, "%.*s; likewise %zu more", GV_ARG(summary), f->also.n);
	for (size_t i = 0; i < f->also.n; i++)
		list = gv_fmt(run->arena, "%.*s%s%.*s", GV_ARG(list), i == 0 ? "" : i + 1 == f->also.n ? " and " : ", ",
			      GV_ARG(short_name(run, f->also.v[i])));
	return gv_fmt(run->arena, "%.*s; likewise %.*s", GV_ARG(summary), GV_ARG(list));
}

/* Of the only machine nothing needs to be said but what it has. */
static gv_str without_node(gv_str summary)
{
	return gv_starts(summary, "the node: ") ? gv_from(summary, 10) : summary;
}

void gv_fill_texts(struct gv_run *run)
{
	struct gv_judge j = { .run = run };

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];
		const struct gv_page *p = gv_page_of(f->kind);

		gv_set(&j, f, "on", "%s%.*s", some_of(f), GV_ARG(spoken(run, f->on)));
		f->summary = p ? gv_template(run->arena, p->summary, f->values.v, f->values.n)
			       : gv_str_of(gv_kind_info[f->kind].meaning);
		f->summary = with_others(run, without_node(f->summary), f);
		f->cause = p ? gv_template(run->arena, p->cause, f->values.v, f->values.n) : GV_NONE;
		f->action = p ? gv_template(run->arena, p->action, f->values.v, f->values.n) : GV_NONE;
		f->avoid = p ? gv_template(run->arena, p->avoid, f->values.v, f->values.n) : GV_NONE;
	}
}

void gv_judge_all(struct gv_run *run)
{
	gv_run_checks(run);
	gv_set_when(run);
	gv_apply_site(run);
	gv_hang_causes(run);
	gv_set_serials(run);
	gv_fill_texts(run);
	gv_order_verdict(run);
	gv_tell_unknown(run);
	gv_set_bound(run);
	gv_set_stages(run);
}
