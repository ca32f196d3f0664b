/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU quota of a cgroup. cpu.stat: a key and a number a line; version 2 begins with usage_usec, version 1 with
 * nr_periods. cpu.max of version 2: "200000 100000", quota and period in microseconds, or "max 100000"; version 1 has
 * cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us. What has no key is known by its command or by the path that grep
 * puts in front. */
#include "format/common_series.h"

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

enum quota { NO_QUOTA, MAX, QUOTA, PERIOD };

/* Which of the files a path, a command, or a line with a path in front is about; a command that names several says
 * nothing of a line. */
static enum quota file_of(gv_str s)
{
	static const char *const names[] = { [MAX] = "cpu.max", [QUOTA] = "cpu.cfs_quota_us", [PERIOD] = "cpu.cfs_period_us" };
	enum quota q = NO_QUOTA;

	for (size_t i = MAX; i <= PERIOD; i++) {
		gv_str after = gv_after(s, names[i]);

		if (!after.p || (after.n && after.p[0] == '.')) /* cpu.max.burst */
			continue;
		if (q != NO_QUOTA)
			return NO_QUOTA;
		q = (enum quota)i;
	}
	return q;
}

/* The words of a value, and what file it is from. */
static enum quota quota_line(gv_str text, const struct gv_seg *seg, gv_str *ret_value)
{
	ptrdiff_t colon = gv_rfind(text, ":");
	bool named = gv_starts(text, "/") && colon > 0;
	enum quota q = file_of(named ? gv_sub(text, 0, (size_t)colon) : seg ? seg->cmd : GV_NONE);
	gv_str w[3], value = gv_trim(named ? gv_from(text, (size_t)colon + 1) : text);
	size_t n = gv_words(value, w, 3);
	double v;

	if (!n || n != (q == MAX ? 2 : 1) || !(gv_to_num(w[0], &v) || (q == MAX && gv_is(w[0], "max"))) ||
	    (n == 2 && !gv_to_num(w[1], &v)))
		return NO_QUOTA;
	*ret_value = value;
	return q;
}

static bool is_content(gv_str text)
{
	uint64_t v;
	gv_str key;

	return entry(text, &key, &v);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool counts = false;
	size_t i = 0;
	uint64_t v;
	gv_str key;
	double t;

	if (gv_shot_head(l[0].text, &t, &key))
		return gv_shots_extent(l, n, "/cpu.stat", is_content);
	for (; i < n && entry(l[i].text, &key, &v); i++)
		counts |= gv_is(key, "nr_periods") || gv_is(key, "nr_throttled");
	if (i)
		return counts ? i : 0;
	while (i < n && !(l[i].flags & GV_LINE_PROMPT) && quota_line(l[i].text, seg, &key) != NO_QUOTA)
		i++;
	return i;
}

/* CPUs that the quota allows; none is no number. */
static void read_quota(struct gv_read *r, const struct gv_line *l, size_t n)
{
	double quota = -1, period = 100000, v; /* the period of version 1 where only the quota was printed */
	const struct gv_line *at = NULL;
	gv_str value, w[2];

	for (size_t i = 0; i < n; i++) {
		enum quota q = quota_line(l[i].text, r->block->seg, &value);

		gv_words(value, w, 2);
		if (q == PERIOD && gv_to_num(w[0], &v))
			period = v;
		if (q != MAX && q != QUOTA)
			continue;
		at = &l[i];
		quota = gv_to_num(w[0], &v) ? v : -1;
		if (q == MAX && gv_to_num(w[1], &v))
			period = v;
	}
	if (at && quota > 0 && period > 0)
		gv_put_num(r, gv_see_node(r), GV_F_CGROUP_CPUS, quota / period, at);
	else if (at)
		gv_put_none(r, gv_see_node(r), GV_F_CGROUP_CPUS, GV_NOT_APPLICABLE, "the cgroup has no quota", at);
}

static void read_counts(struct gv_read *r, const struct gv_line *l, size_t n, uint32_t sample, uint32_t ms)
{
	struct gv_entity *node = gv_see_node(r);

	for (size_t i = 0; i < n; i++) {
		uint64_t v;
		gv_str key;

		if (!entry(l[i].text, &key, &v))
			continue;
		if (gv_is(key, "nr_periods"))
			gv_put_nth(r, node, GV_F_CGROUP_PERIODS, (double)v, sample, ms, &l[i]);
		else if (gv_is(key, "nr_throttled"))
			gv_put_nth(r, node, GV_F_CGROUP_THROTTLED, (double)v, sample, ms, &l[i]);
	}
}

/* The first and the last snapshot of a series. */
static void read_series(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_shots s;

	gv_shots_read(r, l, n, 0, &s);
	for (size_t k = 0; k<s.nedges; k += s.nedges> 1 ? s.nedges - 1 : 1) {
		const struct gv_shot *shot = &s.v[s.edge[k]];

		read_counts(r, &l[shot->first], shot->n, (uint32_t)k, gv_shots_ms(&s, k));
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str first;
	double t;

	if (gv_shot_head(l[0].text, &t, &first)) {
		read_series(r, l, n);
		return;
	}
	if (quota_line(l[0].text, r->block->seg, &first) != NO_QUOTA) {
		read_quota(r, l, n);
		return;
	}
	read_counts(r, l, n, 0, 0);
}

const struct gv_format gv_format_cgroup_cpu = {
	.name = "cgroup cpu",
	.heads = { "/cpu.stat", "usage_usec", "nr_periods", "/cpu.max:", "/cpu.cfs_quota_us:", "/cpu.cfs_period_us:" },
	.cmds = { "cpu.max", "cpu.cfs_quota_us" },
	.claim = claim,
	.read = read,
};
