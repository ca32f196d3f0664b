/* SPDX-License-Identifier: Apache-2.0 */
/* Checks: pure functions from facts and events to findings. One file each under check/<stage>/, one line in check.def. */
#pragma once

#include "core/run.h"

enum gv_answer {
	GV_PASS,  /* looked, nothing wrong */
	GV_FOUND, /* at least one finding was made */
	GV_NA,	  /* does not apply here */
	GV_NODATA /* what it needs is not known: `next` may name the command that would tell */
};

#define GV_NEEDS 6

struct gv_judge;

struct gv_check {
	const char *id; /* the file's name */
	enum gv_stage stage;
	enum gv_entity_kind over; /* called once per entity of this kind */
	/* Facts of `over` without which it cannot answer (all of them; GV_FACTS ends the list at once). The engine answers
	 * GV_NODATA itself when one is unknown. */
	enum gv_fact needs[GV_NEEDS];
	/* What it looks at, where the stage can be "ok" only if that is known: "kernel log". Checks with the same words stand
	 * for each other. NULL: the stage does not rest on it. */
	const char *core;
	enum gv_answer (*run)(struct gv_judge *j, const struct gv_entity *e);
	bool asked; /* it answers what somebody asked for by an option: its command is suggested before others */
	const char *next_run, *next_why; /* command that gives what is missing; NULL where none */
};
/* `needs` lists are ended by GV_FACTS: { GV_F_X, GV_FACTS }. An empty need is { GV_FACTS }. */

struct gv_judge {
	struct gv_run *run;
	const struct gv_check *check;
};

/* The finding of this kind on this entity: made with the kind's default severity, high confidence and when = now, or
 * the one that is already there. `on` may be any entity; a GPU, NIC, ... where one is to blame, else the node. */
struct gv_finding *gv_found(struct gv_judge *j, enum gv_kind kind, const struct gv_entity *on);
/* The same for an event: quotes its lines, sets `on` to its GPU where known (else node), keeps its time. */
struct gv_finding *gv_found_event(struct gv_judge *j, enum gv_kind kind, const struct gv_event *ev);
void gv_quote(struct gv_finding *f, struct gv_place at); /* once each; at most GV_QUOTES */
void gv_quote_fact(struct gv_finding *f, const struct gv_entity *e, enum gv_fact fact);
void gv_set(struct gv_judge *j, struct gv_finding *f, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void gv_set_str(struct gv_judge *j, struct gv_finding *f, const char *name, gv_str v); /* empty values are not set */
void gv_set_num(struct gv_judge *j, struct gv_finding *f, const char *name, double v);   /* shortest form */
