/* SPDX-License-Identifier: Apache-2.0 */
/* `gpuvet diagnose --json`: the document of docs/json.md. */
#include "report/common.h"
#include "report/common_site.h"

static const char *const how_name[] = {
	[GV_HOW_FILES] = "files", [GV_HOW_STDIN] = "stdin", [GV_HOW_BUNDLE] = "bundle", [GV_HOW_LIVE] = "live"
};

static void subject(struct gv_json *j, const struct gv_run *run, const struct gv_entity *node)
{
	struct gv_time from = { 0 }, to = { 0 };
	bool sure;
	long gpus = gv_gpu_total(run, node, &sure);

	gv_span(run, node, &from, &to);
	gv_json_obj(j);
	gv_json_key(j, "id");
	gv_json_str(j, node->id);
	gv_json_some(j, "host", gv_text(node, GV_F_HOSTNAME));
	gv_json_key(j, "how");
	gv_json_strz(j, how_name[run->how]);
	gv_json_key(j, "vendor");
	gv_json_strz(j, gv_vendor_word(run, node));
	gv_json_key(j, "gpus");
	if (gpus < 0 || !sure)
		gv_json_null(j);
	else
		gv_json_i64(j, gpus);
	gv_json_when(j, "from", from);
	gv_json_when(j, "to", to);
	gv_json_end(j);
}

static void quotes(struct gv_json *j, const struct gv_place *q, size_t n)
{
	gv_json_key(j, "evidence");
	gv_json_arr(j);
	for (size_t i = 0; i < n; i++)
		gv_json_place(j, q[i]);
	gv_json_end(j);
}

static void bound(struct gv_json *j, const struct gv_run *run)
{
	enum gv_bound b = run->bound == GV_BOUND_NONE ? GV_BOUND_UNKNOWN : run->bound;

	gv_json_key(j, "bound");
	gv_json_obj(j);
	gv_json_key(j, "value");
	gv_json_strz(j, gv_bound_name[b]);
	gv_json_key(j, "confidence");
	gv_json_strz(j, gv_confidence_name[run->bound_confidence]);
	gv_json_key(j, "on");
	gv_json_on(j, run->bound_on, NULL, 0);
	gv_json_key(j, "summary");
	gv_json_str(j, run->bound_summary);
	quotes(j, run->bound_quote, b == GV_BOUND_UNKNOWN ? 0 : run->bound_nquotes);
	gv_json_end(j);
}

static void on(struct gv_json *j, const struct gv_finding *f)
{
	gv_json_key(j, "on");
	gv_json_on(j, f->on, f->also.v, f->also.n);
}

static void verdict(struct gv_json *j, const struct gv_finding *f)
{
	gv_json_key(j, "verdict");
	if (!f) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_key(j, "finding");
	gv_json_str(j, f->id);
	gv_json_key(j, "kind");
	gv_json_strz(j, gv_kind_info[f->kind].name);
	on(j, f);
	gv_json_key(j, "severity");
	gv_json_strz(j, gv_severity_name[f->worst > f->severity ? f->worst : f->severity]);
	gv_json_key(j, "confidence");
	gv_json_strz(j, gv_confidence_name[f->confidence]);
	gv_json_key(j, "summary");
	gv_json_str(j, f->summary);
	gv_json_end(j);
}

static void stages(struct gv_json *j, const struct gv_run *run)
{
	static const char *const name[] = { "unknown", "ok", "note", "warn", "fail" };

	gv_json_key(j, "stages");
	gv_json_arr(j);
	for (size_t i = 0; i < GV_STAGES; i++) {
		const struct gv_stage_state *s = &run->stage[i];

		gv_json_obj(j);
		gv_json_key(j, "stage");
		gv_json_strz(j, gv_stage_name[i]);
		gv_json_key(j, "state");
		gv_json_strz(j, name[s->state >= 0 && s->state <= 3 ? s->state + 1 : 0]);
		gv_json_key(j, "summary");
		gv_json_str(j, s->summary);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void finding(struct gv_json *j, const struct gv_finding *f)
{
	gv_json_obj(j);
	gv_json_key(j, "id");
	gv_json_str(j, f->id);
	gv_json_key(j, "kind");
	gv_json_strz(j, gv_kind_info[f->kind].name);
	gv_json_key(j, "severity");
	gv_json_strz(j, gv_severity_name[f->severity]);
	gv_json_key(j, "confidence");
	gv_json_strz(j, gv_confidence_name[f->confidence]);
	gv_json_key(j, "stage");
	gv_json_strz(j, gv_stage_name[gv_kind_info[f->kind].stage]);
	gv_json_key(j, "when");
	gv_json_strz(j, gv_when_name[f->when]);
	on(j, f);
	gv_json_key(j, "summary");
	gv_json_str(j, f->summary);
	quotes(j, f->quote, f->nquotes);
	gv_json_some(j, "cause", f->cause);
	gv_json_some(j, "action", f->action);
	gv_json_some(j, "avoid", f->avoid);
	gv_json_key(j, "caused_by");
	gv_json_strz(j, f->caused_by ? gv_kind_info[f->caused_by->kind].name : NULL);
	gv_json_some(j, "cause_id", f->caused_by ? f->caused_by->id : GV_NONE);
	gv_json_accepted(j, f);
	gv_json_end(j);
}

/* The stages that --require names, whether they are known or not. */
static void required(struct gv_json *j, unsigned bits)
{
	gv_json_key(j, "required");
	gv_json_arr(j);
	for (size_t i = 0; i < GV_STAGES; i++)
		if (bits >> i & 1)
			gv_json_strz(j, gv_stage_name[i]);
	gv_json_end(j);
}

static void write_json(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	struct gv_json json = { .out = out, .pretty = true }, *j = &json;

	gv_json_obj(j);
	gv_json_key(j, "schema");
	gv_json_strz(j, "gpuvet.diagnose.v1");
	gv_json_key(j, "version");
	gv_json_strz(j, opts->version);
	gv_json_key(j, "subjects");
	gv_json_arr(j);
	for (const struct gv_entity *e = NULL; (e = gv_each(run, GV_NODE, NULL, e));)
		subject(j, run, e);
	gv_json_end(j);
	gv_json_key(j, "workload");
	gv_json_strz(j, run->workload ? run->workload : "unknown");
	bound(j, run);
	verdict(j, run->verdict);
	stages(j, run);
	required(j, opts->require);
	gv_json_site(j, run);
	gv_json_key(j, "findings");
	gv_json_arr(j);
	for (size_t i = 0; i < run->findings.n; i++)
		finding(j, run->findings.v[i]);
	gv_json_end(j);
	gv_json_key(j, "next");
	gv_json_arr(j);
	for (size_t i = 0; i < run->next.n && i < 3; i++) {
		gv_json_obj(j);
		gv_json_key(j, "run");
		gv_json_strz(j, run->next.v[i].run);
		gv_json_key(j, "why");
		gv_json_strz(j, run->next.v[i].why);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_unread(j, run);
	gv_json_remarks(j, run);
	gv_json_end(j);
}

const struct gv_report gv_report_json = { "json", write_json };
