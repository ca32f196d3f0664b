/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM bitcode, wrapped or not: a module that says in its triple that it is for a GPU. That of a host (link-time
 * optimisation) is nobody's here. The stream is one of bits: blocks that say how many words they have, and in the
 * module's own block records of 6-bit pieces; the triple is one of the first. Layout: "LLVM Bitcode File Format". */
#include "inspect/device.h"

#define LOOK ((size_t)128 << 10)
#define TRIPLE_MAX 128
#define RECORDS_MAX 1000

enum { BLOCK_MODULE = 8, BLOCK_IDENTIFICATION = 13 };
enum { END_BLOCK, ENTER_BLOCK, DEFINE_ABBREV, PLAIN_RECORD };
enum { RECORD_TRIPLE = 2 };

struct bits {
	gv_str b;
	uint64_t at; /* in bits */
	bool over;
};

static uint64_t get(struct bits *s, unsigned n)
{
	uint64_t v = 0;

	if (s->at + n > (uint64_t)s->b.n * 8) {
		s->over = true;
		return 0;
	}
	for (unsigned i = 0; i < n; i++, s->at++)
		v |= (uint64_t)((unsigned char)s->b.p[s->at / 8] >> s->at % 8 & 1) << i;
	return v;
}

/* Pieces of n bits, of which the highest says that more come. */
static uint64_t get_vbr(struct bits *s, unsigned n)
{
	uint64_t v = 0, piece, more = 1ull << (n - 1);

	for (unsigned shift = 0; shift < 64; shift += n - 1) {
		piece = get(s, n);
		v |= (piece & (more - 1)) << shift;
		if (!(piece & more) || s->over)
			return v;
	}
	s->over = true;
	return 0;
}

struct block {
	uint64_t id, end; /* in bits */
	unsigned width;
};

/* Behind the number that enters it. */
static struct block enter(struct bits *s)
{
	struct block k = { .id = get_vbr(s, 8), .width = (unsigned)get_vbr(s, 4) & 31 };

	s->at = (s->at + 31) / 32 * 32;
	k.end = get(s, 32);
	k.end = s->at + k.end * 32;
	return k;
}

static gv_str read_record(struct bits *s, struct gv_arena *a)
{
	uint64_t code = get_vbr(s, 6), n = get_vbr(s, 6);
	char text[TRIPLE_MAX];

	for (uint64_t i = 0; i < n && !s->over; i++) {
		uint64_t c = get_vbr(s, 6);

		if (i < TRIPLE_MAX)
			text[i] = (char)c;
	}
	return code == RECORD_TRIPLE && n <= TRIPLE_MAX && !s->over ? gv_dup(a, (gv_str){ text, (size_t)n }) : GV_NONE;
}

/* In front of the triple nothing but blocks and plain records stands. */
static gv_str triple_in(struct bits *s, const struct block *module, struct gv_arena *a)
{
	gv_str triple = GV_NONE;

	for (size_t i = 0; i < RECORDS_MAX && !triple.n && !s->over; i++) {
		uint64_t what = get(s, module->width);

		if (what == ENTER_BLOCK)
			s->at = enter(s).end;
		else if (what == PLAIN_RECORD)
			triple = read_record(s, a);
		else
			break;
	}
	return triple;
}

/* b begins with the magic. *ret_end: where the module ends, in bytes. */
static gv_str triple_of(gv_str b, struct gv_arena *a, uint64_t *ret_end)
{
	struct bits s = { .b = b, .at = 32 };

	for (size_t i = 0; i < 4 && !s.over && get(&s, 2) == ENTER_BLOCK; i++) {
		struct block k = enter(&s);

		if (k.id != BLOCK_MODULE && k.id != BLOCK_IDENTIFICATION)
			break;
		*ret_end = k.end / 8;
		if (k.id == BLOCK_MODULE)
			return triple_in(&s, &k, a);
		s.at = k.end;
	}
	return GV_NONE;
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	uint64_t end = 0, size = gv_scan_size(s);
	gv_str triple = triple_of(b, gv_scan_own_arena(s), &end);
	struct gv_code code = { .kind = GV_CODE_BITCODE };

	if (!triple.n || p->at > size || end > size - p->at)
		return;
	code.bytes = end;
	if (!gv_device_target(gv_scan_own_arena(s), triple, GV_NONE, &code))
		return;
	gv_scan_whole(s, p->at, p->at + end, GV_WHOLE);
	gv_scan_code(s, p->at, p->at, &code);
}

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_want(s, &(struct gv_piece){ .at = at, .n = LOOK, .got = got });
}

const struct gv_pattern gv_pattern_bitcode = { .bytes = { "BC\xc0\xde", 4 }, .found = found };
