/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the job: one answer for the whole report, from the finding that limits most, else from what the GPUs do. */
#include <math.h>

#include "core/check.h"
#include "engine/engine.h"

static void quote_bound(struct gv_run *run, struct gv_place at)
{
	if (at.doc && run->bound_nquotes < GV_QUOTES)
		run->bound_quote[run->bound_nquotes++] = at;
}

static void from_finding(struct gv_run *run, const struct gv_finding *f, enum gv_bound bound, gv_str summary)
{
	run->bound = bound;
	run->bound_confidence = f->confidence;
	run->bound_on = f->on->node;
	run->bound_summary = summary;
	for (size_t q = 0; q < f->nquotes && q < 3; q++)
		quote_bound(run, f->quote[q]);
}

/* What a site accepts limits its jobs none the less. */
static enum gv_severity felt(const struct gv_finding *f)
{
	return f->accepted ? f->unaccepted : f->severity;
}

/* Whether something waits: a GPU that starves, or a job that says so. Without it a saturated disk limits nobody. */
static bool gpu_job_waits(const struct gv_run *run)
{
	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];

		if (f->kind == GV_K_GPU_STARVED && f->when != GV_HISTORY && felt(f) > GV_NOTE)
			return true;
	}
	return false;
}

static bool limits_now(const struct gv_finding *f)
{
	return f->when != GV_HISTORY && f->confidence > GV_LOW &&
	       (felt(f) > GV_NOTE || f->kind == GV_K_MEMORY_BOUND || f->kind == GV_K_COMPUTE_BOUND);
}

/* The job's own log says that the step waits for data: a starved GPU of which the reason is known. */
static const struct gv_finding *log_waits(const struct gv_run *run)
{
	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];

		if (f->kind != GV_K_GPU_STARVED || !limits_now(f))
			continue;
		for (size_t k = 0; k < f->values.n; k++)
			if (gv_is(gv_str_of(f->values.v[k].name), "wait"))
				return f;
	}
	return NULL;
}

static bool from_findings(struct gv_run *run)
{
	bool waits = gpu_job_waits(run), feed_seen = false;
	const struct gv_finding *feed = NULL;

	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];
		enum gv_bound b = gv_kind_info[f->kind].bound;

		if (b == GV_BOUND_NONE || !limits_now(f))
			continue;
		if (b == GV_BOUND_INPUT) {
			feed = feed ? feed : f;
			feed_seen = true;
			if (!waits)
				continue;
		}
		from_finding(run, f, b, f->summary);
		return true;
	}
	/* a feed that is at its end, and GPUs that nobody has seen: it limits whatever reads from it */
	if (feed_seen && felt(feed) == GV_FAIL && !gv_count(run, GV_GPU, NULL)) {
		from_finding(run, feed, GV_BOUND_INPUT, feed->summary);
		run->bound_confidence = GV_MEDIUM;
		return true;
	}
	feed = log_waits(run);
	if (feed)
		from_finding(run, feed, GV_BOUND_INPUT, feed->summary);
	return feed;
}

/* GPUs without any work: no process, no utilisation, idle power state. */
static bool all_idle(struct gv_run *run)
{
	static const enum gv_fact video[] = { GV_F_GPU_ENC_UTIL, GV_F_GPU_DEC_UTIL };
	size_t known = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, NULL, e));) {
		double util = gv_series_quantile(e, GV_F_GPU_SM_UTIL, 0.9), u, mem;

		if (isnan(util) && gv_num(e, GV_F_GPU_UTIL, &u))
			util = u;
		if (isnan(util))
			continue;
		if (util > 2 || (gv_num(e, GV_F_GPU_MEM_USED, &mem) && mem > 2048))
			return false;
		for (size_t i = 0; i < 2; i++)
			if (gv_series_quantile(e, video[i], 0.9) > 2)
				return false;
		known++;
	}
	return known > 0;
}

void gv_set_bound(struct gv_run *run)
{
	if (from_findings(run))
		return;
	run->bound = GV_BOUND_UNKNOWN;
	run->bound_confidence = GV_LOW;
	run->bound_summary = GV_STR("cannot tell from this evidence what limits the job");
	if (!all_idle(run))
		return;
	run->bound = GV_BOUND_IDLE;
	run->bound_confidence = GV_MEDIUM;
	run->bound_summary = GV_STR("the GPUs have no work");
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, NULL, e)) && run->bound_nquotes < 3;) {
		const struct gv_obs *o = gv_obs(e, GV_F_GPU_SM_UTIL);

		o = o ? o : gv_obs(e, GV_F_GPU_UTIL);
		run->bound_on = e->node;
		if (o)
			quote_bound(run, o->at);
	}
}
