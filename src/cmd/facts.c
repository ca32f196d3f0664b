/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet facts: what was read, without a judgement. */
#include "cmd/common.h"

struct opts {
	struct gv_basic basic;
	struct gv_limit_opts limits;
	struct gv_look_opts look;
	bool json, all;
};

static const struct gv_opt options[] = {
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	{ .name = "all",
	  .help = "print the names of the facts that nothing shows, and all unclaimed text",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, all) },
	GV_LOOK_OPTIONS(opts),
	GV_LIMIT_OPTIONS(opts),
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet facts [OPTION]...",
	"       gpuvet facts [OPTION]... [--live] PATH...",
	"       gpuvet facts [OPTION]... -",
	"",
	"Prints everything that was read, from captured outputs and logs or, without a",
	"PATH, of this machine: each fact with",
	"its value, unit and place, what contradicts it, what is unknown and why, and the",
	"text that nothing in gpuvet knows how to read.",
	"",
	"Exit status: 0, or 3 where no fact was read; 64 wrong usage, 66 a PATH cannot be",
	"opened, 70 internal error.",
	NULL,
};

static int run_facts(struct gv_call *c)
{
	struct opts o = { .limits = GV_LIMITS_UNSET, .look = GV_LOOK_UNSET };
	struct gv_report_opts ro = { .version = GV_VERSION };
	struct gv_run *run;
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_facts, &o, &args, &n);

	if (status >= 0)
		return status;
	run = gv_run_new(c->arena);
	status = gv_call_read(c, run, &o.limits, &o.look, args, n);
	if (!status) {
		ro.all = o.all;
		ro.color = c->color;
		ro.form = c->form;
		(o.json ? gv_report_facts_json : gv_report_facts).write(c->out, run, &ro);
		status = run->sights.n || run->events.n ? GV_EXIT_OK : GV_EXIT_UNKNOWN;
	}
	return status;
}

const struct gv_cmd gv_cmd_facts = { usage, options, run_facts };
