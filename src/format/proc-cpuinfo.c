/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/cpuinfo, whole or its first CPU: "key : value" lines, a blank line between CPUs. Since it may be cut, it tells
 * no number of CPUs. */
#include "format/common.h"

#include <math.h>

static bool entry(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	ptrdiff_t colon = gv_find_c(text, ':');

	if (colon <= 0 || colon > 32)
		return false;
	*ret_key = gv_trim(gv_sub(text, 0, (size_t)colon));
	*ret_value = gv_trim(gv_from(text, (size_t)colon + 1));
	return ret_key->n > 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1, end = 1;
	gv_str key, value;
	uint64_t v;

	(void)seg;
	if (!entry(l[0].text, &key, &value) || !gv_is(key, "processor") || !gv_to_u64(value, &v))
		return 0;
	for (; i < n && (gv_blank_line(&l[i]) || entry(l[i].text, &key, &value)) && !(l[i].flags & GV_LINE_PROMPT); i++)
		if (!gv_blank_line(&l[i]))
			end = i + 1;
	return end > 2 ? end : 0;
}

static void read_cpuinfo(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *node = gv_see_node(r);
	double siblings = 0, cores = 0, v;
	bool model = false, threads = false;
	gv_str key, value;

	for (size_t i = 0; i < n && !(model && threads); i++) {
		if (!entry(l[i].text, &key, &value))
			continue;
		if (gv_is(key, "model name") && !model) {
			gv_put_str(r, node, GV_F_CPU_MODEL, value, &l[i]);
			model = true;
		}
		if (gv_is(key, "siblings") && gv_to_num(value, &v))
			siblings = v;
		if (gv_is(key, "cpu cores") && gv_to_num(value, &v))
			cores = v;
		if (!threads && siblings >= 1 && cores >= 1 && siblings >= cores) {
			gv_put_num(r, node, GV_F_THREADS_PER_CORE, floor(siblings / cores), &l[i]);
			threads = true;
		}
	}
}

const struct gv_format gv_format_proc_cpuinfo = {
	.name = "/proc/cpuinfo",
	.heads = { "processor\t:", "processor :", "processor: " },
	.claim = claim,
	.read = read_cpuinfo,
};
