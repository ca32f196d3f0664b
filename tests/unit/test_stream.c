/* SPDX-License-Identifier: Apache-2.0 */
/* A log makes the same events whether it is held or read in blocks, by one thread or by several, and whichever way its
 * literals are searched for. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "core/stream.h"
#include "engine/engine.h"
#include "engine/stream.h"
#include "report/common.h"

#define DOCUMENT ((size_t)64 << 10) /* what a document may have here */

struct as {
	size_t document;
	size_t line;
	unsigned threads;
	enum gv_search_how how;
	const char *since;
};

static const struct as held = { .document = 256 << 20, .line = 1 << 20 };
static const struct as streamed = { .document = DOCUMENT, .line = 1 << 20, .threads = 1 };

static struct gv_run *read_log(const struct as *as, const char *path)
{
	struct gv_run *run = gv_run_new(gv_arena_new());

	run->limits.document = as->document;
	run->limits.line = as->line;
	run->threads = as->threads;
	run->sigs = gv_sigs_new_as(run->arena, as->how);
	assert_true(gv_search_is_plain(run->sigs->search) || as->how == GV_SEARCH_BEST);
	if (as->since) {
		run->window.on = true;
		assert_true(gv_moment_parse(gv_str_of(as->since), &run->window.since));
	}
	assert_int_equal(gv_add_path(run, path), 0);
	gv_read_all(run);
	assert_int_equal(run->docs.n, 1);
	assert_int_equal(run->docs.v[0]->stream != NULL, as->document == DOCUMENT);
	return run;
}

static void put_time(struct gv_buf *b, struct gv_time t)
{
	gv_printf(b, " %d/%d/%d/%.6f", t.clock, t.zone, t.year, t.t);
}

static void put_place(struct gv_buf *b, struct gv_place at)
{
	const struct gv_line *l = gv_line_at(at);

	if (!l)
		fail_msg("line %u cannot be quoted", at.line);
	gv_printf(b, " %u{%.*s}{%.*s}", at.line, GV_ARG(gv_sub(l->raw, 0, 200)), GV_ARG(gv_sub(l->text, 0, 200)));
}

/* All that is known of the events, as text. */
static void put_events(struct gv_buf *b, const struct gv_run *run)
{
	const struct gv_doc *doc = run->docs.v[0];

	gv_printf(b, "boots %u last", doc->boots);
	put_time(b, doc->last);
	gv_printf(b, " out %llu undated %llu\n", (unsigned long long)run->window.lines_out,
		  (unsigned long long)run->window.lines_undated);
	for (size_t i = 0; i < run->events.n; i++) {
		const struct gv_event *ev = run->events.v[i];

		gv_printf(b, "%.*s host=%.*s subject=%.*s bus=%.*s code=%d count=%llu boots=%u..%u %d%d%d",
			  GV_ARG(ev->sig->id), GV_ARG(ev->host), GV_ARG(ev->subject), GV_ARG(ev->bus), ev->code,
			  (unsigned long long)ev->count, ev->boot_first, ev->boot_last, ev->kernel, ev->container,
			  ev->told);
		put_time(b, ev->t_first);
		put_time(b, ev->t_last);
		put_place(b, ev->first);
		put_place(b, ev->last);
		for (size_t k = 0; k < ev->nsome; k++)
			put_place(b, ev->some[k]);
		for (size_t k = 0; k < GV_CAPS; k++)
			gv_printf(b, " [%.*s][%.*s]", GV_ARG(gv_sub(ev->cap[k], 0, 120)),
				  GV_ARG(gv_sub(ev->last_cap[k], 0, 120)));
		gv_putc(b, '\n');
	}
}

static struct gv_buf events_of(const struct as *as, const char *path)
{
	struct gv_run *run = read_log(as, path);
	struct gv_buf b = { 0 };

	put_events(&b, run);
	gv_arena_free(run->arena);
	return b;
}

static void same(struct gv_buf *a, struct gv_buf *b, const char *what)
{
	size_t i = 0;

	while (i < a->n && i < b->n && a->p[i] == b->p[i])
		i++;
	if (i < a->n || i < b->n) {
		size_t from = i > 300 ? i - 300 : 0;

		fail_msg("%s: at %zu:\n%.*s\n--- and ---\n%.*s", what, i, GV_ARG(gv_sub(gv_buf_str(a), from, 600)),
			 GV_ARG(gv_sub(gv_buf_str(b), from, 600)));
	}
}

struct file {
	char path[64];
};

static struct file make_file(const struct gv_buf *text)
{
	struct file f = { "/tmp/gpuvet-stream-XXXXXX" };
	int fd = mkstemp(f.path);
	size_t at = 0;

	assert_true(fd >= 0);
	while (at < text->n) {
		ssize_t put = write(fd, text->p + at, text->n - at);

		assert_true(put > 0);
		at += (size_t)put;
	}
	close(fd);
	return f;
}

/* Held or streamed, by one thread or by several, whichever way it is searched: one outcome. */
static void check(struct gv_buf *text, const char *what, bool as_held)
{
	struct file f = make_file(text);
	struct gv_buf first = events_of(as_held ? &held : &streamed, f.path);

	assert_true(first.n > 200);
	for (int i = 0; i < 5; i++) {
		struct as as = i < 4 ? streamed : held;
		struct gv_buf b;

		as.threads = i & 1 ? 4 : 1;
		as.how = i & 2 || i == 4 ? GV_SEARCH_PLAIN : GV_SEARCH_BEST;
		if (i == 4 && !as_held)
			break;
		b = events_of(&as, f.path);
		same(&first, &b, what);
		gv_buf_free(&b);
	}
	gv_buf_free(&first);
	unlink(f.path);
	gv_buf_free(text);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static size_t read_samples(struct gv_arena *a, gv_str *lines, size_t max)
{
	FILE *f = fopen(GV_SOURCE_ROOT "/tests/data/signature-samples.tsv", "rb");
	char *p = gv_alloc(a, 1 << 20);
	gv_str text, line;
	size_t n = 0;

	assert_non_null(f);
	text = (gv_str){ p, fread(p, 1, 1 << 20, f) };
	fclose(f);
	while (gv_next(&text, '\n', &line) && n < max)
		if (line.n && !gv_starts(line, "id\t"))
			lines[n++] = gv_after(line, "\t");
	assert_true(n > 300);
	return n;
}

static void put_noise(struct gv_buf *b, uint32_t *seed)
{
	static const char *const noise[] = {
		"usb 1-1: new high-speed USB device number 4 using xhci_hcd",
		"nvidia 0000:41:00.0: enabling device (0140 -> 0142), [nvidia",
		"audit: type=1400 audit(1768300000.123:456): apparmor=\"STATUS\"",
		"Failed to load nothing, not supported , unknown error",
	};

	gv_puts(b, noise[next(seed) % (sizeof(noise) / sizeof(noise[0]))]);
}

static void put_front(struct gv_buf *b, size_t i, uint32_t *seed)
{
	unsigned s = (unsigned)i;

	if (next(seed) % 11 == 0)
		return;
	gv_printf(b, "Jan %2u %02u:%02u:%02u node%u kernel: [%5u.%06u] ", 1 + s / 86400, s / 3600 % 24, s / 60 % 60,
		  s % 60, next(seed) % 3, s % 9000, next(seed) % 1000000);
}

/* Every signature's sample, with hosts, boots and floods. */
static void test_samples(void **state)
{
	struct gv_arena *a = gv_arena_new();
	gv_str lines[800];
	size_t n = read_samples(a, lines, 800);
	struct gv_buf b = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 60000; i++) {
		put_front(&b, i, &seed);
		if (i % 20000 == 7)
			gv_puts(&b, "Linux version 6.8.0-45-generic");
		else if (next(&seed) % 4)
			put_noise(&b, &seed);
		else
			gv_put(&b, lines[next(&seed) % n]);
		gv_putc(&b, '\n');
	}
	/* the stamps fall back at times without a banner, which only a log that is held shows for certain */
	check(&b, "samples", false);
	gv_arena_free(a);
}

/* Rising stamps, so that blocks and documents see the same boots. */
static void put_dated(struct gv_buf *b, unsigned s)
{
	gv_printf(b, "Jan %2u %02u:%02u:%02u node1 kernel: [%7u.%06u] ", 1 + s / 86400, s / 3600 % 24, s / 60 % 60,
		  s % 60, s, s);
}

static void put_xid(struct gv_buf *b, unsigned gpu, unsigned pid)
{
	gv_printf(b, "NVRM: Xid (PCI:0000:%02x:00): 31, pid=%u, name=python3, Ch 00000010", gpu, pid);
}

static void test_held(void **state)
{
	struct gv_buf b = { 0 };
	uint32_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 30000; i++) {
		if (i == 12000)
			gv_puts(&b, "-- Boot 0123456789abcdef0123456789abcdef --\n");
		if (next(&seed) % 7 == 0)
			gv_puts(&b, "> ");
		put_dated(&b, i);
		if (i == 12001)
			gv_puts(&b, "Linux version 6.8.0");
		switch (next(&seed) % 9) {
		case 0:
			put_xid(&b, next(&seed) % 300, i);
			break;
		case 1:
			gv_printf(&b, "nfs: server host%u not responding, timed out", next(&seed) % 400);
			break;
		case 2: /* colours amid the message */
			gv_printf(&b,
				  "\033[33mNVRM: \033[0m\033[31mThe NVIDIA probe \033[1mroutine failed for %u "
				  "device(s).\033[0m",
				  i % 8);
			break;
		case 3: /* what came last stays on the screen */
			gv_printf(&b,
				  "NVRM: Xid (PCI:0000:01:00): 79, 10%%\rtorch.OutOfMemoryError: CUDA out of memory. "
				  "Tried to allocate %u.00 GiB.",
				  i);
			break;
		case 4: /* no UTF-8 */
			gv_puts(&b, "\xff\xfe \xc3 ");
			put_xid(&b, 1, i);
			gv_puts(&b, " \xe2\x82");
			break;
		case 5: /* long, and the message far behind */
			if (i % 50 == 0)
				gv_pad(&b, 'x', 9000 + i);
			put_xid(&b, 2, i);
			break;
		default:
			put_noise(&b, &seed);
		}
		gv_puts(&b, next(&seed) % 5 ? "\n" : " \r\n");
	}
	put_dated(&b, 30000);
	put_xid(&b, 9, 9); /* and no end of the line */
	check(&b, "held or not", true);
}

/* Lines of every length around the size of a block. */
static void test_long_lines(void **state)
{
	struct gv_buf b = { 0 };
	struct file f;
	struct as as = streamed;
	struct gv_run *run;
	uint32_t line = 0;

	(void)state;
	for (size_t n = 1000; n < 3u << 20; n += n / 2 + 7, line += 2) {
		gv_pad(&b, 'y', n);
		gv_puts(&b, "CUDA out of memory. Tried to allocate 1.00 GiB\n");
		put_xid(&b, (unsigned)line, 1);
		gv_putc(&b, '\n');
	}
	f = make_file(&b);
	for (unsigned t = 1; t <= 4; t += 3) {
		as.threads = t;
		run = read_log(&as, f.path);
		assert_int_equal(run->docs.v[0]->stream->lines, line);
		assert_int_equal(run->docs.v[0]->stream->bytes > 2 << 20, true);
		assert_true(gv_has(run->unread.v[run->unread.n - 1].why, "is longer than 1048576 bytes"));
		for (size_t i = 0; i < run->events.n; i++)
			if (gv_is(run->events.v[i]->sig->id, "nv-xid"))
				assert_int_equal(run->events.v[i]->first.line % 2, 0);
		gv_arena_free(run->arena);
	}
	/* shorter lines than a block has: what stands behind the limit is not seen */
	as.line = 500;
	run = read_log(&as, f.path);
	assert_int_equal(run->docs.v[0]->stream->lines, line);
	for (size_t i = 0; i < run->events.n; i++)
		assert_true(gv_is(run->events.v[i]->sig->id, "nv-xid"));
	assert_int_equal(run->events.n, line / 2);
	assert_true(gv_has(run->unread.v[run->unread.n - 1].why, "line 1 is longer than 500 bytes"));
	gv_arena_free(run->arena);
	unlink(f.path);
	check(&b, "long lines", false);
}

static struct gv_buf as_utf16(const struct gv_buf *b, bool big)
{
	struct gv_buf wide = { 0 };

	gv_put(&wide, big ? (gv_str){ "\xfe\xff", 2 } : (gv_str){ "\xff\xfe", 2 });
	for (size_t i = 0; i < b->n; i++) {
		if (big)
			gv_putc(&wide, 0);
		gv_putc(&wide, b->p[i]);
		if (!big)
			gv_putc(&wide, 0);
	}
	return wide;
}

static void test_utf16(void **state)
{
	struct gv_buf b = { 0 }, wide;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		put_dated(&b, i);
		put_xid(&b, i % 5, i);
		gv_puts(&b, "\r\n");
	}
	for (int big = 0; big < 2; big++) {
		wide = as_utf16(&b, big);
		gv_put(&wide,
		       big ? (gv_str){ "\xd8\x3d\xde\x00\0\n\0x", 8 } : (gv_str){ "\x3d\xd8\x00\xde\n\0x\0", 8 });
		check(&wide, big ? "UTF-16, big endian" : "UTF-16", true);
	}
	gv_buf_free(&b);
}

/* A span that counts from the log's end, which is known before the log is read. */
static void test_since(void **state)
{
	struct gv_buf b = { 0 };
	struct as as = held;
	struct gv_buf first, other;
	struct file f;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		put_dated(&b, i);
		put_xid(&b, i % 5, i);
		gv_puts(&b, i % 7 ? "\n" : "\nnvml: GPU is lost\n"); /* of the date above it */
	}
	f = make_file(&b);
	as.since = "1h";
	first = events_of(&as, f.path);
	assert_true(gv_has(gv_buf_str(&first), "count=720 "));
	for (unsigned t = 1; t <= 4; t += 3) {
		as = streamed;
		as.since = "1h";
		as.threads = t;
		other = events_of(&as, f.path);
		same(&first, &other, "--since 1h");
		gv_buf_free(&other);
	}
	gv_buf_free(&first);
	gv_buf_free(&b);
	unlink(f.path);
}

/* What stands at the beginning is read as in any document. */
static void test_head(void **state)
{
	struct gv_buf b = { 0 };
	struct file f;
	struct gv_run *run;
	uint32_t seed = 5;

	(void)state;
	gv_puts(&b,
		"root@node1:~# uname -r\n5.15.0-94-generic\nroot@node1:~# dmesg | grep 'GPU has fallen off the bus'\n");
	for (unsigned i = 0; i < 10000; i++) {
		gv_printf(&b, "[%5u.000000] ", i);
		put_noise(&b, &seed);
		gv_putc(&b, '\n');
	}
	gv_puts(&b, "[10001.000000] NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=x, GPU has fallen off the bus.\n");
	f = make_file(&b);
	run = read_log(&streamed, f.path);
	assert_true(gv_outputs(run) > 0);
	assert_int_equal(run->events.n, 2);
	assert_int_equal(run->events.v[0]->first.line, 10004);
	assert_true(gv_is(run->events.v[0]->seg->host, "node1"));
	assert_true(gv_has(run->unread.v[0].why, "only log signatures were looked for"));
	gv_arena_free(run->arena);
	gv_buf_free(&b);
	unlink(f.path);
}

/* The database of the build has what the table has. */
static void test_database(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_sigs *best = gv_sigs_new(a);

	(void)state;
#if GV_HAVE_VECTORSCAN
	assert_false(gv_search_is_plain(best->search));
#else
	assert_true(gv_search_is_plain(best->search));
#endif
	gv_sigs_free(best);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_database),   cmocka_unit_test(test_samples), cmocka_unit_test(test_held),
		cmocka_unit_test(test_long_lines), cmocka_unit_test(test_utf16),   cmocka_unit_test(test_since),
		cmocka_unit_test(test_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
