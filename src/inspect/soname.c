/* SPDX-License-Identifier: Apache-2.0 */
/* Names of libraries in what a program reads: it loads them at run time. A name stands alone, between quotation marks
 * or zeros; one in the middle of a sentence is none. */
#include <string.h>

#include "inspect/scan.h"

#define BEFORE 64
#define AFTER 32

static bool of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
	       c == '.' || c == '+';
}

static bool ends_name(char c)
{
	return c == 0 || c == '"' || c == '\'' || c == '`';
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	size_t dot = (size_t)p->mark, from = dot, to = dot + 3;

	if (b.n < dot + 3)
		return;
	while (from && of_name(b.p[from - 1]))
		from--;
	while (to < b.n && (b.p[to] == '.' || (b.p[to] >= '0' && b.p[to] <= '9')))
		to++;
	if (to < b.n && !ends_name(b.p[to])) /* a text may end with the file */
		return;
	if (from && !ends_name(b.p[from - 1]) && b.p[from - 1] != '/')
		return;
	if (dot - from > 3 && memcmp(b.p + from, "lib", 3) == 0)
		gv_scan_name(s, p->at + from, gv_sub(b, from, to - from));
}

static void found(struct gv_scan *s, uint64_t at)
{
	uint64_t before = at < BEFORE ? at : BEFORE;
	struct gv_piece p = { .at = at - before, .n = (size_t)before + 3 + AFTER, .got = got, .mark = before };

	gv_scan_want(s, &p);
}

const struct gv_pattern gv_pattern_soname = { .bytes = { ".so", 3 }, .found = found };
