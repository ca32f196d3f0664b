/* SPDX-License-Identifier: Apache-2.0 */
/* The helper writes lines to a pipe: "?SCOPE s CALL" before a call ("s": setup, "o": once), "=LINE" with its answer,
 * ":LINE" for a line of its own, "z" before it waits for a tick, "." at its end. */
#include "sys/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/map.h"
#include "sys/clock.h"

#define LINE_MAX_ 4096		    /* bytes of a line that a helper tells */
#define TEXT_MAX ((size_t)32 << 20) /* of a transcript; beyond it the look ends */
#define HELPERS_MAX 64		    /* in one look: each but the first cost a device */
#define PATIENCE 1.0		    /* seconds that a killed process gets to go */

struct gv_helper {
	struct gv_helper_job job;
	struct gv_arena *arena;
	struct gv_buf text, in; /* the transcript; what came of a line that is not whole yet */
	struct gv_map told;	/* calls with an answer, and lines told */
	bool barred[GV_SCOPES_MAX];
	bool barred_all;
	gv_str asked; /* the call that is being made; empty where none is */
	int scope;
	bool setup;	   /* it is one that others rest on */
	bool idle, ended; /* it waits for a tick; it said that it is done */
	double since;	  /* last sign of life */
	pid_t pid;
	int fd;
	unsigned helpers, stuck;
	enum gv_helper_state state;
};

struct gv_teller {
	const struct gv_helper *h;
	int fd;
	char call[LINE_MAX_];
	double tick; /* the last one; 0 before the first */
	char stamp[40];
};

/* ---- the helper's side ---- */

static void say(struct gv_teller *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct gv_teller *t, const char *fmt, ...)
{
	char line[LINE_MAX_ + 64];
	size_t n;
	va_list ap;

	va_start(ap, fmt);
	n = (size_t)vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	for (size_t i = 0; i < n; i++) /* one line, whatever a library put into it */
		if ((unsigned char)line[i] < ' ')
			line[i] = line[i] == '\t' ? ' ' : '?';
	line[n++] = '\n';
	for (size_t done = 0; done < n;) {
		ssize_t put = write(t->fd, line + done, n - done);

		if (put > 0)
			done += (size_t)put;
		else if (errno != EINTR)
			_exit(1); /* nobody listens any more */
	}
}

static bool barred(const struct gv_helper *h, int scope)
{
	return h->barred_all || (scope >= 0 && (scope >= GV_SCOPES_MAX || h->barred[scope]));
}

static bool ask(struct gv_teller *t, int scope, bool setup, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
static bool ask(struct gv_teller *t, int scope, bool setup, const char *fmt, va_list ap)
{
	size_t stamp = strlen(t->stamp);

	memcpy(t->call, t->stamp, stamp);
	vsnprintf(t->call + stamp, sizeof(t->call) - stamp, fmt, ap);
	if (barred(t->h, scope))
		return false;
	if (!setup && gv_map_get(&t->h->told, gv_str_of(t->call)))
		return false;
	say(t, "?%d %c %s", scope, setup ? 's' : 'o', t->call);
	return true;
}

bool gv_ask(struct gv_teller *t, int scope, const char *fmt, ...)
{
	va_list ap;
	bool go;

	va_start(ap, fmt);
	go = ask(t, scope, false, fmt, ap);
	va_end(ap);
	return go;
}

bool gv_ask_setup(struct gv_teller *t, int scope, const char *fmt, ...)
{
	va_list ap;
	bool go;

	va_start(ap, fmt);
	go = ask(t, scope, true, fmt, ap);
	va_end(ap);
	return go;
}

void gv_answer(struct gv_teller *t, const char *fmt, ...)
{
	char text[LINE_MAX_];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(t, "=%s%s", t->call, text);
}

void gv_more(struct gv_teller *t, gv_str line)
{
	say(t, "+%.*s", GV_ARG(gv_sub(line, 0, LINE_MAX_ - 2)));
}

void gv_answer_none(struct gv_teller *t)
{
	say(t, "~");
}

void gv_tell(struct gv_teller *t, const char *fmt, ...)
{
	char text[LINE_MAX_];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(t, ":%s", text);
}

bool gv_tick(struct gv_teller *t)
{
	const struct gv_helper_job *job = &t->h->job;
	double next = t->tick > 0 ? t->tick + job->every : 0, now = gv_clock_boot();

	if (t->tick > 0 && (next > job->until || now > job->until))
		return false;
	say(t, "z");
	for (; now < next; now = gv_clock_boot())
		gv_clock_sleep(next - now);
	t->tick = now;
	snprintf(t->stamp, sizeof(t->stamp), "@%.3f ", now);
	return true;
}

/* All open files but the standard ones and these two. */
static void close_others(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	if (low > 3)
		close_range(3, (unsigned)low - 1, 0);
	if (high > 3 && high > low + 1)
		close_range((unsigned)(low < 2 ? 2 : low) + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0U, 0);
}

/* The helper is a copy of this process: it gives up what is not its own, and shows no trace of itself but its pipe. */
static _Noreturn void be_helper(struct gv_helper *h, int fd, pid_t parent)
{
	struct gv_teller t = { .h = h, .fd = fd };
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (int i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	close_others(fd, h->job.keep);
	h->job.work(&t, h->job.ctx);
	say(&t, ".");
	_exit(0);
}

/* ---- the other side ---- */

static int start(struct gv_helper *h)
{
	pid_t self = getpid(), pid;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	h->asked = GV_NONE;
	h->in.n = 0;
	h->ended = h->idle = false;
	h->since = gv_clock_boot();
	pid = fork();
	if (pid < 0) {
		int r = -errno;

		close(fd[0]);
		close(fd[1]);
		return r;
	}
	if (!pid) {
		if (fd[1] < 3) /* a caller with closed standard files */
			fd[1] = fcntl(fd[1], F_DUPFD, 3);
		be_helper(h, fd[1], self);
	}
	close(fd[1]);
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	h->fd = fd[0];
	h->pid = pid;
	h->helpers++;
	return 0;
}

int gv_helper_start(const struct gv_helper_job *job, struct gv_helper **ret)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_helper *h = GV_NEW(a, struct gv_helper);
	int r;

	h->arena = a;
	h->job = *job;
	h->told.arena = a;
	h->fd = -1;
	r = start(h);
	if (r) {
		gv_arena_free(a);
		return r;
	}
	*ret = h;
	return 0;
}

static void add_line(struct gv_helper *h, gv_str line)
{
	if (h->text.n + line.n + 1 > TEXT_MAX) {
		h->barred_all = true;
		return;
	}
	gv_put(&h->text, line);
	gv_putc(&h->text, '\n');
}

/* True where it was new. */
static bool remember(struct gv_helper *h, gv_str line)
{
	void **slot = gv_map_put(&h->told, gv_dup(h->arena, line));

	if (*slot)
		return false;
	*slot = h;
	return true;
}

static void take_question(struct gv_helper *h, gv_str line)
{
	gv_str scope = gv_before(line, " "), rest = gv_after(line, " ");
	double n = GV_SCOPE_ALL;

	gv_to_num(scope, &n);
	h->scope = n < 0 || n >= GV_SCOPES_MAX ? GV_SCOPE_ALL : (int)n;
	h->setup = gv_starts(rest, "s");
	h->asked = gv_dup(h->arena, gv_from(rest, 2));
	h->idle = false;
}

/* Calls that are sampled are not remembered: each is asked at many moments. */
static void take_answer(struct gv_helper *h, gv_str line)
{
	if ((gv_starts(line, "@") || remember(h, h->asked)) && line.n)
		add_line(h, line);
	h->asked = GV_NONE;
}

static void take_line(struct gv_helper *h, gv_str line)
{
	gv_str rest = gv_from(line, 1);

	if (!line.n)
		return;
	switch (line.p[0]) {
	case '?':
		take_question(h, rest);
		break;
	case '=':
		take_answer(h, rest);
		break;
	case '~':
		take_answer(h, GV_NONE);
		break;
	case '+':
		if (!gv_map_get(&h->told, h->asked))
			add_line(h, rest);
		break;
	case ':':
		if (remember(h, rest))
			add_line(h, rest);
		break;
	case 'z':
		h->idle = true;
		break;
	case '.':
		h->ended = true;
		break;
	}
}

/* What there is in the pipe; false at its end. */
static bool take_in(struct gv_helper *h)
{
	char bytes[16384];
	ssize_t got;

	while ((got = read(h->fd, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
		gv_str rest;
		ptrdiff_t end;

		if (got < 0)
			continue;
		h->since = gv_clock_boot();
		gv_put(&h->in, (gv_str){ bytes, (size_t)got });
		rest = gv_buf_str(&h->in);
		while ((end = gv_find_c(rest, '\n')) >= 0) {
			take_line(h, gv_sub(rest, 0, (size_t)end));
			rest = gv_from(rest, (size_t)end + 1);
		}
		if (rest.n)
			memmove(h->in.p, rest.p, rest.n);
		h->in.n = rest.n < LINE_MAX_ * 2 ? rest.n : 0;
	}
	return got < 0 && errno == EAGAIN;
}

/* Ends the process and takes its status; false where it does not go: it waits in the kernel. */
static bool end_process(struct gv_helper *h, bool kill_it, int *ret_status)
{
	double give_up = gv_clock_boot() + PATIENCE, nap = 0.0001;
	pid_t r;

	if (kill_it) {
		kill(-h->pid, SIGKILL);
		kill(h->pid, SIGKILL);
	}
	while ((r = waitpid(h->pid, ret_status, WNOHANG)) == 0 || (r < 0 && errno == EINTR)) {
		if (gv_clock_boot() > give_up) {
			if (kill_it)
				return false;
			kill(h->pid, SIGKILL); /* it closed its pipe and stays: no helper does that by itself */
			kill_it = true;
			give_up += PATIENCE;
		}
		gv_clock_sleep(nap);
		nap = nap < 0.005 ? 2 * nap : nap; /* most are gone at once */
	}
	return true;
}

static void close_pipe(struct gv_helper *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
}

/* The call that was being made gets a line, its scope no further call. */
static void bar(struct gv_helper *h, gv_str line)
{
	add_line(h, line);
	if (h->asked.n)
		remember(h, h->asked);
	if (h->asked.n && h->scope >= 0)
		h->barred[h->scope] = true;
	else
		h->barred_all = true;
}

static gv_str how_it_ended(struct gv_helper *h, int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	gv_str call = h->asked.n ? h->asked : GV_STR("helper process");

	if (sig)
		return gv_fmt(h->arena, "%.*s: ended the process (signal %d, %s)", GV_ARG(call), sig, strsignal(sig));
	return gv_fmt(h->arena, "%.*s: ended the process (exit status %d)", GV_ARG(call),
		      WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static enum gv_helper_state next_one(struct gv_helper *h)
{
	if (h->barred_all || h->helpers >= HELPERS_MAX || start(h))
		h->state = GV_HELPER_DONE;
	return h->state;
}

static enum gv_helper_state after_end(struct gv_helper *h)
{
	int status = 0;

	close_pipe(h);
	if (!end_process(h, false, &status)) {
		h->stuck++;
		return h->state = GV_HELPER_STUCK;
	}
	if (h->ended)
		return h->state = GV_HELPER_DONE;
	bar(h, how_it_ended(h, status));
	return next_one(h);
}

/* Seconds that the call may take. */
static double patience(const struct gv_helper *h)
{
	return h->setup && h->asked.n && h->job.setup > h->job.timeout ? h->job.setup : h->job.timeout;
}

static enum gv_helper_state after_silence(struct gv_helper *h)
{
	int status;

	bar(h, gv_fmt(h->arena, "%.*s: no answer within %g s", GV_ARG(h->asked.n ? h->asked : GV_STR("helper process")),
		      patience(h)));
	close_pipe(h);
	if (!end_process(h, true, &status)) {
		add_line(h, GV_STR("helper process: cannot be ended, the kernel holds it"));
		h->stuck++;
		return h->state = GV_HELPER_STUCK;
	}
	return next_one(h);
}

enum gv_helper_state gv_helper_poll(struct gv_helper *h, double wait)
{
	double now = gv_clock_boot();
	double silent = h->since + patience(h);
	struct pollfd p = { .fd = h->fd, .events = POLLIN };

	if (h->state != GV_HELPER_RUNS)
		return h->state;
	if (now + wait > silent && !h->idle)
		wait = silent > now ? silent - now + 0.001 : 0;
	poll(&p, 1, wait > 0 ? (int)(wait * 1000) + 1 : 0);
	if (!take_in(h))
		return after_end(h);
	if (!h->idle && gv_clock_boot() - h->since >= patience(h))
		return after_silence(h);
	if (h->barred_all) { /* it told too much */
		int status;

		close_pipe(h);
		h->state = end_process(h, true, &status) ? GV_HELPER_DONE : GV_HELPER_STUCK;
	}
	return h->state;
}

gv_str gv_helper_text(const struct gv_helper *h)
{
	return gv_buf_str(&h->text);
}

unsigned gv_helper_stuck(const struct gv_helper *h)
{
	return h->stuck;
}

void gv_helper_free(struct gv_helper *h)
{
	int status;

	if (!h)
		return;
	if (h->state == GV_HELPER_RUNS) {
		close_pipe(h);
		end_process(h, true, &status);
	}
	gv_buf_free(&h->text);
	gv_buf_free(&h->in);
	gv_arena_free(h->arena);
}
