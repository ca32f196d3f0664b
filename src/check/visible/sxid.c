/* SPDX-License-Identifier: Apache-2.0 */
/* SXids: what the driver and the fabric manager report about an NVSwitch, by the table of codes (data/sxid.tsv). */
#include "check/common.h"

static enum gv_severity severity_of(const struct gv_event *ev, gv_str cell)
{
	/* the word that the driver printed for this very error, where there is one */
	gv_str word = gv_is(ev->sig->id, "nv-sxid") ? ev->cap[3] : GV_NONE;

	if (gv_is(word, "Fatal") || gv_is(ev->sig->id, "nv-fm-fatal"))
		return GV_FAIL;
	if (gv_is(word, "Correctable"))
		return GV_NOTE;
	if (gv_starts(cell, "info"))
		return GV_NOTE;
	/* printed as non-fatal: the table's worse word is for another generation of the switch */
	return GV_WARN;
}

/* "Link 48 LTSSM Fault Up" behind the severity, "port 33" in the words of the fabric manager. */
static void tell_link(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev)
{
	bool driver = gv_is(ev->sig->id, "nv-sxid");
	gv_str rest = driver ? gv_after(ev->cap[4], "Link ") : ev->cap[3], after;
	double v;

	if (gv_lead_num(rest, &v, &after) && v >= 0 && v < 1000)
		gv_set_num(j, f, "link", v);
}

/* Of the three lines of a report only one with its data is there, as a filter or a paste left it. */
static bool by_data(struct gv_judge *j, const struct gv_entity *node, const struct gv_table *t)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nv-sxid-data", node, ev));) {
		size_t row = t ? gv_table_find(t, "code", ev->cap[2], 0) : SIZE_MAX;
		gv_str sev = row == SIZE_MAX ? GV_NONE : gv_cell(t, row, "severity");
		struct gv_finding *f = gv_found_event(j, GV_K_NVSWITCH_ERROR, ev);

		f->severity = gv_starts(sev, "info") ? GV_NOTE : gv_starts(sev, "fatal") ? GV_FAIL : GV_WARN;
		f->confidence = GV_MEDIUM; /* the word that says how grave it was is missing */
		gv_set_str(j, f, "code", ev->cap[2]);
		gv_set_str(j, f, "name", row == SIZE_MAX ? GV_NONE : gv_cell(t, row, "name"));
		gv_set_str(j, f, "remedy", row == SIZE_MAX ? GV_NONE : gv_remedy(gv_cell(t, row, "action")));
		gv_set_str(j, f, "switch", ev->bus);
		any = true;
	}
	return any;
}

static enum gv_answer sxid_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_table *t = gv_table("sxid");
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NVSWITCH_ERROR, node, ev));) {
		size_t row =
		    t && ev->code >= 0 ? gv_table_find(t, "code", gv_fmt(j->run->arena, "%d", ev->code), 0) : SIZE_MAX;
		gv_str sev = row == SIZE_MAX ? GV_NONE : gv_cell(t, row, "severity");
		enum gv_severity worth = severity_of(ev, sev);
		size_t before = j->run->findings.n;
		struct gv_finding *f = gv_found_event(j, GV_K_NVSWITCH_ERROR, ev);
		bool fresh = j->run->findings.n > before;

		any = true;
		if (!fresh && worth <= f->severity)
			continue;
		f->severity = worth;
		gv_set(j, f, "code", "%d", ev->code);
		if (row != SIZE_MAX) {
			gv_set_str(j, f, "name", gv_cell(t, row, "name"));
			gv_set_str(j, f, "remedy", gv_remedy(gv_cell(t, row, "action")));
		}
		gv_set_str(j, f, "switch", ev->bus);
		tell_link(j, f, ev);
		gv_set_count(j, f, ev);
	}
	any = any || by_data(j, node, t);
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_sxid = {
	.id = "sxid",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = sxid_run,
};
