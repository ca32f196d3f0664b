/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/limits, /proc/PID/limits: a limit a line, its name of several words first, then the soft and the hard one.
 */
#include "format/common.h"

static const struct {
	const char *name;
	enum gv_fact fact; /* GV_FACTS: not kept */
} limits[] = {
	{ "Max locked memory", GV_F_LIMIT_MEMLOCK },
	{ "Max open files", GV_F_LIMIT_FILES },
};

static bool is_head(gv_str text)
{
	return gv_starts(text, "Limit ") && gv_has(text, "Soft Limit") && gv_has(text, "Hard Limit");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;

	(void)seg;
	if (!is_head(l[0].text))
		return 0;
	while (i < n && gv_starts(l[i].text, "Max "))
		i++;
	return i;
}

static void read_limits(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
			gv_str rest, soft;
			uint64_t v;

			if (!gv_starts(l[i].text, limits[k].name))
				continue;
			rest = gv_from(l[i].text, strlen(limits[k].name));
			if (gv_word(&rest, &soft) && (gv_is(soft, "unlimited") || gv_to_u64(soft, &v)))
				gv_put_str(r, gv_see_node(r), limits[k].fact, soft, &l[i]);
		}
}

const struct gv_format gv_format_proc_limits = {
	.name = "/proc/self/limits",
	.heads = { "Soft Limit" },
	.claim = claim,
	.read = read_limits,
};
