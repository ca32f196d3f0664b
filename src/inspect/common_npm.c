/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_npm.h"

#include "inspect/common_fetch.h"

gv_str gv_npm_name(gv_str text, gv_str *ret_version)
{
	ptrdiff_t at = text.n > 1 ? gv_find_c(gv_from(text, 1), '@') : -1;

	*ret_version = at >= 0 ? gv_from(text, (size_t)at + 2) : GV_NONE;
	return at >= 0 ? gv_sub(text, 0, (size_t)at + 1) : text;
}

gv_str gv_npm_unquoted(gv_str s)
{
	s = gv_trim(s);
	if (gv_ends(s, ":") || gv_ends(s, ","))
		s.n--;
	if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
		s = gv_sub(s, 1, s.n - 2);
	return s;
}

static void resolve_alias(gv_str *name, gv_str *spec)
{
	gv_str version, other;

	if (!gv_starts(*spec, "npm:"))
		return;
	*spec = gv_from(*spec, 4);
	other = gv_npm_name(*spec, &version);
	if (!version.n)
		return; /* "npm:^1.2": no other name */
	*name = other;
	*spec = version;
}

struct gv_dep *gv_npm_require(struct gv_inspect *x, struct gv_package *p, gv_str name, gv_str spec, bool optional,
			      uint32_t line)
{
	resolve_alias(&name, &spec);
	return gv_add_require(x, p, name, spec, optional, line);
}

void gv_npm_wish(struct gv_inspect *x, gv_str name, gv_str spec, uint32_t line)
{
	struct gv_package *p;

	resolve_alias(&name, &spec);
	if (!name.n)
		return;
	p = gv_add_package(x, "npm", name, spec);
	p->how = GV_PACKAGE_ASKED;
	p->top = true;
	p->local = GV_NONE;
	p->line = line;
}

struct gv_package *gv_npm_locked(struct gv_inspect *x, gv_str name, gv_str version, uint32_t line)
{
	struct gv_package *p = gv_add_package(x, "npm", name, version);

	p->how = GV_PACKAGE_LOCKED;
	p->local = GV_NONE;
	p->line = line;
	return p;
}

void gv_npm_end(struct gv_inspect *x)
{
	size_t from = x->file->deps.n;

	for (size_t i = 0; i < x->file->packages.n; i++) {
		struct gv_package *p = x->file->packages.v[i];

		if (p->how == GV_PACKAGE_LOCKED)
			gv_fetch_npm(x, p, gv_fmt(x->arena, "%.*s@%.*s", GV_ARG(p->name), GV_ARG(p->version)), p->line);
	}
	for (; from < x->file->deps.n; from++) /* the package manager may be told to run no scripts */
		x->file->deps.v[from].optional = true;
	gv_list_rest(x);
}
