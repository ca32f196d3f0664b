/* SPDX-License-Identifier: Apache-2.0 */
/* Aho-Corasick: finds all of many literals in one pass over a text. Bytes are compared as they are (case matters). */
#pragma once

#include "base/arena.h"

struct gv_ac;

/* The literals are read here only, not kept. Empty ones are ignored; equal ones are all reported.
 * NULL where their lengths add up to more than GV_AC_MAX_BYTES. */
#define GV_AC_MAX_BYTES 32766u
struct gv_ac *gv_ac_new(struct gv_arena *a, const gv_str *lits, size_t n);

/* Calls hit for every occurrence of every literal: `lit` is its index, `end` the offset behind its last byte.
 * Calls come by rising end; at one end longer literals come first. */
void gv_ac_scan(const struct gv_ac *ac, gv_str text, void (*hit)(void *ctx, uint32_t lit, size_t end), void *ctx);
