/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common_site.h"

#include <math.h>

#include "base/units.h"

bool gv_put_accepted(struct gv_buf *out, const struct gv_finding *f)
{
	const struct gv_accept *a = f->accepted ? f->accepted : f->expired;

	if (!a)
		return false;
	gv_puts(out, "accepted ");
	if (!gv_is(a->until, "never"))
		gv_printf(out, "until %.*s", GV_ARG(a->until));
	else
		gv_puts(out, "for good");
	gv_printf(out, "%s: ", a->expired ? ", expired" : "");
	gv_put_clean(out, a->reason);
	return true;
}

static size_t changed(const struct gv_site *s)
{
	size_t n = 0;

	for (size_t t = 0; t < GV_THRESHOLDS; t++)
		n += s->changed[t];
	return n;
}

struct counts {
	size_t accepted, expired, ignored; /* findings, findings, lines */
};

static struct counts count(const struct gv_run *run)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];

		c.accepted += f->accepted ? 1 + f->also.n : 0;
		c.expired += f->expired ? 1 + f->also.n : 0;
	}
	for (size_t i = 0; run->site->xid.n && i < run->events.n; i++)
		if (gv_site_ignores(run->site, run->events.v[i]))
			c.ignored += run->events.v[i]->count;
	return c;
}

/* ", 2 things" behind what stands there already. */
static void part(struct gv_buf *out, bool *any, size_t n, const char *one, const char *many)
{
	if (!n)
		return;
	gv_printf(out, "%s%zu %s", *any ? ", " : "", n, n == 1 ? one : many);
	*any = true;
}

static void put_need(struct gv_buf *out, const struct gv_run *run, bool any)
{
	const struct gv_site *s = run->site;
	char need[GV_HUMAN], rate[GV_HUMAN];

	if (s->need <= 0)
		return;
	gv_printf(out, "%sneed of %s ", any ? ", " : "", gv_human_rate(s->need, need, sizeof(need)));
	if (run->need_met.rate <= 0)
		gv_puts(out, "not measured");
	else
		gv_printf(out, "%s (%s seen)", run->need_met.rate >= s->need ? "met" : "not met",
			  gv_human_rate(run->need_met.rate, rate, sizeof(rate)));
}

bool gv_put_site(struct gv_buf *out, const struct gv_run *run)
{
	const struct gv_site *s = run->site;
	struct counts c;
	bool any = false;

	if (!s)
		return false;
	c = count(run);
	gv_puts(out, s->file.n ? "Site file " : "Site");
	gv_put_clean(out, s->file);
	gv_puts(out, ": ");
	part(out, &any, changed(s), "threshold changed", "thresholds changed");
	part(out, &any, c.accepted, "finding accepted", "findings accepted");
	part(out, &any, c.expired, "acceptance expired", "acceptances expired");
	part(out, &any, c.ignored, "line with an ignored Xid", "lines with ignored Xids");
	put_need(out, run, any);
	if (!any && s->need <= 0)
		gv_puts(out, "changes nothing here");
	return true;
}

static void put_moment(struct gv_buf *out, const char *word, const struct gv_moment *m)
{
	if (m->how == GV_MOMENT_NONE)
		return;
	gv_printf(out, " %s ", word);
	if (m->how == GV_MOMENT_BOOT) {
		gv_puts(out, "the last boot");
	} else if (m->how == GV_MOMENT_AT) {
		gv_when_text(out, m->at);
		if (m->ago > 0)
			gv_printf(out, " (%.*s before the last dated line)", GV_ARG(m->text));
	} else {
		gv_put(out, m->text);
	}
}

static bool unresolved(const struct gv_window *w)
{
	return w->since.how == GV_MOMENT_AGO || w->until.how == GV_MOMENT_AGO;
}

bool gv_put_window(struct gv_buf *out, const struct gv_run *run)
{
	const struct gv_window *w = &run->window;
	bool any = false;

	if (!w->on)
		return false;
	gv_puts(out, "Span:");
	put_moment(out, "since", &w->since);
	put_moment(out, "until", &w->until);
	gv_puts(out, ": ");
	if (unresolved(w)) {
		gv_puts(out, "no line is dated, so that nothing was left out");
		return true;
	}
	part(out, &any, w->lines_out, "log line left out", "log lines left out");
	part(out, &any, w->outputs_out, "output left out", "outputs left out");
	part(out, &any, w->since.how == GV_MOMENT_BOOT && w->until.how == GV_MOMENT_NONE ? 0 : w->lines_undated,
	     "line without a date kept", "lines without a date kept");
	if (!any)
		gv_puts(out, "nothing was left out");
	return true;
}

static void acceptance(struct gv_json *j, const char *key, const struct gv_accept *a, const struct gv_finding *f)
{
	gv_json_key(j, key);
	if (!a) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_key(j, "reason");
	gv_json_str(j, a->reason);
	gv_json_key(j, "until");
	gv_json_str(j, a->until);
	if (f) {
		gv_json_key(j, "severity");
		gv_json_strz(j, gv_severity_name[f->unaccepted]);
	}
	gv_json_end(j);
}

void gv_json_accepted(struct gv_json *j, const struct gv_finding *f)
{
	acceptance(j, "accepted", f->accepted, f);
	acceptance(j, "accepted_expired", f->expired, NULL);
}

static void json_thresholds(struct gv_json *j, const struct gv_site *s)
{
	gv_json_key(j, "thresholds");
	gv_json_arr(j);
	for (size_t t = 0; t < GV_THRESHOLDS; t++) {
		if (!s->changed[t])
			continue;
		gv_json_obj(j);
		gv_json_key(j, "name");
		gv_json_strz(j, gv_threshold_info[t].name);
		gv_json_key(j, "value");
		gv_json_num(j, s->value[t]);
		gv_json_key(j, "default");
		gv_json_num(j, gv_threshold_info[t].value);
		gv_json_key(j, "unit");
		gv_json_strz(j, gv_threshold_info[t].unit);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void json_accepts(struct gv_json *j, const struct gv_site *s)
{
	gv_json_key(j, "accepted");
	gv_json_arr(j);
	for (size_t i = 0; i < s->accept.n; i++) {
		const struct gv_accept *a = &s->accept.v[i];

		gv_json_obj(j);
		gv_json_key(j, "line");
		gv_json_u64(j, a->line);
		gv_json_key(j, "kind");
		gv_json_strz(j, gv_kind_info[a->kind].name);
		gv_json_some(j, "on", a->on);
		gv_json_some(j, "node", a->node);
		gv_json_key(j, "reason");
		gv_json_str(j, a->reason);
		gv_json_key(j, "until");
		gv_json_str(j, a->until);
		gv_json_key(j, "expired");
		gv_json_bool(j, a->expired);
		gv_json_key(j, "findings");
		gv_json_u64(j, a->findings);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void json_xids(struct gv_json *j, const struct gv_run *run)
{
	gv_json_key(j, "ignored_xids");
	gv_json_arr(j);
	for (size_t i = 0; i < run->site->xid.n; i++) {
		uint64_t lines = 0;

		for (size_t e = 0; e < run->events.n; e++)
			if (run->events.v[e]->code == run->site->xid.v[i] &&
			    gv_site_ignores(run->site, run->events.v[e]))
				lines += run->events.v[e]->count;
		gv_json_obj(j);
		gv_json_key(j, "code");
		gv_json_i64(j, run->site->xid.v[i]);
		gv_json_key(j, "lines");
		gv_json_u64(j, lines);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void json_need(struct gv_json *j, const struct gv_run *run)
{
	gv_json_key(j, "need");
	if (run->site->need <= 0) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_key(j, "rate");
	gv_json_num(j, run->site->need);
	gv_json_key(j, "seen");
	gv_json_num(j, run->need_met.rate > 0 ? run->need_met.rate : NAN);
	gv_json_key(j, "met");
	if (run->need_met.rate > 0)
		gv_json_bool(j, run->need_met.rate >= run->site->need);
	else
		gv_json_null(j);
	gv_json_end(j);
}

static void json_window(struct gv_json *j, const struct gv_window *w)
{
	gv_json_key(j, "window");
	if (!w->on) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_when(j, "since", w->since.how == GV_MOMENT_AT ? w->since.at : (struct gv_time){ 0 });
	gv_json_when(j, "until", w->until.how == GV_MOMENT_AT ? w->until.at : (struct gv_time){ 0 });
	gv_json_key(j, "since_boot");
	gv_json_bool(j, w->since.how == GV_MOMENT_BOOT);
	gv_json_when(j, "last", w->last);
	gv_json_key(j, "lines_left_out");
	gv_json_u64(j, w->lines_out);
	gv_json_key(j, "outputs_left_out");
	gv_json_u64(j, w->outputs_out);
	gv_json_key(j, "lines_without_date");
	gv_json_u64(j, w->lines_undated);
	gv_json_end(j);
}

void gv_json_site(struct gv_json *j, const struct gv_run *run)
{
	const struct gv_site *s = run->site;

	json_window(j, &run->window);
	gv_json_key(j, "site");
	if (!s) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_some(j, "file", s->file);
	json_thresholds(j, s);
	json_accepts(j, s);
	json_xids(j, run);
	json_need(j, run);
	gv_json_end(j);
}
