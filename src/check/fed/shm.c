/* SPDX-License-Identifier: Apache-2.0 */
/* /dev/shm is too small for loader workers or NCCL. */
#include "check/common_load.h"

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_entity *shm = gv_by_id(j->run, GV_MOUNT, node, GV_STR("/dev/shm"));
	struct gv_finding *f = NULL;
	double size, used;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_SHM_TOO_SMALL, node, ev));)
		f = gv_found_event(j, GV_K_SHM_TOO_SMALL, ev);
	if (f && shm)
		gv_quote_fact(f, shm, GV_F_MOUNT_SIZE);
	if (!f && shm && gv_num(shm, GV_F_MOUNT_USED, &used) && used >= 99 && gv_num(shm, GV_F_MOUNT_SIZE, &size) && size > 0) {
		f = gv_found(j, GV_K_SHM_TOO_SMALL, shm);
		f->confidence = GV_MEDIUM;
		gv_quote_fact(f, shm, GV_F_MOUNT_USED);
	}
	if (f && shm && gv_num(shm, GV_F_MOUNT_SIZE, &size))
		gv_set(j, f, "size", "%.0f MiB", size / 1024);
	return f ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_shm = {
	.id = "shm",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
