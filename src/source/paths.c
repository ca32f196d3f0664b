/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/bundle.h"
#include "source/log.h"
#include "source/source.h"
#include "sys/archive.h"
#include "sys/feed.h"
#include "sys/file.h"

#define PEEK ((size_t)64 << 10) /* bytes that tell what a file is */

struct member_ctx {
	struct gv_run *run;
	gv_str outer;
	unsigned depth;
	struct gv_ar_budget *left;
	struct gv_bundle bundle;
};

static void unread_errno(struct gv_run *run, gv_str file, int err)
{
	gv_str why;

	if (err == EFBIG)
		why = gv_fmt(run->arena, "larger than a document may be (%zu MiB; --max-document=SIZE)", run->limits.document >> 20);
	else if (err == ENOTSUP)
		why = GV_STR("neither a file nor a folder");
	else if (err == E2BIG)
		why = GV_STR("folders nested too deep");
	else if (err == EBADMSG)
		why = GV_STR("damaged in the archive");
	else if (err == EACCES)
		why = GV_STR("not readable: permission denied, or encrypted");
	else
		why = gv_fmt(run->arena, "%s", strerror(err));
	gv_unread(run, file, why);
}

static void add_bytes(struct gv_run *run, gv_str name, gv_str bytes, unsigned depth, struct gv_ar_budget *left);

/* A member that is larger than a document may be: a log, or nothing that can be read. */
static bool add_large(struct gv_run *run, gv_str name, const struct gv_ar_member *m)
{
	char peek[PEEK];
	gv_str head = m->bytes;
	ssize_t n;

	if (head.n < sizeof(peek)) { /* nothing of it was read yet, or a document is very small */
		memcpy(peek, head.n ? head.p : "", head.n);
		n = m->more(m->more_ctx, peek + head.n, sizeof(peek) - head.n);
		head = (gv_str){ peek, head.n + (n > 0 ? (size_t)n : 0) };
	}
	if (gv_ar_kind(head) != GV_AR_NONE || gv_encoding_of(head) == GV_BINARY)
		return false;
	gv_log_member(run, name, head, m->more, m->more_ctx);
	return true;
}

static int on_member(void *ctx, const struct gv_ar_member *m)
{
	struct member_ctx *c = ctx;
	struct gv_run *run = c->run;
	gv_str name = gv_fmt(run->arena, "%.*s!%.*s", GV_ARG(c->outer), GV_ARG(m->name));
	size_t before = run->docs.n;

	if (m->type != GV_AR_FILE)
		return 0;
	if (!c->depth && !m->err && gv_bundle_member(&c->bundle, run, m->name, m->bytes))
		return 0;
	name = gv_bundle_name(&c->bundle, m->name, name);
	if (m->err == EFBIG && m->more && add_large(run, name, m))
		goto mark;
	if (m->err)
		unread_errno(run, name, m->err);
	if (!m->err || (m->err == EBADMSG && m->bytes.n))
		add_bytes(run, name, m->bytes, c->depth + 1, c->left);
mark:
	for (size_t i = before; i < run->docs.n; i++)
		gv_bundle_mark(&c->bundle, m->name, run->docs.v[i]);
	return 0;
}

static void add_archive(struct gv_run *run, gv_str name, gv_str bytes, unsigned depth, struct gv_ar_budget *left)
{
	struct member_ctx ctx = { run, name, depth, left, { 0 } };
	struct gv_buf err = { 0 };
	int r;

	if (depth >= run->limits.nesting) {
		gv_unread(run, name, gv_fmt(run->arena, "archives nested more than %u deep", run->limits.nesting));
		return;
	}
	r = gv_ar_walk(bytes, name, left, on_member, &ctx, &err);
	if (r < 0)
		gv_unread(run, name, err.n ? gv_dup(run->arena, gv_buf_str(&err)) : gv_fmt(run->arena, "%s", strerror(-r)));
	gv_buf_free(&err);
}

static void add_document(struct gv_run *run, gv_str name, gv_str bytes)
{
	struct gv_doc *doc;
	gv_str text;

	if (!bytes.n) {
		gv_unread(run, name, GV_STR("empty"));
		return;
	}
	if (!gv_to_utf8(run->arena, bytes, &text)) {
		gv_unread(run, name, GV_STR("binary, no text"));
		return;
	}
	doc = GV_NEW(run->arena, struct gv_doc);
	doc->name = gv_dup(run->arena, name);
	doc->text = text.p >= bytes.p && text.p <= bytes.p + bytes.n ? gv_dup(run->arena, text) : text;
	doc->index = run->docs.n;
	gv_doc_split(run->arena, doc, run->limits.line);
	if (doc->cut)
		gv_unread(run, name, doc->note);
	if (doc->own.n)
		gv_unread(run, name, doc->own);
	if (!doc->note.n)
		doc->note = doc->own;
	*gv_push(run->arena, &run->docs) = doc;
}

static void add_bytes(struct gv_run *run, gv_str name, gv_str bytes, unsigned depth, struct gv_ar_budget *left)
{
	if (gv_ar_kind(bytes) != GV_AR_NONE)
		add_archive(run, name, bytes, depth, left);
	else
		add_document(run, name, bytes);
}

static void add_top(struct gv_run *run, gv_str name, gv_str bytes)
{
	struct gv_ar_budget left = GV_AR_BUDGET;

	left.members = run->limits.members - run->members;
	left.total = run->limits.archive - run->inflated;
	left.document = run->limits.document;
	if (gv_ar_kind(bytes) != GV_AR_NONE && run->how != GV_HOW_STDIN)
		run->how = GV_HOW_BUNDLE;
	add_bytes(run, name, bytes, 0, &left);
	run->members = run->limits.members - left.members;
	run->inflated = run->limits.archive - left.total;
}

void gv_source_bytes(struct gv_run *run, gv_str name, gv_str bytes)
{
	add_top(run, name, bytes);
}

int gv_source_fd(struct gv_run *run, int fd, const char *name)
{
	char *p = NULL;
	size_t n = 0;
	int r = gv_fd_take(fd, run->limits.document, &p, &n);

	if (r == 1 && gv_ar_kind((gv_str){ p, n }) != GV_AR_NONE) {
		r = gv_fd_take(fd, run->limits.archive, &p, &n);
		if (r == 1)
			r = -EFBIG;
	}
	if (r == 1) {
		gv_log_pipe(run, gv_str_of(name), fd, p, n);
		return 0;
	}
	if (!r)
		add_top(run, gv_str_of(name), gv_dup(run->arena, (gv_str){ p, n }));
	free(p);
	return r;
}

/* A file that is larger than a document may be; the descriptor goes. An archive that was named on the command line may be. */
static int add_large_file(struct gv_run *run, gv_str name, int fd, bool named)
{
	int64_t size = gv_fd_size(fd);
	char peek[PEEK];
	ssize_t n = gv_fd_at(fd, 0, peek, sizeof(peek));
	bool archive = n > 0 && gv_ar_kind((gv_str){ peek, (size_t)n }) != GV_AR_NONE;
	gv_str bytes;
	int r = 0;

	if (n > 0 && !archive && size > 0) {
		gv_log_file(run, name, fd, (uint64_t)size);
		return 0;
	}
	if (n < 0)
		r = (int)n;
	else if (!named || !archive)
		r = -EFBIG;
	else
		r = gv_fd_read(fd, run->limits.archive, run->arena, &bytes);
	gv_fd_close(fd);
	if (r < 0)
		unread_errno(run, name, -r);
	else
		add_top(run, name, bytes);
	return 0;
}

struct folder_ctx {
	struct gv_run *run;
	struct gv_bundle bundle; /* of gpuvet's own making, that was unpacked */
};

static int on_entry(void *ctx, const struct gv_walk_entry *e)
{
	struct folder_ctx *c = ctx;
	struct gv_run *run = c->run;
	gv_str bytes, name = run->prefix.n ? gv_fmt(run->arena, "%.*s/%.*s", GV_ARG(run->prefix), GV_ARG(e->path)) : e->path;
	int r;

	if (e->err) {
		unread_errno(run, e->path.n ? name : GV_STR("."), e->err);
		return 0;
	}
	if (e->kind == GV_WALK_DIR)
		return 0;
	if (e->kind == GV_WALK_LINK) {
		gv_unread(run, name, gv_fmt(run->arena, "a link to %.*s; links are not followed", GV_ARG(e->link)));
		return 0;
	}
	if (e->kind == GV_WALK_OTHER) {
		unread_errno(run, name, ENOTSUP);
		return 0;
	}
	r = gv_file_read_at(e->dirfd, e->name, run->limits.document, run->arena, &bytes);
	if (r == -EFBIG) {
		r = gv_file_open_at(e->dirfd, e->name);
		if (r >= 0)
			return add_large_file(run, name, r, false);
	}
	c->bundle.members = 0; /* the first member of the archive is any of the folder */
	if (r < 0)
		unread_errno(run, name, -r);
	else if (!gv_bundle_member(&c->bundle, run, e->path, bytes))
		add_top(run, name, bytes);
	return 0;
}

static int walk_folder(struct gv_run *run, const char *path, struct gv_walk_limits limits)
{
	struct folder_ctx ctx = { run, { 0 } };
	size_t before = run->docs.n, prefix = run->prefix.n ? run->prefix.n + 1 : 0;
	int r = gv_dir_walk(path, limits, on_entry, &ctx);

	for (size_t i = before; i < run->docs.n; i++)
		gv_bundle_mark(&ctx.bundle, gv_from(run->docs.v[i]->name, prefix), run->docs.v[i]);
	return r;
}

/* "node1" of "captures/node1/". */
static gv_str last_part(const char *path)
{
	gv_str s = gv_str_of(path);
	ptrdiff_t slash;

	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	slash = gv_rfind(s, "/");
	return slash >= 0 && s.n > 1 ? gv_from(s, (size_t)slash + 1) : s;
}

int gv_source_path(struct gv_run *run, const char *path)
{
	struct gv_walk_limits limits = GV_WALK_LIMITS;
	const char *slash = strrchr(path, '/');
	gv_str name = gv_str_of(slash && slash[1] ? slash + 1 : path), bytes;
	int r = gv_file_read(path, run->limits.document, run->arena, &bytes);

	if (r == -ENOTSUP) {
		int fd = gv_pipe_open(path); /* <(command) is one */

		r = fd < 0 ? fd : gv_source_fd(run, fd, path);
		gv_fd_close(fd);
		return r;
	}
	if (r == -EISDIR) {
		limits.members = run->limits.members;
		run->prefix = run->several ? last_part(path) : GV_NONE;
		r = walk_folder(run, path, limits);
		run->prefix = GV_NONE;
		if (r == -E2BIG) {
			gv_unread(run, GV_STR("."), gv_fmt(run->arena, "the folder has more than %zu members: the rest was left out",
							run->limits.members));
			r = 0;
		}
		return r;
	}
	if (r == -EFBIG) {
		r = gv_file_open(path);
		return r < 0 ? r : add_large_file(run, name, r, true);
	}
	if (r < 0)
		return r;
	add_top(run, name, bytes);
	return 0;
}
