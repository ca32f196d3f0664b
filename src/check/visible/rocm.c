/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the ROCm runtime finds its compute devices: KFD in the kernel, GPUs that KFD takes. */
#include "check/common.h"

/* rocminfo lists a GPU of the node: the way from the runtime to a device works. */
static bool agent_seen(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, node, e));)
		if (gv_is(gv_text(e, GV_F_GPU_VENDOR), "amd") && gv_text(e, GV_F_GPU_ARCH).n)
			return true;
	return gv_flag(node, GV_F_TORCH_GPU);
}

/* Somebody wants ROCm here: its tools or libraries were run, a framework is built for it, a pod asks for such a GPU. What
 * the kernel says of KFD alone is said on every desktop. */
static bool wanted(const struct gv_run *run, const struct gv_entity *node)
{
	gv_str hip = gv_text(node, GV_F_TORCH_HIP);

	if (gv_flag(node, GV_F_ROCM_MODULE) || gv_obs(node, GV_F_ROCM_HSA) || gv_obs(node, GV_F_ROCM_ERROR) ||
	    (hip.n && !gv_is(hip, "None")) || gv_starts(gv_text(node, GV_F_K8S_RESOURCE), "amd.com/"))
		return true;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if ((gv_is(ev->sig->vendor, "amd") && !gv_is(ev->sig->log, "kernel") && !gv_is(ev->sig->id, "kfd-absent") &&
		     !gv_is(ev->sig->id, "kernel-no-kfd")) ||
		    (gv_is(ev->sig->id, "k8s-insufficient") && gv_starts(ev->cap[2], "amd.com/")))
			return true;
	return false;
}

static bool only_if_wanted(const struct gv_event *ev)
{
	static const char *const ids[] = { "amd-kfd-atomics", "amd-kfd-unsupported", "kernel-no-kfd", "kfd-absent" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (gv_is(ev->sig->id, ids[i]))
			return true;
	return false;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, agent = agent_seen(j->run, node);

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_ROCM_NOT_READY, node, ev));) {
		/* a second, unsupported device beside one that works; a job that ran out of something on a device that
		 * works */
		if (agent)
			continue;
		if (ev->container && gv_is(ev->sig->id, "kfd-absent"))
			continue; /* not passed into that container */
		if (only_if_wanted(ev) && !wanted(j->run, node))
			continue;
		gv_found_event(j, GV_K_ROCM_NOT_READY, ev);
		/* the chip itself is one that KFD does not know */
		if (gv_is(ev->sig->id, "amd-kfd-unsupported"))
			gv_set_str(j, gv_found_event(j, GV_K_ROCM_ARCH_UNSUPPORTED, ev), "gfx", ev->cap[1]);
		any = true;
	}
	return any;
}

static enum gv_answer rocm_run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *error = gv_obs(node, GV_F_ROCM_ERROR), *count = gv_obs(node, GV_F_GPU_COUNT);
	bool found = by_events(j, node), listed_none = gv_obs(node, GV_F_ROCM_HSA) && count && count->num == 0;
	bool denied = error && (gv_has(error->str, "Permission denied") || gv_has(error->str, "not permitted"));
	struct gv_finding *f;

	if ((error && !denied && !gv_has(error->str, "NOT loaded")) || listed_none) {
		f = gv_found(j, GV_K_ROCM_NOT_READY, node);
		gv_quote(f, error ? error->at : count->at);
		gv_set_str(j, f, "says", error ? gv_sub(error->str, 0, 120) : GV_STR("rocminfo lists no GPU agent"));
		found = true;
	}
	if (found)
		return GV_FOUND;
	return agent_seen(j->run, node) || gv_flag(node, GV_F_ROCM_MODULE) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_rocm = {
	.id = "rocm",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = rocm_run,
};
