/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's fatbin container, wherever it lies: a header of 16 bytes and entries one behind the other, each with a
 * header that says for which architecture it is; nothing is unpacked. Layout: read in files of CUDA 11 to 13, see
 * docs/gpu-code.md. */
#include "inspect/device.h"
#include "inspect/nvidia.h"
#include "inspect/scan.h"

#define HEADER 16
#define ENTRY 64	  /* bytes of an entry's header that are read */
#define LOOK 4096	  /* and of what follows, where it is not packed: by which toolkit it was made */
#define ENTRY_MAX 4096	  /* its header at most */
#define ENTRIES_MAX 65536 /* of a container */

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_OLD_ELF = 4, KIND_LTO = 8 };
enum {
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	FLAG_SCRAMBLED = 0x10000,
	FLAG_EXACT = 0x100000,	/* the "a" of sm_90a */
	FLAG_FAMILY = 0x200000, /* the "f" of sm_100f */
};

/* A walk, in the asker's own part of a piece. Nothing is told before the container is known to be sound. */
struct walk {
	uint64_t from, to;
	struct gv_code *code;
	uint64_t *place;
	size_t n, cap;
};

static void give_up(struct walk *w)
{
	w->n = 0;
}

static void got_entry(struct gv_scan *s, struct gv_piece *p, gv_str b);

static void want_entry(struct gv_scan *s, struct walk *w, uint64_t at)
{
	struct gv_piece p = { .at = at, .n = LOOK, .got = got_entry, .own = w };

	gv_scan_want(s, &p);
}

static void tell(struct gv_scan *s, struct walk *w)
{
	gv_scan_whole(s, w->from, w->to, GV_WHOLE_FATBIN);
	for (size_t i = 0; i < w->n; i++)
		gv_scan_code(s, w->from, w->place[i], &w->code[i]);
}

static bool entry_code(struct gv_scan *s, gv_str b, uint64_t size, struct gv_code *ret)
{
	unsigned kind = gv_u16(b, 0), minor = gv_u16(b, 24), major = gv_u16(b, 26), sm = gv_u32(b, 28);
	uint64_t flags = gv_u64(b, 40);

	if (sm < 10 || sm >= 1000)
		return false;
	*ret = (struct gv_code){ .vendor = GV_NVIDIA, .bytes = size };
	switch (kind) {
	case KIND_PTX:
		ret->kind = GV_CODE_PTX;
		ret->isa = major < 100 && minor < 100 ? major * 100 + minor : 0;
		break;
	case KIND_ELF:
	case KIND_OLD_ELF:
		ret->kind = GV_CODE_ELF;
		break;
	case KIND_LTO:
		ret->kind = GV_CODE_LTOIR;
		break;
	default:
		return false; /* an index and its like: no code */
	}
	ret->arch = gv_nvidia_arch(gv_scan_own_arena(s), ret->kind, sm,
				   flags & FLAG_EXACT	 ? 'a'
				   : flags & FLAG_FAMILY ? 'f'
							 : 0);
	ret->packed = (flags & FLAG_LZ4 ? GV_PACKED_LZ4 : 0) | (flags & FLAG_ZSTD ? GV_PACKED_ZSTD : 0) |
		      (flags & FLAG_SCRAMBLED ? GV_PACKED_SCRAMBLED : 0);
	if (ret->kind == GV_CODE_ELF && !ret->packed)
		ret->toolkit =
		    gv_cubin_toolkit(gv_scan_own_arena(s), gv_sub(gv_from(b, gv_u32(b, 4)), 0, gv_u64(b, 8)));
	return true;
}

static void got_entry(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct walk *w = p->own;
	uint64_t head = gv_u32(b, 4), payload = gv_u64(b, 8), left = w->to - p->at;
	struct gv_code code;

	if (b.n < ENTRY || head < ENTRY || head > ENTRY_MAX || head > left || payload > left - head ||
	    w->n >= ENTRIES_MAX) {
		give_up(w);
		return;
	}
	if (entry_code(s, b, head + payload, &code)) {
		if (w->n == w->cap) {
			size_t cap = w->cap;

			w->code = gv_vec_grow(gv_scan_own_arena(s), w->code, w->n, &cap, sizeof(*w->code));
			w->place = gv_vec_grow(gv_scan_own_arena(s), w->place, w->n, &w->cap, sizeof(*w->place));
		}
		w->code[w->n] = code;
		w->place[w->n++] = p->at;
	}
	left -= head + payload;
	if (left >= ENTRY)
		want_entry(s, w, w->to - left);
	else if (left == 0)
		tell(s, w);
}

static void got_header(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	uint64_t size = gv_u64(b, 8), end = gv_scan_size(s);
	struct walk *w;

	if (b.n < HEADER || size < ENTRY || size > end || p->at + HEADER > end - size)
		return;
	w = GV_NEW(gv_scan_own_arena(s), struct walk);
	w->from = p->at;
	w->to = p->at + HEADER + size;
	want_entry(s, w, p->at + HEADER);
}

static void found(struct gv_scan *s, uint64_t at)
{
	struct gv_piece p = { .at = at, .n = HEADER, .got = got_header };

	gv_scan_want(s, &p);
}

/* Magic, version 1, a header of 16 bytes. */
const struct gv_pattern gv_pattern_fatbin = {
	.bytes = { "\x50\xed\x55\xba\x01\x00\x10\x00", 8 },
	.found = found,
};
