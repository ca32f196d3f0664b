/* SPDX-License-Identifier: Apache-2.0 */
/* WHEEL: for which interpreters and platforms a Python package was built. "Tag: cp311-cp311-manylinux_2_28_x86_64" */
#include "inspect/common_python.h"

#define TAGS_MAX 64

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "WHEEL") && gv_py_in_dist(it);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);
	gv_str line;

	while (p && p->claims.n < TAGS_MAX && gv_next(&text, '\n', &line))
		if (gv_starts(line, "Tag:"))
			*gv_push(x->arena, &p->claims) =
			    gv_fmt(x->arena, "tag :: %.*s", GV_ARG(gv_cut(gv_trim(gv_from(line, 4)), 128)));
}

const struct gv_document gv_document_dist_wheel = { .type = "wheel metadata", .claim = claim, .read = read };
