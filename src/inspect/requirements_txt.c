/* SPDX-License-Identifier: Apache-2.0 */
/* requirements.txt: what pip is told to install. "torch==2.4.0 --hash=...", "--index-url https://server/whl/cu124";
 * what pip-compile and uv write, where "# via torch" tells who asks for it, is a lock file. */
#include "inspect/common_python.h"

#define VIA_MAX 100000

static bool is_list_name(const struct gv_item *it)
{
	if (!gv_ends(it->name, ".txt") && !gv_ends(it->name, ".in"))
		return false;
	return gv_has(it->name, "requirements") || gv_has(it->path, "/requirements/") ||
	       gv_starts(it->path, "requirements/");
}

/* Whether the first line that says something pins a package, or names an index. */
static bool looks_so(gv_str head)
{
	gv_str line;

	while (gv_next(&head, '\n', &line)) {
		gv_str l = gv_trim(line);
		size_t n = 0;

		if (!l.n || l.p[0] == '#')
			continue;
		if (gv_starts(l, "--index-url ") || gv_starts(l, "--extra-index-url ") || gv_starts(l, "-i http"))
			return true;
		while (n < l.n && !memchr("= [\t", l.p[n], 4))
			n++;
		if (gv_starts(gv_from(l, n), "["))
			n += gv_before(gv_from(l, n), "]").n + 1;
		return n && gv_starts(gv_from(l, n), "==") && l.n > n + 2 && l.p[n + 2] >= '0' && l.p[n + 2] <= '9';
	}
	return false;
}

static bool claim(const struct gv_item *it)
{
	if (gv_has(it->name, "constraints") || gv_py_in_dist(it))
		return false;
	return is_list_name(it) || (gv_ends(it->name, ".txt") && looks_so(it->head));
}

/* ---- Lines ---- */

struct via {
	struct gv_package *of;
	gv_str by;
};

struct list {
	struct gv_inspect *x;
	gv_str rest;
	uint32_t n;
	gv_str local;	      /* of the index */
	struct gv_package *p; /* the last one, of which comments may tell */
	GV_VEC(struct via) via;
	bool full;
	bool via_open; /* "# via", names follow in comments of their own */
};

/* What stands in front of a comment; the comment itself in *ret_comment. */
static gv_str without_comment(gv_str line, gv_str *ret_comment)
{
	*ret_comment = GV_NONE;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '#' && (!i || line.p[i - 1] == ' ' || line.p[i - 1] == '\t')) {
			*ret_comment = gv_trim(gv_from(line, i + 1));
			return gv_sub(line, 0, i);
		}
	return line;
}

/* The value of an option; false where the line is another. */
static bool option(gv_str line, const char *name, gv_str *ret)
{
	gv_str rest = gv_from(line, strlen(name));

	if (!gv_starts(line, name) || !rest.n || !memchr("= \t", rest.p[0], 3))
		return false;
	*ret = gv_trim(gv_from(rest, 1));
	return true;
}

static void find_index(struct list *l, gv_str text)
{
	static const char *const names[] = { "--index-url", "-i", "--extra-index-url", "--find-links", "-f" };
	gv_str line, value, comment;
	bool several = false;

	while (gv_next(&text, '\n', &line)) {
		line = gv_trim(without_comment(line, &comment));
		if (!gv_starts(line, "-"))
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (option(line, names[i], &value) && gv_py_index_local(value).n) {
				several |= l->local.n && !gv_eq(l->local, gv_py_index_local(value));
				l->local = gv_py_index_local(value);
			}
	}
	if (several) /* which one a package comes from, its version decides */
		l->local = GV_NONE;
}

static void add_via(struct list *l, gv_str by)
{
	by = gv_trim(by);
	if (!by.n || l->via.n >= VIA_MAX)
		return;
	if (gv_starts(by, "-r ") || gv_ends(by, "pyproject.toml)") || gv_ends(by, "setup.py)") ||
	    gv_ends(by, "setup.cfg)"))
		l->p->top = true;
	by = gv_py_name(l->x->arena, gv_before(gv_before(by, " "), "["));
	if (by.n && !gv_starts(by, "-"))
		*gv_push(l->x->arena, &l->via) = (struct via){ l->p, by };
	l->p->how = GV_PACKAGE_LOCKED;
}

static void on_comment(struct list *l, gv_str c)
{
	gv_str by;

	if (!l->p || !c.n)
		return;
	if (gv_is(c, "via")) {
		l->via_open = true;
	} else if (gv_starts(c, "via ")) {
		c = gv_from(c, 4);
		while (gv_next(&c, ',', &by))
			add_via(l, by);
	} else if (l->via_open) {
		add_via(l, c);
	}
}

static void on_line(struct list *l, gv_str line, uint32_t n)
{
	gv_str text = line, name;
	struct gv_py_want w;
	struct gv_dep *d;

	if (option(line, "-e", &text) || option(line, "--editable", &text)) {
		name = gv_between(text, "#egg=", "&"); /* a checkout or a folder: known by what it says of itself */
		text = name.n ? name : gv_after(text, "#egg=");
	} else if (gv_starts(line, "-")) {
		return;
	}
	text = gv_before(gv_before(text, " --"), "\t--");
	if (!gv_py_want(l->x->arena, text, &w))
		return;
	l->via_open = false;
	l->p = gv_py_listed(l->x, GV_PACKAGE_ASKED, w.name, w.version, n);
	l->full = !l->p;
	if (!l->p)
		return;
	l->p->extras = gv_dup(l->x->arena, w.extras);
	if (w.local.n && !l->p->local.n)
		l->p->local = gv_dup(l->x->arena, w.local);
	gv_package_judge(l->p);
	gv_py_from_index(l->x, l->p, l->local);
	if (!l->p->vendor)
		l->p->vendor = gv_extras_vendor(l->p->extras);
	d = gv_py_name_dep(l->x, l->p, text);
	if (d && gv_py_marker(l->x->arena, w.marker, &name) == GV_HOLDS_NOT)
		d->optional = true;
}

/* One line of the language: those that end in a backslash go on. */
static void logical(struct list *l)
{
	struct gv_buf b = { 0 };
	gv_str line, comment;
	uint32_t from = l->n + 1;
	bool more = true;

	while (more && gv_next(&l->rest, '\n', &line)) {
		l->n++;
		line = gv_rtrim(without_comment(line, &comment));
		on_comment(l, comment);
		more = gv_ends(line, "\\");
		gv_put(&b, more ? gv_sub(line, 0, line.n - 1) : line);
		gv_putc(&b, ' ');
	}
	line = gv_trim(gv_buf_str(&b));
	if (line.n)
		on_line(l, line, from);
	gv_buf_free(&b);
}

/* Who is not in the list himself is the project that it was made for. */
static void link_up(struct list *l)
{
	struct gv_map by_name = { .arena = l->x->arena };
	struct gv_file *f = l->x->file;

	if (!l->via.n)
		return;
	for (size_t i = 0; i < f->packages.n; i++)
		*gv_map_put(&by_name, f->packages.v[i]->name) = f->packages.v[i];
	for (size_t i = 0; i < l->via.n; i++) {
		struct gv_package *p = gv_map_get(&by_name, l->via.v[i].by), *of = l->via.v[i].of;

		if (!p)
			of->top = true;
		else if (p->requires.n < GV_PY_REQUIRES_MAX)
			*gv_push(l->x->arena, &p->requires) = (struct gv_require){ .name = of->name, .line = of->line };
	}
	for (size_t i = 0; i < f->deps.n; i++) {
		gv_py_shown_by_needs(f->deps.v[i].of);
		f->deps.v[i].by_default = f->deps.v[i].of->by_default;
	}
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct list l = { .x = x, .rest = text };

	find_index(&l, text);
	while (l.rest.n && !l.full)
		logical(&l);
	link_up(&l);
}

const struct gv_document gv_document_requirements_txt = { .type = "requirements", .claim = claim, .read = read };
