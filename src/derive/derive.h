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
/* run->workload. */
void gv_derive_job(struct gv_run *run);
/* What in a document's name tells a machine apart ("node2", "rank0"); empty where nothing does. */
gv_str gv_node_in_name(struct gv_arena *a, gv_str name);
