/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs to which the machine's firmware gave no address window. */
#include "check/common.h"

/* A function that the kernel met as a display or 3D device, or that other outputs know as a GPU. */
static bool of_gpu(const struct gv_run *run, const struct gv_event *bar)
{
	if (bar->gpu)
		return true;
	for (const struct gv_event *ev = NULL; bar->bus.n && (ev = gv_each_event(run, "pci-gpu-function", bar->node, ev));)
		if (gv_eq(ev->bus, bar->bus))
			return true;
	return false;
}

/* The kernel tries again after it moved other windows: only its last word counts. */
static bool assigned_after_all(const struct gv_run *run, const struct gv_event *bar)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event(run, "pci-bar-assigned", bar->node, ev));)
		if (ev->doc == bar->doc && gv_eq(ev->bus, bar->bus) && ev->last.line > bar->last.line &&
		    (gv_eq(ev->cap[1], bar->last_cap[1]) || gv_eq(ev->last_cap[1], bar->last_cap[1])))
			return true;
	return false;
}

static bool driver_gave_up(const struct gv_run *run, const struct gv_entity *node)
{
	return gv_each_event_of(run, GV_K_DRIVER_NOT_LOADED, node, NULL) || gv_each_event_of(run, GV_K_GPU_MISSING, node, NULL);
}

/* A GPU that its own tool shows has all windows that it needs. */
static bool in_use(const struct gv_entity *gpu)
{
	return gv_obs(gpu, GV_F_GPU_UUID) || gv_obs(gpu, GV_F_GPU_UTIL) || gv_obs(gpu, GV_F_GPU_MEM_TOTAL);
}

/* lspci shows a window of memory without an address. */
static bool by_regions(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	if (gv_crowded(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		const struct gv_entity *pci = gv_by_key(j->run, GV_PCI, node, GV_KEY_BUS, e->key[GV_KEY_BUS]);
		struct gv_finding *f;
		double bar;

		if (!pci || in_use(e) || !gv_num(pci, GV_F_PCI_BAR_NONE, &bar) || gv_flag(pci, GV_F_PCI_REV_FF))
			continue;
		f = gv_found(j, GV_K_PCI_BAR_INVALID, e);
		gv_set_num(j, f, "bar", bar);
		gv_quote_fact(f, pci, GV_F_PCI_BAR_NONE);
		any = true;
	}
	return any;
}

static enum gv_answer bar_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_PCI_BAR_INVALID, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_PCI_BAR_INVALID, ev);

		/* "no memory" while a card is mapped is almost always its window */
		if (gv_is(ev->sig->id, "amd-probe-enomem") && f->nquotes <= 2)
			f->confidence = GV_MEDIUM;
		any = true;
	}
	/* the kernel found no room for a window of a GPU, and its driver then gave up, or nothing says that it was found later */
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "pci-bar-unassigned", node, ev));) {
		struct gv_finding *f;

		if (!of_gpu(j->run, ev) || assigned_after_all(j->run, ev) || (!any && gv_driver_works(j->run, node)))
			continue;
		f = gv_found_event(j, GV_K_PCI_BAR_INVALID, ev);
		if (!any && !driver_gave_up(j->run, node))
			f->confidence = GV_MEDIUM;
		gv_set(j, f, "bar", "%.*s", GV_ARG(ev->cap[1]));
		any = true;
	}
	any |= by_regions(j, node);
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_pci_bar = {
	.id = "pci-bar",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = bar_run,
};
