/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/common.h"

#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/term.h"

int gv_call_parse(struct gv_call *c, const struct gv_cmd *cmd, void *values, gv_str **ret_args, size_t *ret_n)
{
	const struct gv_basic *basic = values;
	gv_str *args = GV_NEWN(c->arena, gv_str, (size_t)c->argc + 1);

	if (gv_opt_parse(cmd->options, c->argc, c->argv, values, args, ret_n, c->err))
		return GV_EXIT_USAGE;
	if (basic->help) {
		gv_opt_help(c->out, cmd->options, cmd->usage);
		return GV_EXIT_OK;
	}
	if (basic->version) {
		gv_puts(c->out, GV_VERSION_TEXT);
		return GV_EXIT_OK;
	}
	*ret_args = args;
	return -1;
}

static void set_limit(size_t *limit, uint64_t v)
{
	if (v != GV_UNSET)
		*limit = v > SIZE_MAX ? SIZE_MAX : (size_t)v;
}

static void set_limits(struct gv_limits *l, const struct gv_limit_opts *o)
{
	set_limit(&l->document, o->document);
	set_limit(&l->archive, o->archive);
	set_limit(&l->members, o->members);
	set_limit(&l->line, o->line);
	if (o->nesting != GV_UNSET)
		l->nesting = o->nesting > 1000 ? 1000 : (unsigned)o->nesting;
}

int gv_call_check_look(struct gv_call *c, const struct gv_look_opts *o, bool live)
{
	const struct {
		const char *name;
		bool set;
	} only_live[] = { { "for", o->span >= 0 },	   { "root", o->root != NULL }, { "timeout", o->timeout >= 0 },
			  { "wake", o->wake }, { "no-load", o->no_load } };

	for (size_t i = 0; !live && i < sizeof(only_live) / sizeof(only_live[0]); i++)
		if (only_live[i].set) {
			gv_printf(c->err, "--%s: a PATH is named, so this machine is not looked at; --live does both",
				  only_live[i].name);
			return GV_EXIT_USAGE;
		}
	if (o->timeout == 0 || o->timeout > 3600) {
		gv_puts(c->err, "--timeout: from 1ms to 1h");
		return GV_EXIT_USAGE;
	}
	if (o->span > 86400) {
		gv_puts(c->err, "--for: a day at most");
		return GV_EXIT_USAGE;
	}
	return -1;
}

void gv_call_how(struct gv_look *how, const struct gv_look_opts *o)
{
	how->root = o->root;
	how->wake = o->wake;
	how->no_load = o->no_load;
	if (o->span >= 0)
		how->span = o->span;
	if (o->timeout >= 0)
		how->timeout = o->timeout;
}

static int look(struct gv_call *c, struct gv_run *run, const struct gv_look_opts *o)
{
	struct gv_look how = GV_LOOK;
	int r;

	gv_call_how(&how, o);
	gv_term_progress("looking at %s for %g s", o->root ? o->root : "this machine", how.span);
	r = gv_add_live(run, &how);
	gv_term_progress(NULL);
	if (r == -ENOSYS) {
		gv_puts(c->err, "--root: this kernel cannot keep links inside a tree (it takes Linux 5.6)");
		return GV_EXIT_USAGE;
	}
	if (r < 0) {
		gv_printf(c->err, "cannot open \"%s\": %s", o->root ? o->root : "/", strerror(-r));
		return GV_EXIT_NOINPUT;
	}
	return 0;
}

static int read_paths(struct gv_call *c, struct gv_run *run, const gv_str *args, size_t n)
{
	bool stdin_read = false;

	run->several = n > 1;
	for (size_t i = 0; i < n; i++) {
		bool is_stdin = gv_is(args[i], "-");
		int r;

		if (is_stdin && stdin_read)
			continue;
		r = is_stdin ? gv_add_stdin(run) : gv_add_path(run, args[i].p);
		if (r < 0) {
			gv_printf(c->err, "cannot open %s%s%s: %s", is_stdin ? "" : "\"",
				  is_stdin ? "the standard input" : args[i].p, is_stdin ? "" : "\"", strerror(-r));
			return GV_EXIT_NOINPUT;
		}
		stdin_read |= is_stdin;
	}
	return 0;
}

static int save(struct gv_call *c, const struct gv_run *run, const char *path)
{
	struct gv_buf left_out = { 0 };
	int r = gv_save(run, path, &left_out);

	if (r < 0)
		gv_printf(c->err, "cannot write \"%s\": %s", path, strerror(-r));
	else if (left_out.n)
		gv_put(c->err, gv_buf_str(&left_out));
	gv_buf_free(&left_out);
	return r < 0 ? GV_EXIT_INTERNAL : 0;
}

int gv_call_read(struct gv_call *c, struct gv_run *run, const struct gv_limit_opts *limits,
		 const struct gv_look_opts *o, const gv_str *args, size_t n)
{
	bool live = !n || o->live;
	int status;

	if (!limits->document || !limits->line) {
		gv_printf(c->err, "--max-%s: with 0 nothing could be read", limits->document ? "line" : "document");
		return GV_EXIT_USAGE;
	}
	status = gv_call_check_look(c, o, live);
	if (status >= 0)
		return status;
	set_limits(&run->limits, limits);
	status = live ? look(c, run, o) : 0;
	if (!status)
		status = read_paths(c, run, args, n);
	if (status)
		return status;
	if (live)
		run->how = GV_HOW_LIVE;
	if (!n && gv_stdin_waits())
		gv_puts(c->err, "this machine was looked at; what was piped here is read where - is named");
	gv_read_all(run);
	return o->save ? save(c, run, o->save) : 0;
}
