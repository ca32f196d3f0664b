/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sys/file.h"

static char root[64];

static void is_text(gv_str got, const char *want)
{
	if (!gv_is(got, want))
		fail_msg("got \"%.*s\", want \"%s\"", GV_ARG(got), want);
}

static const char *in_root(const char *name)
{
	static char path[4][512];
	static unsigned at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", root, name);
	return path[at];
}

static void write_file(const char *name, const char *text)
{
	int fd = open(in_root(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(gv_write_all(fd, gv_str_of(text)), 0);
	close(fd);
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/gpuvet-test-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	mkdir(in_root("d"), 0700);
	mkdir(in_root("d/e"), 0700);
	write_file("gpu10", "ten");
	write_file("gpu2", "two");
	write_file("d/e/deep", "deep");
	if (symlink("gpu2", in_root("link")) || symlink("..", in_root("d/up")) || mkfifo(in_root("pipe"), 0600))
		return -1;
	return 0;
}

static int drop_root(void **state)
{
	static const char *const names[] = { "d/up", "d/e/deep", "d/e", "d", "gpu10", "gpu2", "link", "pipe", "big" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		remove(in_root(names[i]));
	return rmdir(root);
}

/* file */

static void file_reads(void **state)
{
	struct gv_arena *a = gv_arena_new();
	gv_str s = GV_STR("before");
	int dir = open(root, O_RDONLY | O_DIRECTORY), fd;

	(void)state;
	assert_int_equal(gv_file_read(in_root("link"), 3, a, &s), 0);
	is_text(s, "two");
	assert_int_equal(s.p[3], 0);
	assert_int_equal(gv_file_read(in_root("gpu2"), 2, a, &s), -EFBIG);
	assert_int_equal(gv_file_read(in_root("none"), 9, a, &s), -ENOENT);
	assert_int_equal(gv_file_read(in_root("d"), 9, a, &s), -EISDIR);
	assert_int_equal(gv_file_read(in_root("pipe"), 9, a, &s), -ENOTSUP);
	assert_int_equal(gv_file_read("/dev/zero", 9, a, &s), -ENOTSUP);
	assert_int_equal(gv_file_read_at(dir, "link", 9, a, &s), -ELOOP);
	is_text(s, "two");
	assert_int_equal(gv_file_read_at(dir, "gpu10", 9, a, &s), 0);
	is_text(s, "ten");
	assert_int_equal(gv_file_read("/proc/self/status", 1 << 20, a, &s), 0);
	assert_true(gv_starts(s, "Name:"));
	assert_int_equal(gv_file_read("/proc/self/status", 10, a, &s), -EFBIG);
	fd = gv_file_open(in_root("gpu2"));
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	close(dir);
	gv_arena_free(a);
}

static void file_reads_pipes(void **state)
{
	enum { N = 300000 };
	struct gv_arena *a = gv_arena_new();
	char *text = malloc(N);
	gv_str s = GV_NONE;
	int ends[2], status = 1;
	pid_t child;

	(void)state;
	for (size_t i = 0; i < N; i++)
		text[i] = (char)('a' + i % 23);
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	child = fork();
	if (!child) {
		usleep(20000);
		_exit(gv_write_all(ends[1], (gv_str){ text, N }) ? 1 : 0);
	}
	close(ends[1]);
	assert_int_equal(gv_fd_read(ends[0], N, a, &s), 0);
	assert_int_equal(s.n, N);
	assert_memory_equal(s.p, text, N);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	free(text);
	gv_arena_free(a);
}

static void file_sizes(void **state)
{
	static const size_t sizes[] = { 4095, 4096, 4097, 70000 };
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char *text = malloc(sizes[i] + 1);
		gv_str s;

		memset(text, 'x', sizes[i]);
		text[sizes[i]] = 0;
		write_file("big", text);
		assert_int_equal(gv_file_read(in_root("big"), sizes[i], a, &s), 0);
		assert_int_equal(s.n, sizes[i]);
		assert_int_equal(gv_file_read(in_root("big"), sizes[i] - 1, a, &s), -EFBIG);
		free(text);
	}
	remove(in_root("big"));
	gv_arena_free(a);
}

/* walk */

struct seen {
	char text[1024];
	int stop_after;
};

static int note(void *ctx, const struct gv_walk_entry *e)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	snprintf(s->text + n, sizeof(s->text) - n, "%c %.*s%s%.*s%s\n", "FDLO"[e->kind], GV_ARG(e->path),
		 e -> link.n ? " -> " : "", GV_ARG(e->link),
		 e->err == E2BIG ? " deep"
		 : e->err	 ? " error"
				 : "");
	if (e->kind == GV_WALK_FILE) {
		struct gv_arena *a = gv_arena_new();
		gv_str text;

		assert_int_equal(gv_file_read_at(e->dirfd, e->name, 100, a, &text), 0);
		assert_int_equal(text.n, e->size);
		gv_arena_free(a);
	}
	return s->stop_after && !--s->stop_after ? 42 : 0;
}

static void walk_order(void **state)
{
	struct seen s = { 0 };

	(void)state;
	assert_int_equal(gv_dir_walk(root, GV_WALK_LIMITS, note, &s), 0);
	assert_string_equal(s.text, "D d\nD d/e\nF d/e/deep\nL d/up -> ..\nF gpu2\nF gpu10\nL link -> gpu2\nO pipe\n");
}

static void walk_limits(void **state)
{
	struct seen s = { 0 };

	(void)state;
	assert_int_equal(gv_dir_walk(root, (struct gv_walk_limits){ .depth = 1, .members = 100 }, note, &s), 0);
	assert_non_null(strstr(s.text, "D d/e deep\nL d/up"));
	s = (struct seen){ 0 };
	assert_int_equal(gv_dir_walk(root, (struct gv_walk_limits){ .depth = 9, .members = 8 }, note, &s), 0);
	s = (struct seen){ 0 };
	assert_int_equal(gv_dir_walk(root, (struct gv_walk_limits){ .depth = 9, .members = 2 }, note, &s), -E2BIG);
	assert_string_equal(s.text, "D d\nD d/e\n");
	s = (struct seen){ .stop_after = 3 };
	assert_int_equal(gv_dir_walk(root, GV_WALK_LIMITS, note, &s), 42);
	assert_int_equal(gv_dir_walk(in_root("gpu2"), GV_WALK_LIMITS, note, &s), -ENOTDIR);
}

static void walk_unreadable(void **state)
{
	struct seen s = { 0 };

	(void)state;
	if (geteuid() == 0)
		skip();
	chmod(in_root("d/e"), 0);
	assert_int_equal(gv_dir_walk(root, GV_WALK_LIMITS, note, &s), 0);
	chmod(in_root("d/e"), 0700);
	assert_non_null(strstr(s.text, "D d/e error\nL d/up"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_reads),	   cmocka_unit_test(file_reads_pipes),
		cmocka_unit_test(file_sizes),	   cmocka_unit_test(walk_order),
		cmocka_unit_test(walk_limits),	   cmocka_unit_test(walk_unreadable),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
