/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/feed.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

int64_t gv_fd_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

ssize_t gv_fd_some(int fd, char *p, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = read(fd, p + have, n - have);

		if (got > 0) {
			have += (size_t)got;
		} else if (got == 0) {
			break;
		} else if (errno == EAGAIN) {
			struct pollfd wait = { .fd = fd, .events = POLLIN };

			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return have ? (ssize_t)have : -errno;
		}
	}
	return (ssize_t)have;
}

ssize_t gv_fd_at(int fd, uint64_t at, char *p, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(fd, p + have, n - have, (off_t)(at + have));

		if (got > 0)
			have += (size_t)got;
		else if (got == 0)
			break;
		else if (errno != EINTR)
			return have ? (ssize_t)have : -errno;
	}
	return (ssize_t)have;
}

int gv_fd_take(int fd, size_t limit, char **ret_p, size_t *ret_n)
{
	size_t cap = *ret_n;

	while (*ret_n <= limit) {
		ssize_t got;

		if (*ret_n == cap) {
			char *p;

			cap = cap < 65536 ? 65536 : cap > limit / 2 ? limit + 1 : cap * 2;
			p = realloc(*ret_p, cap);
			if (!p)
				gv_oom();
			*ret_p = p;
		}
		got = gv_fd_some(fd, *ret_p + *ret_n, cap - *ret_n);
		if (got < 0)
			return (int)got;
		*ret_n += (size_t)got;
		if (*ret_n < cap)
			return 0;
	}
	return 1;
}

unsigned gv_processors(void)
{
	cpu_set_t set; /* of up to 1024: on a larger machine the call fails, and there are enough */

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return errno == EINVAL ? CPU_SETSIZE : 1;
	return CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
