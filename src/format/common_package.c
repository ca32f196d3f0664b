/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_package.h"

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

bool gv_kernel_release(gv_str s)
{
	unsigned dots = 0;
	size_t i = 0;

	if (!s.n || !digit(s.p[0]) || s.n > 96)
		return false;
	for (; i < s.n && (digit(s.p[i]) || s.p[i] == '.'); i++)
		dots += s.p[i] == '.';
	if (dots < 2 || i + 1 >= s.n || s.p[i] != '-')
		return false;
	for (; i < s.n; i++)
		if (!(digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
		      strchr(".-_+~", s.p[i])))
			return false;
	return true;
}

bool gv_package_matters(gv_str name)
{
	static const char *const starts[] = { "nvidia",
					      "libnvidia",
					      "xserver-xorg-video-nvidia",
					      "linux-modules-nvidia-",
					      "linux-image-",
					      "kmod-nvidia",
					      "akmod-nvidia",
					      "cuda-drivers",
					      "amdgpu",
					      "rock-dkms",
					      "kernel-core",
					      "xorg-x11-drv-nvidia",
					      "libcuda1" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (gv_starts(name, starts[i]))
			return true;
	return gv_is(name, "kernel") || gv_is(name, "kernel-default") || gv_is(name, "kernel-uek-core");
}

gv_str gv_package_kernel(gv_str name)
{
	gv_str release = gv_after(name, "linux-image-");

	if (gv_starts(release, "unsigned-"))
		release = gv_from(release, 9);
	return gv_kernel_release(release) && !gv_ends(release, "-dbgsym") && !gv_ends(release, "-dbg") ? release
												       : GV_NONE;
}

void gv_see_image(struct gv_read *r, gv_str release, enum gv_fact how, const struct gv_line *l)
{
	gv_put_flag(r, gv_see(r, GV_IMAGE, release), how, true, l);
}

void gv_see_package(struct gv_read *r, gv_str name, gv_str version, const struct gv_line *l)
{
	gv_str kernel, v = gv_after(version, ":");
	struct gv_entity *e;

	name = gv_before(name, ":"); /* of an architecture */
	if (!gv_package_matters(name) || !version.n || name.n > 128 || version.n > 128)
		return;
	e = gv_see(r, GV_PACKAGE, name);
	gv_put_str(r, e, GV_F_PACKAGE_VERSION, v.p ? v : version, l);
	kernel = gv_package_kernel(name);
	if (kernel.n)
		gv_see_image(r, kernel, GV_F_IMAGE_THERE, l);
}
