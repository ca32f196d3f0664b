/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what was read or derived about an entity, with place, moment and every other observation of it. */
#pragma once

#include "core/evidence.h"

enum gv_entity_kind {
#define ENTITY(ID, text) GV_##ID,
#include "core/entity.def"
#undef ENTITY
	GV_ENTITY_KINDS
};

enum gv_fact {
#define FACT(ent, ID, name, type, unit, meaning) GV_F_##ID,
#include "core/fact.def"
#undef FACT
	GV_FACTS
};

enum gv_fact_type { GV_NUM, GV_STR_, GV_FLAG };

struct gv_fact_info {
	enum gv_entity_kind over;
	const char *name; /* within the entity: "memory.used" */
	enum gv_fact_type type;
	const char *unit;
	const char *meaning;
};

extern const struct gv_fact_info gv_fact_info[GV_FACTS];
extern const char *const gv_entity_name[GV_ENTITY_KINDS];
/* First fact of a kind and their number; facts of a kind follow each other. */
enum gv_fact gv_fact_first(enum gv_entity_kind k);
size_t gv_fact_count(enum gv_entity_kind k);
/* "gpu.memory.used" or "memory.used" with a kind; GV_FACTS where there is none. */
enum gv_fact gv_fact_by_name(enum gv_entity_kind k, gv_str name);

enum gv_state {
	GV_UNKNOWN, /* the zero value; `reason` says why */
	GV_KNOWN,
	GV_NOT_APPLICABLE, /* the tool says that the device has no such thing */
};

/* One observation. */
struct gv_obs {
	enum gv_state state;
	double num; /* NUM and FLAG */
	gv_str str; /* STR */
	struct gv_place at;
	const char *reason;	      /* static text; NULL where known */
	const struct gv_block *block; /* the output it was read from; NULL = derived */
	uint32_t sample;	      /* number within a series, from 0 */
	uint32_t ms;		      /* since the series began; 0 where its samples bear no time */
};

struct gv_slot {
	struct gv_obs *v;
	size_t n, cap;
};

enum gv_key { /* what may identify an entity besides its id */
	GV_KEY_BUS,
	GV_KEY_INDEX,
	GV_KEY_MINOR,
	GV_KEY_PID,
	GV_KEY_UUID,
	GV_KEYS
};

/* Entities of one kind, in the order in which they were made. */
struct gv_chain {
	struct gv_entity *first, *last;
	size_t n;
};

/* An entity. Readers make one for each output that speaks of a thing (a sighting); derive/identity joins the sightings
 * of one thing, and checks see only the joined ones. */
struct gv_entity {
	enum gv_entity_kind kind;
	gv_str id; /* how reports name it; see the contract of on.id */
	gv_str key[GV_KEYS];
	struct gv_entity *node;	  /* the machine; itself for a NODE; NULL in a sighting */
	struct gv_entity *parent; /* GPU of a LINK, of a PROC on a GPU; NULL where none */
	const struct gv_block *block; /* sighting only */
	struct gv_entity *joined;     /* sighting: the entity that it became part of; NULL where that was one too many */
	size_t index;		      /* order in its table */
	struct gv_entity *next, *next_here; /* of its kind, in the run and on its node: see gv_add_entity() */
	struct gv_own *own;	      /* of a NODE: what is on it */
	struct gv_entity *child, *last_child, *next_child; /* whose parent it is: see gv_each_of() */
	uint32_t rewind;	      /* newest looks that values leave out: the engine judges earlier looks with it */
	struct gv_slot slot[];	      /* gv_fact_count(kind) */
};

/* One output inside a document: what one reader claimed. */
struct gv_block {
	const struct gv_doc *doc;
	const struct gv_seg *seg; /* command, prompt host, container */
	const struct gv_format *format;
	const char *tool;	/* name of the format: "nvidia-smi -q" */
	size_t first, n;	/* lines of the document */
	struct gv_time when;	/* stamp in the output or of the prompt; NONE where none */
	gv_str host;		/* host name that the output itself states; empty where none */
	struct gv_entity *node; /* set by derive/identity */
	struct gv_entity *sight; /* of the machine, once gv_see_node() was asked for it */
	struct gv_block *next_here; /* on its node */
	uint32_t look;		/* set by derive: 0 = the oldest look at the same thing by the same format */
	bool latest;		/* the newest such look */
	bool container;		/* it shows what a container sees */
	bool seen;		/* something was read from it; an empty list is an answer, too, but proves no output */
	size_t index;
};

struct gv_slot *gv_slot(struct gv_entity *e, enum gv_fact f);
const struct gv_slot *gv_slot_of(const struct gv_entity *e, enum gv_fact f);

/* Values as checks use them. NUM: the median of the samples of the latest look; FLAG and STR: the last observation of
 * the latest look. Unknown and not-applicable give false and leave ret alone. Pass NULL where only "known?" matters. */
bool gv_num(const struct gv_entity *e, enum gv_fact f, double *ret);
bool gv_flag(const struct gv_entity *e, enum gv_fact f); /* known and 1 */
bool gv_flag_known(const struct gv_entity *e, enum gv_fact f, bool *ret);
gv_str gv_text(const struct gv_entity *e, enum gv_fact f); /* empty where unknown */
/* The observation that gv_num/gv_flag/gv_text stand for, to be quoted (for a series: the one nearest the median). */
const struct gv_obs *gv_obs(const struct gv_entity *e, enum gv_fact f);
/* Known samples of the latest look; n of them in ret_v (NULL allowed). */
size_t gv_series(const struct gv_entity *e, enum gv_fact f, const struct gv_obs **ret_v, size_t max);
double gv_series_quantile(const struct gv_entity *e, enum gv_fact f, double q); /* 0..1; NaN where no sample */
/* Looks at counters: the first and the last sample of the newest look where that is a series; else the last known
 * observations of the two newest looks. False where there are not two. */
bool gv_two_looks(const struct gv_entity *e, enum gv_fact f, const struct gv_obs **ret_old, const struct gv_obs **ret_new);
/* Seconds from one to the other; false where it is not known. */
bool gv_seconds(const struct gv_obs *old, const struct gv_obs *new, double *ret);

/* Adds an observation (derive and readers; readers use format/common.h). */
struct gv_obs *gv_observe(struct gv_arena *a, struct gv_entity *e, enum gv_fact f, struct gv_place at);
struct gv_entity *gv_entity_new(struct gv_arena *a, enum gv_entity_kind k, gv_str id);

/* PCI addresses in any spelling (00000000:41:00.0, 0000:41:00, 41:00.0, 0x41, PCI:0000:41:00) to "0000:41:00.0";
 * false where s is none. Domains above ffff stay at 8 digits. */
bool gv_bus_id(struct gv_arena *a, gv_str s, gv_str *ret);
/* Finds the first full PCI address (bus:device at least) in a line. */
bool gv_find_bus_id(struct gv_arena *a, gv_str line, gv_str *ret);
/* Lists of CPUs as "0-15,32-47". */
bool gv_cpulist_has(gv_str list, unsigned cpu);
size_t gv_cpulist_count(gv_str list);
/* Share of `part` that lies inside `whole`: 0..1; -1 where one is no list. */
double gv_cpulist_share(gv_str part, gv_str whole);
