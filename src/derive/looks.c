/* SPDX-License-Identifier: Apache-2.0 */
/* The order of looks: what a container sees comes first (the host's view outweighs it), then names that say "before" and
 * "after", then the order of documents. */
#include "derive/derive.h"

#include <stdlib.h>

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The word stands in the name by itself: "smi-before.txt", not "folder". */
static bool says(gv_str name, const char *word)
{
	size_t n = gv_str_of(word).n;

	for (size_t i = 0; i + n <= name.n; i++)
		if (gv_starts_nocase(gv_from(name, i), word) && (!i || !letter(name.p[i - 1])) &&
		    (i + n == name.n || !letter(name.p[i + n])))
			return true;
	return false;
}

int8_t gv_moment_in_name(gv_str name)
{
	static const char *const early[] = { "before", "old", "prev", "previous", "first", "start" };
	static const char *const late[] = { "after", "later", "second", "last", "end", "now" };

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++) {
		if (says(name, early[i]))
			return -1;
		if (says(name, late[i]))
			return 1;
	}
	return 0;
}

int gv_cmp_looks(const struct gv_block *a, const struct gv_block *b)
{
	if (a->container != b->container)
		return a->container ? -1 : 1;
	if (a->doc->moment != b->doc->moment)
		return a->doc->moment < b->doc->moment ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static int by_look(const void *a, const void *b)
{
	return gv_cmp_looks(*(struct gv_block *const *)a, *(struct gv_block *const *)b);
}

void gv_derive_looks(struct gv_run *run)
{
	struct gv_block **order = GV_NEWN(run->arena, struct gv_block *, run->blocks.n + 1);
	struct gv_map last = { .arena = run->arena };

	for (size_t i = 0; i < run->blocks.n; i++)
		order[i] = run->blocks.v[i];
	if (run->blocks.n > 1)
		qsort(order, run->blocks.n, sizeof(order[0]), by_look);
	for (size_t i = 0; i < run->blocks.n; i++) {
		struct gv_block *b = order[i], *prev;
		void **slot = gv_map_put(&last, gv_fmt(run->arena, "%.*s/%s", GV_ARG(b->node->id), b->tool));

		prev = *slot;
		b->look = prev ? prev->look + 1 : 0;
		b->latest = true;
		if (prev)
			prev->latest = false;
		*slot = b;
	}
}
