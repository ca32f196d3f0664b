/* SPDX-License-Identifier: Apache-2.0 */
/* Names and phrases that the reports for people share. */
#pragma once

#include "report/common.h"

/* Logs were read, and no line of them is a known one; nothing else was given. */
bool gv_nothing_known(const struct gv_run *run);

struct gv_names {
	bool many_nodes; /* things are named with their node */
	bool all;	 /* however many there are */
	bool code;	 /* what comes from evidence stands in code spans of Markdown */
};

extern const char *const gv_severity_word[]; /* note, WARN, FAIL */
const char *gv_state_word(int state);	     /* of a stage: ?, ok, note, WARN, FAIL */

gv_str gv_node_name(const struct gv_entity *node);
/* "gpu 0000:41:00.0 on n0" */
void gv_put_entity(struct gv_buf *b, const struct gv_names *how, const struct gv_entity *e);
/* What the finding is on: "gpu 0000:41:00.0 and 7 more". */
void gv_put_on(struct gv_buf *b, const struct gv_names *how, const struct gv_finding *f);
/* "high confidence, recent" */
void gv_put_certainty(struct gv_buf *b, const struct gv_finding *f);
gv_str gv_summary(const struct gv_finding *f);
/* The label "Don't" says it already. */
gv_str gv_without_do_not(gv_str s);
/* "3 documents, 5 outputs, 2 log events; node a with 8 nvidia GPUs" */
void gv_put_seen(struct gv_buf *b, const struct gv_names *how, const struct gv_run *run);
/* "8 nvidia GPUs", "at least 1 GPU", "no GPU" where a list of all PCI functions has none; false, and nothing written, where
 * none was seen. */
bool gv_put_gpus(struct gv_buf *b, const struct gv_run *run, const struct gv_entity *node);
/* Why nothing could be judged. */
gv_str gv_why_not_judged(const struct gv_run *run);
/* The finding that says what the summary says; NULL where none does. */
const struct gv_finding *gv_who_says(const struct gv_run *run, gv_str what);

/* A code span of Markdown that nothing in s can end. */
void gv_put_code(struct gv_buf *b, gv_str s);
