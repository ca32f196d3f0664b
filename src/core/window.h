/* SPDX-License-Identifier: Apache-2.0 */
/* The span of time that is judged (--since, --until): moments, and which lines lie between them.
 *
 * Stamps are compared as they stand. One with a zone is in UTC; without one it is in the zone of the log, and so is a moment
 * that was given without one. A stamp without a year is held to be within half a year of the moment it is compared with. */
#pragma once

#include "core/evidence.h"

enum gv_moment_how {
	GV_MOMENT_NONE,
	GV_MOMENT_AT,
	GV_MOMENT_AGO, /* before the last dated line of the evidence; becomes AT once that is known */
	GV_MOMENT_BOOT /* the last boot */
};

struct gv_moment {
	enum gv_moment_how how;
	struct gv_time at;
	double ago; /* seconds */
	gv_str text; /* as it was given */
};

struct gv_window {
	bool on;
	struct gv_moment since, until;
	struct gv_time last; /* what "ago" counts from; NONE where nothing is dated */
	bool late;	     /* some log was read before that was known */
	uint64_t lines_out, outputs_out, lines_undated; /* left out, left out, and kept since nothing dates them */
};

/* "2026-01-13", "2026-01-13 12:10[:11][Z|+01:00]", "2h", "3d ago", "boot". False where it is none of these. */
bool gv_moment_parse(gv_str text, struct gv_moment *ret);
/* "2026-05-01" -> days since 1970; false where there is no such day. */
bool gv_date_parse(gv_str text, int64_t *ret_day);
/* The moment `last` is known: "ago" becomes a time. */
void gv_window_resolve(struct gv_window *w, struct gv_time last);
/* Seconds from b to a, both wall clock; a year that one of them lacks is the nearest. */
double gv_time_between(struct gv_time a, struct gv_time b);

enum gv_side { GV_BEFORE = -1, GV_INSIDE, GV_AFTER };
/* Where a time lies; inside where it has no wall clock. */
enum gv_side gv_window_side(const struct gv_window *w, struct gv_time t);

/* A walk over the lines of a document, in their order. A line without a date belongs to the last one above it, in the output
 * of the same command; seconds since boot are dated where the boot's moment is known: the kernel says it when it sets its
 * clock. */
struct gv_window_walk {
	struct gv_time last;
	size_t seg;
	double booted; /* wall-clock second 0 of the boot; 0: not known */
	double stamp;  /* the last seconds since boot */
	double known;  /* the same by the account of a live look */
	enum gv_side side; /* of the line walked last */
	bool dated;
};

/* Before the first line of a document. */
struct gv_window_walk gv_window_walk(const struct gv_doc *doc);
void gv_window_line(const struct gv_window *w, struct gv_window_walk *k, size_t seg, const struct gv_logline *l);
