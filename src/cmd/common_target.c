/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/common_target.h"

#include <errno.h>
#include <string.h>

#include "engine/inventory.h"
#include "sys/file.h"

static int add(struct gv_call *c, struct gv_targets *all, const struct gv_target *t)
{
	for (size_t i = 0; i < all->all.n; i++)
		if (gv_eq(all->all.v[i]->name, t->name)) {
			gv_printf(c->err, "two targets have the name \"%.*s\"", GV_ARG(t->name));
			return GV_EXIT_USAGE;
		}
	if (all->all.n == GV_TARGETS_MAX) {
		gv_printf(c->err, "more than %d targets", GV_TARGETS_MAX);
		return GV_EXIT_USAGE;
	}
	*gv_push(c->arena, &all->all) = t;
	return 0;
}

static int add_text(struct gv_call *c, struct gv_targets *all, gv_str name, gv_str text)
{
	struct gv_target *t = GV_NEW(c->arena, struct gv_target);

	return gv_target_read(c->arena, name, text, t, c->err) ? GV_EXIT_USAGE : add(c, all, t);
}

static int cannot(struct gv_call *c, const char *what, int r)
{
	if (r == -EFBIG)
		gv_printf(c->err, "%s: larger than a target's file may be (1 MiB)", what);
	else
		gv_printf(c->err, "cannot open \"%s\": %s", what, strerror(-r));
	return GV_EXIT_NOINPUT;
}

/* A file where there is one of that name, else a word. */
static int add_one(struct gv_call *c, struct gv_targets *all, const char *arg)
{
	struct gv_target *t;
	gv_str name = gv_str_of(arg), text;
	int r = gv_file_read(arg, GV_TARGET_BYTES, c->arena, &text);

	if (!r)
		return add_text(c, all, name, text);
	if ((r != -ENOENT && r != -ENOTDIR && r != -EISDIR && r != -ENAMETOOLONG) || gv_find_c(name, '/') >= 0 ||
	    gv_ends(name, ".yaml") || gv_ends(name, ".yml"))
		return cannot(c, arg, r);
	t = GV_NEW(c->arena, struct gv_target);
	gv_puts(c->err, "--target: ");
	if (gv_target_word(c->arena, name, t, c->err))
		return GV_EXIT_USAGE;
	c->err->n = 0;
	return add(c, all, t);
}

/* ---- A folder ---- */

struct folder {
	struct gv_call *c;
	struct gv_targets *all;
	const char *dir;
	int status;
};

static int on_entry(void *ctx, const struct gv_walk_entry *e)
{
	struct folder *f = ctx;
	gv_str text, path;
	int r;

	if (e->kind != GV_WALK_FILE || !(gv_ends(e->path, ".yaml") || gv_ends(e->path, ".yml")) ||
	    gv_find_c(e->path, '/') >= 0)
		return 0;
	path = gv_fmt(f->c->arena, "%s/%.*s", f->dir, GV_ARG(e->path));
	r = e->err ? -e->err : gv_file_read_at(e->dirfd, e->name, GV_TARGET_BYTES, f->c->arena, &text);
	f->status = r ? cannot(f->c, path.p, r) : add_text(f->c, f->all, path, text);
	return f->status;
}

static int add_folder(struct gv_call *c, struct gv_targets *all, const char *dir)
{
	struct gv_walk_limits limits = { .depth = 1, .members = 10000 };
	struct folder f = { c, all, dir, 0 };
	size_t had = all->all.n;
	int r = gv_dir_walk(dir, limits, on_entry, &f);

	if (f.status)
		return f.status;
	if (r && r != -E2BIG)
		return cannot(c, dir, r);
	if (all->all.n == had) {
		gv_printf(c->err, "%s: no target (*.yaml) is in it", dir);
		return GV_EXIT_NOINPUT;
	}
	return 0;
}

int gv_call_targets(struct gv_call *c, const struct gv_target_opts *o, struct gv_targets *ret)
{
	int status = 0;

	for (size_t i = 0; i < o->target.n && !status; i++)
		status = add_one(c, ret, o->target.v[i]);
	if (!status && o->dir)
		status = add_folder(c, ret, o->dir);
	if (!status && o->live) {
		struct gv_target *live;
		size_t n = gv_targets_live(c->arena, &live);

		for (size_t i = 0; i < n && !status; i++)
			status = add(c, ret, &live[i]);
	}
	return status;
}
