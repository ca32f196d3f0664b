/* SPDX-License-Identifier: Apache-2.0 */
/* Built where the build has archives. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "sys/archive.h"

static void is_text(gv_str got, const char *want)
{
	if (!gv_is(got, want))
		fail_msg("got \"%.*s\", want \"%s\"", GV_ARG(got), want);
}

struct file {
	const char *name, *text, *link;
	size_t zeros; /* instead of text */
};

/* An archive made in memory: format 't'ar or 'z'ip or 'r'aw, and a filter. */
static gv_str make(struct gv_arena *a, char format, int filter, const struct file *files, const char *password)
{
	const size_t cap = 4 << 20;
	char *p = gv_alloc(a, cap);
	struct archive *w = archive_write_new();
	size_t n = 0;

	if (format == 't')
		archive_write_set_format_pax_restricted(w);
	else if (format == 'z')
		archive_write_set_format_zip(w);
	else
		archive_write_set_format_raw(w);
	assert_int_equal(archive_write_add_filter(w, filter), ARCHIVE_OK);
	if (password) {
		archive_write_set_options(w, "zip:encryption=traditional");
		archive_write_set_passphrase(w, password);
	}
	assert_int_equal(archive_write_open_memory(w, p, cap, &n), ARCHIVE_OK);
	for (; files->name; files++) {
		struct archive_entry *e = archive_entry_new();
		size_t size = files->text ? strlen(files->text) : files->zeros;
		char *zeros = calloc(1, size + 1);

		archive_entry_set_pathname(e, files->name);
		archive_entry_set_filetype(e, files->link ? AE_IFLNK : AE_IFREG);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_mtime(e, 1700000000, 0);
		if (files->link)
			archive_entry_set_symlink(e, files->link);
		else
			archive_entry_set_size(e, (la_int64_t)size);
		assert_true(archive_write_header(w, e) >= ARCHIVE_WARN);
		if (!files->link && size)
			assert_true(archive_write_data(w, files->text ? files->text : zeros, size) == (la_ssize_t)size);
		archive_entry_free(e);
		free(zeros);
	}
	assert_int_equal(archive_write_free(w), ARCHIVE_OK);
	return (gv_str){ p, n };
}

static int list(void *ctx, const struct gv_ar_member *m)
{
	struct gv_buf *b = ctx;

	gv_printf(b, "%c %.*s%s%.*s", "FDLO"[m->type], GV_ARG(m->name), m -> link.n ? " -> " : "", GV_ARG(m->link));
	if (m->err)
		gv_printf(b, " %s", m->err == EFBIG ? "big" : m->err == EACCES ? "encrypted" : "damaged");
	else if (m->type == GV_AR_FILE)
		gv_printf(b, " [%.*s]", m->bytes.n > 20 ? 20 : (int)m->bytes.n, m->bytes.n ? m->bytes.p : "");
	gv_putc(b, '\n');
	return gv_is(m->name, "stop") ? 42 : 0;
}

static struct gv_buf out, err;

static int walk(gv_str bytes, const char *name, struct gv_ar_budget *budget)
{
	struct gv_ar_budget whole = GV_AR_BUDGET;

	out.n = err.n = 0;
	return gv_ar_walk(bytes, gv_str_of(name), budget ? budget : &whole, list, &out, &err);
}

static const struct file plain[] = {
	{ .name = "b/x.log", .text = "hello" },
	{ .name = "/../etc/./passwd", .text = "root" },
	{ .name = "b/l", .link = "/etc/shadow" },
	{ .name = "gr\xc3\xb6\xc3\x9f\x65", .text = "" },
	{ 0 },
};
static const char plain_list[] =
    "F b/x.log [hello]\nF etc/passwd [root]\nL b/l -> /etc/shadow\nF gr\xc3\xb6\xc3\x9f\x65 []\n";

static void archive_kinds(void **state)
{
	static const struct {
		int filter;
		enum gv_ar_kind kind;
		const char *suffix;
	} filters[] = {
		{ ARCHIVE_FILTER_GZIP, GV_AR_GZIP, "gz" }, { ARCHIVE_FILTER_BZIP2, GV_AR_BZIP2, "bz2" },
		{ ARCHIVE_FILTER_XZ, GV_AR_XZ, "xz" },	   { ARCHIVE_FILTER_ZSTD, GV_AR_ZSTD, "zst" },
		{ ARCHIVE_FILTER_LZ4, GV_AR_LZ4, "lz4" },
	};
	static const struct file one[] = { { .name = "x", .text = "one line\n" }, { 0 } };
	struct gv_arena *a = gv_arena_new();
	gv_str s = make(a, 't', ARCHIVE_FILTER_NONE, plain, NULL);

	(void)state;
	assert_int_equal(gv_ar_kind(s), GV_AR_TAR);
	assert_int_equal(walk(s, "t", NULL), 0);
	is_text(gv_buf_str(&out), plain_list);
	s = make(a, 'z', ARCHIVE_FILTER_NONE, plain, NULL);
	assert_int_equal(gv_ar_kind(s), GV_AR_ZIP);
	assert_int_equal(walk(s, "z", NULL), 0);
	is_text(gv_buf_str(&out), plain_list);
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		s = make(a, 't', filters[i].filter, plain, NULL);
		assert_int_equal(gv_ar_kind(s), filters[i].kind);
		assert_int_equal(walk(s, "t", NULL), 0);
		is_text(gv_buf_str(&out), plain_list);
		s = make(a, 'r', filters[i].filter, one, NULL);
		assert_int_equal(walk(s, gv_fmt(a, "dir/x.log.%s", filters[i].suffix).p, NULL), 0);
		is_text(gv_buf_str(&out), "F x.log [one line\n]\n");
		assert_int_equal(walk(s, "dir/", NULL), 0);
		is_text(gv_buf_str(&out), "F data [one line\n]\n");
	}
	gv_arena_free(a);
}

static void archive_not(void **state)
{
	static const char *const texts[] = { "",
					     "#mtree\n./x type=file\n",
					     "PK",
					     "BZh9 is how bzip2 begins, they say",
					     "WARC/1.0\r\n",
					     "070701 not a cpio",
					     "!<arch>\n",
					     "begin 644 x\n#0V%T\n`\nend\n" };
	static char zeros[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(gv_ar_kind(gv_str_of(texts[i])), GV_AR_NONE);
		assert_int_equal(walk(gv_str_of(texts[i]), "x.tar.gz", NULL), -ENOTSUP);
		assert_true(err.n > 0);
	}
	assert_int_equal(gv_ar_kind((gv_str){ zeros, sizeof(zeros) }), GV_AR_NONE);
	memset(zeros, '7', sizeof(zeros)); /* an octal number where tar has its sum, but not that sum */
	assert_int_equal(gv_ar_kind((gv_str){ zeros, sizeof(zeros) }), GV_AR_NONE);
}

static void archive_limits(void **state)
{
	static const struct file big[] = {
		{ .name = "a", .text = "x" }, { .name = "zero", .zeros = 200000 }, { .name = "b", .text = "y" }, { 0 }
	};
	static const struct {
		char format;
		int filter;
	} kinds[] = { { 't', ARCHIVE_FILTER_NONE }, { 't', ARCHIVE_FILTER_GZIP }, { 'z', ARCHIVE_FILTER_NONE } };
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		gv_str s = make(a, kinds[i].format, kinds[i].filter, big, NULL);
		struct gv_ar_budget left = GV_AR_BUDGET;

		left.document = 199999;
		assert_int_equal(walk(s, "x", &left), 0);
		is_text(gv_buf_str(&out), "F a [x]\nF zero big\nF b [y]\n");
		assert_int_equal(left.members, 9997);
		left = (struct gv_ar_budget){ .members = 2, .total = 1 << 20, .document = 200000 };
		assert_int_equal(walk(s, "x", &left), -E2BIG);
		is_text(gv_buf_str(&err), "the archive holds more members than the limit");
		assert_int_equal(left.total, (1 << 20) - 200001);
		left = (struct gv_ar_budget){ .members = 9, .total = 1000, .document = 200000 };
		assert_int_equal(walk(s, "x", &left), -E2BIG);
		is_text(gv_buf_str(&err), "the archive holds more bytes than the limit");
		is_text(gv_buf_str(&out), "F a [x]\n");
	}
	gv_arena_free(a);
}

static void archive_bombs(void **state)
{
	static const struct file zeros[] = { { .name = "zero", .zeros = 100 << 20 }, { 0 } };
	struct gv_arena *a = gv_arena_new();
	struct gv_ar_budget left = GV_AR_BUDGET;

	(void)state;
	assert_int_equal(walk(make(a, 'r', ARCHIVE_FILTER_ZSTD, zeros, NULL), "zero.zst", &left), 0);
	is_text(gv_buf_str(&out), "F zero big\n");
	assert_true((1u << 30) - left.total < 66u << 20);
	left = GV_AR_BUDGET;
	left.total = 80 << 20;
	assert_int_equal(walk(make(a, 't', ARCHIVE_FILTER_GZIP, zeros, NULL), "x", &left), -E2BIG);
	assert_true(left.total == 80 << 20); /* seen from the header */
	gv_arena_free(a);
}

static void archive_locked(void **state)
{
	struct gv_arena *a = gv_arena_new();
	gv_str s = make(a, 'z', ARCHIVE_FILTER_NONE, plain, "secret");

	(void)state;
	assert_int_equal(walk(s, "x", NULL), -EACCES);
	assert_true(gv_starts(gv_buf_str(&out), "F b/x.log encrypted\nF etc/passwd encrypted\n"));
	assert_true(gv_has(gv_buf_str(&err), "encrypted"));
	gv_arena_free(a);
}

static void archive_stops(void **state)
{
	static const struct file files[] = { { .name = "stop", .text = "1" }, { .name = "next", .text = "2" }, { 0 } };
	struct gv_arena *a = gv_arena_new();

	(void)state;
	assert_int_equal(walk(make(a, 't', ARCHIVE_FILTER_XZ, files, NULL), "x", NULL), 42);
	is_text(gv_buf_str(&out), "F stop [1]\n");
	gv_arena_free(a);
}

/* Cut short at every length, and with one byte wrong: an error or fewer members, never a crash. */
static void archive_damaged(void **state)
{
	static const struct {
		char format;
		int filter;
	} kinds[] = { { 't', ARCHIVE_FILTER_NONE },
		      { 't', ARCHIVE_FILTER_GZIP },
		      { 'z', ARCHIVE_FILTER_NONE },
		      { 'r', ARCHIVE_FILTER_XZ },
		      { 't', ARCHIVE_FILTER_ZSTD } };
	static const struct file one[] = { { .name = "x", .text = "one line\n" }, { 0 } };
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		gv_str s = make(a, kinds[i].format, kinds[i].filter, kinds[i].format == 'r' ? one : plain, NULL);
		size_t bad = 0;

		for (size_t n = 1; n<s.n; n += s.n> 2000 ? 37 : 1) {
			char *copy = malloc(s.n);

			memcpy(copy, s.p, s.n);
			bad += walk((gv_str){ copy, n }, "x", NULL) != 0;
			copy[n] = (char)(copy[n] ^ 0x55);
			walk((gv_str){ copy, s.n }, "x", NULL);
			free(copy);
		}
		assert_true(bad > 5);
	}
	gv_buf_free(&out);
	gv_buf_free(&err);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(archive_kinds),
		cmocka_unit_test(archive_not),
		cmocka_unit_test(archive_limits),
		cmocka_unit_test(archive_bombs),
		cmocka_unit_test(archive_locked),
		cmocka_unit_test(archive_stops),
		cmocka_unit_test(archive_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
