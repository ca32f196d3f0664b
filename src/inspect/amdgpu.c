/* SPDX-License-Identifier: Apache-2.0 */
/* AMDGPU code objects: the target is in e_flags, and is written as a target ID: "gfx90a:sramecc+:xnack-". A feature
 * that the code does not care about is left out. Objects of version 2 name an instruction set in a note instead. */
#include "core/table.h"
#include "inspect/device.h"

enum { V2, V3, V4, V5, V6, VERSIONS }; /* as e_ident[EI_ABIVERSION] */
enum { OSABI_HSA = 64, OSABI_PAL, OSABI_MESA3D };
enum { NOTE_HSAIL = 2, NOTE_ISA = 3 };
enum { V2_XNACK = 1, V3_XNACK = 0x100, V3_SRAMECC = 0x200 };

enum feature { ANY, OFF, ON };

static gv_str target_id(struct gv_arena *a, gv_str target, enum feature sramecc, enum feature xnack)
{
	static const char *const said[2][3] = { { "", ":sramecc-", ":sramecc+" }, { "", ":xnack-", ":xnack+" } };

	return gv_fmt(a, "%.*s%s%s", GV_ARG(target), said[0][sramecc], said[1][xnack]);
}

static bool has_feature(size_t row, const char *feature)
{
	return gv_has(gv_cell(gv_table("amdgpu-machs"), row, "features"), feature);
}

/* Two bits: unsupported, any, off, on. */
static enum feature of_bits(uint32_t bits)
{
	return bits == 2 ? OFF : bits == 3 ? ON : ANY;
}

bool gv_amdgpu(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note)
{
	const struct gv_table *t = gv_table("amdgpu-machs");
	unsigned osabi = (unsigned char)header.p[7], version = (unsigned char)header.p[8];
	uint32_t flags = gv_u32(header, 48);
	enum feature sramecc = ANY, xnack = ANY;
	size_t row;

	if (osabi < OSABI_HSA || osabi > OSABI_MESA3D || version >= VERSIONS)
		return false;
	if (osabi == OSABI_HSA && version == V2) {
		*ret_note = GV_NOTE_FRONT;
		return true;
	}
	row = gv_table_find(t, "mach", gv_fmt(a, "0x%02x", flags & 0xff), 0);
	if (row == SIZE_MAX) {
		ret->arch = gv_fmt(a, "gfx? (mach 0x%02x)", flags & 0xff);
		return true;
	}
	if (osabi != OSABI_HSA || version == V3) { /* one bit: on or off, where the target has it at all */
		sramecc = !has_feature(row, "sramecc") ? ANY : flags & V3_SRAMECC ? ON : OFF;
		xnack = !has_feature(row, "xnack") ? ANY : flags & V3_XNACK ? ON : OFF;
	} else {
		sramecc = of_bits(flags >> 10 & 3);
		xnack = of_bits(flags >> 8 & 3);
	}
	ret->arch = target_id(a, gv_cell(t, row, "target"), sramecc, xnack);
	return true;
}

/* Version 2: "AMD", "AMDGPU", 9.0.1, where the last number of some says whether xnack is on; the finalizer of those
 * days, known by a note of its own, said so in e_flags. The rules are those of the ROCm runtime. */
void gv_amdgpu_notes(struct gv_arena *a, gv_str header, gv_str bytes, struct gv_code *code)
{
	gv_str isa = gv_elf_note(bytes, "AMD", NOTE_ISA);
	uint32_t major = gv_u32(isa, 4), minor = gv_u32(isa, 8), step = gv_u32(isa, 12);
	bool finalizer = gv_elf_note(bytes, "AMD", NOTE_HSAIL).n, xnack;
	size_t row;

	if (isa.n < 16 || major > 9 || minor > 9 || step > 15)
		return;
	xnack = finalizer ? gv_u32(header, 48) & V2_XNACK
			  : (major == 8 && minor + step == 1) || (major == 9 && step < 8 && step & 1);
	if (major == 8 && minor == 0)
		step = step == 0 ? 2 : step == 4 ? 3 : step;
	else if (major == 9 && step < 8)
		step &= ~1u;
	row = gv_table_find(gv_table("amdgpu-machs"), "target", gv_fmt(a, "gfx%u%u%x", major, minor, step), 0);
	if (row == SIZE_MAX)
		return;
	code->arch =
	    target_id(a, gv_cell(gv_table("amdgpu-machs"), row, "target"), has_feature(row, "sramecc") ? OFF : ANY,
		      !has_feature(row, "xnack") ? ANY
		      : xnack			 ? ON
						 : OFF);
}
