/* SPDX-License-Identifier: Apache-2.0 */
/* A dense automaton over byte classes (a row of uint16_t per state) behind a filter: from the root state, a position
 * is looked at only where its next four bytes could begin a literal. The filter has eight buckets of literals (bits of
 * a byte); a position passes where one bucket has both the pair of bytes 0-1 and the pair of bytes 2-3. */
#include "base/ac.h"

#include <string.h>

#define HIT 0x8000u /* set in a transition whose target ends at least one literal */
#define PAIRS 8192u

struct ac_state {
	uint16_t fail; /* longest proper suffix that is a state too */
	uint16_t out;  /* nearest state on the fail chain, this one included, that ends a literal of its own; 0 none */
	uint16_t child, sibling; /* the trie, while building */
	uint16_t class;
	uint32_t lit; /* 1 + index of the first literal that ends here, 0 none */
};

struct gv_ac {
	uint8_t class[256]; /* 0: bytes in no literal */
	uint8_t pair01[PAIRS], pair23[PAIRS];
	uint16_t *rows;
	struct ac_state *states;
	uint32_t *same;	 /* by literal: 1 + the next one with the same bytes */
	unsigned stride; /* classes */
	unsigned n_states;
	unsigned shallow; /* states 1..shallow stand one byte behind the root */
	bool filter;	  /* no literal of one byte */
};

static unsigned pair(unsigned char x, unsigned char y)
{
	return (x ^ (unsigned)y << 5) & (PAIRS - 1);
}

static bool set_classes(struct gv_ac *ac, const gv_str *lits, size_t n, size_t *ret_bytes)
{
	bool used[256] = { false };
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		if (lits[i].n > GV_AC_MAX_BYTES - bytes)
			return false;
		bytes += lits[i].n;
		for (size_t k = 0; k < lits[i].n; k++)
			used[(unsigned char)lits[i].p[k]] = true;
	}
	ac->stride = 1;
	for (unsigned c = 0; c < 256; c++)
		if (used[c] && ac->stride < 256)
			ac->class[c] = (uint8_t)ac->stride++;
	/* All 256 bytes in use: the last one found shares class 0, which then has transitions of its own. */
	*ret_bytes = bytes;
	return true;
}

/* One literal's bits in the filter. Where it is shorter than four bytes, any byte may follow. */
static void set_filter(struct gv_ac *ac, gv_str lit)
{
	const unsigned char *p = (const unsigned char *)lit.p;
	uint8_t bit;

	if (lit.n < 2) {
		ac->filter = false;
		return;
	}
	bit = lit.n < 4 ? 1 : (uint8_t)(2u << (p[0] * 31u + p[1]) % 7u); /* short ones have a bucket of their own */
	ac->pair01[pair(p[0], p[1])] |= bit;
	if (lit.n >= 4)
		ac->pair23[pair(p[2], p[3])] |= bit;
	else if (lit.n == 2)
		for (unsigned k = 0; k < PAIRS; k++)
			ac->pair23[k] |= bit;
	else
		for (unsigned y = 0; y < 256; y++)
			ac->pair23[pair(p[2], (unsigned char)y)] |= bit;
}

static unsigned step(struct gv_ac *ac, unsigned from, unsigned char byte)
{
	uint16_t *cell = &ac->rows[from * ac->stride + ac->class[byte]];

	if (!*cell) {
		struct ac_state *s = &ac->states[ac->n_states];

		s->class = ac->class[byte];
		s->sibling = ac->states[from].child;
		ac->states[from].child = (uint16_t)ac->n_states;
		*cell = (uint16_t)ac->n_states++;
	}
	return *cell;
}

static void add(struct gv_ac *ac, gv_str lit, uint32_t index)
{
	unsigned s = 0;

	for (size_t k = 0; k < lit.n; k++)
		s = step(ac, s, (unsigned char)lit.p[k]);
	ac->same[index] = ac->states[s].lit;
	ac->states[s].lit = index + 1;
	ac->states[s].out = (uint16_t)s;
	set_filter(ac, lit);
}

/* Breadth first: a state's row is that of its fail state, which is complete by then, with its own children over it. */
static void finish(struct gv_ac *ac, struct gv_arena *a)
{
	uint16_t *queue = GV_NEWN(a, uint16_t, ac->n_states);
	struct ac_state *st = ac->states;
	size_t head = 0, tail = 1; /* the root is queued */

	while (head < tail) {
		unsigned s = queue[head++];
		uint16_t *row = &ac->rows[s * ac->stride];
		const uint16_t *fail = &ac->rows[st[s].fail * ac->stride];

		if (s)
			memcpy(row, fail, ac->stride * sizeof(*row));
		for (unsigned t = st[s].child; t; t = st[t].sibling) {
			st[t].fail = s ? (uint16_t)(fail[st[t].class] & ~HIT) : 0;
			if (!st[t].out)
				st[t].out = st[st[t].fail].out;
			row[st[t].class] = (uint16_t)(t | (st[t].out ? HIT : 0));
			queue[tail++] = (uint16_t)t;
		}
	}
}

struct gv_ac *gv_ac_new(struct gv_arena *a, const gv_str *lits, size_t n)
{
	struct gv_ac *ac = GV_NEW(a, struct gv_ac);
	size_t bytes;

	if (!set_classes(ac, lits, n, &bytes))
		return NULL;
	ac->rows = GV_NEWN(a, uint16_t, (bytes + 1) * ac->stride);
	ac->states = GV_NEWN(a, struct ac_state, bytes + 1);
	ac->same = GV_NEWN(a, uint32_t, n);
	ac->n_states = 1;
	ac->filter = true;
	for (size_t i = 0; i < n; i++)
		if (lits[i].n)
			step(ac, 0, (unsigned char)lits[i].p[0]);
	ac->shallow = ac->n_states - 1;
	for (size_t i = n; i-- > 0;) /* backwards, so that equal ones are reported in order */
		if (lits[i].n)
			add(ac, lits[i], (uint32_t)i);
	finish(ac, a);
	return ac;
}

static void report(const struct gv_ac *ac, unsigned s, size_t end, void (*hit)(void *, uint32_t, size_t), void *ctx)
{
	for (unsigned o = ac->states[s].out; o; o = ac->states[ac->states[o].fail].out)
		for (uint32_t l = ac->states[o].lit; l; l = ac->same[l - 1])
			hit(ctx, l - 1, end);
}

void gv_ac_scan(const struct gv_ac *ac, gv_str text, void (*hit)(void *ctx, uint32_t lit, size_t end), void *ctx)
{
	const unsigned char *p = (const unsigned char *)text.p;
	const unsigned shallow = ac->filter ? ac->shallow : 0;
	size_t i = 0;

	if (ac->n_states == 1)
		return;
	while (i < text.n) {
		size_t from;
		unsigned s = 0;

		while (ac->filter && text.n - i >= 4 &&
		       !(ac->pair01[pair(p[i], p[i + 1])] & ac->pair23[pair(p[i + 2], p[i + 3])]))
			i++;
		from = i;
		do {
			s = ac->rows[s * ac->stride + ac->class[p[i++]]];
			if (s & HIT) {
				s &= ~HIT;
				report(ac, s, i, hit, ctx);
			}
		} while (i < text.n && (s > shallow || i < from + 2));
		/* One byte behind the root is as good as the root before that byte: nothing was reported there. */
		if (i < text.n && s)
			i--;
	}
}
