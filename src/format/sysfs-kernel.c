/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of GPU drivers in /sys/module, and the kernel's setting for transparent huge pages: "always [madvise]
 * never", the one in brackets is in force. */
#include "format/common_sysfs.h"

static const char *const areas[] = { "/sys/module/", "/sys/kernel/mm/transparent_hugepage/", NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

static void read_kernel(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;

		if (!gv_sysfs_line(l[i].text, &s) || !s.value.n)
			continue;
		if (gv_is(s.path, "/sys/module/nvidia/version"))
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, s.value, &l[i]);
		else if (gv_is(s.path, "/sys/module/amdgpu/version"))
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_AMDGPU, s.value, &l[i]);
		else if (gv_is(s.path, "/sys/kernel/mm/transparent_hugepage/enabled") &&
			 gv_between(s.value, "[", "]").n)
			gv_put_str(r, gv_see_node(r), GV_F_THP, gv_between(s.value, "[", "]"), &l[i]);
	}
}

const struct gv_format gv_format_sysfs_kernel = {
	.name = "/sys/module",
	.heads = { "/sys/module/", "/sys/kernel/mm/transparent_hugepage/" },
	.claim = claim,
	.read = read_kernel,
};
