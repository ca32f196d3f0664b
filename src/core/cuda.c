/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cuda.h"

#include "core/table.h"

unsigned gv_cuda_parse(gv_str text)
{
	gv_str major, minor;
	uint64_t x, y = 0;

	text = gv_trim(text);
	if (!gv_next(&text, '.', &major) || !gv_to_u64(major, &x) || x < 1 || x > 99)
		return 0;
	if (gv_next(&text, '.', &minor) && (!gv_to_u64(minor, &y) || y > 99))
		return 0;
	return (unsigned)(x * 100 + y);
}

gv_str gv_cuda_text(struct gv_arena *a, unsigned cuda)
{
	return gv_fmt(a, "%u.%u", cuda / 100, cuda % 100);
}

/* Rows of one kind: start with *at = 0. */
static bool next_row(const struct gv_table *t, const char *kind, size_t *at)
{
	for (; t && *at < t->rows; ++*at)
		if (gv_is(gv_cell(t, *at, "kind"), kind))
			return true;
	return false;
}

unsigned gv_cuda_of_driver(gv_str driver)
{
	const struct gv_table *t = gv_table("cuda-driver");
	gv_str branch = gv_before(driver, "."), best = GV_NONE;
	unsigned cuda = 0;
	uint64_t n;

	if (!gv_to_u64(branch, &n))
		return 0;
	for (size_t i = 0; next_row(t, "driver-branch", &i); i++) {
		gv_str of = gv_cell(t, i, "key");

		if (gv_cmp_version(of, branch) > 0 || (best.n && gv_cmp_version(of, best) <= 0))
			continue;
		best = of;
		cuda = gv_cuda_parse(gv_cell(t, i, "max_cuda"));
	}
	return cuda;
}

unsigned gv_cuda_of_ptx(unsigned isa)
{
	const struct gv_table *t = gv_table("ptx-isa");

	for (size_t i = 0; t && isa && i < t->rows; i++)
		if (gv_cuda_parse(gv_cell(t, i, "ptx")) == isa)
			return gv_cuda_parse(gv_cell(t, i, "cuda"));
	return 0;
}

gv_str gv_driver_for_cuda(unsigned cuda)
{
	const struct gv_table *t = gv_table("cuda-driver");
	gv_str newest = GV_NONE;
	unsigned at = 0;

	/* a version that the table has not is taken for the newest one below it, of the same major version */
	for (size_t i = 0; next_row(t, "toolkit", &i); i++) {
		unsigned of = gv_cuda_parse(gv_cell(t, i, "key"));

		if (of / 100 != cuda / 100 || of > cuda || of <= at)
			continue;
		at = of;
		newest = gv_cell(t, i, "compat_driver");
	}
	return newest;
}

gv_str gv_branch_for_cuda(unsigned cuda)
{
	const struct gv_table *t = gv_table("cuda-driver");
	gv_str best = GV_NONE;

	for (size_t i = 0; next_row(t, "driver-branch", &i); i++) {
		gv_str key = gv_cell(t, i, "key");

		if (gv_cuda_parse(gv_cell(t, i, "max_cuda")) >= cuda && (!best.n || gv_cmp_version(key, best) < 0))
			best = key;
	}
	return best;
}

void gv_branches_for_sm(unsigned sm, gv_str *ret_first, gv_str *ret_last)
{
	const struct gv_table *t = gv_table("cuda-driver");
	uint64_t of;

	*ret_first = *ret_last = GV_NONE;
	for (size_t i = 0; next_row(t, "sm-arch", &i); i++)
		if (gv_to_u64(gv_cell(t, i, "key"), &of) && of == sm) {
			*ret_first = gv_branch_for_cuda(gv_cuda_parse(gv_cell(t, i, "first_toolkit")));
			*ret_last = gv_cell(t, i, "last_branch");
		}
}
