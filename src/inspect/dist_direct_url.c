/* SPDX-License-Identifier: Apache-2.0 */
/* direct_url.json: from which URL or folder a Python package was installed. One that is editable is the user's own
 * project; the index in an URL may tell which build it is. */
#include "base/json.h"
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "direct_url.json") && gv_py_in_dist(it);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);
	struct gv_json_in in = { .text = text };
	enum gv_json_kind k;
	gv_str key = GV_NONE;

	while (p && (k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_KEY) {
			key = in.raw;
		} else if (k == GV_JSON_TRUE && gv_is(key, "editable")) {
			p->own = true;
		} else if (k == GV_JSON_STR && gv_is(key, "url") && in.depth == 1) {
			gv_str url = gv_json_unescape(x->arena, in.raw), version = gv_py_wheel_version(x->arena, url);
			ptrdiff_t plus = gv_find_c(version, '+');

			p->local = plus >= 0 ? gv_dup(x->arena, gv_from(version, (size_t)plus + 1))
					     : gv_dup(x->arena, gv_py_index_local(url));
			gv_package_judge(p);
		}
	}
}

const struct gv_document gv_document_dist_direct_url = { .type = "origin of a package", .claim = claim, .read = read };
