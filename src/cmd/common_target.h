/* SPDX-License-Identifier: Apache-2.0 */
/* Options that name targets: --target, --targets, --live. */
#pragma once

#include "cmd/common.h"
#include "inspect/target.h"

struct gv_target_opts {
	struct gv_opt_list target;
	const char *dir;
	bool live;
};

/* clang-format off */
/* As a member `target` of the command's options. */
#define GV_TARGET_OPTION(T, word, field, what, kind, placeholder)                                                      \
	{ .name = word, .arg = placeholder, .help = what, .type = kind,                                                \
	  .offset = offsetof(struct T, target) + offsetof(struct gv_target_opts, field) }
#define GV_TARGET_OPTIONS(T)                                                                                           \
	GV_TARGET_OPTION(T, "target", target, "does it fit this? sm_90, gfx942, \"NVIDIA L4\", rocm, cpu, with its "    \
			 "driver \"L4,driver=550.54.15\", or a file (YAML); several times", GV_OPT_LIST, "TARGET"),     \
	GV_TARGET_OPTION(T, "targets", dir, "does it fit these? all *.yaml of a folder", GV_OPT_STRING, "DIR"),        \
	GV_TARGET_OPTION(T, "live", live, "does it fit this machine?", GV_OPT_FLAG, NULL)
/* clang-format on */

#define GV_TARGETS_MAX 1000
struct gv_targets {
	GV_VEC(const struct gv_target *) all;
};

/* What they name. 0, or the exit status. */
int gv_call_targets(struct gv_call *c, const struct gv_target_opts *o, struct gv_targets *ret);
