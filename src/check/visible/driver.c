/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a driver answers for the GPUs of a node. Why it does not is found by other checks; this hangs under them. */
#include "check/common_load.h"

/* Lines of programs, not of the kernel: in a container, or on a machine without the hardware, they are no news of the
 * host's driver. */
static bool hearsay(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "tf-no-kernel-driver") || gv_is(ev->sig->id, "ctk-libml") ||
	       gv_is(ev->sig->id, "rock-not-loaded");
}

static bool timed_out(const struct gv_event *ev)
{
	return gv_has(ev->cap[0], "rpc error") || gv_has(ev->cap[0], "timed out");
}

/* The display part of the driver took the GPU afterwards: another module was loaded, or a second try went well. */
static bool taken_later(const struct gv_run *run, const struct gv_event *failed)
{
	const struct gv_event *took = NULL;

	for (const struct gv_event *ev = NULL; (ev = gv_each_event(run, "nv-drm-loading", failed->node, ev));)
		if (ev->doc == failed->doc && ev->last.line > failed->last.line)
			took = ev;
	for (const struct gv_event *ev = NULL; took && (ev = gv_each_event(run, "nv-drm-failed", failed->node, ev));)
		if (ev->doc == took->doc && ev->last.line > took->last.line)
			return false;
	return took != NULL;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool works = gv_driver_works(j->run, node), any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DRIVER_NOT_LOADED, node, ev));) {
		struct gv_finding *f;

		if (works && !gv_is(ev->sig->vendor, "amd"))
			continue;
		if (ev->container && gv_is(ev->sig->id, "smi-no-driver"))
			continue;
		if (gv_is(ev->sig->id, "ctk-libml") && gv_has_event(j->run, node, "docker-by-snap"))
			continue;
		if (gv_is(ev->sig->id, "mod-no-device") && !gv_starts(ev->cap[1], "nvidia") &&
		    !gv_is(ev->cap[1], "amdgpu"))
			continue;
		/* distributions load the module on machines without the hardware */
		if (gv_is(ev->sig->id, "nv-none-probed") && !(gv_vendors(j->run, node) & GV_NVIDIA) &&
		    (gv_vendors(j->run, node) & (GV_AMD | GV_INTEL)))
			continue;
		if (ev->kernel && taken_later(j->run, ev))
			continue;
		if (timed_out(ev)) /* a driver that is slow or hung is there: see driver-hung and persistence */
			continue;
		if (hearsay(ev) && (ev->container || !(gv_vendors(j->run, node) & (GV_NVIDIA | GV_AMD))) &&
		    !gv_is(ev->sig->id, "ctk-libml"))
			continue;
		f = gv_found_event(j, GV_K_DRIVER_NOT_LOADED, ev);
		if (hearsay(ev) && !f->values.n)
			f->confidence = GV_MEDIUM;
		any = true;
	}
	/* the installer built a module that the kernel does not take */
	for (struct gv_event *ev = NULL; !works && (ev = gv_each_event(j->run, "nv-installer-load", node, ev));) {
		gv_found_event(j, GV_K_DRIVER_NOT_LOADED, ev);
		any = true;
	}
	return any;
}

static bool by_tool(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const words[] = { "couldn't communicate", "couldn't find libnvidia-ml",
					     "Driver Not Loaded", "access blocked by the operating system" };
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_TOOL_ERROR);
	struct gv_finding *f;
	bool hit = false;

	for (size_t i = 0; o && i < sizeof(words) / sizeof(words[0]); i++)
		hit |= gv_has_nocase(o->str, words[i]);
	/* Windows and a Linux beside it (WSL) each have their own way to the driver */
	if (!hit || (gv_mended_below(node, GV_F_GPU_COUNT, o->at) && !gv_flag(node, GV_F_WINDOWS)))
		return false;
	/* the library is installed where no GPU of NVIDIA's is, or was copied into a container that was given none */
	if (gv_starts(o->str, "nvmlInit") && ((gv_obs(node, GV_F_GPU_ON_BUS) && !(gv_vendors(j->run, node) & GV_NVIDIA)) || gv_in_container(j->run, node)))
		return false;
	f = gv_found(j, GV_K_DRIVER_NOT_LOADED, node);
	f->confidence = GV_HIGH;
	gv_set_str(j, f, "says", gv_sub(o->str, 0, 120));
	gv_quote(f, o->at);
	return true;
}

/* lspci names the driver of other functions, or the modules that could drive this one, and no driver for a GPU. */
static bool by_pci(struct gv_judge *j, const struct gv_entity *node)
{
	bool drivers = false, any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PCI, node, e));)
		drivers |= gv_text(e, GV_F_PCI_DRIVER).n > 0;
	if (gv_driver_works(j->run, node) || gv_crowded(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PCI, node, e));) {
		const struct gv_entity *gpu = gv_by_key(j->run, GV_GPU, node, GV_KEY_BUS, e->key[GV_KEY_BUS]);
		struct gv_finding *f;

		if (!gpu || gv_text(e, GV_F_PCI_DRIVER).n || gv_flag(e, GV_F_PCI_REV_FF))
			continue;
		if (!drivers && !gv_obs(e, GV_F_PCI_MODULES))
			continue;
		if (!gv_is(gv_text(gpu, GV_F_GPU_VENDOR), "nvidia") && !gv_is(gv_text(gpu, GV_F_GPU_VENDOR), "amd"))
			continue;
		f = gv_found(j, GV_K_DRIVER_NOT_LOADED, node);
		if (!f->nquotes)
			f->confidence = GV_MEDIUM;
		gv_quote_fact(f, e, GV_F_PCI_NAME);
		any = true;
	}
	return any;
}

/* A GPU of NVIDIA's on the bus that no other driver holds, and no library of NVIDIA's to reach it with. */
static bool by_library(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_LIBRARY_ABSENT);
	struct gv_finding *f;

	if (!o || gv_driver_works(j->run, node) || gv_crowded(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PCI, node, e));) {
		const struct gv_entity *gpu = gv_by_key(j->run, GV_GPU, node, GV_KEY_BUS, e->key[GV_KEY_BUS]);
		gv_str driver = gv_text(e, GV_F_PCI_DRIVER);

		if (!gpu || !gv_is(gv_text(gpu, GV_F_GPU_VENDOR), "nvidia") || (driver.n && !gv_is(driver, "nvidia")))
			continue;
		f = gv_found(j, GV_K_DRIVER_NOT_LOADED, node);
		gv_set_str(j, f, "says", gv_sub(o->str, 0, 120));
		gv_quote(f, o->at);
		gv_quote_fact(f, e, GV_F_PCI_NAME);
		return true;
	}
	return false;
}

static enum gv_answer driver_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_events(j, node);

	found |= by_tool(j, node);
	found |= by_pci(j, node);
	found |= by_library(j, node);
	if (found)
		return GV_FOUND;
	if (gv_driver_works(j->run, node) || gv_no_gpu_on_bus(j->run, node))
		return GV_PASS;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));)
		if (gv_obs(e, GV_F_GPU_UTIL) || gv_obs(e, GV_F_GPU_SM_UTIL) || gv_obs(e, GV_F_GPU_UUID))
			return GV_PASS;
	return GV_NODATA;
}

const struct gv_check gv_check_driver = {
	.id = "driver",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "GPU list",
	.run = driver_run,
	.next_run = "nvidia-smi || rocm-smi; lspci -nnk | grep -iEA3 'vga|3d|display|accel'",
	.next_why = "whether the driver answers, and which GPUs have none",
};
