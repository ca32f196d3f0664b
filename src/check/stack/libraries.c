/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that the loader does not find: of a vendor that this node does not have, which somebody pulled in, or of
 * the one that belongs here. */
#include "check/common.h"

static bool any_of(gv_str library, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (gv_starts(library, names[i]))
			return true;
	return false;
}

static bool cuda_library(gv_str library)
{
	static const char *const names[] = { "libcuda.so", "libcudart",	 "libcublas",	  "libcudnn",
					     "libcufft",   "libcurand",	 "libcusolver",	  "libcusparse",
					     "libnvrtc",   "libnccl",	 "libnvJitLink",  "libnvToolsExt",
					     "libcupti",   "libnvidia-", "libtorch_cuda", "libc10_cuda",
					     "libcutensor" };

	return any_of(library, names, sizeof(names) / sizeof(names[0]));
}

static bool rocm_library(gv_str library)
{
	static const char *const names[] = { "libamdhip64",  "libhsa-runtime64", "librocblas",	 "libhipblas",
					     "libMIOpen",    "librccl",		 "librocm",	 "libroctx64",
					     "libtorch_hip", "libc10_hip",	 "librocsparse", "libhiprtc" };

	return any_of(library, names, sizeof(names) / sizeof(names[0]));
}

/* The vendor whose library is wanted is not this node's: it has GPUs of others only, or none. */
static bool foreign(const struct gv_judge *j, const struct gv_entity *node, gv_str library)
{
	unsigned has = gv_vendors_shown(j->run, node), wants = cuda_library(library)   ? GV_NVIDIA
							       : rocm_library(library) ? GV_AMD
										       : 0;

	if (!wants || (has & wants))
		return false;
	return has || gv_no_gpu_shown(j->run, node) || gv_has(gv_text(node, GV_F_TORCH_VERSION), "+cpu");
}

/* What shows whose GPUs the node has. */
static void quote_vendor(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node)
{
	const struct gv_entity *gpu = gv_each(j->run, GV_GPU, node, NULL), *pci = gv_each(j->run, GV_PCI, node, NULL);

	if (gpu)
		gv_quote_fact(f, gpu, gv_obs(gpu, GV_F_GPU_NAME) ? GV_F_GPU_NAME : GV_F_GPU_VENDOR);
	else if (gv_no_gpu_shown(j->run, node) && pci)
		gv_quote_fact(f, pci, GV_F_PCI_CLASS);
	else
		gv_quote_fact(f, node, gv_obs(node, GV_F_TORCH_HIP) ? GV_F_TORCH_HIP : GV_F_TORCH_VERSION);
}

static void set_foreign(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node, gv_str library)
{
	unsigned has = gv_vendors_shown(j->run, node);

	gv_set_str(j, f, "library", library);
	gv_set_str(j, f, "gpus",
		   has & GV_AMD	     ? GV_STR("AMD")
		   : has & GV_INTEL  ? GV_STR("Intel")
		   : has & GV_NVIDIA ? GV_STR("NVIDIA")
				     : GV_STR("none"));
	quote_vendor(j, f, node);
}

static void found_foreign(struct gv_judge *j, const struct gv_entity *node, const struct gv_event *ev, gv_str library)
{
	set_foreign(j, gv_found_event(j, GV_K_HIDDEN_CUDA_DEPENDENCY, ev), node, library);
}

/* TensorFlow's and JAX's own words for libraries they did not find; on a machine without NVIDIA GPUs they go on
 * without. The loader's words may be part of theirs. */
static bool framework_words(const struct gv_run *run, const struct gv_event *ev)
{
	if (gv_is(ev->sig->id, "tf-dynlib") || gv_is(ev->sig->id, "tf-dlopen") || gv_is(ev->sig->id, "jax-plugin"))
		return true;
	for (struct gv_event *o = NULL; (o = gv_each_event(run, "tf-dynlib", ev->node, o));)
		if (o->doc == ev->doc && o->first.line == ev->first.line)
			return true;
	return false;
}

/* ONNX Runtime tries its providers in turn: on a machine without GPUs the next one is the CPU's, as it should be. */
static bool provider_tried(const struct gv_run *run, const struct gv_event *ev)
{
	for (struct gv_event *o = NULL; (o = gv_each_event(run, "ort-provider", ev->node, o));)
		if (o->doc == ev->doc && o->first.line == ev->first.line)
			return true;
	return false;
}

/* One of cuDNN's parts does not have what another of them looks for: two releases are mixed. */
static bool parts_of_cudnn(struct gv_judge *j, const struct gv_event *ev)
{
	struct gv_finding *f;

	if (!gv_is(ev->sig->id, "ld-symver") || !gv_starts(ev->cap[1], "libcudnn"))
		return false;
	f = gv_found_event(j, GV_K_CUDNN_MISMATCH, ev);
	gv_set_str(j, f, "runtime", ev->cap[1]);
	return true;
}

static bool by_kind(struct gv_judge *j, const struct gv_entity *node, enum gv_kind kind)
{
	unsigned has = gv_vendors_shown(j->run, node);
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, kind, node, ev));) {
		bool named = gv_is(ev->sig->id, "ld-missing") || gv_is(ev->sig->id, "ld-cuda-on-other") ||
			     gv_is(ev->sig->id, "tf-dynlib");
		gv_str library = named ? ev->cap[1] : GV_NONE;

		if (framework_words(j->run, ev) && !(has & GV_NVIDIA) && !gv_has_event(j->run, node, "tf-dlopen"))
			continue;
		if (!has && provider_tried(j->run, ev))
			continue;
		any = true;
		if (parts_of_cudnn(j, ev))
			continue;
		if (library.n && foreign(j, node, library)) {
			found_foreign(j, node, ev, library);
			continue;
		}
		gv_set_str(j, gv_found_event(j, GV_K_MISSING_SHARED_LIBRARY, ev), "library",
			   library.n								 ? library
			   : gv_is(ev->sig->id, "ld-symver") || gv_is(ev->sig->id, "ld-glibcxx") ? ev->cap[1]
												 : GV_NONE);
	}
	return any;
}

/* ldd shows what a binary was linked to; without a job that failed it only matters where that vendor is not here. */
static bool by_ldd(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "ldd-missing", node, ev));) {
		if (!foreign(j, node, ev->cap[1]) || gv_starts(ev->cap[1], "libtorch_") ||
		    gv_starts(ev->cap[1], "libc10_"))
			continue;
		found_foreign(j, node, ev, ev->cap[1]);
		any = true;
	}
	return any;
}

/* An inventory says what a program needs from elsewhere. */
static bool by_inventory(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_BUILD, node, e));) {
		gv_str rest = gv_text(e, GV_F_BUILD_MISSING), library;
		struct gv_finding *f;
		bool hit = false;

		while (!hit && gv_word(&rest, &library))
			hit = foreign(j, node, library);
		if (!hit)
			continue;
		f = gv_found(j, GV_K_HIDDEN_CUDA_DEPENDENCY, node);
		set_foreign(j, f, node, library);
		gv_set_str(j, f, "program", e->id);
		gv_quote_fact(f, e, GV_F_BUILD_MISSING);
		any = true;
	}
	return any;
}

static enum gv_answer libraries_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_kind(j, node, GV_K_MISSING_SHARED_LIBRARY);

	found |= by_kind(j, node, GV_K_HIDDEN_CUDA_DEPENDENCY);
	found |= by_ldd(j, node);
	found |= by_inventory(j, node);
	return found ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_libraries = {
	.id = "libraries",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = libraries_run,
};
