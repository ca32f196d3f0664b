/* SPDX-License-Identifier: Apache-2.0 */
/* A container without the GPU that its host has. What the runtime says of itself is sure; a program that sees no device may
 * have other reasons, so it counts only where it ran in a container and the host's driver works. */
#include "check/common_load.h"

/* Lines of the container runtime, of the kubelet, or of a device plugin about its own container. Not the banner of an
 * image, nor what is also said on a login node that has no GPU to give. */
static bool by_runtime(const struct gv_event *ev)
{
	static const char *const sigs[] = { "cri-no-runtime", "plugin-no-nvml" };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (gv_is(ev->sig->id, sigs[i]))
			return true;
	return gv_is(ev->sig->log, "container") && !gv_is(ev->sig->id, "ngc-no-driver") &&
	       !gv_is(ev->sig->id, "singularity-no-nv");
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
		if (!sure && !(works && (ev->container || inside) && says_no_device(ev)) &&
		    !gv_is(ev->sig->id, "ngc-no-driver") &&
		    !(gv_is(ev->sig->id, "singularity-no-nv") && !gv_no_gpu_shown(j->run, node)))
			continue;
		f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, ev);
		/* pipelines ask for the GPU's files on machines that have none, too */
		if (!sure && !works && gv_is(ev->sig->id, "singularity-no-nv"))
			f->severity = GV_WARN;
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

/* What the toolkit or the daemon says of the driver, whoever ran it. */
static bool of_daemon(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "ctk-libml") || gv_is(ev->sig->id, "docker-no-device-node");
}

/* The CUDA runtime, or PyTorch, finds no driver inside of a container although the host's works; or the toolkit itself finds
 * none, where the daemon sees other files than the host does (Docker Desktop, snap, another driver root). */
static bool by_driver_error(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const sigs[] = { "torch-no-driver", "cuda-driver-old", "tf-no-cuda-driver", "ctk-libml",
					    "docker-no-device-node" };
	struct gv_place host = { 0 };
	bool any = false, snap = gv_has_event(j->run, node, "docker-by-snap");

	if (!host_has(j->run, node, &host) && !snap)
		return false;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sigs[i], node, ev));) {
			struct gv_finding *f;

			/* "insufficient" is also what a driver that is too old says: not without a second sign */
			if ((!ev->container && !of_daemon(ev)) || gv_is(ev->sig->id, "cuda-driver-old"))
				continue;
			if (!host.doc && !gv_is(ev->sig->id, "ctk-libml"))
				continue;
			f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, ev);
			if (host.doc)
				gv_quote(f, host);
			else
				gv_quote(f, gv_each_event(j->run, "docker-by-snap", node, NULL)->first);
			gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 90)));
			any = true;
		}
	return any;
}

/* A command that asks for GPUs: "lxc launch IMAGE NAME -c nvidia.runtime=true", "docker run --gpus all". */
static bool asks_for_gpu(gv_str cmd)
{
	static const char *const words[] = { "nvidia.runtime", "--gpus", "--runtime=nvidia", "--runtime nvidia",
					     "nvidia.com/gpu" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has(cmd, words[i]))
			return true;
	return false;
}

static bool typed_for_gpu(const struct gv_doc *doc)
{
	enum { COMMANDS = 256 }; /* of a paste */

	for (size_t i = 0; i < doc->nsegs && i < COMMANDS; i++)
		if (asks_for_gpu(doc->segs[i].cmd))
			return true;
	return false;
}

/* LXC does not say which of its hooks failed: the one of the GPU is there where the container is to have the driver. */
static bool by_lxc(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *asked = gv_each_event(j->run, "lxc-nvidia-runtime", node, NULL);
	struct gv_event *hook = gv_each_event(j->run, "lxc-mount-hooks", node, NULL);
	struct gv_finding *f;

	if (!hook || (!asked && !typed_for_gpu(hook->doc)))
		return false;
	f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, hook);
	f->confidence = GV_MEDIUM;
	if (asked)
		gv_quote(f, asked->first);
	gv_set_str(j, f, "said", gv_trim(gv_sub(hook->cap[0], 0, 90)));
	return true;
}

/* The tools of the toolkit said what it was. */
static bool hook_explained(const struct gv_entity *node)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if (gv_starts(ev->sig->id, "ctk-"))
			return true;
	return false;
}

/* A hook failed for a reason that is not known; it is the GPU's where it names its mode, or GPUs were asked for. */
static bool by_hook(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL;
	     !hook_explained(node) && (ev = gv_each_event(j->run, "oci-hook-failed", node, ev));) {
		bool names = gv_has(ev->cap[0], "mode as '") || gv_has(ev->cap[0], "Using requested mode '");
		struct gv_finding *f;

		if (!names && !(ev->seg && asks_for_gpu(ev->seg->cmd)))
			continue;
		f = gv_found_event(j, GV_K_CONTAINER_NO_GPU, ev);
		f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[1].n ? ev->cap[1] : ev->cap[0], 0, 90)));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= by_count(j, node);
	any |= by_driver_error(j, node);
	any |= by_lxc(j, node);
	any |= by_hook(j, node);
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
