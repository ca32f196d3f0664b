/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/mmap.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

int gv_map_file(int fd, uint64_t size, gv_str *ret)
{
	void *p;

	if (!size) {
		*ret = GV_NONE;
		return 0;
	}
	if (size > SIZE_MAX / 2)
		return -EFBIG;
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	madvise(p, (size_t)size, MADV_SEQUENTIAL);
	*ret = (gv_str){ p, (size_t)size };
	return 0;
}

void gv_unmap_file(gv_str bytes)
{
	if (bytes.n)
		munmap((void *)(uintptr_t)bytes.p, bytes.n);
}

static _Thread_local sigjmp_buf *back;

static void on_sigbus(int sig)
{
	if (back)
		siglongjmp(*back, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_sigbus(void)
{
	struct sigaction sa = { .sa_handler = on_sigbus };

	sigaction(SIGBUS, &sa, NULL);
}

int gv_map_guard(void (*fn)(void *ctx), void *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sigjmp_buf here;

	pthread_once(&once, catch_sigbus);
	if (sigsetjmp(here, 1)) {
		back = NULL;
		return -EIO;
	}
	back = &here;
	fn(ctx);
	back = NULL;
	return 0;
}
