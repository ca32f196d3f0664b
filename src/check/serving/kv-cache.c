/* SPDX-License-Identifier: Apache-2.0 */
/* A serving engine that throws running requests out of its KV cache and computes them again. */
#include "check/common.h"

/* Lines: SGLang says each retraction, and one or two at a peak are how it is meant to work; vLLM says the first and every
 * fiftieth. */
#define RETRACTIONS 3
#define PREEMPTIONS 2

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_KV_CACHE_EXHAUSTED, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_KV_CACHE_EXHAUSTED, ev);

		if (ev->count < (gv_is(ev->sig->id, "sglang-retract") ? RETRACTIONS : PREEMPTIONS))
			f->severity = GV_NOTE;
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		if (gv_is(ev->sig->id, "vllm-preempted"))
			gv_set_str(j, f, "mode", ev->cap[2]);
		any = true;
	}
	return any ? GV_FOUND : gv_is(gv_str_of(j->run->workload), "serving") ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_kv_cache = {
	.id = "kv-cache",
	.stage = GV_STAGE_SERVING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
