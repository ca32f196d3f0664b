/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_rpm.h"

#include "inspect/common_fetch.h"

#define ENTRIES_MAX 4096
#define ITEMS_MAX 1000000 /* of one entry; what a file may keep is capped besides */

enum {
	TAG_NAME = 1000,
	TAG_VERSION = 1001,
	TAG_RELEASE = 1002,
	TAG_PREIN = 1023,
	TAG_POSTIN = 1024,
	TAG_REQUIRENAME = 1049,
	TAG_REQUIREVERSION = 1050,
	TAG_DIRINDEXES = 1116,
	TAG_BASENAMES = 1117,
	TAG_DIRNAMES = 1118,
	TAG_RECOMMENDNAME = 5046,
	TAG_SUGGESTNAME = 5049,
};

uint32_t gv_be32(gv_str s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.p + at;

	if (at > s.n || s.n - at < 4)
		return 0;
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

struct header {
	gv_str entries, data;
	uint32_t n;
};

/* Where the values of a tag begin, up to the end of the data. */
static gv_str values(const struct header *h, uint32_t tag, uint32_t *ret_count)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (gv_be32(h->entries, 16 * (size_t)i) == tag) {
			*ret_count = gv_be32(h->entries, 16 * (size_t)i + 12);
			return gv_from(h->data, gv_be32(h->entries, 16 * (size_t)i + 8));
		}
	*ret_count = 0;
	return GV_NONE;
}

/* The next of several strings, each with a NUL behind it. */
static bool next_string(gv_str *rest, gv_str *ret)
{
	const char *end = rest->n ? memchr(rest->p, 0, rest->n) : NULL;

	if (!end)
		return false;
	*ret = (gv_str){ rest->p, (size_t)(end - rest->p) };
	*rest = gv_from(*rest, ret->n + 1);
	return true;
}

static gv_str text_of(const struct header *h, uint32_t tag)
{
	uint32_t count;
	gv_str rest = values(h, tag, &count), s = GV_NONE;

	next_string(&rest, &s);
	return s;
}

/* A library is asked for once more for each version of its symbols; those of one stand together. */
static bool is_told(const struct gv_inspect *x, const struct gv_package *p, gv_str name)
{
	const struct gv_dep *v = x->file->deps.v;
	size_t n = x->file->deps.n;

	for (size_t i = 1; i <= n && i <= 16 && v[n - i].of == p; i++)
		if (gv_eq(v[n - i].name, name))
			return true;
	return false;
}

/* "libcuda.so.1()(64bit)" is a library, "cuda-cudart-12-4" a package, "rpmlib(...)" neither. */
static void add_requires(struct gv_inspect *x, struct gv_package *p, const struct header *h, uint32_t tag,
			 bool optional)
{
	uint32_t count, versions;
	gv_str names = values(h, tag, &count),
	       specs = tag == TAG_REQUIRENAME ? values(h, TAG_REQUIREVERSION, &versions) : GV_NONE;

	for (uint32_t i = 0; i < count && i < ITEMS_MAX; i++) {
		gv_str name, spec = GV_NONE, library;
		unsigned vendor;
		bool driver;

		if (!next_string(&names, &name))
			return;
		next_string(&specs, &spec);
		library = gv_before(name, "(");
		vendor = gv_has(library, ".so") ? gv_library_vendor(library, &driver) : 0;
		if (vendor && is_told(x, p, library))
			continue;
		if (vendor) {
			struct gv_dep *d = gv_add_dep(x, GV_DECLARED, library, vendor);

			d->of = p;
			d->optional = optional;
			d->driver = driver;
			d->quote = gv_dup(x->arena, name);
		} else if (library.n == name.n && !gv_has(name, ".so") && !gv_starts(name, "/")) {
			gv_add_require(x, p, name, spec, optional, 0);
		}
	}
}

static void add_files(struct gv_inspect *x, struct gv_package *p, const struct header *h)
{
	uint32_t count, ndirs, nindexes;
	gv_str names = values(h, TAG_BASENAMES, &count), dirs = values(h, TAG_DIRNAMES, &ndirs),
	       indexes = values(h, TAG_DIRINDEXES, &nindexes), name;
	GV_VEC(gv_str) dir = { 0 };

	for (uint32_t i = 0; i < ndirs && i < ITEMS_MAX && next_string(&dirs, &name); i++)
		*gv_push(x->arena, &dir) = name;
	for (uint32_t i = 0; i < count && i < nindexes && i < ITEMS_MAX && next_string(&names, &name); i++) {
		uint32_t at = gv_be32(indexes, 4 * (size_t)i);
		char path[1024];

		if (at >= dir.n || dir.v[at].n + name.n > sizeof(path))
			continue;
		memcpy(path, dir.v[at].p, dir.v[at].n);
		memcpy(path + dir.v[at].n, name.p, name.n);
		gv_add_owned(x, p, (gv_str){ path, dir.v[at].n + name.n });
	}
}

bool gv_rpm_header(struct gv_inspect *x, gv_str bytes, gv_str dir, bool listed)
{
	uint32_t n = gv_be32(bytes, 0), size = gv_be32(bytes, 4);
	struct header h = { .n = n };
	struct gv_package *p;
	gv_str name, version;

	if (!n || n > ENTRIES_MAX || bytes.n < 8 || bytes.n - 8 < (uint64_t)n * 16 + size)
		return false;
	h.entries = gv_sub(bytes, 8, (size_t)n * 16);
	h.data = gv_sub(bytes, 8 + (size_t)n * 16, size);
	name = text_of(&h, TAG_NAME);
	version = text_of(&h, TAG_VERSION);
	if (!name.n || !version.n)
		return false;
	p = gv_add_package(x, "rpm", name,
			   gv_fmt(x->arena, "%.*s-%.*s", GV_ARG(version), GV_ARG(text_of(&h, TAG_RELEASE))));
	p->local = GV_NONE;
	p->dir = dir;
	p->listed = listed;
	add_requires(x, p, &h, TAG_REQUIRENAME, false);
	add_requires(x, p, &h, TAG_RECOMMENDNAME, true);
	add_requires(x, p, &h, TAG_SUGGESTNAME, true);
	if (listed) {
		add_files(x, p, &h);
	} else {
		gv_fetch_script(x, text_of(&h, TAG_PREIN));
		gv_fetch_script(x, text_of(&h, TAG_POSTIN));
	}
	return true;
}
