/* SPDX-License-Identifier: Apache-2.0 */
/* Loader workers: too many for the cores, or too few for the GPU while cores idle. */
#include "check/common_load.h"

enum {
	AT_END = 90,	   /* %: a worker that does nothing but work */
	CORES_IDLE = 40,   /* %: of the machine */
	SHOWN = 4,
};

static bool too_many(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "torch-many-workers", node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_TOO_MANY_WORKERS, ev);

		gv_set_str(j, f, "workers", ev->cap[1]);
		gv_set_str(j, f, "cpus", ev->cap[2]);
		any = true;
	}
	return any;
}

/* Every loader worker that is seen is at its end, the cores are not, and the GPU waits. */
static bool workers_at_end(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const names[] = { "pt_data_worker", "dataloader", "data_loader", "loader_worker", NULL };
	const struct gv_entity *who[SHOWN];
	struct gv_cores c;
	struct gv_finding *f;
	size_t n = 0;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_PROC, node, p));) {
		double util;

		if (!gv_ever(p, GV_F_PROC_NAME, names))
			continue;
		if (!gv_num(p, GV_F_PROC_CPU_UTIL, &util) || util < AT_END)
			return false;
		if (n < SHOWN)
			who[n] = p;
		n++;
	}
	gv_cores_read(j->run, node, &c);
	if (!n || !(c.idle >= CORES_IDLE) || (gv_node_use(j->run, node) != GV_LOAD_LOW && !(gv_data_share(node) >= gv_threshold_part(j->run, GV_T_DATA_WAIT))))
		return false;
	f = gv_found(j, GV_K_TOO_FEW_WORKERS, node);
	f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "workers", (double)n);
	gv_set(j, f, "idle", "%.0f %%", c.idle);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		gv_quote_fact(f, who[i], GV_F_PROC_CPU_UTIL);
	gv_quote_fact(f, node, GV_F_IDLE);
	return true;
}

/* The framework's advice alone is printed for healthy jobs, too. */
static bool advised(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_event *ev = gv_each_event(j->run, "lightning-few-workers", node, NULL);

	if (!ev || (gv_node_use(j->run, node) != GV_LOAD_LOW && !(gv_data_share(node) >= gv_threshold_part(j->run, GV_T_DATA_WAIT))))
		return false;
	gv_found_event(j, GV_K_TOO_FEW_WORKERS, ev)->confidence = GV_MEDIUM;
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = too_many(j, node);

	any |= workers_at_end(j, node) || advised(j, node);
	return any ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_workers = {
	.id = "workers",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
