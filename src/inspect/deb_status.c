/* SPDX-License-Identifier: Apache-2.0 */
/* What dpkg knows of the packages that are installed: var/lib/dpkg/status, or a file each in status.d. */
#include "inspect/common_deb.h"

static bool root_of(gv_str path, gv_str *ret_root)
{
	return gv_root_of(path, "var/lib/dpkg/status", ret_root) ||
	       gv_root_of(gv_folder_above(path, 1), "var/lib/dpkg/status.d", ret_root);
}

static bool claim(const struct gv_item *it)
{
	gv_str root;

	return !gv_ends(it->name, ".md5sums") && !gv_ends(it->name, ".list") && root_of(it->path, &root);
}

static void read_status(struct gv_inspect *x, gv_str bytes)
{
	gv_str root = GV_NONE;

	root_of(x->item->path, &root);
	gv_deb_paragraphs(x, bytes, gv_dup(x->arena, root), true);
}

const struct gv_document gv_document_deb_status = { .type = "dpkg status", .claim = claim, .read = read_status };
