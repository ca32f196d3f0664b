/* SPDX-License-Identifier: Apache-2.0 */
/* Pipfile.lock: {"_meta": {"sources": [{"name": ..., "url": ...}]}, "default": {"torch": {"version": "==2.4.0",
 * "index": ...}}, "develop": ...}. Who needs whom it does not tell. */
#include "base/json.h"
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "Pipfile.lock");
}

struct entry {
	gv_str group, name, version, index, markers;
	uint32_t line;
};

struct lock {
	struct gv_inspect *x;
	struct gv_map urls; /* of sources, by name */
	gv_str text;
	size_t counted;
	uint32_t line;
};

static gv_str *text_at(struct gv_arena *a, gv_str s)
{
	gv_str *p = GV_NEW(a, gv_str);

	*p = s;
	return p;
}

static uint32_t line_at(struct lock *l, size_t at)
{
	for (; l->counted < at && l->counted < l->text.n; l->counted++)
		l->line += l->text.p[l->counted] == '\n';
	return l->line;
}

static void add(struct lock *l, const struct entry *e)
{
	bool pinned = gv_starts(e->version, "==");
	const gv_str *url = gv_map_get(&l->urls, e->index);
	struct gv_package *p;
	struct gv_dep *d;
	gv_str extra;

	if (gv_is(e->group, "_meta") || !e->name.n)
		return;
	p = gv_py_listed(l->x, GV_PACKAGE_LOCKED, e->name, pinned ? gv_from(e->version, 2) : GV_NONE, e->line);
	if (!p)
		return;
	if (url)
		gv_py_from_index(l->x, p, gv_py_index_local(*url));
	d = gv_py_name_dep(l->x, p, gv_fmt(l->x->arena, "%.*s %.*s", GV_ARG(p->name), GV_ARG(gv_cut(e->version, 64))));
	if (d)
		d->optional =
		    gv_is(e->group, "develop") || gv_py_marker(l->x->arena, e->markers, &extra) == GV_HOLDS_NOT;
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct lock l = { .x = x, .urls = { .arena = x->arena }, .text = text, .line = 1 };
	struct gv_json_in in = { .text = text };
	struct entry e = { 0 };
	gv_str key = GV_NONE, source = GV_NONE;
	enum gv_json_kind k;

	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_KEY) {
			key = in.raw;
			if (in.depth == 1)
				e = (struct entry){ .group = key };
			else if (in.depth == 2)
				e = (struct entry){ .group = e.group, .name = key, .line = line_at(&l, in.at) };
		} else if (k == GV_JSON_STR && in.depth == 3) {
			gv_str *to = gv_is(key, "version")   ? &e.version
				     : gv_is(key, "index")   ? &e.index
				     : gv_is(key, "markers") ? &e.markers
							     : NULL;

			if (to)
				*to = gv_json_unescape(x->arena, in.raw);
		} else if (k == GV_JSON_STR && in.depth == 4 && gv_is(e.group, "_meta")) {
			if (gv_is(key, "name"))
				source = in.raw;
			else if (gv_is(key, "url") && gv_py_index_local(in.raw).n)
				*gv_map_put(&l.urls, source.n ? source : in.raw) = text_at(x->arena, in.raw);
		} else if (k == GV_JSON_OBJ_END && in.depth == 2) {
			add(&l, &e);
			e = (struct entry){ .group = e.group };
		}
	}
	if (k == GV_JSON_ERROR)
		gv_file_note(x, "no JSON from line %u on", line_at(&l, in.at));
}

const struct gv_document gv_document_pipfile_lock = { .type = "lock file", .claim = claim, .read = read };
