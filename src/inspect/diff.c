/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/diff.h"

const char *gv_saved_grade(const struct gv_saved_library *l)
{
	return l->grade < GV_GRADES ? gv_grade_name[l->grade] : "shipped";
}

void gv_saved_of(struct gv_saved *ret, struct gv_arena *a, const struct gv_inventory *inv)
{
	*ret = (struct gv_saved){ .bytes = inv->bytes };
	for (size_t i = 0; i < inv->files.n; i++) {
		const struct gv_file *f = inv->files.v[i];

		for (size_t k = 0; k < f->code.n; k++) {
			const struct gv_code *c = &f->code.v[k];

			*gv_push(a, &ret->code) = (struct gv_saved_code){ f->path,  c->arch,  c->vendor, c->kind,
									  c->count, c->bytes, f->hidden };
		}
		if (f->provides && !f->hidden)
			*gv_push(a, &ret->libraries) = (struct gv_saved_library){ f->path, gv_file_name(f->path),
										  GV_NONE, f->provides, GV_GRADES };
		for (size_t k = 0; k < f->deps.n && !f->hidden; k++) {
			const struct gv_dep *d = &f->deps.v[k];

			*gv_push(a, &ret->libraries) =
			    (struct gv_saved_library){ f->path, d->name, d->via, d->vendor, d->grade };
		}
	}
	for (size_t i = 0; i < inv->packages.n; i++) {
		const struct gv_package *p = inv->packages.v[i];

		if (p->name.n)
			*gv_push(a, &ret->packages) =
			    (struct gv_saved_package){ gv_str_of(p->eco), p->name, p->version };
	}
}

/* What stays of a path when a package gets a new version: "torch-2.5-cp312.whl!torch/lib/libc10.so.2" ->
 * "torch/lib/libc10.so". */
static gv_str lasting(gv_str path)
{
	gv_str s = gv_from(path, (size_t)(gv_rfind(path, "!") + 1));
	ptrdiff_t so = gv_rfind(s, ".so.");

	return so > 0 && gv_find_c(gv_from(s, (size_t)so), '/') < 0 ? gv_sub(s, 0, (size_t)so + 3) : s;
}

/* What is there under a key on each side. */
struct slot {
	const void *of[2]; /* the first */
	size_t n[2];
};

struct keys {
	struct gv_map map;
	GV_VEC(struct slot *) slots; /* in the order in which they came */
};

static struct slot *add(struct keys *k, int side, const void *of, gv_str key)
{
	void **at = gv_map_put(&k->map, key);
	struct slot *s = *at;

	if (!s) {
		*at = s = GV_NEW(k->map.arena, struct slot);
		*gv_push(k->map.arena, &k->slots) = s;
	}
	if (!s->n[side]++)
		s->of[side] = of;
	return s;
}

static void diff_code(struct gv_diff *d, struct gv_arena *a, const struct gv_saved *const side[2])
{
	struct keys k = { .map.arena = a };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->code.n; i++) {
			const struct gv_saved_code *c = &side[s]->code.v[i];

			add(&k, s, c,
			    gv_fmt(a, "%u %u %d %.*s %.*s", c->vendor, c->kind, c->hidden, GV_ARG(c->arch),
				   GV_ARG(lasting(c->file))));
		}
	for (size_t i = 0; i < k.slots.n; i++)
		for (int s = 0; s < 2; s++)
			if (!k.slots.v[i]->n[!s])
				*gv_push(a, &d->code) = (struct gv_diff_code){ k.slots.v[i]->of[s], s == 1 };
}

struct gv_amount *gv_amount_of(struct gv_amounts *all, unsigned vendor, enum gv_code_kind kind, gv_str arch)
{
	struct gv_arena *a = all->map.arena;
	void **at = gv_map_put(&all->map, gv_fmt(a, "%u %u %.*s", vendor, kind, GV_ARG(arch)));
	struct gv_amount *m = *at;

	if (!m) {
		*at = m = GV_NEW(a, struct gv_amount);
		*m = (struct gv_amount){ .vendor = vendor, .kind = kind, .arch = arch };
		*gv_push(a, &all->all) = m;
	}
	return m;
}

static void diff_amounts(struct gv_diff *d, const struct gv_saved *const side[2])
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->code.n; i++) {
			const struct gv_saved_code *c = &side[s]->code.v[i];
			struct gv_amount *m = gv_amount_of(&d->amounts, c->vendor, c->kind, c->arch);

			m->count[s] += c->count;
			m->bytes[s] += c->bytes;
		}
	for (size_t i = 0; i < d->amounts.all.n; i++) {
		const struct gv_amount *m = d->amounts.all.v[i];

		d->same &= m->bytes[0] == m->bytes[1] && m->count[0] == m->count[1];
	}
}

/* A library that another file asks for, too, is no news. */
static void diff_libraries(struct gv_diff *d, struct gv_arena *a, const struct gv_saved *const side[2])
{
	struct keys k = { .map.arena = a };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->libraries.n; i++) {
			const struct gv_saved_library *l = &side[s]->libraries.v[i];

			add(&k, s, l, gv_fmt(a, "%u %u %.*s", l->vendor, l->grade, GV_ARG(l->name)));
		}
	for (size_t i = 0; i < k.slots.n; i++)
		for (int s = 0; s < 2; s++)
			if (!k.slots.v[i]->n[!s])
				*gv_push(a, &d->libraries) =
				    (struct gv_diff_library){ k.slots.v[i]->of[s], k.slots.v[i]->n[s], s == 1 };
}

static void diff_packages(struct gv_diff *d, struct gv_arena *a, const struct gv_saved *const side[2])
{
	struct keys k = { .map.arena = a };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->packages.n; i++) {
			const struct gv_saved_package *p = &side[s]->packages.v[i];

			add(&k, s, p, gv_fmt(a, "%.*s %.*s", GV_ARG(p->eco), GV_ARG(p->name)));
		}
	for (size_t i = 0; i < k.slots.n; i++) {
		const struct gv_saved_package *old = k.slots.v[i]->of[0], *new = k.slots.v[i]->of[1];

		if (!old || !new || !gv_eq(old->version, new->version))
			*gv_push(a, &d->packages) = (struct gv_diff_package){ old, new };
	}
}

void gv_diff(struct gv_diff *ret, struct gv_arena *a, const struct gv_saved *old, const struct gv_saved *new)
{
	const struct gv_saved *const side[2] = { old, new };

	*ret = (struct gv_diff){ .amounts.map.arena = a, .bytes = { old->bytes, new->bytes }, .same = true };
	diff_amounts(ret, side);
	diff_code(ret, a, side);
	diff_libraries(ret, a, side);
	diff_packages(ret, a, side);
	ret->same = ret->same && !ret->code.n && !ret->libraries.n && !ret->packages.n;
}
