/* SPDX-License-Identifier: Apache-2.0 */
/* requires.txt of an .egg-info folder: requirements, then those of extras under "[extra]" or "[extra:marker]". */
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "requires.txt") && gv_py_in_dist(it);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);
	struct gv_py_asks asks = gv_py_asks(x, p);
	gv_str line, extra = GV_NONE, marker = GV_NONE;
	uint32_t n = 0;

	while (p && gv_next(&text, '\n', &line)) {
		struct gv_py_want w;

		n++;
		line = gv_trim(line);
		if (gv_starts(line, "[") && gv_ends(line, "]")) {
			line = gv_sub(line, 1, line.n - 2);
			extra = gv_py_name(x->arena, gv_before(line, ":"));
			marker = gv_after(line, ":");
		} else if (!gv_py_full(&asks) && gv_py_want(x->arena, line, &w)) {
			w.marker = w.marker.n ? w.marker : marker;
			gv_py_ask(&asks, &w, extra, line, n);
		}
	}
}

const struct gv_document gv_document_dist_egg_requires = { .type = "requirements of a package",
							   .claim = claim,
							   .read = read };
