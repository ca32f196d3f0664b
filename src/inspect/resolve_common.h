/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of packages, for the files of resolve*.c. */
#pragma once

#include "inspect/resolve.h"

/* All packages of one name, of one ecosystem. */
struct gv_pnode {
	struct gv_package *package; /* that says most */
	struct gv_package *wish;    /* where a user asked for it */
	GV_VEC(struct gv_pnode *) needs;
	struct gv_pnode *parent; /* on the shortest way from a top-level one */
	bool top, asked_for, reached;
};

struct gv_graph {
	struct gv_inventory *inv;
	struct gv_map nodes_by_name;
	GV_VEC(struct gv_pnode *) nodes;
};

void gv_graph_make(struct gv_graph *g, struct gv_inventory *inv);
void gv_graph_own_files(struct gv_graph *g); /* sets gv_file.package */
struct gv_pnode *gv_graph_node(struct gv_graph *g, const struct gv_package *p);
struct gv_pnode *gv_graph_named(struct gv_graph *g, const char *eco, gv_str name); /* NULL: not in here */
/* Once files have their packages and libraries are known: extras that nobody asks for stay optional, those that
 * somebody does are not; what is declared by a name that only may be a GPU build is held against what is there. */
void gv_graph_declared(struct gv_graph *g);
/* "app -> fastops 1.2", and who is first in it. */
void gv_graph_path(struct gv_buf *b, const struct gv_pnode *n, const struct gv_pnode **ret_top);

extern struct gv_package gv_no_package; /* stands for "several" */
