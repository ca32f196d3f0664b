/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi --version: the tool's version, which is that of the library it came with, the module's and CUDA's. From
 * R610 on the "DRIVER version" line says that it is deprecated, and "KMD version" stands for it. */
#include "format/common.h"

#define MAX_LINES 8

static const struct {
	const char *key;
	enum gv_fact fact;
} keys[] = {
	{ "NVIDIA-SMI version", GV_F_DRIVER_USER }, { "NVML version", GV_FACTS },
	{ "DRIVER version", GV_F_DRIVER_KERNEL },   { "KMD version", GV_F_DRIVER_KERNEL },
	{ "CUDA Version", GV_F_DRIVER_CUDA_MAX },   { "CUDA UMD version", GV_F_DRIVER_CUDA_MAX },
};

#define NKEYS (sizeof(keys) / sizeof(keys[0]))

/* NKEYS: not a line of this output. */
static size_t key_of(gv_str text, gv_str *ret_value)
{
	gv_str key;

	if (!gv_key_value(gv_trim(text), &key, ret_value))
		return NKEYS;
	for (size_t i = 0; i < NKEYS; i++)
		if (gv_is(key, keys[i].key))
			return i;
	return NKEYS;
}

static size_t version_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str value;
	size_t i = 0;

	(void)seg;
	if (!n || key_of(l[0].text, &value) != 0)
		return 0;
	while (i < n && i < MAX_LINES && key_of(l[i].text, &value) < NKEYS)
		i++;
	return i;
}

static void version_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *node = gv_see_node(r);

	for (size_t i = 0; i < n; i++) {
		gv_str rest, word;
		size_t k = key_of(l[i].text, &rest);
		enum gv_fact f = k < NKEYS ? keys[k].fact : GV_FACTS;

		if (f == GV_FACTS || !gv_word(&rest, &word) || word.p[0] < '0' || word.p[0] > '9' ||
		    gv_slot(node, f)->n)
			continue;
		if (f == GV_F_DRIVER_CUDA_MAX)
			gv_put_cell(r, node, f, word, &l[i]);
		else
			gv_put_str(r, node, f, word, &l[i]);
	}
}

const struct gv_format gv_format_nvidia_smi_version = {
	.name = "nvidia-smi --version",
	.heads = { "NVIDIA-SMI version" },
	.claim = version_claim,
	.read = version_read,
};
