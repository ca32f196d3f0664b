/* SPDX-License-Identifier: Apache-2.0 */
/* A container without the GPU that its host has. What the runtime says of itself is sure; a program that sees no device may
 * have other reasons, so it counts only where it ran in a container and the host's driver works. */
#include "check/common_load.h"

/* Lines of the container runtime, of the kubelet, or of a device plugin about its own container. */
static bool by_runtime(const struct gv_event *ev)
{
	static const char *const sigs[] = { "cdi-unresolvable", "cri-no-runtime", "docker-cdi-driver", "docker-no-gpu-driver",
					    "docker-no-runtime", "plugin-no-nvml", "ctk-no-smi", "ctk-permissions", "ctk-detection",
					    "uvm-not-loaded" };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (gv_is(ev->sig->id, sigs[i]))
			return true;
	return false;
}

/* What the daemon lacks for every container: one that got its GPUs later shows that it was mended. */
static bool mended(const struct gv_entity *node, const struct gv_event *ev)
{
	static const char *const sigs[] = { "docker-cdi-driver", "docker-no-gpu-driver", "docker-no-runtime" };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (gv_is(ev->sig->id, sigs[i]))
			return gv_mended_below(node, GV_F_GPU_CONTAINER_COUNT, ev->last);
	return false;
}

/* "Native API failed" has many codes; only some say that there is no device. */
static bool says_no_device(const struct gv_event *ev)
{
	return !gv_is(ev->sig->id, "sycl-native-fail") || gv_has(ev->cap[2], "DEVICE_NOT_FOUND") ||
	       gv_has(ev->cap[2], "NO_DEVICE");
}

static bool host_has(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_COUNT);

	if (!gv_driver_works(run, node) || !o)
		return false;
	*ret_at = o->at;
	return true;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_place host = { 0 };
	bool works = host_has(j->run, node, &host), inside = gv_in_container(j->run, node), any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CONTAINER_NO_GPU, node, ev));) {
		bool sure = by_runtime(ev);
		struct gv_finding *f;

		if (mended(node, ev))
			continue;
		/* no node of a device that the host lists: the program runs where it was not given */
		if (gv_is(ev->sig->id, "tf-no-device-node") && works && gv_vendors(j->run, node) & GV_NVIDIA)
			sure = true;
		/* an image's banner, or a program: it must be a container's, beside a driver that works */
		if (!sure && !(works && (ev->container || inside) && says_no_device(ev)) && !gv_is(ev->sig->id, "ngc-no-driver"))
			continue;
		f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, ev);
		/* the tool alone is left out where only compute was asked for (NVIDIA_DRIVER_CAPABILITIES) */
		if (!sure || (gv_is(ev->sig->id, "ctk-no-smi") && f->quote[0].line == ev->first.line))
			f->confidence = GV_MEDIUM;
		gv_quote(f, host);
		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 90)));
		any = true;
	}
	return any;
}

/* A container listed no GPU, its host lists some. */
static bool by_count(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_place host = { 0 };
	struct gv_finding *f;
	double inside, count = 0;

	if (!gv_num(node, GV_F_GPU_CONTAINER_COUNT, &inside) || inside > 0 || !host_has(j->run, node, &host))
		return false;
	f = gv_found(j, GV_K_CONTAINER_NO_GPU, node);
	gv_num(node, GV_F_GPU_COUNT, &count);
	gv_quote_fact(f, node, GV_F_GPU_CONTAINER_COUNT);
	gv_quote(f, host);
	gv_set_num(j, f, "host_gpus", count);
	return true;
}

/* The CUDA runtime, or PyTorch, finds no driver inside of a container although the host's works; or the toolkit itself finds
 * none, where the daemon sees other files than the host does (Docker Desktop, snap, another driver root). */
static bool by_driver_error(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const sigs[] = { "torch-no-driver", "cuda-driver-old", "tf-no-cuda-driver", "ctk-libml" };
	struct gv_place host = { 0 };
	bool any = false;

	if (!host_has(j->run, node, &host))
		return false;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sigs[i], node, ev));) {
			struct gv_finding *f;

			/* "insufficient" is also what a driver that is too old says: not without a second sign */
			if ((!ev->container && !gv_is(ev->sig->id, "ctk-libml")) || gv_is(ev->sig->id, "cuda-driver-old"))
				continue;
			f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, ev);
			gv_quote(f, host);
			gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 90)));
			any = true;
		}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= by_count(j, node);
	any |= by_driver_error(j, node);
	if (any)
		return GV_FOUND;
	return gv_num(node, GV_F_GPU_CONTAINER_COUNT, &(double){ 0 }) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_container = {
	.id = "container",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
