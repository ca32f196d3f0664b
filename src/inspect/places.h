/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are seen in a tree, with its links followed; none leads out of it. */
#pragma once

#include "inspect/inventory.h"

struct gv_places {
	struct gv_inventory *inv;
	struct gv_map links;   /* by path -> struct gv_link */
	struct gv_map folders; /* that were asked for -> gv_str */
};

void gv_places_make(struct gv_places *p, struct gv_inventory *inv);
/* What a path begins with: the archive or image that it is in, with its "!"; empty: the tree itself. */
gv_str gv_place_root(gv_str path);
/* The path without links; that of a circle as it is. Absolute targets begin at the root. */
gv_str gv_place(struct gv_places *p, gv_str path);
gv_str gv_place_folder(struct gv_places *p, gv_str folder); /* the same, remembered */
