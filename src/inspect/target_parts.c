/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts there are, and how each fits: a package by its own code, whatever libraries of the vendor it brings
 * along. A package that has code for the device somewhere chooses it, so the best of its files stands for it; the whole
 * is as good as its worst part that is needed. */
#include <string.h>

#include "core/cuda.h"
#include "core/table.h"
#include "inspect/target_judge.h"

const struct gv_file *gv_judged_file(const struct gv_judging *w, size_t *at)
{
	while (*at < w->inv->files.n) {
		const struct gv_file *f = w->inv->files.v[(*at)++];

		if (f->root == w->j->root && !f->hidden)
			return f;
	}
	return NULL;
}

bool gv_is_entry(const struct gv_file *f)
{
	gv_str base = gv_file_name(f->path);

	return f->elf && !f->elf->relocatable &&
	       (f->elf->interp.n || f->elf->executable || gv_has(base, ".cpython-") || gv_ends(base, ".abi3.so") ||
		gv_ends(base, ".node"));
}

bool gv_is_here(const struct gv_judging *w, const struct gv_dep *d)
{
	return d->found && d->found->root == w->j->root && !d->found->hidden;
}

/* ---- Parts ---- */

/* "libbitsandbytes_cuda121.so" and "libbitsandbytes_rocm62.so" are one thing built several times: one of them is used.
 */
static gv_str without_variant(struct gv_arena *a, gv_str base)
{
	static const char *const words[] = { "cuda", "rocm", "hip", "sycl", "vulkan", "xpu", "cpu", "cu" };
	struct gv_buf b = { 0 };
	gv_str s = gv_lower(a, gv_before(base, ".so")), ret;

	while (s.n) {
		size_t skip = (*s.p >= '0' && *s.p <= '9') || *s.p == '.' || *s.p == '-' || *s.p == '_';

		for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !skip; i++)
			if (gv_starts(s, words[i]))
				skip = strlen(words[i]);
		if (!skip)
			gv_putc(&b, *s.p);
		s = gv_from(s, skip ? skip : 1);
	}
	ret = gv_dup(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return ret;
}

static gv_str key_of_package(struct gv_arena *a, const struct gv_package *p)
{
	return gv_fmt(a, "%s %.*s %.*s", p->eco, GV_ARG(p->name), GV_ARG(p->dir));
}

/* In one folder: files of code by themselves, one for each device; libraries, one for each build. */
static gv_str key_of_build(struct gv_arena *a, const struct gv_file *f)
{
	gv_str base = gv_file_name(f->path), dir = gv_sub(f->path, 0, f->path.n - base.n);

	return f->elf ? gv_fmt(a, "/%.*s%.*s", GV_ARG(dir), GV_ARG(without_variant(a, base)))
		      : gv_fmt(a, "/%.*s", GV_ARG(dir));
}

static gv_str key_of(const struct gv_judging *w, const struct gv_file *f)
{
	return f->package && f->package->name.n ? key_of_package(w->inv->arena, f->package)
						: key_of_build(w->inv->arena, f);
}

struct gv_work *gv_work_of_package(const struct gv_judging *w, const struct gv_package *p)
{
	return gv_map_get(&w->by_key, key_of_package(w->inv->arena, p));
}

bool gv_is_spare(const struct gv_judging *w, const struct gv_file *f)
{
	const struct gv_build *b = f->code.n ? gv_map_get(&w->by_build, key_of_build(w->inv->arena, f)) : NULL;

	return b && b->file != f;
}

gv_str gv_vendors_text(struct gv_arena *a, unsigned vendors)
{
	gv_str text = GV_NONE;

	for (unsigned v = GV_NVIDIA; v <= GV_INTEL; v <<= 1)
		if (vendors & v)
			text = text.n ? gv_fmt(a, "%.*s and %s", GV_ARG(text), gv_vendor_title(v))
				      : gv_str_of(gv_vendor_title(v));
	return text;
}

struct gv_work *gv_work_of(const struct gv_judging *w, const struct gv_file *f)
{
	return gv_map_get(&w->by_file, f->path);
}

/* Its path below the PATH that was named. */
static gv_str short_path(const struct gv_judging *w, gv_str path)
{
	gv_str root = w->j->root < w->inv->roots.n ? w->inv->roots.v[w->j->root] : GV_NONE, base = gv_file_name(root);

	if (base.n && path.n > base.n + 1 && path.p[base.n] == '!' && gv_eq(gv_sub(path, 0, base.n), base))
		return gv_from(path, base.n + 1);
	if (root.n && path.n > root.n + 1 && path.p[root.n] == '/' && gv_eq(gv_sub(path, 0, root.n), root))
		return gv_from(path, root.n + 1);
	return path;
}

static struct gv_work *make_work(struct gv_judging *w, const struct gv_file *f)
{
	struct gv_work **slot = (struct gv_work **)gv_map_put(&w->by_key, key_of(w, f)), *p = *slot;

	if (p)
		return p;
	p = *slot = GV_NEW(w->inv->arena, struct gv_work);
	*gv_push(w->inv->arena, &w->works) = p;
	if (f->package && f->package->name.n) {
		p->part.package = f->package;
		p->part.name = f->package->version.n ? gv_fmt(w->inv->arena, "%.*s %.*s", GV_ARG(f->package->name),
							      GV_ARG(f->package->version))
						     : f->package->name;
	} else {
		p->loose = true;
		p->part.name = short_path(w, f->path);
	}
	return p;
}

/* Libraries that the vendor made: they bring their own ways around what a device lacks. */
static bool is_vendors(const struct gv_file *f)
{
	enum gv_layer layer = GV_LAYERS;
	struct gv_by_name n;

	if (f->elf && !f->elf->relocatable && !f->provides)
		return false;
	if (f->elf && f->elf->soname.n)
		layer = gv_library_layer(f->elf->soname);
	if (layer == GV_LAYERS)
		layer = gv_library_layer(f->path);
	if (layer == GV_LAYERS && !f->elf && f->package && /* what lies beside its libraries */
	    gv_package_by_name(f->package->eco, f->package->name, f->package->local, &n) && n.brings &&
	    !n.by_default)
		layer = n.layer;
	return layer < GV_LAYER_FRAMEWORK;
}

/* ---- Versions ---- */

/* The CUDA that a name speaks of, 1200: "libcudart.so.12", and whatever only one toolkit brings. */
static unsigned major_of(gv_str name)
{
	const struct gv_table *t = gv_table("cuda-libraries");
	gv_str major = gv_starts(name, "libcudart.so.") ? gv_from(name, 13) : GV_NONE;

	for (size_t i = 0; t && !major.n && i < t->rows; i++)
		if (gv_eq(gv_cell(t, i, "library"), name) && gv_find_c(gv_cell(t, i, "cuda"), ',') < 0)
			major = gv_cell(t, i, "cuda");
	return gv_cuda_parse(major) / 100 * 100;
}

static unsigned file_major(const struct gv_file *f)
{
	unsigned most = f->elf ? major_of(f->elf->soname) : 0, toolkit = 0;
	bool fixed = false;

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];
		unsigned m = d->grade == GV_LINKED && d->vendor == GV_NVIDIA && !d->driver ? major_of(d->name) : 0;

		most = m > most ? m : most;
		fixed |= d->grade == GV_STATIC && d->vendor == GV_NVIDIA;
	}
	for (size_t i = 0; fixed && i < f->code.n; i++) {
		unsigned made = f->code.v[i].vendor != GV_NVIDIA ? 0
				: f->code.v[i].toolkit		 ? f->code.v[i].toolkit
								 : gv_cuda_of_ptx(f->code.v[i].isa);

		toolkit = made > toolkit ? made : toolkit;
	}
	return most ? most : toolkit / 100 * 100;
}

/* How many libraries of the target's vendor that it is linked to are neither here nor, as far as stated, on the host.
 */
static size_t lacks(const struct gv_judging *w, const struct gv_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		n += d->grade == GV_LINKED && !d->driver && d->vendor == w->t->vendor && !gv_is_here(w, d) &&
		     !gv_target_has(w->t, d->name);
	}
	return n;
}

static void use_build(struct gv_judging *w, const struct gv_file *f, enum gv_fit fit)
{
	struct gv_build **slot = (struct gv_build **)gv_map_put(&w->by_build, key_of_build(w->inv->arena, f)),
			*b = *slot;
	size_t n = lacks(w, f);

	if (b && (b->lacks < n || (b->lacks == n && b->fit <= fit)))
		return;
	if (!b)
		b = *slot = GV_NEW(w->inv->arena, struct gv_build);
	*b = (struct gv_build){ f, n, fit };
}

static gv_str older(gv_str a, gv_str b)
{
	return !a.n || (b.n && gv_cmp_version(b, a) < 0) ? b : a;
}

/* ---- One file ---- */

/* Whose runtime takes the SPIR-V of a file; 0: that of whoever has Vulkan or OpenCL. */
static unsigned linked_vendor(const struct gv_file *f)
{
	for (size_t i = 0; i < f->deps.n; i++)
		if (f->deps.v[i].grade == GV_LINKED)
			return f->deps.v[i].vendor;
	return 0;
}

/* Of PTX the newest that the device takes is compiled. */
static bool is_nearer(const struct gv_code *c, const struct gv_code *than)
{
	return c->kind == GV_CODE_PTX && than->kind == GV_CODE_PTX &&
	       (c->arch.n > than->arch.n || (c->arch.n == than->arch.n && gv_cmp(c->arch, than->arch) > 0));
}

static void tally_file(struct gv_judging *w, struct gv_tally_fit *s, const struct gv_file *f)
{
	enum gv_fit best = GV_FIT_NONE;
	const struct gv_code *with = NULL;
	gv_str driver = GV_NONE, lack = GV_NONE;
	unsigned major, linked_to = linked_vendor(f);

	for (size_t i = 0; i < f->code.n; i++) {
		const struct gv_code *c = &f->code.v[i];
		unsigned vendor = c->vendor ? c->vendor : c->kind == GV_CODE_SPIRV ? linked_to : 0;
		gv_str needs;
		enum gv_fit fit = gv_code_fit(w->t, c, &needs);

		if (w->t->cpu && !c->vendor)
			continue;
		if (c->kind == GV_CODE_BITCODE)
			s->compiled |= c->vendor;
		if (vendor && vendor != w->t->vendor) {
			s->foreign |= vendor;
			s->built |= gv_code_is_material(f, c) ? 0 : vendor;
			s->stranger = s->stranger ? s->stranger : f;
			continue;
		}
		if (fit == GV_FIT_JIT &&
		    (best != GV_FIT_JIT || !needs.n || (driver.n && gv_cmp_version(needs, driver) < 0)))
			driver = needs; /* the least that any PTX asks for */
		if (fit == GV_FIT_NO && needs.n)
			lack = older(lack, needs);
		if (fit != GV_FIT_NONE && (best == GV_FIT_NONE || fit < best || (fit == best && is_nearer(c, with)))) {
			best = fit;
			with = c;
		}
	}
	if (best == GV_FIT_NONE)
		return;
	s->files++;
	s->of[best]++;
	if (!s->first[best]) {
		s->first[best] = f;
		s->with[best] = with;
	}
	if (best == GV_FIT_JIT)
		s->driver = s->of[GV_FIT_JIT] == 1 || gv_cmp_version(driver, s->driver) < 0 ? driver : s->driver;
	if (best < GV_FIT_UNKNOWN)
		use_build(w, f, best);
	s->lack = older(s->lack, lack);
	major = best == GV_FIT_NO && s->of[GV_FIT_NO] < s->files ? 0 : file_major(f);
	s->major = major && (!s->major || major < s->major) ? major : s->major;
}

static void see_deps(struct gv_judging *w, struct gv_work *p, const struct gv_file *f)
{
	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		if ((d->grade != GV_LINKED && d->grade != GV_STATIC) || d->vendor != w->t->vendor)
			continue;
		p->linked = p->linked ? p->linked : f;
	}
	if (p->linked == f || (f->provides == w->t->vendor && !p->linked_major)) /* the runtime itself says as much */
		p->linked_major = file_major(f);
}

static bool links_linked(const struct gv_file *f)
{
	for (size_t i = 0; i < f->deps.n; i++)
		if (f->deps.v[i].grade == GV_LINKED || f->deps.v[i].grade == GV_STATIC)
			return true;
	return false;
}

static void see_file(struct gv_judging *w, const struct gv_file *f)
{
	struct gv_work *p;

	if (f->artefacts.n || gv_file_is_of_tests(f) ||
	    (!f->code.n && !links_linked(f) && !(f->elf && f->provides && major_of(f->elf->soname))))
		return; /* what engines and caches were made for is said elsewhere */
	p = make_work(w, f);
	*gv_map_put(&w->by_file, f->path) = p;
	p->part.file = p->part.file ? p->part.file : f;
	p->needed |= gv_is_entry(f) || gv_map_get(&w->needed, gv_file_name(f->path)) ||
		     (f->elf && gv_map_get(&w->needed, f->elf->soname));
	if (f->code.n && p->files.n < GV_WORK_FILES)
		*gv_push(w->inv->arena, &p->files) = f;
	tally_file(w, is_vendors(f) ? &p->theirs : &p->own, f);
	see_deps(w, p, f);
}

/* ---- One part ---- */

static void add_archs(struct gv_buf *b, const struct gv_judging *w, const struct gv_file *f, bool machine)
{
	static const char *const lead[GV_CODE_KINDS] = { "", "PTX for ", "LTO code for ", "bitcode for ",
							 "SPIR-V for " };

	for (size_t k = 0; k < f->code.n; k++) {
		const struct gv_code *c = &f->code.v[k];
		gv_str text = gv_fmt(w->inv->arena, "|%s%.*s|", lead[c->kind], GV_ARG(c->arch));

		if (c->arch.n && (c->kind == GV_CODE_ELF) == machine && b->n < 400 && !gv_has(gv_buf_str(b), text.p))
			gv_put(b, gv_from(text, 1));
	}
}

/* Machine code first. */
gv_str gv_archs_of(const struct gv_judging *w, const struct gv_work *p)
{
	struct gv_buf b = { 0 };
	gv_str rest, word, ret = GV_NONE;
	size_t n = 0;

	gv_putc(&b, '|');
	for (int machine = 1; machine >= 0; machine--)
		for (size_t i = 0; i < p->files.n; i++)
			if (is_vendors(p->files.v[i]) == p->part.vendors)
				add_archs(&b, w, p->files.v[i], machine);
	rest = gv_from(gv_buf_str(&b), 1);
	while (gv_next(&rest, '|', &word))
		if (word.n && n++ < 12)
			ret = ret.n ? gv_fmt(w->inv->arena, "%.*s, %.*s", GV_ARG(ret), GV_ARG(word))
				    : gv_dup(w->inv->arena, word);
	gv_buf_free(&b);
	return n > 12 ? gv_fmt(w->inv->arena, "%.*s and more", GV_ARG(ret)) : ret;
}

static gv_str device_of(const struct gv_judging *w)
{
	const struct gv_target *t = w->t;

	gv_str arch = gv_target_arch(w->inv->arena, t);

	return arch.n ? arch : gv_str_of(gv_vendor_title(t->vendor));
}

static gv_str why_fits(const struct gv_judging *w, const struct gv_work *p, const struct gv_tally_fit *s,
		       enum gv_fit fit)
{
	const struct gv_code *c = s->with[fit];
	gv_str device = device_of(w), text;

	if (fit == GV_FIT_NATIVE && (gv_eq(c->arch, device) || !gv_target_arch(w->inv->arena, w->t).n))
		text = gv_fmt(w->inv->arena, "machine code for %.*s", GV_ARG(device));
	else if (fit == GV_FIT_NATIVE)
		text =
		    gv_fmt(w->inv->arena, "machine code for %.*s, which runs on %.*s", GV_ARG(c->arch), GV_ARG(device));
	else if (fit == GV_FIT_JIT && c->kind == GV_CODE_PTX)
		text = gv_fmt(
		    w->inv->arena,
		    "no machine code for %.*s, but PTX for %.*s%s%s, which the driver compiles at the first start",
		    GV_ARG(device), GV_ARG(c->arch), c->isa ? ", version " : "",
		    c->isa ? gv_cuda_text(w->inv->arena, c->isa).p : "");
	else if (fit == GV_FIT_JIT)
		text = GV_STR("SPIR-V, which the driver compiles");
	else
		text = c->kind == GV_CODE_LTOIR ? GV_STR("only code that nvJitLink links at run time")
		       : c->arch.n
			   ? gv_fmt(w->inv->arena, "code for %.*s, of which is not certain that it runs on %.*s",
				    GV_ARG(c->arch), GV_ARG(device))
			   : GV_STR("code of an architecture that is not known");
	if (s->of[GV_FIT_JIT] && fit == GV_FIT_NATIVE)
		text = gv_fmt(w->inv->arena, "%.*s; %zu of its %zu files with code by PTX only", GV_ARG(text),
			      s->of[GV_FIT_JIT], s->files);
	if (s->of[GV_FIT_NO] && fit < GV_FIT_NO && s == &p->own)
		text = gv_fmt(w->inv->arena, "%.*s; %zu of its %zu files with code %s none for it, as %.*s",
			      GV_ARG(text), s->of[GV_FIT_NO], s->files, s->of[GV_FIT_NO] == 1 ? "has" : "have",
			      GV_ARG(gv_file_name(s->first[GV_FIT_NO]->path)));
	return text;
}

static void set_fit(const struct gv_judging *w, struct gv_work *p)
{
	const struct gv_tally_fit *s = p->own.files || p->own.foreign ? &p->own : &p->theirs;
	enum gv_fit fit = s->of[GV_FIT_NATIVE]	  ? GV_FIT_NATIVE
			  : s->of[GV_FIT_JIT]	  ? GV_FIT_JIT
			  : s->of[GV_FIT_UNKNOWN] ? GV_FIT_UNKNOWN
						  : GV_FIT_NO;

	p->part.vendors = s == &p->theirs && s->files + s->foreign > 0;
	if (s == &p->theirs && p->own.compiled & w->t->vendor) {
		p->part.vendors =
		    false; /* a compiler: libraries that it brings along do not say what it compiles for */
	} else if (s->files) {
		p->part.fit = fit;
		p->part.file = s->first[fit];
		if (fit != GV_FIT_NO)
			p->part.why = why_fits(w, p, s, fit);
		else if (s->lack.n)
			p->part.why =
			    gv_fmt(w->inv->arena,
				   "only PTX that is newer than driver %.*s understands: needs driver %.*s or newer",
				   GV_ARG(w->t->driver), GV_ARG(s->lack));
		else
			p->part.why = gv_fmt(w->inv->arena, "no code for %.*s: it has %.*s", GV_ARG(device_of(w)),
					     GV_ARG(gv_archs_of(w, p)));
	} else if (s->built && !w->t->cpu && !p->linked) {
		p->part.fit = GV_FIT_NO;
		p->part.file = s->stranger;
		p->part.why = gv_fmt(w->inv->arena, "built for %.*s: no code for %s",
				     GV_ARG(gv_vendors_text(w->inv->arena, s->built)), gv_vendor_title(w->t->vendor));
	} else if (p->linked) {
		p->part.fit = GV_FIT_NATIVE;
		p->part.file = p->linked;
		p->part.why = gv_fmt(w->inv->arena, "uses libraries of %s, has no code of its own",
				     gv_vendor_title(w->t->vendor));
	}
}

/* ---- The whole ---- */

static bool any_own(const struct gv_judging *w)
{
	for (size_t i = 0; i < w->works.n; i++)
		if (!w->works.v[i]->part.vendors && w->works.v[i]->part.fit != GV_FIT_NONE)
			return true;
	return false;
}

static bool any_fits(const struct gv_judging *w)
{
	for (size_t i = 0; i < w->works.n; i++)
		if (!w->works.v[i]->part.vendors &&
		    (w->works.v[i]->part.fit == GV_FIT_NATIVE || w->works.v[i]->part.fit == GV_FIT_JIT))
			return true;
	return false;
}

bool gv_goes_without(const struct gv_package *p)
{
	struct gv_by_name n;

	return p && gv_package_by_name(p->eco, p->name, p->local, &n) && n.by_default && n.layer != GV_LAYER_FRAMEWORK;
}

/* Where something of its own is there, the vendor's libraries are not what decides; a file that nobody is linked to may
 * be a plug-in, one of several. */
static bool is_required(const struct gv_work *p, bool own, bool others)
{
	if (p->part.fit == GV_FIT_NONE || (own && p->part.vendors))
		return false;
	if (p->part.fit == GV_FIT_NO && !p->own.files && gv_goes_without(p->part.package))
		return false;
	return !p->loose || p->needed || p->part.fit < GV_FIT_UNKNOWN || !others;
}

static void ask_driver(struct gv_judging *w, const struct gv_work *p, gv_str driver)
{
	if (!driver.n || gv_cmp_version(driver, w->j->driver) <= 0)
		return;
	w->j->driver = driver;
	w->asks = p;
}

static void set_driver(struct gv_judging *w, const struct gv_work *p)
{
	const struct gv_tally_fit *s = p->part.vendors ? &p->theirs : &p->own;
	unsigned major = s->major ? s->major : p->linked_major;

	gv_str first = GV_NONE, last;

	if (w->t->sm >= 80 && p->part.fit < GV_FIT_UNKNOWN && s->with[p->part.fit] &&
	    s->with[p->part.fit]->vendor) /* no driver of before the device runs anything on it */
		gv_branches_for_sm(w->t->sm, &first, &last);
	ask_driver(w, p, first);
	ask_driver(w, p, major ? gv_driver_for_cuda(major) : GV_NONE);
	ask_driver(w, p, p->part.fit == GV_FIT_JIT ? s->driver : p->part.fit == GV_FIT_NO ? s->lack : GV_NONE);
}

static void set_whole(struct gv_judging *w)
{
	struct gv_judged *j = w->j;
	bool own = any_own(w), others = any_fits(w);
	size_t n = 0;

	for (size_t i = 0; i < w->works.n; i++) {
		struct gv_part *p = &w->works.v[i]->part;

		p->required = is_required(w->works.v[i], own, others);
		if (p->required && p->fit > j->verdict)
			j->verdict = p->fit;
		if (p->required && w->t->vendor == GV_NVIDIA)
			set_driver(w, w->works.v[i]);
	}
	for (size_t i = 0; i < w->works.n; i++) {
		const struct gv_part *p = &w->works.v[i]->part;

		if (!p->required || p->fit != j->verdict)
			continue;
		if (!n++)
			j->why = gv_fmt(w->inv->arena, "%.*s: %.*s", GV_ARG(p->name), GV_ARG(p->why));
	}
	if (n > 1)
		j->why = gv_fmt(w->inv->arena, "%.*s; likewise %zu more", GV_ARG(j->why), n - 1);
}

/* A folder "compat" with a libcuda of its own, as cuda-compat installs it. */
static void see_compat(struct gv_judging *w, const struct gv_file *f)
{
	gv_str base = gv_file_name(f->path);

	if (f->elf && gv_starts(base, "libcuda.so.") && gv_has(f->path, "compat/") &&
	    gv_cmp_version(gv_from(base, 11), w->compat) > 0)
		w->compat = gv_from(base, 11);
}

void gv_judge_parts(struct gv_judging *w)
{
	size_t at = 0;

	for (const struct gv_file *f; (f = gv_judged_file(w, &at));) {
		w->whole |= f->layer > 0;
		see_compat(w, f);
		for (size_t i = 0; f->elf && i < f->elf->needed.n; i++)
			*gv_map_put(&w->needed, f->elf->needed.v[i]) = w;
	}
	at = 0;
	for (const struct gv_file *f; (f = gv_judged_file(w, &at));)
		see_file(w, f);
	for (size_t i = 0; i < w->works.n; i++)
		set_fit(w, w->works.v[i]);
	set_whole(w);
}
