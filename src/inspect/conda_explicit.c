/* SPDX-License-Identifier: Apache-2.0 */
/* An explicit list of conda packages: a line "@EXPLICIT", then one URL a line. */
#include "inspect/common_conda.h"

static bool claim(const struct gv_item *it)
{
	return gv_starts(it->head, "@EXPLICIT") || gv_has(it->head, "\n@EXPLICIT");
}

static void read_explicit(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	bool begun = false;

	while (gv_text_line(&l)) {
		gv_str line = gv_trim(l.line), name, version, build;
		struct gv_package *p;

		if (gv_is(line, "@EXPLICIT"))
			begun = true;
		if (!begun || gv_starts(line, "#") || !gv_conda_archive(line, &name, &version, &build))
			continue;
		p = gv_add_package(x, "conda", name, version);
		p->how = GV_PACKAGE_LOCKED;
		p->local = GV_NONE;
		gv_conda_build(x, p, gv_dup(x->arena, build));
		p->line = l.n;
	}
	gv_list_rest(x);
}

const struct gv_document gv_document_conda_explicit = { .type = "conda list", .claim = claim, .read = read_explicit };
