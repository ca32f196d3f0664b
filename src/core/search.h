/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the literals of all signatures in a text in one pass: with Vectorscan and the database that the build made
 * (tools/mkhs.c), or where that is not there with Aho-Corasick. Both find the same. */
#pragma once

#include "base/arena.h"

struct gv_search; /* the literals; read-only, and shared by threads */

enum gv_search_how { GV_SEARCH_BEST, GV_SEARCH_PLAIN /* Aho-Corasick even where the other is there */ };

/* The literals, which must be those of data/signatures.tsv and then GV_MARKS; they are not copied. */
struct gv_search *gv_search_new(struct gv_arena *a, const gv_str *lits, size_t n, enum gv_search_how how);
void gv_search_free(struct gv_search *s);
bool gv_search_is_plain(const struct gv_search *s);

struct gv_searcher; /* what one thread needs */

struct gv_searcher *gv_searcher_new(struct gv_arena *a, const struct gv_search *s);
void gv_searcher_free(struct gv_searcher *r);

/* Calls hit for every occurrence of every literal: `lit` is its index, `end` the offset behind its last byte. Calls
 * come by rising end, at one end in any order. hit may search another text with the same searcher, but not from within
 * that. */
void gv_search(struct gv_searcher *r, gv_str text, void (*hit)(void *ctx, uint32_t lit, size_t end), void *ctx);

/* What mkhs made. */
extern const size_t gv_search_db_literals, gv_search_db_bytes;
extern const char gv_search_db[];
