/* SPDX-License-Identifier: Apache-2.0 */
/* Arena: memory that lives as long as a run. Allocation never returns NULL: where memory ends, the handler set by
 * gv_on_oom() is called, which must not return (main() prints one line and exits with 70; nothing is on stdout yet). */
#pragma once

#include <stdarg.h>

#include "base/str.h"

struct gv_arena;

void gv_on_oom(void (*handler)(void)); /* default: abort() */
_Noreturn void gv_oom(void); /* calls the handler */

struct gv_arena *gv_arena_new(void);
void gv_arena_free(struct gv_arena *a); /* NULL is allowed */
size_t gv_arena_bytes(const struct gv_arena *a); /* bytes asked of malloc so far */

/* All that was allocated since the mark goes again; marks are given back in the reverse of their order. */
struct gv_arena_mark {
	struct gv_arena_chunk *top, *next;
	size_t used, bytes;
};
struct gv_arena_mark gv_arena_mark(const struct gv_arena *a);
void gv_arena_reset(struct gv_arena *a, struct gv_arena_mark mark);

void *gv_alloc(struct gv_arena *a, size_t n); /* zeroed, aligned for any type */
#define GV_NEW(a, T) ((T *)gv_alloc((a), sizeof(T)))
#define GV_NEWN(a, T, n) ((T *)gv_alloc_n((a), (n), sizeof(T)))
void *gv_alloc_n(struct gv_arena *a, size_t n, size_t size); /* overflow counts as out of memory */

gv_str gv_dup(struct gv_arena *a, gv_str s); /* the copy is NUL-terminated beyond n */
const char *gv_dupz(struct gv_arena *a, gv_str s);
gv_str gv_fmt(struct gv_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
gv_str gv_vfmt(struct gv_arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
gv_str gv_lower(struct gv_arena *a, gv_str s);

/* A vector that grows in an arena: GV_VEC(int) xs = {0}; *gv_push(a, &xs) = 3; */
#define GV_VEC(T)                                                                                                      \
	struct {                                                                                                       \
		T *v;                                                                                                  \
		size_t n, cap;                                                                                         \
	}
#define gv_push(a, vec)                                                                                                \
	((vec)->n == (vec)->cap                                                                                        \
		 ? (void)((vec)->v = gv_vec_grow((a), (vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)))             \
		 : (void)0,                                                                                            \
	 &(vec)->v[(vec)->n++])
void *gv_vec_grow(struct gv_arena *a, void *v, size_t n, size_t *cap, size_t size);
