/* SPDX-License-Identifier: Apache-2.0 */
/* package-lock.json and its like. Version 1 nests packages in packages; versions 2 and 3 list them by their folders. */
#include "inspect/common_fetch.h"
#include "inspect/common_json.h"
#include "inspect/common_npm.h"

#define NESTING 24 /* of version 1; the folders of node_modules are not nested deeper in practice */

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "package-lock.json") || gv_is(it->name, "npm-shrinkwrap.json") ||
	       gv_is(it->name, ".package-lock.json");
}

static void read_names(struct gv_js *j, struct gv_package *p, bool optional)
{
	unsigned level = gv_js_enter(j);

	while (gv_js_member(j, level)) {
		gv_str name = j->key, spec = gv_js_text(j);

		if (p)
			gv_npm_require(j->x, p, name, spec, optional, gv_js_line(j));
		else
			gv_npm_wish(j->x, name, spec, gv_js_line(j));
	}
}

/* "node_modules/a/node_modules/@s/b" -> "@s/b"; empty: a project */
static gv_str name_of(gv_str folder)
{
	static const char part[] = "node_modules/";
	ptrdiff_t at = gv_rfind(folder, part);

	return at < 0 ? GV_NONE : gv_from(folder, (size_t)at + sizeof(part) - 1);
}

static void read_folder(struct gv_js *j)
{
	gv_str name = name_of(j->key), script = GV_NONE;
	struct gv_package *p = name.n ? gv_npm_locked(j->x, name, GV_NONE, gv_js_line(j)) : NULL;
	unsigned level = gv_js_enter(j);
	uint32_t line = 0;

	while (gv_js_member(j, level)) {
		if (p && gv_is(j->key, "name")) /* of an alias */
			p->name = gv_dup(j->x->arena, gv_js_text(j));
		else if (p && gv_is(j->key, "version"))
			p->version = gv_dup(j->x->arena, gv_js_text(j));
		else if (gv_is(j->key, "dependencies"))
			read_names(j, p, false);
		else if (gv_is(j->key, "optionalDependencies") || gv_is(j->key, "peerDependencies") ||
			 (!p && gv_is(j->key, "devDependencies")))
			read_names(j, p, true);
		else if (gv_is(j->key, "hasInstallScript") && gv_js_true(j)) {
			script = GV_STR("\"hasInstallScript\": true");
			line = gv_js_line(j);
		}
	}
	if (p)
		p->vendor = gv_package_vendor("npm", p->name, GV_NONE);
	if (p && script.n)
		gv_fetch_npm(j->x, p, script, line);
}

static void read_folders(struct gv_js *j)
{
	unsigned level = gv_js_enter(j);

	while (gv_js_member(j, level))
		if (j->kind == GV_JSON_OBJ)
			read_folder(j);
}

/* A list of packages, or one of them. */
struct frame {
	unsigned level;
	struct gv_package *p; /* NULL: a list */
};

static void read_v1(struct gv_js *j)
{
	struct frame frames[NESTING * 2 + 2] = { { .level = gv_js_enter(j) } };
	size_t n = 1;

	while (n) {
		struct frame *f = &frames[n - 1];

		if (!gv_js_member(j, f->level)) {
			n--;
		} else if (!f->p) {
			if (j->kind == GV_JSON_OBJ)
				frames[n++] = (struct frame){ gv_js_enter(j),
							      gv_npm_locked(j->x, j->key, GV_NONE, gv_js_line(j)) };
		} else if (gv_is(j->key, "version")) {
			f->p->version = gv_dup(j->x->arena, gv_js_text(j));
		} else if (gv_is(j->key, "requires")) {
			read_names(j, f->p, false);
		} else if (gv_is(j->key, "dependencies") && gv_js_enter(j) && n < NESTING * 2) {
			frames[n++] = (struct frame){ .level = gv_js_enter(j) };
		}
	}
}

static void read_lock(struct gv_inspect *x, gv_str bytes)
{
	struct gv_js j = gv_js_open(x, bytes);
	unsigned top = gv_js_enter(&j);
	bool has_folders = false;

	while (gv_js_member(&j, top)) {
		if (gv_is(j.key, "packages")) {
			has_folders = true;
			read_folders(&j);
		} else if (gv_is(j.key, "dependencies") && !has_folders) {
			read_v1(&j);
		}
	}
	gv_js_close(&j);
	gv_list_rest(x);
}

const struct gv_document gv_document_npm_lock = { .type = "npm lock file", .claim = claim, .read = read_lock };
