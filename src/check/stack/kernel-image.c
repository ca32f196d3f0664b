/* SPDX-License-Identifier: Apache-2.0 */
/* Device code in the binary against the architecture of the GPU. */
#include "check/common.h"
#include "core/arch.h"

static bool runs_on(gv_str archs, unsigned sm)
{
	gv_str word;

	while (gv_word(&archs, &word))
		if ((gv_starts(word, "sm_") || gv_starts(word, "compute_")) && gv_sm_runs(sm, word) != GV_RUNS_NOT)
			return true;
	return false;
}

/* Compute capability as a tool printed it, else by the product's name; 0: not known. */
static unsigned sm_of(const struct gv_entity *gpu)
{
	gv_str cc = gv_text(gpu, GV_F_GPU_COMPUTE_CAP);
	size_t row = cc.n ? SIZE_MAX : gv_gpu_spec(gv_text(gpu, GV_F_GPU_NAME));

	return gv_sm_of_cc(row == SIZE_MAX ? cc : gv_cell(gv_table("gpu-specs"), row, "cc"));
}

/* What was built for some GPUs: the framework that a node has, or a program of an inventory. */
struct built {
	const struct gv_entity *e;
	enum gv_fact fact;
	gv_str archs;
};

static gv_str program_of(const struct built *b)
{
	return b->e->kind == GV_BUILD ? b->e->id : GV_NONE;
}

static bool nvidia_image(struct gv_judge *j, const struct gv_entity *node, const struct built *b)
{
	bool any = false;

	if (!gv_has(b->archs, "sm_"))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		unsigned sm = sm_of(e);
		struct gv_finding *f;

		if (!sm || runs_on(b->archs, sm))
			continue;
		f = gv_found(j, GV_K_NO_KERNEL_IMAGE, node);
		gv_set(j, f, "arch", "sm_%u", sm);
		gv_set_str(j, f, "built", b->archs);
		gv_set_str(j, f, "program", program_of(b));
		gv_quote_fact(f, b->e, b->fact);
		gv_quote_fact(f, e, gv_obs(e, GV_F_GPU_COMPUTE_CAP) ? GV_F_GPU_COMPUTE_CAP : GV_F_GPU_NAME);
		any = true;
	}
	return any;
}

static bool amd_image(struct gv_judge *j, const struct gv_entity *node, const struct built *b)
{
	bool any = false;

	if (!gv_has(b->archs, "gfx") || gv_has(b->archs, "generic") ||
	    gv_env(j->run, node, "HSA_OVERRIDE_GFX_VERSION").n)
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		gv_str gfx = gv_before(gv_text(e, GV_F_GPU_ARCH), ":"), rest = b->archs, word;
		bool in = false;
		struct gv_finding *f;

		if (!gv_starts(gfx, "gfx"))
			continue;
		while (gv_word(&rest, &word))
			in |= gv_gfx_runs(gfx, word) != GV_RUNS_NOT;
		if (in)
			continue;
		f = gv_found(j, GV_K_ROCM_ARCH_UNSUPPORTED, node);
		gv_set_str(j, f, "gfx", gfx);
		gv_set_str(j, f, "program", program_of(b));
		gv_quote_fact(f, b->e, b->fact);
		gv_quote_fact(f, e, GV_F_GPU_ARCH);
		any = true;
	}
	return any;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NO_KERNEL_IMAGE, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_NO_KERNEL_IMAGE, ev);

		if (gv_is(ev->sig->id, "torch-sm-incompatible"))
			gv_set(j, f, "arch", "sm_%.*s", GV_ARG(ev->cap[2]));
		else if (gv_is(ev->sig->id, "triton-ptxas"))
			gv_set(j, f, "arch", "sm_%.*s", GV_ARG(ev->cap[1]));
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_ROCM_ARCH_UNSUPPORTED, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_ROCM_ARCH_UNSUPPORTED, ev);

		if (gv_is(ev->sig->id, "rocblas-no-tensile"))
			gv_set_str(j, f, "gfx", ev->cap[2]);
		any = true;
	}
	return any;
}

/* Programs that hold code for this vendor's GPUs, and none that these run. */
static bool by_inventory(struct gv_judge *j, const struct gv_entity *node, bool *ret_any)
{
	bool found = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_BUILD, node, e));) {
		const struct built nvidia = { e, GV_F_BUILD_NVIDIA, gv_text(e, GV_F_BUILD_NVIDIA) };
		const struct built amd = { e, GV_F_BUILD_AMD, gv_text(e, GV_F_BUILD_AMD) };

		*ret_any = true;
		found |= nvidia_image(j, node, &nvidia);
		found |= amd_image(j, node, &amd);
	}
	return found;
}

static enum gv_answer image_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct built torch = { node, GV_F_TORCH_ARCHS, gv_text(node, GV_F_TORCH_ARCHS) };
	bool any = torch.archs.n, found = by_events(j, node);

	found |= nvidia_image(j, node, &torch);
	found |= amd_image(j, node, &torch);
	found |= by_inventory(j, node, &any);
	return found ? GV_FOUND : any ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_kernel_image = {
	.id = "kernel-image",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = image_run,
};
