/* SPDX-License-Identifier: Apache-2.0 */
/* What nvidia-smi prints in place of an answer. */
#include "format/common.h"

static const char *const whole[] = {
	"NVIDIA-SMI has failed because",
	"NVIDIA-SMI couldn't find libnvidia-ml",
	"Failed to initialize NVML:",
	"Unable to determine the device handle for",
};

static bool is_error(gv_str t)
{
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (gv_starts(t, whole[i]))
			return true;
	return false;
}

/* Others say the first words too: programs that load NVML themselves. Theirs are lines of a log. */
static bool foreign(gv_str t)
{
	return gv_has(t, "could not load NVML") || gv_has(t, "ERROR_") || gv_has(t, "nvml:");
}

static bool no_devices(gv_str t, const struct gv_seg *seg)
{
	return (gv_is(t, "No devices were found") || gv_is(t, "No devices were found.")) &&
	       (!seg->cmd.n || gv_has(seg->cmd, "nvidia-smi"));
}

/* Lines that belong to the message above them. */
static bool follows(gv_str t)
{
	return gv_starts(t, "NVML library version:") || gv_starts(t, "Make sure that the latest NVIDIA driver") ||
	       gv_starts(t, "Please make sure that the NVIDIA Display Driver") ||
	       gv_starts(t, "This can also be happening if non-NVIDIA GPU") ||
	       gv_starts(t, "Please also try adding directory");
}

static size_t error_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);
	size_t i = 0;

	if (foreign(t) || (!is_error(t) && !no_devices(t, seg)))
		return 0;
	for (i = 1; i < n && i < 256; i++) {
		t = gv_trim(l[i].text);
		if (!is_error(t) && !no_devices(t, seg) && !follows(t))
			break;
	}
	return i;
}

/* "Unable to determine the device handle for GPU 0000:05:00.0: GPU is lost.  Reboot ...", and with "gpu", "GPU0: " or
 * "GPU0000:" in front of the address. */
static void read_handle(struct gv_read *r, gv_str t, const struct gv_line *l)
{
	gv_str rest = gv_trim(gv_after(t, "device handle for")), bus = GV_NONE, index = GV_NONE, why, addr;
	struct gv_entity *gpu;
	uint64_t u;
	double v;

	if (gv_starts_nocase(rest, "GPU"))
		rest = gv_trim(gv_from(rest, 3));
	addr = gv_before(rest, ": ");
	if (addr.n && addr.n <= 4 && gv_to_u64(addr, &u)) {
		index = addr;
		rest = gv_trim(gv_after(rest, ": "));
		addr = gv_before(rest, ": ");
	}
	if (!gv_bus_id(r->arena, addr, &bus) && !index.n)
		return;
	why = bus.n ? gv_after(rest, ": ") : rest;
	gpu = gv_see(r, GV_GPU, GV_NONE);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	if (index.n && gv_to_num(index, &v)) {
		gv_key(r, gpu, GV_KEY_INDEX, index);
		gv_put_num(r, gpu, GV_F_GPU_INDEX, v, l);
	}
	if (bus.n) {
		gv_key(r, gpu, GV_KEY_BUS, addr);
		gv_put_str(r, gpu, GV_F_GPU_BUS_ID, addr, l);
	}
	why = gv_trim(gv_before(why, "."));
	gv_put_str(r, gpu, GV_F_GPU_BROKEN, why.n ? why : GV_STR("no device handle"), l);
}

static void error_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	bool named = false, said = false;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (gv_starts(t, "NVML library version:")) {
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_USER, gv_after(t, ":"), &l[i]);
			continue;
		}
		if (follows(t))
			continue;
		if (gv_starts(t, "Unable to determine")) {
			read_handle(r, t, &l[i]);
			named = true;
		} else if (gv_starts(t, "No devices were found") && !named) {
			gv_put_num(r, gv_see_node(r), r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT,
				   0, &l[i]);
		}
		/* The first message is the one that counts: "No devices were found" may follow it. */
		if (!r->block->container && !said)
			gv_put_str(r, gv_see_node(r), GV_F_GPU_TOOL_ERROR, t, &l[i]);
		said = true;
	}
}

const struct gv_format gv_format_nvidia_smi_error = {
	.name = "nvidia-smi error",
	.heads = { "NVIDIA-SMI has failed because", "NVIDIA-SMI couldn't find libnvidia-ml",
		   "Failed to initialize NVML:", "Unable to determine the device handle for", "No devices were found" },
	.claim = error_claim,
	.read = error_read,
};
