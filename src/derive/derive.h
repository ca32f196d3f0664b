/* SPDX-License-Identifier: Apache-2.0 */
/* What is done once so that checks need not do it each: who is who, what came when. */
#pragma once

#include "core/run.h"

/* The last dated line of each document, and the order of looks. */
void gv_derive_time(struct gv_run *run);
/* Joins sightings to entities and gives each block, event and entity its node. */
void gv_derive_identity(struct gv_run *run);
/* Gives every block, event and sighting its machine; the first step of identity. */
void gv_derive_nodes(struct gv_run *run);
/* Order of two outputs in time, for qsort. */
int gv_cmp_looks(const struct gv_block *a, const struct gv_block *b);
/* What a document's name says of its moment: -1 before, 1 after, 0 nothing. */
int8_t gv_moment_in_name(gv_str name);
/* Numbers the looks of each tool at each machine. */
void gv_derive_looks(struct gv_run *run);
/* The port above each PCI function, and the smaller end of its link. */
void gv_derive_hops(struct gv_run *run);
/* run->workload. */
void gv_derive_job(struct gv_run *run);
/* What in a document's name tells a machine apart ("node2", "rank0"); empty where nothing does. */
gv_str gv_node_in_name(struct gv_arena *a, gv_str name);
