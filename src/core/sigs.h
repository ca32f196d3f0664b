/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions behind the signatures; event.c makes events of what they match. */
#pragma once

#include "core/event.h"

struct gv_ac;

struct gv_sigs {
	struct gv_arena *arena;
	struct gv_sig *sig;
	size_t n;
	const struct gv_ac *ac; /* over the literals of all; NULL where there are none */
	uint16_t *owner;	/* literal -> signature */
	struct gv_regex *regex;
	struct gv_regex_state *state;
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
