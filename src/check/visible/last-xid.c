/* SPDX-License-Identifier: Apache-2.0 */
/* The last Xid by an exporter of metrics. It keeps the code until it is started anew, so that the error may be long
 * past; the kernel log tells more, where it is there. */
#include "check/common.h"

static bool in_log(const struct gv_entity *gpu, int code)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(gpu->node, ev));)
		if (ev->code == code && ev->sig->kind != GV_K_NVSWITCH_ERROR && (!ev->gpu || ev->gpu == gpu))
			return true;
	return false;
}

static enum gv_severity severity_of(const struct gv_entity *gpu, int code, enum gv_kind kind)
{
	enum gv_severity s = gv_xid_severity(code);
	bool pending;

	/* the program's own, and what follows from another error */
	if (kind == GV_K_APP_KERNEL_FAULT || code == 45 || code == 109)
		return GV_NOTE;
	if (kind == GV_K_ROW_REMAP_PENDING && gv_flag_known(gpu, GV_F_GPU_REMAP_PENDING, &pending) && !pending)
		return GV_NOTE;
	return s == GV_FAIL ? GV_WARN : s;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_table *t = gv_table("xid");
	enum gv_severity severity;
	struct gv_finding *f;
	enum gv_kind kind;
	size_t before, row;
	double code = 0;

	gv_num(gpu, GV_F_GPU_LAST_XID, &code);
	if (gv_crowded(j->run, gpu->node))
		return GV_NA;
	if (code < 1 || code > 1000 || in_log(gpu, (int)code))
		return GV_PASS;
	kind = gv_xid_kind((int)code);
	severity = severity_of(gpu, (int)code, kind);
	before = j->run->findings.n;
	f = gv_found(j, kind, gpu);
	gv_quote_fact(f, gpu, GV_F_GPU_LAST_XID);
	if (j->run->findings.n == before)
		return GV_FOUND; /* something else knows of it already */
	f->severity = severity;
	f->confidence = GV_MEDIUM;
	f->when = GV_RECENT;
	f->fixed_when = true;
	gv_set(j, f, "code", "%.0f", code);
	row = t ? gv_table_find(t, "code", gv_fmt(j->run->arena, "%.0f", code), 0) : SIZE_MAX;
	if (row != SIZE_MAX) {
		gv_set_str(j, f, "name", gv_cell(t, row, "name"));
		gv_set_str(j, f, "remedy", gv_remedy(gv_cell(t, row, "action")));
	}
	return GV_FOUND;
}

const struct gv_check gv_check_last_xid = {
	.id = "last-xid",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_GPU,
	.needs = { GV_F_GPU_LAST_XID, GV_FACTS },
	.run = run,
};
