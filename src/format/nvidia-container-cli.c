/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-container-cli info: the driver, and a paragraph for each GPU. With -d /dev/tty its own log stands above it. */
#include "format/common_nvidia.h"

#define MAX_GPUS 256

static const char *const keys[] = { "NVRM version", "CUDA version", "Device Index", "Device Minor", "Model",
				    "Brand",	    "GPU UUID",	    "Bus Location", "Architecture" };

static bool row(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	if (!gv_key_value(gv_trim(text), ret_key, ret_value))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gv_is(*ret_key, keys[i]))
			return true;
	return false;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str key, value;
	size_t end = 1;

	(void)seg;
	/* /proc/driver/nvidia/version begins with the same words */
	if (n < 2 || !row(l[0].text, &key, &value) || !gv_is(key, "NVRM version") || !row(l[1].text, &key, &value) ||
	    !gv_is(key, "CUDA version"))
		return 0;
	if (!value.n || value.p[0] < '0' || value.p[0] > '9') /* /proc/driver/nvidia/version, whose value is a sentence */
		return 0;
	for (size_t i = 1; i < n && i - end < 2; i++) {
		if (row(l[i].text, &key, &value) && !gv_is(key, "NVRM version"))
			end = i + 1;
		else if (!gv_blank_line(&l[i]))
			break;
	}
	return end;
}

static void read_gpu_row(struct gv_read *r, struct gv_entity *gpu, gv_str key, gv_str value, const struct gv_line *l)
{
	double minor;

	if (gv_is(key, "Device Minor") && gv_to_num(value, &minor)) {
		gv_put_num(r, gpu, GV_F_GPU_MINOR, minor, l);
		gv_key(r, gpu, GV_KEY_MINOR, value);
	} else if (gv_is(key, "Model")) {
		gv_put_str(r, gpu, GV_F_GPU_NAME, value, l);
	} else if (gv_is(key, "GPU UUID") && gv_starts(value, "GPU-")) {
		gv_put_str(r, gpu, GV_F_GPU_UUID, value, l);
		gv_key(r, gpu, GV_KEY_UUID, value);
	} else if (gv_is(key, "Bus Location")) {
		gv_put_str(r, gpu, GV_F_GPU_BUS_ID, value, l);
		gv_key(r, gpu, GV_KEY_BUS, value);
	} else if (gv_is(key, "Architecture")) {
		gv_put_str(r, gpu, GV_F_GPU_COMPUTE_CAP, value, l);
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *gpu = NULL;
	size_t gpus = 0;

	for (size_t i = 0; i < n; i++) {
		gv_str key, value;
		uint64_t index;
		double cuda;

		if (!row(l[i].text, &key, &value) || !value.n || gv_is(value, "(null)"))
			continue;
		if (gv_is(key, "NVRM version")) {
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, value, &l[i]);
		} else if (gv_is(key, "CUDA version")) {
			if (gv_to_num(value, &cuda))
				gv_put_num(r, gv_see_node(r), GV_F_DRIVER_CUDA_MAX, cuda, &l[i]);
		} else if (gv_is(key, "Device Index") && gv_to_u64(value, &index)) {
			if (gpus++ == MAX_GPUS)
				return;
			gpu = gv_see_nvidia(r, index, &l[i]);
		} else if (gpu) {
			read_gpu_row(r, gpu, key, value, &l[i]);
		}
	}
	/* the tool works on the host, whoever calls it */
	if (gpus)
		gv_put_num(r, gv_see_node(r), GV_F_GPU_COUNT, (double)gpus, &l[0]);
}

const struct gv_format gv_format_nvidia_container_cli = {
	.name = "nvidia-container-cli info",
	.heads = { "NVRM version:" },
	.claim = claim,
	.read = read,
};
