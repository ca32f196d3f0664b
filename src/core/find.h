/* SPDX-License-Identifier: Apache-2.0 */
/* The hits of one block of a log; see core/stream.h. */
#pragma once

#include "core/tally.h"

#define GV_LOG_LINE                                                                                                    \
	((size_t)4 << 20) /* of a line in a log that is not held at most so much is read, whatever --max-line says */

struct gv_found_line {
	struct gv_tally_line line; /* its number counts from 0, in the block */
	size_t first, n;	   /* its hits; none: a mark */
	bool prompt;		   /* a command that greps for a message is not the message */
};

struct gv_hard {
	size_t sig;
	uint32_t n;
};

/* A block: whole lines, the last one perhaps without '\n'. */
struct gv_block_hits {
	gv_str bytes;
	bool cut; /* its last line was too long, and the rest of it is not there */
	/* What the finder makes of it: */
	struct gv_arena *arena; /* of all of this; renewed for every block */
	size_t lines;		/* that begin in it */
	size_t long_line;	/* 1 + the first line that is longer than is read, from 0; 0 none */
	struct gv_time last;	/* stamp of its last dated line */
	GV_VEC(struct gv_found_line) found;
	GV_VEC(struct gv_tally_hit) hits;
	GV_VEC(struct gv_hard) hard;
};

struct gv_finder;

struct gv_finder *gv_finder_new(struct gv_arena *a, const struct gv_sigs *s, const struct gv_run *run);
void gv_finder_free(struct gv_finder *f);
void gv_find_hits(struct gv_finder *f, struct gv_block_hits *b);
/* The stamp of the last dated line among the last ones of a text. */
struct gv_time gv_last_stamp(gv_str text);
