/* SPDX-License-Identifier: Apache-2.0 */
/* What checks share. A check has no header of its own: it defines one `const struct gv_check gv_check_<file>` and stands as
 * a line in check.def. */
#pragma once

#include <math.h>

#include "core/check.h"
#include "core/spec.h"
#include "core/table.h"

/* A finding for every event of the node whose signature points to this kind; true where there was one. For kinds where
 * the line itself is the diagnosis. */
bool gv_found_events_of(struct gv_judge *j, enum gv_kind kind, const struct gv_entity *node);
/* The same for several kinds; `kinds` ends with GV_KINDS. GV_PASS/GV_FOUND, GV_NODATA where the node has no log at all. */
enum gv_answer gv_found_events(struct gv_judge *j, const enum gv_kind *kinds, const struct gv_entity *node);
/* Some log was read: of the kernel, a service or a job. */
bool gv_has_log(const struct gv_run *run, const struct gv_entity *node);
/* Some kernel log of the node was read: lines that are the kernel's, whether a signature hit or not. */
bool gv_has_kernel_log(const struct gv_run *run, const struct gv_entity *node);

/* Boards whose NVLinks are wired on the baseboard, all of them, by the name that a tool printed. */
bool gv_nvlink_wired(gv_str name);
/* A job is at work on the GPU: utilisation, power or memory say so. */
bool gv_gpu_at_work(const struct gv_entity *gpu);

/* Vendors whose GPUs, drivers or runtimes the node shows anywhere: GPUs that are known, a driver, rocminfo, a
 * framework that computes on one, Kubernetes resources. Bits as of gv_vendors(). */
unsigned gv_vendors_shown(const struct gv_run *run, const struct gv_entity *node);
/* A listing of the node's PCI functions shows a display function of some kind and none that GPU work runs on. */
bool gv_no_gpu_shown(const struct gv_run *run, const struct gv_entity *node);
/* A list of all PCI functions has no GPU that work may run on, and nothing else names one. */
bool gv_no_gpu_on_bus(const struct gv_run *run, const struct gv_entity *node);
/* The host's own tool lists GPUs of the node: its driver works. */
bool gv_driver_works(const struct gv_run *run, const struct gv_entity *node);
/* A tool lists GPUs (the count is GPU_COUNT or GPU_CONTAINER_COUNT) in the same document, below what went wrong there: it was
 * mended in between. */
bool gv_mended_below(const struct gv_entity *node, enum gv_fact count, struct gv_place wrong);
/* Some line of the node's evidence matched this signature. */
bool gv_has_event(const struct gv_run *run, const struct gv_entity *node, const char *sig);
/* The host's tool, or a line about the driver, says that no driver can be reached. */
bool gv_driver_fails(const struct gv_run *run, const struct gv_entity *node);
/* The NVIDIA driver is meant to run here: its tools, its module or its log lines are there. */
bool gv_nvidia_meant(const struct gv_run *run, const struct gv_entity *node);
/* The GPU that a line of the kernel about a PCI function speaks of: the function itself, or the only GPU below a port. NULL
 * where there is none, or where there are several. */
const struct gv_entity *gv_gpu_of_function(const struct gv_run *run, const struct gv_event *ev);
/* "count": how many lines there were, where there were several. */
void gv_set_count(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev);
/* An action of the tables of codes ("reset-gpu") in words. */
gv_str gv_remedy(gv_str action);
/* The kind of finding that an Xid is; gpu-xid where it has none of its own. */
enum gv_kind gv_xid_kind(int code);
/* What an Xid is worth by the table of codes; the same for a cell of it. */
enum gv_severity gv_xid_severity(int code);
enum gv_severity gv_xid_severity_of(gv_str cell);
/* More GPUs, PCI functions or links than any machine has: what compares them with each other leaves them alone. */
bool gv_crowded(const struct gv_run *run, const struct gv_entity *node);
