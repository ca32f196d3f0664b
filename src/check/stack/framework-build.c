/* SPDX-License-Identifier: Apache-2.0 */
/* What the framework was built for against what the node has: a build without GPU support, or for another vendor. */
#include "check/common.h"

static bool is_version(gv_str s)
{
	return s.n && !gv_is(s, "None");
}

struct build {
	bool cuda, hip, cpu;
	enum gv_fact says; /* the fact that tells */
};

static struct build build_of(const struct gv_entity *node)
{
	gv_str version = gv_text(node, GV_F_TORCH_VERSION), cuda = gv_text(node, GV_F_TORCH_CUDA);
	gv_str hip = gv_text(node, GV_F_TORCH_HIP);
	struct build b = { .says = GV_F_TORCH_VERSION };

	b.cuda = is_version(cuda) || gv_has(version, "+cu");
	b.hip = is_version(hip) || gv_has(version, "+rocm");
	b.cpu = gv_has(version, "+cpu") || (gv_is(cuda, "None") && gv_is(hip, "None") && !gv_has(version, "+xpu"));
	if (is_version(cuda) || (b.cpu && !gv_has(version, "+cpu")))
		b.says = GV_F_TORCH_CUDA;
	else if (is_version(hip))
		b.says = GV_F_TORCH_HIP;
	return b;
}

static void set_gpus(struct gv_judge *j, struct gv_finding *f, unsigned vendors)
{
	gv_set_str(j, f, "gpus",
		   vendors & GV_NVIDIA ? GV_STR("NVIDIA")
		   : vendors & GV_AMD  ? GV_STR("AMD")
				       : GV_STR("Intel"));
}

static void quote_gpu(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node)
{
	static const enum gv_fact of_gpu[] = { GV_F_GPU_NAME, GV_F_GPU_ARCH, GV_F_GPU_VENDOR };
	const struct gv_entity *gpu = gv_each(j->run, GV_GPU, node, NULL);

	for (size_t i = 0; gpu && i < 3; i++)
		if (gv_obs(gpu, of_gpu[i])) {
			gv_quote_fact(f, gpu, of_gpu[i]);
			break;
		}
}

static void quote_build(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node, const struct build *b)
{
	gv_set_str(j, f, "framework", GV_STR("PyTorch"));
	gv_set_str(j, f, "version", gv_text(node, GV_F_TORCH_VERSION));
	gv_quote_fact(f, node, b->says);
	gv_quote_fact(f, node, GV_F_TORCH_GPU);
	quote_gpu(j, f, node);
}

static bool by_facts(struct gv_judge *j, const struct gv_entity *node)
{
	struct build b = build_of(node);
	unsigned vendors = gv_vendors_shown(j->run, node);
	bool gpu, known = gv_flag_known(node, GV_F_TORCH_GPU, &gpu);
	struct gv_finding *f;
	enum gv_kind kind;

	if (known && gpu)
		return false;
	if (b.cpu && (vendors & (GV_NVIDIA | GV_AMD)))
		kind = GV_K_CPU_ONLY_BUILD;
	else if (b.cuda && vendors && !(vendors & GV_NVIDIA))
		kind = GV_K_WRONG_BACKEND_BUILD;
	else if (b.hip && vendors && !(vendors & GV_AMD))
		kind = GV_K_WRONG_BACKEND_BUILD;
	else
		return false;
	f = gv_found(j, kind, node);
	f->confidence = known ? GV_HIGH : GV_MEDIUM;
	gv_set_str(j, f, "built", b.cpu ? GV_STR("the CPU alone") : b.cuda ? GV_STR("CUDA") : GV_STR("ROCm"));
	set_gpus(j, f, vendors);
	quote_build(j, f, node, &b);
	return true;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	unsigned vendors = gv_vendors_shown(j->run, node);
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CPU_ONLY_BUILD, node, ev));) {
		bool ort = gv_is(ev->sig->id, "ort-cuda-ep"), listed = gv_is(ev->sig->id, "torch-cpu-package");
		struct gv_finding *f;

		/* the CPU provider alone is what one asks for on a machine without GPUs; one that could not be created
		 * lacks a library, which is another finding */
		if (ort && (!(vendors & GV_NVIDIA) || gv_has(ev->cap[0], "Failed")))
			continue;
		if (gv_is(ev->sig->id, "ort-no-provider") && !(vendors & (GV_NVIDIA | GV_AMD)))
			continue;
		/* a list of packages may be of another environment than the one that sees the GPU */
		if (listed && (!(vendors & (GV_NVIDIA | GV_AMD)) || gv_flag(node, GV_F_TORCH_GPU)))
			continue;
		if (gv_no_gpu_shown(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_CPU_ONLY_BUILD, ev);
		if (ort || listed)
			f->confidence = GV_MEDIUM;
		if (listed && !gv_obs(node, GV_F_TORCH_GPU))
			f->severity = GV_WARN;
		gv_set_str(j, f, "framework",
			   gv_starts(ev->sig->id, "torch-cpu-") ? GV_STR("PyTorch")
			   : gv_is(ev->sig->id, "jax-cpu")	? GV_STR("JAX")
								: GV_STR("ONNX Runtime"));
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_WRONG_BACKEND_BUILD, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_WRONG_BACKEND_BUILD, ev);

		if (f->nquotes <= 2)
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "framework", gv_is(ev->sig->id, "bnb-setup") ? GV_STR("bitsandbytes") : GV_NONE);
		any = true;
	}
	return any;
}

/* Of all that an inventory lists nothing is for the GPUs of this node. */
static bool by_inventory(struct gv_judge *j, const struct gv_entity *node)
{
	unsigned vendors = gv_vendors_shown(j->run, node), code = 0;
	const struct gv_entity *first = NULL;
	struct gv_finding *f;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_BUILD, node, e));) {
		unsigned has =
		    (gv_obs(e, GV_F_BUILD_NVIDIA) ? GV_NVIDIA : 0) | (gv_obs(e, GV_F_BUILD_AMD) ? GV_AMD : 0);

		first = first || !has ? first : e;
		code |= has;
	}
	if (!code || !vendors || (code & vendors))
		return false;
	f = gv_found(j, GV_K_WRONG_BACKEND_BUILD, node);
	gv_set_str(j, f, "framework", first->id);
	gv_set_str(j, f, "built", code & GV_NVIDIA ? GV_STR("CUDA") : GV_STR("ROCm"));
	set_gpus(j, f, vendors);
	gv_quote_fact(f, first, code & GV_NVIDIA ? GV_F_BUILD_NVIDIA : GV_F_BUILD_AMD);
	quote_gpu(j, f, node);
	return true;
}

static enum gv_answer build_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node);

	found |= by_facts(j, node);
	found |= by_inventory(j, node);
	return found ? GV_FOUND : gv_flag(node, GV_F_TORCH_GPU) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_framework_build = {
	.id = "framework-build",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "build of the framework",
	.run = build_run,
};
