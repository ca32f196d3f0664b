/* SPDX-License-Identifier: Apache-2.0 */
/* What several checks of the stages `scaling` and `scheduler` ask alike: interfaces, and what a collective library says of
 * the job that it serves. All answers rest on facts and events; none makes a finding. */
#pragma once

#include "check/common.h"

/* An interface that exists inside this machine only, or a tunnel on top of another: no port with a cable of its own. */
bool gv_nic_virtual(gv_str name);
/* Interfaces whose addresses other machines do not reach: loopback, container bridges and their ends. */
bool gv_nic_local_only(gv_str name);

enum gv_span {
	GV_SPAN_UNKNOWN,
	GV_SPAN_ONE,	/* all ranks are on one machine: the network takes no part */
	GV_SPAN_SEVERAL /* ranks of several machines work together */
};

/* How far the job of this node reaches; the place that says so in ret_at (NULL allowed), unset where there is none. */
enum gv_span gv_job_span(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at);
/* The node has an RDMA device; the place that shows it in ret_at (NULL allowed). */
bool gv_rdma_shown(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at);
/* Some line of a collective library, or of a framework that drives one, is there for the node (NULL = any). */
bool gv_has_collective_log(const struct gv_run *run, const struct gv_entity *node);
/* The collective library reports a port of the fabric that failed, on any node. */
bool gv_port_failed(const struct gv_run *run);

/* The pairs of GPUs in the node's topology. */
struct gv_gpu_pairs {
	size_t n, nvlink;
	const struct gv_entity *first, *first_nvlink; /* PAIR */
};

struct gv_gpu_pairs gv_gpu_pairs(const struct gv_run *run, const struct gv_entity *node);
/* "GPU0 mlx5_0" -> its two names; false where it is none of GPU and NIC (in this order). */
bool gv_pair_gpu_nic(const struct gv_entity *pair, gv_str *ret_gpu_index, gv_str *ret_nic);
