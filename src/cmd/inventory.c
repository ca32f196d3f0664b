/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet inventory: which GPU code and libraries are in here. */
#include <errno.h>

#include "base/map.h"
#include "cmd/common.h"
#include "cmd/common_target.h"
#include "core/window.h"
#include "engine/inventory.h"
#include "inspect/diff.h"
#include "inspect/policy.h"
#include "report/common_inventory.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stop.h"
#include "sys/term.h"

#define SAVED_MAX ((size_t)1 << 30) /* bytes of a document of an earlier run */

struct opts {
	struct gv_basic basic;
	struct gv_target_opts target;
	bool json, junit, markdown, all, diff, quiet;
	const char *policy, *today;
	uint64_t archive, members, nesting, threads;
};

static const struct gv_opt options[] = {
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	{ .name = "junit",
	  .help = "print targets and rules of the policy as test cases, as JUnit does",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, junit) },
	{ .name = "markdown",
	  .help = "print Markdown, for the summary of a build",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, markdown) },
	{ .name = "all",
	  .help = "print everything, not one screen of it",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, all) },
	{ .name = "diff",
	  .help = "what came and went from the first PATH to the second",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, diff) },
	GV_TARGET_OPTIONS(opts),
	{ .name = "policy",
	  .arg = "FILE",
	  .help = "rules that what is in here has to keep",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, policy) },
	{ .name = "today",
	  .arg = "DATE",
	  .help = "judge the end of the policy's exceptions as on this day [now]",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, today) },
	{ .name = "quiet",
	  .brief = 'q',
	  .help = "show no progress",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, quiet) },
	{ .name = "max-archive",
	  .arg = "SIZE",
	  .help = "bytes unpacked from archives in all [64GiB]",
	  .type = GV_OPT_SIZE,
	  .offset = offsetof(struct opts, archive) },
	{ .name = "max-members",
	  .arg = "N",
	  .help = "files in folders and archives [4000000]",
	  .type = GV_OPT_COUNT,
	  .offset = offsetof(struct opts, members) },
	{ .name = "max-nesting",
	  .arg = "N",
	  .help = "archives inside archives, at most 16 [4]",
	  .type = GV_OPT_COUNT,
	  .offset = offsetof(struct opts, nesting) },
	{ .name = "threads",
	  .arg = "N",
	  .help = "that read, at most 4 [as many as processors]",
	  .type = GV_OPT_COUNT,
	  .offset = offsetof(struct opts, threads) },
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet inventory [OPTION]... PATH...",
	"       gpuvet inventory --diff [OPTION]... OLD NEW",
	"",
	"Says which GPU code and which GPU libraries are in files, folders, packages and",
	"images, for which architectures, and how they are reached. Nothing is run, and",
	"nothing is written to disk. Several PATHs are judged one by one; a list of",
	"requirements beside the folder that was installed from it tells which line to",
	"change. OLD and NEW may be JSON documents of earlier runs. Of --json, --junit",
	"and --markdown one is printed, of --diff text or JSON.",
	"",
	"Exit status: 2 the policy is broken, or a failure was found, 1 a warning, 0",
	"neither, 3 nothing could be read; with --diff 1 where they differ; 64 wrong",
	"usage, 66 a PATH cannot be opened, 70 internal error; 130 and its like where a",
	"signal ended it, then nothing is printed.",
	NULL,
};

/* The end of a path tells more than its beginning. Names may hold anything. */
static void said(uint64_t files, uint64_t bytes, gv_str path)
{
	struct gv_buf b = { 0 };
	size_t width = gv_term_width(2), room = width > 44 ? width - 44 : 0, from;

	gv_put_clean(&b, path);
	from = b.n > room ? b.n - room : 0;
	while (from < b.n && ((unsigned char)b.p[from] & 0xc0) == 0x80) /* in the middle of a character */
		from++;
	gv_term_progress("%llu files, %.1f GB read, now %s%.*s", (unsigned long long)files, (double)bytes / 1e9,
			 from ? "..." : "", (int)(b.n - from), b.n ? b.p + from : "");
	gv_buf_free(&b);
}

/* 0, or the exit status. */
static int read_policy(struct gv_call *c, const struct opts *o, struct gv_policy *ret)
{
	int64_t today = (int64_t)(gv_clock_wall() / 86400);
	gv_str text;
	int r;

	if (o->today && !gv_date_parse(gv_str_of(o->today), &today)) {
		gv_printf(c->err, "--today: \"%s\" is no date as 2026-05-01", o->today);
		return GV_EXIT_USAGE;
	}
	r = o->policy ? gv_file_read(o->policy, GV_POLICY_BYTES, c->arena, &text) : 0;
	if (r < 0) {
		gv_printf(c->err, "cannot open the policy \"%s\": %s", o->policy,
			  r == -EFBIG ? "larger than 1 MiB" : strerror(-r));
		return GV_EXIT_NOINPUT;
	}
	return o->policy && gv_policy_read(c->arena, gv_str_of(o->policy), text, today, ret, c->err) ? GV_EXIT_USAGE
												     : 0;
}

/* 0, or the exit status. */
static int read_paths(struct gv_call *c, const struct opts *o, const gv_str *paths, size_t n, struct gv_inventory *inv)
{
	struct gv_inventory_opts how = GV_INVENTORY_OPTS;
	int r;

	how.archive = o->archive != GV_UNSET ? o->archive : how.archive;
	how.members = o->members != GV_UNSET ? (size_t)o->members : how.members;
	how.nesting = o->nesting != GV_UNSET ? (unsigned)o->nesting : how.nesting;
	how.threads = (unsigned)o->threads;
	how.said = o->quiet ? NULL : said;
	how.stopped = gv_stopped;
	gv_stop_catch();
	r = gv_inventory_read(inv, paths, n, &how, c->err);
	gv_term_progress(NULL);
	gv_stop_release();
	return !r ? 0 : r == -ECANCELED ? 128 + gv_stopped() : GV_EXIT_NOINPUT;
}

/* ---- --diff ---- */

/* 0, or the exit status: a document of an earlier run, or files that are read now. */
static int read_side(struct gv_call *c, const struct opts *o, gv_str path, struct gv_inventory *inv,
		     struct gv_saved *ret)
{
	gv_str text;
	const char *file = gv_dupz(c->arena, path);
	int r = gv_file_head(file, 256, c->arena, &text);

	if (!r && gv_saved_is(text)) {
		r = gv_file_read(file, SAVED_MAX, c->arena, &text);
		if (r)
			gv_printf(c->err, "cannot read \"%s\": %s", file, strerror(-r));
		return r ? GV_EXIT_NOINPUT : gv_saved_read(ret, c->arena, path, text, c->err) ? GV_EXIT_USAGE : 0;
	}
	r = read_paths(c, o, &path, 1, inv);
	if (!r)
		gv_saved_of(ret, c->arena, inv);
	return r;
}

static int run_diff(struct gv_call *c, const struct opts *o, const gv_str *args, const struct gv_report_opts *ro)
{
	struct gv_inventory inv[2] = { { .arena = c->arena }, { .arena = c->arena } };
	struct gv_saved side[2];
	struct gv_diff d;
	int status = 0;

	for (int i = 0; i < 2 && !status; i++)
		status = read_side(c, o, args[i], &inv[i], &side[i]);
	if (!status) {
		gv_diff(&d, c->arena, &side[0], &side[1]);
		(o->json ? gv_inventory_diff_json : gv_inventory_diff_text)(c->out, &d, ro);
		status = d.same ? GV_EXIT_OK : GV_EXIT_WARN;
	}
	for (int i = 0; i < 2; i++)
		gv_inventory_free(&inv[i]);
	return status;
}

/* What is not as it should be; where nothing is, whether it could be judged at all. */
static int status_of(const struct gv_inventory *inv)
{
	bool judged = !inv->targets.n && inv->seen;
	int status = inv->policy && inv->policy->open ? GV_EXIT_FAIL : GV_EXIT_OK;

	for (size_t i = 0; i < inv->targets.n; i++)
		judged |= inv->seen && inv->targets.v[i]->verdict != GV_FIT_UNKNOWN;
	for (size_t i = 0; i < inv->findings.n; i++) {
		enum gv_severity s = inv->findings.v[i].severity;

		if (s == GV_FAIL)
			status = GV_EXIT_FAIL;
		else if (s == GV_WARN && status != GV_EXIT_FAIL)
			status = GV_EXIT_WARN;
	}
	return status == GV_EXIT_OK && !judged ? GV_EXIT_UNKNOWN : status;
}

static void report(struct gv_call *c, const struct opts *o, const struct gv_inventory *inv,
		   const struct gv_report_opts *ro)
{
	if (o->json)
		gv_inventory_json(c->out, inv, ro);
	else if (o->junit)
		gv_inventory_junit(c->out, inv, ro);
	else if (o->markdown)
		gv_inventory_markdown(c->out, inv, ro);
	else
		gv_inventory_text(c->out, inv, ro);
}

/* What is named twice is read once. */
static size_t without_doubles(struct gv_call *c, gv_str *paths, size_t n)
{
	struct gv_map seen = { .arena = c->arena };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		gv_str path = paths[i];
		void **slot;

		while (gv_ends(path, "/") && path.n > 1)
			path.n--;
		slot = gv_map_put(&seen, path);
		if (!*slot)
			paths[kept++] = paths[i];
		*slot = paths;
	}
	return kept;
}

/* 0, or the exit status. */
static int check_opts(struct gv_call *c, const struct opts *o, size_t n)
{
	const char *wrong = o->json + o->junit + o->markdown > 1   ? "--json, --junit and --markdown do not go together"
			    : o->diff && (o->junit || o->markdown) ? "--diff goes with --json alone"
			    : o->diff && (o->policy || o->target.target.n || o->target.dir || o->target.live)
				? "--diff holds nothing against a policy or a target"
			    : o->diff && n != 2 ? "--diff needs two PATHs, the old one and the new one"
			    : !n		? "inventory of what? name a PATH"
						: NULL;

	if (wrong)
		gv_puts(c->err, wrong);
	return wrong ? GV_EXIT_USAGE : 0;
}

static int run_inventory(struct gv_call *c)
{
	struct opts o = { .archive = GV_UNSET, .members = GV_UNSET, .nesting = GV_UNSET };
	struct gv_report_opts ro;
	struct gv_inventory inv = { .arena = c->arena };
	struct gv_policy policy;
	struct gv_policy_result kept;
	struct gv_targets targets = { 0 };
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_inventory, &o, &args, &n);

	if (status >= 0)
		return status;
	ro = (struct gv_report_opts){ .version = GV_VERSION, .all = o.all, .color = c->color, .form = c->form };
	status = check_opts(c, &o, n);
	if (o.diff && !status)
		return run_diff(c, &o, args, &ro);
	n = without_doubles(c, args, n);
	status = status ? status : read_policy(c, &o, &policy);
	status = status ? status : gv_call_targets(c, &o.target, &targets);
	if (status)
		return status;
	status = read_paths(c, &o, args, n, &inv);
	if (!status) {
		for (size_t i = 0; i < targets.all.n; i++)
			for (unsigned k = 0; k < n; k++)
				gv_target_judge(&inv, targets.all.v[i], k);
		if (o.policy) {
			gv_policy_check(&inv, c->arena, &policy, &kept);
			inv.policy = &kept;
		}
		report(c, &o, &inv, &ro);
		status = status_of(&inv);
	}
	gv_inventory_free(&inv);
	return status;
}

const struct gv_cmd gv_cmd_inventory = { usage, options, run_inventory };
