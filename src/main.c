/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet: finds the command, runs it, prints what it wrote. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common.h"
#include "sys/file.h"
#include "sys/term.h"

struct command {
	const char *name, *help;
	const struct gv_cmd *cmd;
};

static const struct command commands[] = {
#define COMMAND(name, help) { #name, help, &gv_cmd_##name },
#include "cmd.def"
#undef COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void out_of_memory(void)
{
	static const char text[] = "gpuvet: out of memory\n";

	gv_newfile_abandon();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(GV_EXIT_INTERNAL);
	_exit(GV_EXIT_INTERNAL);
}

/* 0 or -errno. */
static int write_all(int fd, gv_str s)
{
	while (s.n) {
		ssize_t r = write(fd, s.p, s.n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		s = gv_from(s, (size_t)r);
	}
	return 0;
}

static bool may_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static void general_help(struct gv_buf *out)
{
	gv_puts(out, "usage: gpuvet COMMAND [OPTION]... [ARGUMENT]...\n\n"
		     "Says where a GPU node's time goes, and whether it is fit to take work.\n\nCommands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		gv_printf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	gv_puts(out, "\nOptions:\n"
		     "  -h, --help   print this help and exit\n"
		     "  -V, --version\n"
		     "               print the version and exit\n"
		     "\n\"gpuvet help COMMAND\" lists the options of a command.\n");
}

/* The command line without a command: an option, or a word that is none. */
static int no_command(struct gv_call *c)
{
	const char *words[COMMANDS + 3], *near;
	size_t n = 0;

	if (c->argc < 2) {
		gv_puts(c->err, "which command? \"gpuvet --help\" lists them");
		return GV_EXIT_USAGE;
	}
	if (strcmp(c->argv[1], "--help") == 0 || strcmp(c->argv[1], "-h") == 0 || strcmp(c->argv[1], "help") == 0) {
		general_help(c->out);
		return GV_EXIT_OK;
	}
	if (strcmp(c->argv[1], "--version") == 0 || strcmp(c->argv[1], "-V") == 0) {
		gv_puts(c->out, GV_VERSION_TEXT);
		return GV_EXIT_OK;
	}
	for (; n < COMMANDS; n++)
		words[n] = commands[n].name;
	words[n++] = "help";
	words[n++] = "--help";
	words[n++] = "--version";
	near = gv_nearest(gv_str_of(c->argv[1]), words, n);
	gv_printf(c->err, "\"%s\" is no %s", c->argv[1], c->argv[1][0] == '-' ? "option" : "command");
	if (near)
		gv_printf(c->err, "; did you mean %s?", near);
	else
		gv_puts(c->err, "; \"gpuvet --help\" lists them");
	return GV_EXIT_USAGE;
}

static int dispatch(struct gv_call *c, const char **ret_name)
{
	static char help[] = "--help";

	if (c->argc > 2 && strcmp(c->argv[1], "help") == 0) { /* "help COMMAND" is "COMMAND --help" */
		c->argv[1] = c->argv[2];
		c->argv[2] = help;
		c->argc = 3;
	}
	for (size_t i = 0; c->argc > 1 && i < COMMANDS; i++)
		if (strcmp(c->argv[1], commands[i].name) == 0) {
			*ret_name = commands[i].name;
			c->argc--;
			c->argv++;
			return commands[i].cmd->run(c);
		}
	return no_command(c);
}

int main(int argc, char **argv)
{
	struct gv_buf out = { 0 }, err = { 0 }, line = { 0 };
	struct gv_call c = { .argc = argc, .argv = argv, .out = &out, .err = &err };
	const char *name = NULL;
	int status, r = 0;

	gv_on_oom(out_of_memory);
	signal(SIGPIPE, SIG_IGN);
	c.arena = gv_arena_new();
	c.color = may_color();
	c.form.width = gv_term_width(STDOUT_FILENO);
	c.form.ascii = !gv_term_utf8();
	status = dispatch(&c, &name);
	if (err.n) {
		gv_printf(&line, "gpuvet%s%s: ", name ? " " : "", name ? name : "");
		gv_put_clean(&line, gv_buf_str(&err));
		gv_putc(&line, '\n');
		write_all(STDERR_FILENO, gv_buf_str(&line));
	}
	if (status < GV_EXIT_USAGE)
		r = write_all(STDOUT_FILENO, gv_buf_str(&out));
	if (r && r != -EPIPE) { /* a reader that has seen enough is no error */
		fprintf(stderr, "gpuvet: cannot write the output: %s\n", strerror(-r));
		status = GV_EXIT_INTERNAL;
	}
	gv_buf_free(&line);
	gv_buf_free(&err);
	gv_buf_free(&out);
	gv_arena_free(c.arena);
	return status;
}
