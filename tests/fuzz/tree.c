/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of trees (format/common_tree.c) with a table of its own, over any lines. */
#include <string.h>

#include "engine/engine.h"
#include "format/common.h"
#include "fuzz.h"

enum { ROOT = GV_TREE_SECTION, ALPHA, BETA, GAMMA, GROUP };

static const struct gv_tree_section sections[] = {
	{ GV_STR("Alpha"), ALPHA, ROOT, false },	  { GV_STR("Beta"), BETA, ALPHA, true },
	{ GV_STR("Gamma"), GAMMA, ALPHA, false },	  { GV_STR("Root"), ROOT, GV_TREE_TOP, false },
	{ GV_STR("Skip"), GV_TREE_IGNORED, ROOT, false },
};

static const struct gv_tree_row rows[] = {
	{ GV_STR("Name"), ROOT, GV_TREE_TEXT, GV_TREE_ALONE | GV_TREE_FIRST, GV_F_GPU_NAME },
	{ GV_STR("Used"), BETA, GV_TREE_NUM, 0, GV_F_GPU_MEM_USED },
	{ GV_STR("Used"), GAMMA, GV_TREE_NUM, 0, GV_F_GPU_MEM_TOTAL },
	{ GV_STR("Two Words"), GROUP, GV_TREE_ON, GV_TREE_ALONE, GV_F_GPU_CAP_HW },
	{ GV_STR("Mode"), ALPHA, GV_TREE_MODE, 0, GV_F_GPU_NAME },
	{ GV_STR("None"), ALPHA, GV_TREE_NONE, 0, 0 },
	{ GV_STR("Own"), ROOT, GV_TREE_OWN, GV_TREE_ALONE, 0 },
};

static bool member(uint8_t id, uint8_t group)
{
	return group == GROUP && (id == BETA || id == GAMMA);
}

static const struct gv_tree_table table = { sections, sizeof(sections) / sizeof(*sections), rows,
					    sizeof(rows) / sizeof(*rows), member };

static enum gv_tree_shape shape(gv_str text)
{
	return gv_tree_shape(&table, text);
}

static void walk(struct gv_read *r, struct gv_entity *gpu, struct gv_tree *t, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t indent = gv_indent(l[i].text);
		const struct gv_tree_section *s;
		const struct gv_tree_row *row;
		gv_str key, value;

		if (!gv_tree_split(l[i].text, &key, &value))
			continue;
		gv_fuzz_check(key.n && gv_fuzz_inside(key, l[i].text) && gv_fuzz_inside(value, l[i].text));
		s = value.n ? NULL : gv_tree_section_of(&table, key);
		if (s) {
			gv_tree_holds(&table, s, gv_tree_next(&l[i], n - i));
			if (t->flat)
				gv_tree_down_to(t, s->parent);
			else
				gv_tree_outdent(t, indent);
			gv_tree_push(t, s->id, indent);
		} else {
			row = gv_tree_find(t, key, value, indent);
			if (row && row->act < GV_TREE_OWN && gv_tree_fits(row, value))
				gv_tree_put(r, gpu, row, value, &l[i]);
		}
		gv_fuzz_check(t->depth <= GV_TREE_DEPTH);
	}
}

void gv_fuzz_tree(const uint8_t *data, size_t n)
{
	struct gv_run *run = gv_run_new(gv_arena_new());
	struct gv_doc *doc = GV_NEW(run->arena, struct gv_doc);
	struct gv_block block = { .doc = doc };
	struct gv_read r = { run, run->arena, doc, &block };
	struct gv_tree t = { .table = &table };
	size_t extent;

	doc->name = GV_STR("fuzz.txt");
	doc->text = gv_dup(run->arena, (gv_str){ (const char *)data, n });
	gv_doc_split(run->arena, doc, 1024);
	*gv_push(run->arena, &run->docs) = doc;
	if (doc->nlines) {
		extent = gv_tree_extent(doc->lines, doc->nlines, shape);
		gv_fuzz_check(extent <= doc->nlines);
		t.flat = gv_tree_flat(&table, doc->lines, doc->nlines);
		walk(&r, gv_see(&r, GV_GPU, GV_STR("0")), &t, doc->lines, doc->nlines);
		gv_fuzz_check_run(run);
	}
	gv_arena_free(run->arena);
}
