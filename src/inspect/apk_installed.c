/* SPDX-License-Identifier: Apache-2.0 */
/* lib/apk/db/installed: all packages of an Alpine system and their files. A letter, a colon, a value; F names a folder,
 * R a file in it. */
#include "inspect/common_apk.h"

static bool root_of(gv_str path, gv_str *ret_root)
{
	return gv_root_of(path, "usr/lib/apk/db/installed", ret_root) ||
	       gv_root_of(path, "lib/apk/db/installed", ret_root);
}

static bool claim(const struct gv_item *it)
{
	gv_str root;

	return root_of(it->path, &root);
}

static void add_requires(struct gv_inspect *x, struct gv_package *p, gv_str value, uint32_t line)
{
	gv_str word;

	while (gv_word(&value, &word))
		gv_apk_require(x, p, word, line);
}

static void read_installed(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct gv_package *p = NULL;
	gv_str root = GV_NONE, folder = GV_NONE;

	root_of(x->item->path, &root);
	root = gv_dup(x->arena, root);
	while (gv_text_line(&l)) {
		gv_str value = gv_from(l.line, 2);

		if (!l.line.n) {
			p = NULL;
			continue;
		}
		if (gv_starts(l.line, "P:")) {
			p = gv_add_package(x, "apk", value, GV_NONE);
			p->dir = root;
			p->listed = true;
			p->line = l.n;
			folder = GV_NONE;
		}
		if (!p)
			continue;
		if (gv_starts(l.line, "V:"))
			p->version = gv_dup(x->arena, value);
		else if (gv_starts(l.line, "D:"))
			add_requires(x, p, value, l.n);
		else if (gv_starts(l.line, "F:"))
			folder = value;
		else if (gv_starts(l.line, "R:")) {
			char path[1024];

			if (folder.n + value.n + 2 <= sizeof(path)) {
				if (folder.n)
					memcpy(path, folder.p, folder.n);
				path[folder.n] = '/';
				memcpy(path + folder.n + 1, value.p, value.n);
				gv_add_owned(x, p, (gv_str){ path, folder.n + 1 + value.n });
			}
		}
	}
}

const struct gv_document gv_document_apk_installed = { .type = "apk database", .claim = claim, .read = read_installed };
