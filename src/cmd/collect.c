/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet collect: this machine as a file that diagnose reads elsewhere. */
#include <errno.h>
#include <string.h>

#include "cmd/common.h"
#include "sys/file.h"
#include "sys/term.h"

struct opts {
	struct gv_basic basic;
	struct gv_look_opts look;
	struct gv_limit_opts limits;
	bool json, keep_names;
	const char *output;
	struct gv_opt_list logs;
};

static const struct gv_opt options[] = {
	{ .name = "output",
	  .brief = 'o',
	  .arg = "FILE",
	  .help = "where the bundle goes, a tar file; - is standard output",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, output) },
	{ .name = "log",
	  .arg = "PATH",
	  .help = "a log of the job, or a folder of them; may be given often",
	  .type = GV_OPT_LIST,
	  .offset = offsetof(struct opts, logs) },
	{ .name = "keep-names",
	  .help = "redact nothing: names, addresses, serial numbers and secrets stay in it",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, keep_names) },
	{ .name = "json",
	  .help = "print a JSON document on what was collected",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, json) },
	GV_LOOK_TIMES(opts),
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet collect [OPTION]... -o FILE",
	"       ssh NODE gpuvet collect -o - >FILE",
	"",
	"Captures this machine as a bundle that diagnose reads elsewhere: counters, the",
	"kernel's log, what the drivers answer, the output of the usual tools, and logs.",
	"Names of hosts and users, addresses, serial numbers, UUIDs, secrets and paths",
	"under homes are replaced by pseudonyms, the same in the whole bundle.",
	"",
	"Exit status: 0; 64 wrong usage, 66 the machine cannot be looked at, 70 the",
	"bundle cannot be written.",
	NULL,
};

static void said(const char *what)
{
	gv_term_progress("waiting for %s", what);
}

/* "nvidia-smi: ...": the account's lines by their kind, for people. */
static void write_text(struct gv_call *c, const struct opts *o, const struct gv_run *run, gv_str account)
{
	size_t ran = 0, left_out = 0, late = 0;
	gv_str rest = account, line;

	while (gv_next(&rest, '\n', &line)) {
		ran += gv_starts(line, "ran: ");
		left_out += gv_starts(line, "left out: ");
		late += gv_starts(line, "ran: ") && gv_has(line, ": no answer within ");
	}
	gv_printf(c->out, "%s: %zu documents; %zu commands ran, %zu left out; names %s\n", o->output, run->docs.n, ran,
		  left_out, o->keep_names ? "kept" : "redacted");
	rest = account;
	while (gv_next(&rest, '\n', &line))
		if (gv_starts(line, "redacted: ")) {
			gv_put_clean(c->out, line);
			gv_putc(c->out, '\n');
		} else if (late && gv_has(line, ": no answer within ")) {
			gv_put_clean(c->out, gv_from(line, 5));
			gv_putc(c->out, '\n');
		}
	for (size_t i = 0; i < run->unread.n; i++) {
		gv_puts(c->out, "not in it: ");
		gv_put_clean(c->out, run->unread.v[i].file);
		gv_puts(c->out, ": ");
		gv_put_clean(c->out, run->unread.v[i].why);
		gv_putc(c->out, '\n');
	}
}

static void write_json(struct gv_call *c, const struct opts *o, const struct gv_run *run, gv_str account)
{
	struct gv_json json = { .out = c->out, .pretty = true }, *j = &json;
	gv_str line;

	gv_json_obj(j);
	gv_json_key(j, "schema");
	gv_json_strz(j, "gpuvet.collect.v1");
	gv_json_key(j, "version");
	gv_json_strz(j, GV_VERSION);
	gv_json_key(j, "output");
	gv_json_strz(j, o->output);
	gv_json_key(j, "redacted");
	gv_json_bool(j, !o->keep_names);
	gv_json_key(j, "documents");
	gv_json_i64(j, (int64_t)run->docs.n);
	gv_json_key(j, "account");
	gv_json_arr(j);
	while (gv_next(&account, '\n', &line))
		gv_json_str(j, line);
	gv_json_end(j);
	gv_json_unread(j, run);
	gv_json_end(j);
}

/* Standard output holds the bundle, so the report of a run to it goes nowhere. */
static int check(struct gv_call *c, const struct opts *o, size_t nargs)
{
	static const char *const packed[] = { ".gz", ".tgz", ".xz", ".zst", ".bz2", ".zip" };

	if (nargs)
		gv_puts(c->err, "it takes no PATH; --log PATH adds one");
	else if (!o->output)
		gv_puts(c->err, "name the file: -o FILE, or -o - for standard output");
	else if (o->json && gv_is(gv_str_of(o->output), "-"))
		gv_puts(c->err, "--json: standard output holds the bundle");
	for (size_t i = 0; !c->err->n && i < sizeof(packed) / sizeof(packed[0]); i++)
		if (gv_ends(gv_str_of(o->output), packed[i]))
			gv_printf(
			    c->err,
			    "\"%s\": the bundle is a plain tar file; pack it by \"gpuvet collect -o - | gzip >FILE\"",
			    o->output);
	return c->err->n ? GV_EXIT_USAGE : 0;
}

static int write_bundle(struct gv_call *c, const struct opts *o, struct gv_run *run, struct gv_buf *account)
{
	struct gv_collect how = { .look = GV_LOOK,
				  .logs = o->logs.v,
				  .nlogs = o->logs.n,
				  .keep_names = o->keep_names,
				  .version = GV_VERSION,
				  .said = said };
	struct gv_newfile f = { .fd = GV_STDOUT };
	bool piped = gv_is(gv_str_of(o->output), "-");
	int r = piped ? 0 : gv_newfile_open(&f, o->output);

	gv_call_how(&how.look, &o->look);
	gv_term_progress("looking at this machine");
	if (!r)
		r = gv_collect(run, &how, f.fd, account);
	gv_term_progress(NULL);
	return piped ? r : gv_newfile_close(&f, r);
}

static int run_collect(struct gv_call *c)
{
	struct opts o = { .look = GV_LOOK_UNSET };
	struct gv_buf account = { 0 };
	struct gv_run *run;
	gv_str *args;
	size_t n;
	int r, status = gv_call_parse(c, &gv_cmd_collect, &o, &args, &n);

	if (status >= 0)
		return status;
	if (check(c, &o, n))
		return GV_EXIT_USAGE;
	status = gv_call_check_look(c, &o.look, true);
	if (status >= 0)
		return status;
	run = gv_run_new(c->arena);
	r = write_bundle(c, &o, run, &account);
	if (r < 0)
		gv_printf(c->err, "cannot write \"%s\": %s", o.output, strerror(-r));
	else if (o.json)
		write_json(c, &o, run, gv_buf_str(&account));
	else if (!gv_is(gv_str_of(o.output), "-"))
		write_text(c, &o, run, gv_buf_str(&account));
	gv_buf_free(&account);
	return r < 0 ? GV_EXIT_INTERNAL : GV_EXIT_OK;
}

const struct gv_cmd gv_cmd_collect = { usage, options, run_collect };
