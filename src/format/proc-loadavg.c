/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/loadavg: "3.05 1.37 1.71 4/111 13177". */
#include "format/common_series.h"

static bool row(gv_str text, double *ret_load)
{
	gv_str w[6], total;
	double v[3], running, all;

	if (gv_words(text, w, 6) != 5)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!gv_to_num(w[i], &v[i]) || v[i] < 0 || gv_find_c(w[i], '.') < 0)
			return false;
	total = gv_after(w[3], "/");
	if (!gv_to_num(gv_before(w[3], "/"), &running) || !gv_to_num(total, &all))
		return false;
	*ret_load = v[0];
	return true;
}

static bool is_content(gv_str text)
{
	double v;

	return row(text, &v) || (text.n && text.p[0] >= '0' && text.p[0] <= '9');
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str path;
	double v;

	(void)seg;
	if (gv_shot_head(l[0].text, &v, &path))
		return gv_shots_extent(l, n, "/proc/loadavg", is_content);
	return row(l[0].text, &v);
}

static void read_loadavg(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_shots s;
	double v;

	gv_shots_read(r, l, n, 0, &s);
	for (size_t k = 0; k < s.nedges; k++) {
		const struct gv_line *at = &l[s.v[s.edge[k]].first];

		if (row(at->text, &v))
			gv_put_nth(r, gv_see_node(r), GV_F_LOAD1, v, (uint32_t)k, gv_shots_ms(&s, k), at);
	}
}

const struct gv_format gv_format_proc_loadavg = {
	.name = "/proc/loadavg",
	.heads = { "/proc/loadavg" },
	.cmds = { "/proc/loadavg" },
	.claim = claim,
	.read = read_loadavg,
};
