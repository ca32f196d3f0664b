/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/nvidia.h"

#include "inspect/device.h"

enum { NOTE_CUDA = 0x3e8, NOTE_TOOL = 0x7d0 };

gv_str gv_nvidia_arch(struct gv_arena *a, enum gv_code_kind kind, unsigned sm, char suffix)
{
	const char *of = kind == GV_CODE_ELF ? "sm" : "compute";

	return suffix ? gv_fmt(a, "%s_%u%c", of, sm, suffix) : gv_fmt(a, "%s_%u", of, sm);
}

/* Two layouts of e_flags: that of CUDA up to 12 (ABI 7 and before) has the architecture in the lowest byte and the
 * toolkit in e_version; that of CUDA 12.8 and later (ABI 8) in the second byte, and the rest in notes. */
bool gv_cubin(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note)
{
	uint32_t flags = gv_u32(header, 48), version = gv_u32(header, 20);
	unsigned abi = (unsigned char)header.p[8], sm = abi >= 8 ? flags >> 8 & 0xff : flags & 0xff;

	if (sm < 10)
		return false;
	ret->arch = gv_nvidia_arch(a, GV_CODE_ELF, sm, abi < 8 && flags & 0x800 ? 'a' : 0);
	if (abi < 8 && version >= 40 && version < 200)
		ret->toolkit = version / 10 * 100 + version % 10;
	if (abi >= 8)
		*ret_note = GV_NOTE_FRONT;
	return true;
}

/* ABI 8: the assembler's own words, "-arch sm_90a -m 64" among them, in one note; the toolkit as a number, 130, in the
 * other. */
void gv_cubin_notes(struct gv_arena *a, gv_str bytes, struct gv_code *code)
{
	gv_str words = gv_elf_note(bytes, "NVIDIA Corp", NOTE_TOOL), arch = gv_before(gv_after(words, "-arch "), " ");
	unsigned toolkit = gv_u16(gv_elf_note(bytes, "NVIDIA Corp", NOTE_CUDA), 4);

	if (arch.n == code->arch.n + 1 && gv_eq(gv_sub(arch, 0, code->arch.n), code->arch) &&
	    (gv_ends(arch, "a") || gv_ends(arch, "f")))
		code->arch = gv_dup(a, arch);
	if (toolkit >= 40 && toolkit < 1000)
		code->toolkit = toolkit / 10 * 100 + toolkit % 10;
}

unsigned gv_cubin_toolkit(struct gv_arena *a, gv_str bytes)
{
	struct gv_code cubin = { .vendor = GV_NVIDIA };
	enum gv_device_note note = GV_NOTE_NONE;

	if (bytes.n < GV_ELF_HEADER || !gv_starts(bytes, "\177ELF") || gv_u16(bytes, 18) != GV_EM_CUDA ||
	    !gv_cubin(a, bytes, &cubin, &note))
		return 0;
	if (note != GV_NOTE_NONE)
		gv_cubin_notes(a, bytes, &cubin);
	return cubin.toolkit;
}
