/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/meminfo, whole or in single lines ("Key: number kB", with a file name in front from grep), once or in
 * snapshots. */
#include "format/common_series.h"

static const struct {
	const char *key;
	enum gv_fact fact;
	bool size; /* in kB; else a count */
} kept[] = {
	{ "MemTotal", GV_F_MEM_TOTAL, true },
	{ "MemFree", GV_F_MEM_FREE, true },
	{ "MemAvailable", GV_F_MEM_AVAIL, true },
	{ "SwapTotal", GV_F_SWAP_TOTAL, true },
	{ "SwapFree", GV_F_SWAP_FREE, true },
	{ "HugePages_Total", GV_F_HUGEPAGES_TOTAL, false },
	{ "HugePages_Free", GV_F_HUGEPAGES_FREE, false },
};
#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* Lines that may begin an excerpt though no fact is made of them. */
static const char *const others[] = { "Buffers",	"Cached",	"SwapCached",	 "HugePages_Rsvd",
				      "HugePages_Surp", "AnonPages",	"AnonHugePages", "Hugepagesize",
				      "Hugetlb",	"Committed_AS", "CommitLimit",	 "Shmem",
				      "Dirty" };

/* "MemFree: 2210012 kB" */
static bool split(gv_str line, gv_str *ret_key, double *ret_value, bool *ret_kb)
{
	gv_str rest, word;
	double v;

	line = gv_trim(line);
	rest = gv_after(line, "/meminfo:");
	if (rest.n && line.p[0] == '/')
		line = gv_trim(rest);
	if (!gv_key_value(line, &word, &rest) || !word.n || word.n > 40)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		      c == '(' || c == ')'))
			return false;
	}
	*ret_key = word;
	if (!gv_lead_num(rest, &v, &rest) || v < 0 || (rest.n && (rest.p[0] == '.' || rest.p[0] == ':')))
		return false;
	*ret_value = v;
	rest = gv_trim(rest);
	*ret_kb = gv_starts(rest, "kB");
	return true;
}

static bool known(gv_str key)
{
	for (size_t i = 0; i < KEPT; i++)
		if (gv_is(key, kept[i].key))
			return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (gv_is(key, others[i]))
			return true;
	return false;
}

/* Sizes have their unit, counts of huge pages have none; the same key with anything else is another tool's. */
static bool well_formed(gv_str key, bool kb)
{
	return kb != gv_starts(key, "HugePages_");
}

static bool is_content(gv_str text)
{
	gv_str key;
	double v;
	bool kb;

	return (split(text, &key, &v, &kb) && well_formed(key, kb)) || gv_find_c(text, ' ') < 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 0;
	gv_str key;
	double v;
	bool kb;

	(void)seg;
	if (gv_shot_head(l[0].text, &v, &key))
		return gv_shots_extent(l, n, "/proc/meminfo", is_content);
	if (!split(l[0].text, &key, &v, &kb) || !known(key) || !well_formed(key, kb))
		return 0;
	while (i < n && split(l[i].text, &key, &v, &kb) && well_formed(key, kb))
		i++;
	return i;
}

static void read_shot(struct gv_read *r, const struct gv_line *l, size_t n, uint32_t sample, uint32_t ms)
{
	struct gv_entity *node = gv_see_node(r);
	double v, total = -1, left = -1;
	gv_str key;
	bool kb;

	for (size_t i = 0; i < n; i++) {
		if (!split(l[i].text, &key, &v, &kb))
			continue;
		for (size_t k = 0; k < KEPT; k++)
			if (gv_is(key, kept[k].key))
				gv_put_nth(r, node, kept[k].fact, v, sample, ms, &l[i]);
		total = gv_is(key, "SwapTotal") ? v : total;
		left = gv_is(key, "SwapFree") ? v : left;
		if (gv_is(key, "SwapFree") && total >= left)
			gv_put_nth(r, node, GV_F_SWAP_USED, total - left, sample, ms, &l[i]);
	}
}

static void read_meminfo(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_shots s;

	gv_shots_read(r, l, n, 0, &s);
	for (size_t k = 0; k < s.nedges; k++) {
		const struct gv_shot *shot = &s.v[s.edge[k]];

		read_shot(r, l + shot->first, shot->n, (uint32_t)k, gv_shots_ms(&s, k));
	}
}

const struct gv_format gv_format_meminfo = {
	.name = "/proc/meminfo",
	.heads = { "/proc/meminfo", "MemTotal", "MemFree", "MemAvailable", "SwapTotal", "SwapFree", "HugePages_",
		   "Hugepagesize", "Cached", "Buffers:", "AnonHugePages", "Committed_AS", "Shmem:" },
	.claim = claim,
	.read = read_meminfo,
};
