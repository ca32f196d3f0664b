/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_json.h"

#include <string.h>

static bool begins_with_key(const struct gv_line *l)
{
	return gv_starts(gv_trim(l->text), "\"");
}

/* Lines until no more than `least` levels are open; one is, where the first begins with a key. */
static size_t extent(const struct gv_line *l, size_t n, int least)
{
	int depth = begins_with_key(l);
	bool any = depth > least;

	for (size_t i = 0; i < n; i++) {
		bool quoted = false;
		gv_str t = l[i].text;

		if (i && (l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)))
			return i;
		for (size_t k = 0; k < t.n; k++) {
			char c = t.p[k];

			if (quoted) {
				k += c == '\\';
				quoted = c != '"';
				continue;
			}
			quoted = c == '"';
			depth += (c == '{' || c == '[') - (c == '}' || c == ']');
			any |= depth > least;
			if (depth > GV_JSON_DEPTH || (any && depth <= least))
				return i + 1;
		}
		if (!any && i)
			return i + 1;
	}
	return n;
}

size_t gv_json_extent(const struct gv_line *l, size_t n)
{
	return extent(l, n, begins_with_key(l));
}

size_t gv_json_rest(const struct gv_line *l, size_t n)
{
	return extent(l, n, 0);
}

void gv_json_walk(struct gv_arena *a, struct gv_json_walk *w, const struct gv_line *l, size_t n)
{
	bool key = begins_with_key(l);
	size_t size = key;
	char *p;

	*w = (struct gv_json_walk){ .arena = a, .l = l, .n = n, .start = GV_NEWN(a, size_t, n) };
	for (size_t i = 0; i < n; i++)
		size += l[i].text.n + 1;
	p = gv_alloc(a, size);
	w->in.text = (gv_str){ p, size };
	if (key)
		*p++ = '{';
	for (size_t i = 0; i < n; i++) {
		w->start[i] = (size_t)(p - w->in.text.p);
		if (l[i].text.n)
			memcpy(p, l[i].text.p, l[i].text.n);
		p += l[i].text.n;
		*p++ = '\n';
	}
}

enum gv_json_kind gv_json_step(struct gv_json_walk *w)
{
	enum gv_json_kind k = gv_json_next(&w->in);

	while (w->at + 1 < w->n && w->start[w->at + 1] <= w->in.at)
		w->at++;
	if (k == GV_JSON_KEY)
		w->key[w->in.depth] = w->in.escaped ? gv_json_unescape(w->arena, w->in.raw) : w->in.raw;
	else if (k == GV_JSON_OBJ || k == GV_JSON_ARR)
		w->key[w->in.depth] = GV_NONE;
	return k;
}

const struct gv_line *gv_json_line(const struct gv_json_walk *w)
{
	return &w->l[w->at];
}

gv_str gv_json_text(const struct gv_json_walk *w)
{
	return w->in.escaped ? gv_json_unescape(w->arena, w->in.raw) : w->in.raw;
}

gv_str gv_json_name(const struct gv_json_walk *w)
{
	for (size_t d = w->in.depth + 1; d-- > 0;)
		if (w->key[d].n)
			return w->key[d];
	return GV_NONE;
}

bool gv_json_within(const struct gv_json_walk *w, const char *key)
{
	for (size_t d = 0; d <= w->in.depth; d++)
		if (gv_is(w->key[d], key))
			return true;
	return false;
}
