/* SPDX-License-Identifier: Apache-2.0 */
/* Runs texts through the pipeline, for unit tests. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/run.h"

/* A run over documents given as name, text, name, text, ..., NULL: read and judged. Free with gv_test_end(). */
struct gv_run *gv_test_run(const char *name, ...) __attribute__((sentinel));
void gv_test_end(struct gv_run *run);
/* The finding of a kind, NULL where there is none. */
const struct gv_finding *gv_test_finding(const struct gv_run *run, enum gv_kind kind);
/* Fails the test unless the run has exactly one verdict of this kind; GV_KINDS: no verdict. */
void gv_test_verdict(const struct gv_run *run, enum gv_kind kind);
/* A NUM or FLAG value; fails the test where it is unknown. */
double gv_test_num(const struct gv_entity *e, enum gv_fact f);
/* Fail the test unless the value is known and this one. */
void gv_test_is_num(const struct gv_entity *e, enum gv_fact f, double want);
void gv_test_is_text(const struct gv_entity *e, enum gv_fact f, const char *want);
/* The first machine; there always is one. */
struct gv_entity *gv_test_node(const struct gv_run *run);
