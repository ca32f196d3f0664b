/* SPDX-License-Identifier: Apache-2.0 */
#include "check/common.h"

bool gv_found_events_of(struct gv_judge *j, enum gv_kind kind, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, kind, node, ev));) {
		struct gv_finding *f = gv_found_event(j, kind, ev);

		if (ev->count > 1)
			gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		gv_set_str(j, f, "subject", ev->subject);
		any = true;
	}
	return any;
}

enum gv_answer gv_found_events(struct gv_judge *j, const enum gv_kind *kinds, const struct gv_entity *node)
{
	bool any = false;

	for (; *kinds != GV_KINDS; kinds++)
		any |= gv_found_events_of(j, *kinds, node);
	if (any)
		return GV_FOUND;
	return gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

bool gv_has_log(const struct gv_run *run, const struct gv_entity *node)
{
	if (gv_each_event_on(node, NULL))
		return true;
	for (size_t i = 0; i < run->docs.n; i++)
		if (run->docs.v[i]->log)
			return true;
	return false;
}

bool gv_has_kernel_log(const struct gv_run *run, const struct gv_entity *node)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));)
		if (ev->kernel)
			return true;
	for (size_t i = 0; i < run->docs.n; i++)
		if (run->docs.v[i]->kernel)
			return true;
	return false;
}

bool gv_gpu_at_work(const struct gv_entity *gpu)
{
	static const enum gv_fact busy[] = { GV_F_GPU_SM_UTIL, GV_F_GPU_UTIL, GV_F_GPU_ENC_UTIL, GV_F_GPU_DEC_UTIL };
	double util, power, limit, mem;

	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
		if (gv_num(gpu, busy[i], &util) && util >= 3)
			return true;
	if (gv_num(gpu, GV_F_GPU_POWER, &power) && gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) && limit > 0 &&
	    power / limit > 0.35)
		return true;
	return gv_num(gpu, GV_F_GPU_MEM_USED, &mem) && mem > 2048;
}

/* Boards whose links are wired on the baseboard, all of them: SXM modules and superchips. Cards have "PCIe" or "NVL" in
 * their names, or are for workstations. */
bool gv_nvlink_wired(gv_str name)
{
	static const char *const boards[] = { "SXM", "HBM3", "B200", "B300", "GH200", "H200", "H20", "H800" };

	if (gv_has_nocase(name, "PCI") || gv_has(name, "NVL") || gv_has(name, "RTX"))
		return false;
	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
		if (gv_has(name, boards[i]))
			return true;
	return false;
}
