/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/cachekey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "core/table.h"
#include "inspect/cachekey_common.h"

#define VALUE_MAX 256

size_t gv_cache_names(const char *ret[GV_CACHES_MAX])
{
	const struct gv_table *t = gv_table("cache-keys");
	size_t n = 0;

	for (size_t r = 0; t && r < t->rows && n + 1 < GV_CACHES_MAX; r++)
		if (!n || !gv_is(gv_cell(t, r, "cache"), ret[n - 1]))
			ret[n++] = gv_cell(t, r, "cache").p;
	ret[n] = NULL;
	return n;
}

/* ---- Whose machine ---- */

static bool is_gpu(const struct gv_entity *e, gv_str word)
{
	return gv_eq(e->id, word) || gv_eq(e->key[GV_KEY_INDEX], word) || gv_eq_nocase(e->key[GV_KEY_BUS], word) ||
	       gv_eq_nocase(e->key[GV_KEY_UUID], word);
}

int gv_machine_of(struct gv_machine *m, const struct gv_run *run, gv_str node, gv_str gpu, struct gv_buf *err)
{
	size_t n = 0;

	m->run = run;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_NODE, NULL, e));) {
		if (node.n && !gv_eq(e->id, node) && !gv_eq(gv_text(e, GV_F_HOSTNAME), node))
			continue;
		m->node = e;
		n++;
	}
	if (node.n && !n) {
		gv_printf(err, "--node: nothing was read of \"%.*s\"", GV_ARG(node));
		return -EINVAL;
	}
	if (n > 1) {
		gv_printf(err, "what was read is of %zu machines: name one with --node", n);
		return -EINVAL;
	}
	for (struct gv_entity *e = NULL; gpu.n && m->node && !m->gpu && (e = gv_each(run, GV_GPU, m->node, e));)
		if (is_gpu(e, gpu))
			m->gpu = e;
	if (gpu.n && !m->gpu) {
		gv_printf(err, "--gpu: no GPU \"%.*s\" was seen", GV_ARG(gpu));
		return -EINVAL;
	}
	return 0;
}

/* A property that some cache depends on, or "vendor". */
static bool is_property(gv_str name)
{
	return gv_is(name, "vendor") || gv_table_find(gv_table("cache-keys"), "property", name, 0) != SIZE_MAX;
}

/* What would make two keys of one machine, or one line of two: "9.0" and "sm_90" are the same. */
static gv_str written(struct gv_arena *a, gv_str name, gv_str value)
{
	gv_str rest;
	double mib;

	value = gv_trim(value);
	if (gv_is(name, "arch"))
		return gv_cache_arch(a, value);
	if (gv_is(name, "memory") && gv_lead_num(value, &mib, &rest))
		return mib >= 1 && mib < 1e9 && (!gv_trim(rest).n || gv_is(gv_trim(rest), "MiB"))
			   ? gv_fmt(a, "%.0f", mib)
			   : GV_NONE;
	return value;
}

int gv_machine_state(struct gv_machine *m, gv_str name, gv_str value, gv_str from, struct gv_buf *err)
{
	gv_str as;

	if (!is_property(name)) {
		gv_printf(err, "%.*s: no cache depends on \"%.*s\"", GV_ARG(from), GV_ARG(name));
		return -EINVAL;
	}
	as = written(m->arena, name, value);
	for (size_t i = 0; i < as.n; i++)
		if ((unsigned char)as.p[i] < ' ' || as.p[i] == 0x7f)
			as = GV_NONE;
	if (!as.n || as.n > VALUE_MAX || (gv_is(name, "vendor") && !gv_vendor_of(as))) {
		gv_printf(err, "%.*s: %.*s=%.*s is no value for it", GV_ARG(from), GV_ARG(name),
			  GV_ARG(gv_cut(value, 60)));
		return -EINVAL;
	}
	*gv_push(m->arena, &m->set) =
	    (struct gv_cache_set){ gv_dup(m->arena, name), gv_dup(m->arena, as), gv_dup(m->arena, from) };
	return 0;
}

int gv_machine_set(struct gv_machine *m, gv_str assignment, const char *from, struct gv_buf *err)
{
	ptrdiff_t eq = gv_find_c(assignment, '=');

	if (eq <= 0) {
		gv_printf(err, "%s: NAME=VALUE is wanted, as triton=3.1.0", from);
		return -EINVAL;
	}
	return gv_machine_state(m, gv_sub(assignment, 0, (size_t)eq), gv_from(assignment, (size_t)eq + 1),
				gv_str_of(from), err);
}

static bool among(gv_str words, gv_str name)
{
	gv_str word;

	while (gv_word(&words, &word))
		if (gv_eq(word, name))
			return true;
	return false;
}

int gv_machine_packages(struct gv_machine *m, const struct gv_inventory *inv, gv_str cache, struct gv_buf *err)
{
	const struct gv_table *t = gv_table("cache-keys");

	for (size_t i = 0; i < inv->packages.n; i++) {
		const struct gv_package *p = inv->packages.v[i];
		const struct gv_cache_set *before;
		size_t r = 0;

		if (strcmp(p->eco, "pypi") || p->how != GV_PACKAGE_HERE || !p->version.n)
			continue;
		while (r < t->rows && ((cache.n && !gv_eq(gv_cell(t, r, "cache"), cache)) ||
				       !among(gv_cell(t, r, "packages"), p->name)))
			r++;
		if (r == t->rows)
			continue;
		before = gv_cache_set_of(m, gv_cell(t, r, "property").p);
		if (before && gv_eq(before->value, p->version))
			continue;
		if (before) {
			gv_printf(err, "--packages: two versions of %.*s: %.*s (%.*s) and %.*s (%.*s)",
				  GV_ARG(before->name), GV_ARG(before->value), GV_ARG(before->from), GV_ARG(p->version),
				  GV_ARG(p->from ? p->from->path : p->name));
			return -EINVAL;
		}
		if (gv_machine_state(m, gv_cell(t, r, "property"), p->version, p->from ? p->from->path : p->name, err))
			return -EINVAL;
	}
	return 0;
}

const struct gv_cache_set *gv_cache_set_of(const struct gv_machine *m, const char *name)
{
	for (size_t i = m->set.n; i-- > 0;) /* the last one wins */
		if (gv_is(m->set.v[i].name, name))
			return &m->set.v[i];
	return NULL;
}

/* Vendors of the GPUs that the key is for, as bits: as stated, else as seen. */
static unsigned vendors_of(const struct gv_machine *m)
{
	const struct gv_cache_set *s = gv_cache_set_of(m, "vendor");

	if (s)
		return gv_vendor_of(s->value);
	if ((s = gv_cache_set_of(m, "arch")))
		return gv_starts(s->value, "sm_") ? GV_NVIDIA : GV_AMD;
	if (gv_cache_set_of(m, "isa"))
		return GV_AMD;
	if ((s = gv_cache_set_of(m, "device")) && gv_starts(s->value, "NVIDIA"))
		return GV_NVIDIA;
	if (m->gpu)
		return gv_vendor_of(gv_text(m->gpu, GV_F_GPU_VENDOR));
	return m->node ? gv_vendors(m->run, m->node) : 0;
}

/* ---- The key ---- */

static unsigned cache_vendors(const struct gv_table *t, gv_str cache)
{
	unsigned bits = 0;
	bool any = false;

	for (size_t r = 0; (r = gv_table_find(t, "cache", cache, r)) != SIZE_MAX; r++) {
		gv_str v = gv_cell(t, r, "vendor");

		bits |= gv_vendor_of(v);
		any |= gv_is(v, "any");
	}
	return bits ? bits : any ? GV_VENDORS_ALL : 0;
}

static bool one_bit(unsigned v)
{
	return v && !(v & (v - 1));
}

static bool has_prop(const struct gv_cache_key *k, gv_str name)
{
	for (size_t i = 0; i < k->props.n; i++)
		if (gv_eq(k->props.v[i].name, name))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct gv_cache_prop *x = a, *y = b;

	return gv_cmp(x->name, y->name);
}

/* The properties as lines, each name once and in order; the hash of these is the key. */
static void make_key(struct gv_arena *a, struct gv_cache_key *k)
{
	gv_str short_name = GV_NONE;
	struct gv_buf b = { 0 };
	char hex[2 * GV_SHA256_BYTES + 1];

	gv_printf(&b, "gpuvet cache key %d\ncache\t%.*s\n", GV_CACHE_SCHEME, GV_ARG(k->cache));
	for (size_t i = 0; i < k->props.n; i++) {
		gv_printf(&b, "%.*s\t%.*s\n", GV_ARG(k->props.v[i].name), GV_ARG(k->props.v[i].value));
		if (gv_is(k->props.v[i].name, "arch"))
			short_name = k->props.v[i].value;
	}
	gv_sha256_hex(gv_buf_str(&b), hex);
	gv_buf_free(&b);
	k->key = short_name.n
		     ? gv_fmt(a, "gv%d-%.*s-%.*s-%s", GV_CACHE_SCHEME, GV_ARG(k->cache), GV_ARG(short_name), hex)
		     : gv_fmt(a, "gv%d-%.*s-%s", GV_CACHE_SCHEME, GV_ARG(k->cache), hex);
}

int gv_cache_key(const struct gv_machine *m, gv_str cache, struct gv_cache_key *ret, struct gv_buf *err)
{
	const struct gv_table *t = gv_table("cache-keys");
	unsigned of_cache = cache_vendors(t, cache), here = vendors_of(m), use;

	*ret = (struct gv_cache_key){ .cache = cache };
	if (!of_cache) {
		gv_printf(err, "no cache \"%.*s\" is known", GV_ARG(cache));
		return -EINVAL;
	}
	use = here ? here & of_cache : of_cache;
	if (!use) {
		gv_printf(err, "%.*s is for GPUs of another vendor than this machine has", GV_ARG(cache));
		return -EINVAL;
	}
	for (size_t r = 0; (r = gv_table_find(t, "cache", cache, r)) != SIZE_MAX; r++) {
		unsigned v = gv_vendor_of(gv_cell(t, r, "vendor"));
		struct gv_cache_prop *p;

		if ((v && !(v & use)) || (!one_bit(use) && has_prop(ret, gv_cell(t, r, "property"))))
			continue;
		p = gv_push(m->arena, &ret->props);
		*p = gv_cache_prop_of(m, r, one_bit(use) ? use : 0);
		ret->unknown += !p->value.n;
	}
	if (!one_bit(use)) {
		*gv_push(m->arena, &ret->props) =
		    (struct gv_cache_prop){ .name = GV_STR("vendor"),
					    .why = here
						       ? GV_STR("GPUs of several vendors are here: name one with --gpu")
						       : GV_STR("no GPU was seen"),
					    .how = GV_STR("nvidia, amd or intel") };
		ret->unknown++;
	}
	qsort(ret->props.v, ret->props.n, sizeof(*ret->props.v), by_name);
	if (!ret->unknown)
		make_key(m->arena, ret);
	return 0;
}
