/* SPDX-License-Identifier: Apache-2.0 */
/* The control file in a package of Debian's kind: its files are all that is in the same .deb. */
#include "inspect/common_deb.h"

static bool claim(const struct gv_item *it)
{
	gv_str archive = gv_folder_above(it->path, 1);

	return gv_is(it->name, "control") && gv_has(archive, "!control.tar") && gv_has(it->head, "Package:");
}

static void read_control(struct gv_inspect *x, gv_str bytes)
{
	gv_deb_paragraphs(x, bytes, gv_dup(x->arena, gv_folder_above(x->item->path, 2)), false);
}

const struct gv_document gv_document_deb_control = { .type = "package metadata", .claim = claim, .read = read_control };
