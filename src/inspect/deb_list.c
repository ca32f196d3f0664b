/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a file is: dpkg's lists of the files of each package. */
#include "inspect/common_package.h"

static bool root_of(const struct gv_item *it, gv_str *ret_root)
{
	gv_str dir = gv_folder_above(it->path, 1);

	if (gv_ends(it->name, ".list"))
		return gv_root_of(dir, "var/lib/dpkg/info", ret_root);
	return gv_ends(it->name, ".md5sums") && gv_root_of(dir, "var/lib/dpkg/status.d", ret_root);
}

static bool claim(const struct gv_item *it)
{
	gv_str root;

	return root_of(it, &root);
}

static void own(struct gv_inspect *x, struct gv_package *p, gv_str path)
{
	size_t had = p->files.n;

	gv_add_owned(x, p, path);
	path = p->files.n > had ? p->files.v[had] : GV_NONE;
	/* Packages that were made before /lib became a link name their files by the link. */
	if (gv_starts(path, "lib") || gv_starts(path, "bin/") || gv_starts(path, "sbin/"))
		gv_add_owned(x, p, gv_fmt(x->arena, "usr/%.*s", GV_ARG(path)));
}

static void read_list(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	gv_str name = gv_before(x->item->name, ":"), root = GV_NONE;
	bool sums = gv_ends(x->item->name, ".md5sums");
	struct gv_package *p;

	if (name.n == x->item->name.n)
		name.n -= sums ? 8 : 5;
	root_of(x->item, &root);
	p = gv_add_package(x, "deb", name, GV_NONE);
	p->dir = gv_dup(x->arena, root);
	p->listed = true;
	while (gv_text_line(&l))
		own(x, p, sums ? gv_trim(gv_from(l.line, 32)) : l.line);
}

const struct gv_document gv_document_deb_list = { .type = "dpkg list of files", .claim = claim, .read = read_list };
