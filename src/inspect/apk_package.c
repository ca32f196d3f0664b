/* SPDX-License-Identifier: Apache-2.0 */
/* .PKGINFO of an Alpine package: "name = value" lines. Packages of Arch have a file of that name, too, which is left
 * alone. */
#include "inspect/common_apk.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, ".PKGINFO") && !gv_has(it->path, ".pkg.tar") && gv_has(it->head, "pkgname = ");
}

static void read_package(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct gv_package *p = gv_add_package(x, "apk", GV_NONE, GV_NONE);

	p->dir = gv_dup(x->arena, gv_folder_above(x->item->path, 1));
	while (gv_text_line(&l)) {
		gv_str value = gv_trim(gv_after(l.line, " = "));

		if (gv_starts(l.line, "pkgname = "))
			p->name = gv_dup(x->arena, value);
		else if (gv_starts(l.line, "pkgver = "))
			p->version = gv_dup(x->arena, value);
		else if (gv_starts(l.line, "depend = "))
			gv_apk_require(x, p, value, l.n);
	}
	p->vendor = gv_package_vendor("apk", p->name, GV_NONE);
}

const struct gv_document gv_document_apk_package = { .type = "package metadata", .claim = claim, .read = read_package };
