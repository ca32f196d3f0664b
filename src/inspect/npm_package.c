/* SPDX-License-Identifier: Apache-2.0 */
/* package.json: of a project, of a package as npm packs it, of one in node_modules. */
#include "inspect/common_fetch.h"
#include "inspect/common_json.h"
#include "inspect/common_npm.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "package.json");
}

/* What kind of place it lies in; there are many files of this name that describe nothing that is installed. */
enum place { PROJECT, INSTALLED, NOWHERE };

static enum place place_of(gv_str path)
{
	gv_str dir = gv_folder_above(path, 1), above = gv_folder_above(path, 2);

	if (gv_starts(gv_file_name(above), "@"))
		above = gv_folder_above(above, 1);
	if (gv_is(gv_file_name(above), "node_modules"))
		return INSTALLED;
	if (gv_has(path, "node_modules/") || gv_has(path, "site-packages/") || gv_has(path, "dist-packages/"))
		return NOWHERE;
	above = gv_folder_above(path, 2);
	if (dir.n > above.n && above.n && path.p[above.n] == '!' &&
	    (gv_is(gv_file_name(dir), "package") || gv_ends(above, ".tgz") || gv_ends(above, ".tar.gz")))
		return INSTALLED;
	return gv_find_c(path, '!') < 0 || gv_is(dir, "") ? PROJECT : NOWHERE;
}

struct said {
	struct gv_inspect *x;
	enum place place;
	struct gv_package *p; /* until its name is known */
	gv_str name, version;
	gv_str script; /* that runs at installation */
	uint32_t script_line;
};

static void read_names(struct said *s, struct gv_js *j, bool optional)
{
	unsigned level = gv_js_enter(j);

	while (gv_js_member(j, level)) {
		gv_str name = j->key, spec = gv_js_text(j);

		if (s->place == PROJECT)
			gv_npm_wish(s->x, name, spec, gv_js_line(j));
		else
			gv_npm_require(s->x, s->p, name, spec, optional, gv_js_line(j));
	}
}

static void read_scripts(struct said *s, struct gv_js *j)
{
	unsigned level = gv_js_enter(j);

	while (gv_js_member(j, level))
		if (gv_is(j->key, "preinstall") || gv_is(j->key, "install") || gv_is(j->key, "postinstall")) {
			gv_str text = gv_js_text(j);

			gv_fetch_line(s->x, text, gv_js_line(j));
			if (!s->script.n)
				s->script_line = gv_js_line(j);
			if (!s->script.n || !gv_is(j->key, "preinstall"))
				s->script = gv_fmt(s->x->arena, "%.*s: %.*s", GV_ARG(j->key), GV_ARG(text));
		}
}

static void read_members(struct said *s, struct gv_js *j)
{
	unsigned top = gv_js_enter(j);

	while (gv_js_member(j, top)) {
		if (gv_is(j->key, "name"))
			s->name = gv_js_text(j);
		else if (gv_is(j->key, "version"))
			s->version = gv_js_text(j);
		else if (gv_is(j->key, "dependencies"))
			read_names(s, j, false);
		else if (gv_is(j->key, "optionalDependencies") || gv_is(j->key, "peerDependencies"))
			read_names(s, j, true);
		else if (gv_is(j->key, "devDependencies") && s->place == PROJECT)
			read_names(s, j, true);
		else if (gv_is(j->key, "scripts"))
			read_scripts(s, j);
	}
}

static void read_package(struct gv_inspect *x, gv_str bytes)
{
	struct gv_js j = gv_js_open(x, bytes);
	struct said s = { .x = x, .place = place_of(x->item->path), .p = GV_NEW(x->arena, struct gv_package) };
	struct gv_package *own;

	if (s.place == NOWHERE)
		return;
	s.p->eco = "npm";
	read_members(&s, &j);
	gv_js_close(&j);
	if (s.place == PROJECT)
		gv_list_rest(x);
	if (!s.name.n || (s.place == INSTALLED && !s.version.n))
		return;
	own = gv_add_package(x, "npm", s.name, s.version);
	own->requires = s.p->requires;
	own->local = GV_NONE;
	own->dir = gv_dup(x->arena, gv_folder_above(x->item->path, 1));
	own->listed = !own->dir.n; /* a project at the top does not own all there is */
	for (size_t i = 0; i < x->file->deps.n; i++)
		if (x->file->deps.v[i].of == s.p)
			x->file->deps.v[i].of = own;
	if (s.script.n && s.place == INSTALLED)
		gv_fetch_npm(x, own, s.script, s.script_line);
}

const struct gv_document gv_document_npm_package = { .type = "npm metadata", .claim = claim, .read = read_package };
