/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/swaps: "Filename Type Size Used Priority", sizes in kB. swapon --show has other columns with units. */
#include "format/common.h"

static bool is_head(gv_str text)
{
	gv_str w[6];

	return gv_words(text, w, 6) == 5 && gv_is(w[0], "Filename") && gv_is(w[1], "Type") && gv_is(w[2], "Size") &&
	       gv_is(w[3], "Used") && gv_is(w[4], "Priority");
}

static bool row(gv_str text, double *ret_size, double *ret_used)
{
	gv_str w[6];

	return gv_words(text, w, 6) == 5 && (gv_is(w[1], "file") || gv_is(w[1], "partition")) &&
	       gv_to_num(w[2], ret_size) && gv_to_num(w[3], ret_used);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;
	double v;

	(void)seg;
	if (!is_head(l[0].text))
		return 0;
	while (i < n && row(l[i].text, &v, &v))
		i++;
	return i;
}

static void read_swaps(struct gv_read *r, const struct gv_line *l, size_t n)
{
	double size, used, all = 0, all_used = 0;

	for (size_t i = 1; i < n; i++)
		if (row(l[i].text, &size, &used)) {
			all += size;
			all_used += used;
		}
	gv_put_num(r, gv_see_node(r), GV_F_SWAP_TOTAL, all, &l[n > 1]);
	gv_put_num(r, gv_see_node(r), GV_F_SWAP_USED, all_used, &l[n > 1]);
}

const struct gv_format gv_format_proc_swaps = {
	.name = "/proc/swaps",
	.heads = { "Filename" },
	.claim = claim,
	.read = read_swaps,
};
