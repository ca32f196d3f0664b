/* SPDX-License-Identifier: Apache-2.0 */
/* conda-meta/history of an environment: what a user asked for. Each change names all packages that it brought and what
 * was asked for; a later wish for a name replaces an earlier one. */
#include "inspect/common_conda.h"

static bool claim(const struct gv_item *it)
{
	gv_str root;

	return gv_root_of(it->path, "conda-meta/history", &root);
}

struct wish {
	gv_str text; /* empty: taken back */
	uint32_t line;
};

struct wishes {
	struct gv_inspect *x;
	struct gv_map by_name;
	GV_VEC(struct wish *) all;
};

static void set_wish(struct wishes *w, gv_str text, uint32_t line, bool remove)
{
	struct wish **slot;

	text = gv_dup(w->x->arena, text);
	slot = (struct wish **)gv_map_put(&w->by_name, gv_conda_spec_of(text).name);
	if (!*slot) {
		*slot = GV_NEW(w->x->arena, struct wish);
		*gv_push(w->x->arena, &w->all) = *slot;
	}
	**slot = (struct wish){ remove ? GV_NONE : text, line };
}

/* "'pytorch', 'cuda-version=12.4']": names between quotation marks, of either kind. */
static void each_spec(struct wishes *w, gv_str list, uint32_t line, bool remove)
{
	while (list.n) {
		size_t at = 0;
		ptrdiff_t end;

		while (at < list.n && list.p[at] != '\'' && list.p[at] != '"')
			at++;
		if (at == list.n)
			return;
		end = gv_find_c(gv_from(list, at + 1), list.p[at]);
		if (end < 0)
			return;
		set_wish(w, gv_sub(list, at + 1, (size_t)end), line, remove);
		list = gv_from(list, at + 2 + (size_t)end);
	}
}

static void read_history(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct wishes w = { .x = x, .by_name = { .arena = x->arena } };

	while (gv_text_line(&l)) {
		gv_str list = gv_after(l.line, " specs: [");

		if (gv_starts(l.line, "# ") && list.p)
			each_spec(&w, list, l.n, gv_starts(l.line, "# remove"));
	}
	for (size_t i = 0; i < w.all.n; i++)
		if (w.all.v[i]->text.n)
			gv_conda_wish(x, w.all.v[i]->text, w.all.v[i]->line);
	gv_list_rest(x);
}

const struct gv_document gv_document_conda_history = { .type = "conda history", .claim = claim, .read = read_history };
