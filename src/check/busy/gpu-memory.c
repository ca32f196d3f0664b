/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory that is almost all taken, or grows without end. */
#include "check/common_load.h"

#define ONE_OWNER 0.9 /* of what is used: one process reserved nearly everything, as TensorFlow, JAX and servers do */
#define BRIM 0.999    /* of the total: not even a driver's context fits */
#define GROWTH 0.1    /* of the total, over the series */

enum { LEAK_SAMPLES = 8, LEAK_MAX = 512 };

/* A serving engine on this GPU, or in the logs of its node. */
static bool reserves(const struct gv_run *run, const struct gv_entity *gpu)
{
	if (gv_gpu_serves(run, gpu) || gv_env(run, gpu->node, "XLA_PYTHON_CLIENT_MEM_FRACTION").n)
		return true;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(gpu->node, ev));)
		if (gv_starts(ev->sig->id, "vllm-"))
			return true;
	return false;
}

static size_t owners(const struct gv_run *run, const struct gv_entity *gpu, double *ret_most, double *ret_all)
{
	size_t n = 0;

	*ret_most = *ret_all = 0;
	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));) {
		double m;

		if (!gv_num(p, GV_F_PROC_GPU_MEM, &m))
			continue;
		n++;
		*ret_all += m;
		if (m > *ret_most)
			*ret_most = m;
	}
	return n;
}

/* The allocator's next block and cuDNN's workspaces no longer fit. */
static bool full(struct gv_judge *j, const struct gv_entity *gpu)
{
	double used, total, most, all;
	struct gv_finding *f;

	if (!gv_num(gpu, GV_F_GPU_MEM_USED, &used) || !gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) || total < 1024 ||
	    used < total * gv_threshold_part(j->run, GV_T_GPU_MEMORY_FULL) || used > total * 1.01 || gv_is(gv_text(gpu, GV_F_GPU_MIG), "Enabled"))
		return false;
	f = gv_found(j, GV_K_GPU_MEMORY_FULL, gpu);
	gv_set_num(j, f, "used", used);
	gv_set_num(j, f, "total", total);
	gv_set(j, f, "share", "%.1f %%", used / total * 100);
	gv_quote_fact(f, gpu, GV_F_GPU_MEM_USED);
	if (reserves(j->run, gpu)) {
		f->severity = GV_NOTE;
		gv_set(j, f, "why", "its owner reserves it by design");
	} else if (used >= total * BRIM && owners(j->run, gpu, &most, &all) >= 2) {
		gv_set(j, f, "why", "a second process is left with what the first did not take");
	} else if (owners(j->run, gpu, &most, &all) >= 1 && most >= used * ONE_OWNER) {
		f->severity = GV_NOTE;
		gv_set(j, f, "why", "one process holds nearly all of it, as a framework that reserves does");
	} else if (gv_gpu_memory_is_hosts(gpu) && all < used * ONE_OWNER) {
		f->severity = GV_NOTE;
		gv_set(j, f, "why", "the machine uses it for itself, too: its page cache may lie there");
	}
	return true;
}

/* Growth that goes on to the last sample: the second half grew at least half as much as the first. What a job takes at its
 * start levels off. */
static bool grows(const struct gv_entity *e, enum gv_fact fact, double total, const struct gv_obs **ret_first,
		  const struct gv_obs **ret_last)
{
	const struct gv_slot *s = gv_slot_of(e, fact);
	const struct gv_obs *v[LEAK_MAX];
	size_t n = 0;
	double half, all;

	for (size_t i = 0; s && i < s->n && n < LEAK_MAX; i++)
		if (s->v[i].state == GV_KNOWN && (!n || s->v[i].block->format == v[0]->block->format))
			v[n++] = &s->v[i];
	if (n < LEAK_SAMPLES)
		return false;
	for (size_t i = 1; i < n; i++)
		if (v[i]->num < v[i - 1]->num)
			return false;
	all = v[n - 1]->num - v[0]->num;
	half = v[n / 2]->num - v[0]->num;
	if (all < total * GROWTH || v[0]->num < total * 0.05 || all - half < half * 0.5)
		return false;
	*ret_first = v[0];
	*ret_last = v[n - 1];
	return true;
}

static bool leak(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_obs *first, *last;
	struct gv_finding *f;
	double total;

	if (!gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) || gv_gpu_memory_is_hosts(gpu) || !grows(gpu, GV_F_GPU_MEM_USED, total, &first, &last))
		return false;
	f = gv_found(j, GV_K_GPU_MEMORY_LEAK, gpu);
	f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "from", first->num);
	gv_set_num(j, f, "to", last->num);
	gv_quote(f, first->at);
	gv_quote(f, last->at);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	bool any = full(j, gpu);

	return leak(j, gpu) || any ? GV_FOUND : gv_obs(gpu, GV_F_GPU_MEM_USED) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_gpu_memory = {
	.id = "gpu-memory",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
