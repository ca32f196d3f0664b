/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/places.h"

#define HOPS 40 /* as the kernel */
#define LONGEST ((size_t)4096)

void gv_places_make(struct gv_places *p, struct gv_inventory *inv)
{
	*p = (struct gv_places){ .inv = inv, .links = { .arena = inv->arena }, .folders = { .arena = inv->arena } };
	for (size_t i = 0; i < inv->links.n; i++)
		*gv_map_put(&p->links, inv->links.v[i].path) = &inv->links.v[i];
}

gv_str gv_place_root(gv_str path)
{
	return gv_sub(path, 0, (size_t)(gv_rfind(path, "!") + 1));
}

static gv_str up(gv_str path, size_t root)
{
	while (path.n > root && path.p[path.n - 1] != '/')
		path.n--;
	if (path.n > root)
		path.n--;
	return path;
}

gv_str gv_place(struct gv_places *p, gv_str path)
{
	struct gv_arena *a = p->inv->arena;
	gv_str root = gv_place_root(path), out = root, rest = gv_from(path, root.n), part;
	size_t hops = 0;

	if (!p->links.n)
		return path;
	while (gv_next(&rest, '/', &part)) {
		const struct gv_link *link;
		gv_str next;

		if (!part.n || gv_is(part, "."))
			continue;
		if (gv_is(part, "..")) {
			out = up(out, root.n);
			continue;
		}
		next = gv_fmt(a, "%.*s%s%.*s", GV_ARG(out), out.n > root.n ? "/" : "", GV_ARG(part));
		link = gv_map_get(&p->links, next);
		if (!link) {
			out = next;
			continue;
		}
		if (++hops > HOPS || link->target.n + rest.n > LONGEST)
			return path;
		rest = gv_fmt(a, "%.*s/%.*s", GV_ARG(link->target), GV_ARG(rest));
		if (link->hard || gv_starts(rest, "/"))
			out = root;
	}
	return out;
}

gv_str gv_place_folder(struct gv_places *p, gv_str folder)
{
	gv_str *known;
	void **slot;

	if (!p->links.n)
		return folder;
	slot = gv_map_put(&p->folders, folder);
	if (!*slot) {
		known = GV_NEW(p->inv->arena, gv_str);
		*known = gv_place(p, folder);
		*slot = known;
	}
	return *(gv_str *)*slot;
}
