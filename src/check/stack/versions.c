/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the software stack that do not fit each other, as they say themselves: cuDNN, compiled engines, Python
 * extensions, CPU instructions, compilers. */
#include "check/common.h"

/* A handle that could not be made is most often memory that was full. */
static bool memory_full(const struct gv_run *run, const struct gv_entity *node)
{
	static const enum gv_kind oom[] = { GV_K_OOM_CAPACITY, GV_K_OOM_FRAGMENTATION, GV_K_OOM_NEIGHBOUR };

	for (size_t i = 0; i < 3; i++)
		if (gv_each_event_of(run, oom[i], node, NULL))
			return true;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));) {
		double used, total;

		if (gv_num(e, GV_F_GPU_MEM_USED, &used) && gv_num(e, GV_F_GPU_MEM_TOTAL, &total) && total > 0 &&
		    used / total > 0.9)
			return true;
	}
	return false;
}

static bool cudnn(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, sure = gv_has_event(j->run, node, "cudnn-version");

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_CUDNN_MISMATCH, node, ev));) {
		struct gv_finding *f;

		if (gv_is(ev->sig->id, "cudnn-init") && !sure && memory_full(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_CUDNN_MISMATCH, ev);
		if (gv_is(ev->sig->id, "cudnn-init") && !sure) {
			f->confidence = GV_LOW;
			f->severity = GV_WARN;
		} else if (gv_is(ev->sig->id, "cudnn-version")) {
			gv_set_str(j, f, "runtime", ev->cap[1]);
			gv_set_str(j, f, "built", ev->cap[2]);
		}
		any = true;
	}
	return any;
}

static bool engines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_ENGINE_CACHE_MISMATCH, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_ENGINE_CACHE_MISMATCH, ev);

		gv_set_str(j, f, "what",
			   gv_is(ev->sig->id, "trt-device") ? GV_STR("another GPU")
			   : gv_starts(ev->sig->id, "trt-") ? GV_STR("another version of TensorRT")
							    : GV_NONE);
		any = true;
	}
	return any;
}

static bool plain(struct gv_judge *j, const struct gv_entity *node)
{
	static const enum gv_kind kinds[] = { GV_K_PYTHON_ABI, GV_K_ILLEGAL_INSTRUCTION, GV_K_COMPILER_MISSING };
	bool any = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		any |= gv_found_events_of(j, kinds[i], node);
	return any;
}

static enum gv_answer versions_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = cudnn(j, node);

	found |= engines(j, node);
	found |= plain(j, node);
	return found ? GV_FOUND : GV_NA;
}

const struct gv_check gv_check_versions = {
	.id = "versions",
	.stage = GV_STAGE_STACK,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = versions_run,
};
