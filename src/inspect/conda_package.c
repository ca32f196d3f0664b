/* SPDX-License-Identifier: Apache-2.0 */
/* A conda package's own words: conda-meta/NAME.json of an environment, info/index.json of a package or an unpacked one.
 */
#include "inspect/common_conda.h"
#include "inspect/common_json.h"

static bool claim(const struct gv_item *it)
{
	gv_str root;

	if (gv_root_of(it->path, "info/index.json", &root))
		return true;
	return gv_ends(it->name, ".json") && gv_root_of(gv_folder_above(it->path, 1), "conda-meta", &root);
}

/* Of a package as an archive, the parts of a .conda beside each other; of one that is unpacked; of an environment. */
static gv_str folder_of(const struct gv_item *it)
{
	gv_str dir = gv_folder_above(it->path, 2), inner = gv_from(dir, (size_t)(gv_rfind(dir, "!") + 1));

	if (gv_is(it->name, "index.json") && gv_starts(inner, "info-") && gv_ends(inner, ".tar.zst") && inner.n < dir.n)
		return gv_sub(dir, 0, dir.n - inner.n - 1);
	return dir;
}

struct said {
	gv_str name, version, build;
	bool requested;
};

static void read_list(struct gv_js *j, struct gv_package *p, bool optional)
{
	unsigned list = gv_js_enter(j);

	while (gv_js_element(j, list)) {
		gv_str text = gv_js_text(j);

		/* what is only limited matters where it limits the driver */
		if (!optional || gv_starts(text, "__cuda"))
			gv_conda_require(j->x, p, text, optional, gv_js_line(j));
	}
}

static void read_files(struct gv_js *j, struct gv_package *p)
{
	unsigned list = gv_js_enter(j);

	p->listed = true;
	while (gv_js_element(j, list))
		gv_add_owned(j->x, p, gv_js_text(j));
}

static void read_conda_package(struct gv_inspect *x, gv_str bytes)
{
	struct gv_js j = gv_js_open(x, bytes);
	struct gv_package *p = GV_NEW(x->arena, struct gv_package), *own;
	unsigned top = gv_js_enter(&j);
	struct said said = { 0 };

	p->eco = "conda"; /* its name may stand behind its requirements */
	while (gv_js_member(&j, top)) {
		if (gv_is(j.key, "name"))
			said.name = gv_js_text(&j);
		else if (gv_is(j.key, "version"))
			said.version = gv_js_text(&j);
		else if (gv_is(j.key, "build") || gv_is(j.key, "build_string"))
			said.build = gv_js_text(&j);
		else if (gv_is(j.key, "depends"))
			read_list(&j, p, false);
		else if (gv_is(j.key, "constrains"))
			read_list(&j, p, true);
		else if (gv_is(j.key, "files"))
			read_files(&j, p);
		else if (gv_is(j.key, "requested_spec"))
			said.requested |= gv_js_text(&j).n > 0 && !gv_is(gv_js_text(&j), "None");
		else if (gv_is(j.key, "requested_specs") && gv_js_enter(&j))
			said.requested |= gv_js_element(&j, gv_js_enter(&j));
	}
	gv_js_close(&j);
	if (!said.name.n || !said.version.n) {
		x->file->deps.n = 0;
		return;
	}
	own = gv_add_package(x, "conda", said.name, said.version);
	own->requires = p->requires;
	own->files = p->files;
	own->listed = p->listed;
	own->top = said.requested;
	own->local = GV_NONE;
	own->dir = gv_dup(x->arena, folder_of(x->item));
	gv_conda_build(x, own, said.build);
	for (size_t i = 0; i < x->file->deps.n; i++)
		x->file->deps.v[i].of = own;
}

const struct gv_document gv_document_conda_package = { .type = "conda metadata",
						       .claim = claim,
						       .read = read_conda_package };
