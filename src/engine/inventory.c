/* SPDX-License-Identifier: Apache-2.0 */
/* One thread walks folders and opens files, some read them. A reader has an arena of its own and keeps what matters;
 * the files are put in order at the end, so that the result does not hang on who was faster. */
#include "engine/inventory.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "inspect/image.h"
#include "inspect/resolve.h"
#include "inspect/scan.h"
#include "source/tree.h"
#include "sys/clock.h"
#include "sys/feed.h"
#include "sys/unpack.h"

#define QUEUE 64
#define WAIT 1.0	 /* seconds before anything is said */
#define EVERY 0.2	 /* and between */
#define UNREAD_MAX 10000 /* lines in all */
#define LINKS_MAX ((size_t)1 << 16)
#define LAYERS_MAX 4096
#define LAYERS_DEEP 4
#define LARGE ((size_t)2 << 20) /* documents out of archives: of those above only one is held at a time */

struct waiting {
	int fd;
	uint64_t size;
	char *path;
	unsigned root; /* which PATH it is of */
};

struct reader {
	struct job *job;
	struct gv_arena *arena;
	struct gv_tree_limits left;
	GV_VEC(struct gv_file *) files;
	GV_VEC(struct gv_not_read) unread;
	GV_VEC(struct gv_image_layer *) layers;
	GV_VEC(struct gv_link) links;
	struct gv_image_layer *within[LAYERS_DEEP]; /* that the member at hand is in, the innermost last */
	unsigned depth[LAYERS_DEEP];		    /* of what is directly in them */
	size_t nwithin;
	uint64_t skipped;
	unsigned root; /* of the file at hand */
	bool large;    /* job.large is held */
	char *piece;   /* of a stream, with what is kept of the piece before */
};

struct job {
	const struct gv_inventory_opts *opts;
	pthread_mutex_t lock, large;
	pthread_cond_t moved;
	struct waiting queue[QUEUE];
	size_t first, n;
	bool done;
	unsigned running; /* readers */
	struct gv_ar_pool pool;
	_Atomic size_t nunread, nlinks, nlayers, nnames;
	_Atomic uint64_t seen, bytes;
	char now[256]; /* the path at hand of one of the readers; under lock */
	size_t nnow;
	/* of the walk */
	struct reader *own; /* without threads: who reads */
	struct gv_arena *arena;
	GV_VEC(struct gv_not_read) unread;
	GV_VEC(struct gv_link) links;
	gv_str prefix;
	unsigned root;
	double said_at;
};

#define NOT_READ(job, arena, vec, path, why)                                                                           \
	do {                                                                                                           \
		if (atomic_fetch_add(&(job)->nunread, 1) < UNREAD_MAX)                                                 \
			*gv_push((arena), (vec)) =                                                                     \
			    (struct gv_not_read){ gv_dup((arena), (path)), gv_dup((arena), (why)) };                   \
	} while (0)

#define KEEP_LINK(job, arena, vec, ...)                                                                                \
	do {                                                                                                           \
		if (atomic_fetch_add(&(job)->nlinks, 1) < LINKS_MAX)                                                   \
			*gv_push((arena), (vec)) = (struct gv_link){ __VA_ARGS__ };                                    \
	} while (0)

static bool stopped(const struct job *j)
{
	return j->opts->stopped && j->opts->stopped();
}

/* ---- What is said meanwhile ---- */

static void tell_now(struct job *j, gv_str path)
{
	if (!j->opts->said)
		return;
	pthread_mutex_lock(&j->lock);
	j->nnow = path.n < sizeof(j->now) ? path.n : sizeof(j->now);
	memcpy(j->now, path.p + path.n - j->nnow, j->nnow);
	pthread_mutex_unlock(&j->lock);
}

/* By the walking thread; `locked`: it holds the lock. */
static void say(struct job *j, bool locked)
{
	char now[sizeof(j->now)];
	double t;
	size_t n;

	if (!j->opts->said || (t = gv_clock_boot()) < j->said_at)
		return;
	j->said_at = t + EVERY;
	if (!locked)
		pthread_mutex_lock(&j->lock);
	n = j->nnow;
	memcpy(now, j->now, n);
	if (!locked)
		pthread_mutex_unlock(&j->lock);
	j->opts->said(j->seen, j->bytes, (gv_str){ now, n });
}

/* Waits for the readers, and says meanwhile where they are. */
static void wait_moved(struct job *j)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 200000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&j->moved, &j->lock, &until);
	say(j, true);
}

/* ---- One file ---- */

static void on_unread(void *ctx, gv_str path, gv_str why)
{
	struct reader *r = ctx;

	NOT_READ(r->job, r->arena, &r->unread, path, why);
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
		while (n < kept + GV_SCAN_PIECE &&
		       (got = it->read(it->ctx, r->piece + n, kept + GV_SCAN_PIECE - n)) > 0)
			n += (size_t)got;
		gv_scan_feed(s, at, (gv_str){ r->piece, n }, got == 0);
		r->job->bytes += n - kept;
		if (got > 0 && stopped(r->job))
			got = -ECANCELED;
		if (r->job->own)
			say(r->job, false);
		if (got <= 0)
			break;
		kept = n < GV_SCAN_KEEP ? n : GV_SCAN_KEEP;
		at += n - kept;
		memmove(r->piece, r->piece + n - kept, kept);
		n = kept;
	}
	return got < 0 ? (int)got : 0;
}

static const char *why_not(int err)
{
	return err == -EFBIG	 ? "more is unpacked than the limit (--max-archive=SIZE)"
	       : err == -EBADMSG ? "damaged in the archive"
				 : strerror(-err);
}

static void scan(struct reader *r, struct gv_inspect *x, const struct gv_tree_item *it)
{
	struct gv_scan *s = gv_scan_new(x);
	int err = 0;

	if (it->read) {
		err = scan_stream(r, s, it);
	} else {
		gv_scan_feed(s, 0, it->bytes, true);
		r->job->bytes += it->bytes.n;
	}
	gv_scan_end(s);
	if (err)
		gv_file_note(x, "not read to its end: %s", why_not(err));
}

static void let_go(struct reader *r)
{
	if (r->large)
		pthread_mutex_unlock(&r->job->large);
	r->large = false;
}

/* A document as a whole: those of a stream are collected first. */
static void read_document(struct reader *r, struct gv_inspect *x, const struct gv_document *doc,
			  const struct gv_tree_item *it)
{
	struct gv_buf b = { 0 };
	gv_str bytes = it->bytes;

	x->file->type = doc->type;
	if (it->read) {
		char piece[16384];
		ssize_t got = 0;

		gv_put(&b, it->head);
		while (b.n <= GV_DOCUMENT_MAX && (got = it->read(it->ctx, piece, sizeof(piece))) > 0) {
			gv_put(&b, (gv_str){ piece, (size_t)got });
			if (b.n > LARGE && !r->large) {
				pthread_mutex_lock(&r->job->large);
				r->large = true;
			}
		}
		bytes = gv_buf_str(&b);
		if (got < 0)
			gv_file_note(x, "not read to its end: %s", why_not((int)got));
	}
	r->job->bytes += bytes.n;
	if (doc->begins)
		bytes = gv_sub(bytes, 0, GV_DOCUMENT_MAX);
	if (bytes.n > GV_DOCUMENT_MAX) {
		gv_file_note(x, "larger than %zu MiB: not read", GV_DOCUMENT_MAX >> 20);
	} else {
		doc->read(x, bytes);
		if (doc->scan) {
			struct gv_tree_item whole = { .bytes = bytes };

			scan(r, x, &whole);
			r->job->bytes -= bytes.n;
		}
	}
	gv_buf_free(&b);
	let_go(r);
}

/* ---- Layers and links ---- */

static bool within(const struct gv_image_layer *l, gv_str path)
{
	return path.n > l->path.n && path.p[l->path.n] == '!' && memcmp(path.p, l->path.p, l->path.n) == 0;
}

/* Before anything else of it is kept: what stays of it must not go with what does not matter. */
static void note_place(struct reader *r, const struct gv_tree_item *it, bool opened)
{
	struct gv_image_layer *l;

	while (r->nwithin && !within(r->within[r->nwithin - 1], it->path))
		r->nwithin--;
	l = r->nwithin ? r->within[r->nwithin - 1] : NULL;
	if (l && r->job->nnames++ >= GV_LAYER_NAMES)
		l->full = true;
	else if (l && it->depth == r->depth[r->nwithin - 1])
		gv_image_layer_member(l, gv_from(it->path, l->path.n + 1), it->type == GV_AR_DIR);
	if (it->type == GV_AR_LINK)
		KEEP_LINK(r->job, r->arena, &r->links, .path = gv_dup(r->arena, it->path),
			  .target = gv_dup(r->arena, it->link), .hard = it->hard, .layer = l);
	if (it->type != GV_AR_FILE || !gv_image_is_layer(it->path) || r->nwithin == LAYERS_DEEP ||
	    r->job->nlayers++ >= LAYERS_MAX)
		return;
	l = gv_image_layer_new(r->arena, it->path, it->size);
	l->opened = opened;
	*gv_push(r->arena, &r->layers) = l;
	if (!opened)
		return;
	r->depth[r->nwithin] = it->depth + 1;
	r->within[r->nwithin++] = l;
}

static void read_item(struct reader *r, struct gv_inspect *x, const struct gv_tree_item *it)
{
	const struct gv_document *doc = gv_document_of(x->item);

	if (doc && doc->head) {
		x->file->type = doc->type;
		doc->read(x, it->head);
	}
	if (doc && !doc->head)
		read_document(r, x, doc, it);
	else if (gv_is_payload(x->item))
		r->skipped++;
	else
		scan(r, x, it);
}

static int on_item(void *ctx, const struct gv_tree_item *it, bool opened)
{
	struct reader *r = ctx;
	struct gv_arena_mark mark;
	struct gv_item item = { .path = it->path, .head = it->head, .size = it->size };
	struct gv_file *f;
	struct gv_inspect x = { .item = &item, .unpack = gv_unpack_head };

	if (stopped(r->job))
		return -ECANCELED;
	tell_now(r->job, it->path);
	note_place(r, it, opened);
	if (it->type == GV_AR_FILE && !opened)
		r->job->seen++;
	if (it->err)
		on_unread(r, it->path, gv_str_of(it->err == EACCES ? "encrypted" : why_not(-it->err)));
	if (it->err || opened || it->type != GV_AR_FILE)
		return 0;
	item.name = gv_file_name(it->path);
	mark = gv_arena_mark(r->arena);
	f = GV_NEW(r->arena, struct gv_file);
	f->path = gv_dup(r->arena, it->path);
	f->size = it->size;
	f->root = r->root;
	f->in_layer = r->nwithin ? r->within[r->nwithin - 1] : NULL;
	x.arena = r->arena;
	x.file = f;
	read_item(r, &x, it);
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

	r->root = w->root;
	r->nwithin = 0;
	err = gv_tree_file(w->fd, path, w->size, &r->left, &sink);
	let_go(r); /* a file that ended too early may have left it */
	if (err == -EIO)
		on_unread(r, path, GV_STR("became shorter while it was read, or cannot be read from its disk"));
	else if (err && err != -E2BIG && err != -ECANCELED)
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
	j->running--;
	pthread_cond_broadcast(&j->moved);
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
		say(j, false);
		return;
	}
	pthread_mutex_lock(&j->lock);
	while (j->n == QUEUE)
		wait_moved(j);
	j->queue[(j->first + j->n++) % QUEUE] = w;
	pthread_cond_broadcast(&j->moved);
	pthread_mutex_unlock(&j->lock);
}

/* ---- Folders ---- */

static int on_entry(void *ctx, const struct gv_walk_entry *e)
{
	struct job *j = ctx;
	struct gv_buf b = { 0 };
	gv_str path = e->path;
	int fd = -1;

	if (stopped(j))
		return -ECANCELED;
	say(j, false);
	if (j->prefix.n) {
		gv_printf(&b, "%.*s/%.*s", GV_ARG(j->prefix), GV_ARG(e->path));
		path = gv_buf_str(&b);
	}
	if (!e->err && e->kind == GV_WALK_FILE)
		fd = gv_file_open_at(e->dirfd, e->name);
	if (fd >= 0)
		enqueue(j, (struct waiting){ fd, e->size, own_name(path), j->root });
	else if (e->err || e->kind == GV_WALK_FILE)
		NOT_READ(j, j->arena, &j->unread, path,
			 e->err == E2BIG ? GV_STR("folders nested too deep")
					 : gv_str_of(strerror(e->err ? e->err : -fd)));
	else if (e->kind == GV_WALK_OTHER)
		NOT_READ(j, j->arena, &j->unread, path, GV_STR("a FIFO, a socket or a device: not opened"));
	else if (e->kind == GV_WALK_LINK)
		KEEP_LINK(j, j->arena, &j->links, .path = gv_dup(j->arena, path), .target = gv_dup(j->arena, e->link));
	gv_buf_free(&b);
	return 0;
}

static gv_str base_of(gv_str path)
{
	return gv_from(path, (size_t)(gv_rfind(path, "/") + 1));
}

/* A file is called by its name alone, unless several have that: two images of one name must not be taken for one. */
static void name_paths(struct gv_arena *a, const gv_str *paths, size_t n, gv_str *ret)
{
	struct gv_map one = { .arena = a }; /* the only one of its name, or `none` */
	const gv_str none = GV_NONE;

	for (size_t i = 0; i < n; i++) {
		void **slot = gv_map_put(&one, base_of(paths[i]));

		*slot = (void *)(*slot ? &none : &paths[i]);
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = gv_map_get(&one, base_of(paths[i])) == &paths[i] ? base_of(paths[i]) : paths[i];
}

static int walk_path(struct job *j, gv_str path, gv_str name, bool several, struct gv_buf *err)
{
	struct gv_walk_limits limits = { .depth = GV_WALK_DEPTH_MAX, .members = j->opts->members };
	const char *z = gv_dupz(j->arena, path);
	int fd = gv_file_open(z), r;

	if (fd >= 0) {
		int64_t size = gv_fd_size(fd);

		enqueue(j, (struct waiting){ fd, size > 0 ? (uint64_t)size : 0, own_name(name), j->root });
		return 0;
	}
	while (path.n > 1 && gv_ends(path, "/"))
		path.n--;
	j->prefix = several ? path : GV_NONE;
	r = fd == -EISDIR ? gv_dir_walk(z, limits, on_entry, j) : fd;
	if (r == -E2BIG) {
		NOT_READ(j, j->arena, &j->unread, path,
			 GV_STR("more files than the limit (--max-members=N): the rest is not read"));
		r = 0;
	}
	if (r < 0 && r != -ECANCELED)
		gv_printf(err, "%.*s: %s", GV_ARG(path), r == -ENOTSUP ? "neither a file nor a folder" : strerror(-r));
	return r;
}

/* ---- All of it ---- */

/* Files of one path are of different layers. */
static int by_path(const void *a, const void *b)
{
	const struct gv_file *x = *(struct gv_file *const *)a, *y = *(struct gv_file *const *)b;
	int r = gv_cmp(x->path, y->path);

	r = r ? r : x->layer - y->layer;
	r = r ? r : gv_cmp(x->stored, y->stored);
	return r ? r : (int)x->root - (int)y->root;
}

static int by_unread(const void *a, const void *b)
{
	const struct gv_not_read *x = a, *y = b;
	int r = gv_cmp(x->path, y->path);

	return r ? r : gv_cmp(x->why, y->why);
}

#define APPEND(arena, to, from)                                                                                        \
	for (size_t i_ = 0; i_ < (from)->n; i_++)                                                                      \
	*gv_push((arena), (to)) = (from)->v[i_]

static void merge(struct gv_inventory *inv, struct reader *r)
{
	APPEND(inv->arena, &inv->files, &r->files);
	APPEND(inv->arena, &inv->unread, &r->unread);
	APPEND(inv->arena, &inv->layers, &r->layers);
	APPEND(inv->arena, &inv->links, &r->links);
	inv->skipped += r->skipped;
	free(r->piece);
}

static void tell_caps(struct gv_inventory *inv, const struct job *j)
{
	if (j->nunread > UNREAD_MAX)
		*gv_push(inv->arena, &inv->unread) =
		    (struct gv_not_read){ GV_STR("(others)"), gv_fmt(inv->arena, "%zu more of which not all was read",
								     j->nunread - UNREAD_MAX) };
	if (j->nlinks > LINKS_MAX)
		*gv_push(inv->arena, &inv->unread) =
		    (struct gv_not_read){ GV_STR("(links)"), gv_fmt(inv->arena, "of %zu links %zu are followed",
								    (size_t)j->nlinks, LINKS_MAX) };
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

static unsigned start_readers(struct gv_inventory *inv, struct job *j, struct reader *readers, pthread_t *threads,
			      unsigned want)
{
	const struct gv_inventory_opts *opts = j->opts;
	unsigned nesting = opts->nesting < GV_INVENTORY_NESTING_MAX ? opts->nesting : GV_INVENTORY_NESTING_MAX,
		 started = 0;

	j->pool.members = opts->members;
	j->pool.total = j->pool.more = opts->archive;
	for (unsigned i = 0; i < want; i++) {
		readers[i].job = j;
		readers[i].arena = inv->readers[i] = gv_arena_new();
		readers[i].left.archives = (struct gv_ar_budget){ .pool = &j->pool };
		readers[i].left.nesting = nesting;
	}
	j->running = want;
	while (want > 1 && started < want && !pthread_create(&threads[started], NULL, run_reader, &readers[started]))
		started++;
	pthread_mutex_lock(&j->lock);
	j->running -= want - started;
	pthread_mutex_unlock(&j->lock);
	if (!started)
		j->own = &readers[0];
	return started;
}

static void end_readers(struct job *j, const pthread_t *threads, unsigned started)
{
	pthread_mutex_lock(&j->lock);
	j->done = true;
	pthread_cond_broadcast(&j->moved);
	while (j->running)
		wait_moved(j);
	pthread_mutex_unlock(&j->lock);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

int gv_inventory_read(struct gv_inventory *inv, const gv_str *paths, size_t n, const struct gv_inventory_opts *opts,
		      struct gv_buf *err)
{
	struct job j = { .opts = opts, .arena = inv->arena, .said_at = gv_clock_boot() + WAIT };
	unsigned want = opts->threads ? opts->threads : gv_processors(), started;
	struct reader readers[GV_READERS] = { 0 };
	pthread_t threads[GV_READERS];
	gv_str *names = GV_NEWN(inv->arena, gv_str, n);
	int r = 0;

	if (want > GV_READERS)
		want = GV_READERS;
	pthread_mutex_init(&j.lock, NULL);
	pthread_mutex_init(&j.large, NULL);
	pthread_cond_init(&j.moved, NULL);
	started = start_readers(inv, &j, readers, threads, want);
	for (size_t i = 0; i < n; i++)
		*gv_push(inv->arena, &inv->roots) = paths[i];
	name_paths(inv->arena, paths, n, names);
	for (size_t i = 0; i < n && !r; i++, j.root++)
		r = walk_path(&j, paths[i], names[i], n > 1, err);
	end_readers(&j, threads, started);
	for (unsigned i = 0; i < want; i++)
		merge(inv, &readers[i]);
	if (!r && stopped(&j))
		r = -ECANCELED;
	APPEND(inv->arena, &inv->unread, &j.unread);
	APPEND(inv->arena, &inv->links, &j.links);
	inv->seen = j.seen;
	inv->bytes = j.bytes;
	tell_caps(inv, &j);
	gv_inventory_images(inv);
	order(inv);
	inv->stopped = opts->stopped;
	if (!r)
		gv_inventory_resolve(inv);
	return !r && stopped(&j) ? -ECANCELED : r;
}

void gv_inventory_free(struct gv_inventory *inv)
{
	for (size_t i = 0; i < GV_READERS; i++)
		gv_arena_free(inv->readers[i]);
}
