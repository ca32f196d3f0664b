/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file, through the whole pipeline and all reports. */
#include "engine/engine.h"
#include "fuzz.h"
#include "report/common.h"
#include "source/source.h"

/* A verdict is what is worst; and what is at warn or fail is quoted. */
static void check_findings(const struct gv_run *run)
{
	enum gv_severity worst = GV_NOTE;

	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i];

		if (f->severity > worst)
			worst = f->severity;
		if (f->severity != GV_NOTE && !f->nquotes)
			gv_fuzz_bad("%s quotes nothing", gv_kind_info[f->kind].name);
		gv_fuzz_check(f->summary.n && f->id.n);
	}
	gv_fuzz_check(!run->verdict == (worst == GV_NOTE));
	gv_fuzz_check((run->bound == GV_BOUND_UNKNOWN || run->bound == GV_BOUND_NONE) == !run->bound_nquotes);
}

static void write_all(const struct gv_run *run)
{
	static const struct {
		const struct gv_report *report;
		struct gv_report_opts opts;
		bool json;
	} as[] = {
		{ &gv_report_json, { .version = "0" }, true },
		{ &gv_report_facts_json, { .version = "0" }, true },
		{ &gv_report_text, { .version = "0" }, false },
		{ &gv_report_text, { .version = "0", .all = true, .form = { 40, true } }, false },
		{ &gv_report_facts, { .version = "0" }, false },
	};

	for (size_t i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		struct gv_buf out = { 0 };

		as[i].report->write(&out, run, &as[i].opts);
		gv_fuzz_check(out.n);
		if (as[i].json)
			gv_fuzz_check_json(gv_buf_str(&out), run);
		else
			gv_fuzz_check_text(gv_buf_str(&out));
		gv_buf_free(&out);
	}
}

void gv_fuzz_whole(const uint8_t *data, size_t n)
{
	struct gv_run *run = gv_run_new(gv_arena_new());

	run->limits =
	    (struct gv_limits){ .document = 1 << 18, .archive = 1 << 19, .members = 50, .line = 4096, .nesting = 2 };
	gv_source_bytes(run, GV_STR("fuzz.txt"), (gv_str){ (const char *)data, n });
	gv_read_all(run);
	gv_judge_all(run);
	gv_fuzz_check_run(run);
	check_findings(run);
	write_all(run);
	gv_arena_free(run->arena);
}
