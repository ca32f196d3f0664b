/* SPDX-License-Identifier: Apache-2.0 */
/* PTX as text, in files of its own or as a string of a program: a line that says which version of the language it is,
 * and one that says for which architecture. */
#include <string.h>

#include "inspect/nvidia.h"
#include "inspect/scan.h"

#define BEFORE 32
#define TARGET "\n.target sm_"
#define TEXT (GV_SCAN_KEEP - BEFORE) /* of a longer one so much is counted */

/* "...version 8.4" -> 804; 0: it is no such line. */
static unsigned version_of(gv_str line)
{
	uint64_t major, minor;
	ptrdiff_t at = gv_rfind(line, ".version ");
	gv_str v = at < 0 ? GV_NONE : gv_from(line, (size_t)at + 9);

	if (at > 0 && line.p[at - 1] != '\n' && line.p[at - 1] != 0)
		return 0;
	if (!gv_to_u64(gv_before(v, "."), &major) || !gv_to_u64(gv_after(v, "."), &minor) || !major || major > 99 ||
	    minor > 99)
		return 0;
	return (unsigned)(major * 100 + minor);
}

/* How long the text is that begins with that line: up to a zero, or to the next such line. */
static uint64_t length(gv_str text)
{
	static const char next[] = "\n.version ";
	const char *end = memchr(text.p, 0, text.n); /* first: texts of a line each would be searched to the end of the file otherwise */

	text = gv_sub(text, 0, end ? (size_t)(end - text.p) : text.n);
	end = text.n > 1 ? memmem(text.p + 1, text.n - 1, next, sizeof(next) - 1) : NULL;
	return end ? (uint64_t)(end - text.p) : text.n;
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	size_t target = (size_t)p->mark, digits = target + sizeof(TARGET) - 1, end = digits;
	struct gv_code code = { .vendor = GV_NVIDIA, .kind = GV_CODE_PTX };
	uint64_t sm;
	char suffix = 0;

	code.isa = version_of(gv_sub(b, 0, target));
	while (end < b.n && b.p[end] >= '0' && b.p[end] <= '9')
		end++;
	if (end < b.n && (b.p[end] == 'a' || b.p[end] == 'f'))
		suffix = b.p[end];
	if (!code.isa || end >= b.n || !gv_to_u64(gv_sub(b, digits, end - digits), &sm) || sm < 10 || sm > 999)
		return;
	end += suffix != 0;
	if (end < b.n && b.p[end] != '\n' && b.p[end] != '\r' && b.p[end] != ',' && b.p[end] != ' ')
		return;
	code.bytes = length(gv_from(b, (size_t)gv_rfind(gv_sub(b, 0, target), ".version ")));
	code.arch = gv_nvidia_arch(gv_scan_own_arena(s), GV_CODE_PTX, (unsigned)sm, suffix);
	gv_scan_code(s, p->at + target, p->at + target, &code);
}

static void found(struct gv_scan *s, uint64_t at)
{
	uint64_t before = at < BEFORE ? at : BEFORE;

	gv_scan_want(s,
		     &(struct gv_piece){ .at = at - before, .n = (size_t)before + TEXT, .got = got, .mark = before });
}

const struct gv_pattern gv_pattern_ptx = { .bytes = { TARGET, sizeof(TARGET) - 1 }, .found = found };
