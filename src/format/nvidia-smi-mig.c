/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi mig -lgi, -lci, -lgip, -lcip: GPU instances, the compute instances in them, and the profiles of both. A
 * GPU instance without a compute instance is in the first list only, and no device to anybody. */
#include "format/common_nvidia.h"

#define MAX_GPUS 256
#define GPU_INSTANCES 64 /* ids below: no GPU has as many */

enum list { NO_LIST, GI, CI, PROFILES };

static enum list list_of(gv_str text)
{
	gv_str t = gv_trim(text);

	if (!gv_starts(t, "|"))
		return NO_LIST;
	t = gv_trim(gv_from(t, 1));
	if (gv_starts(t, "GPU instances:"))
		return GI;
	if (gv_starts(t, "Compute instances:"))
		return CI;
	return gv_starts(t, "GPU instance profiles:") || gv_starts(t, "Compute instance profiles:") ? PROFILES
												    : NO_LIST;
}

/* What the tool says in place of a list. */
static enum list empty_list(gv_str text)
{
	gv_str t = gv_trim(text);

	if (gv_starts(t, "No GPU instances found") || gv_starts(t, "No MIG-enabled devices found"))
		return GI;
	return gv_starts(t, "No compute instances found") ? CI : NO_LIST;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 1;

	(void)seg;
	if (empty_list(l[0].text))
		return 1;
	if (!list_of(l[0].text))
		return 0;
	while (end < n && !(l[end].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) && !list_of(l[end].text) &&
	       (gv_starts(gv_trim(l[end].text), "|") || gv_box_rule(l[end].text)))
		end++;
	return end;
}

/* "0 MIG 3g.20gb 9 2 0:4", "0 2 MIG 3g.20gb 2 0 0:3": the name is two words, whatever stands around it. */
static bool row(gv_str text, enum list list, uint64_t *ret_gpu, uint64_t *ret_gi)
{
	gv_str rest = text, cell, w[12];
	size_t n, name = list == CI ? 2 : 1;

	if (!gv_box_cell(&rest, &cell))
		return false;
	n = gv_words(cell, w, 12);
	if (n < name + 4 || n > 12 || !gv_is(w[name], "MIG") || !gv_to_u64(w[0], ret_gpu))
		return false;
	return gv_to_u64(list == CI ? w[1] : w[name + 3], ret_gi);
}

struct count {
	uint64_t gpu, gis; /* a bit for each GPU instance */
	double n, used;
	const struct gv_line *l;
};

static size_t count_rows(const struct gv_line *l, size_t n, enum list list, struct count *v)
{
	size_t known = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t gpu, gi;
		size_t k = 0;

		if (!row(l[i].text, list, &gpu, &gi) || gi >= GPU_INSTANCES)
			continue;
		while (k < known && v[k].gpu != gpu)
			k++;
		if (k == MAX_GPUS)
			continue;
		if (k == known)
			v[known++] = (struct count){ .gpu = gpu };
		v[k].used += !(v[k].gis >> gi & 1);
		v[k].gis |= (uint64_t)1 << gi;
		v[k].n++;
		v[k].l = &l[i];
	}
	return known;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	enum list empty = empty_list(l[0].text), list = empty ? empty : list_of(l[0].text);
	struct count v[MAX_GPUS];
	size_t known = empty || list == PROFILES ? 0 : count_rows(l, n, list, v);
	double all = 0;
	gv_str which;

	for (size_t i = 0; i < known; i++) {
		struct gv_entity *gpu = gv_see_nvidia(r, v[i].gpu, v[i].l);

		all += v[i].n;
		gv_put_str(r, gpu, GV_F_GPU_MIG, GV_STR("Enabled"), v[i].l);
		gv_put_num(r, gpu, list == GI ? GV_F_GPU_MIG_GI : GV_F_GPU_MIG_CI, v[i].n, v[i].l);
		if (list == CI)
			gv_put_num(r, gpu, GV_F_GPU_MIG_USED, v[i].used, v[i].l);
	}
	/* A list of one GPU says nothing of the others. */
	if (list == PROFILES || (gv_cmd_option(r->block->seg, "nvidia-smi", "-i", "--id", &which) && which.n))
		return;
	gv_put_num(r, gv_see_node(r), list == GI ? GV_F_MIG_GI : GV_F_MIG_CI, all, &l[0]);
}

const struct gv_format gv_format_nvidia_smi_mig = {
	.name = "nvidia-smi mig",
	.heads = { "GPU instances:", "Compute instances:", "GPU instance profiles:", "Compute instance profiles:",
		   "No MIG-enabled devices found", "No GPU instances found", "No compute instances found" },
	.claim = claim,
	.read = read,
};
