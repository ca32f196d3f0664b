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

/* Notes are found by the name of their owner, not by the table of sections, which stands behind them: an object out of
 * an archive has gone by then. */
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
		if (gv_u32(bytes, at - 12) == n && gv_u32(bytes, at - 4) == type && bytes.n - at >= padded &&
		    desc <= bytes.n - at - padded)
			return gv_sub(bytes, at + padded, desc);
		at++;
	}
	return GV_NONE;
}

/* By the first part of the triple; AMD's portable code by the second. */
static bool vendor_of(gv_str triple, unsigned *ret)
{
	static const struct {
		const char *arch;
		unsigned vendor;
	} known[] = {
		{ "amdgcn", GV_AMD }, { "r600", GV_AMD }, { "nvptx", GV_NVIDIA },     { "nvptx64", GV_NVIDIA },
		{ "spir", 0 },	      { "spir64", 0 },	  { "spir64_gen", GV_INTEL }, { "spirv", 0 },
		{ "spirv32", 0 },     { "spirv64", 0 },
	};
	gv_str arch = gv_before(triple, "-");

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (gv_is(arch, known[i].arch)) {
			*ret = gv_starts(triple, "spirv64-amd-") ? GV_AMD : known[i].vendor;
			return true;
		}
	return false;
}

bool gv_device_target(struct gv_arena *a, gv_str triple, gv_str target, struct gv_code *code)
{
	if (!vendor_of(triple, &code->vendor))
		return false;
	if (gv_is(target, "generic"))
		target = GV_NONE;
	if (code->vendor == GV_NVIDIA && code->kind != GV_CODE_ELF && gv_starts(target, "sm_"))
		code->arch = gv_fmt(a, "compute_%.*s", GV_ARG(gv_from(target, 3)));
	else
		code->arch = target.n ? gv_dup(a, target) : GV_NONE;
	return true;
}

bool gv_device_kind(gv_str b, enum gv_code_kind *ret)
{
	if (gv_starts(b, "\177ELF"))
		*ret = GV_CODE_ELF;
	else if (gv_starts(b, "BC\xc0\xde") || gv_starts(b, "\xde\xc0\x17\x0b"))
		*ret = GV_CODE_BITCODE;
	else if (gv_starts(b, "\x03\x02\x23\x07"))
		*ret = GV_CODE_SPIRV;
	else if (gv_starts(b, "//") || gv_starts(b, "\n//") || gv_starts(b, ".version"))
		*ret = GV_CODE_PTX;
	else
		return false;
	return true;
}
