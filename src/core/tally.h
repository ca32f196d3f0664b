/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the events of one document or log from the lines that signatures matched, in their order: one event per
 * signature, subject, host and code, with its first and last line, its count and a few lines between; and counts the
 * boots. */
#pragma once

#include "base/map.h"
#include "core/sigs.h"
#include "core/window.h"

struct gv_tally_line {
	uint32_t no;
	size_t seg; /* number of its segment */
	gv_str raw, text;
	struct gv_logline log;
};

struct gv_tally_hit {
	size_t sig;
	struct gv_match m;
	gv_str bus; /* the PCI address that the line speaks of, see gv_bus_of() */
};

/* An event, and what the log that it is from keeps for it. */
struct gv_tallied {
	struct gv_event *ev;
	size_t boots;
	struct gv_kept *kept;
};

struct gv_boots;

struct gv_tally {
	struct gv_sigs *s;
	struct gv_run *run;
	struct gv_doc *doc;
	bool log; /* what lines hold does not outlive them, so it is copied; events are not yet added to the run */
	enum gv_ticket ticket; /* of gv_stated() */
	size_t written;	       /* sentences that it was asked about */
	uint16_t *subjects; /* by signature */
	struct gv_map by_key;
	GV_VEC(struct gv_tallied *) found;
	GV_VEC(struct gv_boots) boots;
	size_t boots_first;	    /* of the segment */
	size_t boots_seg;	    /* segment of the line walked last */
	size_t now_boots;	    /* entry of that line */
	struct gv_window_walk span; /* where that line lies in time */
};

void gv_tally_begin(struct gv_tally *t, struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc, bool log);
/* The next line that may tell of a boot or of the time; lines with hits are walked before them. */
void gv_tally_walk(struct gv_tally *t, const struct gv_tally_line *l);
enum gv_tally_kept { GV_TALLY_FIRST, GV_TALLY_SOME, GV_TALLY_LAST };
/* Counts a hit in the line walked last. NULL where it lies outside of the span that is judged. */
struct gv_tallied *gv_tally_hit(struct gv_tally *t, const struct gv_tally_line *l, const struct gv_tally_hit *h,
				enum gv_tally_kept *ret);
void gv_tally_end(struct gv_tally *t); /* numbers of boots */

gv_str gv_bus_of(struct gv_arena *a, const struct gv_sig *sig, const struct gv_match *m, gv_str text);
