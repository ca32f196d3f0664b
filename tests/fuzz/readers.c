/* SPDX-License-Identifier: Apache-2.0 */
/* One reader after another on the lines of a text, at each line that it claims, whether or not one of its literals
 * stands there. The first two bytes choose the reader; the third says how lines look to it. */
#include <string.h>

#include "derive/derive.h"
#include "engine/engine.h"
#include "format/common.h"
#include "fuzz.h"
#include "report/common.h"

enum {
	BARE = 1,    /* without log prefixes */
	COMMAND = 2, /* the first line is the command that printed the rest */
	JUDGE = 4,   /* and what was read is judged */
};

/* The one whose number is the nearest below; an exact number always finds its own, whichever others come and go. */
static const struct gv_format *format_of(uint16_t id)
{
	const struct gv_format *best = NULL, *top = gv_formats[0];

	for (size_t i = 0; i < gv_nformats; i++) {
		uint16_t own = gv_fuzz_reader_id(gv_formats[i]->name);

		if (own <= id && (!best || own > gv_fuzz_reader_id(best->name)))
			best = gv_formats[i];
		if (own > gv_fuzz_reader_id(top->name))
			top = gv_formats[i];
	}
	return best ? best : top;
}

/* Lines whose text stands alone on the heap's side of the arena: readers that look beyond it are seen. */
static void part_lines(struct gv_arena *a, struct gv_doc *doc, bool bare)
{
	for (size_t i = 0; i < doc->nlines; i++) {
		struct gv_line *l = &doc->lines[i];
		struct gv_logline log;
		char *p;

		if (bare && gv_logline_parse(l->text, &log))
			l->text = gv_rtrim(log.text);
		p = gv_alloc(a, l->text.n ? l->text.n : 1);
		if (l->text.n)
			memcpy(p, l->text.p, l->text.n);
		l->text.p = p;
	}
}

static void read_with(const struct gv_format *f, struct gv_run *run, struct gv_doc *doc, const struct gv_seg *seg)
{
	size_t end = seg->first + seg->n;

	for (size_t i = seg->first; i < end;) {
		size_t n = f->claim(&doc->lines[i], end - i, seg);
		struct gv_block *b;
		struct gv_read r;

		if (n > end - i)
			n = end - i;
		if (!n) {
			i++;
			continue;
		}
		b = GV_NEW(run->arena, struct gv_block);
		*b = (struct gv_block){ .doc = doc,
					.seg = seg,
					.format = f,
					.tool = f->name,
					.first = i,
					.n = n,
					.container = seg->container,
					.index = run->blocks.n,
					.seen = true };
		*gv_push(run->arena, &run->blocks) = b;
		r = (struct gv_read){ run, run->arena, doc, b };
		f->read(&r, &doc->lines[i], n);
		i += n;
	}
}

static void judge(struct gv_run *run)
{
	gv_derive_time(run);
	gv_derive_identity(run);
	gv_derive_looks(run);
	gv_derive_hops(run);
	gv_tell_children(run);
	gv_derive_job(run);
	gv_judge_all(run);
}

void gv_fuzz_readers(const uint8_t *data, size_t n)
{
	struct gv_run *run;
	struct gv_doc *doc;
	gv_str text;

	if (n < 4)
		return;
	run = gv_run_new(gv_arena_new());
	doc = GV_NEW(run->arena, struct gv_doc);
	doc->name = GV_STR("fuzz.txt");
	if (gv_to_utf8(run->arena, (gv_str){ (const char *)data + 3, n - 3 }, &text)) {
		doc->text = gv_dup(run->arena, text);
		gv_doc_split(run->arena, doc, 4096);
		*gv_push(run->arena, &run->docs) = doc;
		part_lines(run->arena, doc, data[2] & BARE);
		for (size_t s = 0; s < doc->nsegs; s++) {
			if (data[2] & COMMAND && !s && doc->nlines)
				doc->segs[0].cmd = doc->lines[0].text;
			read_with(format_of((uint16_t)(data[0] | data[1] << 8)), run, doc, &doc->segs[s]);
		}
		if (data[2] & JUDGE)
			judge(run);
		gv_fuzz_check_run(run);
	}
	gv_arena_free(run->arena);
}
