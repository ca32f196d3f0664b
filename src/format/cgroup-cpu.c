/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.stat of a cgroup: a key and a number a line. Version 2 begins with usage_usec, version 1 with nr_periods. */
#include "format/common.h"

static const char *const keys[] = { "usage_usec", "user_usec", "system_usec", "nice_usec", "core_sched.force_idle_usec",
				    "nr_periods", "nr_throttled", "throttled_usec", "throttled_time", "nr_bursts",
				    "burst_usec", "burst_time", "wait_sum", "current_bw" };

/* "nr_periods 6184"; a grep over files puts "path:" in front. */
static bool entry(gv_str line, gv_str *ret_key, uint64_t *ret)
{
	gv_str w[3];
	ptrdiff_t colon;

	if (gv_words(line, w, 3) != 2 || !gv_to_u64(w[1], ret))
		return false;
	colon = gv_rfind(w[0], ":");
	*ret_key = colon >= 0 ? gv_from(w[0], (size_t)colon + 1) : w[0];
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gv_is(*ret_key, keys[i]))
			return true;
	return false;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool counts = false;
	size_t i = 0;
	uint64_t v;
	gv_str key;

	(void)seg;
	for (; i < n && entry(l[i].text, &key, &v); i++)
		counts |= gv_is(key, "nr_periods") || gv_is(key, "nr_throttled");
	return counts ? i : 0;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *node = gv_see_node(r);

	for (size_t i = 0; i < n; i++) {
		uint64_t v;
		gv_str key;

		if (!entry(l[i].text, &key, &v))
			continue;
		if (gv_is(key, "nr_periods"))
			gv_put_num(r, node, GV_F_CGROUP_PERIODS, (double)v, &l[i]);
		else if (gv_is(key, "nr_throttled"))
			gv_put_num(r, node, GV_F_CGROUP_THROTTLED, (double)v, &l[i]);
	}
}

const struct gv_format gv_format_cgroup_cpu = {
	.name = "cgroup cpu.stat",
	.heads = { "usage_usec", "nr_periods", NULL },
	.claim = claim,
	.read = read,
};
