/* SPDX-License-Identifier: Apache-2.0 */
/* A process may run only on CPUs that are far from the GPU that it uses. */
#include "check/common_load.h"

#define NEAR 0.5 /* of its CPUs: a process that may run everywhere has half and more near on two sockets */

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *p)
{
	const struct gv_entity *gpu = p->parent;
	gv_str may = gv_text(p, GV_F_PROC_CPUS), near;
	struct gv_finding *f;
	double share;

	if (!gpu || gpu->kind != GV_GPU)
		return GV_NA;
	near = gv_text(gpu, GV_F_GPU_CPUS);
	if (!may.n || !near.n)
		return GV_NODATA;
	share = gv_cpulist_share(may, near);
	/* partly near: the scheduler may do right; it is no fault that can be proven */
	if (share < 0 || share >= NEAR || (share > 0 && gv_cpulist_count(may) > gv_cpulist_count(near)))
		return GV_PASS;
	f = gv_found(j, GV_K_NUMA_REMOTE, p);
	if (share > 0)
		f->confidence = GV_MEDIUM;
	gv_set_str(j, f, "pid", p->id);
	gv_set_str(j, f, "cpus", may);
	gv_set_str(j, f, "near", near);
	gv_set_str(j, f, "gpu", gpu->key[GV_KEY_INDEX].n ? gpu->key[GV_KEY_INDEX] : gpu->id);
	gv_quote_fact(f, p, GV_F_PROC_CPUS);
	gv_quote_fact(f, gpu, GV_F_GPU_CPUS);
	return GV_FOUND;
}

const struct gv_check gv_check_numa_remote = {
	.id = "numa-remote",
	.stage = GV_STAGE_FED,
	.over = GV_PROC,
	.needs = { GV_FACTS },
	.run = run,
};
