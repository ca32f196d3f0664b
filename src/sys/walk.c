/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "sys/file.h"

struct walk {
	struct gv_walk_limits limits;
	size_t seen;
	struct gv_buf path; /* of the folder at hand, then of the entry */
	int (*fn)(void *ctx, const struct gv_walk_entry *e);
	void *ctx;
};

static int walk_dir(struct walk *w, int fd, unsigned depth, struct gv_arena *a);

static int by_name(const void *x, const void *y)
{
	return gv_cmp_natural(*(const gv_str *)x, *(const gv_str *)y);
}

/* The names in a folder, sorted. All are read, since which ones a walk with few members left sees shall not hang on the
 * file system's order; only a folder of millions is cut. Takes the descriptor. */
#define NAMES_MAX ((size_t)1 << 20)
static int names_of(struct walk *w, int fd, struct gv_arena *a, gv_str **ret, size_t *ret_n)
{
	GV_VEC(gv_str) names = { 0 };
	DIR *d = fdopendir(fd);
	struct dirent *e;
	int r = 0;

	if (!d) {
		r = -errno;
		if (errno == ENOMEM)
			gv_oom();
		close(fd);
		return r;
	}
	while (names.n < NAMES_MAX || names.n <= w->limits.members) {
		errno = 0;
		e = readdir(d);
		if (!e) {
			r = -errno;
			break;
		}
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			*gv_push(a, &names) = gv_dup(a, gv_str_of(e->d_name));
	}
	closedir(d);
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	*ret = names.v;
	*ret_n = names.n;
	return r;
}

static int report(struct walk *w, struct gv_walk_entry *e)
{
	if (w->seen == w->limits.members)
		return -E2BIG;
	w->seen++;
	gv_putc(&w->path, 0);
	w->path.n--;
	e->path = gv_buf_str(&w->path);
	return w->fn(w->ctx, e);
}

static int walk_entry(struct walk *w, int dirfd, const char *name, unsigned depth, struct gv_arena *a)
{
	struct gv_walk_entry e = { .kind = GV_WALK_OTHER, .dirfd = dirfd, .name = name };
	char target[PATH_MAX];
	struct stat st;
	int fd = -1, r;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		e.err = errno;
		return report(w, &e);
	}
	if (S_ISREG(st.st_mode)) {
		e.kind = GV_WALK_FILE;
		e.size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	} else if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(dirfd, name, target, sizeof(target));

		e.kind = GV_WALK_LINK;
		e.err = n < 0 ? errno : 0;
		e.link = (gv_str){ target, n < 0 ? 0 : (size_t)n };
	} else if (S_ISDIR(st.st_mode)) {
		e.kind = GV_WALK_DIR;
		if (depth >= w->limits.depth)
			e.err = E2BIG;
		else if ((fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
			e.err = errno;
	}
	r = report(w, &e);
	if (fd < 0)
		return r;
	if (r) {
		close(fd);
		return r;
	}
	return walk_dir(w, fd, depth + 1, a);
}

/* Takes the descriptor. */
static int walk_dir(struct walk *w, int fd, unsigned depth, struct gv_arena *a)
{
	struct gv_arena_mark mark = gv_arena_mark(a);
	size_t n = 0, base = w->path.n;
	gv_str *names = NULL;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* closedir() takes the other */
	int r;

	if (copy < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	r = names_of(w, copy, a, &names, &n);
	if (r) { /* what could be read of it follows all the same */
		struct gv_walk_entry e = { .kind = GV_WALK_DIR, .err = -r, .dirfd = fd, .name = "." };

		r = report(w, &e);
	}
	for (size_t i = 0; i < n && !r; i++) {
		if (base)
			gv_putc(&w->path, '/');
		gv_put(&w->path, names[i]);
		r = walk_entry(w, fd, names[i].p, depth, a);
		w->path.n = base;
	}
	gv_arena_reset(a, mark);
	close(fd);
	return r;
}

int gv_dir_walk(const char *path, struct gv_walk_limits limits, int (*fn)(void *ctx, const struct gv_walk_entry *e),
		void *ctx)
{
	struct walk w = { .limits = limits, .fn = fn, .ctx = ctx };
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
	struct gv_arena *a;
	int r;

	if (fd < 0)
		return -errno;
	if (w.limits.depth > GV_WALK_DEPTH_MAX)
		w.limits.depth = GV_WALK_DEPTH_MAX;
	a = gv_arena_new();
	r = walk_dir(&w, fd, 0, a);
	gv_arena_free(a);
	gv_buf_free(&w.path);
	return r;
}
