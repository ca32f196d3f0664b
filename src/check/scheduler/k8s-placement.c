/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that no node may take: taints that they do not tolerate, labels that no node has. In a cluster with other nodes the
 * scheduler names these beside the real reason, so the line counts only where GPUs are not what is short. */
#include "check/common.h"

static bool of_gpus(gv_str key)
{
	return gv_has_nocase(key, "gpu") || gv_has_nocase(key, "nvidia") || gv_has_nocase(key, "amd.com") ||
	       gv_has_nocase(key, "accelerator");
}

/* The same line says that GPUs are short on other nodes. */
static bool gpus_short(const struct gv_run *run, const struct gv_event *ev)
{
	for (struct gv_event *o = NULL; (o = gv_each_event(run, "k8s-insufficient", ev->node, o));)
		if (o->doc == ev->doc && (o->first.line == ev->first.line || o->last.line == ev->last.line))
			return true;
	return false;
}

/* What waited has been placed since: a pod of the same output runs. */
static bool placed(const struct gv_run *run, const struct gv_event *ev)
{
	for (struct gv_entity *p = NULL; (p = gv_each(run, GV_POD, NULL, p));) {
		const struct gv_obs *o = gv_obs(p, GV_F_POD_STATUS);

		if (o && o->at.doc == ev->doc && gv_is(o->str, "Running"))
			return true;
	}
	return false;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_K8S_WRONG_NODE, node, ev));) {
		bool gpu_taint = gv_is(ev->sig->id, "k8s-taint") && of_gpus(ev->cap[1]);
		struct gv_finding *f;

		if (placed(j->run, ev) || (!gpu_taint && gpus_short(j->run, ev)))
			continue;
		f = gv_found_event(j, GV_K_K8S_WRONG_NODE, ev);
		if (!gpu_taint)
			f->confidence = GV_MEDIUM;
		if (gv_is(ev->sig->id, "k8s-taint"))
			gv_set(j, f, "why", "it does not tolerate {%.*s}", GV_ARG(ev->cap[1]));
		else
			gv_set_str(j, f, "why", GV_STR("no node has the labels that it asks for"));
		any = true;
	}
	return any;
}

/* "nvidia.com/gpu=present:NoSchedule nvidia.com/x:NoExecute": the key of the first that keeps pods of GPUs away. */
static gv_str gpu_taint(gv_str taints)
{
	gv_str w;

	while (gv_word(&taints, &w))
		if (of_gpus(w) && (gv_ends(w, ":NoSchedule") || gv_ends(w, ":NoExecute")))
			return gv_before(gv_before(w, ":"), "=");
	return GV_NONE;
}

static bool tolerates(gv_str tolerations, gv_str key)
{
	gv_str one;

	while (gv_next(&tolerations, ';', &one)) {
		one = gv_trim(one);
		/* one without a key tolerates all */
		if (gv_starts(one, "op=Exists") || gv_starts(one, ":"))
			return true;
		if (one.n >= key.n && gv_eq(gv_sub(one, 0, key.n), key))
			return true;
	}
	return false;
}

static bool by_toleration(struct gv_judge *j, const struct gv_entity *node)
{
	gv_str key = gpu_taint(gv_text(node, GV_F_K8S_TAINTS));
	bool any = false;

	for (struct gv_entity *p = NULL; key.n && (p = gv_each(j->run, GV_POD, NULL, p));) {
		gv_str tolerations = gv_text(p, GV_F_POD_TOLERATIONS);
		struct gv_finding *f;

		if (!gv_is(gv_text(p, GV_F_POD_STATUS), "Pending") || !gv_obs(p, GV_F_POD_GPU_LIMIT) || !tolerations.n ||
		    gv_text(p, GV_F_POD_NODE).n || tolerates(tolerations, key))
			continue;
		f = gv_found(j, GV_K_K8S_WRONG_NODE, p);
		f->confidence = GV_MEDIUM;
		gv_quote_fact(f, node, GV_F_K8S_TAINTS);
		gv_quote_fact(f, p, GV_F_POD_TOLERATIONS);
		gv_set(j, f, "why", "it does not tolerate {%.*s}", GV_ARG(key));
		any = true;
	}
	return any;
}

/* Nodes that offer some of a resource, and the most that one of them offers. */
static unsigned offer_of(const struct gv_run *run, gv_str resource, double *ret_most, const struct gv_entity **ret_node)
{
	unsigned nodes = 0;

	for (struct gv_entity *n = NULL; (n = gv_each(run, GV_NODE, NULL, n));) {
		double allocatable;

		if (!gv_num(n, GV_F_K8S_ALLOCATABLE, &allocatable) || allocatable <= 0 ||
		    !gv_eq(gv_text(n, GV_F_K8S_RESOURCE), resource))
			continue;
		if (!nodes++ || allocatable > *ret_most) {
			*ret_most = allocatable;
			*ret_node = n;
		}
	}
	return nodes;
}

/* A pod wants more GPUs than any node has: as many nodes are short of them as were described, each with fewer than it
 * asks for. */
static bool by_size(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_POD, node, p));) {
		const struct gv_obs *limit = gv_obs(p, GV_F_POD_GPU_LIMIT);
		const struct gv_entity *biggest = NULL;
		double most = 0, is_short;

		for (struct gv_event *ev = NULL; limit && (ev = gv_each_event(j->run, "k8s-insufficient", node, ev));) {
			struct gv_finding *f;

			if (ev->doc != limit->at.doc || !gv_to_num(ev->last_cap[1], &is_short) ||
			    is_short != offer_of(j->run, ev->last_cap[2], &most, &biggest) || limit->num <= most)
				continue;
			f = gv_found_event(j, GV_K_K8S_WRONG_NODE, ev);
			f->confidence = GV_MEDIUM;
			gv_quote(f, limit->at);
			gv_quote_fact(f, biggest, GV_F_K8S_ALLOCATABLE);
			gv_set(j, f, "why", "it asks for %.0f GPUs on one node and the largest offers %.0f", limit->num, most);
			any = true;
		}
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= by_size(j, node);
	any |= by_toleration(j, node);
	if (any)
		return GV_FOUND;
	return gv_each(j->run, GV_POD, node, NULL) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_k8s_placement = {
	.id = "k8s-placement",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
