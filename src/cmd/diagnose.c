/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet diagnose: the main job. */
#include "cmd/common.h"
#include "cmd/common_site.h"

enum fail_on { ON_UNKNOWN, ON_WARN, ON_FAIL };
static const char *const fail_on_words[] = { "unknown", "warn", "fail", NULL };

struct opts {
	struct gv_basic basic;
	struct gv_limit_opts limits;
	struct gv_look_opts look;
	struct gv_site_opts site;
	bool json, markdown, quiet, all;
	int fail_on;
	const char *require;
};

static const struct gv_opt options[] = {
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	{ .name = "markdown",
	  .help = "print Markdown, to paste into a ticket",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, markdown) },
	{ .name = "quiet",
	  .brief = 'q',
	  .help = "print one line, for a monitor",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, quiet) },
	{ .name = "all",
	  .help = "print everything, not one screen of it",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, all) },
	{ .name = "fail-on",
	  .arg = "WHAT",
	  .help = "the least that makes the exit status other than 0: fail (2 where a failure was found), warn (also 1 "
		  "for a warning), unknown (also 3 where nothing could be judged) [unknown]",
	  .type = GV_OPT_CHOICE,
	  .offset = offsetof(struct opts, fail_on),
	  .choices = fail_on_words },
	{ .name = "require",
	  .arg = "STAGE[,STAGE]",
	  .help = "exit with 3, whatever --fail-on says, where nothing is known of a stage: visible, stack, busy, fed, "
		  "scaling, scheduler, serving",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, require) },
	GV_LOOK_OPTIONS(opts),
	GV_SITE_OPTIONS(opts),
	GV_LIMIT_OPTIONS(opts),
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet diagnose [OPTION]...",
	"       gpuvet diagnose [OPTION]... [--live] PATH...",
	"       gpuvet diagnose [OPTION]... -",
	"",
	"Says what is wrong with a GPU node, why, and what to do. Without a PATH it looks",
	"at this machine; with one it reads captured outputs and logs: files, folders,",
	"tar and zip archives, or the standard input. Then nothing is run, and nothing",
	"outside PATH is read but for the site file.",
	"",
	"Exit status: 2 a failure was found, 1 a warning, 0 neither, 3 nothing could be",
	"judged or a required stage is unknown; 64 wrong usage, 66 a PATH cannot be",
	"opened, 70 internal error.",
	NULL,
};

/* The stages that must be known, as bits. */
static int parse_require(struct gv_call *c, const char *words, unsigned *ret)
{
	gv_str rest = gv_str_of(words), word;
	unsigned bits = 0;

	if (!gv_trim(rest).n) {
		gv_puts(c->err, "--require: names no stage");
		return GV_EXIT_USAGE;
	}
	while (gv_next(&rest, ',', &word)) {
		const char *near;
		size_t s = 0;

		word = gv_trim(word);
		while (s < GV_STAGES && !gv_is(word, gv_stage_name[s]))
			s++;
		if (s < GV_STAGES) {
			bits |= 1u << s;
			continue;
		}
		near = gv_nearest(word, gv_stage_name, GV_STAGES);
		gv_printf(c->err, "--require: \"%.*s\" is no stage", GV_ARG(word));
		if (near)
			gv_printf(c->err, "; did you mean %s?", near);
		return GV_EXIT_USAGE;
	}
	*ret = bits;
	return 0;
}

static int status_of(const struct gv_run *run, int fail_on, unsigned require)
{
	int status = run->judged ? GV_EXIT_OK : GV_EXIT_UNKNOWN;

	for (size_t i = 0; i < run->findings.n; i++) {
		enum gv_severity s = run->findings.v[i]->severity;

		if (s == GV_FAIL)
			status = GV_EXIT_FAIL;
		else if (s == GV_WARN && status != GV_EXIT_FAIL)
			status = GV_EXIT_WARN;
	}
	if ((status == GV_EXIT_UNKNOWN && fail_on != ON_UNKNOWN) || (status == GV_EXIT_WARN && fail_on == ON_FAIL))
		status = GV_EXIT_OK;
	for (size_t s = 0; s < GV_STAGES && status == GV_EXIT_OK; s++)
		if (require >> s & 1 && run->stage[s].state < 0)
			status = GV_EXIT_UNKNOWN;
	return status;
}

static const struct gv_report *report_of(const struct opts *o)
{
	return o->json ? &gv_report_json : o->markdown ? &gv_report_markdown : o->quiet ? &gv_report_quiet : &gv_report_text;
}

/* A run has one report. */
static int parse_form(struct gv_call *c, const struct opts *o)
{
	const struct {
		const char *name;
		bool set;
	} forms[] = { { "--json", o->json }, { "--markdown", o->markdown }, { "--quiet", o->quiet } };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!forms[i].set)
			continue;
		if (first) {
			gv_printf(c->err, "%s and %s: one of them", first, forms[i].name);
			return GV_EXIT_USAGE;
		}
		first = forms[i].name;
	}
	if (o->quiet && o->all) {
		gv_puts(c->err, "--quiet and --all: one line is not everything");
		return GV_EXIT_USAGE;
	}
	return 0;
}

static int run_diagnose(struct gv_call *c)
{
	struct opts o = { .limits = GV_LIMITS_UNSET, .look = GV_LOOK_UNSET };
	struct gv_report_opts ro = { .version = GV_VERSION };
	unsigned require = 0;
	struct gv_run *run;
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_diagnose, &o, &args, &n);

	if (status >= 0)
		return status;
	if (parse_form(c, &o))
		return GV_EXIT_USAGE;
	if (o.require && parse_require(c, o.require, &require))
		return GV_EXIT_USAGE;
	run = gv_run_new(c->arena);
	status = gv_call_site(c, run, &o.site);
	if (status)
		return status;
	status = gv_call_read(c, run, &o.limits, &o.look, args, n);
	if (!status) {
		gv_judge_all(run);
		ro.all = o.all;
		ro.color = c->color;
		ro.form = c->form;
		ro.require = require;
		report_of(&o)->write(c->out, run, &ro);
		status = status_of(run, o.fail_on, require);
	}
	return status;
}

const struct gv_cmd gv_cmd_diagnose = { usage, options, run_diagnose };
