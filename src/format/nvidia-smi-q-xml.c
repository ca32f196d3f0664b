/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi -q -x: what -q says, under other names, with or without the line of its DTD (v10 to v13), whole or in
 * pieces. Some elements have others in them or a mere "N/A", as the GPU has it. */
#include <errno.h>

#include "format/common_smi_q.h"
#include "format/common_xml.h"

#define TEXT_RUN 2 /* lines in a row without a tag; "None" may stand alone on one */

#define T(lit)                                                                                                         \
	{                                                                                                              \
		"" lit, sizeof(lit) - 1                                                                                \
	}

static const struct {
	gv_str element, label;
} names[] = {
#define ELEMENT(name, label) { T(name), T(label) },
#define SECTION(name, sec, parent, mig)
#define ROW(sec, key, act, flags, fact)
#include "format/nvidia-smi-q.def"
#undef ROW
#undef SECTION
#undef ELEMENT
};

/* What the text calls it; the name itself where it is not in the table. */
static gv_str label_of(gv_str element)
{
	size_t lo = 0, hi = sizeof(names) / sizeof(names[0]);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = gv_cmp(element, names[mid].element);

		if (!c)
			return names[mid].label;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return element;
}

/* The element that a line begins with; empty where it begins with none. */
static gv_str first_element(gv_str text)
{
	gv_str t = gv_trim(text);
	size_t n = 1;

	if (t.n < 3 || t.p[0] != '<')
		return GV_NONE;
	while (n < t.n && t.p[n] != '>' && t.p[n] != ' ' && t.p[n] != '/')
		n++;
	return n < t.n ? gv_sub(t, 1, n - 1) : GV_NONE;
}

static bool is_root(gv_str text)
{
	return gv_has(text, "<nvidia_smi_log");
}

/* A declaration above the root. */
static bool is_prolog(gv_str text)
{
	gv_str t = gv_trim(text);

	return gv_starts(t, "<?xml") || gv_starts(t, "<!DOCTYPE");
}

static bool begins(const struct gv_line *l, size_t n)
{
	const struct gv_line *next = gv_tree_next(l, n);
	gv_str element;

	if (is_prolog(l->text)) {
		for (size_t i = 0; i < n && i < 4; i++)
			if (is_root(l[i].text))
				return true;
		return false;
	}
	if (is_root(l->text))
		return gv_starts(gv_trim(l->text), "<nvidia_smi_log");
	element = first_element(l->text);
	if (gv_is(element, "gpu"))
		return gv_has(l->text, "id=");
	return element.n && !gv_eq(label_of(element), element) && next && gv_starts(gv_trim(next->text), "<");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0, text = 0;
	bool inside = false;

	(void)seg;
	if (!begins(l, n))
		return 0;
	for (size_t i = 0; i < n && text <= TEXT_RUN; i++) {
		gv_str t = gv_trim(l[i].text);

		if ((l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) || (inside && (is_prolog(t) || is_root(t))))
			break;
		if (!gv_starts(t, "<")) {
			text++;
			continue;
		}
		text = 0;
		end = i + 1;
		inside |= !is_prolog(t);
		if (gv_has(t, "</nvidia_smi_log>"))
			break;
	}
	return end;
}

static bool is_gpu(const struct gv_xml_item *item)
{
	return item->kind != GV_XML_LOST && gv_is(item->name, "gpu") && gv_xml_attr(item, "id").n;
}

/* What stands before the lost beginning of a MIG device is of that device. */
static size_t behind_lost_mig(const struct gv_xml *x)
{
	for (size_t i = x->n; i-- > 0;)
		if (x->v[i].kind == GV_XML_LOST && gv_starts(x->v[i].name, "mig_device"))
			return i + 1;
	return 0;
}

static void read_item(struct gv_smi_q *q, const struct gv_xml_item *item)
{
	gv_str label = label_of(item->name), value = item->text;

	if (is_gpu(item)) {
		gv_smi_q_gpu(q, gv_xml_attr(item, "id"), item->line);
	} else if (item->kind == GV_XML_OPEN && !gv_is(item->name, "nvidia_smi_log")) {
		gv_smi_q_line(q, label, GV_NONE, item->depth, item->line);
	} else if (item->kind == GV_XML_LEAF) {
		if (!value.n && gv_is(label, "Processes"))
			value = GV_STR("None");
		if (value.n && !item->unsure)
			gv_smi_q_line(q, label, value, item->depth, item->line);
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_smi_q q;
	struct gv_xml xml;
	size_t gpus = 0;
	uint64_t attached = 0;

	if (gv_xml_parse(r->arena, l, n, &xml) == -ENOTSUP) {
		gv_unread(r->run, r->doc->name, GV_STR("XML cannot be read: built without expat"));
		return;
	}
	if (xml.broken)
		gv_unread(r->run, r->doc->name,
			  gv_fmt(r->run->arena, "XML at line %u: %s", (unsigned)l->no, xml.broken));
	for (size_t i = 0; i < xml.n; i++) {
		gpus += is_gpu(&xml.v[i]);
		if (gv_is(xml.v[i].name, "attached_gpus"))
			gv_to_u64(xml.v[i].text, &attached);
	}
	gv_smi_q_begin(&q, r, gpus, attached, false);
	q.exact = true;
	for (size_t i = behind_lost_mig(&xml); i < xml.n; i++)
		read_item(&q, &xml.v[i]);
	gv_smi_q_end(&q);
}

const struct gv_format gv_format_nvidia_smi_q_xml = {
	.name = "nvidia-smi -q -x",
	.heads = { "<?xml",
		   "<nvidia_smi_log",
		   "<gpu id=",
		   "<product_name>",
		   "<performance_state>",
		   "<clocks_event_reasons>",
		   "<clocks_throttle_reasons>",
		   "<fb_memory_usage>",
		   "<utilization>",
		   "<ecc_errors>",
		   "<retired_pages>",
		   "<remapped_rows>",
		   "<temperature>",
		   "<gpu_power_readings>",
		   "<power_readings>",
		   "<clocks>",
		   "<fabric>",
		   "<processes>",
		   "<gpu_recovery_action>",
		   "<gpu_reset_status>",
		   "<pci_gpu_link_info>",
		   "<gpu_temp>",
		   "<gpu_util>",
		   "<remapped_row_" },
	.claim = claim,
	.read = read,
};
