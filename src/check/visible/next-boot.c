/* SPDX-License-Identifier: Apache-2.0 */
/* The next boot will break: the newest kernel that is installed has no module of the GPU driver, while the one that
 * runs has. Both lists must have been seen whole: a list that shows the running kernel's own entry and was cut by no
 * filter that could leave another one out. */
#include "check/common.h"

/* "generic" of "6.8.0-52-generic", "cloud-amd64", "x86_64": kernels of one sort follow each other. */
static gv_str flavour(gv_str release)
{
	gv_str rest = gv_after(gv_after(release, "-"), "-");
	ptrdiff_t dot = gv_rfind(release, ".");

	return rest.n ? rest : dot > 0 ? gv_from(release, (size_t)dot + 1) : GV_NONE;
}

static bool of_driver(gv_str name)
{
	return gv_is(name, "nvidia") || gv_is(name, "nvidia-current") || gv_is(name, "nvidia-open") ||
	       gv_is(name, "nvidia-srv") || gv_is(name, "amdgpu");
}

/* A filter that may leave out rows of other kernels. */
static bool cut_short(const struct gv_obs *o)
{
	gv_str cmd = o->block && o->block->seg ? o->block->seg->cmd : GV_NONE, pipe = gv_after(cmd, "|");

	if (gv_has(cmd, "uname") || gv_has(pipe, "head") || gv_has(pipe, "tail") || gv_has(cmd, " -k"))
		return true;
	for (size_t i = 0; i < pipe.n; i++) /* grep 6.8.0-49 */
		if (pipe.p[i] >= '0' && pipe.p[i] <= '9')
			return true;
	return false;
}

/* A package with the module for this kernel: "linux-modules-nvidia-550-server-6.8.0-52-generic". */
static const struct gv_entity *package_for(const struct gv_run *run, const struct gv_entity *node, gv_str release)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PACKAGE, node, e));) {
		gv_str id = e->id;

		if (gv_starts(id, "linux-modules-nvidia-") && id.n > release.n &&
		    gv_eq(gv_from(id, id.n - release.n), release))
			return e;
	}
	return NULL;
}

/* A module that some list shows as installed for this kernel. modinfo tells of one kernel only. */
static const struct gv_entity *module_for(const struct gv_run *run, const struct gv_entity *node, gv_str release,
					  bool listed)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_MODULE, node, e));) {
		const struct gv_obs *o = gv_obs(e, GV_F_MODULE_STATE);

		if (!o || !of_driver(gv_text(e, GV_F_MODULE_NAME)) || !gv_starts(o->str, "installed") ||
		    !gv_eq(gv_text(e, GV_F_MODULE_KERNEL), release))
			continue;
		if (!listed || (o->block && !gv_is(gv_str_of(o->block->tool), "modinfo") && !cut_short(o)))
			return e;
	}
	return NULL;
}

/* Packages that build their module when the machine boots, or whose module serves several kernels. */
static bool builds_itself(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PACKAGE, node, e));)
		if (gv_starts(e->id, "akmod-nvidia") || gv_starts(e->id, "kmod-nvidia"))
			return true;
	return false;
}

/* Of the running kernel's sort, the newest; NULL where the list is not whole. */
static const struct gv_entity *newest(const struct gv_run *run, const struct gv_entity *node, gv_str running,
				      enum gv_fact how)
{
	const struct gv_entity *best = NULL;
	bool whole = false;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_IMAGE, node, e));) {
		const struct gv_obs *o = gv_obs(e, how);

		if (!o || !gv_eq(flavour(e->id), flavour(running)))
			continue;
		if (cut_short(o))
			return NULL;
		whole |= gv_eq(e->id, running);
		if (!best || gv_cmp_natural(e->id, best->id) > 0)
			best = e;
	}
	return whole ? best : NULL;
}

static enum gv_answer next_run_of(struct gv_judge *j, const struct gv_entity *node)
{
	gv_str running = gv_text(node, GV_F_KERNEL);
	const struct gv_entity *by_image = newest(j->run, node, running, GV_F_IMAGE_THERE);
	const struct gv_entity *next = by_image ? by_image : newest(j->run, node, running, GV_F_IMAGE_FILES);
	const struct gv_entity *here = module_for(j->run, node, running, true);
	const struct gv_entity *package = here ? NULL : package_for(j->run, node, running);
	struct gv_finding *f;

	if (!next || !(here || package) || builds_itself(j->run, node))
		return GV_NA;
	if (gv_cmp_natural(next->id, running) <= 0 || module_for(j->run, node, next->id, false) ||
	    package_for(j->run, node, next->id))
		return GV_PASS;
	f = gv_found(j, GV_K_DRIVER_BUILD_FAILED, node);
	if (!f->nquotes) {
		/* the machine works now, and the boot loader may be told to start another one */
		f->severity = by_image ? GV_WARN : GV_NOTE;
		f->confidence = by_image ? GV_MEDIUM : GV_LOW;
		gv_set_str(j, f, "kernel", next->id);
		gv_set_str(j, f, "next", GV_STR("which the next boot is to start"));
		gv_set_str(j, f, "built_for", running);
	}
	gv_quote_fact(f, next, by_image ? GV_F_IMAGE_THERE : GV_F_IMAGE_FILES);
	if (here)
		gv_quote_fact(f, here, GV_F_MODULE_STATE);
	else
		gv_quote_fact(f, package, GV_F_PACKAGE_VERSION);
	gv_quote_fact(f, node, GV_F_KERNEL);
	return GV_FOUND;
}

const struct gv_check gv_check_next_boot = {
	.id = "next-boot",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_F_KERNEL, GV_FACTS },
	.run = next_run_of,
};
