/* SPDX-License-Identifier: Apache-2.0 */
/* etc/apk/world: what the user of an Alpine system asked for. */
#include "inspect/common_apk.h"

static bool claim(const struct gv_item *it)
{
	gv_str root;

	return gv_root_of(it->path, "etc/apk/world", &root);
}

static void read_world(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };

	while (gv_text_line(&l)) {
		gv_str rest = l.line, word, spec, name;

		while (gv_word(&rest, &word)) {
			struct gv_package *p;

			name = gv_apk_name(word, &spec);
			if (!name.n || name.p[0] == '!')
				continue;
			p = gv_add_package(x, "apk", name, spec);
			p->how = GV_PACKAGE_ASKED;
			p->top = true;
			p->line = l.n;
		}
	}
	gv_list_rest(x);
}

const struct gv_document gv_document_apk_world = { .type = "apk world", .claim = claim, .read = read_world };
