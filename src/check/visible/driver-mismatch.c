/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel module and user-space libraries of different versions: after an upgrade under a module that stays loaded. */
#include "check/common.h"

/* The versions that the driver's own message states, which may stand in the lines below its first. */
static void tell_versions(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev)
{
	struct gv_event *client = gv_each_event(j->run, "nv-api-client", ev->node, NULL);
	struct gv_event *module = gv_each_event(j->run, "nv-api-module", ev->node, NULL);

	if (!gv_is(ev->sig->id, "nv-api-mismatch"))
		return;
	gv_set_str(j, f, "library", ev->last_cap[1].n ? ev->last_cap[1] : client && client->doc == ev->doc ? client->last_cap[1] : GV_NONE);
	gv_set_str(j, f, "module", ev->last_cap[2].n ? ev->last_cap[2] : module && module->doc == ev->doc ? module->last_cap[1] : GV_NONE);
}

static struct gv_finding *by_events(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f = NULL;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DRIVER_MISMATCH, node, ev));) {
		if (!ev->container && gv_mended_below(node, GV_F_GPU_COUNT, ev->last))
			continue;
		f = gv_found_event(j, GV_K_DRIVER_MISMATCH, ev);
		tell_versions(j, f, ev);
		/* the host's own tools work: one client, in a container say, brought other libraries */
		if (gv_driver_works(j->run, node)) {
			f->severity = GV_WARN;
			f->confidence = GV_MEDIUM;
			gv_set_str(j, f, "client", GV_STR("the host's own tools answer: it is one client's libraries"));
		}
	}
	return f;
}

/* "550.54.15" of a package's "550.54.15-0ubuntu0.22.04.1" */
static gv_str release_of(const struct gv_entity *package)
{
	return gv_before(gv_text(package, GV_F_PACKAGE_VERSION), "-");
}

static bool holds_module(gv_str name)
{
	return gv_starts(name, "nvidia-dkms") || gv_starts(name, "nvidia-kernel-source") ||
	       gv_starts(name, "nvidia-kernel-dkms") || gv_starts(name, "kmod-nvidia") || gv_starts(name, "nvidia-open-dkms");
}

static bool holds_libraries(gv_str name)
{
	return gv_starts(name, "libnvidia-compute") || gv_starts(name, "libcuda1") || gv_starts(name, "nvidia-utils") ||
	       gv_starts(name, "nvidia-driver-cuda-libs") || gv_starts(name, "xorg-x11-drv-nvidia-cuda-libs");
}

/* Two flavours of the driver are installed, and the module's is of another release than the libraries'. */
static void by_packages(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node)
{
	const struct gv_entity *module = NULL, *library = NULL;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PACKAGE, node, e));) {
		module = holds_module(e->id) ? e : module;
		library = holds_libraries(e->id) ? e : library;
	}
	if (!module || !library || !gv_cmp_version(release_of(module), release_of(library)))
		return;
	gv_set(j, f, "packages", "%.*s %.*s beside %.*s %.*s", GV_ARG(library->id), GV_ARG(release_of(library)),
	       GV_ARG(module->id), GV_ARG(release_of(module)));
	gv_quote_fact(f, library, GV_F_PACKAGE_VERSION);
	gv_quote_fact(f, module, GV_F_PACKAGE_VERSION);
}

/* What the disk holds is another release than what is loaded: the files were replaced under it. */
static bool replaced(const struct gv_entity *node)
{
	gv_str kernel = gv_text(node, GV_F_DRIVER_KERNEL), disk = gv_text(node, GV_F_DRIVER_DISK);

	return kernel.n && disk.n && gv_cmp_version(kernel, disk);
}

/* Why they differ, where the evidence tells. */
static void tell_why(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *node)
{
	if (replaced(node)) {
		gv_set_str(j, f, "disk", gv_text(node, GV_F_DRIVER_DISK));
		gv_quote_fact(f, node, GV_F_DRIVER_DISK);
	}
	if (gv_text(node, GV_F_DRIVER_UPGRADED).n) {
		gv_set_str(j, f, "upgraded", gv_text(node, GV_F_DRIVER_UPGRADED));
		gv_quote_fact(f, node, GV_F_DRIVER_UPGRADED);
	}
	by_packages(j, f, node);
}

/* One tool printed both: the library that it uses reached the driver, so that these two work together (WSL, containers). */
static bool of_one_output(const struct gv_entity *node)
{
	const struct gv_obs *module = gv_obs(node, GV_F_DRIVER_KERNEL), *library = gv_obs(node, GV_F_DRIVER_USER);

	return module && library && module->block == library->block;
}

static enum gv_answer mismatch_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *error = gv_obs(node, GV_F_GPU_TOOL_ERROR);
	gv_str kernel = gv_text(node, GV_F_DRIVER_KERNEL), user = gv_text(node, GV_F_DRIVER_USER);
	struct gv_finding *f = by_events(j, node);
	bool said = error && gv_has_nocase(error->str, "version mismatch") &&
						  !gv_mended_below(node, GV_F_GPU_COUNT, error->at);
	bool differ = kernel.n && user.n && gv_cmp_version(kernel, user) && !gv_driver_works(j->run, node) && !of_one_output(node);
	bool waits = replaced(node) && !gv_driver_works(j->run, node);
	bool named = f;

	if (said || differ || waits) {
		f = gv_found(j, GV_K_DRIVER_MISMATCH, node);
		if (said)
			gv_quote(f, error->at);
		gv_set_str(j, f, "module", kernel);
		gv_set_str(j, f, "library", user);
		if (differ || waits)
			gv_quote_fact(f, node, GV_F_DRIVER_KERNEL);
		if (differ)
			gv_quote_fact(f, node, GV_F_DRIVER_USER);
		else if (!said && !named)
			f->confidence = GV_MEDIUM; /* no program was seen to fail */
	}
	if (f)
		tell_why(j, f, node);
	return f ? GV_FOUND : kernel.n || gv_driver_works(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_driver_mismatch = {
	.id = "driver-mismatch",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = mismatch_run,
};
