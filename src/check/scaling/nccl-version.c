/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the collective library that do not fit: each other, or the GPU. */
#include "check/common_net.h"

/* The first release that knows a GPU. Older ones fail in the search of the topology or miss its links. */
static const struct first {
	const char *gpu, *version;
} firsts[] = {
	{ "H100", "2.15.1" }, /* NCCL release notes 2.15.1: support for H100 (sm_90) */
	{ "H200", "2.15.1" },
	{ "GH200", "2.15.1" },
	{ "H800", "2.15.1" },
};

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NCCL_VERSION_MISMATCH, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_NCCL_VERSION_MISMATCH, ev);

		/* different collectives, or a stranger on the port, look alike */
		if (!gv_is(ev->sig->id, "nccl-mismatch"))
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 80)));
		any = true;
	}
	return any;
}

static const struct first *first_for(gv_str gpu)
{
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (gv_has(gpu, firsts[i].gpu))
			return &firsts[i];
	return NULL;
}

/* Every NCCL of the node's logs is older than its GPUs. */
static bool older_than_gpu(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const failed[] = { "nccl-reverse-path", "nccl-error" };
	const struct gv_event *old = NULL, *bad = NULL;
	const struct gv_entity *gpu = NULL;
	const struct first *first = NULL;
	struct gv_finding *f;

	for (struct gv_entity *e = NULL; !first && (e = gv_each(j->run, GV_GPU, node, e));) {
		first = first_for(gv_text(e, GV_F_GPU_NAME));
		gpu = e;
	}
	if (!first)
		return false;
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-version", node, ev));) {
		if (gv_cmp_version(ev->cap[1], gv_str_of(first->version)) >= 0)
			return false;
		old = ev;
	}
	if (!old)
		return false;
	for (size_t i = 0; i < 2 && !bad; i++)
		bad = gv_each_event(j->run, failed[i], node, NULL);
	f = gv_found_event(j, GV_K_NCCL_VERSION_MISMATCH, old);
	f->confidence = GV_MEDIUM;
	gv_quote_fact(f, gpu, GV_F_GPU_NAME);
	if (bad)
		gv_quote(f, bad->first);
	else
		f->severity = GV_WARN; /* nothing failed yet */
	gv_set_str(j, f, "version", old->cap[1]);
	gv_set(j, f, "needed", "%s", first->version);
	gv_set(j, f, "gpu", "%s", first->gpu);
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= older_than_gpu(j, node);
	return any ? GV_FOUND : gv_each_event(j->run, "nccl-version", node, NULL) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_nccl_version = {
	.id = "nccl-version",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
