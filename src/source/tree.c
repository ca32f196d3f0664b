/* SPDX-License-Identifier: Apache-2.0 */
#include "source/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sys/feed.h"
#include "sys/mmap.h"

#define SMALL ((uint64_t)64 << 10) /* files up to here are read: cheaper than to map them */

struct level {
	gv_str path;
	unsigned depth;
	struct gv_tree_limits *left;
	const struct gv_tree_sink *sink;
};

static int handle(struct level *l, struct gv_tree_item *it);

static int on_member(void *ctx, const struct gv_ar_member *m)
{
	struct level *l = ctx;
	char head[GV_AR_HEAD];
	struct gv_buf path = { 0 };
	struct gv_tree_item it = { .type = m->type,
				   .link = m->link,
				   .hard = m->hard,
				   .size = m->size ? m->size : UINT64_MAX,
				   .depth = l->depth + 1 };
	size_t n = m->bytes.n < sizeof(head) ? m->bytes.n : sizeof(head);
	int r;

	gv_printf(&path, "%.*s!%.*s", GV_ARG(l->path), GV_ARG(m->name));
	it.path = gv_buf_str(&path);
	if (n)
		memcpy(head, m->bytes.p, n);
	it.head = (gv_str){ head, n };
	if (m->err == EFBIG && m->more) {
		while (n < sizeof(head)) {
			ssize_t got = m->more(m->more_ctx, head + n, sizeof(head) - n);

			if (got < 0)
				it.err = (int)-got;
			if (got <= 0)
				break;
			n += (size_t)got;
		}
		it.head.n = n;
		it.read = m->more;
		it.ctx = m->more_ctx;
	} else {
		it.bytes = it.head;
		it.size = n;
		it.err = m->err;
	}
	r = handle(l, &it);
	gv_buf_free(&path);
	return r;
}

static int open_archive(struct level *outer, struct gv_tree_item *it)
{
	struct level l = { it->path, it->depth, outer->left, outer->sink };
	struct gv_buf err = { 0 };
	gv_str name = gv_from(it->path, (size_t)(gv_rfind(it->path, "!") + 1));
	int r;

	l.left->archives.document = 0; /* all members come piece by piece */
	if (it->read)
		r = gv_ar_walk_feed(&(struct gv_ar_feed){ it->head, it->read, it->ctx }, name, &l.left->archives,
				    on_member, &l, &err);
	else
		r = gv_ar_walk(it->bytes, name, &l.left->archives, on_member, &l, &err);
	if (err.n) {
		l.sink->unread(l.sink->ctx, it->path, gv_buf_str(&err));
		r = r == -E2BIG ? r : 0;
	}
	gv_buf_free(&err);
	return r;
}

static int handle(struct level *l, struct gv_tree_item *it)
{
	bool archive = it->type == GV_AR_FILE && !it->err && gv_ar_kind(it->head) != GV_AR_NONE;
	int r;

	if (archive && it->depth >= l->left->nesting) {
		l->sink->unread(l->sink->ctx, it->path, GV_STR("archives nested too deep (--max-nesting=N)"));
		archive = false;
	}
	r = l->sink->item(l->sink->ctx, it, archive);
	return archive && !r ? open_archive(l, it) : r;
}

struct whole {
	struct level level;
	struct gv_tree_item it;
	int r;
};

static void handle_whole(void *ctx)
{
	struct whole *w = ctx;

	w->r = handle(&w->level, &w->it);
}

int gv_tree_file(int fd, gv_str path, uint64_t size, struct gv_tree_limits *left, const struct gv_tree_sink *sink)
{
	struct whole w = { .level = { path, 0, left, sink }, .it = { .path = path, .type = GV_AR_FILE, .size = size } };
	char small[SMALL];
	int r;

	if (size <= SMALL) {
		ssize_t n = gv_fd_some(fd, small, (size_t)size);

		if (n < 0)
			return (int)n;
		w.it.bytes = (gv_str){ small, (size_t)n };
		w.it.size = (uint64_t)n;
		w.it.head = gv_sub(w.it.bytes, 0, GV_AR_HEAD);
		handle_whole(&w);
		return w.r;
	}
	r = gv_map_file(fd, size, &w.it.bytes);
	if (r)
		return r;
	w.it.head = gv_sub(w.it.bytes, 0, GV_AR_HEAD);
	r = gv_map_guard(handle_whole, &w);
	gv_unmap_file(w.it.bytes);
	return r ? r : w.r;
}
