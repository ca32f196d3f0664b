/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/nvidia.h"

#include "inspect/device.h"

gv_str gv_nvidia_arch(struct gv_arena *a, enum gv_code_kind kind, unsigned sm, char suffix)
{
	const char *of = kind == GV_CODE_ELF ? "sm" : "compute";

	return suffix ? gv_fmt(a, "%s_%u%c", of, sm, suffix) : gv_fmt(a, "%s_%u", of, sm);
}

/* Two layouts of e_flags: that of CUDA up to 12 (ABI 7 and before) has the architecture in the lowest byte and the toolkit in
 * e_version; that of CUDA 12.8 and later (ABI 8) in the second byte. */
bool gv_cubin(struct gv_arena *a, gv_str header, struct gv_code *ret)
{
	uint32_t flags = gv_u32(header, 48), version = gv_u32(header, 20);
	unsigned abi = (unsigned char)header.p[8], sm = abi >= 8 ? flags >> 8 & 0xff : flags & 0xff;

	if (sm < 10)
		return false;
	ret->arch = gv_nvidia_arch(a, GV_CODE_ELF, sm, abi < 8 && flags & 0x800 ? 'a' : 0);
	if (abi < 8 && version >= 40 && version < 200)
		ret->toolkit = version / 10 * 100 + version % 10;
	return true;
}
