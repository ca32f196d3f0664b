/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's device code ("zebin"): for which GPU stands in notes of the owner IntelGT. Known from descriptions and from
 * files that tests of other projects make; no file of a package has been read. */
#include "core/table.h"
#include "inspect/device.h"

enum { NOTE_FAMILY = 1, NOTE_CONFIG = 6 };

bool gv_zebin(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note)
{
	ret->unconfirmed = true;
	*ret_note = GV_NOTE_END;
	return true;
}

static gv_str target(gv_str key, const char *by)
{
	const struct gv_table *t = gv_table("intel-targets");
	size_t row = gv_table_find(t, "key", key, 0);

	return row != SIZE_MAX && gv_is(gv_cell(t, row, "by"), by) ? gv_cell(t, row, "target") : GV_NONE;
}

/* The configuration is the version of the graphics IP: 10 bits major, 8 bits minor, then the revision. */
void gv_zebin_notes(struct gv_arena *a, gv_str bytes, struct gv_code *code)
{
	gv_str config = gv_elf_note(bytes, "IntelGT", NOTE_CONFIG), family = gv_elf_note(bytes, "IntelGT", NOTE_FAMILY),
	       key;
	uint32_t v = gv_u32(config, 0);

	if (config.n >= 4) {
		key = gv_fmt(a, "%u.%u", v >> 22, v >> 14 & 0xff);
		code->arch = target(key, "ip");
		if (!code->arch.n)
			code->arch = gv_fmt(a, "ip %.*s", GV_ARG(key));
	} else if (family.n >= 4) {
		key = gv_fmt(a, "%u", gv_u32(family, 0));
		code->arch = target(key, "family");
		if (!code->arch.n)
			code->arch = gv_fmt(a, "family %.*s", GV_ARG(key));
	}
}
