/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_sysfs.h"

static bool hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t hex_run(gv_str s)
{
	size_t n = 0;

	while (n < s.n && hex(s.p[n]))
		n++;
	return n;
}

/* Length of "0000:41:00.0" or "pci0000:41" at the start of s, which end a component; 0 where there is none. */
static size_t colons(gv_str s)
{
	size_t root = gv_starts(s, "pci") ? 3 : 0, n = hex_run(gv_from(s, root)), at = root + n;

	if (n < 4 || n > 8 || at + 3 > s.n || s.p[at] != ':' || hex_run(gv_sub(s, at + 1, 2)) != 2)
		return 0;
	at += 3;
	if (!root) {
		if (at + 5 > s.n || s.p[at] != ':' || hex_run(gv_sub(s, at + 1, 2)) != 2 || s.p[at + 3] != '.' ||
		    !hex(s.p[at + 4]))
			return 0;
		at += 5;
	}
	return at == s.n || s.p[at] == '/' || s.p[at] == ':' ? at : 0;
}

bool gv_is_hung(gv_str text)
{
	return gv_has(text, ": no answer within ") || gv_has(text, ": ended the process (");
}

bool gv_sysfs_line(gv_str text, struct gv_sysfs *ret)
{
	ptrdiff_t arrow;
	size_t i = 5;

	if (!gv_starts(text, "/sys/"))
		return false;
	arrow = gv_find(text, " -> ");
	if (arrow > 0 && gv_find_c(gv_sub(text, 0, (size_t)arrow), ' ') < 0) {
		*ret = (struct gv_sysfs){ gv_sub(text, 0, (size_t)arrow), gv_trim(gv_from(text, (size_t)arrow + 4)),
					  true, false };
		return true;
	}
	for (;;) {
		i += colons(gv_from(text, i));
		while (i < text.n && text.p[i] != '/' && text.p[i] != ':' && text.p[i] != ' ')
			i++;
		if (i >= text.n || text.p[i] == ' ')
			return false;
		if (text.p[i++] == ':')
			break;
	}
	*ret = (struct gv_sysfs){ .path = gv_sub(text, 0, i - 1) };
	if (i < text.n && text.p[i] == ' ')
		ret->hung = gv_is_hung(text);
	else
		ret->value = gv_trim(gv_from(text, i));
	return true;
}

static bool in_area(gv_str text, const char *const *areas)
{
	struct gv_sysfs s;

	if (!gv_sysfs_line(text, &s))
		return false;
	for (; *areas; areas++)
		if (gv_starts(s.path, *areas))
			return true;
	return false;
}

size_t gv_sysfs_extent(const struct gv_line *l, size_t n, const char *const *areas)
{
	size_t end = 0;

	for (size_t i = 0; i < n && !(l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)); i++) {
		if (in_area(l[i].text, areas))
			end = i + 1;
		else if (!end || !(gv_blank_line(&l[i]) || gv_starts(l[i].text, "grep: /sys/")))
			break;
	}
	return end;
}

bool gv_sysfs_below(gv_str path, const char *area, gv_str *ret_name, gv_str *ret_attr)
{
	ptrdiff_t slash;
	gv_str rest;

	if (!gv_starts(path, area))
		return false;
	rest = gv_from(path, strlen(area));
	slash = gv_find_c(rest, '/');
	if (slash <= 0)
		return false;
	*ret_name = gv_sub(rest, 0, (size_t)slash);
	*ret_attr = gv_from(rest, (size_t)slash + 1);
	return true;
}

gv_str gv_sysfs_base(gv_str path)
{
	ptrdiff_t slash = gv_rfind(path, "/");

	return slash < 0 ? path : gv_from(path, (size_t)slash + 1);
}

bool gv_sysfs_numbered(gv_str name, const char *prefix, uint64_t *ret)
{
	size_t n = strlen(prefix);

	return gv_starts(name, prefix) && name.n > n && name.p[n] >= '0' && name.p[n] <= '9' &&
	       gv_to_u64(gv_from(name, n), ret);
}

void *gv_sysfs_thing(struct gv_sysfs_things *t, gv_str name)
{
	void **slot, *thing = gv_map_get(&t->by, name);

	if (thing || t->v.n >= GV_THINGS_MAX)
		return thing;
	thing = gv_alloc(t->by.arena, t->size);
	slot = gv_map_put(&t->by, name);
	*slot = thing;
	*gv_push(t->by.arena, &t->v) = thing;
	return thing;
}
