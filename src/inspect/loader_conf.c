/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader of a root file system looks: /etc/ld.so.conf and what it includes, a folder a line (ldconfig(8)). */
#include "inspect/inventory.h"

#define FOLDERS_MAX 256

static bool claim(const struct gv_item *it)
{
	if (gv_is(it->name, "ld.so.conf"))
		return gv_ends(it->path, "etc/ld.so.conf");
	return gv_ends(it->name, ".conf") && gv_has(it->path, "etc/ld.so.conf.d/");
}

static void read_loader_conf(struct gv_inspect *x, gv_str bytes)
{
	gv_str line;

	while (gv_next(&bytes, '\n', &line)) {
		line = gv_trim(gv_before(line, "#"));
		if (gv_starts(line, "/") && line.n < 4096 && x->file->search.n < FOLDERS_MAX)
			*gv_push(x->arena, &x->file->search) = gv_dup(x->arena, line);
	}
}

const struct gv_document gv_document_loader_conf = { .type = "loader configuration",
						     .claim = claim,
						     .read = read_loader_conf };
