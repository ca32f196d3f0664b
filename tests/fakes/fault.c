/* SPDX-License-Identifier: Apache-2.0 */
/* A preloaded library in which one call of a kind fails: tests/cli/test_faults.py.
 *
 * FAULT=KIND:N:HOW  the N-th call of that kind, from 1, does HOW, an error number or
 *                     0      all calls from the N-th on move one byte only (read, write)
 *                     -1     all calls from the N-th on see the end (read)
 * FAULT_TOLD=FILE   gets a line when it happened
 *
 * Kinds: alloc (malloc, calloc, realloc), own (the same, called by the program itself and no library), read (read,
 * pread), write, open (open, openat, fdopendir), stat (fstat, fstatat), dir (readdir), thread (pthread_create). */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NONE, ALLOC, OWN, READ, WRITE, OPEN, STAT, DIRECTORY, THREAD };
static const char *const names[] = { "", "alloc", "own", "read", "write", "open", "stat", "dir", "thread" };

static enum kind kind;
static long at, how, calls;
static const char *told;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

__attribute__((constructor)) static void begin(void)
{
	const char *s = getenv("FAULT");
	size_t i = sizeof(names) / sizeof(names[0]);

	told = getenv("FAULT_TOLD");
	unsetenv("FAULT"); /* not in what this process starts */
	unsetenv("LD_PRELOAD");
	if (!s)
		return;
	while (--i && (strncmp(s, names[i], strlen(names[i])) != 0 || s[strlen(names[i])] != ':'))
		;
	s += strlen(names[i]) + 1;
	at = strtol(s, (char **)&s, 10);
	how = *s ? strtol(s + 1, NULL, 10) : 0;
	kind = (enum kind)i;
}

/* Without a call that could be one of those that fail. */
static void tell(void)
{
	long fd = told ? syscall(SYS_openat, AT_FDCWD, told, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return;
	syscall(SYS_write, fd, "1\n", 2);
	syscall(SYS_close, fd);
}

/* Whether this call is to go wrong; errno is set then. */
static int wrong(enum kind k)
{
	long n;

	if (k != kind)
		return 0;
	n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (how <= 0 ? n < at : n != at)
		return 0;
	if (n == at)
		tell();
	errno = how > 0 ? (int)how : 0;
	return 1;
}

#define NEXT(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

static int by_program(const void *caller)
{
	static const void *base;
	Dl_info info;

	if (kind != OWN)
		return 0;
	if (!base && dladdr((void *)getauxval(AT_ENTRY), &info))
		base = info.dli_fbase;
	return dladdr(caller, &info) && info.dli_fbase == base;
}

static int no_memory(const void *caller)
{
	return wrong(ALLOC) || (by_program(caller) && wrong(OWN));
}

void *malloc(size_t n)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

ssize_t read(int fd, void *p, size_t n)
{
	if (!wrong(READ))
		return NEXT(read)(fd, p, n);
	return how > 0 ? -1 : how < 0 || !n ? 0 : NEXT(read)(fd, p, 1);
}

ssize_t pread(int fd, void *p, size_t n, off_t from)
{
	if (!wrong(READ))
		return NEXT(pread)(fd, p, n, from);
	return how > 0 ? -1 : how < 0 || !n ? 0 : NEXT(pread)(fd, p, 1, from);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t from)
{
	return pread(fd, p, n, from);
}

ssize_t write(int fd, const void *p, size_t n)
{
	if (!wrong(WRITE))
		return NEXT(write)(fd, p, n);
	return how > 0 ? -1 : NEXT(write)(fd, p, n ? 1 : 0);
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPEN_LIKE(f)                                                                                                   \
	int f(const char *path, int flags, ...)                                                                        \
	{                                                                                                              \
		va_list ap;                                                                                            \
		mode_t mode;                                                                                           \
                                                                                                                       \
		va_start(ap, flags);                                                                                   \
		mode = mode_of(flags, ap);                                                                             \
		va_end(ap);                                                                                            \
		return wrong(OPEN) ? -1 : NEXT(f)(path, flags, mode);                                                  \
	}
OPEN_LIKE(open)
OPEN_LIKE(open64)

#define OPENAT_LIKE(f)                                                                                                 \
	int f(int dir, const char *path, int flags, ...)                                                               \
	{                                                                                                              \
		va_list ap;                                                                                            \
		mode_t mode;                                                                                           \
                                                                                                                       \
		va_start(ap, flags);                                                                                   \
		mode = mode_of(flags, ap);                                                                             \
		va_end(ap);                                                                                            \
		return wrong(OPEN) ? -1 : NEXT(f)(dir, path, flags, mode);                                             \
	}
OPENAT_LIKE(openat)
OPENAT_LIKE(openat64)

/* What the compiler makes of these calls where it checks them. */
#define CHECKED(f, plain)                                                                                              \
	int f(const char *path, int flags);                                                                            \
	int f(const char *path, int flags)                                                                             \
	{                                                                                                              \
		return plain(path, flags);                                                                             \
	}
CHECKED(__open_2, open)
CHECKED(__open64_2, open64)

#define CHECKED_AT(f, plain)                                                                                           \
	int f(int dir, const char *path, int flags);                                                                   \
	int f(int dir, const char *path, int flags)                                                                    \
	{                                                                                                              \
		return plain(dir, path, flags);                                                                        \
	}
CHECKED_AT(__openat_2, openat)
CHECKED_AT(__openat64_2, openat64)

ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
	return n > room ? -1 : read(fd, p, n);
}

ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t from, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t from, size_t room)
{
	return n > room ? -1 : pread64(fd, p, n, from);
}

DIR *fdopendir(int fd)
{
	return wrong(OPEN) ? NULL : NEXT(fdopendir)(fd);
}

int fstat(int fd, struct stat *st)
{
	return wrong(STAT) ? -1 : NEXT(fstat)(fd, st);
}

int fstat64(int fd, struct stat64 *st)
{
	return wrong(STAT) ? -1 : NEXT(fstat64)(fd, st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return wrong(STAT) ? -1 : NEXT(fstatat)(dir, path, st, flags);
}

int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return wrong(STAT) ? -1 : NEXT(fstatat64)(dir, path, st, flags);
}

struct dirent *readdir(DIR *d)
{
	return wrong(DIRECTORY) ? NULL : NEXT(readdir)(d);
}

struct dirent64 *readdir64(DIR *d)
{
	return wrong(DIRECTORY) ? NULL : NEXT(readdir64)(d);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *ctx)
{
	return wrong(THREAD) ? errno : NEXT(pthread_create)(id, attr, run, ctx);
}
