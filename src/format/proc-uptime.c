/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/uptime: seconds since boot, and idle seconds of all CPUs. */
#include "format/common.h"

static bool row(gv_str text, double *ret)
{
	gv_str w[3];
	double idle;

	return gv_words(text, w, 3) == 2 && gv_to_num(w[0], ret) && *ret >= 0 && gv_to_num(w[1], &idle) &&
	       gv_find_c(w[0], '.') > 0 && gv_find_c(w[1], '.') > 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	double v;

	(void)n;
	return seg && gv_has(seg->cmd, "/proc/uptime") && row(l[0].text, &v);
}

static void read_uptime(struct gv_read *r, const struct gv_line *l, size_t n)
{
	double v;

	(void)n;
	if (row(l[0].text, &v))
		gv_put_num(r, gv_see_node(r), GV_F_UPTIME, v, &l[0]);
}

const struct gv_format gv_format_proc_uptime = {
	.name = "/proc/uptime",
	.heads = { NULL },
	.cmds = { "/proc/uptime" },
	.claim = claim,
	.read = read_uptime,
};
