/* SPDX-License-Identifier: Apache-2.0 */
/* MIG as it is configured against what is asked: a GPU in MIG mode without an instance serves nobody, a node that offers
 * slices does not offer whole GPUs. */
#include "check/common.h"

/* Some program found no device, or the framework counts none. */
static struct gv_place nobody_served(const struct gv_run *run, const struct gv_entity *node)
{
	const struct gv_event *ev = gv_each_event(run, "cuda-no-device", node, NULL);
	const struct gv_obs *o;
	double devices;
	bool can;

	if (ev)
		return ev->first;
	if (gv_num(node, GV_F_TORCH_DEVICES, &devices) && devices == 0 && (o = gv_obs(node, GV_F_TORCH_DEVICES)))
		return o->at;
	if (gv_flag_known(node, GV_F_TORCH_GPU, &can) && !can && (o = gv_obs(node, GV_F_TORCH_GPU)))
		return o->at;
	return (struct gv_place){ 0 };
}

/* GPU instances in which nobody made a compute instance: they take their share of the GPU, and no program finds them. */
static bool without_compute(struct gv_judge *j, const struct gv_entity *g, struct gv_place nobody)
{
	double all = 0, used = 0;
	bool told = gv_num(g, GV_F_GPU_MIG_USED, &used);
	struct gv_finding *f;

	/* a GPU that is not in the list of compute instances has none, where that list is of all GPUs */
	if (!gv_num(g, GV_F_GPU_MIG_GI, &all) || all <= used || (!told && !gv_num(g->node, GV_F_MIG_CI, NULL)))
		return false;
	f = gv_found(j, GV_K_MIG_MISMATCH, g);
	if (used > 0 || !nobody.doc)
		f->severity = GV_WARN; /* somebody may be about to create them */
	gv_quote_fact(f, g, GV_F_GPU_MIG_GI);
	gv_quote_fact(f, told ? g : g->node, told ? GV_F_GPU_MIG_USED : GV_F_MIG_CI);
	gv_quote(f, nobody);
	gv_set(j, f, "why", "%.0f of its %.0f GPU instances without a compute instance", all - used, all);
	return true;
}

static bool without_instance(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_place nobody = nobody_served(j->run, node);
	bool any = false;
	double devices;

	for (struct gv_entity *g = NULL; (g = gv_each(j->run, GV_GPU, node, g));) {
		struct gv_finding *f;

		if (without_compute(j, g, nobody)) {
			any = true;
			continue;
		}
		if (!gv_is(gv_text(g, GV_F_GPU_MIG), "Enabled") || !gv_num(g, GV_F_GPU_MIG_DEVICES, &devices) || devices > 0)
			continue;
		f = gv_found(j, GV_K_MIG_MISMATCH, g);
		if (!nobody.doc)
			f->severity = GV_WARN; /* somebody may be about to create them */
		gv_quote_fact(f, g, GV_F_GPU_MIG);
		gv_quote_fact(f, g, GV_F_GPU_MIG_DEVICES);
		gv_quote(f, nobody);
		gv_set_str(j, f, "why", GV_STR("MIG is on and no instance exists"));
		any = true;
	}
	return any;
}

static bool slice(gv_str resource)
{
	return gv_starts(resource, "nvidia.com/mig-");
}

/* A pod waits for slices where whole GPUs are offered, or the other way round. */
static bool other_resource(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "k8s-insufficient", NULL, ev));) {
		gv_str offered = gv_text(node, GV_F_K8S_RESOURCE), asked = ev->cap[2];
		struct gv_finding *f;

		if (!gv_starts(offered, "nvidia.com/") || !gv_starts(asked, "nvidia.com/") || slice(offered) == slice(asked))
			continue;
		f = gv_found(j, GV_K_MIG_MISMATCH, node);
		f->confidence = GV_MEDIUM;
		gv_quote(f, ev->first);
		gv_quote_fact(f, node, GV_F_K8S_RESOURCE);
		gv_set(j, f, "why", "%.*s is asked for, %.*s is offered", GV_ARG(asked), GV_ARG(offered));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = gv_found_events_of(j, GV_K_MIG_MISMATCH, node), known = false;

	any |= without_instance(j, node);
	any |= other_resource(j, node);
	for (struct gv_entity *g = NULL; !known && (g = gv_each(j->run, GV_GPU, node, g));)
		known = gv_text(g, GV_F_GPU_MIG).n > 0;
	return any ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_mig_request = {
	.id = "mig-request",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
