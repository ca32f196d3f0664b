/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces, RDMA devices and the reach of a job. */
#include "check/common_net.h"

/* GPUs of the largest common machine: where the node's own are not known, more ranks than this need a second one. */
#define MOST_GPUS 8

static bool any_start(gv_str s, const char *const *words)
{
	for (; *words; words++)
		if (gv_starts(s, *words))
			return true;
	return false;
}

bool gv_nic_local_only(gv_str name)
{
	static const char *const words[] = { "veth", "docker", "virbr", "br-", "lxcbr", "lxdbr", "podman", "vnet", "tap", NULL };

	return gv_is(name, "lo") || any_start(name, words);
}

bool gv_nic_virtual(gv_str name)
{
	static const char *const words[] = { "cni",   "cali", "flannel", "cilium", "lxc",   "tun",   "wg",     "vxlan",
					     "dummy", "ifb",  "tailscale", "kube-",  "nodelocal", "macvlan", "ipvlan", "sit", NULL };

	return gv_nic_local_only(name) || any_start(name, words);
}

static bool of_collective(const struct gv_event *ev)
{
	static const char *const words[] = { "nccl-", "rccl-", "gloo-", "c10d-", "rdzv-", "ofi-", NULL };

	return any_start(ev->sig->id, words);
}

bool gv_has_collective_log(const struct gv_run *run, const struct gv_entity *node)
{
	for (size_t i = 0; i < run->events.n; i++)
		if ((!node || run->events.v[i]->node == node) && of_collective(run->events.v[i]))
			return true;
	return false;
}

bool gv_port_failed(const struct gv_run *run)
{
	return gv_each_event(run, "nccl-async-event", NULL, NULL) || gv_each_event(run, "mlx-module", NULL, NULL);
}

/* So many ranks on a machine with so many GPUs. */
static enum gv_span by_ranks(const struct gv_run *run, const struct gv_entity *node, double ranks)
{
	size_t gpus = gv_count(run, GV_GPU, node);

	if (!gpus)
		return ranks > MOST_GPUS ? GV_SPAN_SEVERAL : GV_SPAN_UNKNOWN;
	return ranks > (double)gpus ? GV_SPAN_SEVERAL : GV_SPAN_ONE;
}

static enum gv_span by_variables(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	static const char *const nodes[] = { "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "NNODES", "PET_NNODES" };
	const struct gv_entity *world = gv_by_id(run, GV_VAR, node, GV_STR("WORLD_SIZE"));
	double n;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		const struct gv_entity *e = gv_by_id(run, GV_VAR, node, gv_str_of(nodes[i]));

		if (!e || !gv_to_num(gv_text(e, GV_F_VAR_VALUE), &n))
			continue;
		*ret_at = gv_obs(e, GV_F_VAR_VALUE)->at;
		return n > 1 ? GV_SPAN_SEVERAL : GV_SPAN_ONE;
	}
	if (!world || !gv_to_num(gv_text(world, GV_F_VAR_VALUE), &n))
		return GV_SPAN_UNKNOWN;
	*ret_at = gv_obs(world, GV_F_VAR_VALUE)->at;
	return by_ranks(run, node, n);
}

/* Data that a collective sends through the network goes to another machine. */
static bool uses_net(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	static const char *const talk[] = { "nccl-ib-12", "nccl-ib-other" };

	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nccl-channel", node, ev));)
		if (gv_starts(ev->cap[1], "NET/")) {
			*ret_at = ev->first;
			return true;
		}
	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++) {
		const struct gv_event *ev = gv_each_event(run, talk[i], node, NULL);

		if (ev) {
			*ret_at = ev->first;
			return true;
		}
	}
	return false;
}

/* Ranks of one communicator say so from two machines. */
static bool on_two_nodes(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	if (!gv_has_collective_log(run, node))
		return false;
	for (size_t i = 0; i < run->events.n; i++) {
		const struct gv_event *ev = run->events.v[i];

		if (ev->node != node && of_collective(ev)) {
			*ret_at = ev->first;
			return true;
		}
	}
	return false;
}

enum gv_span gv_job_span(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	struct gv_place at = { 0 };
	enum gv_span span = GV_SPAN_UNKNOWN;
	double ranks;

	if (uses_net(run, node, &at) || on_two_nodes(run, node, &at))
		span = GV_SPAN_SEVERAL;
	for (struct gv_event *ev = NULL; !span && (ev = gv_each_event(run, "nccl-init", node, ev));) {
		if (!gv_to_num(ev->cap[2], &ranks))
			continue;
		span = by_ranks(run, node, ranks);
		at = ev->first;
	}
	if (!span)
		span = by_variables(run, node, &at);
	if (ret_at)
		*ret_at = at;
	return span;
}

static bool rdma_name(gv_str s)
{
	static const char *const words[] = { "mlx4_", "mlx5_", "bnxt_re", "irdma", "erdma", "efa_", "hfi1_", "qedr", "rdmap", "ib", NULL };

	if (gv_starts(s, "ib"))
		return s.n > 2 && s.p[2] >= '0' && s.p[2] <= '9';
	return any_start(s, words);
}

bool gv_rdma_shown(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	static const char *const seen[] = { "nccl-net-ib", "nccl-no-device" };
	struct gv_place at = { 0 };
	gv_str index, nic;

	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]) && !at.doc; i++) {
		const struct gv_event *ev = gv_each_event(run, seen[i], node, NULL);

		if (ev)
			at = ev->first;
	}
	for (struct gv_entity *e = NULL; !at.doc && (e = gv_each(run, GV_PAIR, node, e));)
		if (gv_pair_gpu_nic(e, &index, &nic) && rdma_name(nic) && gv_obs(e, GV_F_PAIR_PATH))
			at = gv_obs(e, GV_F_PAIR_PATH)->at;
	for (struct gv_entity *e = NULL; !at.doc && (e = gv_each(run, GV_PCI, node, e));)
		if (gv_starts(gv_text(e, GV_F_PCI_CLASS), "Infiniband"))
			at = gv_obs(e, GV_F_PCI_CLASS)->at;
	for (struct gv_entity *e = NULL; !at.doc && (e = gv_each(run, GV_NIC, node, e));)
		if (rdma_name(e->id) && gv_flag(e, GV_F_NIC_LINK))
			at = gv_obs(e, GV_F_NIC_LINK)->at;
	if (ret_at)
		*ret_at = at;
	return at.doc != NULL;
}

static bool gpu_name(gv_str s)
{
	return gv_starts(s, "GPU") && s.n > 3 && s.p[3] >= '0' && s.p[3] <= '9';
}

struct gv_gpu_pairs gv_gpu_pairs(const struct gv_run *run, const struct gv_entity *node)
{
	struct gv_gpu_pairs p = { 0 };

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PAIR, node, e));) {
		gv_str path = gv_text(e, GV_F_PAIR_PATH), w[2];

		if (!path.n || gv_words(e->id, w, 2) != 2 || !gpu_name(w[0]) || !gpu_name(w[1]))
			continue;
		p.n++;
		p.first = p.first ? p.first : e;
		if (gv_starts(path, "NV")) {
			p.nvlink++;
			p.first_nvlink = p.first_nvlink ? p.first_nvlink : e;
		}
	}
	return p;
}

bool gv_pair_gpu_nic(const struct gv_entity *pair, gv_str *ret_gpu_index, gv_str *ret_nic)
{
	gv_str w[2];

	if (gv_words(pair->id, w, 2) != 2 || gpu_name(w[0]) == gpu_name(w[1]))
		return false;
	*ret_gpu_index = gv_from(gpu_name(w[0]) ? w[0] : w[1], 3);
	*ret_nic = gpu_name(w[0]) ? w[1] : w[0];
	return true;
}
