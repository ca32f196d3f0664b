/* SPDX-License-Identifier: Apache-2.0 */
/* Uncorrectable memory errors by the GPU's own counters and by what a job was told. Counts over the board's life are
 * history: they raise nothing. Xids are the check xid's. */
#include "check/common.h"

/* A job that met an error names no GPU; where a GPU of the node has been found already, it is that one's. */
static bool found_by_job(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_ECC_UNCORRECTABLE, node, ev));) {
		if (ev->code >= 0)
			continue;
		gv_found_event(j, GV_K_ECC_UNCORRECTABLE, ev);
		any = true;
	}
	return any;
}

static bool xid_on(const struct gv_run *run, const struct gv_entity *gpu, int code)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(gpu->node, ev));)
		if (ev->code == code && ev->gpu == gpu && ev->sig->kind != GV_K_NVSWITCH_ERROR)
			return true;
	return false;
}

static bool found_by_counter(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_finding *f;
	double n;

	if (!gv_num(gpu, GV_F_GPU_ECC_UNC, &n) || n <= 0)
		return false;
	f = gv_found(j, GV_K_ECC_UNCORRECTABLE, gpu);
	gv_set_num(j, f, "errors", n);
	gv_quote_fact(f, gpu, GV_F_GPU_ECC_UNC);
	if (xid_on(j->run, gpu, 95) || xid_on(j->run, gpu, 140))
		return true;
	if (xid_on(j->run, gpu, 94)) {
		f->severity = GV_WARN;
		gv_set_str(j, f, "contained", GV_STR("the driver says that they are contained"));
	} else if (gv_is(gv_text(gpu, GV_F_GPU_RECOVERY), "None") && !xid_on(j->run, gpu, 48)) {
		/* its own word outranks the counter: whatever they were, nothing has to be done before work goes on */
		f->severity = GV_WARN;
		gv_set_str(j, f, "contained", GV_STR("the driver asks for no recovery"));
		gv_quote_fact(f, gpu, GV_F_GPU_RECOVERY);
	}
	return true;
}

/* On-die memory has no spare rows: past its own limit the GPU asks to be replaced. */
static bool found_by_limit(struct gv_judge *j, const struct gv_entity *gpu)
{
	struct gv_finding *f;

	if (!gv_flag(gpu, GV_F_GPU_SRAM_THRESHOLD))
		return false;
	f = gv_found(j, GV_K_ECC_UNCORRECTABLE, gpu);
	gv_set_str(j, f, "limit", GV_STR("SRAM Threshold Exceeded"));
	gv_quote_fact(f, gpu, GV_F_GPU_SRAM_THRESHOLD);
	return true;
}

static enum gv_answer ecc_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = found_by_job(j, node), known = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		found |= found_by_counter(j, e);
		found |= found_by_limit(j, e);
		known |= gv_num(e, GV_F_GPU_ECC_UNC, NULL);
	}
	return found ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_ecc = {
	.id = "ecc",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = ecc_run,
};
