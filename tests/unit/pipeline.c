/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include "engine/engine.h"

struct gv_run *gv_test_run(const char *name, ...)
{
	struct gv_run *run = gv_run_new(gv_arena_new());
	va_list ap;

	va_start(ap, name);
	for (const char *n = name; n; n = va_arg(ap, const char *))
		gv_add_bytes(run, gv_str_of(n), gv_str_of(va_arg(ap, const char *)));
	va_end(ap);
	gv_read_all(run);
	gv_judge_all(run);
	return run;
}

void gv_test_end(struct gv_run *run)
{
	gv_arena_free(run->arena);
}

const struct gv_finding *gv_test_finding(const struct gv_run *run, enum gv_kind kind)
{
	for (size_t i = 0; i < run->findings.n; i++)
		if (run->findings.v[i]->kind == kind)
			return run->findings.v[i];
	return NULL;
}

void gv_test_verdict(const struct gv_run *run, enum gv_kind kind)
{
	const char *got = run->verdict ? gv_kind_info[run->verdict->kind].name : "none";
	const char *want = kind < GV_KINDS ? gv_kind_info[kind].name : "none";

	assert_string_equal(got, want);
}

double gv_test_num(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_obs *o = gv_obs(e, f);

	assert_non_null(e);
	if (!o)
		fail_msg("%s is unknown", gv_fact_info[f].name);
	return o->num;
}

void gv_test_is_num(const struct gv_entity *e, enum gv_fact f, double want)
{
	double got = gv_test_num(e, f);

	if (got < want - 1e-6 || got > want + 1e-6)
		fail_msg("%s is %g, not %g", gv_fact_info[f].name, got, want);
}

void gv_test_is_text(const struct gv_entity *e, enum gv_fact f, const char *want)
{
	gv_str got = gv_text(e, f);

	if (!gv_is(got, want))
		fail_msg("%s is \"%.*s\", not \"%s\"", gv_fact_info[f].name, GV_ARG(got), want);
}

struct gv_entity *gv_test_node(const struct gv_run *run)
{
	struct gv_entity *e = gv_each(run, GV_NODE, NULL, NULL);

	assert_non_null(e);
	return e;
}
