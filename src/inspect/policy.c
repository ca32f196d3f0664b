/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory held against a policy. What is alike in many files is one violation. */
#include "base/units.h"
#include "core/arch.h"
#include "inspect/policy.h"

struct check {
	const struct gv_inventory *inv;
	struct gv_arena *arena;
	struct gv_policy *policy;
	struct gv_policy_result *ret;
	struct gv_map known; /* key -> violation */
};

/* What a file is called in a violation: by its package, where it has one. */
static gv_str unit_of(const struct gv_file *f)
{
	return f->package && f->package->name.n ? f->package->name : gv_file_name(f->path);
}

/* ---- Exceptions ---- */

static bool matches(gv_str pattern, gv_str name)
{
	if (gv_starts(pattern, "*"))
		return name.n >= pattern.n - 1 && gv_eq(gv_from(name, name.n - (pattern.n - 1)), gv_from(pattern, 1));
	if (gv_ends(pattern, "*"))
		return name.n >= pattern.n - 1 &&
		       gv_eq(gv_sub(name, 0, pattern.n - 1), gv_sub(pattern, 0, pattern.n - 1));
	return gv_eq(pattern, name);
}

static void find_exception(struct check *c, struct gv_violation *v)
{
	for (size_t i = 0; i < c->policy->exceptions.n && !v->accepted; i++) {
		struct gv_exception *e = &c->policy->exceptions.v[i];
		bool hit = matches(e->what, v->what);

		if (v->file)
			hit = hit || matches(e->what, v->file->path) || matches(e->what, gv_file_name(v->file->path)) ||
			      matches(e->what, unit_of(v->file));
		if (!hit || (e->vendor && !(e->vendor & v->vendor)))
			continue;
		e->used = true;
		*(e->expired ? &v->expired : &v->accepted) = e;
	}
}

static void add(struct check *c, struct gv_violation v)
{
	struct gv_violation *known;
	gv_str key;

	find_exception(c, &v);
	key = gv_fmt(c->arena, "%s %u %u %.*s", v.rule, v.vendor, v.accepted ? v.accepted->line : 0, GV_ARG(v.what));
	known = gv_map_get(&c->known, key);
	if (!known) {
		known = GV_NEW(c->arena, struct gv_violation);
		*known = v;
		*gv_map_put(&c->known, key) = known;
		*gv_push(c->arena, &c->ret->violations) = known;
		c->ret->open += !v.accepted;
	}
	known->count++;
}

/* ---- Vendors ---- */

static bool forbidden(const struct gv_policy *p, enum gv_layer layer, unsigned vendor)
{
	const struct gv_vendor_rule *r = &p->layer[layer == GV_LAYERS ? GV_LAYER_LIBRARY : layer];

	return r->on && ((r->forbid & vendor) || (r->allow && !(r->allow & vendor)));
}

static void check_code(struct check *c, const struct gv_file *f)
{
	unsigned vendors = 0;

	for (size_t i = 0; i < f->code.n && !gv_file_is_of_tests(f); i++)
		vendors |= f->code.v[i].vendor;
	for (unsigned v = GV_NVIDIA; v <= GV_INTEL; v <<= 1)
		if ((vendors & v) && forbidden(c->policy, GV_LAYER_CODE, v))
			add(c, (struct gv_violation){ .rule = "vendors",
						      .what = unit_of(f),
						      .file = f,
						      .vendor = v,
						      .summary = gv_fmt(c->arena, "%.*s holds code for GPUs of %s",
									GV_ARG(unit_of(f)), gv_vendor_title(v)) });
}

static void check_library(struct check *c, const struct gv_file *f)
{
	gv_str name = gv_file_name(f->path);
	enum gv_layer layer = gv_library_layer(name);

	if (f->provides && forbidden(c->policy, layer, f->provides))
		add(c, (struct gv_violation){ .rule = "vendors",
					      .what = name,
					      .file = f,
					      .vendor = f->provides,
					      .summary =
						  gv_fmt(c->arena, "%.*s is in here: %s of %s", GV_ARG(name),
							 gv_layer_name[layer == GV_LAYERS ? GV_LAYER_LIBRARY : layer],
							 gv_vendor_title(f->provides)) });
}

/* The package that declares it, where that is known. */
static const struct gv_package *declarer(const struct gv_file *f, const struct gv_dep *d)
{
	return d->of ? d->of : f->packages.n == 1 ? f->packages.v[0] : f->package;
}

static void check_deps(struct check *c, const struct gv_file *f)
{
	static const char *const asks[] = { "is linked to", "may load", "fetches at installation", "declares",
					    "has linked in" };

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];
		const struct gv_package *p = d->grade == GV_DECLARED ? declarer(f, d) : NULL;
		gv_str who = p && p->name.n ? p->name : unit_of(f);

		if (!(c->policy->grades >> d->grade & 1) || d->optional || !d->vendor ||
		    !forbidden(c->policy, gv_dep_layer(d, declarer(f, d)), d->vendor))
			continue;
		add(c, (struct gv_violation){ .rule = "vendors",
					      .what = d->name,
					      .file = f,
					      .vendor = d->vendor,
					      .via = d->via,
					      .summary =
						  gv_fmt(c->arena, "%.*s %s %.*s, of %s", GV_ARG(who), asks[d->grade],
							 GV_ARG(d->name), gv_vendor_title(d->vendor)) });
	}
}

/* ---- Toolkits ---- */

static void check_toolkit(struct check *c, const struct gv_file *f)
{
	const struct gv_policy *p = c->policy;

	for (size_t i = 0; i < f->code.n; i++) {
		unsigned v = f->code.v[i].vendor == GV_NVIDIA ? f->code.v[i].toolkit : 0;
		bool older = v && p->toolkit_min && v < p->toolkit_min;
		bool newer = v && p->toolkit_max && v > p->toolkit_max;

		if (!older && !newer)
			continue;
		add(c, (struct gv_violation){
			   .rule = "toolkit",
			   .what = unit_of(f),
			   .file = f,
			   .vendor = GV_NVIDIA,
			   .summary = gv_fmt(c->arena, "%.*s was made by CUDA %u.%u: %s than the policy allows",
					     GV_ARG(unit_of(f)), v / 100, v % 100, older ? "older" : "newer") });
		return;
	}
}

/* ---- Architectures ---- */

static unsigned vendor_of_arch(gv_str arch)
{
	return gv_starts(arch, "gfx") ? GV_AMD : GV_NVIDIA;
}

static bool is_exact(gv_str arch)
{
	unsigned sm;
	char suffix;

	return gv_sm_parse(arch, &sm, &suffix) && suffix;
}

/* Whether it is code that such a device runs as it is, or, for "compute_90", PTX that it is compiled from. By its
 * full name ("sm_90a") that alone is asked for. */
static bool suits(const struct gv_code *c, gv_str arch)
{
	if (c->vendor != vendor_of_arch(arch) || !c->arch.n ||
	    c->kind != (gv_starts(arch, "compute_") ? GV_CODE_PTX : GV_CODE_ELF))
		return false;
	if (is_exact(arch))
		return gv_eq(arch, c->arch);
	return gv_arch_runs(arch, c->arch) != GV_RUNS_NOT;
}

/* Files of one package, or a file that belongs to none. */
struct unit {
	const struct gv_file *first;
	unsigned vendors; /* for which it has code */
	uint64_t has;	  /* of the policy's architectures, as bits */
};

static void note_code(const struct gv_policy *p, struct unit *u, const struct gv_file *f)
{
	for (size_t i = 0; i < f->code.n && !gv_file_is_of_tests(f); i++) {
		u->vendors |= gv_code_is_material(f, &f->code.v[i]) ? 0 : f->code.v[i].vendor;
		for (size_t k = 0; k < p->archs.n; k++)
			u->has |= (uint64_t)suits(&f->code.v[i], p->archs.v[k]) << k;
	}
}

static struct unit *unit_at(struct check *c, struct gv_map *units, const struct gv_file *f)
{
	bool packed = f->package && f->package->name.n;
	void **at = gv_map_put(units, packed ? gv_fmt(c->arena, "%s %.*s", f->package->eco, GV_ARG(f->package->name))
					     : f->path);
	struct unit *u = *at;

	if (!u) {
		*at = u = GV_NEW(c->arena, struct unit);
		u->first = f;
	}
	return u;
}

static void check_unit(struct check *c, const struct unit *u)
{
	gv_str name = unit_of(u->first);

	for (size_t k = 0; k < c->policy->archs.n; k++) {
		gv_str arch = c->policy->archs.v[k];

		if (u->vendors & vendor_of_arch(arch) && !(u->has >> k & 1))
			add(c, (struct gv_violation){ .rule = "architectures",
						      .what = gv_fmt(c->arena, "%.*s %.*s", GV_ARG(name), GV_ARG(arch)),
						      .file = u->first,
						      .vendor = vendor_of_arch(arch),
						      .summary = gv_fmt(c->arena, "%.*s has no code for %.*s",
									GV_ARG(name), GV_ARG(arch)) });
	}
}

static void check_architectures(struct check *c)
{
	GV_VEC(struct unit *) units = { 0 };
	struct gv_map at = { .arena = c->arena };

	for (size_t i = 0; c->policy->archs.n && i < c->inv->files.n; i++) {
		const struct gv_file *f = c->inv->files.v[i];
		struct unit *u = f->code.n && !f->hidden ? unit_at(c, &at, f) : NULL;

		if (!u)
			continue;
		if (u->first == f)
			*gv_push(c->arena, &units) = u;
		note_code(c->policy, u, f);
	}
	for (size_t i = 0; i < units.n; i++)
		check_unit(c, units.v[i]);
}

/* ---- Sizes ---- */

static void check_size(struct check *c, const char *of, unsigned vendor, uint64_t is, uint64_t most)
{
	char a[GV_HUMAN], b[GV_HUMAN];

	if (most != GV_POLICY_ANY && is > most)
		add(c, (struct gv_violation){ .rule = "size",
					      .what = gv_str_of(of),
					      .vendor = vendor,
					      .summary = gv_fmt(c->arena, "%s: %s, more than %s", of,
								gv_human_bytes((double)is, a, sizeof(a)),
								gv_human_bytes((double)most, b, sizeof(b))) });
}

static void check_sizes(struct check *c)
{
	uint64_t bytes[3] = { 0 };

	for (size_t i = 0; i < c->inv->files.n; i++) {
		const struct gv_file *f = c->inv->files.v[i];
		unsigned vendors = f->provides;

		for (size_t k = 0; k < f->code.n; k++)
			vendors |= f->code.v[k].vendor;
		for (unsigned b = 0; b < 3; b++)
			bytes[b] += vendors >> b & 1 ? f->size : 0;
	}
	check_size(c, "files in all", 0, c->inv->bytes, c->policy->total);
	for (unsigned b = 0; b < 3; b++)
		check_size(c, gv_dupz(c->arena, gv_fmt(c->arena, "files for GPUs of %s", gv_vendor_title(1u << b))),
			   1u << b, bytes[b], c->policy->size[b]);
}

void gv_policy_check(const struct gv_inventory *inv, struct gv_arena *a, struct gv_policy *p,
		     struct gv_policy_result *ret)
{
	struct check c = { .inv = inv, .arena = a, .policy = p, .ret = ret, .known = { .arena = a } };

	*ret = (struct gv_policy_result){ .policy = p };
	for (size_t i = 0; i < inv->files.n; i++) {
		const struct gv_file *f = inv->files.v[i];

		if (f->hidden)
			continue;
		check_library(&c, f);
		check_code(&c, f);
		check_deps(&c, f);
		check_toolkit(&c, f);
	}
	check_architectures(&c);
	check_sizes(&c);
}
