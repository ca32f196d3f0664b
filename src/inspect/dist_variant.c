/* SPDX-License-Identifier: Apache-2.0 */
/* variant.json (PEP 817, PEP 825; drafts): what a wheel says it was built for, as
 * {"variants": {LABEL: {"nvidia": {"sm_arch": ["90_real", "120_real"]}}}}. It is quoted as
 * "nvidia :: sm_arch :: 90_real". */
#include "base/json.h"
#include "inspect/common_python.h"

#define WORD_MAX 64

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "variant.json") && gv_py_in_dist(it);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);
	struct gv_json_in in = { .text = text };
	gv_str keys[GV_JSON_DEPTH + 1] = { 0 }; /* by depth: "variants", label, namespace, feature */
	enum gv_json_kind k;
	gv_str quote = GV_NONE;
	unsigned vendor = 0;

	while (p && (k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_KEY) {
			keys[in.depth] = gv_json_unescape(x->arena, in.raw);
		} else if (k == GV_JSON_STR && in.depth == 5 && gv_is(keys[1], "variants")) {
			if (!vendor)
				quote = gv_fmt(x->arena, "%.*s :: %.*s :: %.*s", GV_ARG(gv_cut(keys[3], WORD_MAX)),
					       GV_ARG(gv_cut(keys[4], WORD_MAX)),
					       GV_ARG(gv_cut(gv_json_unescape(x->arena, in.raw), WORD_MAX)));
			vendor |= gv_vendor_of(keys[3]);
		}
	}
	if (!vendor)
		return;
	p->vendor = vendor;
	p->by_default = false;
	gv_py_name_dep(x, p, quote);
}

const struct gv_document gv_document_dist_variant = { .type = "variant metadata", .claim = claim, .read = read };
