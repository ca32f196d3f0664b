/* SPDX-License-Identifier: Apache-2.0 */
/* A mount whose server does not answer: all that touches it waits in the kernel, and cannot be killed. */
#include "check/common.h"

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *m)
{
	struct gv_finding *f;
	double seconds;

	if (!gv_num(m, GV_F_MOUNT_SILENT, &seconds) || seconds <= 0)
		return GV_PASS;
	f = gv_found(j, GV_K_STORAGE_SLOW, m);
	f->severity = GV_FAIL;
	gv_set(j, f, "why", "it gave no answer within %g s", seconds);
	gv_quote_fact(f, m, GV_F_MOUNT_SILENT);
	return GV_FOUND;
}

const struct gv_check gv_check_mount_silent = {
	.id = "mount-silent",
	.stage = GV_STAGE_FED,
	.over = GV_MOUNT,
	.needs = { GV_F_MOUNT_SILENT, GV_FACTS },
	.run = run,
};
