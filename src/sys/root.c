/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "sys/file.h"

#define NAMES_MAX 65536

struct gv_root {
	int fd; /* -1: this machine */
};

int gv_root_open(const char *dir, struct gv_arena *a, struct gv_root **ret)
{
	struct gv_root *r = GV_NEW(a, struct gv_root);
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	long probe;

	r->fd = -1;
	if (dir && !gv_is(gv_str_of(dir), "/")) {
		r->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (r->fd < 0)
			return -errno;
		probe = syscall(SYS_openat2, r->fd, ".", &how, sizeof(how));
		if (probe < 0) {
			int err = errno;

			close(r->fd);
			return -err;
		}
		close((int)probe);
	}
	*ret = r;
	return 0;
}

void gv_root_close(struct gv_root *r)
{
	if (r && r->fd >= 0)
		close(r->fd);
}

int gv_root_fd(const struct gv_root *r)
{
	return r->fd < 0 ? 0 : r->fd;
}

bool gv_root_recorded(const struct gv_root *r)
{
	return r->fd >= 0;
}

/* The descriptor or -errno. */
static int open_below(const struct gv_root *r, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)flags | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = r->fd < 0 ? open(path, flags | O_CLOEXEC) : syscall(SYS_openat2, r->fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int gv_root_read(const struct gv_root *r, const char *path, size_t limit, struct gv_arena *a, gv_str *ret)
{
	int look = open_below(r, path, O_PATH), fd, err;
	struct stat st;

	if (look < 0)
		return look;
	/* looked at before it is opened: opening a device can wake it, and a FIFO would wait */
	err = fstat(look, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	close(look);
	if (err)
		return err;
	fd = open_below(r, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	err = gv_fd_read(fd, limit, a, ret);
	close(fd);
	return err;
}

static int by_name(const void *x, const void *y)
{
	return gv_cmp_natural(*(const gv_str *)x, *(const gv_str *)y);
}

int gv_root_list(const struct gv_root *r, const char *path, struct gv_arena *a, gv_str **ret, size_t *ret_n)
{
	int fd = open_below(r, path, O_RDONLY | O_DIRECTORY);
	GV_VEC(gv_str) names = { 0 };
	struct dirent *e;
	DIR *d;
	int err = 0;

	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		err = -errno;
		close(fd);
		return err;
	}
	while (names.n < NAMES_MAX) {
		errno = 0;
		e = readdir(d);
		if (!e) {
			err = -errno;
			break;
		}
		if (e->d_name[0] != '.')
			*gv_push(a, &names) = gv_dup(a, gv_str_of(e->d_name));
	}
	closedir(d);
	if (err)
		return err;
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	*ret = names.v;
	*ret_n = names.n;
	return 0;
}

int gv_root_link(const struct gv_root *r, const char *path, struct gv_arena *a, gv_str *ret)
{
	char target[PATH_MAX];
	int fd = open_below(r, path, O_PATH | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = readlinkat(fd, "", target, sizeof(target));
	if (n < 0) {
		int err = errno;

		close(fd);
		return err == ENOENT ? -EINVAL : -err;
	}
	close(fd);
	*ret = gv_dup(a, (gv_str){ target, (size_t)n });
	return 0;
}

/* One read() gives one record; EPIPE says that some were overwritten before they could be read. */
static int read_records(int fd, size_t limit, struct gv_buf *b)
{
	char record[8192];

	for (;;) {
		ssize_t n = read(fd, record, sizeof(record));

		if (n > 0)
			gv_put(b, (gv_str){ record, (size_t)n });
		else if (n == 0 || errno == EAGAIN)
			return 0;
		else if (errno != EINTR && errno != EPIPE)
			return -errno;
		if (b->n > limit) { /* the kernel's buffer may be larger: its older half goes */
			gv_str late = gv_from(gv_buf_str(b), b->n - limit / 2);
			ptrdiff_t line = gv_find_c(late, '\n');

			late = line < 0 ? late : gv_from(late, (size_t)line + 1);
			memmove(b->p, late.p, late.n);
			b->n = late.n;
		}
	}
}

int gv_root_kmsg(const struct gv_root *r, size_t limit, struct gv_arena *a, gv_str *ret)
{
	struct gv_buf b = { 0 };
	int fd, err;

	if (gv_root_recorded(r))
		return gv_root_read(r, "/dev/kmsg", limit, a, ret);
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	err = read_records(fd, limit, &b);
	close(fd);
	if (!err)
		*ret = gv_dup(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return err;
}
