/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/cache_name.h"

#include <string.h>

bool gv_path_has(gv_str path, const char *folder)
{
	size_t n = strlen(folder);
	ptrdiff_t at;

	for (gv_str rest = path; (at = gv_find(rest, folder)) >= 0; rest = gv_from(rest, (size_t)at + 1)) {
		const char *p = rest.p + at;
		bool front = p == path.p || p[-1] == '/' || p[-1] == '!';

		if (front && p + n < path.p + path.n && p[n] == '/')
			return true;
	}
	return false;
}

/* Targets of one generation have one length: gfx9xx and before three digits, gfx10xx and after four. */
bool gv_gfx_of(gv_str s, gv_str *ret_gfx, gv_str *ret_rest)
{
	size_t n;

	if (!gv_starts(s, "gfx") || s.n < 6 || s.p[3] < '1' || s.p[3] > '9')
		return false;
	n = s.p[3] == '1' ? 7 : 6;
	if (s.n < n || !gv_is_hex(gv_sub(s, 3, n - 3)))
		return false;
	*ret_gfx = gv_sub(s, 0, n);
	*ret_rest = gv_from(s, n);
	return true;
}

gv_str gv_sm_of(struct gv_arena *a, gv_str name)
{
	ptrdiff_t at = gv_rfind(name, "_sm");
	size_t n = 0;

	if (at < 0)
		return GV_NONE;
	name = gv_from(name, (size_t)at + 3);
	while (n < name.n && name.p[n] >= '0' && name.p[n] <= '9')
		n++;
	if (n < 2 || n > 3 || (n < name.n && name.p[n] != '.' && name.p[n] != '_'))
		return GV_NONE;
	return gv_fmt(a, "sm_%.*s", (int)n, name.p);
}

struct gv_artefact *gv_artefact_by_name(struct gv_inspect *x, const char *kind)
{
	struct gv_artefact *a = gv_add_artefact(x, kind);

	a->unconfirmed = true;
	return a;
}
