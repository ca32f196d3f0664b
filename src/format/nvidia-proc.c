/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/driver/nvidia: version, params, and of each GPU information and power: what the kernel module says without any tool.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, kernel-open/nvidia/nv-procfs.c. A GPU that is not initialised shows question
 * marks in its UUID and VBIOS, and in all of its power. Drivers before R460 say "Blacklisted" for "GPU Excluded", those
 * before R495 know no firmware. */
#include "format/common_pci.h"
#include "format/common_sysfs.h"

static bool is_version(gv_str text)
{
	return gv_starts(text, "NVRM version:");
}

/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build" */
static void read_version(struct gv_read *r, const struct gv_line *l)
{
	gv_str rest = gv_after(l->text, "Kernel Module"), w;

	while (gv_word(&rest, &w)) {
		if (w.p[0] < '0' || w.p[0] > '9' || gv_find_c(w, '.') <= 0)
			continue;
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, w, l);
		gv_put_flag(r, gv_see_node(r), GV_F_DRIVER_OPEN, gv_has(l->text, "Open Kernel Module"), l);
		return;
	}
}

/* "Key: \t value" with a key of capitalised words */
static bool entry(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	return gv_key_value(text, ret_key, ret_value) && ret_key->n && ret_key->n < 40 && ret_key->p[0] >= 'A' &&
	       ret_key->p[0] <= 'Z';
}

static const char *const of_gpu[] = { "Model",	      "IRQ",	     "GPU UUID",       "Video BIOS",   "Bus Type",
				      "DMA Size",     "DMA Mask",    "Bus Location",   "Device Minor", "GPU Firmware",
				      "GPU Excluded", "Blacklisted", "GPU Blacklisted" };

static bool is_gpu_line(gv_str text)
{
	gv_str key, value;

	if (!entry(text, &key, &value))
		return false;
	for (size_t i = 0; i < sizeof(of_gpu) / sizeof(of_gpu[0]); i++)
		if (gv_is(key, of_gpu[i]))
			return true;
	return false;
}

/* A model alone may be anybody's: the line behind it must be of the driver, too. */
static bool begins_gpu(const struct gv_line *l, size_t n)
{
	return gv_starts(l[0].text, "Model:") && n > 1 && is_gpu_line(l[1].text);
}

static bool begins_params(gv_str text)
{
	return gv_starts(text, "ResmanDebugLevel:") || gv_starts(text, "ExcludedGpus:") ||
	       gv_starts(text, "GpuBlacklist:") || gv_starts(text, "RegistryDwords:");
}

static bool begins_power(gv_str text)
{
	return gv_starts(text, "Runtime D3 status:");
}

/* Of gpus/BUS/power; below headings, keys are indented by a blank. */
static bool is_power_line(gv_str text)
{
	static const char *const of_power[] = { "Runtime D3 status:",	"Tegra iGPU Rail-Gating:", "Video Memory:", "GPU Hardware Support:",
						"Video Memory Self Refresh:", "Video Memory Off:", "S0ix Power Management:",
						"Platform Support:",	"Status:",		   "Notebook Dynamic Boost:",
						"Power Limits:",	"Default:",		   "GPU Boost:" };

	text = gv_trim(text);
	for (size_t i = 0; i < sizeof(of_power) / sizeof(of_power[0]); i++)
		if (gv_starts(text, of_power[i]))
			return true;
	return false;
}

static size_t power_lines(const struct gv_line *l, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < n && i - end < 3; i++) {
		if (!gv_trim(l[i].text).n)
			continue;
		if (!is_power_line(l[i].text) || (i && begins_power(l[i].text)))
			break;
		end = i + 1;
	}
	return end;
}

/* "$ cat /proc/driver/nvidia/gpus/0000:41:00.0/information: no answer within 5 s": a prompt with nothing below it. */
static bool hung_prompt(const struct gv_line *l)
{
	return (l->flags & GV_LINE_PROMPT) && gv_has(l->text, "/proc/driver/nvidia/") && gv_is_hung(l->text);
}

static void read_hung(struct gv_read *r, const struct gv_line *l)
{
	gv_str addr = gv_before(gv_after(l->text, "/gpus/"), "/"), bus;

	if (gv_bus_id(r->arena, addr, &bus))
		gv_put_str(r, gv_see_pci_gpu(r, bus, addr, "nvidia", GV_NONE, l), GV_F_GPU_NO_ANSWER, l->text, l);
	else
		gv_put_str(r, gv_see_node(r), GV_F_GPU_TOOL_NO_ANSWER, l->text, l);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str key, value;
	size_t i = 0;

	(void)seg;
	if (hung_prompt(l))
		return 1;
	if (is_version(l[0].text))
		return n > 1 && gv_starts(l[1].text, "GCC version:") ? 2 : 1;
	if (begins_gpu(l, n)) {
		while (i < n && is_gpu_line(l[i].text))
			i++;
		return i;
	}
	if (begins_power(l[0].text))
		return power_lines(l, n);
	if (begins_params(l[0].text))
		while (i < n && entry(l[i].text, &key, &value) && gv_find_c(key, ' ') < 0)
			i++;
	return i;
}

struct gpu {
	struct gv_sysfs_value model, uuid, vbios, bus, minor, firmware, excluded;
};

static bool has(const struct gv_line *l, gv_str v)
{
	return l && v.n && gv_find_c(v, '?') < 0;
}

static void emit(struct gv_read *r, const struct gpu *g)
{
	struct gv_entity *gpu;
	const char *reason;
	enum gv_state state;
	gv_str bus;
	double minor;

	if (!g->bus.l || !gv_bus_id(r->arena, g->bus.v, &bus))
		return;
	gpu = gv_see_pci_gpu(r, bus, g->bus.v, "nvidia", GV_NONE, g->bus.l);
	if (has(g->model.l, g->model.v) && !gv_is(g->model.v, "Unknown"))
		gv_put_str(r, gpu, GV_F_GPU_NAME, g->model.v, g->model.l);
	if (has(g->uuid.l, g->uuid.v)) {
		gv_key(r, gpu, GV_KEY_UUID, g->uuid.v);
		gv_put_str(r, gpu, GV_F_GPU_UUID, g->uuid.v, g->uuid.l);
	} else if (g->uuid.l) {
		gv_put_none(r, gpu, GV_F_GPU_UUID, GV_UNKNOWN, "the driver has not initialised the GPU", g->uuid.l);
	}
	if (has(g->vbios.l, g->vbios.v))
		gv_put_str(r, gpu, GV_F_GPU_VBIOS, g->vbios.v, g->vbios.l);
	if (gv_to_num(g->minor.v, &minor) && minor >= 0 && minor < 255) {
		gv_key(r, gpu, GV_KEY_MINOR, g->minor.v);
		gv_put_num(r, gpu, GV_F_GPU_MINOR, minor, g->minor.l);
	}
	if (has(g->firmware.l, g->firmware.v)) {
		state = gv_no_value(g->firmware.v, &reason);
		if (state == GV_KNOWN)
			gv_put_str(r, gpu, GV_F_GPU_GSP, g->firmware.v, g->firmware.l);
		else
			gv_put_none(r, gpu, GV_F_GPU_GSP, state, reason, g->firmware.l);
	}
	if (g->excluded.l && gv_starts(g->excluded.v, "Yes"))
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_EXCLUDED, has(g->uuid.l, g->uuid.v) ? g->uuid.v : bus, g->excluded.l);
}

static void read_gpus(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gpu g = { 0 };

	for (size_t i = 0; i < n; i++) {
		gv_str key, value;
		const struct {
			const char *key;
			struct gv_sysfs_value *into;
		} keys[] = {
			{ "Model", &g.model },	    { "GPU UUID", &g.uuid },	  { "Video BIOS", &g.vbios },
			{ "Bus Location", &g.bus }, { "Device Minor", &g.minor }, { "GPU Firmware", &g.firmware },
			{ "GPU Excluded", &g.excluded }, { "Blacklisted", &g.excluded }, { "GPU Blacklisted", &g.excluded },
		};

		if (!entry(l[i].text, &key, &value))
			continue;
		if (gv_is(key, "Model") && g.model.l) {
			emit(r, &g);
			g = (struct gpu){ 0 };
		}
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (gv_is(key, keys[k].key))
				*keys[k].into = (struct gv_sysfs_value){ value, &l[i] };
	}
	emit(r, &g);
}

static void read_params(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str list;

		if (!gv_starts(l[i].text, "ExcludedGpus:") && !gv_starts(l[i].text, "GpuBlacklist:"))
			continue;
		list = gv_between(l[i].text, "\"", "\"");
		if (list.n)
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_EXCLUDED, list, &l[i]);
	}
}

/* Which GPU it is stands in the command only. Memory that is off, or refreshes itself, is that of a GPU that sleeps. */
static void read_power(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str printed = gv_before(gv_after(r->block->seg->cmd, "/gpus/"), "/"), bus;

	if (!gv_bus_id(r->arena, printed, &bus))
		return;
	for (size_t i = 0; i < n; i++) {
		gv_str v = gv_starts(l[i].text, "Video Memory:") ? gv_trim(gv_after(l[i].text, ":")) : GV_NONE;
		bool awake = gv_is(v, "Active");

		if (awake || gv_is(v, "Off") || gv_is(v, "Self Refresh"))
			gv_put_str(r, gv_see_pci_gpu(r, bus, printed, "nvidia", GV_NONE, &l[i]), GV_F_GPU_RUNTIME,
				   awake ? GV_STR("active") : GV_STR("suspended"), &l[i]);
	}
}

static void read_nvidia(struct gv_read *r, const struct gv_line *l, size_t n)
{
	if (hung_prompt(l))
		read_hung(r, l);
	else if (is_version(l[0].text))
		read_version(r, &l[0]);
	else if (begins_gpu(l, n))
		read_gpus(r, l, n);
	else if (begins_power(l[0].text))
		read_power(r, l, n);
	else
		read_params(r, l, n);
}

const struct gv_format gv_format_nvidia_proc = {
	.name = "/proc/driver/nvidia",
	.heads = { "NVRM version:", "Model:", "ResmanDebugLevel:", "ExcludedGpus:", "GpuBlacklist:", "RegistryDwords:",
		   "Runtime D3 status:" },
	.cmds = { "/proc/driver/nvidia/" },
	.claim = claim,
	.read = read_nvidia,
};
