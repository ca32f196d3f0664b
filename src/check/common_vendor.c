/* SPDX-License-Identifier: Apache-2.0 */
/* What a node shows of its GPUs' makers. */
#include "check/common.h"

static bool is_none(gv_str s)
{
	return !s.n || gv_is(s, "None");
}

static unsigned of_resource(gv_str r)
{
	return gv_starts(r, "nvidia.com/")	? GV_NVIDIA
	       : gv_starts(r, "amd.com/")	? GV_AMD
	       : gv_starts(r, "gpu.intel.com/") ? GV_INTEL
						: 0;
}

unsigned gv_vendors_shown(const struct gv_run *run, const struct gv_entity *node)
{
	unsigned bits = gv_vendors(run, node);
	bool computes = gv_flag(node, GV_F_TORCH_GPU);

	if (gv_obs(node, GV_F_DRIVER_CUDA_MAX) || gv_obs(node, GV_F_DRIVER_KERNEL))
		bits |= GV_NVIDIA;
	if (gv_flag(node, GV_F_ROCM_MODULE) || gv_obs(node, GV_F_ROCM_HSA))
		bits |= GV_AMD;
	if (computes && !is_none(gv_text(node, GV_F_TORCH_HIP)))
		bits |= GV_AMD;
	else if (computes && !is_none(gv_text(node, GV_F_TORCH_CUDA)))
		bits |= GV_NVIDIA;
	return bits | of_resource(gv_text(node, GV_F_K8S_RESOURCE));
}

bool gv_no_gpu_on_bus(const struct gv_run *run, const struct gv_entity *node)
{
	double n;

	return gv_num(node, GV_F_GPU_ON_BUS, &n) && n == 0 && !gv_count(run, GV_GPU, node);
}

bool gv_no_gpu_shown(const struct gv_run *run, const struct gv_entity *node)
{
	bool display = gv_no_gpu_on_bus(run, node);

	if (gv_vendors_shown(run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PCI, node, e));) {
		gv_str class = gv_text(e, GV_F_PCI_CLASS);

		display |= gv_starts(class, "VGA") || gv_starts(class, "3D") || gv_starts(class, "Display");
	}
	return display;
}

bool gv_driver_works(const struct gv_run *run, const struct gv_entity *node)
{
	double n;

	return (gv_num(node, GV_F_GPU_COUNT, &n) && n > 0) || (gv_num(node, GV_F_GPU_CONTAINER_COUNT, &n) && n > 0);
}

bool gv_has_event(const struct gv_run *run, const struct gv_entity *node, const char *sig)
{
	return gv_each_event(run, sig, node, NULL) != NULL;
}

bool gv_driver_fails(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const words[] = { "couldn't communicate", "couldn't find libnvidia-ml",
					     "Driver Not Loaded" };
	gv_str error = gv_text(node, GV_F_GPU_TOOL_ERROR);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has_nocase(error, words[i]))
			return true;
	return gv_each_event_of(run, GV_K_DRIVER_NOT_LOADED, node, NULL) != NULL;
}

bool gv_nvidia_meant(const struct gv_run *run, const struct gv_entity *node)
{
	if (gv_text(node, GV_F_GPU_TOOL_ERROR).n || gv_obs(node, GV_F_DRIVER_KERNEL))
		return true;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_MODULE, node, e));)
		if (gv_starts(gv_text(e, GV_F_MODULE_NAME), "nvidia"))
			return true;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if (gv_is(ev->sig->vendor, "nvidia"))
			return true;
	return false;
}

void gv_set_count(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev)
{
	if (ev->count > 1)
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
	if (ev->boot_last > ev->boot_first)
		gv_set(j, f, "boots", "%u", ev->boot_last - ev->boot_first + 1);
}

gv_str gv_remedy(gv_str action)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "check-app", "look at the program" },
		{ "check-cooling", "look at the cooling" },
		{ "check-mechanicals", "check seating and power cables" },
		{ "contact-admin", "ask whoever runs the fabric" },
		{ "contact-vendor/RMA", "run the field diagnostic, replace the part" },
		{ "drain-and-reset", "drain the node and reset" },
		{ "ignore", "nothing to do" },
		{ "reboot-node", "reboot the node" },
		{ "reset-all", "reset all GPUs and switches together" },
		{ "reset-gpu", "reset the GPU" },
		{ "restart-app", "restart the program" },
		{ "restart-vm", "restart the jobs or the virtual machine" },
		{ "run-diag", "run a diagnostic" },
		{ "update-driver", "update the driver" },
		{ "watch", "watch whether it returns" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_is(action, words[i].word))
			return gv_str_of(words[i].text);
	return action;
}

#define MOST_GPUS 1024
#define MOST_FUNCTIONS 8192
#define MOST_LINKS 32768

bool gv_crowded(const struct gv_run *run, const struct gv_entity *node)
{
	return gv_count(run, GV_GPU, node) > MOST_GPUS || gv_count(run, GV_PCI, node) > MOST_FUNCTIONS ||
	       gv_count(run, GV_LINK, node) > MOST_LINKS;
}

bool gv_mended_below(const struct gv_entity *node, enum gv_fact count, struct gv_place wrong)
{
	const struct gv_obs *o = gv_obs(node, count);

	return o && o->num > 0 && o->at.doc == wrong.doc && o->at.line > wrong.line;
}

#define HOPS_MAX 8 /* switches between a GPU and the root */

static bool below(const struct gv_entity *pci, gv_str port)
{
	for (int i = 0; pci && pci->kind == GV_PCI && i < HOPS_MAX; i++, pci = pci->parent)
		if (gv_eq(pci->key[GV_KEY_BUS], port))
			return true;
	return false;
}

const struct gv_entity *gv_gpu_of_function(const struct gv_run *run, const struct gv_event *ev)
{
	const struct gv_entity *found = NULL;

	if (ev->gpu || !ev->bus.n || gv_crowded(run, ev->node))
		return ev->gpu;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, ev->node, e));) {
		if (!below(gv_by_key(run, GV_PCI, ev->node, GV_KEY_BUS, e->key[GV_KEY_BUS]), ev->bus))
			continue;
		if (found)
			return NULL;
		found = e;
	}
	return found;
}
