/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi health -c, as a table and as JSON: one tree, of groups (GPU), their entities (0), "Errors", and systems ("PCIe
 * system") with a result and messages below it. */
#include "format/common_dcgm.h"
#include "format/common_json.h"

#define TITLE "Health Monitor Report"

static bool is_title(gv_str text)
{
	gv_str rest = text, cell;

	return gv_box_cell(&rest, &cell) && gv_is(cell, TITLE);
}

static size_t claim_json(const struct gv_line *l, size_t n)
{
	size_t all = gv_json_extent(l, n);

	/* "body" stands in other reports, too; the title is behind it */
	for (size_t i = 0; i < all; i++)
		if (gv_has(l[i].text, TITLE))
			return all;
	for (size_t i = all; i < n && i < all + 3; i++)
		if (gv_has(l[i].text, TITLE))
			return i + 1;
	return 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 1;
	gv_str t = gv_trim(l[0].text);

	(void)seg;
	if (gv_starts(t, "\"body\"") || (gv_starts(t, "{") && gv_has(t, TITLE)))
		return claim_json(l, n);
	if (!is_title(l[0].text))
		return 0;
	while (end < n && !(l[end].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) && !is_title(l[end].text) &&
	       (gv_starts(gv_trim(l[end].text), "|") || gv_box_rule(l[end].text)))
		end++;
	return end;
}

struct health {
	struct gv_read *r;
	gv_str entity; /* "GPU 0" */
	gv_str group, text;
	const struct gv_line *text_at;
	bool system; /* the row above is a system that is not healthy */
};

static bool is_result(gv_str v)
{
	return gv_is(v, "Healthy") || gv_is(v, "Warning") || gv_is(v, "Failure");
}

static void finish(struct health *h)
{
	if (h->text.n)
		gv_put_dcgm_says(h->r, true, h->text, h->entity, h->text_at);
	h->text = GV_NONE;
	h->system = false;
}

/* "GPU |", "-> 0 | Warning", "-> Errors |", "-> PCIe system | Warning", " | Detected more than 8 PCIe replays ...".
 * Before DCGM 3 a system stood on one line with its message: "PCIe system | Warning - Detected ...". */
static void read_row(struct health *h, gv_str left, gv_str right, const struct gv_line *l)
{
	uint64_t id;

	if (!left.n) {
		if (h->system && right.n) {
			h->text_at = h->text.n ? h->text_at : l;
			h->text = gv_join_dcgm(h->r->arena, h->text, right);
		}
		return;
	}
	finish(h);
	left = gv_starts(left, "->") ? gv_trim(gv_from(left, 2)) : left;
	if (gv_is(left, "Overall Health")) {
		gv_put_dcgm_result(h->r, GV_STR("health"), "dcgmi health", right, l);
	} else if (gv_to_u64(left, &id)) {
		h->entity = gv_fmt(h->r->arena, "%.*s %.*s", GV_ARG(h->group), GV_ARG(left));
	} else if (gv_starts(left, "GPU ID:")) {
		h->entity = gv_fmt(h->r->arena, "GPU %.*s", GV_ARG(gv_trim(gv_from(left, 7))));
	} else if (gv_starts(right, "Warning") || gv_starts(right, "Failure")) {
		h->system = true;
		h->text = gv_trim(gv_after(right, " - "));
		h->text_at = l;
	} else if (!right.n && !gv_is(left, "Errors")) {
		h->group = left;
	}
}

static void read_table(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct health h = { .r = r };

	for (size_t i = 1; i < n; i++) {
		gv_str rest = l[i].text, left, right;

		if (!gv_box_rule(l[i].text) && gv_box_cell(&rest, &left) && gv_box_cell(&rest, &right))
			read_row(&h, left, right, &l[i]);
	}
	finish(&h);
}

/* The key of the object that the token at hand stands in the n-th children of; empty where there are not so many. */
static gv_str child(const struct gv_json_walk *w, unsigned n)
{
	for (unsigned d = 1; d < w->in.depth; d++)
		if (gv_is(w->key[d], "children") && n-- == 1)
			return w->key[d + 1];
	return GV_NONE;
}

static gv_str group(const struct gv_json_walk *w)
{
	for (unsigned d = 1; d < w->in.depth; d++)
		if (gv_is(w->key[d], "body"))
			return w->key[d + 1];
	return GV_NONE;
}

/* A message comes in pieces, as it does in the table. */
static void read_json(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct health h = { .r = r };
	gv_str system = GV_NONE;
	struct gv_json_walk w;
	enum gv_json_kind k;

	gv_json_walk(r->arena, &w, l, n);
	while ((k = gv_json_step(&w)) != GV_JSON_END && k != GV_JSON_ERROR) {
		gv_str v = k == GV_JSON_STR ? gv_json_text(&w) : GV_NONE, of = group(&w), at = child(&w, 3);

		if (!v.n)
			continue;
		if (at.p != system.p) {
			finish(&h);
			system = at;
		}
		if (gv_is(of, "Overall Health") && is_result(v)) {
			gv_put_dcgm_result(r, GV_STR("health"), "dcgmi health", v, gv_json_line(&w));
		} else if (at.n && !is_result(v)) {
			h.entity = gv_fmt(r->arena, "%.*s %.*s", GV_ARG(of), GV_ARG(child(&w, 1)));
			h.text_at = h.text.n ? h.text_at : gv_json_line(&w);
			h.text = gv_join_dcgm(r->arena, h.text, v);
		}
	}
	finish(&h);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	if (is_title(l[0].text))
		read_table(r, l, n);
	else
		read_json(r, l, n);
}

const struct gv_format gv_format_dcgmi_health = {
	.name = "dcgmi health",
	.heads = { TITLE, "\"body\"" },
	.claim = claim,
	.read = read,
};
