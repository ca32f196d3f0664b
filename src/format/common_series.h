/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc that were read again and again into one document: each snapshot stands under a line
 * "@12345.678 /proc/stat" (seconds since boot, path). What people paste is one snapshot without that line.
 *
 * Rates are made of windows: two snapshots at least half a second apart, since the kernel counts in ticks of 10 ms. */
#pragma once

#include "base/map.h"
#include "format/common.h"

/* "@12345.678 /proc/stat" */
bool gv_shot_head(gv_str text, double *ret_t, gv_str *ret_path);

/* For claim(): how many lines from l[0] are snapshots of one path that ends in `path` ("/proc/stat"). Without an @
 * line, how many from l[0] on are content. is_content says whether a line can stand in the file. */
size_t gv_shots_extent(const struct gv_line *l, size_t n, const char *path, bool (*is_content)(gv_str text));

struct gv_shot {
	double t;	 /* seconds since boot; NaN for a paste */
	size_t first, n; /* lines of its content */
};

struct gv_shots {
	const struct gv_line *l;
	struct gv_shot *v; /* in the order of time; one that was cut off in the middle is left out */
	size_t n;
	gv_str path;  /* of the @ line; empty for a paste */
	size_t *edge; /* snapshots between which windows lie; at least one where n is not 0 */
	size_t nedges;
};

/* `rows`: how many things a snapshot holds, which bounds the number of windows; 0 = as many as it has lines. */
void gv_shots_read(struct gv_read *r, const struct gv_line *l, size_t n, size_t rows, struct gv_shots *ret);
/* Seconds of the window that ends at edge k: 1 to nedges - 1. */
double gv_shots_window(const struct gv_shots *s, size_t k);
/* The number of the sample whose window ends at edge k, from 0, and its moment in ms since the first snapshot. */
uint32_t gv_shots_sample(const struct gv_shots *s, size_t k);
uint32_t gv_shots_ms(const struct gv_shots *s, size_t k);
/* Puts the value that stands at edge k. */
void gv_shots_put(struct gv_read *r, const struct gv_shots *s, size_t k, struct gv_entity *e, enum gv_fact f, double v,
		  const struct gv_line *l);

/* ---- Rows of counters that are compared with the same row of the edge before. ---- */
#define GV_COUNTERS 20

struct gv_counter {
	gv_str name;
	uint64_t now[GV_COUNTERS], old[GV_COUNTERS];
	size_t n;	     /* of now */
	size_t edge;	     /* 1 + the last one that had it */
	struct gv_entity *e; /* the reader's; NULL at first */
};

struct gv_counters {
	struct gv_map by; /* name -> struct gv_counter */
	size_t n;
};

/* Takes the row of edge k (from 0). NULL where there are too many. *ret_rate: it stood at the edge before too, with as
 * many numbers: old and now are a window's. */
struct gv_counter *gv_counter_take(struct gv_counters *c, size_t k, gv_str name, const uint64_t *v, size_t n,
				   bool *ret_rate);
/* now - old of counter i; false where it went back: it was reset, or wrapped at a width that is not known. */
bool gv_counter_delta(const struct gv_counter *c, size_t i, double *ret);
/* The numbers of a line from words[from] on, at most GV_COUNTERS; ends at the first word that is none. */
size_t gv_counter_words(const gv_str *words, size_t nwords, size_t from, uint64_t *ret);
