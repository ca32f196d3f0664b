/* SPDX-License-Identifier: Apache-2.0 */
/* id: "uid=1000(user) gid=1000(user) groups=1000(user),4(adm),44(video)". */
#include "format/common.h"

static bool is_id(gv_str t)
{
	return gv_starts(t, "uid=") && gv_has(t, " gid=") && gv_has(t, " groups=");
}

static size_t id_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)n;
	(void)seg;
	return is_id(gv_trim(l[0].text));
}

static void id_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str t = gv_trim(l[0].text), rest = gv_before(gv_after(t, " groups="), " "), group, names = GV_STR("");
	double uid;
	gv_str tail;

	(void)n;
	if (r->block->container)
		return; /* another user, another machine's groups */
	if (gv_lead_num(gv_from(t, 4), &uid, &tail))
		gv_put_num(r, gv_see_node(r), GV_F_USER_ID, uid, l);
	for (size_t i = 0; i < 256 && gv_next(&rest, ',', &group); i++) {
		gv_str name = gv_between(group, "(", ")");

		names = gv_fmt(r->arena, "%.*s%s%.*s", GV_ARG(names), names.n ? " " : "",
			       GV_ARG(name.n ? name : gv_sub(group, 0, 64)));
	}
	gv_put_str(r, gv_see_node(r), GV_F_USER_GROUPS, names, l);
}

const struct gv_format gv_format_id = {
	.name = "id",
	.heads = { "uid=" },
	.claim = id_claim,
	.read = id_read,
};
