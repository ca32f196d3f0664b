/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: what a check says about an entity. Their texts come from docs/findings/<kind>.md. */
#pragma once

#include "core/event.h"

enum gv_stage {
	GV_STAGE_VISIBLE,
	GV_STAGE_STACK,
	GV_STAGE_BUSY,
	GV_STAGE_FED,
	GV_STAGE_SCALING,
	GV_STAGE_SCHEDULER,
	GV_STAGE_SERVING,
	GV_STAGES
};

enum gv_severity { GV_NOTE, GV_WARN, GV_FAIL, GV_CODE /* default only: by the code's own */ };
enum gv_confidence { GV_LOW, GV_MEDIUM, GV_HIGH };
enum gv_when { GV_HISTORY, GV_RECENT, GV_NOW };

enum gv_bound {
	GV_BOUND_NONE, /* as a kind's property: says nothing about it */
	GV_BOUND_INPUT,
	GV_BOUND_COMPUTE,
	GV_BOUND_MEMORY,
	GV_BOUND_COMMUNICATION,
	GV_BOUND_OVERHEAD,
	GV_BOUND_TRANSFER,
	GV_BOUND_THROTTLE,
	GV_BOUND_IDLE,
	GV_BOUND_UNKNOWN,
};

enum gv_kind {
#define KIND(ID, name, stage, severity, bound, meaning) GV_K_##ID,
#include "core/kind.def"
#undef KIND
	GV_KINDS
};

struct gv_kind_info {
	const char *name;
	enum gv_stage stage;
	enum gv_severity severity;
	enum gv_bound bound;
	const char *meaning;
};

extern const struct gv_kind_info gv_kind_info[GV_KINDS];
extern const char *const gv_stage_name[GV_STAGES];
extern const char *const gv_severity_name[];
extern const char *const gv_confidence_name[];
extern const char *const gv_when_name[];
extern const char *const gv_bound_name[];
int gv_kind_by_name(gv_str name); /* -1 where none */

struct gv_value {
	const char *name;
	gv_str text;
};

#define GV_QUOTES 8

struct gv_finding {
	enum gv_kind kind;
	enum gv_severity severity;
	enum gv_confidence confidence;
	enum gv_when when;
	const struct gv_entity *on;
	GV_VEC(const struct gv_entity *) also;
	struct gv_place quote[GV_QUOTES];
	size_t nquotes;
	GV_VEC(struct gv_value) values; /* for the texts' {name} */
	struct gv_finding *caused_by;
	const struct gv_event *event; /* the event behind it, where there is one: gives time and boot */
	bool fixed_when;	      /* the check set `when` itself */
	size_t explains;	      /* findings that hang under it, at any depth */
	enum gv_severity worst;	      /* of itself and of those */
	gv_str summary, cause, action, avoid; /* filled by the engine */
	gv_str id;			      /* "f1" */
	const struct gv_accept *accepted, *expired; /* the entry of the site's file that met it; NULL */
	enum gv_severity unaccepted;	      /* the severity that it would have otherwise */
	const char *check;		      /* id of the check that made it */
	size_t index;
};

/* The texts of a kind, from docs/findings. In templates {name} is a value; {name|line} the value and the word, "1 line" or
 * "3 lines"; {name|process|processes} where an s is not enough; [...] is left out when a value in it is missing. {on} is
 * the entity. */
struct gv_page {
	const char *kind;
	const char *title;
	const char *summary, *cause, *action, *avoid;
	const char *body; /* the page below the front matter, Markdown */
};
extern const struct gv_page *gv_page_of(enum gv_kind k); /* NULL where there is none */
/* Fills a template; values by name. */
gv_str gv_template(struct gv_arena *a, const char *tmpl, const struct gv_value *v, size_t n);
