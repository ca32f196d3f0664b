/* SPDX-License-Identifier: Apache-2.0 */
/* One run: all evidence, facts, events and findings. Everything in it lives in its arena. */
#pragma once

#include "base/map.h"
#include "core/finding.h"
#include "core/site.h"
#include "core/vendors.h"
#include "core/window.h"

struct gv_limits {
	size_t document; /* bytes of one document */
	size_t archive;	 /* bytes inflated from archives in all */
	size_t members;
	size_t line; /* bytes of a line; the rest of a longer one is skipped and said */
	unsigned nesting;
};

/* Facts may take so much memory in all, and one machine have so many things of a kind: what is beyond is left out, and the
 * report says so. Real machines stay far below; a made-up list of a million GPUs costs no more than a long one. */
#define GV_SEEN_BYTES ((size_t)256 << 20)
#define GV_THINGS_MAX 16384

enum gv_how { GV_HOW_FILES, GV_HOW_STDIN, GV_HOW_BUNDLE, GV_HOW_LIVE };

struct gv_next {
	const char *run, *why;
	enum gv_stage stage; /* of the check that lacks it */
	bool asked;	     /* see struct gv_check */
};

/* What is to be said of how a live look was made: as an ordinary user, in a container, what it left alone; or of lines of a
 * driver that speak of failures and that nothing knows. */
struct gv_remark {
	gv_str what, why;
};

struct gv_sigs;

struct gv_event_chain {
	struct gv_event *first, *last;
	size_t n;
};

/* What is on a node, in the order of the run's tables. */
struct gv_own {
	struct gv_chain of_kind[GV_ENTITY_KINDS];
	struct gv_event_chain events;
	struct gv_block *first_block, *last_block;
	bool looked_again; /* by a tool that had looked before */
};

/* The best rate that was measured where the site states what its jobs need. */
struct gv_need_met {
	double rate; /* B/s; 0: none was measured */
	struct gv_place at;
};

struct gv_core {
	const char *what; /* "kernel log" */
	bool known;
};

struct gv_stage_state {
	int state; /* -1 unknown, 0 ok, 1 note, 2 warn, 3 fail */
	gv_str summary;
	size_t answered; /* checks that could answer */
	GV_VEC(struct gv_core) core; /* what the stage rests on */
};

struct gv_run {
	struct gv_arena *arena;
	struct gv_limits limits;
	size_t members;	   /* of archives and folders, read so far */
	uint64_t inflated; /* bytes inflated from archives so far */
	enum gv_how how;
	struct gv_sigs *sigs; /* made when they are first needed */
	/* Reads a log that is not held to its end, and fills doc->stream. */
	void (*read_log)(struct gv_run *run, struct gv_doc *doc);
	unsigned threads; /* that do so, at most; 0: as many as there are processors */
	size_t open_logs; /* that wait for it with their files open */
	struct gv_site *site;	 /* NULL: nothing is said */
	struct gv_window window; /* what is judged of the logs and outputs */
	struct gv_need_met need_met;
	bool several; /* PATHs were given: names below folders begin with the folder's own name */
	gv_str prefix; /* the folder that is being read then */
	GV_VEC(struct gv_doc *) docs;
	GV_VEC(struct gv_unread) unread;
	size_t sourced; /* of those, what the sources said, before anything was read */
	GV_VEC(struct gv_remark) remarks;
	GV_VEC(struct gv_block *) blocks;
	GV_VEC(struct gv_entity *) sights;   /* what readers saw */
	GV_VEC(struct gv_entity *) entities; /* what derive made of it, by gv_add_entity(); nodes first */
	struct gv_chain of_kind[GV_ENTITY_KINDS];
	GV_VEC(struct gv_event *) events; /* by gv_add_event() */
	struct gv_event_chain events_of[GV_KINDS];
	struct gv_map events_by_sig; /* signature id -> struct gv_event_chain */
	size_t seen_bytes;	     /* what sightings and observations take; see GV_SEEN_BYTES */
	struct gv_entity *surplus[GV_ENTITY_KINDS]; /* where what is beyond that goes */
	bool too_many[GV_ENTITY_KINDS]; /* GV_THINGS_MAX was passed, and the report says so */
	GV_VEC(struct gv_finding *) findings; /* in verdict order after the engine */
	struct gv_map found;		      /* kind and entity -> finding; see gv_found() */
	GV_VEC(struct gv_next) next;	      /* at most 3 */
	struct gv_stage_state stage[GV_STAGES];
	struct gv_finding *verdict; /* NULL: nothing at warn or fail */
	enum gv_bound bound;
	enum gv_confidence bound_confidence;
	gv_str bound_summary;
	const struct gv_entity *bound_on;
	struct gv_place bound_quote[GV_QUOTES];
	size_t bound_nquotes;
	const char *workload; /* training, serving, unknown */
	bool judged;	      /* some check could answer */
};

/* Puts an entity, whose node is set, into the run's tables: its index, the chains that gv_each() walks. */
void gv_add_entity(struct gv_run *run, struct gv_entity *e);
void gv_add_event(struct gv_run *run, struct gv_event *ev);
/* Once the nodes of all blocks and events are set: makes the lists that the two below walk. */
void gv_tell_nodes(struct gv_run *run);
/* The same for the children of entities, once all parents are set. */
void gv_tell_children(struct gv_run *run);
struct gv_block *gv_each_block_on(const struct gv_entity *node, const struct gv_block *prev);
struct gv_event *gv_each_event_on(const struct gv_entity *node, const struct gv_event *prev);
/* Says in the report what could not be used, or not all of it. */
void gv_unread(struct gv_run *run, gv_str file, gv_str why);

/* Entities of a kind, on a node (NULL = any): for (e = NULL; (e = gv_each(run, GV_GPU, node, e));) */
struct gv_entity *gv_each(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			  const struct gv_entity *prev);
/* Entities of a kind whose parent this is. */
struct gv_entity *gv_each_of(const struct gv_entity *parent, enum gv_entity_kind k, const struct gv_entity *prev);
size_t gv_outputs(const struct gv_run *run); /* blocks from which something was read */
size_t gv_count(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node);
struct gv_entity *gv_by_key(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node,
			    enum gv_key key, gv_str value);
struct gv_entity *gv_by_id(const struct gv_run *run, enum gv_entity_kind k, const struct gv_entity *node, gv_str id);
/* Events with this signature id, on a node (NULL = any). */
struct gv_event *gv_each_event(const struct gv_run *run, const char *sig, const struct gv_entity *node,
			       const struct gv_event *prev);
/* Events whose signature points to this kind, but for Xids that the site ignores. */
struct gv_event *gv_each_event_of(const struct gv_run *run, enum gv_kind k, const struct gv_entity *node,
				  const struct gv_event *prev);
/* Value of an environment variable seen on the node; empty where not. */
gv_str gv_env(const struct gv_run *run, const struct gv_entity *node, const char *name);
/* Vendors of the GPUs of a node (NULL = any), as bits. */
unsigned gv_vendors(const struct gv_run *run, const struct gv_entity *node);
