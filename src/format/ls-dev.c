/* SPDX-License-Identifier: Apache-2.0 */
/* ls -l of device nodes: "crw-rw---- 1 root render 226, 128 Aug 11 09:14 renderD128". Only nodes of GPUs are read. */
#include "format/common.h"

#define MODE_LEN 10

static bool mode_like(gv_str s)
{
	if (s.n < MODE_LEN || s.n > MODE_LEN + 1)
		return false;
	for (size_t i = 1; i < MODE_LEN; i++)
		if (!gv_has(GV_STR("rwxsStT-"), (char[]){ s.p[i], '\0' }))
			return false;
	return gv_has(GV_STR("cbdlps-"), (char[]){ s.p[0], '\0' });
}

/* A line of a long listing: mode, links, owner, group, size or numbers, date, name. */
static bool listing(gv_str text, gv_str *ret_w, size_t *ret_n)
{
	*ret_n = gv_words(text, ret_w, 12);
	return *ret_n >= 8 && *ret_n <= 12 && mode_like(ret_w[0]);
}

static gv_str base_name(gv_str path)
{
	ptrdiff_t at = gv_rfind(path, "/");

	return at < 0 ? path : gv_from(path, (size_t)at + 1);
}

static bool gpu_node(gv_str name)
{
	if (gv_starts(name, "renderD") || gv_is(name, "kfd"))
		return true;
	return (gv_starts(name, "card") || gv_starts(name, "nvidia")) && name.n < 32;
}

static size_t ls_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str w[12];
	size_t nw, end = 1;

	(void)seg;
	if (!listing(gv_trim(l[0].text), w, &nw) || w[0].p[0] != 'c')
		return 0;
	while (end < n && end < 4096 && listing(gv_trim(l[end].text), w, &nw))
		end++;
	return end;
}

static void ls_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	if (r->block->container)
		return;
	for (size_t i = 0; i < n; i++) {
		gv_str w[12], name;
		struct gv_entity *e;
		size_t nw;

		if (!listing(gv_trim(l[i].text), w, &nw) || w[0].p[0] != 'c')
			continue;
		name = base_name(w[nw - 1]);
		if (!gpu_node(name))
			continue;
		e = gv_see(r, GV_DEVNODE, name);
		gv_put_str(r, e, GV_F_DEVNODE_MODE, w[0], &l[i]);
		gv_put_str(r, e, GV_F_DEVNODE_GROUP, w[3], &l[i]);
	}
}

const struct gv_format gv_format_ls_dev = {
	.name = "ls -l /dev",
	.heads = { "crw", "cr-", "c--", "c-w" },
	.claim = ls_claim,
	.read = ls_read,
};
