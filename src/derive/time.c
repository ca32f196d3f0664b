/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stream.h"
#include "derive/derive.h"

/* Stamps are looked for in so many lines from the end. */
#define LOOK_BACK 200

static void last_stamp(struct gv_doc *doc)
{
	if (doc->stream) { /* its last line is no line of the document */
		doc->last = doc->stream->last;
		return;
	}
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

/* "6,1234,567890,-;text": a record of /dev/kmsg, which holds the log of the boot that goes on. */
static bool is_kmsg(const struct gv_doc *doc)
{
	gv_str rest = doc->nlines ? doc->lines[0].text : GV_NONE, part;
	uint64_t v;

	for (int i = 0; i < 3; i++)
		if (!gv_next(&rest, ',', &part) || !gv_to_u64(part, &v))
			return false;
	return true;
}

/* A log that a live look read ends when it was read, not with its last line: what happened a week ago on a quiet machine was a
 * week ago. The kernel's stamps stand still in suspend. */
static void end_of_look(struct gv_doc *doc)
{
	/* what `collect` asked of the journal (source/collect.def) */
	if (doc->look && doc->look->wall > doc->last.t && doc->last.clock == GV_CLOCK_WALL && doc->last.zone &&
	    doc->last.year && gv_has(doc->name, "commands/journalctl"))
		doc->last.t = doc->look->wall;
	if (doc->look && doc->look->awake > doc->last.t && doc->last.clock == GV_CLOCK_BOOT && is_kmsg(doc))
		doc->last.t = doc->look->awake;
}

void gv_derive_time(struct gv_run *run)
{
	for (size_t i = 0; i < run->docs.n; i++) {
		struct gv_doc *doc = run->docs.v[i];

		doc->log = is_log(doc);
		doc->kernel = is_kernel_log(doc);
		last_stamp(doc);
		end_of_look(doc);
	}
}
