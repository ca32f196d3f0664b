/* SPDX-License-Identifier: Apache-2.0 */
/* Huge pages are missing only where something asks for them: no pages set aside is the normal state of a machine. */
#include "check/common_load.h"

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_event *ev = gv_each_event(j->run, "dpdk-hugepages", node, NULL);
	struct gv_finding *f;
	double total;

	if (!ev)
		return GV_NA;
	/* pages of another size are there: the program takes those */
	if (gv_num(node, GV_F_HUGEPAGES_TOTAL, &total) ? total > 0 : gv_has(ev->cap[0], "No free"))
		return GV_PASS;
	f = gv_found_event(j, GV_K_HUGEPAGES_MISSING, ev);
	gv_quote_fact(f, node, GV_F_HUGEPAGES_TOTAL);
	return GV_FOUND;
}

const struct gv_check gv_check_hugepages = {
	.id = "hugepages",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
