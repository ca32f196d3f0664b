/* SPDX-License-Identifier: Apache-2.0 */
/* REQUESTED: an installed Python package has this file where the user asked for it, and none where another package did.
 */
#include "inspect/common_python.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "REQUESTED") && gv_py_in_dist(it);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);

	if (p)
		p->top = true;
}

const struct gv_document gv_document_dist_requested = { .type = "mark of a requested package",
							.claim = claim,
							.read = read };
