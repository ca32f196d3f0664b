/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of data/ (*.tsv), built into the binary: rows of cells, found by the name of a column. */
#pragma once

#include "base/str.h"

struct gv_table {
	const char *name;
	size_t rows, cols;
	const char *const *head;
	const char *const *cell; /* rows * cols */
};

/* A built-in table by its file's stem ("xid"); NULL where there is none. */
const struct gv_table *gv_table(const char *name);
size_t gv_table_col(const struct gv_table *t, const char *col); /* SIZE_MAX where there is none */
/* First row >= from whose cell in `col` is `value`; SIZE_MAX where there is none. */
size_t gv_table_find(const struct gv_table *t, const char *col, gv_str value, size_t from);
gv_str gv_cell(const struct gv_table *t, size_t row, const char *col); /* empty for "-", "" and unknown columns */
bool gv_cell_num(const struct gv_table *t, size_t row, const char *col, double *ret);

/* What tools/mktable makes of data/, sorted by name. */
extern const struct gv_table *const gv_tables[];
extern const size_t gv_ntables;
