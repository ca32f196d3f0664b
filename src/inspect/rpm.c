/* SPDX-License-Identifier: Apache-2.0 */
/* A package of RPM as a file: 96 bytes that say it is one, a signature, the header, a compressed cpio archive. */
#include "inspect/common_rpm.h"

#define LEAD 96
#define MAGIC 0x8eade801u

static bool claim(const struct gv_item *it)
{
	return it->head.n >= LEAD + 16 && gv_be32(it->head, 0) == 0xedabeedbu && gv_be32(it->head, LEAD) == MAGIC;
}

static void read_rpm(struct gv_inspect *x, gv_str bytes)
{
	uint64_t at = LEAD + 16 + (uint64_t)gv_be32(bytes, LEAD + 8) * 16 + gv_be32(bytes, LEAD + 12);

	at = (at + 7) & ~(uint64_t)7;
	if (at >= bytes.n || gv_be32(bytes, (size_t)at) != MAGIC ||
	    !gv_rpm_header(x, gv_from(bytes, (size_t)at + 8), gv_dup(x->arena, x->item->path), false))
		gv_file_note(x, "begins as a package of RPM, but its header is damaged or cut off");
	else
		gv_file_note(
		    x,
		    "the files in it are not read: packages of RPM are not unpacked (rpm2archive makes a tar of one)");
}

const struct gv_document gv_document_rpm = {
	.type = "package metadata", .claim = claim, .read = read_rpm, .begins = true
};
