/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_package.h"

/* Of all packages of one file. */
#define REQUIRES_MAX 200000
#define OWNED_MAX 500000

static void say_full(struct gv_inspect *x, const char *what)
{
	gv_file_note(x, "names more %s than are kept: what is listed is not all", what);
}

static gv_str quote_of(struct gv_arena *a, gv_str name, gv_str spec)
{
	return spec.n ? gv_fmt(a, "%.*s %.*s", GV_ARG(name), GV_ARG(spec)) : name;
}

struct gv_dep *gv_add_require(struct gv_inspect *x, struct gv_package *p, gv_str name, gv_str spec, bool optional,
			      uint32_t line)
{
	struct gv_require *r;
	struct gv_dep *d;
	struct gv_by_name says;

	if (!name.n)
		return NULL;
	if (x->nrequires == REQUIRES_MAX)
		say_full(x, "requirements");
	if (x->nrequires++ >= REQUIRES_MAX)
		return NULL;
	r = gv_push(x->arena, &p->requires);
	*r = (struct gv_require){ .name = gv_dup(x->arena, name), .spec = gv_dup(x->arena, spec), .line = line };
	if (optional)
		r->marker = GV_STR("optional");
	if (!gv_package_by_name(p->eco, r->name, GV_NONE, &says) || !says.vendor)
		return NULL;
	d = gv_add_dep(x, GV_DECLARED, r->name, says.vendor);
	d->by_name = true;
	d->by_default = says.by_default;
	d->of = p;
	d->optional = optional;
	d->line = line;
	d->quote = quote_of(x->arena, r->name, r->spec);
	return d;
}

void gv_list_rest(struct gv_inspect *x)
{
	struct gv_map asked = { .arena = x->arena };

	for (size_t i = 0; i < x->file->deps.n; i++)
		*gv_map_put(&asked, x->file->deps.v[i].name) = x;
	for (size_t i = 0; i < x->file->packages.n; i++) {
		struct gv_package *p = x->file->packages.v[i];
		struct gv_dep *d;
		void **slot;

		if (!p->vendor || *(slot = gv_map_put(&asked, p->name)))
			continue;
		*slot = x;
		d = gv_add_dep(x, GV_DECLARED, p->name, p->vendor);
		d->by_name = true;
		d->by_default = p->by_default;
		d->of = p;
		d->line = p->line;
		d->quote = quote_of(x->arena, p->name, p->version);
	}
}

/* ---- Files ---- */

static bool has_part(gv_str path, const char *part)
{
	ptrdiff_t at = gv_find(path, part);

	return at == 0 || (at > 0 && path.p[at - 1] == '/');
}

static bool can_matter(gv_str path)
{
	static const char *const ends[] = { ".a",     ".bc",   ".cubin", ".co",	 ".dat", ".fatbin",
					    ".hsaco", ".node", ".o",	 ".ptx", ".spv" };
	ptrdiff_t so = gv_rfind(path, ".so");

	if (so >= 0 && ((size_t)so + 3 == path.n || path.p[so + 3] == '.'))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (gv_ends(path, ends[i]))
			return true;
	return has_part(path, "bin/") || has_part(path, "sbin/") || has_part(path, "libexec/");
}

void gv_add_owned(struct gv_inspect *x, struct gv_package *p, gv_str path)
{
	while (gv_starts(path, "./") || gv_starts(path, "/"))
		path = gv_from(path, path.p[0] == '/' ? 1 : 2);
	p->listed = true;
	if (!path.n || !can_matter(path))
		return;
	if (x->nowned == OWNED_MAX)
		say_full(x, "files");
	if (x->nowned++ >= OWNED_MAX)
		return;
	*gv_push(x->arena, &p->files) = gv_dup(x->arena, path);
}

/* ---- Paths ---- */

bool gv_root_of(gv_str path, const char *below, gv_str *ret_root)
{
	size_t n = strlen(below);

	if (!gv_ends(path, below))
		return false;
	if (path.n > n && path.p[path.n - n - 1] != '/' && path.p[path.n - n - 1] != '!')
		return false;
	*ret_root = path.n > n ? gv_sub(path, 0, path.n - n - 1) : GV_NONE;
	if (ret_root->n < path.n && path.n > n && path.p[ret_root->n] == '!')
		*ret_root = gv_sub(path, 0, ret_root->n + 1);
	return true;
}

bool gv_text_line(struct gv_text_lines *l)
{
	if (!gv_next(&l->rest, '\n', &l->line))
		return false;
	if (gv_ends(l->line, "\r"))
		l->line.n--;
	l->n++;
	return true;
}
