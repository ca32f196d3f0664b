/* SPDX-License-Identifier: Apache-2.0 */
/* `nvidia-smi -L`: one line a GPU, one below it for each of its MIG devices. */
#include "format/common.h"

#define MAX_GPUS 512

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)"; the UUID may have been blanked out. */
static bool gpu_of(gv_str line, gv_str *ret_index, gv_str *ret_name, gv_str *ret_uuid)
{
	gv_str t = gv_trim(line), index, name;
	ptrdiff_t uuid = gv_rfind(t, "(UUID:");
	uint64_t v;

	if (!gv_starts(t, "GPU ") || uuid < 0)
		return false;
	index = gv_trim(gv_before(gv_from(t, 4), ":"));
	if (index.n > 6 || !gv_to_u64(index, &v))
		return false;
	name = gv_after(gv_sub(t, 0, (size_t)uuid), ":");
	*ret_index = index;
	*ret_name = gv_trim(name);
	*ret_uuid = gv_trim(gv_before(gv_from(t, (size_t)uuid + 6), ")"));
	return true;
}

static bool mig_of(gv_str line)
{
	gv_str t = gv_trim(line);

	return gv_starts(t, "MIG ") && gv_has(t, "Device") && gv_has(t, "(UUID: MIG");
}

static size_t list_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str index, name, uuid, t;
	size_t i = 0;

	if (gv_has(seg->cmd, "nvlink") || gv_has(seg->cmd, "c2c") || !gpu_of(l[0].text, &index, &name, &uuid))
		return 0;
	while (i < n && (gpu_of(l[i].text, &index, &name, &uuid) || mig_of(l[i].text)))
		i++;
	/* The same line heads the blocks of `nvidia-smi nvlink` and `c2c`, which say something else. */
	t = i < n ? gv_trim(l[i].text) : GV_NONE;
	if (gv_starts(t, "Link ") || gv_has(t, "NVLink") || gv_starts(t, "C2C") || gv_starts(t, "NVML:")) {
		while (mig_of(l[i - 1].text)) /* of the GPU that is the head; the first line is a GPU's */
			i--;
		return i - 1;
	}
	return i;
}

/* Only a whole list says how many GPUs there are. */
static void put_count(struct gv_read *r, double count, bool whole, const struct gv_line *l, size_t n)
{
	gv_str cmd = r->block->seg->cmd, index, name, uuid;
	size_t after = r->block->first + n;

	if (!whole || gv_has(cmd, " -i ") || gv_has(cmd, " -i=") || gv_has(cmd, "--id") ||
	    (gv_has(cmd, "|") && !gv_has(cmd, "| tee")))
		return;
	/* Behind a whole list there is no GPU, and none that is lost, which leaves its error in place of its line. */
	if (after < r->doc->nlines && gpu_of(r->doc->lines[after].text, &index, &name, &uuid))
		return;
	for (size_t k = after; k < r->doc->nlines && k < after + 2; k++)
		if (gv_starts(gv_trim(r->doc->lines[k].text), "Unable to determine"))
			return;
	gv_put_num(r, gv_see_node(r), r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT, count, l);
}

static void list_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *gpu = NULL;
	double gpus = 0, migs = 0, v;
	gv_str index, name, uuid;
	bool whole = true;

	for (size_t i = 0; i < n; i++) {
		if (mig_of(l[i].text)) {
			if (!gpu)
				continue;
			if (++migs == 1)
				gv_put_str(r, gpu, GV_F_GPU_MIG, GV_STR("Enabled"), &l[i]);
			if (i + 1 == n || !mig_of(l[i + 1].text))
				gv_put_num(r, gpu, GV_F_GPU_MIG_DEVICES, migs, &l[i]);
			continue;
		}
		if (!gpu_of(l[i].text, &index, &name, &uuid) || !gv_to_num(index, &v) || gpus == MAX_GPUS)
			continue;
		if (gpus == 0 && v != 0) /* the top is missing */
			whole = false;
		gpus++;
		migs = 0;
		gpu = gv_see(r, GV_GPU, GV_NONE);
		gv_key(r, gpu, GV_KEY_INDEX, index);
		gv_put_num(r, gpu, GV_F_GPU_INDEX, v, &l[i]);
		gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), &l[i]);
		if (name.n)
			gv_put_str(r, gpu, GV_F_GPU_NAME, name, &l[i]);
		if (gv_starts(uuid, "GPU-")) {
			gv_key(r, gpu, GV_KEY_UUID, uuid);
			gv_put_str(r, gpu, GV_F_GPU_UUID, uuid, &l[i]);
		}
	}
	put_count(r, gpus, whole, l, n);
}

const struct gv_format gv_format_nvidia_smi_list = {
	.name = "nvidia-smi -L",
	.heads = { "(UUID:" },
	.claim = list_claim,
	.read = list_read,
};
