/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "sys/clock.h"

#define PATIENCE 1.0 /* seconds that a killed process gets to go */
#define PLACES "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/rocm/bin:/usr/lib/wsl/lib"

struct gv_process {
	struct gv_buf out;
	size_t limit;
	bool cut;
	double began, ended, timeout;
	pid_t pid;
	int fd, status;
	enum gv_process_state state;
};

/* The first executable of that name in PATH, then in the usual places. */
static int find_program(const char *name, char *ret, size_t size)
{
	const char *path = getenv("PATH");
	gv_str lists[2] = { gv_str_of(path), GV_STR(PLACES) }, dir;

	for (int i = 0; i < 2; i++)
		while (gv_next(&lists[i], ':', &dir)) {
			if (!gv_starts(dir, "/"))
				continue;
			if ((size_t)snprintf(ret, size, "%.*s/%s", GV_ARG(dir), name) < size && !access(ret, X_OK))
				return 0;
		}
	return -ENOENT;
}

static _Noreturn void be_program(const char *program, const char *const *argv, int out)
{
	int null = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setenv("LC_ALL", "C", 1);
	unsetenv("COLUMNS");
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	close_range(3, ~0U, 0);
	execv(program, (char *const *)(uintptr_t)argv);
	_exit(127);
}

int gv_process_start(const char *const *argv, double timeout, size_t limit, struct gv_process **ret)
{
	char program[PATH_MAX];
	struct gv_process *p;
	int fd[2], r = find_program(argv[0], program, sizeof(program));
	pid_t pid;

	if (r)
		return r;
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (!pid)
		be_program(program, argv, fd[1]);
	r = -errno;
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return r;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		gv_oom();
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	*p = (struct gv_process){
		.limit = limit, .began = gv_clock_boot(), .timeout = timeout, .pid = pid, .fd = fd[0], .status = -1
	};
	*ret = p;
	return 0;
}

/* What there is to read; false at the end of the pipe. */
static bool take_in(struct gv_process *p)
{
	char bytes[16384];
	ssize_t got;

	while ((got = read(p->fd, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
		size_t room = p->limit - p->out.n, n = got > 0 ? (size_t)got : 0;

		p->cut |= n > room;
		gv_put(&p->out, (gv_str){ bytes, n < room ? n : room });
		if (p->cut)
			return true;
	}
	return got < 0 && errno == EAGAIN;
}

static bool reap(struct gv_process *p, double patience)
{
	double until = gv_clock_boot() + patience, nap = 0.0001;
	int status;
	pid_t r;

	while ((r = waitpid(p->pid, &status, WNOHANG)) == 0 || (r < 0 && errno == EINTR)) {
		if (gv_clock_boot() >= until)
			return false;
		gv_clock_sleep(nap);
		nap = nap < 0.005 ? 2 * nap : nap; /* most are gone at once */
	}
	if (r == p->pid)
		p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

static enum gv_process_state finish(struct gv_process *p, enum gv_process_state state)
{
	close(p->fd);
	p->fd = -1;
	p->ended = gv_clock_boot();
	return p->state = state;
}

static enum gv_process_state end_it(struct gv_process *p, enum gv_process_state state)
{
	kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL);
	return finish(p, reap(p, PATIENCE) ? state : GV_PROCESS_STUCK);
}

enum gv_process_state gv_process_poll(struct gv_process *p, double wait)
{
	struct pollfd fd = { .fd = p->fd, .events = POLLIN };
	double left;
	bool open;

	if (p->state != GV_PROCESS_RUNS)
		return p->state;
	left = p->began + p->timeout - gv_clock_boot();
	if (wait > left)
		wait = left > 0 ? left : 0;
	poll(&fd, 1, (int)(wait * 1000));
	open = take_in(p);
	if (p->cut) /* it would print on; what there is is all that is kept */
		return end_it(p, GV_PROCESS_ENDED);
	if (!open && reap(p, p->began + p->timeout - gv_clock_boot()))
		return finish(p, GV_PROCESS_ENDED);
	if (!open || gv_clock_boot() >= p->began + p->timeout)
		return end_it(p, GV_PROCESS_LATE);
	return GV_PROCESS_RUNS;
}

gv_str gv_process_output(const struct gv_process *p, bool *ret_cut)
{
	*ret_cut = p->cut;
	return gv_buf_str(&p->out);
}

int gv_process_status(const struct gv_process *p)
{
	return p->status;
}

double gv_process_seconds(const struct gv_process *p)
{
	return (p->state == GV_PROCESS_RUNS ? gv_clock_boot() : p->ended) - p->began;
}

void gv_process_free(struct gv_process *p)
{
	if (!p)
		return;
	if (p->state == GV_PROCESS_RUNS)
		end_it(p, GV_PROCESS_LATE);
	gv_buf_free(&p->out);
	free(p);
}
