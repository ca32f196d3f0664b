/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuvet inventory --json says of a package or image, package by package: for which GPUs there is code in it, and
 * which GPU libraries it needs from elsewhere. Libraries of the vendors themselves are left out: they bring what they
 * bring, and who uses them is what is to run. */
#include "base/map.h"
#include "format/common_json.h"

#define BUILDS_MAX 2000
#define ARCHS_MAX 96
#define MISSING_MAX 400 /* bytes */

struct build {
	gv_str name;
	gv_str archs[ARCHS_MAX];
	bool amd[ARCHS_MAX];
	size_t n;
	gv_str missing;			      /* separated by blanks */
	const struct gv_line *l, *missing_at; /* the first architecture, the first of those libraries */
};

/* An entry of "code" or "libraries". */
struct entry {
	gv_str file, package, of, vendor, kind, arch, name, grade, found;
	bool hidden, driver, optional, direct;
	const struct gv_line *l;
};

struct inventory {
	struct gv_read *r;
	struct gv_json_walk w;
	struct gv_map by_name;
	GV_VEC(struct build *) builds;
};

static size_t inventory_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);

	(void)seg;
	if (gv_starts(t, "{"))
		t = gv_trim(gv_from(t, 1));
	return gv_starts(t, "\"schema\"") ? gv_json_rest(l, n) : 0;
}

static struct build *build_of(struct inventory *v, const struct entry *e)
{
	gv_str name = e->package.n ? e->package : e->file;
	struct build *b = gv_map_get(&v->by_name, name);

	if (b || !name.n || v->builds.n == BUILDS_MAX)
		return b;
	b = GV_NEW(v->r->arena, struct build);
	*b = (struct build){ .name = name, .l = e->l };
	*gv_map_put(&v->by_name, name) = b;
	*gv_push(v->r->arena, &v->builds) = b;
	return b;
}

/* What Python or Node.js imports by its own name: nothing chooses between it and another build. */
static bool is_imported(gv_str file)
{
	gv_str base = gv_from(file, (size_t)(gv_rfind(file, "/") + 1));

	return gv_has(base, ".cpython-") || gv_ends(base, ".abi3.so") || gv_ends(base, ".node");
}

static void take_library(struct inventory *v, const struct entry *e)
{
	struct build *b;

	if (!gv_is(e->grade, "linked") || e->found.n || e->hidden || e->optional || e->driver || !e->direct ||
	    !is_imported(e->file))
		return;
	b = build_of(v, e);
	if (!b || b->missing.n + e->name.n > MISSING_MAX)
		return;
	if (!b->missing.n)
		b->missing_at = e->l;
	b->missing = gv_fmt(v->r->arena, "%.*s%s%.*s", GV_ARG(b->missing), b->missing.n ? " " : "", GV_ARG(e->name));
}

static void take_code(struct inventory *v, const struct entry *e)
{
	bool amd = gv_is(e->vendor, "amd"), runs = gv_is(e->kind, "elf") || (!amd && gv_is(e->kind, "ptx"));
	struct build *b;

	if ((e->of.n && !gv_is(e->of, "framework")) || e->hidden || !e->arch.n || !runs ||
	    (!amd && !gv_is(e->vendor, "nvidia")))
		return;
	b = build_of(v, e);
	for (size_t i = 0; b && i < b->n; i++)
		if (b->amd[i] == amd && gv_eq(b->archs[i], e->arch))
			return;
	if (!b || b->n == ARCHS_MAX)
		return;
	b->amd[b->n] = amd;
	b->archs[b->n++] = e->arch;
}

static void read_member(struct inventory *v, struct entry *e, enum gv_json_kind k)
{
	static const struct {
		const char *name;
		size_t at;
	} members[] = {
		{ "file", offsetof(struct entry, file) },   { "package", offsetof(struct entry, package) },
		{ "of", offsetof(struct entry, of) },	    { "vendor", offsetof(struct entry, vendor) },
		{ "kind", offsetof(struct entry, kind) },   { "arch", offsetof(struct entry, arch) },
		{ "name", offsetof(struct entry, name) },   { "grade", offsetof(struct entry, grade) },
		{ "found", offsetof(struct entry, found) },
	};
	gv_str name = gv_json_name(&v->w);

	if (gv_is(name, "visible"))
		e->hidden = k == GV_JSON_FALSE;
	else if (gv_is(name, "driver"))
		e->driver = k == GV_JSON_TRUE;
	else if (gv_is(name, "optional"))
		e->optional = k == GV_JSON_TRUE;
	else if (gv_is(name, "direct"))
		e->direct = k == GV_JSON_TRUE;
	for (size_t i = 0; k == GV_JSON_STR && i < sizeof(members) / sizeof(members[0]); i++)
		if (gv_is(name, members[i].name))
			*(gv_str *)(void *)((char *)e + members[i].at) = gv_json_text(&v->w);
	if (gv_is(name, "arch") || gv_is(name, "name"))
		e->l = gv_json_line(&v->w);
}

static void put_archs(struct inventory *v, struct gv_entity *e, const struct build *b, bool amd)
{
	gv_str all = GV_NONE;

	for (size_t i = 0; i < b->n; i++)
		if (b->amd[i] == amd)
			all = gv_fmt(v->r->arena, "%.*s%s%.*s", GV_ARG(all), all.n ? " " : "", GV_ARG(b->archs[i]));
	if (all.n)
		gv_put_str(v->r, e, amd ? GV_F_BUILD_AMD : GV_F_BUILD_NVIDIA, all, b->l);
}

static void inventory_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct inventory v = { .r = r, .by_name = { .arena = r->arena } };
	struct entry e = { 0 };
	unsigned list = 0; /* the level of the entries; 0 outside of both lists */
	bool code = false;
	enum gv_json_kind k;

	gv_json_walk(r->arena, &v.w, l, n);
	while ((k = gv_json_step(&v.w)) != GV_JSON_END && k != GV_JSON_ERROR) {
		unsigned depth = v.w.in.depth;

		gv_str name = gv_json_name(&v.w);

		if (k == GV_JSON_ARR && depth == 2 && (gv_is(name, "code") || gv_is(name, "libraries"))) {
			list = depth + 1;
			code = gv_is(name, "code");
		} else if (k == GV_JSON_OBJ && list && depth == list) {
			e = (struct entry){ 0 };
		} else if (k == GV_JSON_OBJ_END && list && depth + 1 == list) {
			(code ? take_code : take_library)(&v, &e);
		} else if (k == GV_JSON_ARR_END && list && depth + 1 < list) {
			list = 0;
		} else if (list && depth == list) {
			read_member(&v, &e, k);
		}
	}
	for (size_t i = 0; i < v.builds.n; i++) {
		const struct build *b = v.builds.v[i];
		struct gv_entity *to = b->n || b->missing.n ? gv_see(r, GV_BUILD, b->name) : NULL;

		if (!to)
			continue;
		put_archs(&v, to, b, false);
		put_archs(&v, to, b, true);
		if (b->missing.n)
			gv_put_str(r, to, GV_F_BUILD_MISSING, b->missing, b->missing_at);
	}
}

const struct gv_format gv_format_inventory = {
	.name = "gpuvet inventory --json",
	.heads = { "\"gpuvet.inventory.v1\"" },
	.claim = inventory_claim,
	.read = inventory_read,
};
