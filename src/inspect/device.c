/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/device.h"

bool gv_device_elf(struct gv_arena *a, gv_str header, struct gv_code *ret)
{
	struct gv_code c = { .kind = GV_CODE_ELF };
	bool known = false;

	if (header.n < GV_ELF_HEADER)
		return false;
	switch (gv_u16(header, 18)) {
	case GV_EM_CUDA:
		c.vendor = GV_NVIDIA;
		known = gv_cubin(a, header, &c);
		break;
	case GV_EM_AMDGPU:
		c.vendor = GV_AMD;
		known = gv_amdgpu(a, header, &c);
		break;
	case GV_EM_INTELGT:
		c.vendor = GV_INTEL;
		known = gv_zebin(a, header, &c);
		break;
	}
	if (known)
		*ret = c;
	return known;
}
