/* SPDX-License-Identifier: Apache-2.0 */
/* Compute processes on the GPUs of a Kubernetes node beyond what its pods requested: somebody works past the scheduler. An
 * empty process list is no sign of a neighbour: inside a container it is always empty. */
#include "check/common_load.h"

#define JOB_MEMORY 1024 /* MiB: monitoring tools and contexts hold some hundreds */

/* A compute process of the host's own list that holds memory on the GPU. */
static const struct gv_entity *worker(const struct gv_run *run, const struct gv_entity *gpu)
{
	double mem;

	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));) {
		const struct gv_obs *o = gv_obs(p, GV_F_PROC_GPU_MEM);

		if (gv_num(p, GV_F_PROC_GPU_MEM, &mem) && mem >= JOB_MEMORY && !gv_obs_in_container(o) &&
		    !gv_has(gv_text(p, GV_F_PROC_TYPE), "G"))
			return p;
	}
	return NULL;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_entity *first = NULL;
	struct gv_finding *f;
	double allocated;
	size_t used = 0;

	gv_num(node, GV_F_K8S_ALLOCATED, &allocated);
	for (struct gv_entity *g = NULL; (g = gv_each(j->run, GV_GPU, node, g));) {
		const struct gv_entity *p = worker(j->run, g);

		used += p != NULL;
		first = first ? first : p;
	}
	if (!used || (double)used <= allocated)
		return GV_PASS;
	f = gv_found(j, GV_K_HIDDEN_NEIGHBOUR, node);
	f->confidence = GV_MEDIUM;
	gv_quote_fact(f, first, GV_F_PROC_GPU_MEM);
	gv_quote_fact(f, node, GV_F_K8S_ALLOCATED);
	gv_set(j, f, "used", "%zu", used);
	gv_set_num(j, f, "allocated", allocated);
	gv_set_str(j, f, "process", gv_text(first, GV_F_PROC_NAME));
	gv_set_str(j, f, "pid", first->id);
	return GV_FOUND;
}

const struct gv_check gv_check_hidden_neighbour = {
	.id = "hidden-neighbour",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_F_K8S_ALLOCATED, GV_FACTS },
	.run = run,
};
