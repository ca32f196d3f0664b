/* SPDX-License-Identifier: Apache-2.0 */
/* Spare memory of a GPU: rows that wait to be remapped or could not be (Ampere and later), pages that were retired
 * (before). Rows that were remapped and work say nothing. */
#include "check/common.h"

static bool remap_failed(struct gv_judge *j, const struct gv_entity *gpu)
{
	double none = 0, rows = 0;
	bool failed = gv_flag(gpu, GV_F_GPU_REMAP_FAILED), bad = gv_flag(gpu, GV_F_GPU_UNREPAIRABLE);
	bool used_up = gv_num(gpu, GV_F_GPU_REMAP_NONE, &none) && none > 0;
	bool many = gv_num(gpu, GV_F_GPU_REMAP_UNC, &rows) && rows >= gv_threshold(j->run, GV_T_REMAPPED_ROWS);
	struct gv_finding *f;

	if (!failed && !bad && !used_up && !many)
		return false;
	f = gv_found(j, GV_K_ROW_REMAP_FAILED, gpu);
	if (failed || bad)
		gv_quote_fact(f, gpu, failed ? GV_F_GPU_REMAP_FAILED : GV_F_GPU_UNREPAIRABLE);
	else if (!f->event)
		f->severity = GV_WARN; /* nothing failed yet: the next error in that bank will */
	if (used_up) {
		gv_set_num(j, f, "banks", none);
		gv_quote_fact(f, gpu, GV_F_GPU_REMAP_NONE);
	}
	if (rows > 0) {
		gv_set_num(j, f, "rows", rows);
		gv_quote_fact(f, gpu, GV_F_GPU_REMAP_UNC);
	}
	return true;
}

static bool remap_pending(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_finding *f;
	double rows;

	if (!gv_flag(gpu, GV_F_GPU_REMAP_PENDING))
		return false;
	f = gv_found(j, GV_K_ROW_REMAP_PENDING, gpu);
	gv_quote_fact(f, gpu, GV_F_GPU_REMAP_PENDING);
	if (gv_num(gpu, GV_F_GPU_REMAP_UNC, &rows)) {
		gv_set_num(j, f, "rows", rows);
		gv_quote_fact(f, gpu, GV_F_GPU_REMAP_UNC);
	}
	return true;
}

static bool retirement(struct gv_judge *j, const struct gv_entity *gpu)
{
	bool pending = gv_flag(gpu, GV_F_GPU_RETIRED_PENDING);
	double sbe = 0, dbe = 0;
	struct gv_finding *f;

	gv_num(gpu, GV_F_GPU_RETIRED_SBE, &sbe);
	gv_num(gpu, GV_F_GPU_RETIRED_DBE, &dbe);
	if (!pending && sbe + dbe <= 0)
		return false;
	f = gv_found(j, GV_K_PAGE_RETIREMENT, gpu);
	gv_set_num(j, f, "pages", sbe + dbe);
	gv_quote_fact(f, gpu,
		      pending	? GV_F_GPU_RETIRED_PENDING
		      : dbe > 0 ? GV_F_GPU_RETIRED_DBE
				: GV_F_GPU_RETIRED_SBE);
	if (sbe + dbe >= gv_threshold(j->run, GV_T_RETIRED_PAGES))
		gv_set(j, f, "many", "; %.0f are no few: the table that holds them is nearly full", sbe + dbe);
	if (pending)
		gv_set_str(j, f, "pending", GV_STR("waits for a reboot"));
	else if (!f->event && sbe + dbe < gv_threshold(j->run, GV_T_RETIRED_PAGES))
		f->severity = GV_NOTE; /* retired and out of use: that is what retirement is for */
	if (dbe > 0)
		gv_quote_fact(f, gpu, GV_F_GPU_RETIRED_DBE);
	return true;
}

static enum gv_answer remap_run(struct gv_judge *j, const struct gv_entity *gpu)
{
	static const enum gv_fact any[] = { GV_F_GPU_REMAP_PENDING, GV_F_GPU_REMAP_FAILED, GV_F_GPU_RETIRED_PENDING,
					    GV_F_GPU_RETIRED_DBE, GV_F_GPU_UNREPAIRABLE };
	bool found = remap_failed(j, gpu);

	found |= remap_pending(j, gpu);
	found |= retirement(j, gpu);
	for (size_t i = 0; !found && i < sizeof(any) / sizeof(any[0]); i++)
		if (gv_obs(gpu, any[i]))
			return GV_PASS;
	return found ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_remap = {
	.id = "remap",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = remap_run,
};
