/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to lines: decoding, cleaning, prompts, prefixes of logs. */
#include "core/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "core/stamp.h"
#include "fuzz.h"

#define RECORD 8704 /* bytes of a message and of what stands in front of it */

static void check_line(gv_str line)
{
	gv_str s = gv_fuzz_copy(line), cmd = GV_NONE, host = GV_NONE;
	struct gv_logline l;

	if (gv_prompt(s, &cmd, &host))
		gv_fuzz_check(gv_fuzz_inside(cmd, s) && gv_fuzz_inside(host, s));
	gv_cmd_in_container(s);
	gv_logline_parse(s, &l);
	gv_fuzz_check(gv_fuzz_inside(l.text, s) &&
		      gv_fuzz_inside(l.host, s)); /* the tag may be a word of the program */
	gv_fuzz_check(l.when.t - l.when.t == 0 && l.boot.t - l.boot.t == 0);
	gv_told(s, gv_sub(s, s.n / 3, s.n / 2));
	free((char *)s.p);
}

static void check_lines(const struct gv_doc *doc)
{
	const char *at = doc->text.p;

	gv_fuzz_check(doc->nsegs && !doc->segs[0].first);
	for (size_t i = 0; i < doc->nlines; i++) {
		gv_fuzz_check(doc->lines[i].no == i + 1 && doc->lines[i].raw.p >= at);
		gv_fuzz_check(gv_fuzz_inside(doc->lines[i].raw, doc->text));
		gv_fuzz_check(gv_find_c(doc->lines[i].raw, '\n') < 0 && gv_find_c(doc->lines[i].text, '\n') < 0);
		gv_fuzz_check(gv_find_c(doc->lines[i].text, 27) < 0 && gv_find_c(doc->lines[i].text, '\r') < 0);
		/* only the fields of a record, which are cut, may make a longer one */
		gv_fuzz_check(doc->lines[i].text.n <= doc->lines[i].raw.n || doc->lines[i].text.n <= RECORD);
		at = doc->lines[i].raw.p + doc->lines[i].raw.n;
		check_line(doc->lines[i].text);
	}
	for (size_t i = 0; i < doc->nsegs; i++) {
		gv_fuzz_check(!doc->segs[i].n || doc->segs[i].first + doc->segs[i].n <= doc->nlines);
		gv_fuzz_check(!i || doc->segs[i].first >= doc->segs[i - 1].first + doc->segs[i - 1].n);
	}
}

void gv_fuzz_evidence(const uint8_t *data, size_t n)
{
	gv_str bytes = gv_fuzz_copy((gv_str){ (const char *)data, n }), text, again;
	struct gv_arena *a = gv_arena_new();

	if (gv_to_utf8(a, bytes, &text)) {
		struct gv_doc doc = { .name = GV_STR("fuzz.txt"), .text = text };

		gv_fuzz_check(text.n <= 3 * n);
		if (text.n >= 4 && gv_to_utf8(a, text, &again) && !gv_starts(text, "\xef\xbb\xbf"))
			gv_fuzz_check(gv_eq(text, again));
		gv_doc_split(a, &doc, 512);
		check_lines(&doc);
		gv_doc_is_page(&doc);
		gv_doc_is_source(&doc);
	}
	free((char *)bytes.p);
	gv_arena_free(a);
}
