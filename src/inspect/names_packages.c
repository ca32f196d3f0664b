/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a package is, by its name, its local version or its build string: data/gpu-packages.tsv. */
#include <string.h>

#include "core/table.h"
#include "inspect/inventory.h"

#define NAME_MAX_LEN 128 /* of a package in the table, and longer than any */

static bool digit(gv_str s, size_t at)
{
	return at < s.n && s.p[at] >= '0' && s.p[at] <= '9';
}

/* "cu124", "cuda12x", "rocm6.1", "xpu": what a toolkit is called at the end of names and versions. */
static unsigned toolkit_vendor(gv_str s)
{
	if ((gv_starts(s, "cu") && digit(s, 2) && digit(s, 3)) || (gv_starts(s, "cuda") && (s.n == 4 || digit(s, 4))))
		return GV_NVIDIA;
	if (gv_starts(s, "rocm") && (s.n == 4 || digit(s, 4) || (s.p[4] == '-' && digit(s, 5))))
		return GV_AMD;
	return gv_is(s, "xpu") ? GV_INTEL : 0;
}

/* The part of a local version ("cu124.post1") or of a build string ("py3.11_cuda12.4_cudnn9_0") that speaks of a
 * toolkit. */
static gv_str toolkit_part(gv_str s)
{
	gv_str rest = s, part;
	size_t from = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '_' && s.p[i] != '-' && !(s.p[i] == '.' && !digit(s, i + 1)))
			continue;
		part = gv_sub(rest, from, i - from);
		if (toolkit_vendor(part) || gv_is(part, "cpu"))
			return part;
		from = i + 1;
	}
	return GV_NONE;
}

#define SUFFIX_MAX 12
/* "nvidia-cublas-cu12" -> "cu12", "cupy-rocm-5-0" -> "rocm-5-0" */
static gv_str toolkit_suffix(gv_str name)
{
	for (size_t i = name.n; i-- && name.n - i <= SUFFIX_MAX;)
		if (name.p[i] == '-' && toolkit_vendor(gv_from(name, i + 1)))
			return gv_from(name, i + 1);
	return GV_NONE;
}

struct cols {
	const struct gv_table *t;
	size_t package, eco;
};

static gv_str cell(const struct cols *c, size_t row, size_t col)
{
	return gv_str_of(c->t->cell[row * c->t->cols + col]);
}

/* The row of a whole name, or of the longest beginning. */
static size_t find_row(const struct cols *c, const char *eco, gv_str name)
{
	size_t best = SIZE_MAX, len = 0;

	for (size_t i = 0; i < c->t->rows; i++) { /* asked for each requirement of each package: most rows end here */
		const char *z = c->t->cell[i * c->t->cols + c->package];
		gv_str row;

		if (z[0] != name.p[0] || !gv_is(cell(c, i, c->eco), eco))
			continue;
		row = gv_str_of(z);
		if (gv_eq(row, name))
			return i;
		if (row.p[row.n - 1] == '*' && row.n > len && name.n >= row.n - 1 &&
		    !memcmp(row.p, name.p, row.n - 1)) {
			best = i;
			len = row.n;
		}
	}
	return best;
}

bool gv_package_by_name(const char *eco, gv_str name, gv_str local, struct gv_by_name *ret)
{
	struct cols c = { .t = gv_table("gpu-packages") };
	gv_str suffix = toolkit_suffix(name), tag = toolkit_part(local);
	size_t row = SIZE_MAX;

	*ret = (struct gv_by_name){ .layer = GV_LAYERS };
	if (!c.t || !name.n || name.n > NAME_MAX_LEN)
		return false;
	c.package = gv_table_col(c.t, "package");
	c.eco = gv_table_col(c.t, "eco");
	row = find_row(&c, eco, name);
	if (suffix.n && (row == SIZE_MAX || gv_ends(cell(&c, row, c.package), "*"))) {
		size_t bare = find_row(&c, eco, gv_sub(name, 0, name.n - suffix.n - 1));

		row = bare == SIZE_MAX ? row : bare;
	}
	if (row != SIZE_MAX) {
		ret->vendor = gv_vendor_of(gv_cell(c.t, row, "vendor"));
		ret->layer = gv_layer_of(gv_cell(c.t, row, "layer"));
		ret->by_default = gv_cell(c.t, row, "on").n > 0;
		ret->brings = gv_cell(c.t, row, "brings").n > 0;
		ret->known = !gv_is(gv_cell(c.t, row, "mark"), "guess");
		ret->by_local = !suffix.n && gv_is(gv_cell(c.t, row, "tag"), "local");
	}
	if (suffix.n) {
		ret->vendor = toolkit_vendor(suffix);
		ret->toolkit = suffix;
		ret->by_default = false;
	}
	if (tag.n) { /* says which build it is, whatever the name is known for */
		ret->vendor = toolkit_vendor(tag);
		ret->toolkit = ret->vendor ? tag : GV_NONE;
		ret->by_default = false;
	}
	return row != SIZE_MAX || suffix.n || tag.n;
}

unsigned gv_package_vendor(const char *eco, gv_str name, gv_str local)
{
	struct gv_by_name says;

	return gv_package_by_name(eco, name, local, &says) ? says.vendor : 0;
}

unsigned gv_extras_vendor(gv_str extras)
{
	unsigned vendor = 0;
	gv_str one, part;

	while (gv_next(&extras, ',', &one)) {
		one = gv_trim(one);
		while (gv_next(&one, '-', &part)) /* "and-cuda", "cuda12-local" */
			vendor |= toolkit_vendor(part);
	}
	return vendor;
}

enum gv_layer gv_dep_layer(const struct gv_dep *d, const struct gv_package *by)
{
	struct gv_by_name says;

	if (d->grade != GV_DECLARED || !by || !gv_package_by_name(by->eco, d->name, GV_NONE, &says))
		return gv_library_layer(d->name);
	return says.layer;
}
