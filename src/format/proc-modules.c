/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/modules and lsmod: of the modules that are loaded, those that have to do with GPUs and RDMA. */
#include "format/common.h"

/* Modules by name, or by how their names begin. */
static bool matters(gv_str name)
{
	static const char *const whole[] = { "amdgpu",	"amdkfd",    "efa",	    "gdrdrv", "i915",	  "irdma",
					     "nouveau", "nova_core", "nv_peer_mem", "radeon", "vfio_pci", "xe" };
	static const char *const starts[] = { "bnxt_re", "habanalabs", "ib_", "mlx5_", "nvidia", "rdma_" };

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (gv_is(name, whole[i]))
			return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (gv_starts(name, starts[i]))
			return true;
	return false;
}

static bool is_head(gv_str text)
{
	gv_str w[5];

	return gv_words(text, w, 5) == 4 && gv_is(w[0], "Module") && gv_is(w[1], "Size") && gv_is(w[2], "Used");
}

/* "nvidia_uvm 6922240 0 - Live 0x0000000000000000 (POE)", and lsmod's "nvidia_uvm 6922240 0" or "nvidia 54 2
 * nvidia_uvm" */
static bool row(gv_str text, bool proc, gv_str *ret_name)
{
	gv_str w[8];
	size_t n = gv_words(text, w, 8);
	uint64_t size, uses;

	if (n < 3 || n > 8 || !gv_to_u64(w[1], &size) || !gv_to_u64(w[2], &uses))
		return false;
	if (proc && (n < 6 || !gv_starts(w[5], "0x") ||
		     !(gv_is(w[4], "Live") || gv_is(w[4], "Loading") || gv_is(w[4], "Unloading"))))
		return false;
	if (!proc && n > 4)
		return false;
	*ret_name = w[0];
	return !proc || gv_is(w[4], "Live");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool lsmod = is_head(l[0].text);
	size_t i = lsmod;
	gv_str name;

	(void)seg;
	while (i < n && (row(l[i].text, !lsmod, &name) || (!lsmod && gv_has(l[i].text, "ing 0x"))))
		i++;
	return i;
}

static void read_modules(struct gv_read *r, const struct gv_line *l, size_t n)
{
	bool lsmod = is_head(l[0].text);
	const struct gv_line *at = NULL;
	gv_str list = GV_NONE, name;
	size_t kept = 0;

	for (size_t i = 0; i < n && kept < 256; i++) {
		if (!row(l[i].text, !lsmod, &name) || !matters(name))
			continue;
		list = list.n ? gv_fmt(r->arena, "%.*s %.*s", GV_ARG(list), GV_ARG(name)) : name;
		at = at ? at : &l[i];
		kept++;
	}
	if (list.n)
		gv_put_str(r, gv_see_node(r), GV_F_MODULES, list, at);
	else
		gv_put_none(r, gv_see_node(r), GV_F_MODULES, GV_NOT_APPLICABLE, "no such module is loaded", &l[0]);
}

const struct gv_format gv_format_proc_modules = {
	.name = "/proc/modules",
	.heads = { " Live 0x", "Used by" },
	.claim = claim,
	.read = read_modules,
};
