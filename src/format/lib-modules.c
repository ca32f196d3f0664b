/* SPDX-License-Identifier: Apache-2.0 */
/* Listings of driver modules below /lib/modules, from find or ls: which kernels have a module of the GPU driver. */
#include "format/common.h"

/* "/lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko.zst" -> kernel and module; extras of the driver are left out.
 */
static bool module_path(gv_str t, gv_str *ret_kernel, gv_str *ret_name)
{
	gv_str rest = gv_after(t, "lib/modules/"), kernel = gv_before(rest, "/"), file;
	ptrdiff_t at = gv_rfind(rest, "/");

	if (!rest.n || !kernel.n || kernel.n > 96 || at < 0 || gv_find_c(t, ' ') >= 0)
		return false;
	file = gv_before(gv_from(rest, (size_t)at + 1), ".ko");
	if (!gv_has(gv_from(rest, (size_t)at + 1), ".ko"))
		file = GV_NONE;
	*ret_kernel = kernel;
	*ret_name =
	    gv_is(file, "nvidia") || gv_is(file, "nvidia-current") || gv_is(file, "nvidia-open") ? file : GV_NONE;
	return true;
}

static size_t modules_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str kernel, name;
	size_t end = 0;

	(void)seg;
	while (end < n && end < 4096 && module_path(gv_trim(l[end].text), &kernel, &name))
		end++;
	return end;
}

static void modules_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str kernel, name;
		struct gv_entity *e;

		if (!module_path(gv_trim(l[i].text), &kernel, &name) || !name.n)
			continue;
		e = gv_see(r, GV_MODULE, gv_fmt(r->arena, "%.*s/%.*s", GV_ARG(name), GV_ARG(kernel)));
		gv_put_str(r, e, GV_F_MODULE_NAME, name, &l[i]);
		gv_put_str(r, e, GV_F_MODULE_KERNEL, kernel, &l[i]);
		gv_put_str(r, e, GV_F_MODULE_STATE, GV_STR("installed"), &l[i]);
	}
}

const struct gv_format gv_format_lib_modules = {
	.name = "modules of the kernel",
	.heads = { "/lib/modules/" },
	.claim = modules_claim,
	.read = modules_read,
};
