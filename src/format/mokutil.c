/* SPDX-License-Identifier: Apache-2.0 */
/* mokutil --sb-state: "SecureBoot enabled", "SecureBoot disabled" with "Platform is in Setup Mode" below it, or that
 * the machine has no EFI variables. The kernel says the same at its start. */
#include "format/common.h"

static bool state(gv_str text, bool *ret)
{
	gv_str s = gv_trim(text);

	if (gv_is(s, "SecureBoot enabled") || gv_is(s, "SecureBoot disabled")) {
		*ret = gv_ends(s, "enabled");
		return true;
	}
	return false;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool on;

	(void)seg;
	if (gv_starts(gv_trim(l[0].text), "EFI variables are not supported"))
		return 1;
	if (!state(l[0].text, &on))
		return 0;
	return n > 1 && gv_starts(l[1].text, "Platform is in Setup Mode") ? 2 : 1;
}

static void read_state(struct gv_read *r, const struct gv_line *l, size_t n)
{
	bool on;

	(void)n;
	if (state(l[0].text, &on))
		gv_put_flag(r, gv_see_node(r), GV_F_SECURE_BOOT, on, l);
	else
		gv_put_none(r, gv_see_node(r), GV_F_SECURE_BOOT, GV_NOT_APPLICABLE, "the machine has no EFI", l);
}

const struct gv_format gv_format_mokutil = {
	.name = "mokutil",
	.heads = { "SecureBoot ", "EFI variables are not supported" },
	.claim = claim,
	.read = read_state,
};
