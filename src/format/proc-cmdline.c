/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/cmdline: what the boot loader gave the kernel, one line. Nothing in it is sure to be there, so it is known by
 * its command. */
#include "format/common.h"

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 0;

	if (!seg || !gv_has(seg->cmd, "/proc/cmdline") || gv_has(seg->cmd, "|") || (l[0].flags & GV_LINE_PROMPT) ||
	    gv_blank_line(&l[0]) || gv_starts(l[0].text, "cat: "))
		return 0;
	for (i = 1; i < n; i++) /* one line: with more, other things were printed too */
		if (!gv_blank_line(&l[i]) && !(l[i].flags & GV_LINE_FENCE))
			return 0;
	return 1;
}

static void read_cmdline(struct gv_read *r, const struct gv_line *l, size_t n)
{
	(void)n;
	gv_put_str(r, gv_see_node(r), GV_F_KERNEL_CMDLINE, l[0].text, &l[0]);
}

const struct gv_format gv_format_proc_cmdline = {
	.name = "/proc/cmdline",
	.heads = { NULL },
	.cmds = { "/proc/cmdline" },
	.claim = claim,
	.read = read_cmdline,
};
