/* SPDX-License-Identifier: Apache-2.0 */
/* pyvenv.cfg at the root of a virtual environment: whether what it uses is all in here. */
#include "inspect/inventory.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "pyvenv.cfg");
}

static void read(struct gv_inspect *x, gv_str text)
{
	gv_str line;

	while (gv_next(&text, '\n', &line))
		if (gv_is(gv_trim(gv_before(line, "=")), "include-system-site-packages") &&
		    gv_eq_nocase(gv_trim(gv_after(line, "=")), GV_STR("true")))
			gv_file_note(
			    x, "this environment uses the packages of the system's Python, too: they are not in here");
}

const struct gv_document gv_document_pyvenv_cfg = { .type = "virtual environment", .claim = claim, .read = read };
