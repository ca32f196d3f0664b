/* SPDX-License-Identifier: Apache-2.0 */
/* One thread walks folders and opens files, some read them. A reader has an arena of its own and keeps what matters; the
 * files are put in order at the end, so that the result does not hang on who was faster. */
#include "engine/inventory.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/resolve.h"
#include "inspect/scan.h"
#include "source/tree.h"
#include "sys/clock.h"
#include "sys/feed.h"
#include "sys/unpack.h"

#define QUEUE 64
#define WAIT 1.0  /* seconds before anything is said */
#define EVERY 0.2 /* and between */

struct waiting {
	int fd;
	uint64_t size;
	char *path;
	bool executable;
};

struct reader {
	struct job *job;
	struct gv_arena *arena;
	struct gv_tree_limits left;
	GV_VEC(struct gv_file *) files;
	GV_VEC(struct gv_not_read) unread;
	uint64_t seen, bytes;
	bool executable; /* the file at hand */
	char *piece;	 /* of a stream, with what is kept of the piece before */
};

struct job {
	const struct gv_inventory_opts *opts;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct waiting queue[QUEUE];
	size_t first, n;
	bool done;
	/* of the walk */
	struct reader *own; /* without threads: who reads */
	struct gv_arena *arena;
	GV_VEC(struct gv_not_read) unread;
	gv_str prefix;
	size_t members;
	double said_at;
	uint64_t seen, bytes; /* by all readers; under lock */
	unsigned readers;
};

static void not_read(struct gv_arena *a, struct gv_not_read *slot, gv_str path, gv_str why)
{
	*slot = (struct gv_not_read){ gv_dup(a, path), gv_dup(a, why) };
}

/* ---- One file ---- */

static void on_unread(void *ctx, gv_str path, gv_str why)
{
	struct reader *r = ctx;

	not_read(r->arena, gv_push(r->arena, &r->unread), path, why);
}

/* Feeds what comes from a stream, with the end of each piece in front of the next. */
static int scan_stream(struct reader *r, struct gv_scan *s, const struct gv_tree_item *it)
{
	size_t n = it->head.n, kept = 0;
	uint64_t at = 0;
	ssize_t got = 1;

	if (!r->piece && !(r->piece = malloc(GV_SCAN_KEEP + GV_SCAN_PIECE)))
		gv_oom();
	memcpy(r->piece, it->head.p, n);
	while (got > 0) {
		while (n < kept + GV_SCAN_PIECE && (got = it->read(it->ctx, r->piece + n, kept + GV_SCAN_PIECE - n)) > 0)
			n += (size_t)got;
		gv_scan_feed(s, at, (gv_str){ r->piece, n }, got == 0);
		if (got <= 0)
			break;
		kept = n < GV_SCAN_KEEP ? n : GV_SCAN_KEEP;
		at += n - kept;
		memmove(r->piece, r->piece + n - kept, kept);
		n = kept;
	}
	r->bytes += at + n;
	return got < 0 ? (int)got : 0;
}

static void scan(struct reader *r, struct gv_inspect *x, const struct gv_tree_item *it)
{
	struct gv_scan *s = gv_scan_new(x);
	int err = 0;

	if (it->read) {
		err = scan_stream(r, s, it);
	} else {
		gv_scan_feed(s, 0, it->bytes, true);
		r->bytes += it->bytes.n;
	}
	gv_scan_end(s);
	if (err)
		gv_file_note(x, "not read to its end: %s", err == -EFBIG ? "more is unpacked than the limit (--max-archive=SIZE)" :
							  err == -EBADMSG ? "damaged in the archive" : strerror(-err));
}

/* A document as a whole: those of a stream are collected first. */
static void read_document(struct reader *r, struct gv_inspect *x, const struct gv_document *doc, const struct gv_tree_item *it)
{
	struct gv_buf b = { 0 };
	gv_str bytes = it->bytes;

	x->file->type = doc->type;
	if (it->read) {
		char piece[16384];
		ssize_t got;

		gv_put(&b, it->head);
		while (b.n <= GV_DOCUMENT_MAX && (got = it->read(it->ctx, piece, sizeof(piece))) > 0)
			gv_put(&b, (gv_str){ piece, (size_t)got });
		bytes = gv_buf_str(&b);
	}
	r->bytes += bytes.n;
	if (doc->begins)
		bytes = gv_sub(bytes, 0, GV_DOCUMENT_MAX);
	if (bytes.n > GV_DOCUMENT_MAX) {
		gv_file_note(x, "larger than %zu MiB: not read", GV_DOCUMENT_MAX >> 20);
	} else {
		doc->read(x, bytes);
		if (doc->scan) {
			struct gv_tree_item whole = { .bytes = bytes };

			scan(r, x, &whole);
			r->bytes -= bytes.n;
		}
	}
	gv_buf_free(&b);
}

static int on_item(void *ctx, const struct gv_tree_item *it, bool opened)
{
	struct reader *r = ctx;
	struct gv_arena_mark mark = gv_arena_mark(r->arena);
	struct gv_item item = { .path = it->path, .head = it->head, .size = it->size, .executable = r->executable };
	struct gv_file *f = GV_NEW(r->arena, struct gv_file);
	struct gv_inspect x = { .arena = r->arena, .file = f, .item = &item, .unpack = gv_unpack_head };
	const struct gv_document *doc;

	item.name = gv_from(it->path, (size_t)(gv_rfind(it->path, "/") + 1));
	item.name = gv_from(item.name, (size_t)(gv_rfind(item.name, "!") + 1));
	f->path = gv_dup(r->arena, it->path);
	f->size = it->size;
	f->link = gv_dup(r->arena, it->link);
	r->seen++;
	if (it->err) {
		on_unread(r, it->path, gv_str_of(it->err == EACCES ? "encrypted" : it->err == EBADMSG ? "damaged in the archive" : strerror(it->err)));
	} else if (it->type == GV_AR_FILE && opened) {
		f->type = "archive";
	} else if (it->type == GV_AR_FILE) {
		doc = gv_document_of(&item);
		if (doc)
			read_document(r, &x, doc, it);
		else
			scan(r, &x, it);
	}
	if (gv_file_matters(f))
		*gv_push(r->arena, &r->files) = f;
	else
		gv_arena_reset(r->arena, mark);
	return 0;
}

static void read_one(struct reader *r, const struct waiting *w)
{
	struct gv_tree_sink sink = { on_item, on_unread, r };
	gv_str path = gv_str_of(w->path);
	int err;

	r->executable = w->executable;
	err = gv_tree_file(w->fd, path, w->size, &r->left, &sink);
	if (err == -EIO)
		on_unread(r, path, GV_STR("became shorter while it was read, or cannot be read from its disk"));
	else if (err && err != -E2BIG)
		on_unread(r, path, gv_str_of(strerror(-err)));
	gv_fd_close(w->fd);
	free(w->path);
}

/* ---- Threads ---- */

static void *run_reader(void *ctx)
{
	struct reader *r = ctx;
	struct job *j = r->job;

	pthread_mutex_lock(&j->lock);
	for (;;) {
		struct waiting w;

		while (!j->n && !j->done)
			pthread_cond_wait(&j->moved, &j->lock);
		if (!j->n)
			break;
		w = j->queue[j->first];
		j->first = (j->first + 1) % QUEUE;
		j->n--;
		pthread_cond_broadcast(&j->moved);
		pthread_mutex_unlock(&j->lock);
		read_one(r, &w);
		pthread_mutex_lock(&j->lock);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static char *own_name(gv_str path)
{
	char *z = strndup(path.p, path.n);

	if (!z)
		gv_oom();
	return z;
}

static void enqueue(struct job *j, struct waiting w)
{
	if (j->own) {
		read_one(j->own, &w);
		return;
	}
	pthread_mutex_lock(&j->lock);
	while (j->n == QUEUE)
		pthread_cond_wait(&j->moved, &j->lock);
	j->queue[(j->first + j->n++) % QUEUE] = w;
	pthread_cond_broadcast(&j->moved);
	pthread_mutex_unlock(&j->lock);
}

/* ---- Folders ---- */

static void say(struct job *j, gv_str path)
{
	double now;

	if (!j->opts->said)
		return;
	now = gv_clock_boot();
	if (now < j->said_at)
		return;
	j->said_at = now + EVERY;
	j->opts->said(j->members, 0, path);
}

static int on_entry(void *ctx, const struct gv_walk_entry *e)
{
	struct job *j = ctx;
	struct gv_arena_mark mark = gv_arena_mark(j->arena);
	gv_str path = j->prefix.n ? gv_fmt(j->arena, "%.*s/%.*s", GV_ARG(j->prefix), GV_ARG(e->path)) : e->path;
	int fd;

	j->members++;
	say(j, path);
	if (e->err) {
		not_read(j->arena, gv_push(j->arena, &j->unread), path, e->err == E2BIG ? GV_STR("folders nested too deep") : gv_str_of(strerror(e->err)));
		return 0;
	}
	fd = e->kind == GV_WALK_FILE ? gv_file_open_at(e->dirfd, e->name) : -ENOTSUP;
	if (fd < 0 && e->kind == GV_WALK_FILE) {
		not_read(j->arena, gv_push(j->arena, &j->unread), path, gv_str_of(strerror(-fd)));
		return 0;
	}
	if (fd >= 0)
		enqueue(j, (struct waiting){ fd, e->size, own_name(path), false });
	gv_arena_reset(j->arena, mark);
	return 0;
}

static int walk_path(struct job *j, gv_str path, bool several, struct gv_buf *err)
{
	struct gv_walk_limits limits = { .depth = GV_WALK_DEPTH_MAX, .members = j->opts->members };
	gv_str name = gv_from(path, (size_t)(gv_rfind(path, "/") + 1));
	const char *z = gv_dupz(j->arena, path);
	int fd = gv_file_open(z), r;

	if (fd >= 0) {
		int64_t size = gv_fd_size(fd);

		enqueue(j, (struct waiting){ fd, size > 0 ? (uint64_t)size : 0, own_name(name), false });
		return 0;
	}
	j->prefix = several ? path : GV_NONE;
	r = fd == -EISDIR ? gv_dir_walk(z, limits, on_entry, j) : fd;
	if (r == -E2BIG) {
		not_read(j->arena, gv_push(j->arena, &j->unread), path, GV_STR("more files than the limit (--max-members=N): the rest is not read"));
		r = 0;
	}
	if (r < 0)
		gv_printf(err, "%.*s: %s", GV_ARG(path), r == -ENOTSUP ? "neither a file nor a folder" : strerror(-r));
	return r;
}

/* ---- All of it ---- */

static int by_path(const void *a, const void *b)
{
	const struct gv_file *x = *(struct gv_file *const *)a, *y = *(struct gv_file *const *)b;

	return gv_cmp(x->path, y->path);
}

static int by_unread(const void *a, const void *b)
{
	const struct gv_not_read *x = a, *y = b;

	return gv_cmp(x->path, y->path);
}

static void merge(struct gv_inventory *inv, struct reader *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		*gv_push(inv->arena, &inv->files) = r->files.v[i];
	for (size_t i = 0; i < r->unread.n; i++)
		*gv_push(inv->arena, &inv->unread) = r->unread.v[i];
	inv->seen += r->seen;
	inv->bytes += r->bytes;
	free(r->piece);
}

static void order(struct gv_inventory *inv)
{
	if (inv->files.n)
		qsort(inv->files.v, inv->files.n, sizeof(*inv->files.v), by_path);
	if (inv->unread.n)
		qsort(inv->unread.v, inv->unread.n, sizeof(*inv->unread.v), by_unread);
	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->packages.n; k++)
			*gv_push(inv->arena, &inv->packages) = inv->files.v[i]->packages.v[k];
}

int gv_inventory_read(struct gv_inventory *inv, const gv_str *paths, size_t n, const struct gv_inventory_opts *opts, struct gv_buf *err)
{
	struct job j = { .opts = opts, .arena = inv->arena, .said_at = gv_clock_boot() + WAIT };
	unsigned want = opts->threads ? opts->threads : gv_processors(), started = 0;
	struct reader readers[GV_READERS] = { 0 };
	pthread_t threads[GV_READERS];
	int r = 0;

	if (want > GV_READERS)
		want = GV_READERS;
	pthread_mutex_init(&j.lock, NULL);
	pthread_cond_init(&j.moved, NULL);
	for (unsigned i = 0; i < want; i++) {
		readers[i].job = &j;
		readers[i].arena = inv->readers[i] = gv_arena_new();
		readers[i].left.archives = GV_AR_BUDGET;
		readers[i].left.archives.members = opts->members;
		readers[i].left.archives.total = readers[i].left.archives.more = opts->archive;
		readers[i].left.nesting = opts->nesting;
	}
	while (want > 1 && started < want && !pthread_create(&threads[started], NULL, run_reader, &readers[started]))
		started++;
	if (!started)
		j.own = &readers[0];
	for (size_t i = 0; i < n && !r; i++)
		r = walk_path(&j, paths[i], n > 1, err);
	pthread_mutex_lock(&j.lock);
	j.done = true;
	pthread_cond_broadcast(&j.moved);
	pthread_mutex_unlock(&j.lock);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < want; i++)
		merge(inv, &readers[i]);
	for (size_t i = 0; i < j.unread.n; i++)
		*gv_push(inv->arena, &inv->unread) = j.unread.v[i];
	order(inv);
	gv_inventory_resolve(inv);
	return r;
}

void gv_inventory_free(struct gv_inventory *inv)
{
	for (size_t i = 0; i < GV_READERS; i++)
		gv_arena_free(inv->readers[i]);
}
