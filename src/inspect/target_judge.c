/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with an inventory on a target. Only what is certain is a failure; what some part of it may never use is
 * a warning, or only said. */
#include "inspect/target_judge.h"

#include <string.h>

#include "core/arch.h"
#include "core/cuda.h"

#define NAMES 4 /* libraries that a sentence names */

/* ---- Findings ---- */

struct gv_judgement *gv_judge_found(struct gv_judging *w, enum gv_kind kind, enum gv_severity severity,
				    enum gv_confidence confidence, gv_str part, gv_str summary)
{
	const struct gv_page *p = gv_page_of(kind);
	struct gv_arena *a = w->inv->arena;
	struct gv_judgement *f = gv_push(a, &w->inv->findings);

	*f = (struct gv_judgement){ .kind = kind,
				    .severity = severity,
				    .confidence = confidence,
				    .target = w->t->name,
				    .root = w->j->root,
				    .part = part,
				    .summary = summary };
	if (p) {
		f->cause = gv_template(a, p->cause, NULL, 0);
		f->action = gv_template(a, p->action, NULL, 0);
		f->avoid = gv_template(a, p->avoid, NULL, 0);
	}
	return f;
}

void gv_judge_quote(struct gv_judging *w, struct gv_judgement *f, const struct gv_file *file, gv_str text,
		    uint32_t line)
{
	if (f->quotes.n < GV_QUOTES && file)
		*gv_push(w->inv->arena, &f->quotes) = (struct gv_shown_by){ file->path, text, line };
}

void gv_judge_worse(struct gv_judging *w, enum gv_fit fit, gv_str why)
{
	if (w->j->verdict >= fit)
		return;
	w->j->verdict = fit;
	w->j->why = why;
}

/* "AMD (gfx942)", as what the target has. */
static gv_str has_text(const struct gv_judging *w)
{
	const struct gv_target *t = w->t;
	gv_str arch = gv_target_arch(w->inv->arena, t);

	if (t->cpu)
		return GV_STR("no GPU");
	if (arch.n)
		return gv_fmt(w->inv->arena, "GPUs of %s (%.*s)", gv_vendor_title(t->vendor), GV_ARG(arch));
	return gv_fmt(w->inv->arena, "GPUs of %s", gv_vendor_title(t->vendor));
}

/* ---- Code ---- */

static void no_code(struct gv_judging *w, const struct gv_work *p)
{
	struct gv_arena *a = w->inv->arena;
	gv_str archs = gv_archs_of(w, p), device = gv_target_arch(a, w->t), s;
	enum gv_severity severity = p->part.required ? GV_FAIL : p->part.vendors ? GV_NOTE : GV_WARN;
	struct gv_judgement *f;

	s = gv_fmt(a, "%.*s has no code for %.*s; it has %.*s", GV_ARG(p->part.name), GV_ARG(device), GV_ARG(archs));
	f = gv_judge_found(w, w->t->vendor == GV_AMD ? GV_K_ROCM_ARCH_UNSUPPORTED : GV_K_NO_KERNEL_IMAGE, severity,
			   p->part.required ? GV_HIGH : GV_MEDIUM, p->part.name, s);
	gv_judge_quote(w, f, p->part.file, archs, 0);
}

static void wrong_backend(struct gv_judging *w, const struct gv_work *p)
{
	unsigned vendor = p->own.files || p->own.foreign ? p->own.foreign : p->theirs.foreign;
	gv_str s = gv_fmt(w->inv->arena, "%.*s is built for %.*s, and %.*s has %.*s%s", GV_ARG(p->part.name),
			  GV_ARG(gv_vendors_text(w->inv->arena, vendor)), GV_ARG(w->t->name), GV_ARG(has_text(w)),
			  gv_goes_without(p->part.package) ? ": it runs on the CPU there" : "");
	struct gv_judgement *f = gv_judge_found(w, GV_K_WRONG_BACKEND_BUILD, p->part.required ? GV_FAIL : GV_WARN,
						p->part.required ? GV_HIGH : GV_MEDIUM, p->part.name, s);

	gv_judge_quote(w, f, p->part.file, gv_archs_of(w, p), 0);
}

static void of_parts(struct gv_judging *w)
{
	for (size_t i = 0; i < w->works.n; i++) {
		const struct gv_work *p = w->works.v[i];
		const struct gv_tally_fit *s = p->part.vendors ? &p->theirs : &p->own;

		if (p->part.fit != GV_FIT_NO)
			continue;
		if (!s->files && !p->part.vendors)
			wrong_backend(w, p);
		else if (s->files && !s->lack.n)
			no_code(w, p);
	}
}

/* ---- Drivers ---- */

static bool is_consumer(const struct gv_target *t)
{
	return gv_has_nocase(t->device, "GeForce") || gv_has(t->device, "RTX") || gv_has(t->device, "GB10");
}

/* A target that cannot be: its driver is of before its device, or of after. */
static void unsupported(struct gv_judging *w)
{
	struct gv_arena *a = w->inv->arena;
	const struct gv_target *t = w->t;
	gv_str first, last, branch = gv_before(t->driver, ".");
	struct gv_judgement *f;
	bool early, late;

	if (t->vendor != GV_NVIDIA || !t->sm || !t->driver.n || gv_sm_is_tegra(t->sm))
		return;
	gv_branches_for_sm(t->sm, &first, &last);
	early = first.n && gv_cmp_version(branch, first) < 0;
	late = last.n && gv_cmp_version(branch, last) > 0;
	if (!early && !late)
		return;
	f = gv_judge_found(w, GV_K_DRIVER_GPU_UNSUPPORTED, GV_FAIL, GV_MEDIUM, GV_NONE,
			   gv_fmt(a, "driver %.*s does not drive sm_%u: the %s branch that does is %.*s",
				  GV_ARG(t->driver), t->sm, early ? "first" : "last", GV_ARG(early ? first : last)));
	f->action = early ? gv_fmt(a, "Upgrade the driver to %.*s or newer, or correct the target.", GV_ARG(first))
			  : gv_fmt(a, "Take a driver of the %.*s branch, or correct the target.", GV_ARG(last));
	gv_judge_worse(w, GV_FIT_NO, f->summary);
}

/* The driver that the inventory asks for, against that of the target. */
static void too_old(struct gv_judging *w)
{
	struct gv_arena *a = w->inv->arena;
	struct gv_judged *j = w->j;
	struct gv_judgement *f;
	gv_str s;

	if (!w->t->driver.n || w->t->vendor != GV_NVIDIA || !j->driver.n ||
	    gv_cmp_version(w->t->driver, j->driver) >= 0)
		return;
	if (w->compat.n && gv_cmp_version(w->compat, j->driver) >= 0 && !is_consumer(w->t)) {
		j->verdict = j->verdict > GV_FIT_UNKNOWN ? j->verdict : GV_FIT_UNKNOWN;
		j->why = gv_fmt(a,
				"needs driver %.*s, and the target has %.*s: runs by the libraries for forward "
				"compatibility in here (%.*s), where they are in "
				"the loader's path and the GPU is one for data centres",
				GV_ARG(j->driver), GV_ARG(w->t->driver), GV_ARG(w->compat));
		return;
	}
	s = gv_fmt(a, "%.*s needs driver %.*s or newer, and %.*s has %.*s", GV_ARG(w->asks->part.name),
		   GV_ARG(j->driver), GV_ARG(w->t->name), GV_ARG(w->t->driver));
	f = gv_judge_found(w, GV_K_CUDA_DRIVER_TOO_OLD, GV_FAIL, GV_HIGH, w->asks->part.name, s);
	f->action =
	    gv_fmt(a, "Upgrade the driver to %.*s or newer, or take a build for an older CUDA%s.", GV_ARG(j->driver),
		   gv_find_c(j->driver, '.') < 0
		       ? " (what asks for it is PTX: one with machine code for this GPU would do, too)"
		       : "");
	gv_judge_quote(w, f, w->asks->part.file, w->asks->part.why, 0);
	j->verdict = GV_FIT_NO;
	j->why = s;
}

/* The parts of NVIDIA's driver that have to be the host's. Whatever else is called libnvidia-* may come from elsewhere.
 */
static bool of_the_driver(gv_str base)
{
	static const char *const names[] = { "libcuda.so", "libnvidia-ml.so", "libnvidia-ptxjitcompiler.so",
					     "libnvidia-nvvm.so", "libcudadebugger.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (gv_starts(base, names[i]))
			return true;
	return false;
}

static void ships_driver(struct gv_judging *w)
{
	struct gv_arena *a = w->inv->arena;
	struct gv_judgement *f = NULL;
	const struct gv_file *first = NULL;
	gv_str version = GV_NONE;
	size_t at = 0, n = 0;

	for (const struct gv_file *x; (x = gv_judged_file(w, &at));) {
		gv_str base = gv_file_name(x->path);

		if (!x->driver || !x->elf || x->provides != GV_NVIDIA || !of_the_driver(base) ||
		    gv_has(x->path, "compat/"))
			continue;
		first = first ? first : x;
		n++;
		if (!version.n && gv_find_c(gv_after(base, ".so."), '.') > 0)
			version = gv_after(base, ".so.");
	}
	if (!n)
		return;
	f = gv_judge_found(
	    w, GV_K_DRIVER_MISMATCH,
	    version.n && w->t->driver.n && gv_find_c(w->t->driver, '.') > 0 && gv_cmp_version(version, w->t->driver)
		? GV_FAIL
		: GV_WARN,
	    GV_HIGH, first->path,
	    gv_fmt(a,
		   "%.*s is a library of the driver%s%.*s%s: it has to come from the host, and hides the host's own%s",
		   GV_ARG(first->path), version.n ? " (" : "", GV_ARG(version), version.n ? ")" : "",
		   n > 1 ? "; likewise others in here" : ""));
	f->cause =
	    GV_STR("It was built on a machine with that driver, or a package of the driver was installed into it.");
	f->action = GV_STR("Take it out: who starts a container puts the host's own libraries of the driver in. To "
			   "link against them the toolkit has stubs.");
	gv_judge_quote(w, f, first, first->elf->soname, 0);
}

/* ---- Libraries ---- */

static bool noted(const struct gv_judging *w, gv_str name)
{
	for (size_t i = 0; i < w->j->needs.n; i++)
		if (gv_eq(w->j->needs.v[i], name))
			return true;
	return w->j->needs.n >= 64;
}

/* Of an image, and of a host of which is said what it has, what is in neither is missing; a package may find it
 * elsewhere. */
static void missing(struct gv_judging *w)
{
	struct gv_arena *a = w->inv->arena;
	size_t at = 0;

	for (const struct gv_file *f; (f = gv_judged_file(w, &at));) {
		const struct gv_work *p = gv_work_of(w, f);

		for (size_t i = 0; p && !gv_is_spare(w, f) && i < f->deps.n; i++) {
			const struct gv_dep *d = &f->deps.v[i];
			struct gv_judgement *missed;

			if (d->grade != GV_LINKED || d->driver || d->vendor != w->t->vendor || gv_is_here(w, d) ||
			    gv_target_has(w->t, d->name) || noted(w, d->name))
				continue;
			*gv_push(a, &w->j->needs) = d->name;
			if (!(w->whole || w->t->host) || !p->part.required || !p->needed || d->optional)
				continue;
			missed =
			    gv_judge_found(w, GV_K_MISSING_SHARED_LIBRARY, GV_FAIL, GV_HIGH, p->part.name,
					   gv_fmt(a, "%.*s is linked to %.*s, which is nowhere in here%s",
						  GV_ARG(p->part.name), GV_ARG(d->name),
						  w->t->host ? gv_fmt(a, ", nor on %.*s", GV_ARG(w->t->name)).p : ""));
			gv_judge_quote(w, missed, f, d->name, 0);
			gv_judge_worse(w, GV_FIT_NO, missed->summary);
		}
	}
}

/* ---- Another vendor's libraries ---- */

/* All that one requirement, or one part, brings of other vendors. */
struct culprit {
	gv_str name, via;
	unsigned vendor;
	const struct gv_file *file; /* that shows it */
	const struct gv_dep *dep;   /* NULL: it is the code itself */
	const struct gv_dep *fatal; /* linked to by what is started, and not in here */
	bool change;		    /* its name is that of a requirement */
	bool declared;
	bool usual;	    /* all of it is what comes by default: another build may be chosen */
	bool by_default;    /* all of it is declared, and so is the build that comes where none is named */
	bool installed;	    /* more than a script that may fetch it */
	bool gpu_only;	    /* some of it is of no use without a GPU */
	struct gv_map seen; /* names, each of which counts once */
	gv_str names[NAMES];
	size_t n;
};

struct culprits {
	struct gv_map by_name;
	GV_VEC(struct culprit *) all;
};

static struct culprit *culprit_of(struct gv_judging *w, struct culprits *c, gv_str name)
{
	struct culprit **slot = (struct culprit **)gv_map_put(&c->by_name, name);

	if (!*slot) {
		*slot = GV_NEW(w->inv->arena, struct culprit);
		(*slot)->name = name;
		(*slot)->seen.arena = w->inv->arena;
		(*slot)->usual = (*slot)->by_default = true;
		*gv_push(w->inv->arena, &c->all) = *slot;
	}
	return *slot;
}

static void add_name(struct culprit *c, gv_str name)
{
	void **seen = gv_map_put(&c->seen, name);

	if (*seen)
		return;
	*seen = c;
	if (c->n < NAMES)
		c->names[c->n] = name;
	c->n++;
}

static gv_str part_name(const struct gv_judging *w, const struct gv_file *f)
{
	const struct gv_work *p = gv_work_of(w, f);

	if (p)
		return p->part.name;
	return f->package && f->package->name.n ? f->package->name : f->path;
}

static const struct gv_package *asks(const struct gv_file *f, const struct gv_dep *d)
{
	return d->grade != GV_DECLARED ? f->package
	       : d->of		       ? d->of
	       : f->packages.n == 1    ? f->packages.v[0]
				       : f->package;
}

/* Of a part that was told of already, or that serves the target's vendor as well. */
static bool is_settled(const struct gv_judging *w, const struct gv_file *f, const struct gv_dep *d)
{
	const struct gv_package *by = asks(f, d);
	const struct gv_work *p = by && by->name.n ? gv_work_of_package(w, by) : gv_work_of(w, f);

	return p &&
	       ((p->part.fit == GV_FIT_NO && !p->part.vendors) || p->own.of[GV_FIT_NATIVE] || p->own.of[GV_FIT_JIT]);
}

/* The build that comes where nothing else is asked for; another index has another. */
static bool is_usual(const struct gv_package *by, const struct gv_dep *d)
{
	gv_str local = gv_after(d->quote, "+"); /* "torch==2.6.0+cu124": that build was chosen */
	struct gv_by_name n;
	size_t end = 0;

	while (end < local.n && local.p[end] > ' ' && local.p[end] != ';' && local.p[end] != ',' &&
	       local.p[end] != '"' && local.p[end] != '\'')
		end++;
	return by && d->grade == GV_DECLARED && gv_package_by_name(by->eco, d->name, gv_sub(local, 0, end), &n) &&
	       n.by_default && !n.by_local;
}

/* SYCL has CPUs for devices as well. */
static bool runs_on_cpu(const struct gv_judging *w, const struct gv_dep *d)
{
	return w->t->cpu && d->vendor == GV_INTEL && !d->driver;
}

/* Its package asks for packages of that vendor: where it is installed, they are. Of an image all is seen. */
static bool is_promised(const struct gv_judging *w, const struct gv_file *f, const struct gv_dep *d)
{
	const struct gv_file *meta = f->package ? f->package->from : NULL;

	for (size_t i = 0; meta && !w->whole && !d->driver && i < meta->deps.n; i++) {
		const struct gv_dep *m = &meta->deps.v[i];

		if (m->grade == GV_DECLARED && !m->optional && !m->driver && m->vendor == d->vendor &&
		    asks(meta, m) == f->package)
			return true;
	}
	return false;
}

static bool is_tool(const struct gv_package *p)
{
	struct gv_by_name n;

	return p && gv_package_by_name(p->eco, p->name, p->local, &n) && n.layer == GV_LAYER_TOOL;
}

static void see_deps(struct gv_judging *w, struct culprits *all, const struct gv_file *f)
{
	const struct gv_work *p = gv_work_of(w, f);
	bool several =
	    p && (p->own.foreign & (p->own.foreign - 1)); /* made for several vendors: chooses one, or none */

	if ((p && p->part.vendors && !w->t->cpu) || (f->provides && gv_library_layer(f->path) != GV_LAYER_FRAMEWORK))
		return; /* a vendor's library needs others of its own; who brings the first of them is to be told */
	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];
		struct culprit *c;

		if (!d->vendor || d->vendor == w->t->vendor || d->grade == GV_LOADED || d->grade == GV_STATIC ||
		    d->optional || (d->driver && d->grade == GV_DECLARED))
			continue;
		if (gv_dep_layer(d, d->of) == GV_LAYER_TOOL ||
		    is_tool(asks(f, d))) /* it asks the driver, and finds none here */
			continue;
		if (is_settled(w, f, d))
			continue;
		c = culprit_of(w, all, d->change.n ? d->change : part_name(w, f));
		if (!c->dep) {
			c->dep = d;
			c->file = f;
			c->via = d->via;
		}
		c->change |= d->change.n > 0;
		c->vendor |= d->vendor;
		c->usual &= is_usual(asks(f, d), d) || several;
		c->declared |= d->grade == GV_DECLARED;
		c->installed |= d->grade != GV_FETCHED;
		c->gpu_only |= !runs_on_cpu(w, d);
		c->by_default &= d->by_default;
		if (d->grade == GV_LINKED && gv_is_entry(f) && !gv_is_here(w, d) && !c->fatal && !runs_on_cpu(w, d) &&
		    !is_promised(w, f, d)) {
			c->fatal = d;
			c->dep = d;
			c->file = f;
			c->via = d->via;
		}
		add_name(c, d->name);
	}
}

static void tell_culprit(struct gv_judging *w, const struct culprit *c)
{
	struct gv_arena *a = w->inv->arena;
	enum gv_severity severity = c->fatal ? GV_FAIL : c->installed && c->gpu_only && !c->usual ? GV_WARN : GV_NOTE;
	struct gv_judgement *f;
	gv_str list = GV_NONE, s;

	for (size_t i = 0; i < c->n && i < NAMES; i++)
		list = gv_fmt(a, "%.*s%s%.*s", GV_ARG(list), i ? ", " : "", GV_ARG(c->names[i]));
	if (c->n > NAMES)
		list = gv_fmt(a, "%.*s and %zu more", GV_ARG(list), c->n - NAMES);
	s = gv_fmt(a, "%.*s %s libraries of %.*s (%.*s), and %.*s has %.*s", GV_ARG(c->name),
		   c->fatal		       ? "needs"
		   : !c->installed	       ? "fetches, when it is installed,"
		   : c->usual || c->by_default ? "brings in, unless another build is chosen,"
		   : c->declared	       ? "brings in"
					       : "is linked to",
		   GV_ARG(gv_vendors_text(a, c->vendor)), GV_ARG(list), GV_ARG(w->t->name), GV_ARG(has_text(w)));
	if (c->n == 1 && c->declared &&
	    gv_starts(c->name, gv_dupz(a, c->names[0]))) /* it is itself what is asked for */
		s = gv_fmt(a, "%.*s is for %.*s, and %.*s has %.*s", GV_ARG(c->name),
			   GV_ARG(gv_vendors_text(a, c->vendor)), GV_ARG(w->t->name), GV_ARG(has_text(w)));
	else if (c->via.n && !gv_eq(c->via, c->name))
		s = gv_fmt(a, "%.*s; by %.*s", GV_ARG(s), GV_ARG(c->via));
	f = gv_judge_found(w, GV_K_HIDDEN_CUDA_DEPENDENCY, severity, c->fatal ? GV_HIGH : GV_MEDIUM, c->name, s);
	if (c->change)
		f->action = gv_fmt(a,
				   "To change: %.*s. Take its build for this vendor or for the CPU, and pin it; where "
				   "there is none, do without it in images for these nodes.",
				   GV_ARG(c->name));
	gv_judge_quote(w, f, c->file,
		       c->dep && c->dep->quote.n ? c->dep->quote
		       : c->dep			 ? c->dep->name
						 : list,
		       c->dep ? c->dep->line : 0);
	if (c->fatal)
		gv_judge_worse(w, GV_FIT_NO, s);
}

/* By its name a package is for another vendor alone. */
static unsigned for_another(const struct gv_judging *w, const struct gv_package *p)
{
	struct gv_by_name n;

	if (!gv_package_by_name(p->eco, p->name, p->local, &n) || n.vendor & w->t->vendor || n.by_default || !n.known ||
	    n.layer == GV_LAYER_TOOL || (w->t->cpu && n.vendor == GV_INTEL))
		return 0;
	return n.vendor;
}

/* A package that is here and has neither code nor a library that says whose it is. */
static void by_package(struct gv_judging *w)
{
	for (size_t i = 0; i < w->inv->packages.n; i++) {
		const struct gv_package *p = w->inv->packages.v[i];
		struct gv_judgement *f;
		unsigned vendor;

		if (!p->from || p->from->root != w->j->root || p->from->hidden || p->how != GV_PACKAGE_HERE)
			continue;
		/* those of a distribution come as what others may use, and are told by their files */
		vendor =
		    strcmp(p->eco, "deb") && strcmp(p->eco, "rpm") && strcmp(p->eco, "apk") ? for_another(w, p) : 0;
		if (!vendor)
			continue;
		f = gv_judge_found(w, GV_K_HIDDEN_CUDA_DEPENDENCY, GV_WARN, GV_MEDIUM, p->name,
				   gv_fmt(w->inv->arena, "%.*s %.*s is for %.*s, and %.*s has %.*s", GV_ARG(p->name),
					  GV_ARG(p->version), GV_ARG(gv_vendors_text(w->inv->arena, vendor)),
					  GV_ARG(w->t->name), GV_ARG(has_text(w))));
		gv_judge_quote(w, f, p->from, p->name, p->line);
		return; /* one says it for all */
	}
}

static void hidden(struct gv_judging *w)
{
	struct culprits all = { .by_name = { .arena = w->inv->arena } };
	size_t at = 0, before = w->inv->findings.n, start = before;
	bool told = false;

	for (const struct gv_file *f; (f = gv_judged_file(w, &at));)
		see_deps(w, &all, f);
	for (size_t i = 0; i < all.all.n; i++)
		tell_culprit(w, all.all.v[i]);
	for (size_t i = 0; i < before && !told; i++) {
		const struct gv_judgement *f = &w->inv->findings.v[i];

		told = f->kind == GV_K_WRONG_BACKEND_BUILD && f->root == w->j->root && gv_eq(f->target, w->t->name);
	}
	/* code without anything that needs it: libraries of a vendor by themselves, or what a machine without GPU never
	 * runs */
	for (size_t i = 0; i < w->works.n; i++) {
		const struct gv_work *p = w->works.v[i];
		const struct gv_tally_fit *s = p->own.foreign ? &p->own : &p->theirs;
		struct gv_judgement *f;

		if (!s->foreign || told || all.all.n || (p->part.fit == GV_FIT_NO && !p->part.vendors) ||
		    p->own.of[GV_FIT_NATIVE] || p->own.of[GV_FIT_JIT] || p->own.compiled & w->t->vendor)
			continue;
		f = gv_judge_found(w, GV_K_HIDDEN_CUDA_DEPENDENCY,
				   s->built || (p->part.package && for_another(w, p->part.package)) ? GV_WARN : GV_NOTE,
				   GV_MEDIUM, p->part.name,
				   gv_fmt(w->inv->arena, "%.*s holds code for %.*s, and %.*s has %.*s",
					  GV_ARG(p->part.name), GV_ARG(gv_vendors_text(w->inv->arena, s->foreign)),
					  GV_ARG(w->t->name), GV_ARG(has_text(w))));
		gv_judge_quote(w, f, s->stranger, gv_archs_of(w, p), 0);
		return; /* one says it for all */
	}
	if (!told && w->inv->findings.n == start)
		by_package(w);
}

/* ---- Builds without GPU code ---- */

static bool is_cpu_build(const struct gv_package *p)
{
	return gv_is(p->local, "cpu") || gv_starts(p->local, "cpu_") || gv_ends(p->name, "-cpu");
}

static void cpu_only(struct gv_judging *w)
{
	for (size_t i = 0; i < w->inv->packages.n; i++) {
		const struct gv_package *p = w->inv->packages.v[i];
		struct gv_judgement *f;

		if (!p->from || p->from->root != w->j->root || p->from->hidden || !is_cpu_build(p))
			continue;
		/* where the name itself says so it was chosen: by its version, it may have been an index's doing */
		f = gv_judge_found(w, GV_K_CPU_ONLY_BUILD, p->how == GV_PACKAGE_HERE && p->local.n ? GV_FAIL : GV_WARN,
				   GV_HIGH, p->name,
				   gv_fmt(w->inv->arena, "%.*s %.*s is built without GPU support, and %.*s has %.*s",
					  GV_ARG(p->name), GV_ARG(p->version), GV_ARG(w->t->name),
					  GV_ARG(has_text(w))));
		gv_judge_quote(w, f, p->from, p->version, p->line);
		return;
	}
}

/* ---- All ---- */

void gv_judge_findings(struct gv_judging *w)
{
	of_parts(w);
	unsupported(w);
	too_old(w);
	gv_judge_declared(w);
	if (w->t->vendor == GV_NVIDIA)
		ships_driver(w);
	if (!w->t->cpu)
		missing(w);
	hidden(w);
	if (!w->t->cpu && w->j->verdict == GV_FIT_NONE)
		cpu_only(w);
}

/* For a GPU, though there is no code for it in here: a compiler, or what only calls others. */
static gv_str without_code(const struct gv_judging *w)
{
	for (size_t i = 0; i < w->works.n; i++)
		if (w->works.v[i]->own.compiled & w->t->vendor)
			return gv_fmt(
			    w->inv->arena,
			    "%.*s compiles for %s at run time: bitcode for that is in here, and no finished code",
			    GV_ARG(w->works.v[i]->part.name), gv_vendor_title(w->t->vendor));
	for (size_t i = 0; i < w->inv->packages.n; i++) {
		const struct gv_package *p = w->inv->packages.v[i];
		struct gv_by_name n;

		if (p->from && p->from->root == w->j->root && !p->from->hidden && p->how == GV_PACKAGE_HERE &&
		    gv_package_by_name(p->eco, p->name, p->local, &n) && n.vendor & w->t->vendor && n.known &&
		    !n.by_default)
			return gv_fmt(w->inv->arena, "%.*s is for %s, and holds no code for GPUs itself",
				      GV_ARG(p->name), gv_vendor_title(w->t->vendor));
	}
	return GV_NONE;
}

static gv_str why_none(const struct gv_judging *w)
{
	gv_str text = w->t->vendor ? without_code(w) : GV_NONE;

	if (text.n)
		return text;
	for (size_t i = 0; i < w->works.n; i++) {
		const struct gv_work *p = w->works.v[i];

		if (p->own.foreign | p->theirs.foreign)
			return gv_fmt(w->inv->arena,
				      "nothing in here needs a GPU to start; code for %.*s lies in it and never runs",
				      GV_ARG(gv_vendors_text(w->inv->arena, p->own.foreign | p->theirs.foreign)));
	}
	return w->t->cpu ? GV_STR("nothing in here is for a GPU") : GV_STR("nothing for a GPU in here");
}

/* Of packages that a list names, and that are not in here, the name says whose they are, and not for which devices. */
static void by_names(struct gv_judging *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->inv->packages.n && w->t->vendor; i++) {
		const struct gv_package *p = w->inv->packages.v[i];

		if (p->how == GV_PACKAGE_HERE || !(p->vendor & w->t->vendor) || !p->from ||
		    p->from->root != w->j->root || p->from->hidden)
			continue;
		if (!n++)
			w->j->why = gv_fmt(w->inv->arena,
					   "%.*s is named by %.*s and not in here: for which devices it has code "
					   "cannot be told from its name",
					   GV_ARG(p->name), GV_ARG(p->from->path));
	}
	if (n)
		w->j->verdict = GV_FIT_UNKNOWN;
	if (n > 1)
		w->j->why = gv_fmt(w->inv->arena, "%.*s; likewise %zu more", GV_ARG(w->j->why), n - 1);
}

/* What lies in here for other devices. */
static void weigh(struct gv_judging *w)
{
	size_t at = 0;

	for (const struct gv_file *f; (f = gv_judged_file(w, &at));)
		for (size_t i = 0; i < f->code.n; i++) {
			enum gv_fit fit = gv_code_fit(w->t, &f->code.v[i], &(gv_str){ NULL, 0 });

			w->j->code += f->code.v[i].bytes;
			w->j->idle += w->t->cpu || fit == GV_FIT_NO || fit == GV_FIT_NONE ? f->code.v[i].bytes : 0;
		}
}

void gv_target_judge(struct gv_inventory *inv, const struct gv_target *t, unsigned root)
{
	struct gv_judged *j = GV_NEW(inv->arena, struct gv_judged);
	struct gv_judging w = { .inv = inv,
				.t = t,
				.j = j,
				.by_key = { .arena = inv->arena },
				.by_file = { .arena = inv->arena },
				.by_build = { .arena = inv->arena },
				.needed = { .arena = inv->arena } };

	j->target = t;
	j->root = root;
	*gv_push(inv->arena, &inv->targets) = j;
	if (t->unknown.n) {
		j->verdict = GV_FIT_UNKNOWN;
		j->why = t->unknown;
		return;
	}
	weigh(&w);
	gv_judge_parts(&w);
	gv_judge_findings(&w);
	gv_judge_caches(&w);
	if (j->verdict == GV_FIT_NONE)
		by_names(&w);
	if (!j->why.n)
		j->why = why_none(&w);
	for (size_t i = 0; i < w.works.n; i++)
		if (w.works.v[i]->part.fit != GV_FIT_NONE)
			*gv_push(inv->arena, &j->parts) = w.works.v[i]->part;
}
