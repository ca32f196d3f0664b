/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a machine out of what was read of it. */
#include "core/spec.h"
#include "core/table.h"
#include "inspect/cachekey_common.h"

gv_str gv_cache_arch(struct gv_arena *a, gv_str s)
{
	gv_str minor = gv_after(s, ".");
	uint64_t x, y;

	if (gv_starts(s, "gfx") && s.n > 5)
		return gv_before(s, ":");
	if (gv_starts(s, "sm_"))
		s = gv_from(s, 3);
	if (minor.n && gv_to_u64(gv_before(s, "."), &x) && gv_to_u64(minor, &y) && x && x < 100 && y < 10)
		return gv_fmt(a, "sm_%llu", (unsigned long long)(10 * x + y));
	if (!minor.n && gv_to_u64(s, &x) && x >= 10 && x < 1000)
		return gv_fmt(a, "sm_%llu", (unsigned long long)x);
	return GV_NONE;
}

static gv_str place(struct gv_arena *a, const struct gv_obs *o)
{
	if (!o || !o->at.doc)
		return GV_STR("derived");
	return gv_fmt(a, "%.*s:%u", GV_ARG(o->at.doc->name), (unsigned)o->at.line);
}

/* A fact as a property is written; empty where it is not known, or not whole. */
static gv_str value_of(struct gv_arena *a, gv_str property, const struct gv_entity *e, enum gv_fact f)
{
	gv_str s = gv_text(e, f);
	double v;

	if (gv_fact_info[f].type == GV_NUM)
		return gv_num(e, f, &v) ? gv_fmt(a, "%.15g", gv_is(property, "memory") ? (double)(int64_t)(v + 0.5) : v)
					: GV_NONE;
	if (f == GV_F_GPU_NAME && gv_is(property, "arch")) {
		size_t row = gv_gpu_spec(s);

		s = row == SIZE_MAX ? GV_NONE : gv_cell(gv_table("gpu-specs"), row, "cc");
	}
	if (gv_is(property, "arch"))
		return gv_cache_arch(a, s);
	/* a name that a tool cut, and a build of PyTorch without this */
	return gv_ends(s, "...") || gv_is(s, "None") ? GV_NONE : s;
}

/* The first of the facts of the table that is known of one thing. */
static bool first_known(struct gv_arena *a, gv_str facts, const struct gv_entity *e, struct gv_cache_prop *p)
{
	gv_str word;

	while (gv_word(&facts, &word)) {
		bool of_gpu = gv_starts(word, "gpu.");
		enum gv_fact f = gv_fact_by_name(of_gpu ? GV_GPU : GV_NODE, gv_after(word, "."));

		if (f == GV_FACTS || of_gpu != (e->kind == GV_GPU))
			continue;
		p->value = value_of(a, p->name, e, f);
		if (p->value.n) {
			p->from = place(a, gv_obs(e, f));
			return true;
		}
	}
	return false;
}

static bool wanted(const struct gv_machine *m, const struct gv_entity *e, unsigned vendor)
{
	gv_str v = gv_text(e, GV_F_GPU_VENDOR);

	if (m->gpu)
		return m->gpu == e;
	return !vendor || !v.n || gv_is(v, gv_vendor_name(vendor));
}

/* A job sees a part of a GPU that is divided: its memory, its units, and its name are not the whole's. */
static bool divided(const struct gv_entity *e, gv_str property)
{
	return gv_is(gv_text(e, GV_F_GPU_MIG), "Enabled") && !gv_is(property, "arch") && !gv_is(property, "isa");
}

/* What all GPUs that matter agree on. */
static void of_gpus(const struct gv_machine *m, gv_str facts, unsigned vendor, struct gv_cache_prop *p)
{
	struct gv_cache_prop one = *p, all = *p;
	size_t n = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(m->run, GV_GPU, m->node, e));) {
		if (!wanted(m, e, vendor))
			continue;
		if (divided(e, p->name)) {
			p->why = GV_STR("MIG is on: a job sees an instance, not the whole GPU");
			return;
		}
		if (!first_known(m->arena, facts, e, &one)) {
			p->why = n ? GV_STR("not known of all GPUs") : GV_STR("nothing that was read says so");
			return;
		}
		if (n++ && !gv_eq(one.value, all.value)) {
			p->why = gv_fmt(m->arena, "the GPUs differ, %.*s and %.*s: name one with --gpu",
					GV_ARG(all.value), GV_ARG(one.value));
			return;
		}
		all = n == 1 ? one : all;
	}
	if (n)
		*p = all;
	else
		p->why = GV_STR("no GPU was seen");
}

static void read_prop(const struct gv_machine *m, gv_str facts, unsigned vendor, struct gv_cache_prop *p)
{
	const struct gv_cache_set *s = gv_cache_set_of(m, gv_dup(m->arena, p->name).p);

	if (s) {
		p->value = s->value;
		p->from = s->from;
	} else if (!facts.n) {
		p->why = GV_STR("no output that is read says so");
	} else if (!m->node) {
		p->why = GV_STR("nothing was read of a machine");
	} else if (gv_starts(facts, "gpu.")) {
		of_gpus(m, facts, vendor, p);
	} else if (!first_known(m->arena, facts, m->node, p)) {
		p->why = GV_STR("nothing that was read says so");
	}
}

struct gv_cache_prop gv_cache_prop_of(const struct gv_machine *m, size_t row, unsigned vendor)
{
	const struct gv_table *t = gv_table("cache-keys");
	struct gv_cache_prop p = { .name = gv_cell(t, row, "property"),
				   .how = gv_cell(t, row, "how"),
				   .source = gv_cell(t, row, "source"),
				   .basis = gv_cell(t, row, "basis") };

	read_prop(m, gv_cell(t, row, "facts"), vendor, &p);
	return p;
}

struct gv_cache_prop gv_cache_prop_named(const struct gv_machine *m, const char *name)
{
	size_t row = gv_table_find(gv_table("cache-keys"), "property", gv_str_of(name), 0);

	return row == SIZE_MAX
		   ? (struct gv_cache_prop){ .name = gv_str_of(name), .why = GV_STR("no cache depends on it") }
		   : gv_cache_prop_of(m, row, 0);
}
