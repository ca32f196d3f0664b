/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of log lines, and the events that they make: per document, signature and subject one event with its first
 * and last line, its count and a few lines between, so that a flood costs as little as one line. */
#pragma once

#include "core/fact.h"

#define GV_CAPS 8
#define GV_KEEP 4

struct gv_sig {
	gv_str id;
	gv_str log; /* kernel, job, container, k8s, slurm, fabricmanager; told: what a person writes, see gv_stated() */
	bool by_person; /* of the log "told" */
	gv_str vendor; /* nvidia, amd, intel, any */
	int kind;      /* enum gv_kind, or -1: never stands alone */
	int subject;   /* the capture that tells events apart; 0 = none, -1 = the PCI address in the line */
	gv_str pattern;
};

struct gv_event {
	const struct gv_sig *sig;
	const struct gv_doc *doc;
	const struct gv_seg *seg;
	gv_str host;	/* from the log lines; empty where they name none */
	gv_str subject; /* the text that tells it apart */
	gv_str bus;	/* PCI address in the line, "0000:41:00.0"; empty where none */
	gv_str cap[GV_CAPS];	  /* captures of the first line, from 1; [0] = the whole match */
	gv_str last_cap[GV_CAPS]; /* of the last line */
	int code; /* Xid or SXid; -1 where none */
	uint64_t count;
	struct gv_place first, last, some[GV_KEEP];
	size_t nsome;
	struct gv_time t_first, t_last;
	uint32_t boot_first, boot_last; /* number of boots seen in the document before that line */
	struct gv_entity *node;		/* set by derive/identity */
	struct gv_entity *gpu;		/* where `bus` is a GPU that is known */
	bool kernel;			/* the line came from the kernel */
	bool container;			/* seen inside a container */
	bool told;			/* every line only quotes it: see gv_told() */
	size_t index;
	struct gv_event *next, *next_of_kind; /* of the same signature, of the same kind: see gv_add_event() */
	struct gv_event *next_here;	      /* on the same node: see gv_tell_nodes() */
};

struct gv_sigs; /* the engine: literals, expressions */

struct gv_run;

struct gv_sigs *gv_sigs_new(struct gv_arena *a); /* from the built-in table */
void gv_sigs_free(struct gv_sigs *s);
/* Runs all signatures over the document's lines and adds its events to the run. */
void gv_sigs_scan(struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc);
/* A page of documentation (front matter, HTML, roff), or source code: what it says of errors is no output. */
bool gv_doc_is_page(const struct gv_doc *doc);
bool gv_doc_is_source(const struct gv_doc *doc);
/* What was matched stands in a sentence that quotes it, in a comment, in a row of a table, or was logged for debugging. */
bool gv_told(gv_str line, gv_str hit);
/* What a signature of the log "told" found in line `i` (from 0) is said to have happened. *ticket: whether the document
 * is a report at all, found out once. */
enum gv_ticket { GV_TICKET_UNKNOWN, GV_TICKET, GV_NO_TICKET };
bool gv_stated(const struct gv_doc *doc, size_t i, gv_str hit, enum gv_ticket *ticket);
/* Begins with a verdict of gpuvet: "FAIL gpu-fell-off-bus on ...". */
bool gv_own_verdict(gv_str s);
size_t gv_sigs_count(const struct gv_sigs *s);
const struct gv_sig *gv_sigs_at(const struct gv_sigs *s, size_t i);
/* The signatures that a single line matches, at most max; for `explain` and tests. */
size_t gv_sigs_match(struct gv_sigs *s, gv_str line, const struct gv_sig **ret, size_t max);
