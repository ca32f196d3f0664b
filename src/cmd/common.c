/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/common.h"

#include <string.h>

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

int gv_call_read(struct gv_call *c, struct gv_run *run, const struct gv_limit_opts *limits, const gv_str *args,
		 size_t n)
{
	bool stdin_read = false;

	if (!limits->document || !limits->line) {
		gv_printf(c->err, "--max-%s: with 0 nothing could be read", limits->document ? "line" : "document");
		return GV_EXIT_USAGE;
	}
	set_limits(&run->limits, limits);
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
	gv_read_all(run);
	return 0;
}
