/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel modules of the GPU driver against the kernel that runs. DKMS builds a module for one kernel at a time: "added"
 * is no module yet, and one for another kernel is of no use to this one. */
#include "check/common.h"

struct modules {
	const struct gv_entity *here, *elsewhere, *added, *broken;
};

/* The driver itself; nvidia-fs, nvidia-peermem and the like are extras beside it. */
static bool is_driver(gv_str name)
{
	if (gv_has(name, "fs") || gv_has(name, "peer") || gv_has(name, "uvm"))
		return false;
	return gv_starts(name, "nvidia") || gv_is(name, "amdgpu");
}

static struct modules modules_of(const struct gv_run *run, const struct gv_entity *node, gv_str kernel,
				 const char *vendor)
{
	struct modules m = { 0 };

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_MODULE, node, e));) {
		gv_str name = gv_text(e, GV_F_MODULE_NAME), state = gv_text(e, GV_F_MODULE_STATE);
		gv_str of = gv_text(e, GV_F_MODULE_KERNEL);

		if (!is_driver(name) || !gv_starts(name, vendor))
			continue;
		if (gv_is(state, "added") || !of.n)
			m.added = e;
		else if (!gv_starts(state, "installed"))
			m.broken = kernel.n && gv_eq(of, kernel) ? e : m.broken;
		else if (gv_eq(of, kernel))
			m.here = e;
		else
			m.elsewhere = e;
	}
	return m;
}

static struct gv_finding *found(struct gv_judge *j, const struct gv_entity *node, gv_str kernel)
{
	struct gv_finding *f = gv_found(j, GV_K_DRIVER_BUILD_FAILED, node);

	gv_set_str(j, f, "kernel", kernel);
	gv_quote_fact(f, node, GV_F_KERNEL);
	return f;
}

static bool by_modules(struct gv_judge *j, const struct gv_entity *node, const char *vendor)
{
	gv_str kernel = gv_text(node, GV_F_KERNEL);
	struct modules m = modules_of(j->run, node, kernel, vendor);
	bool fails = gv_driver_fails(j->run, node);
	struct gv_finding *f;

	if (m.here || (!m.elsewhere && !m.added && !m.broken) || gv_driver_works(j->run, node))
		return false;
	/* nothing says which kernel runs: what is built for some kernel may be built for this one */
	if (!kernel.n && (m.elsewhere || !fails))
		return false;
	f = found(j, node, kernel);
	f->confidence = fails ? GV_HIGH : GV_MEDIUM;
	if (m.broken)
		gv_quote_fact(f, m.broken, GV_F_MODULE_STATE);
	if (m.added)
		gv_quote_fact(f, m.added, GV_F_MODULE_STATE);
	if (m.elsewhere) {
		gv_quote_fact(f, m.elsewhere, GV_F_MODULE_STATE);
		gv_set_str(j, f, "built_for", gv_text(m.elsewhere, GV_F_MODULE_KERNEL));
	}
	return true;
}

/* A line about some module's build is about the GPU driver's where it names it, or where that driver is seen to fail
 * and the line names no other. */
static bool of_gpu_driver(const struct gv_run *run, const struct gv_entity *node, const struct gv_event *ev)
{
	bool works = gv_driver_works(run, node);
	gv_str line = ev->cap[0], module = gv_is(ev->sig->id, "dkms-build-failed") ? ev->cap[3] : GV_NONE;

	/* modprobe finds no module: the driver's tools are installed, its module for this kernel is not */
	if (gv_is(ev->sig->id, "mod-not-found") && gv_has(ev->cap[0], "in directory"))
		return !works && (gv_vendors(run, node) & GV_NVIDIA || !(gv_vendors(run, node) & (GV_AMD | GV_INTEL)));
	if (gv_is(ev->sig->id, "mod-not-found"))
		return !works && (gv_has(gv_text(node, GV_F_GPU_TOOL_ERROR), "couldn't communicate") || gv_is(ev->cap[1], "nvidia-uvm") ||
				  gv_has(ev->cap[0], "modinfo"));
	if (gv_is(ev->sig->id, "initramfs-no-module")) /* of another kernel than this one, where the driver works */
		return !works;
	if (gv_is(ev->sig->id, "dkms-autoinstall"))
		module = ev->cap[2];
	if (module.n)
		return gv_starts(module, "nvidia") || gv_starts(module, "amdgpu");
	if (gv_has(line, "nvidia") || gv_has(line, "amdgpu") || gv_is(ev->sig->vendor, "nvidia"))
		return true;
	return !works && (gv_driver_fails(run, node) || gv_has_event(run, node, "dkms-make-log"));
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DRIVER_BUILD_FAILED, node, ev));) {
		struct gv_finding *f;

		if (!of_gpu_driver(j->run, node, ev))
			continue;
		f = gv_found_event(j, GV_K_DRIVER_BUILD_FAILED, ev);
		if (gv_is(ev->sig->id, "mod-not-found") && !gv_driver_fails(j->run, node) && f->event == ev)
			f->confidence = GV_MEDIUM; /* or it was never installed */
		any = true;
	}
	return any;
}

/* make stopped in the log of a build of the GPU's module, or in its sources; whatever language its words are in. */
static bool by_make(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const places[] = { "dkms-log-head", "make-in-nvidia" };

	for (struct gv_event *stop = NULL; (stop = gv_each_event(j->run, "make-stopped", node, stop));)
		for (size_t i = 0; i < 2; i++)
			for (const struct gv_event *ev = NULL; (ev = gv_each_event(j->run, places[i], node, ev));) {
				if (ev->doc != stop->doc || ev->first.line > stop->last.line)
					continue;
				gv_quote(gv_found_event(j, GV_K_DRIVER_BUILD_FAILED, stop), ev->first);
				return true;
			}
	return false;
}

static enum gv_answer dkms_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found_any = by_events(j, node);

	found_any |= by_make(j, node);
	found_any |= by_modules(j, node, "nvidia");
	found_any |= by_modules(j, node, "amdgpu");
	if (found_any)
		return GV_FOUND;
	return gv_count(j->run, GV_MODULE, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_dkms = {
	.id = "dkms",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = dkms_run,
};
