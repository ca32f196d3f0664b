/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through headings and the "Key : value" lines below them. What is unclear is not read. */
#include <string.h>

#include "format/common.h"

#define KEY_MAX 48     /* a longer one is a sentence */
#define UNKNOWN_RUN 24 /* lines in a row that may be unknown before something known must come */

/* Called for every line with a colon in any text. */
static bool same(gv_str a, gv_str b)
{
	return a.n == b.n && a.n && a.p[0] == b.p[0] && !memcmp(a.p, b.p, a.n);
}

static bool is_in(const struct gv_tree_table *t, uint8_t id, uint8_t wanted)
{
	return id == wanted || (t->member && t->member(id, wanted));
}

const struct gv_tree_section *gv_tree_section_of(const struct gv_tree_table *t, gv_str name)
{
	for (size_t i = 0; i < t->nsections; i++)
		if (same(t->section[i].name, name))
			return &t->section[i];
	return NULL;
}

const struct gv_tree_row *gv_tree_row_of(const struct gv_tree_table *t, uint8_t section, gv_str key)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (same(t->row[i].key, key) && is_in(t, section, t->row[i].section))
			return &t->row[i];
	return NULL;
}

const struct gv_tree_row *gv_tree_any_row(const struct gv_tree_table *t, gv_str key, unsigned flags)
{
	for (size_t i = 0; i < t->nrows; i++)
		if ((t->row[i].flags & flags) == flags && same(t->row[i].key, key))
			return &t->row[i];
	return NULL;
}

bool gv_tree_split(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	gv_str t = gv_trim(text), key, value;

	if (!t.n)
		return false;
	if (!gv_key_value(t, &key, &value)) {
		key = t;
		value = GV_NONE;
	}
	if (!key.n || key.n > KEY_MAX)
		return false;
	*ret_key = key;
	*ret_value = value;
	return true;
}

/* A heading that is not known: a few plain words. */
static bool looks_like_heading(gv_str t)
{
	gv_str w[6];

	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !strchr(" _-/()", c))
			return false;
	}
	return gv_words(t, w, 6) <= 6;
}

enum gv_tree_shape gv_tree_shape(const struct gv_tree_table *t, gv_str text)
{
	gv_str key, value;

	if (!gv_tree_split(text, &key, &value))
		return GV_TREE_NOT;
	if (gv_tree_section_of(t, key) || gv_tree_any_row(t, key, 0))
		return gv_find_c(key, ' ') > 0 ? GV_TREE_STRONG : GV_TREE_WEAK;
	return value.n || gv_has(text, " :") || looks_like_heading(key) ? GV_TREE_MAYBE : GV_TREE_NOT;
}

size_t gv_tree_extent(const struct gv_line *l, size_t n, enum gv_tree_shape (*shape)(gv_str text))
{
	size_t end = 1, unknown = 0;
	bool gap = false; /* a blank line since the last one that was ours */

	for (size_t i = 1; i < n && unknown < UNKNOWN_RUN; i++) {
		gv_str t = l[i].text;
		enum gv_tree_shape s = shape(t);

		if ((l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) || s == GV_TREE_NOT)
			break;
		/* A single common word ("Name", "State") goes on with an output, but does not take it up again. */
		if (s == GV_TREE_STRONG || (!gap && (s == GV_TREE_WEAK || (gv_indent(t) >= 4 && gv_has(t, " :"))))) {
			end = i + 1;
			unknown = 0;
			gap = false;
		} else {
			unknown++;
			gap |= !gv_trim(t).n;
		}
	}
	return end;
}

const struct gv_line *gv_tree_next(const struct gv_line *l, size_t n)
{
	for (size_t i = 1; i < n && i <= 3; i++)
		if (!gv_blank_line(&l[i]))
			return &l[i];
	return NULL;
}

bool gv_tree_holds(const struct gv_tree_table *t, const struct gv_tree_section *s, const struct gv_line *l)
{
	const struct gv_tree_section *inner;
	gv_str key, value;

	if (!l || !gv_tree_split(l->text, &key, &value))
		return false;
	inner = gv_tree_section_of(t, key);
	if (inner && !value.n)
		return inner->parent && is_in(t, s->id, inner->parent);
	if (s->id == GV_TREE_IGNORED)
		return value.n && gv_tree_any_row(t, key, 0);
	return value.n && gv_tree_row_of(t, s->id, key);
}

bool gv_tree_flat(const struct gv_tree_table *t, const struct gv_line *l, size_t n)
{
	size_t above = SIZE_MAX; /* indentation of the heading above */

	for (size_t i = 0; i < n; i++) {
		gv_str key, value;
		size_t in;

		if (!gv_tree_split(l[i].text, &key, &value))
			continue;
		in = gv_indent(l[i].text);
		if (above != SIZE_MAX && in > above)
			return false;
		above = !value.n && gv_tree_section_of(t, key) ? in : SIZE_MAX;
	}
	return true;
}

bool gv_yes_no(gv_str v, const char *yes, const char *no, bool *ret)
{
	bool y = gv_starts(v, yes);

	if (!y && !gv_starts(v, no))
		return false;
	*ret = y;
	return true;
}

/* The answers of a flag or a mode. */
static bool answer(uint8_t act, gv_str v, bool *ret)
{
	switch (act) {
	case GV_TREE_MODE:
	case GV_TREE_ON:
		return gv_yes_no(v, "Enabled", "Disabled", ret);
	case GV_TREE_ACTIVE:
		return gv_yes_no(v, "Active", "Not Active", ret);
	default:
		return gv_yes_no(v, "Yes", "No", ret);
	}
}

bool gv_tree_fits(const struct gv_tree_row *row, gv_str v)
{
	const char *why;
	double n;
	gv_str rest;
	bool b;

	if (!v.n)
		return false;
	if (row->act != GV_TREE_WORDS && gv_no_value(v, &why) != GV_KNOWN)
		return !gv_eq_nocase(v, GV_STR("None")) && !gv_is(v, "-");
	switch (row->act) {
	case GV_TREE_NONE:
	case GV_TREE_TEXT:
	case GV_TREE_WORDS:
		return true;
	case GV_TREE_MODE:
	case GV_TREE_ON:
	case GV_TREE_ACTIVE:
	case GV_TREE_YES:
		return answer(row->act, v, &b);
	case GV_TREE_NUM:
		return gv_lead_num(v, &n, &rest);
	default:
		return true;
	}
}

void gv_tree_outdent(struct gv_tree *t, size_t indent)
{
	while (!t->flat && t->depth && t->at[t->depth - 1].indent >= indent)
		t->depth--;
}

void gv_tree_down_to(struct gv_tree *t, uint8_t parent)
{
	while (t->depth && !is_in(t->table, t->at[t->depth - 1].id, parent))
		t->depth--;
}

void gv_tree_push(struct gv_tree *t, uint8_t id, size_t indent)
{
	if (t->depth == GV_TREE_DEPTH)
		t->depth--;
	t->at[t->depth].id = id;
	t->at[t->depth++].indent = indent;
}

bool gv_tree_in(const struct gv_tree *t, uint8_t id)
{
	for (size_t i = 0; i < t->depth; i++)
		if (t->at[i].id == id)
			return true;
	return false;
}

const struct gv_tree_row *gv_tree_find(struct gv_tree *t, gv_str key, gv_str value, size_t indent)
{
	const struct gv_tree_row *row;

	gv_tree_outdent(t, indent);
	for (size_t i = t->depth; i-- > 0 && t->at[i].id != GV_TREE_UNKNOWN;) {
		row = gv_tree_row_of(t->table, t->at[i].id, key);
		if (row) {
			t->depth = i + 1;
			return row;
		}
		if (!t->flat)
			break;
	}
	row = gv_tree_row_of(t->table, GV_TREE_TOP, key);
	if (row) {
		t->depth = 0;
		return row;
	}
	row = t->depth ? NULL : gv_tree_any_row(t->table, key, GV_TREE_ALONE);
	return row && gv_tree_fits(row, value) ? row : NULL;
}

static void put_answer(struct gv_read *r, struct gv_entity *e, const struct gv_tree_row *row, gv_str v,
		       const struct gv_line *l)
{
	enum gv_state s;
	const char *why;
	bool yes;

	if (answer(row->act, v, &yes)) {
		gv_put_flag(r, e, row->fact, yes, l);
		return;
	}
	s = gv_no_value(v, &why);
	gv_put_none(r, e, row->fact, s == GV_KNOWN ? GV_UNKNOWN : s, s == GV_KNOWN ? "neither yes nor no" : why, l);
}

static void put_words(struct gv_read *r, struct gv_entity *e, const struct gv_tree_row *row, gv_str v,
		      const struct gv_line *l)
{
	const char *why;
	enum gv_state s = gv_no_value(v, &why);
	bool yes;

	if (s != GV_KNOWN && !(row->act == GV_TREE_WORDS && gv_starts(v, "None"))) {
		gv_put_none(r, e, row->fact, s, why, l);
		return;
	}
	if (row->act == GV_TREE_MODE && answer(row->act, v, &yes))
		v = yes ? GV_STR("Enabled") : GV_STR("Disabled");
	gv_put_str(r, e, row->fact, v, l);
}

void gv_tree_put(struct gv_read *r, struct gv_entity *e, const struct gv_tree_row *row, gv_str v,
		 const struct gv_line *l)
{
	switch (row->act) {
	case GV_TREE_NUM:
		gv_put_cell(r, e, row->fact, v, l);
		break;
	case GV_TREE_TEXT:
	case GV_TREE_WORDS:
	case GV_TREE_MODE:
		put_words(r, e, row, v, l);
		break;
	case GV_TREE_ON:
	case GV_TREE_ACTIVE:
	case GV_TREE_YES:
		put_answer(r, e, row, v, l);
		break;
	default:
		break;
	}
}
