/* SPDX-License-Identifier: Apache-2.0 */
/* Engines and entries of caches that were made for another device than the target's: a finding for each kind of cache.
 */
#include "inspect/cachekey.h"
#include "inspect/target_judge.h"

#define QUOTES 3

/* The target as far as caches depend on it. */
static void machine_of(const struct gv_judging *w, struct gv_machine *m)
{
	const struct gv_target *t = w->t;
	struct gv_buf err = { 0 };
	gv_str from = GV_STR("target");

	if (t->sm)
		gv_machine_state(m, GV_STR("arch"), gv_fmt(m->arena, "sm_%u", t->sm), from, &err);
	else if (t->gfx.n)
		gv_machine_state(m, GV_STR("arch"), t->gfx, from, &err);
	if (gv_find_c(t->gfx, ':') >= 0)
		gv_machine_state(m, GV_STR("isa"), t->gfx, from, &err);
	gv_buf_free(&err); /* what is no value for it stays unknown */
}

static bool counts(const struct gv_cache_fit *f)
{
	return f->fits == 0 && !f->beside;
}

static void found(struct gv_judging *w, const gv_cache_fits *fits, size_t first)
{
	const struct gv_cache_fit *f = &fits->v[first];
	struct gv_arena *a = w->inv->arena;
	struct gv_judgement *j;
	size_t n = 0;

	for (size_t i = first; i < fits->n; i++)
		n += counts(&fits->v[i]) && gv_eq(gv_str_of(fits->v[i].artefact->kind), gv_str_of(f->artefact->kind));
	j = gv_judge_found(
	    w, GV_K_ENGINE_CACHE_MISMATCH, GV_WARN, f->artefact->unconfirmed ? GV_LOW : GV_MEDIUM, f->file->path,
	    n > 1 ? gv_fmt(a, "%.*s (%s): %.*s; likewise %zu more", GV_ARG(f->file->path), f->artefact->kind,
			   GV_ARG(f->why), n - 1)
		  : gv_fmt(a, "%.*s (%s): %.*s", GV_ARG(f->file->path), f->artefact->kind, GV_ARG(f->why)));
	n = 0;
	for (size_t i = first; i < fits->n && n < QUOTES; i++)
		if (counts(&fits->v[i]) && gv_eq(gv_str_of(fits->v[i].artefact->kind), gv_str_of(f->artefact->kind))) {
			gv_judge_quote(w, j, fits->v[i].file, fits->v[i].why, 0);
			n++;
		}
}

void gv_judge_caches(struct gv_judging *w)
{
	struct gv_inventory here = { .arena = w->inv->arena };
	struct gv_machine m = { .arena = w->inv->arena };
	struct gv_map told = { .arena = w->inv->arena };
	gv_cache_fits fits = { 0 };
	const struct gv_file *f;

	for (size_t at = 0; (f = gv_judged_file(w, &at));)
		if (f->artefacts.n)
			*gv_push(here.arena, &here.files) = (struct gv_file *)f;
	if (!here.files.n)
		return;
	machine_of(w, &m);
	gv_cache_check(&m, &here, GV_NONE, &fits);
	for (size_t i = 0; i < fits.n; i++) {
		void **slot;

		if (!counts(&fits.v[i]))
			continue;
		slot = gv_map_put(&told, gv_str_of(fits.v[i].artefact->kind));
		if (!*slot)
			found(w, &fits, i);
		*slot = &fits.v[i];
	}
}
