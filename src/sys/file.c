/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_mode(mode_t mode)
{
	return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? -EISDIR : S_ISLNK(mode) ? -ELOOP : -ENOTSUP;
}

/* Looks before it opens, since opening a device can already wake it; looks again, since the file may have changed. */
static int open_at(int dirfd, const char *name, bool follow)
{
	struct stat st;
	int fd, r;

	if (fstatat(dirfd, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	r = check_mode(st.st_mode);
	if (r)
		return r;
	fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return -errno;
	r = fstat(fd, &st) < 0 ? -errno : check_mode(st.st_mode);
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

int gv_file_open(const char *path)
{
	return open_at(AT_FDCWD, path, true);
}

int gv_file_open_at(int dirfd, const char *name)
{
	return open_at(dirfd, name, false);
}

struct bytes {
	char *p;
	size_t n, cap;
	bool heap; /* else in the arena */
};

static void grow(struct bytes *b, size_t limit)
{
	size_t cap = b->cap > limit / 2 ? limit + 1 : b->cap * 2;
	char *p = realloc(b->heap ? b->p : NULL, cap + 1);

	if (!p)
		gv_oom();
	if (!b->heap)
		memcpy(p, b->p, b->n);
	b->p = p;
	b->cap = cap;
	b->heap = true;
}

/* Up to the end or one byte above the limit; 0 or -errno. */
static int fill(int fd, size_t limit, bool wait, struct bytes *b)
{
	while (b->n <= limit) {
		ssize_t got;

		if (b->n == b->cap)
			grow(b, limit);
		got = read(fd, b->p + b->n, b->cap - b->n);
		if (got > 0) {
			b->n += (size_t)got;
		} else if (got == 0) {
			return 0;
		} else if (errno == EAGAIN && wait) {
			struct pollfd p = { .fd = fd, .events = POLLIN };

			poll(&p, 1, -1);
		} else if (errno == EAGAIN && b->n) { /* /proc/kmsg and the like: that was all for now */
			return 0;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return -EFBIG;
}

static int slurp(int fd, size_t hint, size_t limit, bool wait, struct gv_arena *a, gv_str *ret)
{
	struct bytes b = { 0 };
	int r;

	if (limit > SIZE_MAX / 4)
		limit = SIZE_MAX / 4;
	b.cap = (hint < limit ? hint : limit) + 1; /* one more, to see the end */
	if (b.cap < 4096)
		b.cap = 4096;
	b.p = gv_alloc(a, b.cap + 1);
	r = fill(fd, limit, wait, &b);
	if (!r) {
		gv_str s = { b.p, b.n };

		if (b.heap)
			s = gv_dup(a, s);
		else
			b.p[b.n] = 0;
		*ret = s;
	}
	if (b.heap)
		free(b.p);
	return r;
}

static int read_and_close(int fd, size_t limit, struct gv_arena *a, gv_str *ret)
{
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (st.st_size > 0 && (uint64_t)st.st_size > limit && st.st_blocks)
		r = -EFBIG; /* blocks: sizes in /sys are only upper bounds */
	else
		r = slurp(fd, st.st_blocks ? (size_t)st.st_size : 0, limit, false, a, ret);
	close(fd);
	return r;
}

int gv_file_read(const char *path, size_t limit, struct gv_arena *a, gv_str *ret)
{
	return read_and_close(gv_file_open(path), limit, a, ret);
}

int gv_file_head(const char *path, size_t n, struct gv_arena *a, gv_str *ret)
{
	int fd = gv_file_open(path);
	char *p = fd < 0 ? NULL : gv_alloc(a, n);
	ssize_t got = fd < 0 ? 0 : pread(fd, p, n, 0);
	int status = fd < 0 ? fd : got < 0 ? -errno : 0;

	gv_fd_close(fd);
	if (!status)
		*ret = (gv_str){ p, (size_t)got };
	return status;
}

int gv_file_read_at(int dirfd, const char *name, size_t limit, struct gv_arena *a, gv_str *ret)
{
	return read_and_close(gv_file_open_at(dirfd, name), limit, a, ret);
}

int gv_fd_read(int fd, size_t limit, struct gv_arena *a, gv_str *ret)
{
	return slurp(fd, (size_t)64 << 10, limit, true, a, ret);
}

bool gv_stdin_waits(void)
{
	struct stat st;
	int n = 0;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) && !ioctl(STDIN_FILENO, FIONREAD, &n) && n > 0;
}

int gv_pipe_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), flags;
	struct stat st;

	if (fd < 0)
		return -errno;
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode) || flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) {
		close(fd);
		return -ENOTSUP;
	}
	return fd;
}

void gv_fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int gv_write_all(int fd, gv_str s)
{
	while (s.n) {
		ssize_t put = write(fd, s.p, s.n);

		if (put >= 0) {
			s = gv_from(s, (size_t)put);
		} else if (errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			poll(&p, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* The draft that goes where the program is ended: nothing of it is left behind. */
static const char *volatile unfinished;
static volatile pid_t unfinished_by;

void gv_newfile_abandon(void)
{
	if (unfinished && getpid() == unfinished_by) /* not in a child */
		unlink(unfinished);
}

static void on_end(int sig)
{
	gv_newfile_abandon();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Signals that are ignored, as under nohup, stay so. */
static void guard(const char *draft)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction is;

	unfinished_by = getpid();
	unfinished = draft;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &is) && is.sa_handler != SIG_IGN)
			signal(ends[i], draft ? on_end : SIG_DFL);
}

int gv_newfile_open(struct gv_newfile *f, const char *path)
{
	struct stat st;

	*f = (struct gv_newfile){ .fd = -1, .path = strdup(path) };
	if (!f->path)
		return -ENOMEM;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return f->fd < 0 ? -errno : 0;
	}
	if (asprintf(&f->draft, "%s.%ld.part", path, (long)getpid()) < 0) {
		f->draft = NULL;
		return -ENOMEM;
	}
	guard(f->draft);
	f->fd = open(f->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0) {
		int r = -errno;

		guard(NULL);
		return r;
	}
	return 0;
}

int gv_newfile_close(struct gv_newfile *f, int r)
{
	if (f->fd >= 0 && close(f->fd) < 0 && !r)
		r = -errno;
	if (f->draft && f->fd >= 0) {
		if (!r && rename(f->draft, f->path) < 0)
			r = -errno;
		if (r)
			unlink(f->draft);
		guard(NULL);
	}
	free(f->path);
	free(f->draft);
	*f = (struct gv_newfile){ .fd = -1 };
	return r;
}

int gv_file_tail(const char *path, size_t limit, struct gv_arena *a, gv_str *ret, bool *ret_cut)
{
	int fd = gv_file_open(path), r;
	struct stat st;
	gv_str s;

	if (fd < 0)
		return fd;
	r = fstat(fd, &st) < 0 ? -errno : 0;
	*ret_cut = !r && st.st_size > 0 && (uint64_t)st.st_size > limit;
	if (*ret_cut && lseek(fd, st.st_size - (off_t)limit, SEEK_SET) < 0)
		r = -errno;
	if (!r) /* it may grow while it is read */
		r = slurp(fd, *ret_cut ? limit : (size_t)st.st_size, limit + (limit >> 3), false, a, &s);
	close(fd);
	if (r)
		return r;
	*ret = *ret_cut && gv_has(s, "\n") ? gv_after(s, "\n") : s;
	return 0;
}
