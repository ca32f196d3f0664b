/* SPDX-License-Identifier: Apache-2.0 */
/* What documents of packages tell, whatever their ecosystem. */
#pragma once

#include "inspect/inventory.h"

/* A package asks for another. Where that is a GPU vendor's by its name, the file has a declared need then, which is
 * returned; else NULL. `optional`: it goes on without. */
struct gv_dep *gv_add_require(struct gv_inspect *x, struct gv_package *p, gv_str name, gv_str spec, bool optional,
			      uint32_t line);
/* At the end of a list of packages, of a user's or a lock file's: those of GPU vendors that nothing in it asks for are
 * needs of their own. */
void gv_list_rest(struct gv_inspect *x);
/* A file that a package brings, relative to its folder: kept if it can be a library, a program or GPU code. */
void gv_add_owned(struct gv_inspect *x, struct gv_package *p, gv_str path);

/* The root of the file system in which "var/lib/x" is that of path; false where it does not end so. */
bool gv_root_of(gv_str path, const char *below, gv_str *ret_root);

/* Cuts off the next line, without its end. */
struct gv_text_lines {
	gv_str rest, line;
	uint32_t n; /* of the line, from 1 */
};
bool gv_text_line(struct gv_text_lines *l);
