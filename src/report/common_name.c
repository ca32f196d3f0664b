/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common_name.h"

#define NODES_MAX 3 /* nodes that are named in "Seen" */

const char *const gv_severity_word[] = { [GV_NOTE] = "note", [GV_WARN] = "WARN", [GV_FAIL] = "FAIL" };

const char *gv_state_word(int state)
{
	static const char *const word[] = { "?", "ok", "note", "WARN", "FAIL" };

	return word[state >= 0 && state <= 3 ? state + 1 : 0];
}

void gv_put_code(struct gv_buf *b, gv_str s)
{
	struct gv_buf clean = { 0 };
	size_t run = 0, longest = 0;
	bool edge;

	gv_put_clean(&clean, s);
	for (size_t i = 0; i < clean.n; i++) {
		run = clean.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	edge = clean.n && (clean.p[0] == '`' || clean.p[clean.n - 1] == '`');
	gv_pad(b, '`', longest + 1);
	gv_puts(b, edge || !clean.n ? " " : "");
	gv_put(b, gv_buf_str(&clean));
	gv_puts(b, edge ? " " : "");
	gv_pad(b, '`', longest + 1);
	gv_buf_free(&clean);
}

static void put_id(struct gv_buf *b, const struct gv_names *how, gv_str id)
{
	if (how->code)
		gv_put_code(b, id);
	else
		gv_put_clean(b, id);
}

gv_str gv_node_name(const struct gv_entity *node)
{
	gv_str host = gv_text(node, GV_F_HOSTNAME);

	return host.n ? host : node->id;
}

void gv_put_entity(struct gv_buf *b, const struct gv_names *how, const struct gv_entity *e)
{
	if (!e) {
		gv_puts(b, "an unknown thing");
		return;
	}
	if (gv_is(e->id, gv_entity_name[e->kind])) { /* the only one, and nothing tells it apart */
		gv_printf(b, "the %s", gv_entity_name[e->kind]);
		return;
	}
	gv_printf(b, "%s ", gv_entity_name[e->kind]);
	if (e->kind == GV_NODE)
		put_id(b, how, gv_node_name(e));
	else if (e->id.n)
		put_id(b, how, e->id);
	else
		gv_puts(b, "(no id)");
	if (how->many_nodes && e->node && e->node != e) {
		gv_puts(b, " on ");
		put_id(b, how, gv_node_name(e->node));
	}
}

void gv_put_on(struct gv_buf *b, const struct gv_names *how, const struct gv_finding *f)
{
	size_t show = how->all ? f->also.n : f->also.n < 3 ? f->also.n : 2;

	gv_put_entity(b, how, f->on);
	for (size_t i = 0; i < show; i++) {
		gv_puts(b, ", ");
		gv_put_entity(b, how, f->also.v[i]);
	}
	if (f->also.n > show)
		gv_printf(b, " and %zu more", f->also.n - show);
}

gv_str gv_summary(const struct gv_finding *f)
{
	return f->summary.n ? f->summary : gv_str_of(gv_kind_info[f->kind].meaning);
}

void gv_put_certainty(struct gv_buf *b, const struct gv_finding *f)
{
	gv_printf(b, "%s confidence", gv_confidence_name[f->confidence]);
	if (f->when == GV_RECENT)
		gv_puts(b, ", recent");
	else if (f->when == GV_HISTORY)
		gv_puts(b, ", history: before the last boot or reset, or mended since");
}

gv_str gv_without_do_not(gv_str s)
{
	return gv_starts(s, "Do not ") ? gv_from(s, 7) : s;
}

bool gv_put_gpus(struct gv_buf *b, const struct gv_run *run, const struct gv_entity *node)
{
	const char *vendor = gv_vendor_word(run, node);
	size_t before = b->n;
	bool sure;
	long gpus = gv_gpu_total(run, node, &sure);

	if (gpus > 0)
		gv_printf(b, "%s%ld %s%sGPU%s", sure ? "" : "at least ", gpus, vendor ? vendor : "", vendor ? " " : "",
			  gpus == 1 ? "" : "s");
	else if (gpus == 0 && gv_obs(node, GV_F_GPU_ON_BUS))
		gv_puts(b, "no GPU");
	return b->n > before;
}

void gv_put_seen(struct gv_buf *b, const struct gv_names *how, const struct gv_run *run)
{
	size_t nodes = 0;

	gv_printf(b, "%zu document%s, %zu output%s, %zu log event%s", run->docs.n, run->docs.n == 1 ? "" : "s",
		  gv_outputs(run), gv_outputs(run) == 1 ? "" : "s", run->events.n, run->events.n == 1 ? "" : "s");
	for (const struct gv_entity *n = NULL; (n = gv_each(run, GV_NODE, NULL, n)); nodes++) {
		struct gv_buf gpus = { 0 };

		if ((nodes >= NODES_MAX && !how->all) || !run->docs.n)
			continue;
		gv_puts(b, "; ");
		gv_put_entity(b, how, n);
		if (gv_put_gpus(&gpus, run, n)) {
			gv_puts(b, " with ");
			gv_put(b, gv_buf_str(&gpus));
		}
		gv_buf_free(&gpus);
	}
	if (nodes > NODES_MAX && !how->all)
		gv_printf(b, " and %zu more", nodes - NODES_MAX);
}

gv_str gv_why_not_judged(const struct gv_run *run)
{
	if (!run->docs.n)
		return GV_STR("no document could be read.");
	if (!gv_outputs(run) && !run->events.n)
		return GV_STR("nothing in what was given is an output or a log line that gpuvet knows.");
	return GV_STR("what was read does not answer any question.");
}

const struct gv_finding *gv_who_says(const struct gv_run *run, gv_str what)
{
	for (size_t i = 0; what.n && i < run->findings.n; i++)
		if (gv_eq(gv_summary(run->findings.v[i]), what))
			return run->findings.v[i];
	return NULL;
}

bool gv_nothing_known(const struct gv_run *run)
{
	return !gv_outputs(run) && !run->events.n;
}
