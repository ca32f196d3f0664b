/* SPDX-License-Identifier: Apache-2.0 */
/* String views: a pointer and a length, never owned, not NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct gv_str {
	const char *p;
	size_t n;
} gv_str;

#define GV_STR(lit) ((gv_str){ "" lit, sizeof(lit) - 1 })
#define GV_NONE ((gv_str){ NULL, 0 })
/* For printf's "%.*s". */
#define GV_ARG(s) (int)(s).n, (s).p ? (s).p : ""

/* Inline, so that the length of a literal is known when it is compiled. View of a NUL-terminated string, NULL is empty: */
static inline gv_str gv_str_of(const char *z)
{
	return z ? (gv_str){ z, strlen(z) } : GV_NONE;
}

static inline bool gv_eq(gv_str a, gv_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool gv_is(gv_str a, const char *z)
{
	return gv_eq(a, gv_str_of(z));
}

static inline bool gv_starts(gv_str s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && memcmp(s.p, z, n) == 0;
}

static inline bool gv_ends(gv_str s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && memcmp(s.p + s.n - n, z, n) == 0;
}

bool gv_eq_nocase(gv_str a, gv_str b);
int gv_cmp(gv_str a, gv_str b); /* bytewise, shorter first */
int gv_cmp_natural(gv_str a, gv_str b); /* digit runs by value: gpu2 before gpu10 */
int gv_cmp_version(gv_str a, gv_str b); /* numbers between dots, by value: 550.54.14; what is not there is 0 */
bool gv_starts_nocase(gv_str s, const char *z);
bool gv_has(gv_str s, const char *z);
bool gv_has_nocase(gv_str s, const char *z);
ptrdiff_t gv_find(gv_str s, const char *z); /* offset of the first hit, -1 where none */
ptrdiff_t gv_rfind(gv_str s, const char *z);
ptrdiff_t gv_find_c(gv_str s, char c);

gv_str gv_sub(gv_str s, size_t from, size_t n); /* clipped to s */
gv_str gv_from(gv_str s, size_t from);
gv_str gv_cut(gv_str s, size_t max); /* its first bytes, at most max, cut between characters of UTF-8 */
gv_str gv_trim(gv_str s); /* blanks (space, tab, CR, LF, VT, FF) at both ends */
gv_str gv_rtrim(gv_str s);
size_t gv_indent(gv_str s); /* leading blanks; a tab counts 8 */
/* The part of s between the first `open` and the next `close` after it; GV_NONE where not both. */
gv_str gv_between(gv_str s, const char *open, const char *close);
/* What follows the first `z`; GV_NONE where z is not there. */
gv_str gv_after(gv_str s, const char *z);
gv_str gv_before(gv_str s, const char *z); /* what stands before the first `z`; all of s where it is not there */

/* Cuts the next piece off *rest: up to a separator character (consumed). False at the end. */
bool gv_next(gv_str *rest, char sep, gv_str *ret_piece);
/* Next word separated by runs of blanks. */
bool gv_word(gv_str *rest, gv_str *ret_word);
/* Splits into words, at most max; returns how many there are in all (may exceed max). */
size_t gv_words(gv_str s, gv_str *ret_words, size_t max);

/* Numbers. The whole (trimmed) view must be the number, else false and *ret untouched. */
bool gv_to_num(gv_str s, double *ret); /* decimal with optional sign, fraction, exponent; thousands commas refused */
bool gv_to_u64(gv_str s, uint64_t *ret); /* decimal, or 0x hex */
bool gv_hex_u64(gv_str s, uint64_t *ret); /* hex digits without 0x */
/* The number at the start of s (blanks skipped); *ret_rest is what follows it. */
bool gv_lead_num(gv_str s, double *ret, gv_str *ret_rest);
