/* SPDX-License-Identifier: Apache-2.0 */
/* GPU code in bytes of any kind: a file that is mapped, or one that comes piece by piece out of an archive and is never
 * held. The bytes are searched once, front to back, for a few patterns (inspect.def); whoever knows a pattern asks for
 * further pieces and says what he found. The sections of an ELF file are known at its end only (in a stream): until
 * then everything found is kept with its place. */
#pragma once

#include "inspect/inventory.h"

struct gv_scan;

/* ---- For who has the bytes ---- */

#define GV_SCAN_PIECE ((size_t)1 << 20)	 /* bytes that come at a time */
#define GV_SCAN_KEEP ((size_t)256 << 10) /* of what came before, in front of them */

struct gv_scan *gv_scan_new(struct gv_inspect *x);
/* The bytes from `at` on: all of the file at once, or pieces of which each begins GV_SCAN_KEEP bytes (or as many as
 * there are) before the end of the one before. Views need not outlive the call. `last`: the file ends behind them; the
 * last call may bring nothing new. */
void gv_scan_feed(struct gv_scan *s, uint64_t at, gv_str bytes, bool last);
/* Tells x->file what was found, and frees s. After a feed without `last` (damaged, or not read on), too. */
void gv_scan_end(struct gv_scan *s);

/* ---- For who knows a pattern ---- */

struct gv_pattern {
	gv_str bytes; /* 3 to 24 of them; the first two should be rare together */
	/* One was met at that offset: asks for pieces, or nothing. */
	void (*found)(struct gv_scan *s, uint64_t at);
};

struct gv_piece {
	uint64_t at;
	size_t n;
	/* The bytes are there: n of them, or fewer where the file ends; none where they had gone by already. */
	void (*got)(struct gv_scan *s, struct gv_piece *p, gv_str bytes);
	void *own; /* the asker's */
	uint64_t mark;
};
#define GV_PIECE_MAX ((size_t)4 << 20)
/* Asks for bytes at any place; a copy of *p is kept until they are there. got() is called at once where they are. */
void gv_scan_want(struct gv_scan *s, const struct gv_piece *p);

struct gv_arena *gv_scan_arena(struct gv_scan *s);     /* that of the file */
struct gv_arena *gv_scan_own_arena(struct gv_scan *s); /* lives as long as the scan */
struct gv_inspect *gv_scan_inspect(struct gv_scan *s);
uint64_t gv_scan_size(struct gv_scan *s); /* of the file; UINT64_MAX where it is not known yet */
bool gv_scan_mapped(struct gv_scan *s);	  /* all of it is there at once: nothing goes by */

/* Code was found at `at`; count and section are found by the scan. `origin`: where the pattern is that led to it. */
void gv_scan_code(struct gv_scan *s, uint64_t origin, uint64_t at, const struct gv_code *code);
/* What begins at the pattern `origin` and ends at `to` is understood as a whole: what other patterns lead to within it
 * is part of it, and forgotten. */
enum gv_whole { GV_WHOLE, GV_WHOLE_FATBIN, GV_WHOLE_HIP_BUNDLE };
void gv_scan_whole(struct gv_scan *s, uint64_t origin, uint64_t to, enum gv_whole what);
/* A name of a library that is loaded at run time stands there. */
void gv_scan_name(struct gv_scan *s, uint64_t at, gv_str name);
/* Of the names of libraries met so far, the one that the place is in, from there on; empty: none. */
gv_str gv_scan_name_at(struct gv_scan *s, uint64_t at);
/* A limit was met: not all that was found is kept. */
bool gv_scan_full(struct gv_scan *s);
/* The name of a function stands there: counts where the section is one of names of symbols. */
void gv_scan_symbol(struct gv_scan *s, uint64_t at, unsigned vendor);
/* A section of the host file. */
enum gv_section_use {
	GV_SECTION_DATA,  /* what a program reads */
	GV_SECTION_NAMES, /* of symbols */
	GV_SECTION_OTHER, /* instructions, symbols, debugging information: nothing is looked for */
};
void gv_scan_section(struct gv_scan *s, uint64_t from, uint64_t to, enum gv_section_use use, gv_str name);

/* ---- Reading ---- */
uint16_t gv_u16(gv_str s, size_t at); /* little-endian; 0 beyond the end */
uint32_t gv_u32(gv_str s, size_t at);
uint64_t gv_u64(gv_str s, size_t at);
gv_str gv_z(gv_str s, uint64_t at); /* up to a zero; GV_NONE where none follows */
