/* SPDX-License-Identifier: Apache-2.0 */
#include "core/table.h"

#include <string.h>

const struct gv_table *gv_table(const char *name)
{
	size_t lo = 0, hi = gv_ntables;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(name, gv_tables[mid]->name);

		if (!c)
			return gv_tables[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

size_t gv_table_col(const struct gv_table *t, const char *col)
{
	for (size_t i = 0; t && i < t->cols; i++)
		if (!strcmp(t->head[i], col))
			return i;
	return SIZE_MAX;
}

size_t gv_table_find(const struct gv_table *t, const char *col, gv_str value, size_t from)
{
	size_t c = gv_table_col(t, col);

	if (c == SIZE_MAX)
		return SIZE_MAX;
	for (size_t r = from; r < t->rows; r++)
		if (gv_is(value, t->cell[r * t->cols + c]))
			return r;
	return SIZE_MAX;
}

gv_str gv_cell(const struct gv_table *t, size_t row, const char *col)
{
	size_t c = gv_table_col(t, col);
	gv_str s;

	if (c == SIZE_MAX || row >= t->rows)
		return GV_NONE;
	s = gv_str_of(t->cell[row * t->cols + c]);
	return gv_is(s, "-") ? GV_NONE : s;
}

bool gv_cell_num(const struct gv_table *t, size_t row, const char *col, double *ret)
{
	return gv_to_num(gv_cell(t, row, col), ret);
}
