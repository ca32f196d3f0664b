/* SPDX-License-Identifier: Apache-2.0 */
#include "source/collect.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "source/source.h"
#include "sys/file.h"
#include "sys/process.h"

#define AT_A_TIME 4 /* commands: most of them wait */
#define OUTPUT_MAX ((size_t)8 << 20)
#define LOG_MAX ((size_t)32 << 20) /* of a larger log its end counts */

struct command {
	double timeout;
	const char *argv[12];
};

static const struct command commands[] = {
#define COMMAND(seconds, ...) { seconds, { __VA_ARGS__, NULL } },
#include "source/collect.def"
#undef COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

struct job {
	struct gv_process *p;
	int err;
	bool skipped, told;
};

/* As it would be typed. */
static gv_str typed(struct gv_arena *a, const struct command *c)
{
	gv_str s = GV_NONE;

	if (gv_is(gv_str_of(c->argv[0]), "sh"))
		return gv_str_of(c->argv[2]);
	for (size_t i = 0; c->argv[i]; i++)
		s = gv_fmt(a, "%.*s%s%s", GV_ARG(s), i ? " " : "", c->argv[i]);
	return s;
}

/* "commands/nvidia-smi_topo_-m.txt" */
static gv_str file_of(struct gv_arena *a, gv_str cmd)
{
	char *p = (char *)(uintptr_t)gv_dupz(a, cmd);

	for (size_t i = 0; i < cmd.n; i++)
		if (strchr(" /*:,", p[i]))
			p[i] = '_';
	return gv_fmt(a, "commands/%s.txt", p);
}

static void add_output(struct gv_run *run, const struct command *c, struct job *j, struct gv_buf *account)
{
	gv_str cmd = typed(run->arena, c);
	enum gv_process_state state = gv_process_poll(j->p, 0);
	bool cut;
	gv_str out = gv_process_output(j->p, &cut), name = file_of(run->arena, cmd);

	if (state == GV_PROCESS_ENDED) {
		gv_printf(account, "ran: %.*s: %.2f s, status %d, %zu bytes%s\n", GV_ARG(cmd), gv_process_seconds(j->p),
			  gv_process_status(j->p), out.n, cut ? ", cut" : "");
	} else {
		gv_printf(account, "ran: %.*s: no answer within %.0f s%s\n", GV_ARG(cmd), gv_process_seconds(j->p),
			  state == GV_PROCESS_STUCK ? ", and it cannot be ended" : "");
		gv_unread(run, name, gv_fmt(run->arena, "no answer within %.0f s", gv_process_seconds(j->p)));
	}
	if (out.n)
		gv_source_bytes(run, name, gv_fmt(run->arena, "$ %.*s\n%.*s", GV_ARG(cmd), GV_ARG(out)));
}

/* A tool that hung once is not asked again: its driver would hold one process more. */
static void skip_alike(struct job *jobs, size_t stuck)
{
	for (size_t i = stuck + 1; i < COMMANDS; i++)
		if (!jobs[i].p && !jobs[i].err && gv_is(gv_str_of(commands[i].argv[0]), commands[stuck].argv[0]))
			jobs[i].skipped = true;
}

/* Starts the next ones while there is room; true while some run or wait. */
static bool step(struct job *jobs, double patience, void (*said)(const char *))
{
	size_t running = 0;
	bool waiting = false;

	for (size_t i = 0; i < COMMANDS; i++) {
		struct job *j = &jobs[i];
		enum gv_process_state state;

		if (!j->p && !j->err && !j->skipped) {
			waiting |= running >= AT_A_TIME;
			if (running < AT_A_TIME)
				j->err = gv_process_start(commands[i].argv, commands[i].timeout * patience, OUTPUT_MAX,
							  &j->p);
		}
		if (!j->p || j->told)
			continue;
		state = gv_process_poll(j->p, running ? 0 : 0.02);
		j->told = state != GV_PROCESS_RUNS;
		running += !j->told;
		if (state == GV_PROCESS_RUNS && running == 1 && said)
			said(commands[i].argv[0]);
		if (state == GV_PROCESS_LATE || state == GV_PROCESS_STUCK)
			skip_alike(jobs, i);
	}
	return running || waiting;
}

void gv_collect_commands(struct gv_run *run, double patience, struct gv_buf *account, void (*said)(const char *what))
{
	struct job *jobs = GV_NEWN(run->arena, struct job, COMMANDS);

	while (step(jobs, patience, said))
		;
	for (size_t i = 0; i < COMMANDS; i++) {
		gv_str cmd = typed(run->arena, &commands[i]);

		if (jobs[i].p)
			add_output(run, &commands[i], &jobs[i], account);
		else
			gv_printf(account, "left out: %.*s: %s\n", GV_ARG(cmd),
				  jobs[i].skipped	   ? "the same tool hung before"
				  : jobs[i].err == -ENOENT ? "not installed"
							   : strerror(-jobs[i].err));
		gv_process_free(jobs[i].p);
	}
}

int gv_collect_log(struct gv_run *run, const char *path, struct gv_buf *account)
{
	size_t before = run->docs.n;
	bool cut = false;
	gv_str text;
	int r = gv_file_tail(path, LOG_MAX, run->arena, &text, &cut);

	if (r == -EISDIR) {
		r = gv_source_path(run, path);
	} else if (!r) {
		const char *slash = strrchr(path, '/');

		gv_source_bytes(run, gv_str_of(slash && slash[1] ? slash + 1 : path), text);
	}
	for (size_t i = before; i < run->docs.n; i++) {
		struct gv_doc *d = run->docs.v[i];

		d->name = gv_fmt(run->arena, "logs/%.*s", GV_ARG(d->name));
		gv_printf(account, "log: %.*s: %zu bytes%s\n", GV_ARG(d->name), d->text.n, cut ? ", its end" : "");
	}
	return r;
}
