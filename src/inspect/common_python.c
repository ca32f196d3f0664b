/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_python.h"

#define NAME_MAX_LEN 128
#define QUOTE_MAX 160

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name_char(char c)
{
	return is_alnum(c) || c == '-' || c == '_' || c == '.';
}

gv_str gv_py_name(struct gv_arena *a, gv_str name)
{
	char b[NAME_MAX_LEN];
	size_t n = 0;

	if (!name.n || name.n > sizeof(b))
		return GV_NONE;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!is_name_char(c))
			return GV_NONE;
		if (c == '_' || c == '.')
			c = '-';
		if (c == '-' && n && b[n - 1] == '-')
			continue;
		b[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	return gv_dup(a, (gv_str){ b, n });
}

/* ---- Versions in URLs ---- */

static bool is_build(gv_str s)
{
	return gv_is(s, "cpu") || gv_is(s, "xpu") ||
	       (gv_starts(s, "cu") && s.n >= 4 && s.n <= 6 && s.p[2] >= '0' && s.p[2] <= '9') ||
	       (gv_starts(s, "rocm") && s.n > 4 && s.n <= 12 && s.p[4] >= '0' && s.p[4] <= '9');
}

gv_str gv_py_index_local(gv_str url)
{
	gv_str part;

	url = gv_before(gv_before(url, "#"), "?");
	while (gv_next(&url, '/', &part))
		if (is_build(part))
			return part;
	return GV_NONE;
}

gv_str gv_py_wheel_version(struct gv_arena *a, gv_str url)
{
	gv_str base, name, version;
	ptrdiff_t plus;

	url = gv_before(gv_before(url, "#"), "?");
	base = gv_from(url, (size_t)(gv_rfind(url, "/") + 1));
	if (!gv_ends(base, ".whl") || !gv_next(&base, '-', &name) || !gv_next(&base, '-', &version))
		return GV_NONE;
	plus = gv_find(version, "%2B");
	if (plus < 0)
		plus = gv_find(version, "%2b");
	return plus < 0 ? version
			: gv_fmt(a, "%.*s+%.*s", (int)plus, version.p, GV_ARG(gv_from(version, (size_t)plus + 3)));
}

/* ---- Requirements ---- */

/* The version that "==1.2" or "===1.2" alone asks for. */
static gv_str exact(gv_str spec)
{
	gv_str v;

	spec = gv_trim(spec);
	if (gv_starts(spec, "(") && gv_ends(spec, ")"))
		spec = gv_trim(gv_sub(spec, 1, spec.n - 2));
	if (!gv_starts(spec, "==") || gv_find_c(spec, ',') >= 0)
		return GV_NONE;
	v = gv_trim(gv_from(spec, gv_starts(spec, "===") ? 3 : 2));
	return gv_find_c(v, '*') >= 0 ? GV_NONE : v;
}

bool gv_py_want(struct gv_arena *a, gv_str text, struct gv_py_want *ret)
{
	struct gv_py_want w = { 0 };
	size_t n = 0;
	ptrdiff_t end;

	text = gv_trim(text);
	while (n < text.n && is_name_char(text.p[n]))
		n++;
	w.name = gv_py_name(a, gv_sub(text, 0, n));
	if (!w.name.n || !is_alnum(text.p[0]))
		return false;
	text = gv_trim(gv_from(text, n));
	if (gv_starts(text, "[")) {
		end = gv_find_c(text, ']');
		if (end < 0)
			return false;
		w.extras = gv_trim(gv_sub(text, 1, (size_t)end - 1));
		text = gv_trim(gv_from(text, (size_t)end + 1));
	}
	if (gv_starts(text, "@")) {
		end = gv_find(text, " ;");
		w.url = gv_trim(gv_sub(text, 1, end < 0 ? text.n : (size_t)end - 1));
		text = end < 0 ? GV_NONE : gv_from(text, (size_t)end + 1);
		w.version = gv_py_wheel_version(a, w.url);
		w.local = gv_py_index_local(w.url);
	} else {
		w.spec = gv_trim(gv_before(text, ";"));
		if (w.spec.n && !memchr("=<>!~(", w.spec.p[0], 6))
			return false;
		w.version = exact(w.spec);
		text = gv_from(text, gv_before(text, ";").n);
	}
	if (gv_starts(text, ";"))
		w.marker = gv_trim(gv_from(text, 1));
	end = gv_find_c(w.version, '+');
	if (end >= 0)
		w.local = gv_from(w.version, (size_t)end + 1);
	*ret = w;
	return true;
}

/* ---- Folders of metadata ---- */

/* What lies before the last part of a path, and that part: cut at "/" or "!", which stays out. */
static gv_str cut_last(gv_str *path)
{
	size_t from = path->n;
	gv_str last;

	while (from && path->p[from - 1] != '/' && path->p[from - 1] != '!')
		from--;
	last = gv_from(*path, from);
	*path = gv_sub(*path, 0, from);
	return last;
}

static gv_str without_slash(gv_str path)
{
	return gv_ends(path, "/") ? gv_sub(path, 0, path.n - 1) : path;
}

static bool is_dist(gv_str folder)
{
	return gv_ends(folder, ".dist-info") || gv_ends(folder, ".egg-info");
}

bool gv_py_in_dist(const struct gv_item *it)
{
	gv_str path = it->path;

	cut_last(&path);
	return is_dist(without_slash(path));
}

struct gv_package *gv_py_dist_package(struct gv_inspect *x, gv_str name, gv_str version)
{
	gv_str path = x->item->path, folder, own;
	struct gv_package *p;

	cut_last(&path);
	path = without_slash(path);
	if (is_dist(path)) {
		folder = cut_last(&path);
		folder = gv_sub(folder, 0, (size_t)gv_rfind(folder, "."));
		own = gv_py_name(x->arena, gv_before(folder, "-"));
		name = own.n ? own : name;
	}
	name = gv_py_name(x->arena, gv_trim(name));
	if (!name.n)
		return NULL;
	p = gv_add_package(x, "pypi", name, gv_cut(gv_trim(version), NAME_MAX_LEN));
	p->dir = gv_dup(x->arena, without_slash(path));
	/* other packages lie beside it, unless it is a wheel: none of theirs is to be taken for its own */
	p->listed = !gv_ends(p->dir, "!") && (gv_py_in_dist(x->item) || gv_ends(x->item->name, ".egg-info"));
	if (!version.n) { /* another file of the folder knows the version, which says more than the name */
		p->vendor = 0;
		p->by_default = true;
	}
	return p;
}

/* ---- Dependencies ---- */

struct gv_py_asks gv_py_asks(struct gv_inspect *x, struct gv_package *p)
{
	return (struct gv_py_asks){ .x = x, .p = p, .at = { .arena = x->arena } };
}

static gv_str quoted(struct gv_inspect *x, gv_str quote)
{
	return gv_dup(x->arena, gv_cut(gv_trim(quote), QUOTE_MAX));
}

static gv_str both(struct gv_arena *a, gv_str x, gv_str y)
{
	return !x.n						     ? y
	       : !y.n || gv_eq(x, y) || x.n + y.n > GV_PY_EXTRAS_LEN ? x
								     : gv_fmt(a, "%.*s,%.*s", GV_ARG(x), GV_ARG(y));
}

bool gv_py_full(struct gv_py_asks *k)
{
	if (k->p->requires.n < GV_PY_REQUIRES_MAX)
		return false;
	if (!k->told)
		gv_file_note(k->x, "more than %d requirements: the rest is not kept", GV_PY_REQUIRES_MAX);
	k->told = true;
	return true;
}

void gv_py_ask(struct gv_py_asks *k, const struct gv_py_want *w, gv_str extra, gv_str quote, uint32_t line)
{
	struct gv_inspect *x = k->x;
	struct gv_require *r;
	struct gv_by_name says;
	struct gv_dep *d;
	gv_str only = GV_NONE;
	bool holds;
	void **slot;

	if (gv_py_full(k))
		return;
	holds = gv_py_marker(x->arena, w->marker, &only) != GV_HOLDS_NOT;
	if (!holds && !only.n) /* for no machine that this could be */
		extra = GV_NONE;
	only = both(x->arena, extra, only);
	r = gv_push(x->arena, &k->p->requires);
	*r = (struct gv_require){ .name = gv_dup(x->arena, w->name),
				  .spec = gv_dup(x->arena, w->spec),
				  .marker = gv_dup(x->arena, w->marker),
				  .extra = gv_dup(x->arena, only),
				  .extras = gv_dup(x->arena, w->extras),
				  .line = line };
	if (k->no_deps)
		return;
	gv_package_by_name("pypi", r->name, w->local, &says);
	if (!says.vendor)
		says.vendor = gv_extras_vendor(r->extras);
	if (!says.vendor)
		return;
	slot = gv_map_put(&k->at, r->name);
	if (*slot) { /* told before, with another marker or extra */
		d = &x->file->deps.v[(uintptr_t)*slot - 1];
		if (d->optional && !only.n && holds)
			d->optional = false;
		d->extra = d->optional && d->extra.n ? both(x->arena, d->extra, r->extra) : GV_NONE;
		return;
	}
	d = gv_add_dep(x, GV_DECLARED, r->name, says.vendor);
	*slot = (void *)(uintptr_t)(size_t)(d - x->file->deps.v + 1);
	d->of = k->p;
	d->by_default = says.by_default;
	d->by_name = true;
	d->optional = !holds || only.n;
	d->extra = r->extra;
	d->quote = quoted(x, quote);
	d->line = line;
}

void gv_py_ask_text(struct gv_py_asks *k, gv_str text, gv_str extra, gv_str quote, uint32_t line)
{
	struct gv_py_want w;

	if (!gv_py_full(k) && gv_py_want(k->x->arena, text, &w))
		gv_py_ask(k, &w, extra, quote, line);
}

struct gv_dep *gv_py_name_dep(struct gv_inspect *x, struct gv_package *p, gv_str quote)
{
	struct gv_dep *d;

	if (!p->vendor)
		return NULL;
	d = gv_add_dep(x, GV_DECLARED, p->name, p->vendor);
	d->of = p;
	d->by_default = p->by_default;
	d->by_name = true;
	d->quote = quoted(x, quote);
	d->line = p->line;
	return d;
}

/* ---- Lists ---- */

struct gv_package *gv_py_listed(struct gv_inspect *x, enum gv_package_how how, gv_str name, gv_str version,
				uint32_t line)
{
	struct gv_package *p;

	if (x->file->packages.n >= GV_PY_PACKAGES_MAX - 1) {
		if (x->file->notes.n == 0)
			gv_file_note(x, "more than %d packages: the rest is not kept", GV_PY_PACKAGES_MAX - 1);
		return NULL;
	}
	name = gv_py_name(x->arena, gv_trim(name));
	if (!name.n)
		return NULL;
	p = gv_add_package(x, "pypi", name, gv_cut(gv_trim(version), NAME_MAX_LEN));
	p->how = how;
	p->line = line;
	return p;
}

void gv_py_from_index(struct gv_inspect *x, struct gv_package *p, gv_str local)
{
	struct gv_by_name says;

	if (p->local.n || !local.n || !gv_package_by_name(p->eco, p->name, GV_NONE, &says) || !says.by_local)
		return;
	p->local = gv_dup(x->arena, local);
	gv_package_judge(p);
}

void gv_py_shown_by_needs(struct gv_package *p)
{
	for (size_t i = 0; p->by_default && i < p->requires.n; i++)
		p->by_default = !(gv_package_vendor(p->eco, p->requires.v[i].name, GV_NONE) & p->vendor);
}

/* "flash_attn-2.8.3" -> "flash-attn" */
static gv_str folder_name(struct gv_arena *a, gv_str dir)
{
	gv_str last = cut_last(&dir), name;
	ptrdiff_t dash = gv_rfind(last, "-");

	if (dash > 0 && (size_t)dash + 1 < last.n && last.p[dash + 1] >= '0' && last.p[dash + 1] <= '9')
		last = gv_sub(last, 0, (size_t)dash);
	name = gv_py_name(a, last);
	return name.n ? name : GV_STR("project");
}

struct gv_package *gv_py_project(struct gv_inspect *x, gv_str name, gv_str version)
{
	gv_str dir = x->item->path;
	struct gv_package *p;

	cut_last(&dir);
	name = gv_py_name(x->arena, gv_trim(name));
	if (!name.n)
		name = folder_name(x->arena, without_slash(dir));
	version = gv_trim(version);
	if (gv_find_c(version, ' ') >= 0) /* "attr: x.__version__" */
		version = GV_NONE;
	p = gv_add_package(x, "pypi", name, gv_cut(version, NAME_MAX_LEN));
	p->dir = gv_dup(x->arena, without_slash(dir));
	/* the source of another's package is an archive, or lies where packages are installed */
	p->own = gv_find_c(dir, '!') < 0 && !gv_has(dir, "site-packages/") && !gv_has(dir, "dist-packages/");
	return p;
}
