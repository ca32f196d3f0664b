/* SPDX-License-Identifier: Apache-2.0 */
#include "check/common_gputest.h"

static bool all_alike(const struct gv_run *run, const struct gv_entity *node)
{
	gv_str first = GV_NONE;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));) {
		gv_str name = gv_text(e, GV_F_GPU_NAME);

		if (!name.n || (first.n && !gv_eq(name, first)))
			return false;
		first = name;
	}
	return first.n > 0;
}

const struct gv_entity *gv_tested_gpu(const struct gv_run *run, const struct gv_entity *test, enum gv_fact which)
{
	gv_str v = gv_text(test, which);

	if (!v.n)
		return NULL;
	if (gv_find_c(v, ':') > 0)
		return gv_by_key(run, GV_GPU, test->node, GV_KEY_BUS, v);
	if (!all_alike(run, test->node) || gv_env(run, test->node, "CUDA_VISIBLE_DEVICES").n)
		return NULL;
	return gv_by_key(run, GV_GPU, test->node, GV_KEY_INDEX, v);
}

gv_str gv_tested_name(const struct gv_run *run, const struct gv_entity *test, enum gv_fact which)
{
	return gv_fmt(run->arena, "GPU %.*s", GV_ARG(gv_text(test, which)));
}
