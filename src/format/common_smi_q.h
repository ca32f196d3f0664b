/* SPDX-License-Identifier: Apache-2.0 */
/* What nvidia-smi -q says, as text or as XML: the same tree of sections and keys (nvidia-smi-q.def). A reader gives its
 * lines in their order; which value of which GPU a line holds is decided here. */
#pragma once

#include "format/common.h"

extern const struct gv_tree_table gv_smi_q_table;

struct gv_smi_held { /* a value that a later line may still replace */
	gv_str value;
	const struct gv_line *l;
};

/* Where a reading stands. */
struct gv_smi_q {
	struct gv_read *r;
	struct gv_tree tree;
	bool exact;	    /* every section is known to begin and end: none was cut out */
	gv_str id;	    /* what -i names, where one GPU is named */
	bool all;	    /* every GPU is listed, so that their order is their index */
	size_t headed_gpus; /* in the whole output */
	size_t heads;	    /* so far */
	size_t gpus, procs;
	size_t first; /* sighting number of the first GPU without a heading */

	struct gv_entity *gpu; /* NULL before the first line that speaks of one */
	bool headed;	       /* its bus id stood above it */
	bool power_alone;      /* power was read without the heading above it */
	uint64_t seen;	       /* sections of it, as bits */
	uint64_t mig_seen;     /* sections of the MIG device at hand, where indentation is lost */
	unsigned migs;
	const struct gv_line *mig_line;
	struct gv_smi_held average, instant, limit, enforced, broken, unknown;
	unsigned errors;
	struct {
		double sum;
		const struct gv_line *l;
		bool known, total;
	} ecc[2]; /* volatile, aggregate */
	struct {
		bool yes;
		const struct gv_line *l;
	} reset, repair;
	struct gv_entity *proc;
};

/* Could this be the value of that key in such an output? Asked where the key alone must tell. */
bool gv_smi_q_fits(const struct gv_tree_row *row, gv_str v);

/* Begins a reading. gpus: how many GPUs have a heading; attached: how many there are by what the output says, 0 where
 * it does not; flat: its lines have lost their indentation. */
void gv_smi_q_begin(struct gv_smi_q *q, struct gv_read *r, size_t gpus, uint64_t attached, bool flat);
/* The heading of a GPU, with its bus id. */
void gv_smi_q_gpu(struct gv_smi_q *q, gv_str bus, const struct gv_line *l);
/* A line below it; without a value it is the heading of a section. */
void gv_smi_q_line(struct gv_smi_q *q, gv_str key, gv_str value, size_t indent, const struct gv_line *l);
void gv_smi_q_end(struct gv_smi_q *q);
