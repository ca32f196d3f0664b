/* SPDX-License-Identifier: Apache-2.0 */
/* The device plugin of a Kubernetes node: its pod fails, it cannot reach the driver, or the kubelet gets no device from it. */
#include "check/common.h"

/* Pods of the plugins by the names of their charts and manifests. */
static bool plugin_pod(gv_str id)
{
	static const char *const names[] = { "device-plugin", "amdgpu-dp", "gpu-plugin", "nvdp-" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (gv_has(id, names[i]))
			return true;
	return false;
}

static bool failing(gv_str reason)
{
	static const char *const reasons[] = { "CrashLoopBackOff", "Error", "RunContainerError", "CreateContainerError",
					       "StartError", "ContainerCannotRun", "OOMKilled", "ImagePullBackOff", "ErrImagePull" };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (gv_is(reason, reasons[i]))
			return true;
	return false;
}

static bool by_pods(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *p = NULL; (p = gv_each(j->run, GV_POD, node, p));) {
		gv_str reason = gv_text(p, GV_F_POD_REASON);
		struct gv_finding *f;

		if (!plugin_pod(p->id) || !failing(reason))
			continue;
		f = gv_found(j, GV_K_DEVICE_PLUGIN_DOWN, p);
		gv_quote_fact(f, p, GV_F_POD_REASON);
		gv_quote_fact(f, p, GV_F_POD_EVENT_TEXT);
		gv_set_str(j, f, "why", reason);
		any = true;
	}
	return any;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DEVICE_PLUGIN_DOWN, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_DEVICE_PLUGIN_DOWN, ev);

		/* a pod that the kubelet refused while the plugin registered, after a reboot, stays in that state */
		f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "why", gv_trim(gv_sub(ev->cap[0], 0, 90)));
		any = true;
	}
	/* the plugin cannot load the library that it lists GPUs with */
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "plugin-no-nvml", node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_DEVICE_PLUGIN_DOWN, ev);

		gv_set_str(j, f, "why", GV_STR("it cannot load NVML"));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_pods(j, node);

	any |= by_lines(j, node);
	if (any)
		return GV_FOUND;
	return gv_each(j->run, GV_POD, node, NULL) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_device_plugin = {
	.id = "device-plugin",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
