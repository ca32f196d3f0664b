/* SPDX-License-Identifier: Apache-2.0 */
#include "source/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "core/stream.h"
#include "sys/feed.h"
#include "sys/file.h"

#define TAIL ((size_t)64 << 10) /* bytes at the end in which the last date is looked for */
#define OPEN_LOGS 64		/* files that wait to be read; further ones are read at once */

/* What was read already comes first, then the rest of a file, a pipe or a member. */
struct feed {
	int fd;
	uint64_t at, size; /* of a file */
	bool file;
	char *had; /* of malloc(), NULL where it is `view` alone */
	gv_str view;
	ssize_t (*more)(void *ctx, char *p, size_t n);
	void *ctx;
};

static ssize_t read_feed(void *ctx, char *p, size_t n)
{
	struct feed *f = ctx;
	ssize_t got;

	if (f->view.n) {
		gv_str s = gv_sub(f->view, 0, n);

		memcpy(p, s.p, s.n);
		f->view = gv_from(f->view, s.n);
		if (!f->view.n) {
			free(f->had);
			f->had = NULL;
		}
		return (ssize_t)s.n;
	}
	if (f->more)
		return f->more(f->ctx, p, n);
	if (!f->file)
		return gv_fd_some(f->fd, p, n);
	if (n > f->size - f->at) /* it may grow, but is read as it was */
		n = (size_t)(f->size - f->at);
	got = gv_fd_at(f->fd, f->at, p, n);
	if (got > 0)
		f->at += (uint64_t)got;
	return got || !n ? got : -ENODATA; /* it became shorter */
}

static void close_feed(void *ctx)
{
	struct feed *f = ctx;

	if (f->file)
		gv_fd_close(f->fd);
	free(f->had);
	free(f);
}

bool gv_log_refused(struct gv_run *run, gv_str name, gv_str head)
{
	if (gv_encoding_of(head) != GV_BINARY)
		return false;
	gv_unread(run, name,
		  gv_fmt(run->arena,
			 "binary, no text, and larger than a document may be (%zu MiB; --max-document=SIZE)",
			 run->limits.document >> 20));
	return true;
}

static void say_size(struct gv_buf *b, size_t n)
{
	if (n >= 1 << 20)
		gv_printf(b, "%.1f MiB", (double)n / (1 << 20));
	else if (n >= 1 << 10)
		gv_printf(b, "%.0f KiB", (double)n / (1 << 10));
	else
		gv_printf(b, "%zu bytes", n);
}

static void say(struct gv_run *run, struct gv_doc *doc)
{
	struct gv_buf b = { 0 };

	gv_puts(&b, "larger than a document may be (");
	say_size(&b, run->limits.document);
	gv_puts(&b, "; --max-document=SIZE): read as a log; beyond the first ");
	say_size(&b, doc->text.n);
	gv_puts(&b, " only log signatures were looked for");
	doc->note = gv_dup(run->arena, gv_buf_str(&b));
	gv_unread(run, doc->name, doc->note);
	gv_buf_free(&b);
}

/* The text up to the last line's end. */
static gv_str whole_lines(gv_str text)
{
	const char *nl = text.n ? memrchr(text.p, '\n', text.n) : NULL;

	return nl ? gv_sub(text, 0, (size_t)(nl - text.p) + 1) : text;
}

static size_t head_bytes(const struct gv_run *run)
{
	return run->limits.document < GV_LOG_HEAD ? run->limits.document : GV_LOG_HEAD;
}

static struct gv_doc *add_head(struct gv_run *run, gv_str name, gv_str head, struct feed *f)
{
	struct gv_doc *doc = GV_NEW(run->arena, struct gv_doc);
	gv_str text = GV_NONE;

	head = gv_sub(head, 0, head_bytes(run));
	doc->stream = GV_NEW(run->arena, struct gv_stream);
	doc->stream->encoding = gv_encoding_of(head);
	doc->stream->pull = (struct gv_pull){ read_feed, close_feed, f };
	gv_to_utf8(run->arena, gv_dup(run->arena, head), &text);
	doc->name = gv_dup(run->arena, name);
	doc->text = whole_lines(text);
	doc->index = run->docs.n;
	gv_doc_split(run->arena, doc, run->limits.line);
	doc->stream->head = doc->text.n;
	say(run, doc);
	*gv_push(run->arena, &run->docs) = doc;
	return doc;
}

static struct feed *new_feed(void)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		gv_oom();
	f->fd = -1;
	return f;
}

/* The date of the end must be known before the log is read, for spans that count from there. */
static struct gv_time last_of_file(struct gv_run *run, int fd, uint64_t size)
{
	uint64_t at = size > TAIL ? size - TAIL : 0;
	char *p = malloc(TAIL);
	ssize_t n = p ? gv_fd_at(fd, at, p, TAIL) : 0;
	struct gv_time t = n > 0 ? gv_last_stamp((gv_str){ p, (size_t)n }) : (struct gv_time){ 0 };

	free(p);
	return t;
}

void gv_log_file(struct gv_run *run, gv_str name, int fd, uint64_t size)
{
	struct feed *f = new_feed();
	size_t want = head_bytes(run);
	struct gv_doc *doc;
	ssize_t n;

	f->file = true;
	f->fd = fd;
	f->size = size;
	f->had = malloc(want);
	if (!f->had)
		gv_oom();
	n = gv_fd_at(fd, 0, f->had, want);
	if (n <= 0 || gv_log_refused(run, name, (gv_str){ f->had, (size_t)n })) {
		if (n <= 0)
			gv_unread(run, name, gv_fmt(run->arena, "%s", n < 0 ? strerror((int)-n) : "empty"));
		close_feed(f);
		return;
	}
	doc = add_head(run, name, (gv_str){ f->had, (size_t)n }, f);
	free(f->had);
	f->had = NULL;
	doc->stream->last = last_of_file(run, fd, size);
	if (run->open_logs++ >= OPEN_LOGS)
		run->read_log(run, doc);
}

void gv_log_pipe(struct gv_run *run, gv_str name, int fd, char *had, size_t n)
{
	struct feed *f;

	if (gv_log_refused(run, name, (gv_str){ had, n })) {
		free(had);
		return;
	}
	f = new_feed();
	f->fd = fd;
	f->had = had;
	f->view = (gv_str){ had, n };
	run->read_log(run, add_head(run, name, f->view, f));
}

void gv_log_member(struct gv_run *run, gv_str name, gv_str had, ssize_t (*more)(void *ctx, char *p, size_t n),
		   void *ctx)
{
	struct feed *f = new_feed();

	f->view = had;
	f->more = more;
	f->ctx = ctx;
	run->read_log(run, add_head(run, name, had, f));
}
