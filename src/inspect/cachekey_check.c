/* SPDX-License-Identifier: Apache-2.0 */
/* Engines and caches against a machine: what one says of itself must not contradict what the machine is. What one of
 * both does not say is no contradiction. */
#include "core/arch.h"
#include "inspect/cachekey_common.h"

/* "8.5" and "8.5.3.1" are no contradiction: one says less. */
static bool same_version(gv_str a, gv_str b)
{
	gv_str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;

	return gv_eq(shorter, gv_sub(longer, 0, shorter.n)) &&
	       (longer.n == shorter.n || longer.p[shorter.n] == '.' || longer.p[shorter.n] == '+');
}

/* The features of a target that both name: "gfx90a:xnack-" does not run where xnack is on. */
static bool features_differ(gv_str of, gv_str here)
{
	gv_str word;

	gv_next(&of, ':', &word); /* the target itself */
	while (gv_next(&of, ':', &word)) {
		gv_str rest = here, mine;

		while (gv_next(&rest, ':', &mine))
			if (mine.n == word.n && mine.n > 1 &&
			    gv_eq(gv_sub(mine, 0, mine.n - 1), gv_sub(word, 0, word.n - 1)) && !gv_eq(mine, word))
				return true;
	}
	return false;
}

struct look {
	const struct gv_machine *m;
	struct gv_cache_prop arch, isa;
	size_t compared;
	struct gv_buf unlike, unknown;
};

static void differs(struct look *l, const char *name, gv_str made_for, gv_str here)
{
	gv_printf(&l->unlike, "%smade for %s %.*s, here it is %.*s", l->unlike.n ? "; " : "", name,
		  GV_ARG(gv_cut(made_for, 80)), GV_ARG(gv_cut(here, 80)));
}

static void compare_arch(struct look *l, gv_str made_for)
{
	if (gv_has(made_for, "generic"))
		return;
	if (!l->arch.value.n) {
		gv_printf(&l->unknown, "%sarch: %.*s", l->unknown.n ? "; " : "", GV_ARG(l->arch.why));
		return;
	}
	l->compared++;
	if (!gv_eq(gv_before(made_for, ":"), l->arch.value))
		differs(l, "arch", made_for, l->arch.value);
	else if (features_differ(made_for, l->isa.value))
		differs(l, "isa", made_for, l->isa.value);
}

static void compare(struct look *l, const struct gv_prop *p)
{
	struct gv_cache_prop here;

	if (gv_is(gv_str_of(p->key), "arch")) {
		compare_arch(l, p->value);
		return;
	}
	here = gv_cache_prop_named(l->m, p->key);
	if (!here.value.n) {
		if (here.how.n)
			gv_printf(&l->unknown, "%s%s: %.*s, state it with --set %s=VALUE", l->unknown.n ? "; " : "",
				  p->key, GV_ARG(here.why), p->key);
		return;
	}
	l->compared++;
	if (!same_version(p->value, here.value))
		differs(l, p->key, p->value, here.value);
}

/* By the machine code in it, where it does not say for whom it was made: some must be for this GPU. Engines may hold
 * code for others of its generation, and PTX. */
static void compare_code(struct look *l, const struct gv_file *f)
{
	struct gv_buf archs = { 0 };
	size_t images = 0, here = 0;

	for (size_t i = 0; i < f->code.n; i++) {
		const struct gv_code *c = &f->code.v[i];

		if (!c->vendor || !c->arch.n)
			continue;
		if (c->kind != GV_CODE_ELF) {
			here++; /* is compiled where it is used */
			continue;
		}
		images++;
		if (archs.n < 120)
			gv_printf(&archs, "%s%.*s", archs.n ? ", " : "", GV_ARG(gv_cut(c->arch, 40)));
		here += gv_arch_runs(l->arch.value, c->arch) != GV_RUNS_NOT;
	}
	if (images && l->arch.value.n) {
		if (!here)
			differs(l, "arch", gv_buf_str(&archs), l->arch.value);
		else
			l->compared++;
	}
	gv_buf_free(&archs);
}

static bool says(const struct gv_artefact *a, const char *key)
{
	for (size_t i = 0; i < a->props.n; i++)
		if (gv_is(gv_str_of(a->props.v[i].key), key))
			return true;
	return false;
}

static struct gv_cache_fit check_one(struct look *l, const struct gv_file *f, const struct gv_artefact *a)
{
	struct gv_cache_fit fit = { .file = f, .artefact = a };
	struct gv_arena *arena = l->m->arena;

	l->compared = l->unlike.n = l->unknown.n = 0;
	for (size_t i = 0; i < a->props.n; i++)
		compare(l, &a->props.v[i]);
	if (!says(a, "arch"))
		compare_code(l, f);
	fit.fits = l->unlike.n ? 0 : l->compared ? 1 : -1;
	if (l->unlike.n)
		fit.why = gv_dup(arena, gv_buf_str(&l->unlike));
	else if (l->unknown.n)
		fit.why = gv_dup(arena, gv_buf_str(&l->unknown));
	else if (!l->compared)
		fit.why = GV_STR("it does not say for what it was made");
	return fit;
}

/* Caches that find an entry by the device, so that those of several devices may lie side by side. */
static bool by_device(const char *kind)
{
	static const char *const kinds[] = { "comgr",		"cuda",	 "jax", "miopen", "onnxruntime", "tensile",
					     "tensorrt-timing", "triton" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (gv_is(gv_str_of(kind), kinds[i]))
			return true;
	return false;
}

static void set_beside(struct gv_arena *a, gv_cache_fits *all)
{
	struct gv_map fit = { .arena = a };

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].fits == 1)
			*gv_map_put(&fit, gv_str_of(all->v[i].artefact->kind)) = &all->v[i];
	for (size_t i = 0; i < all->n; i++)
		all->v[i].beside = all->v[i].fits == 0 && by_device(all->v[i].artefact->kind) &&
				   gv_map_get(&fit, gv_str_of(all->v[i].artefact->kind));
}

void gv_cache_check(const struct gv_machine *m, const struct gv_inventory *inv, gv_str cache, gv_cache_fits *ret)
{
	struct look l = { .m = m, .arch = gv_cache_prop_named(m, "arch"), .isa = gv_cache_prop_named(m, "isa") };

	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->artefacts.n; k++) {
			const struct gv_artefact *a = &inv->files.v[i]->artefacts.v[k];

			if (!cache.n || gv_is(cache, a->kind))
				*gv_push(m->arena, ret) = check_one(&l, inv->files.v[i], a);
		}
	set_beside(m->arena, ret);
	gv_buf_free(&l.unlike);
	gv_buf_free(&l.unknown);
}
