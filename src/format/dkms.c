/* SPDX-License-Identifier: Apache-2.0 */
/* dkms status: which modules were added, built and installed for which kernel.
 *
 * Sources: dkms 2.x ("nvidia, 470.57.02, 5.4.0-81-generic, x86_64: installed") and 3.x ("nvidia/550.54.14, ..."). A
 * module that was never built for any kernel has neither kernel nor architecture: "nvidia/550.54.14: added". */
#include "format/common.h"

struct row {
	gv_str module, version, kernel, state;
	bool diff;
};

static bool of_dkms(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "dkms") && gv_has(seg->cmd, "status");
}

static bool plain_name(gv_str s)
{
	if (s.n == 0 || s.n > 96)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
		      c == '_' || c == '.' || c == '+' || c == '~'))
			return false;
	}
	return true;
}

static bool versioned(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= '0' && s.p[i] <= '9')
			return plain_name(s);
	return false;
}

static bool parse_row(gv_str line, struct row *ret)
{
	static const char *const states[] = { "added", "built", "installed", "installed-weak", "broken", "unbuilt" };
	struct row row = { 0 };
	gv_str s = gv_trim(line), left, tail, cell, rest;
	ptrdiff_t at = gv_find(s, ": "), slash;
	bool known = false;

	if (at <= 0)
		return false;
	left = gv_sub(s, 0, (size_t)at);
	tail = gv_from(s, (size_t)at + 2);
	rest = tail;
	if (!gv_word(&rest, &row.state))
		return false;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		known |= gv_is(row.state, states[i]);
	if (!known)
		return false;
	row.diff = gv_has(tail, "WARNING! Diff");

	slash = gv_find_c(gv_before(left, ","), '/');
	rest = left;
	if (slash > 0) {
		row.module = gv_sub(left, 0, (size_t)slash);
		rest = gv_from(left, (size_t)slash + 1);
	} else if (gv_next(&rest, ',', &cell)) {
		row.module = gv_trim(cell);
	}
	if (!gv_next(&rest, ',', &cell))
		return false;
	row.version = gv_trim(cell);
	if (gv_next(&rest, ',', &cell))
		row.kernel = gv_trim(cell);
	if (!plain_name(row.module) || !versioned(row.version) || (row.kernel.n && !versioned(row.kernel)))
		return false;
	*ret = row;
	return true;
}

static bool all_blank(const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!gv_blank_line(&l[i]))
			return false;
	return true;
}

/* The prompt's own line, of a listing that turned out empty. A filter may have emptied it, unless it asked for drivers
 * of GPUs. */
static bool empty_listing(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str pipe;

	if (!of_dkms(seg) || !all_blank(l + 1, n - 1) || !(l[0].flags & GV_LINE_PROMPT))
		return false;
	pipe = gv_after(seg->cmd, "|");
	return !pipe.p || gv_has_nocase(pipe, "nvidia") || gv_has(pipe, "amdgpu") || gv_has(pipe, "i915") ||
	       gv_has(pipe, "xe");
}

static size_t dkms_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct row row;
	size_t end = 0;

	if (l[0].flags & GV_LINE_PROMPT)
		return empty_listing(l, n, seg) ? n : 0;
	for (size_t i = 0; i < n; i++) {
		if (gv_blank_line(&l[i]))
			continue;
		if (!parse_row(l[i].text, &row))
			break;
		end = i + 1;
	}
	return end;
}

static void dkms_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct row row;

	if (l[0].flags & GV_LINE_PROMPT) {
		gv_put_flag(r, gv_see_node(r), GV_F_DKMS_EMPTY, true, &l[0]);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct gv_entity *m;

		if (!parse_row(l[i].text, &row))
			continue;
		m = gv_see(r, GV_MODULE,
			   gv_fmt(r->arena, "%.*s/%.*s%s%.*s", GV_ARG(row.module), GV_ARG(row.version),
				  row.kernel.n ? "/" : "", GV_ARG(row.kernel)));
		gv_put_str(r, m, GV_F_MODULE_NAME, row.module, &l[i]);
		gv_put_str(r, m, GV_F_MODULE_VERSION, row.version, &l[i]);
		gv_put_str(r, m, GV_F_MODULE_STATE, row.state, &l[i]);
		if (row.kernel.n)
			gv_put_str(r, m, GV_F_MODULE_KERNEL, row.kernel, &l[i]);
		if (row.diff)
			gv_put_flag(r, m, GV_F_MODULE_DIFF, true, &l[i]);
	}
}

const struct gv_format gv_format_dkms = {
	.name = "dkms status",
	.heads = { ": installed", ": added", ": built", ": broken", ": unbuilt", "dkms" },
	.claim = dkms_claim,
	.read = dkms_read,
};
