/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions behind the signatures; event.c makes events of what they match. */
#pragma once

#include "core/event.h"
#include "core/search.h"

#define GV_SIGS_HARD 16 /* matches that an expression may take too long for, in a document or a block of a log */

struct gv_sigs {
	struct gv_arena *arena;
	struct gv_sig *sig;
	size_t n;
	struct gv_search *search; /* over the literals of all */
	struct gv_searcher *searcher;
	const gv_str *lits;
	size_t nlits;	 /* of signatures; GV_MARKS follow */
	uint16_t *owner; /* literal -> signature */
	bool copy;	 /* by gv_sigs_clone(): the search is another's */
	struct gv_regex *regex;
	struct gv_regex_state *state;
	struct gv_cands *cands; /* of gv_sigs_match() */
	bool can_jit;
};

/* What one signature found in one line. Empty captures are views of no length. */
struct gv_match {
	gv_str cap[GV_CAPS];
	gv_str bus; /* the capture named so; empty where there is none */
	gv_str code;
};

/* Runs signature `i` over a line. `near` is an offset into it at which one of its literals ends: of a very long line
 * only the text around that is looked at. */
bool gv_sigs_run(struct gv_sigs *s, size_t i, gv_str line, size_t near, struct gv_match *ret);
/* Lines that made an expression work too hard count against it; beyond some it rests until this is called. */
void gv_sigs_rested(struct gv_sigs *s);
/* The signatures that took too long since then, and how often: calls told for each. */
void gv_sigs_each_hard(const struct gv_sigs *s, void (*told)(void *ctx, size_t sig, uint32_t n), void *ctx);

/* As gv_sigs_new(), with that way of searching. */
struct gv_sigs *gv_sigs_new_as(struct gv_arena *a, enum gv_search_how how);
/* The same signatures for another thread, in its own arena. The first one must outlive it. */
struct gv_sigs *gv_sigs_clone(struct gv_arena *a, const struct gv_sigs *s);

#define GV_CANDIDATES 48 /* signatures tried on one line */

/* The signatures of which a literal stands in the line at hand. */
struct gv_cands {
	struct gv_candidate {
		uint16_t sig;
		uint32_t lit;
		size_t near; /* offset into the line at which the literal ends */
	} v[GV_CANDIDATES];
	size_t n;
	uint64_t *tried; /* by signature: the last line that it was one for */
	uint64_t line;	 /* any number, another for each line */
};

struct gv_cands *gv_cands_new(struct gv_arena *a, const struct gv_sigs *s);
void gv_cands_begin(struct gv_cands *c); /* the next line */
void gv_cands_add(struct gv_cands *c, const struct gv_sigs *s, uint32_t lit, size_t near);
/* By where their literals end, longer ones first: whatever found them, they are tried in one order. */
void gv_cands_sort(struct gv_cands *c, const struct gv_sigs *s);
