/* SPDX-License-Identifier: Apache-2.0 */
/* One thread at a time reads the next block, each looks for hits in its own, and blocks are added to the log in their
 * order by whichever thread is done with the next one. Blocks that wait for their turn are few. */
#include "engine/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "sys/feed.h"

#define BLOCK ((size_t)256 << 10) /* bytes; what a processor's own cache holds */
#define THREADS 4
#define RING                                                                                                           \
	64 /* blocks between the one that is added next and the one that is read next: a thread may be held up for     \
	      long */
#define ALONE 16 /* blocks that are read before other threads are worth their start */
#define STACK ((size_t)512 << 10)

struct slot {
	char *p;
	struct gv_block_hits hits;
	struct slot *next_free;
	size_t seq;
};

struct job {
	struct gv_run *run;
	struct gv_sigs *sigs;
	struct gv_log *log;
	struct gv_stream *stream;

	/* under `reading` */
	pthread_mutex_t reading;
	enum gv_encoding encoding;
	char *wide; /* UTF-16 as it came */
	size_t nwide;
	char *carry; /* the beginning of a line whose end has not come */
	size_t ncarry, max_line, cap;
	bool begun, skip, at_end; /* skip: up to the next line's end */
	int err;
	size_t next_read;

	/* under `ring` */
	pthread_mutex_t ring;
	pthread_cond_t moved;
	struct slot slot[RING];
	struct slot *free;	  /* the one that was used last comes first: the processor still has it */
	struct slot *ready[RING]; /* by number of the block; NULL: not yet */
	size_t next_add;
	bool adding;
};

struct gv_sigs *gv_run_sigs(struct gv_run *run)
{
	if (!run->sigs)
		run->sigs = gv_sigs_new(run->arena);
	return run->sigs;
}

static void *must(void *p)
{
	if (!p)
		gv_oom();
	return p;
}

/* Up to n bytes of what comes. */
static size_t pull(struct job *j, char *p, size_t n)
{
	ssize_t got = j->err ? 0 : j->stream->pull.read(j->stream->pull.ctx, p, n);

	if (got < 0)
		j->err = (int)-got;
	if (got <= 0)
		j->at_end = true;
	return got > 0 ? (size_t)got : 0;
}

/* The same in UTF-8, where it came as UTF-16. */
static size_t pull_wide(struct job *j, char *p, size_t n)
{
	size_t used, want = n / 2 > 8 ? n / 2 - 8 : 0, got;

	if (want > BLOCK)
		want = BLOCK;
	j->nwide += pull(j, j->wide + j->nwide, want);
	got = gv_from_utf16((gv_str){ j->wide, j->nwide }, j->encoding == GV_UTF16_BIG, j->at_end, p, &used);
	memmove(j->wide, j->wide + used, j->nwide - used);
	j->nwide -= used;
	return got;
}

/* A byte order mark, which UTF-16's has become by now as well, is no text. */
static size_t without_mark(struct job *j, char *p, size_t n)
{
	j->begun = true;
	if (n < 3 || memcmp(p, "\xef\xbb\xbf", 3) != 0)
		return n;
	memmove(p, p + 3, n - 3);
	return n - 3;
}

/* Fills a block with whole lines; false at the end. */
static bool next_block(struct job *j, struct slot *s)
{
	size_t n = j->ncarry;

	if (!s->p)
		s->p = must(malloc(j->cap));
	memcpy(s->p, j->carry, n);
	j->ncarry = 0;
	s->hits.cut = false;
	for (;;) {
		size_t room = j->cap - n < BLOCK ? j->cap - n : BLOCK, got;
		char *nl;

		got = j->at_end ? 0 : j->encoding == GV_UTF8 ? pull(j, s->p + n, room) : pull_wide(j, s->p + n, room);
		if (!j->begun && got)
			got = without_mark(j, s->p, got);
		if (j->skip && got) {
			nl = memchr(s->p, '\n', got);
			if (!nl)
				continue;
			got -= (size_t)(nl + 1 - s->p);
			memmove(s->p, nl + 1, got);
			j->skip = false;
		}
		nl = got ? memrchr(s->p + n, '\n', got) : NULL;
		n += got;
		if (nl) {
			j->ncarry = n - (size_t)(nl + 1 - s->p);
			memcpy(j->carry, nl + 1, j->ncarry);
			s->hits.bytes = (gv_str){ s->p, (size_t)(nl + 1 - s->p) };
			return true;
		}
		if (j->at_end) {
			s->hits.bytes = (gv_str){ s->p, n };
			return n > 0;
		}
		if (n > j->max_line) {
			s->hits.bytes = (gv_str){ s->p, j->max_line };
			s->hits.cut = j->skip = true;
			return true;
		}
	}
}

static void add_done(struct job *j, struct slot *mine)
{
	struct slot *s;

	pthread_mutex_lock(&j->ring);
	j->ready[mine->seq % RING] = mine;
	while (!j->adding && (s = j->ready[j->next_add % RING])) {
		j->adding = true;
		pthread_mutex_unlock(&j->ring);
		gv_log_add(j->log, &s->hits);
		pthread_mutex_lock(&j->ring);
		j->adding = false;
		j->ready[j->next_add++ % RING] = NULL;
		s->next_free = j->free;
		j->free = s;
		pthread_cond_broadcast(&j->moved);
	}
	pthread_mutex_unlock(&j->ring);
}

/* Reads the next block into a slot that is free; NULL at the end. */
static struct slot *take_block(struct job *j)
{
	struct slot *s = NULL;
	bool got;

	pthread_mutex_lock(&j->reading);
	pthread_mutex_lock(&j->ring);
	while (j->next_read - j->next_add >= RING)
		pthread_cond_wait(&j->moved, &j->ring);
	s = j->free;
	j->free = s->next_free;
	pthread_mutex_unlock(&j->ring);
	s->seq = j->next_read;
	got = next_block(j, s);
	j->next_read += got;
	pthread_mutex_unlock(&j->reading);
	if (got)
		return s;
	pthread_mutex_lock(&j->ring);
	s->next_free = j->free;
	j->free = s;
	pthread_mutex_unlock(&j->ring);
	return NULL;
}

/* At most so many blocks; false where the log has ended. */
static bool work(struct job *j, size_t max)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_finder *f = gv_finder_new(a, j->sigs, j->run);
	struct slot *s = NULL;

	while (max-- && (s = take_block(j))) {
		gv_find_hits(f, &s->hits);
		add_done(j, s);
	}
	gv_finder_free(f);
	gv_arena_free(a);
	return s != NULL;
}

static void *helper(void *ctx)
{
	work(ctx, SIZE_MAX);
	return NULL;
}

/* Where no thread can be had, this one does it all. */
static void work_together(struct job *j, unsigned threads)
{
	pthread_t id[THREADS];
	unsigned n = 0;
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) == 0) {
		pthread_attr_setstacksize(&attr, STACK);
		while (n + 1 < threads && pthread_create(&id[n], &attr, helper, j) == 0)
			n++;
		pthread_attr_destroy(&attr);
	}
	work(j, SIZE_MAX);
	while (n)
		pthread_join(id[--n], NULL);
}

static unsigned threads_for(const struct gv_run *run)
{
	unsigned n = run->threads ? run->threads : gv_processors();

	return n > THREADS ? THREADS : n;
}

void gv_read_log(struct gv_run *run, struct gv_doc *doc)
{
	struct gv_stream *st = doc->stream;
	unsigned threads = threads_for(run);
	struct job j = { .run = run, .sigs = gv_run_sigs(run), .stream = st, .encoding = st->encoding };

	j.max_line = run->limits.line < GV_LOG_LINE ? run->limits.line : GV_LOG_LINE;
	j.cap = j.max_line + 2 * BLOCK;
	j.carry = must(malloc(j.cap));
	j.wide = j.encoding == GV_UTF8 ? NULL : must(malloc(BLOCK + 8));
	j.log = gv_log_new(j.sigs, run, doc);
	for (size_t i = RING; i--; j.free = &j.slot[i])
		j.slot[i].next_free = j.free;
	pthread_mutex_init(&j.reading, NULL);
	pthread_mutex_init(&j.ring, NULL);
	pthread_cond_init(&j.moved, NULL);
	if (threads == 1)
		work(&j, SIZE_MAX);
	else if (work(&j, ALONE))
		work_together(&j, threads);
	pthread_cond_destroy(&j.moved);
	pthread_mutex_destroy(&j.ring);
	pthread_mutex_destroy(&j.reading);
	if (j.err)
		st->why = gv_fmt(run->arena, "read up to byte %llu only: %s", (unsigned long long)st->bytes,
				 j.err == ENODATA ? "the file became shorter meanwhile" : strerror(j.err));
	gv_log_end(j.log);
	for (size_t i = 0; i < RING; i++) {
		gv_arena_free(j.slot[i].hits.arena);
		free(j.slot[i].p);
	}
	free(j.carry);
	free(j.wide);
	if (st->pull.close)
		st->pull.close(st->pull.ctx);
	st->pull = (struct gv_pull){ 0 };
	if (st->why.n)
		gv_unread(run, doc->name, st->why);
}
