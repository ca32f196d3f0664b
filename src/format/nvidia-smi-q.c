/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi -q, whole or cut (-d, sed, grep), of all driver generations, with or without its indentation.
 *
 * The same key means different things in different sections, so every key is looked up in the section it stands in.
 * Sections are told by indentation where it is there; where it is lost, by their names and by the keys that a section
 * cannot hold. What is unclear is not read: a value of a MIG device must never pass for one of the GPU. */
#include <string.h>

#include "format/common_smi_q.h"

/* Every key of this tool begins with a capital, but for these two. */
static bool split(gv_str text, gv_str *key, gv_str *value)
{
	gv_str t = gv_trim(text);

	if (!t.n || !((t.p[0] >= 'A' && t.p[0] <= 'Z') || gv_starts(t, "vGPU") || gv_starts(t, "0x")))
		return false;
	return gv_tree_split(t, key, value);
}

static bool is_log_head(gv_str text)
{
	return gv_starts(gv_trim(text), "==") && gv_has(text, "NVSMI LOG");
}

static bool is_gpu_head(gv_str text, gv_str *ret_bus)
{
	gv_str w[3];

	if (gv_words(text, w, 3) != 2 || !gv_is(w[0], "GPU") || w[1].n < 10 || gv_find_c(w[1], ':') < 4)
		return false;
	for (size_t i = 0; i < w[1].n; i++)
		if (!strchr("0123456789abcdefABCDEF:.", w[1].p[i]))
			return false;
	*ret_bus = w[1];
	return true;
}

/* ---- which lines are ours ---- */

static enum gv_tree_shape shape_of(gv_str text)
{
	gv_str key, value;

	if (is_log_head(text))
		return GV_TREE_NOT;
	if (is_gpu_head(text, &key))
		return GV_TREE_STRONG;
	if (!gv_trim(text).n || gv_is(gv_trim(text), "--"))
		return GV_TREE_MAYBE;
	return split(text, &key, &value) ? gv_tree_shape(&gv_smi_q_table, text) : GV_TREE_NOT;
}

static bool begins(const struct gv_line *l, size_t n)
{
	const struct gv_line *next = gv_tree_next(l, n);
	const struct gv_tree_section *s;
	const struct gv_tree_row *row;
	gv_str key, value;

	if (is_log_head(l->text))
		return true;
	if (is_gpu_head(l->text, &key))
		return next && shape_of(next->text) >= GV_TREE_WEAK;
	if (!split(l->text, &key, &value))
		return false;
	s = gv_tree_section_of(&gv_smi_q_table, key);
	if (s && !value.n)
		return gv_tree_holds(&gv_smi_q_table, s, next);
	if (gv_is(key, "Timestamp"))
		return next && gv_starts(gv_trim(next->text), "Driver Version");
	row = gv_tree_any_row(&gv_smi_q_table, key, GV_TREE_FIRST);
	/* The blank before the colon is the tool's mark; what says Active can do without it. */
	return row && gv_smi_q_fits(row, value) && (row->act == GV_TREE_ACTIVE || gv_has(l->text, " :"));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return begins(l, n) ? gv_tree_extent(l, n, shape_of) : 0;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_smi_q q;
	size_t heads = 0;
	gv_str bus, key, value;
	uint64_t attached = 0;

	for (size_t i = 0; i < n; i++) {
		heads += is_gpu_head(l[i].text, &bus);
		if (!heads && split(l[i].text, &key, &value) && gv_is(key, "Attached GPUs"))
			gv_to_u64(value, &attached);
	}
	gv_smi_q_begin(&q, r, heads, attached, gv_tree_flat(&gv_smi_q_table, l, n));
	for (size_t i = 0; i < n; i++) {
		if (is_gpu_head(l[i].text, &bus))
			gv_smi_q_gpu(&q, bus, &l[i]);
		else if (split(l[i].text, &key, &value))
			gv_smi_q_line(&q, key, value, gv_indent(l[i].text), &l[i]);
	}
	gv_smi_q_end(&q);
}

const struct gv_format gv_format_nvidia_smi_q = {
	.name = "nvidia-smi -q",
	.heads = { " : ",	 "NVSMI LOG",	  "GPU 0000",	   "Clocks",	     " Mode",
		   "ECC E",	 "Remapped Rows", "Retired Pages", "Power Readings", "Temperature",
		   "Fabric",	 "Slowdown",	  "Utilization",   "Memory Usage",   "PCI",
		   "Link Width", "Link Info",	  "Volatile",	   "Aggregate",	     "Reset Status",
		   "Processes",	 "MIG Device",	  "Histogram" },
	.claim = claim,
	.read = read,
};
