/* SPDX-License-Identifier: Apache-2.0 */
/* Host-to-GPU traffic at what the link carries. */
#include "check/common_load.h"

/* Raw GB/s of sixteen lanes, by generation (thresholds: raw one way). Pinned copies reach 0.8 to 0.88 of it. */
static const double raw16[] = { 0, 4.0, 8.0, 15.75, 31.5, 63.0, 121.0 };

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	double gen, width, rx = NAN, tx = NAN, rate, top;
	struct gv_finding *f;
	bool in;

	gv_num(gpu, GV_F_GPU_PCIE_RX, &rx);
	gv_num(gpu, GV_F_GPU_PCIE_TX, &tx);
	if (isnan(rx) && isnan(tx))
		return GV_NODATA;
	if (!gv_num(gpu, GV_F_GPU_PCIE_GEN, &gen) || !gv_num(gpu, GV_F_GPU_PCIE_WIDTH, &width) || gen < 1 || gen > 6 ||
	    width < 1 || width > 16)
		return GV_NODATA;
	rate = raw16[(int)gen] * width / 16 * 1000;
	in = isnan(tx) || rx >= tx;
	top = in ? rx : tx;
	if (top < rate * gv_threshold_part(j->run, GV_T_PCIE_FULL) || top > rate * 1.5)
		return GV_PASS;
	f = gv_found(j, GV_K_PCIE_SATURATED, gpu);
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "rate", "%.1f GB/s", top / 1000);
	gv_set(j, f, "link", "PCIe gen %.0f x%.0f", gen, width);
	gv_set(j, f, "raw", "%.1f GB/s", rate / 1000);
	gv_set(j, f, "way", in ? "to the GPU" : "from the GPU");
	gv_quote_fact(f, gpu, in ? GV_F_GPU_PCIE_RX : GV_F_GPU_PCIE_TX);
	gv_quote_fact(f, gpu, GV_F_GPU_PCIE_WIDTH);
	if (gv_gpu_use(j->run, gpu).load == GV_LOAD_FULL)
		f->severity = GV_NOTE;
	return GV_FOUND;
}

const struct gv_check gv_check_pcie_saturated = {
	.id = "pcie-saturated",
	.stage = GV_STAGE_FED,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
