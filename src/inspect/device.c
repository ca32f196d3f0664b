/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/device.h"

#include <string.h>

bool gv_device_elf(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note)
{
	struct gv_code c = { .kind = GV_CODE_ELF };
	enum gv_device_note note = GV_NOTE_NONE;
	bool known = false;

	if (header.n < GV_ELF_HEADER || header.p[4] != 2 || header.p[5] != 1)
		return false;
	switch (gv_u16(header, 18)) {
	case GV_EM_CUDA:
		c.vendor = GV_NVIDIA;
		known = gv_cubin(a, header, &c, &note);
		break;
	case GV_EM_AMDGPU:
		c.vendor = GV_AMD;
		known = gv_amdgpu(a, header, &c, &note);
		break;
	case GV_EM_INTELGT:
		c.vendor = GV_INTEL;
		known = gv_zebin(a, header, &c, &note);
		break;
	}
	if (known) {
		*ret = c;
		*ret_note = note;
	}
	return known;
}

void gv_device_notes(struct gv_arena *a, gv_str header, gv_str bytes, struct gv_code *code)
{
	if (code->vendor == GV_NVIDIA)
		gv_cubin_notes(a, bytes, code);
	else if (code->vendor == GV_AMD)
		gv_amdgpu_notes(a, header, bytes, code);
	else
		gv_zebin_notes(a, bytes, code);
}

/* Notes are found by the name of their owner, not by the table of sections, which stands behind them: an object out of an
 * archive has gone by then. */
gv_str gv_elf_note(gv_str bytes, const char *owner, uint32_t type)
{
	size_t n = strlen(owner) + 1, padded = (n + 3) & ~(size_t)3;

	for (size_t at = 12; at < bytes.n && bytes.n - at >= padded;) {
		const char *p = memmem(bytes.p + at, bytes.n - at, owner, n);
		size_t desc;

		if (!p)
			break;
		at = (size_t)(p - bytes.p);
		desc = gv_u32(bytes, at - 8);
		if (gv_u32(bytes, at - 12) == n && gv_u32(bytes, at - 4) == type && bytes.n - at >= padded && desc <= bytes.n - at - padded)
			return gv_sub(bytes, at + padded, desc);
		at++;
	}
	return GV_NONE;
}
