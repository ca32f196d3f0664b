/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA that a program was built for against the CUDA that the driver offers. From CUDA 11 on all of one major
 * version run on every driver of that major version; a toolkit on disk that is older or newer than the driver is no
 * fault. */
#include "check/common.h"
#include "core/cuda.h"

/* What the host's driver offers, and the fact that says so. */
static bool offered(const struct gv_entity *node, double *ret, enum gv_fact *ret_fact)
{
	unsigned cuda;

	*ret_fact = GV_F_DRIVER_CUDA_MAX;
	if (gv_num(node, GV_F_DRIVER_CUDA_MAX, ret))
		return true;
	*ret_fact = GV_F_DRIVER_KERNEL;
	cuda = gv_cuda_of_driver(gv_text(node, GV_F_DRIVER_KERNEL));
	*ret = cuda / 100 + cuda % 100 / 10.0;
	return cuda > 0;
}

static bool by_versions(struct gv_judge *j, const struct gv_entity *node)
{
	double built, max;
	bool works;
	enum gv_fact fact;
	gv_str cuda = gv_text(node, GV_F_TORCH_CUDA), rest;
	struct gv_finding *f;

	if (!gv_lead_num(cuda, &built, &rest) || !offered(node, &max, &fact) || floor(built) <= floor(max))
		return false;
	if (gv_flag_known(node, GV_F_TORCH_GPU, &works) && works)
		return false; /* a compatibility package, or a driver that was read elsewhere */
	f = gv_found(j, GV_K_CUDA_DRIVER_TOO_OLD, node);
	if (!f->nquotes && !gv_obs(node, GV_F_TORCH_GPU))
		f->confidence = GV_MEDIUM;
	gv_set_str(j, f, "built", cuda);
	gv_set(j, f, "offered", "%.1f", max);
	gv_quote_fact(f, node, GV_F_TORCH_CUDA);
	gv_quote_fact(f, node, fact);
	gv_quote_fact(f, node, GV_F_TORCH_GPU);
	return true;
}

/* In a container without the driver's library the runtime sees "no driver" as "too old a driver". Checks of the
 * scheduler stage ran before this one. */
static bool no_gpu_passed(const struct gv_run *run, const struct gv_entity *node)
{
	for (size_t i = 0; i < run->findings.n; i++)
		if (run->findings.v[i]->kind == GV_K_CONTAINER_NO_GPU && run->findings.v[i]->on->node == node)
			return true;
	return false;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;
	double max;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CUDA_DRIVER_TOO_OLD, node, ev));) {
		struct gv_finding *f;
		double found;

		if (gv_is(ev->sig->id, "ctk-requirement") && !gv_is(ev->cap[1], "cuda") && !gv_is(ev->cap[1], "driver"))
			continue;
		if (gv_is(ev->sig->id, "cuda-driver-old") && no_gpu_passed(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_CUDA_DRIVER_TOO_OLD, ev);
		/* "found version 12020" is 12.2 */
		if (gv_is(ev->sig->id, "torch-driver-old") && gv_to_num(ev->cap[1], &found))
			gv_set(j, f, "offered", "%.1f", floor(found / 1000) + floor(fmod(found, 1000) / 10) / 10);
		else if (gv_num(node, GV_F_DRIVER_CUDA_MAX, &max))
			gv_set(j, f, "offered", "%.1f", max);
		if (gv_is(ev->sig->id, "ctk-requirement"))
			gv_set_str(j, f, "built", ev->cap[3]);
		gv_quote_fact(f, node, GV_F_DRIVER_CUDA_MAX);
		any = true;
	}
	return any;
}

static enum gv_answer cuda_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node);

	found |= by_versions(j, node);
	if (found)
		return GV_FOUND;
	return gv_obs(node, GV_F_TORCH_CUDA) && gv_obs(node, GV_F_DRIVER_CUDA_MAX) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_cuda_driver = {
	.id = "cuda-driver",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = cuda_run,
};
