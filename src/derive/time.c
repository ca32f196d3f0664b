/* SPDX-License-Identifier: Apache-2.0 */
#include "derive/derive.h"

/* Stamps are looked for in so many lines from the end. */
#define LOOK_BACK 200

static void last_stamp(struct gv_doc *doc)
{
	for (size_t i = doc->nlines, tries = 0; i-- > 0 && tries < LOOK_BACK; tries++) {
		struct gv_logline l;

		if (gv_logline_parse(doc->lines[i].text, &l) && l.when.clock != GV_CLOCK_NONE) {
			doc->last = l.when;
			return;
		}
	}
}

/* A document is a log when many of its lines begin as log lines do. */
static bool is_log(const struct gv_doc *doc)
{
	size_t step = doc->nlines / 64 + 1, seen = 0, stamped = 0;

	for (size_t i = 0; i < doc->nlines; i += step) {
		struct gv_logline l;

		if (!gv_trim(doc->lines[i].text).n)
			continue;
		seen++;
		stamped += gv_logline_parse(doc->lines[i].text, &l);
	}
	return seen && stamped * 2 >= seen;
}

#define LOOK_AHEAD 200

static bool is_kernel_log(const struct gv_doc *doc)
{
	struct gv_logline l;

	for (size_t i = 0; doc->log && i < doc->nlines && i < LOOK_AHEAD; i++)
		if (gv_logline_parse(doc->lines[i].text, &l) && l.kernel)
			return true;
	return false;
}

void gv_derive_time(struct gv_run *run)
{
	for (size_t i = 0; i < run->docs.n; i++) {
		struct gv_doc *doc = run->docs.v[i];

		doc->log = is_log(doc);
		doc->kernel = is_kernel_log(doc);
		last_stamp(doc);
	}
}
