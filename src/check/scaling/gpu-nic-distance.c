/* SPDX-License-Identifier: Apache-2.0 */
/* Some GPUs share a PCIe switch with an RDMA NIC, others reach every NIC only across the sockets. From the topology alone
 * this is how the machine is built: a note. It matters where the collective library gives up GPUDirect for it. */
#include "check/common_net.h"

#define GPUS 64

enum reach { REACH_UNKNOWN, REACH_FAR, REACH_HOST, REACH_NEAR };

struct gpu {
	gv_str index;
	enum reach best;
	const struct gv_entity *pair; /* of the best */
	gv_str nic;
};

static enum reach reach_of(gv_str path)
{
	if (gv_is(path, "PIX") || gv_is(path, "PXB"))
		return REACH_NEAR;
	if (gv_is(path, "PHB") || gv_is(path, "NODE"))
		return REACH_HOST;
	return gv_is(path, "SYS") ? REACH_FAR : REACH_UNKNOWN;
}

static size_t collect(const struct gv_run *run, const struct gv_entity *node, struct gpu *v)
{
	size_t n = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PAIR, node, e));) {
		enum reach reach = reach_of(gv_text(e, GV_F_PAIR_PATH));
		gv_str index, nic;
		size_t i = 0;

		if (!reach || !gv_pair_gpu_nic(e, &index, &nic))
			continue;
		while (i < n && !gv_eq(v[i].index, index))
			i++;
		if (i == GPUS)
			continue;
		if (i == n)
			v[n++] = (struct gpu){ .index = index };
		if (reach > v[i].best) {
			v[i].best = reach;
			v[i].pair = e;
			v[i].nic = nic;
		}
	}
	return n;
}

/* Ranks of several machines work together and NCCL says that a GPU is too far from its HCA for GPUDirect. */
static const struct gv_event *gave_up(const struct gv_run *run, const struct gv_entity *node)
{
	if (gv_job_span(run, node, NULL) != GV_SPAN_SEVERAL)
		return NULL;
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nccl-gdr-off", node, ev));)
		if (gv_has_nocase(ev->cap[2], "distance"))
			return ev;
	return NULL;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct gpu v[GPUS];
	size_t n = collect(j->run, node, v);
	const struct gv_event *ev = gave_up(j->run, node);
	const struct gpu *near = NULL;
	bool far = false;

	for (size_t i = 0; i < n && !near; i++)
		near = v[i].best == REACH_NEAR ? &v[i] : NULL;
	for (size_t i = 0; i < n && near; i++) {
		const struct gv_entity *gpu = gv_by_key(j->run, GV_GPU, node, GV_KEY_INDEX, v[i].index);
		struct gv_finding *f;

		if (v[i].best != REACH_FAR)
			continue;
		far = true;
		f = gv_found(j, GV_K_GPU_NIC_DISTANCE, gpu ? gpu : node);
		f->severity = ev ? GV_WARN : GV_NOTE;
		gv_quote_fact(f, v[i].pair, GV_F_PAIR_PATH);
		gv_quote_fact(f, near->pair, GV_F_PAIR_PATH);
		gv_set_str(j, f, "nic", near->nic);
		gv_set(j, f, "near", "GPU %.*s", GV_ARG(near->index));
		if (ev) {
			gv_quote(f, ev->first);
			gv_set_str(j, f, "given_up", ev->cap[2]);
		}
	}
	return far ? GV_FOUND : n ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_gpu_nic_distance = {
	.id = "gpu-nic-distance",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
