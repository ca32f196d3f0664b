/* SPDX-License-Identifier: Apache-2.0 */
/* What an image, or a package of conda, demands of the driver by a declaration.
 *
 * NVIDIA_REQUIRE_CUDA="cuda>=12.4 brand=tesla,driver>=470,driver<471": alternatives apart by blanks, each a list of
 * conditions apart by commas that hold together. NVIDIA's container runtime refuses to start the image where none
 * holds. */
#include "core/cuda.h"
#include "inspect/target_judge.h"

enum holds { NO, MAYBE, YES };

/* What the target is known to have, in the words of the conditions. Empty: unknown. */
static gv_str property(const struct gv_judging *w, gv_str name)
{
	struct gv_arena *a = w->inv->arena;
	const struct gv_target *t = w->t;

	if (gv_is(name, "cuda") && t->cuda)
		return gv_cuda_text(a, t->cuda);
	if (gv_is(name, "driver"))
		return t->driver;
	if (gv_is(name, "arch") && t->sm)
		return gv_fmt(a, "%u.%u", t->sm / 10, t->sm % 10);
	return GV_NONE;
}

/* "cuda>=12.4" */
static enum holds condition(const struct gv_judging *w, gv_str text)
{
	size_t n = 0, op;
	gv_str have;
	int c;

	while (n < text.n && text.p[n] != '<' && text.p[n] != '>' && text.p[n] != '=' && text.p[n] != '!')
		n++;
	for (op = n; op < text.n && (text.p[op] == '<' || text.p[op] == '>' || text.p[op] == '=' || text.p[op] == '!');)
		op++;
	have = property(w, gv_sub(text, 0, n));
	if (!have.n || op == n || op == text.n)
		return MAYBE; /* the brand is not known, nor what is new */
	c = gv_cmp_version(have, gv_from(text, op));
	text = gv_sub(text, n, op - n);
	return (gv_is(text, ">=")   ? c >= 0
		: gv_is(text, ">")  ? c > 0
		: gv_is(text, "<=") ? c <= 0
		: gv_is(text, "<")  ? c < 0
		: gv_is(text, "!=") ? c != 0
				    : c == 0)
		   ? YES
		   : NO;
}

static enum holds all_of(const struct gv_judging *w, gv_str text)
{
	enum holds worst = YES;
	gv_str one;

	while (gv_next(&text, ',', &one)) {
		enum holds h = one.n ? condition(w, one) : YES;

		worst = h < worst ? h : worst;
	}
	return worst;
}

static void of_image(struct gv_judging *w, const struct gv_file *f, gv_str env)
{
	gv_str rest = gv_after(env, "="), word;
	enum holds best = NO;
	struct gv_judgement *found;
	bool any = false;

	while (gv_word(&rest, &word)) {
		enum holds h = all_of(w, word);

		any = true;
		best = h > best ? h : best;
	}
	if (!any || best != NO)
		return;
	found = gv_judge_found(w, GV_K_CUDA_DRIVER_TOO_OLD, GV_FAIL, GV_HIGH, f->path,
			       gv_fmt(w->inv->arena,
				      "the image states %.*s, which driver %.*s does not meet: it is not started there",
				      GV_ARG(env), GV_ARG(w->t->driver)));
	gv_judge_quote(w, found, f, env, 0);
	gv_judge_worse(w, GV_FIT_NO, found->summary);
}

/* "__cuda >=12.4", conda's word for what the driver offers. */
static void of_package(struct gv_judging *w, const struct gv_package *p)
{
	struct gv_arena *a = w->inv->arena;

	for (size_t k = 0; k < p->requires.n; k++) {
		const struct gv_require *r = &p->requires.v[k];
		unsigned cuda = gv_is(r->name, "__cuda") ? gv_cuda_parse(gv_before(gv_after(r->spec, ">="), ",")) : 0;
		struct gv_judgement *found;

		if (!cuda || cuda <= w->t->cuda)
			continue;
		found = gv_judge_found(
		    w, GV_K_CUDA_DRIVER_TOO_OLD, GV_WARN, GV_HIGH, p->name,
		    gv_fmt(a, "%.*s declares that it needs CUDA %.*s of the driver, and driver %.*s offers %.*s",
			   GV_ARG(p->name), GV_ARG(gv_cuda_text(a, cuda)), GV_ARG(w->t->driver),
			   GV_ARG(gv_cuda_text(a, w->t->cuda))));
		gv_judge_quote(w, found, p->from, gv_fmt(a, "__cuda %.*s", GV_ARG(r->spec)), r->line);
		w->declared = true;
		return;
	}
}

/* "torch 2.6.0+cu124", which a list names: its driver by its name. */
static void of_name(struct gv_judging *w, const struct gv_package *p)
{
	struct gv_arena *a = w->inv->arena;
	struct gv_judgement *found;
	struct gv_by_name n;
	gv_str digits, need;
	unsigned major;

	if (!gv_package_by_name(p->eco, p->name, p->local, &n) || !gv_starts(n.toolkit, "cu"))
		return;
	digits = gv_from(n.toolkit, gv_starts(n.toolkit, "cuda") ? 4 : 2);
	major = gv_cuda_parse(gv_sub(digits, 0, 2)); /* "124", "12x", "12.4" */
	need = major >= 1000 ? gv_driver_for_cuda(major) : GV_NONE;
	if (!need.n)
		return;
	if (gv_cmp_version(need, w->j->driver) > 0)
		w->j->driver = need;
	if (gv_cmp_version(w->t->driver, need) >= 0)
		return;
	found = gv_judge_found(
	    w, GV_K_CUDA_DRIVER_TOO_OLD, GV_WARN, GV_MEDIUM, p->name,
	    gv_fmt(a, "%.*s %.*s is, by its name, for CUDA %u and needs driver %.*s or newer; %.*s has %.*s",
		   GV_ARG(p->name), GV_ARG(p->version), major / 100, GV_ARG(need), GV_ARG(w->t->name),
		   GV_ARG(w->t->driver)));
	gv_judge_quote(w, found, p->from, n.toolkit, p->line);
	w->declared = true;
}

void gv_judge_declared(struct gv_judging *w)
{
	size_t at = 0;

	if (w->t->vendor != GV_NVIDIA || !w->t->cuda)
		return;
	for (const struct gv_file *f; (f = gv_judged_file(w, &at));)
		for (size_t i = 0; i < f->oci.n; i++)
			for (size_t k = 0; k < f->oci.v[i]->env.n; k++)
				if (gv_starts(f->oci.v[i]->env.v[k], "NVIDIA_REQUIRE_CUDA="))
					of_image(w, f, f->oci.v[i]->env.v[k]);
	for (size_t i = 0; i < w->inv->packages.n && !w->declared; i++) {
		const struct gv_package *p = w->inv->packages.v[i];

		if (!p->from || p->from->root != w->j->root || p->from->hidden)
			continue;
		of_package(w, p);
		if (p->how != GV_PACKAGE_HERE && !w->declared)
			of_name(w, p);
	}
}
