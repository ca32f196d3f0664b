/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline: evidence in, report out. The only place that sees all tables. */
#pragma once

#include "core/run.h"

struct gv_run *gv_run_new(struct gv_arena *a); /* default limits */

/* Adds evidence; -errno where PATH itself cannot be opened. */
int gv_add_path(struct gv_run *run, const char *path);
int gv_add_stdin(struct gv_run *run);
void gv_add_bytes(struct gv_run *run, gv_str name, gv_str bytes);

void gv_read_all(struct gv_run *run);  /* readers, signatures, derive */
void gv_judge_all(struct gv_run *run); /* checks, causes, verdict, texts */

/* Parts, in the order in which gv_judge_all() calls them. */
void gv_run_checks(struct gv_run *run);
void gv_set_when(struct gv_run *run);
void gv_hang_causes(struct gv_run *run);
void gv_count_effects(struct gv_run *run); /* again after findings were folded */
void gv_order_verdict(struct gv_run *run);
void gv_set_bound(struct gv_run *run);
void gv_set_stages(struct gv_run *run);
void gv_fill_texts(struct gv_run *run);

struct gv_check;
extern const struct gv_check *const gv_checks[];
extern const size_t gv_nchecks;
struct gv_format;
extern const struct gv_format *const gv_formats[];
extern const size_t gv_nformats;

/* cause.def, for the engine and the test that the graph has no circle. */
enum gv_join { GV_JOIN_ANY, GV_JOIN_NODE, GV_JOIN_GPU, GV_JOIN_SELF };
struct gv_cause {
	enum gv_kind effect, cause;
	enum gv_join join;
};
extern const struct gv_cause gv_causes[];
extern const size_t gv_ncauses;
