/* SPDX-License-Identifier: Apache-2.0 */
/* Lock files over conda packages: conda-lock.yml and pixi.lock. Both are written by programs, in one way: they are read
 * line by line, since a tree of the larger ones would not be small. */
#include "inspect/common_conda.h"
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "pixi.lock") || gv_is(it->name, "conda-lock.yml") ||
	       gv_ends(it->name, ".conda-lock.yml");
}

/* An item of the list of packages, as far as it is read. */
struct item {
	struct gv_inspect *x;
	gv_str name, version, url, platform;
	bool pip;
	uint32_t line;
	GV_VEC(struct gv_require) asks;
	struct gv_map seen; /* packages that were there for another platform, or as part of an environment */
};

static gv_str unquoted(gv_str s)
{
	s = gv_trim(s);
	if (s.n >= 2 && (s.p[0] == '\'' || s.p[0] == '"') && s.p[s.n - 1] == s.p[0])
		s = gv_sub(s, 1, s.n - 2);
	return s;
}

static bool is_elsewhere(const struct item *it)
{
	return gv_starts(it->platform, "osx") || gv_starts(it->platform, "win") || gv_has(it->url, "/osx-") ||
	       gv_has(it->url, "/win-");
}

static void add_requires(const struct item *it, struct gv_package *p)
{
	struct gv_py_asks asks = gv_py_asks(it->x, p);
	struct gv_arena *a = it->x->arena;

	for (size_t i = 0; i < it->asks.n; i++) {
		const struct gv_require *r = &it->asks.v[i];
		struct gv_py_want w = { .name = gv_py_name(a, r->name), .spec = r->spec };

		if (!it->pip)
			gv_conda_require(it->x, p,
					 r->spec.n ? gv_fmt(a, "%.*s %.*s", GV_ARG(r->name), GV_ARG(r->spec)) : r->name,
					 r->extra.n, r->line);
		else if (r->marker.n) /* as Python writes it */
			gv_py_ask_text(&asks, r->marker, GV_NONE, r->marker, r->line);
		else if (w.name.n)
			gv_py_ask(&asks, &w, GV_NONE, r->name, r->line);
	}
}

static void end_item(struct item *it)
{
	gv_str name = it->name, version = it->version, build = GV_NONE;
	struct gv_package *p;
	void **seen;

	if (it->pip)
		name = gv_py_name(it->x->arena, name);
	else
		gv_conda_archive(it->url, &name, &version, &build);
	if (name.n && version.n && !is_elsewhere(it)) {
		seen =
		    gv_map_put(&it->seen, gv_fmt(it->x->arena, "%d %.*s %.*s", it->pip, GV_ARG(name), GV_ARG(it->url)));
		if (!*seen) {
			*seen = it;
			p = gv_add_package(it->x, it->pip ? "pypi" : "conda", name, version);
			p->how = GV_PACKAGE_LOCKED;
			if (!it->pip)
				gv_conda_build(it->x, p, gv_dup(it->x->arena, build));
			p->line = it->line;
			add_requires(it, p);
		}
	}
	it->name = it->version = it->url = it->platform = GV_NONE;
	it->asks.n = 0;
	it->pip = false;
}

/* Lists of names that an item holds. */
enum list { NO_LIST, ASKS, LIMITS };

static enum list list_of(gv_str line)
{
	if (gv_is(line, "dependencies:") || gv_is(line, "depends:") || gv_is(line, "requires_dist:"))
		return ASKS;
	return gv_is(line, "constrains:") ? LIMITS : NO_LIST;
}

static void ask(struct item *it, enum list list, gv_str name, gv_str spec, gv_str text, uint32_t line)
{
	/* what is only limited matters where it limits the driver */
	if (name.n && (list == ASKS || gv_is(name, "__cuda")))
		*gv_push(it->x->arena, &it->asks) =
		    (struct gv_require){ .name = name,
					 .spec = spec,
					 .marker = text,
					 .line = line,
					 .extra = list == LIMITS ? GV_STR("constrains") : GV_NONE };
}

static void take(struct item *it, gv_str key, gv_str value)
{
	if (gv_is(key, "name"))
		it->name = value;
	else if (gv_is(key, "version"))
		it->version = value;
	else if (gv_is(key, "url") || gv_is(key, "conda") || gv_is(key, "pypi"))
		it->url = value;
	else if (gv_is(key, "platform"))
		it->platform = value;
	if ((gv_is(key, "manager") && gv_is(value, "pip")) || gv_is(key, "pypi"))
		it->pip = true;
}

static void read_lock(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct item it = { .x = x, .seen = { .arena = x->arena } };
	enum list list = NO_LIST;
	bool within = false;
	size_t at = 0; /* blanks in front of the items */

	while (gv_text_line(&l)) {
		size_t indent = gv_indent(l.line);
		gv_str line = gv_trim(l.line), key;
		bool first = gv_starts(line, "- ");

		if (!line.n || line.p[0] == '#')
			continue;
		if (!indent && !first) {
			end_item(&it);
			within = gv_is(line, "package:") || gv_is(line, "packages:");
			at = SIZE_MAX;
			continue;
		}
		if (!within)
			continue;
		at = at == SIZE_MAX ? indent : at;
		if (first && indent == at) {
			end_item(&it);
			list = NO_LIST;
			it.line = l.n;
			line = gv_trim(gv_from(line, 2));
			indent += 2;
			first = false;
		}
		key = unquoted(gv_before(line, ": "));
		if (indent == at + 2 && !first) {
			list = list_of(line);
			take(&it, key, unquoted(gv_after(line, ": ")));
		} else if (list && first) { /* "- numpy >=1.2" */
			struct gv_conda_spec s = gv_conda_spec_of(unquoted(gv_from(line, 2)));

			ask(&it, list, s.name, s.spec, unquoted(gv_from(line, 2)), l.n);
		} else if (list && indent > at + 2) { /* "numpy: '>=1.2'" */
			ask(&it, list, key, unquoted(gv_after(line, ": ")), GV_NONE, l.n);
		}
	}
	end_item(&it);
	gv_list_rest(x);
}

const struct gv_document gv_document_conda_lock = { .type = "conda lock file", .claim = claim, .read = read_lock };
