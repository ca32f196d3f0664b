/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a library or a package is, by its name. */
#include <string.h>

#include "core/table.h"
#include "inspect/inventory.h"

const char *const gv_layer_name[] = { "driver", "runtime", "toolkit", "library", "framework", "tool", "code" };

bool gv_is_hex(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	return s.n > 0;
}

/* Where the name ends that stands before ".so": in front of a version, or of the hash that auditwheel ("-1a2b3c4d") and PyTorch's
 * builds (".1a2b3c4d") put in. */
static size_t stem_end(gv_str name, size_t *ret_so)
{
	size_t so = name.n, dash;

	for (size_t i = 0; i + 3 <= name.n; i++)
		if (memcmp(name.p + i, ".so", 3) == 0 && (i + 3 == name.n || name.p[i + 3] == '.')) {
			so = i;
			break;
		}
	*ret_so = so;
	dash = so;
	while (dash && name.p[dash - 1] != '-' && name.p[dash - 1] != '.')
		dash--;
	return dash && so - dash == 8 && gv_is_hex(gv_sub(name, dash, 8)) ? dash - 1 : so;
}

gv_str gv_without_hash(struct gv_arena *a, gv_str name)
{
	size_t so, end = stem_end(name, &so);

	return end == so ? name : gv_fmt(a, "%.*s%.*s", (int)end, name.p, (int)(name.n - so), name.p + so);
}

/* A row's name is a whole one, or the beginning of some where it ends with a star. */
static bool row_is(gv_str row, gv_str stem)
{
	if (gv_ends(row, "*"))
		return stem.n >= row.n - 1 && memcmp(stem.p, row.p, row.n - 1) == 0;
	return gv_eq(row, stem);
}

static ptrdiff_t row_of(const struct gv_table *t, gv_str stem)
{
	for (size_t i = 0; t && i < t->rows; i++)
		if (row_is(gv_cell(t, i, "library"), stem))
			return (ptrdiff_t)i;
	return -1;
}

/* The row of a library, "libcupti_static.a" as that of libcupti; -1: it is none of a GPU vendor. */
static ptrdiff_t library_row(const struct gv_table *t, gv_str name)
{
	gv_str stem = gv_file_name(name);
	size_t so, n = stem_end(stem, &so);
	ptrdiff_t row;

	if (so == stem.n && !gv_ends(stem, ".a"))
		return -1;
	if (!gv_ends(stem, ".a"))
		return row_of(t, gv_sub(stem, 0, n));
	stem = gv_sub(stem, 0, stem.n - 2);
	row = row_of(t, stem);
	return row < 0 && gv_ends(stem, "_static") ? row_of(t, gv_sub(stem, 0, stem.n - 7)) : row;
}

unsigned gv_library_vendor(gv_str name, bool *ret_driver)
{
	const struct gv_table *t = gv_table("gpu-libraries");
	ptrdiff_t row = library_row(t, name);

	*ret_driver = row >= 0 && gv_is(gv_cell(t, (size_t)row, "of"), gv_layer_name[GV_LAYER_DRIVER]);
	return row >= 0 ? gv_vendor_of(gv_cell(t, (size_t)row, "vendor")) : 0;
}

enum gv_layer gv_layer_of(gv_str word)
{
	size_t i = 0;

	while (i < GV_LAYERS && !gv_is(word, gv_layer_name[i]))
		i++;
	return (enum gv_layer)i;
}

enum gv_layer gv_library_layer(gv_str name)
{
	const struct gv_table *t = gv_table("gpu-libraries");
	ptrdiff_t row = library_row(t, name);

	return row >= 0 ? gv_layer_of(gv_cell(t, (size_t)row, "of")) : GV_LAYERS;
}
