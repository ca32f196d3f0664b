/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of any size, read once and never held. Blocks of whole lines come in; the events of their lines stay, and copies
 * of the lines that are quoted. The beginning of such a log is a document as any other, and readers see that much of
 * it.
 *
 * Finding the hits in a block (core/find.h) touches nothing but the block, so several threads may do that; what was
 * found is added block by block in the order of the log, so that the outcome does not depend on who found it. */
#pragma once

#include <sys/types.h>

#include "core/find.h"

#define GV_QUOTE_BYTES 512	      /* kept of a line that is quoted */
#define GV_LOG_HEAD ((size_t)2 << 20) /* bytes of a log that readers see */

/* Where the bytes come from: as many as are there, up to n; 0 at the end, or -errno. */
struct gv_pull {
	ssize_t (*read)(void *ctx, char *p, size_t n);
	void (*close)(void *ctx); /* NULL: nothing to do */
	void *ctx;
};

/* What a document that is a log's beginning says of the whole log. */
struct gv_stream {
	struct gv_pull pull; /* until it was read */
	bool read;
	enum gv_encoding encoding;
	struct gv_time last; /* stamp of the log's last dated line; NONE where there is none */
	uint64_t bytes, lines;
	size_t head; /* bytes of it that readers see */
	gv_str why;  /* what went wrong while it was read; empty where nothing */
	GV_VEC(struct gv_event *) events;
	GV_VEC(struct gv_line) kept; /* beyond the document's own lines, by number */
};

struct gv_log; /* what blocks are added to */

struct gv_log *gv_log_new(struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc);
void gv_log_add(struct gv_log *log, const struct gv_block_hits *b);
void gv_log_end(struct gv_log *log); /* fills doc->stream */

/* Adds the events to the run. */
void gv_stream_events(struct gv_run *run, struct gv_doc *doc);
/* Adds the lines that are quoted to those of the document: once its readers are done. */
void gv_stream_lines(struct gv_run *run, struct gv_doc *doc);
