/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of objects (lib*.a): one file of the inventory; its members' sections are those of the file. */
#include "inspect/elf.h"

#define MAGIC 8
#define HEADER 60
#define MEMBERS_MAX 200000

static void want_member(struct gv_scan *s, uint64_t at, uint64_t count);

static void got_member(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	uint64_t size, at = p->at + HEADER;

	if (b.n < HEADER || b.p[58] != '`' || b.p[59] != '\n' || !gv_to_u64(gv_trim(gv_sub(b, 48, 10)), &size))
		return;
	if (gv_starts(gv_from(b, HEADER), "\177ELF"))
		gv_elf_member(s, at);
	if (size < UINT64_MAX - at - 1 && p->mark < MEMBERS_MAX)
		want_member(s, at + size + (size & 1), p->mark + 1);
}

static void want_member(struct gv_scan *s, uint64_t at, uint64_t count)
{
	struct gv_piece p = { .at = at, .n = HEADER + 4, .got = got_member, .mark = count };

	gv_scan_want(s, &p);
}

static void found(struct gv_scan *s, uint64_t at)
{
	if (at)
		return;
	gv_scan_inspect(s)->file->type = "static archive";
	want_member(s, MAGIC, 0);
}

const struct gv_pattern gv_pattern_ar = { .bytes = { "!<arch>\n", MAGIC }, .found = found };
