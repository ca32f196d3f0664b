/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 << 10)
#define ALIGN _Alignof(max_align_t)

/* Under AddressSanitizer what was not handed out is poisoned, and some of it lies behind each piece: else a step beyond a
 * piece would end in the next one, unseen. */
#ifdef __has_feature
#define ASAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#else
#define ASAN 0
#endif
#if ASAN
#include <sanitizer/asan_interface.h>
#define GAP ((size_t)32)
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GAP ((size_t)0)
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

struct gv_arena_chunk {
	struct gv_arena_chunk *next;
	size_t used, size;
	max_align_t data[];
};

struct gv_arena {
	struct gv_arena_chunk *top;
	size_t bytes;
};

static void (*on_oom)(void) = abort;

void gv_on_oom(void (*handler)(void))
{
	on_oom = handler;
}

void gv_oom(void)
{
	on_oom();
	abort();
}

static void *must(void *p)
{
	if (!p)
		gv_oom();
	return p;
}

struct gv_arena *gv_arena_new(void)
{
	return must(calloc(1, sizeof(struct gv_arena)));
}

void gv_arena_free(struct gv_arena *a)
{
	struct gv_arena_chunk *next;

	if (!a)
		return;
	for (struct gv_arena_chunk *c = a->top; c; c = next) {
		next = c->next;
		UNPOISON(c->data, c->size);
		free(c);
	}
	free(a);
}

size_t gv_arena_bytes(const struct gv_arena *a)
{
	return a->bytes;
}

struct gv_arena_mark gv_arena_mark(const struct gv_arena *a)
{
	const struct gv_arena_chunk *c = a->top;

	return (struct gv_arena_mark){ a->top, c ? c->next : NULL, c ? c->used : 0, a->bytes };
}

static void free_up_to(struct gv_arena_chunk **from, const struct gv_arena_chunk *to)
{
	while (*from != to) {
		struct gv_arena_chunk *c = *from;

		*from = c->next;
		UNPOISON(c->data, c->size);
		free(c);
	}
}

/* Large pieces lie behind the chunk that was on top. */
void gv_arena_reset(struct gv_arena *a, struct gv_arena_mark mark)
{
	struct gv_arena_chunk *c;

	free_up_to(&a->top, mark.top);
	c = a->top;
	a->bytes = mark.bytes;
	if (!c)
		return;
	free_up_to(&c->next, mark.next);
	UNPOISON((char *)c->data + mark.used, c->used - mark.used);
	memset((char *)c->data + mark.used, 0, c->used - mark.used);
	POISON((char *)c->data + mark.used, c->used - mark.used);
	c->used = mark.used;
}

static struct gv_arena_chunk *add_chunk(struct gv_arena *a, size_t n)
{
	struct gv_arena_chunk *c = n > SIZE_MAX - sizeof(*c) ? NULL : calloc(1, sizeof(*c) + n);

	c = must(c);
	c->size = n;
	POISON(c->data, n);
	a->bytes += sizeof(*c) + n;
	return c;
}

void *gv_alloc(struct gv_arena *a, size_t n)
{
	struct gv_arena_chunk *c = a->top;
	size_t asked = n;
	void *p;

	if (n > SIZE_MAX - ALIGN - GAP)
		must(NULL);
	n = ((n + ALIGN - 1) & ~(ALIGN - 1)) + GAP;
	if (n > CHUNK / 4) { /* a large piece gets its own chunk, so that the current one stays in use */
		struct gv_arena_chunk *big = add_chunk(a, n);

		big->used = n;
		if (c) {
			big->next = c->next;
			c->next = big;
		} else {
			a->top = big;
		}
		UNPOISON(big->data, asked);
		return big->data;
	}
	if (!c || c->size - c->used < n) {
		struct gv_arena_chunk *fresh = add_chunk(a, CHUNK);

		fresh->next = c;
		a->top = c = fresh;
	}
	p = (char *)c->data + c->used;
	c->used += n;
	UNPOISON(p, asked);
	return p;
}

void *gv_alloc_n(struct gv_arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		must(NULL);
	return gv_alloc(a, n * size);
}

gv_str gv_dup(struct gv_arena *a, gv_str s)
{
	char *p = gv_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (gv_str){ p, s.n };
}

const char *gv_dupz(struct gv_arena *a, gv_str s)
{
	return gv_dup(a, s).p;
}

gv_str gv_vfmt(struct gv_arena *a, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		n = 0;
	p = gv_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof(small))
		memcpy(p, small, (size_t)n);
	else
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return (gv_str){ p, (size_t)n };
}

gv_str gv_fmt(struct gv_arena *a, const char *fmt, ...)
{
	va_list ap;
	gv_str s;

	va_start(ap, fmt);
	s = gv_vfmt(a, fmt, ap);
	va_end(ap);
	return s;
}

gv_str gv_lower(struct gv_arena *a, gv_str s)
{
	char *p = gv_alloc(a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
	return (gv_str){ p, s.n };
}

void *gv_vec_grow(struct gv_arena *a, void *v, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	void *grown = gv_alloc_n(a, want, size);

	if (n)
		memcpy(grown, v, n * size);
	*cap = want;
	return grown;
}
