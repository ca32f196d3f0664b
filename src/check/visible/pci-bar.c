/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs to which the machine's firmware gave no address window. */
#include "check/common.h"

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
	/* the kernel found no room for a window of a GPU whose driver then gave up; alone it may have tried again and
	 * won */
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "pci-bar-unassigned", node, ev));) {
		if (!ev->gpu || !(any || gv_each_event_of(j->run, GV_K_DRIVER_NOT_LOADED, node, NULL) ||
				  gv_each_event_of(j->run, GV_K_GPU_MISSING, node, NULL)))
			continue;
		gv_set(j, gv_found_event(j, GV_K_PCI_BAR_INVALID, ev), "bar", "%.*s", GV_ARG(ev->cap[1]));
		any = true;
	}
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_pci_bar = {
	.id = "pci-bar",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = bar_run,
};
