/* SPDX-License-Identifier: Apache-2.0 */
/* The order of findings, the verdict, the states of the stages. */
#include <stdlib.h>

#include "core/check.h"
#include "engine/engine.h"

static const struct gv_finding *top_of(const struct gv_finding *f)
{
	for (size_t i = 0; f->caused_by && i < GV_KINDS; i++)
		f = f->caused_by;
	return f;
}

/* Verdict order of roots: now before recent before history; severity; confidence (low never outranks); stage; what it
 * explains. A note that is no root of anything louder comes last. */
static int root_order(const struct gv_finding *a, const struct gv_finding *b)
{
	bool low_a = a->confidence == GV_LOW, low_b = b->confidence == GV_LOW;
	bool loud_a = a->worst > GV_NOTE, loud_b = b->worst > GV_NOTE;

	if (loud_a != loud_b)
		return loud_a ? -1 : 1;
	if (low_a != low_b)
		return low_a ? 1 : -1;
	if (a->when != b->when)
		return a->when > b->when ? -1 : 1;
	if (a->worst != b->worst)
		return a->worst > b->worst ? -1 : 1;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	if (gv_kind_info[a->kind].stage != gv_kind_info[b->kind].stage)
		return gv_kind_info[a->kind].stage < gv_kind_info[b->kind].stage ? -1 : 1;
	if (a->explains != b->explains)
		return a->explains > b->explains ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static size_t depth(const struct gv_finding *f)
{
	size_t n = 0;

	while (f->caused_by && n < GV_KINDS) {
		f = f->caused_by;
		n++;
	}
	return n;
}

static int verdict_order(const void *pa, const void *pb)
{
	const struct gv_finding *a = *(struct gv_finding *const *)pa, *b = *(struct gv_finding *const *)pb;
	const struct gv_finding *ra = top_of(a), *rb = top_of(b);

	if (ra != rb)
		return root_order(ra, rb);
	if (depth(a) != depth(b))
		return depth(a) < depth(b) ? -1 : 1;
	return a == b ? 0 : root_order(a, b);
}

/* Two with this key are alike but for the entity: same kind, time, severity, and hanging under the same. */
static gv_str likeness(struct gv_arena *a, const struct gv_finding *f)
{
	uint64_t key[] = { (uint64_t)f->kind,	  (uint64_t)f->when,	 (uint64_t)f->severity, (uint64_t)f->confidence,
			   (uint64_t)f->on->kind, (uintptr_t)f->on->node, (uintptr_t)f->caused_by,
			   (uintptr_t)f->accepted,   (uintptr_t)f->expired };

	return gv_dup(a, (gv_str){ (const char *)key, sizeof(key) });
}

/* The same finding on many entities becomes one entry. */
static void fold(struct gv_run *run)
{
	struct gv_map firsts = { .arena = run->arena };
	size_t kept = 0;

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i], *into;
		void **slot = f->explains ? NULL : gv_map_put(&firsts, likeness(run->arena, f));

		if (!slot || !*slot) {
			if (slot)
				*slot = f;
			run->findings.v[kept++] = f;
			continue;
		}
		into = *slot;
		*gv_push(run->arena, &into->also) = f->on;
		for (size_t q = 0; q < f->nquotes; q++)
			gv_quote(into, f->quote[q]);
	}
	run->findings.n = kept;
}

/* A command of one vendor's tools is no use on a machine that has only another's GPUs. */
static bool foreign(const struct gv_run *run, const char *cmd)
{
	unsigned have = gv_vendors(run, NULL);

	return have && gv_starts(gv_str_of(cmd), "nvidia-smi") && !(have & GV_NVIDIA);
}

/* At most three commands, of those whose answer could change the verdict: a failure that is certain is only outranked by a
 * GPU that is not well. */
static void keep_useful_next(struct gv_run *run)
{
	const struct gv_finding *v = run->verdict;
	bool certain = v && v->worst == GV_FAIL && v->confidence == GV_HIGH && v->when == GV_NOW;
	struct gv_next best[3];
	size_t n = 0;

	for (size_t i = 0; i < run->next.n && n < 3; i++)
		if (run->next.v[i].asked)
			best[n++] = run->next.v[i];
	for (int st = 0; st < GV_STAGES; st++) /* in the order in which one looks */
		for (size_t i = 0; i < run->next.n && n < 3; i++)
			if (run->next.v[i].stage == (enum gv_stage)st && !run->next.v[i].asked && !foreign(run, run->next.v[i].run) &&
			    (!certain || st == GV_STAGE_VISIBLE))
				best[n++] = run->next.v[i];
	run->next.n = n;
	for (size_t i = 0; i < n; i++)
		run->next.v[i] = best[i];
}

void gv_order_verdict(struct gv_run *run)
{
	fold(run);
	gv_count_effects(run);
	gv_fill_texts(run);
	if (run->findings.n > 1)
		qsort(run->findings.v, run->findings.n, sizeof(run->findings.v[0]), verdict_order);
	for (size_t i = 0; i < run->findings.n; i++)
		run->findings.v[i]->id = gv_fmt(run->arena, "f%zu", i + 1);
	run->verdict = run->findings.n && run->findings.v[0]->worst > GV_NOTE ? run->findings.v[0] : NULL;
	keep_useful_next(run);
}

/* ": no kernel log, no GPU list"; empty where all that the stage rests on is known. */
static gv_str missing_core(struct gv_run *run, const struct gv_stage_state *s)
{
	gv_str list = GV_NONE;

	for (size_t i = 0; i < s->core.n; i++)
		if (!s->core.v[i].known)
			list = gv_fmt(run->arena, "%.*s%s %s", GV_ARG(list), list.n ? ", no" : ": no", s->core.v[i].what);
	return list;
}

/* All that is known of the machines is that they have no GPU: a list of all PCI functions shows none. */
static bool no_gpu(const struct gv_run *run)
{
	size_t nodes = 0;
	double n;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_NODE, NULL, e)); nodes++)
		if (gv_count(run, GV_GPU, e) || !gv_num(e, GV_F_GPU_ON_BUS, &n) || n > 0)
			return false;
	return nodes > 0;
}

static void stage_state(struct gv_run *run, enum gv_stage st)
{
	struct gv_stage_state *s = &run->stage[st];
	const struct gv_finding *first = NULL;
	size_t n = 0;

	s->state = -1;
	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];

		if (gv_kind_info[f->kind].stage != st)
			continue;
		n++;
		if (!first || f->severity > first->severity)
			first = f;
	}
	if (first) {
		s->state = 1 + (int)first->severity;
		s->summary = n > 1 ? gv_fmt(run->arena, "%.*s (and %zu more)", GV_ARG(first->summary), n - 1) : first->summary;
	} else {
		gv_str missing = missing_core(run, s);
		const char *well = st == GV_STAGE_VISIBLE && no_gpu(run) ? "no GPU on the PCI bus; nothing wrong" : "nothing wrong";

		s->state = s->answered && !missing.n ? 0 : -1;
		s->summary = s->state == 0 ? gv_str_of(well)
			     : s->answered ? gv_fmt(run->arena, "%s as far as seen%.*s", well, GV_ARG(missing))
					   : gv_fmt(run->arena, "not seen%.*s", GV_ARG(missing));
	}
}

void gv_set_stages(struct gv_run *run)
{
	for (int st = 0; st < GV_STAGES; st++)
		stage_state(run, (enum gv_stage)st);
}
