/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/scan.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/bundle.h"
#include "inspect/seek.h"

/* What hostile bytes can make this hold. */
#define WANTS 4096
#define HELD ((size_t)16 << 20)
#define HITS ((size_t)1 << 20)
#define SECTIONS ((size_t)1 << 18)
#define NAMES 4096
#define CODES 1024 /* of which each differs from the others in what struct gv_code says */

struct want {
	struct gv_piece piece;
	char *held; /* of pieces that are longer than what is kept: as much as came */
	size_t nheld;
};

struct hit {
	uint64_t origin, at;
	struct gv_code code;
};

struct whole {
	uint64_t from, to;
	enum gv_whole what;
};

struct name {
	uint64_t at;
	gv_str name;
	unsigned symbol; /* vendor of the function; 0: a library */
};

struct section {
	uint64_t from, to;
	enum gv_section_use use;
	gv_str name;
	uint64_t
	    other; /* set when sorted: where the first one begins in which nothing is looked for, from this one on */
};

struct gv_scan {
	struct gv_inspect *x;
	struct gv_arena *arena; /* of the scan itself */
	uint64_t at;		/* of the window */
	gv_str win;
	bool last;
	uint64_t next; /* searched up to here */
	uint64_t jump; /* and that much further may be left out */
	size_t held;
	GV_VEC(struct want) wants;
	GV_VEC(struct hit) hits;
	GV_VEC(struct whole) wholes;
	GV_VEC(struct name) names;
	GV_VEC(struct section) sections;
	bool sorted; /* sections */
	bool full;   /* a cap was met */
};

uint16_t gv_u16(gv_str s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.p;

	return at + 2 <= s.n && at + 2 >= at ? (uint16_t)(p[at] | p[at + 1] << 8) : 0;
}

uint32_t gv_u32(gv_str s, size_t at)
{
	return at + 4 <= s.n && at + 4 >= at ? gv_u16(s, at) | (uint32_t)gv_u16(s, at + 2) << 16 : 0;
}

uint64_t gv_u64(gv_str s, size_t at)
{
	return at + 8 <= s.n && at + 8 >= at ? gv_u32(s, at) | (uint64_t)gv_u32(s, at + 4) << 32 : 0;
}

gv_str gv_z(gv_str s, uint64_t at)
{
	const char *end = at < s.n ? memchr(s.p + at, 0, s.n - (size_t)at) : NULL;

	return end ? gv_sub(s, (size_t)at, (size_t)(end - s.p) - (size_t)at) : GV_NONE;
}

struct gv_scan *gv_scan_new(struct gv_inspect *x)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_scan *s = GV_NEW(a, struct gv_scan);

	s->x = x;
	s->arena = a;
	return s;
}

struct gv_arena *gv_scan_arena(struct gv_scan *s)
{
	return s->x->arena;
}

struct gv_arena *gv_scan_own_arena(struct gv_scan *s)
{
	return s->arena;
}

struct gv_inspect *gv_scan_inspect(struct gv_scan *s)
{
	return s->x;
}

uint64_t gv_scan_size(struct gv_scan *s)
{
	return s->last ? s->at + s->win.n : s->x->item->size;
}

bool gv_scan_mapped(struct gv_scan *s)
{
	return s->last && !s->at;
}

/* ---- Pieces that were asked for ---- */

void gv_scan_want(struct gv_scan *s, const struct gv_piece *p)
{
	if (s->wants.n >= WANTS) {
		struct gv_piece own = *p;

		s->full = true;
		own.got(s, &own, GV_NONE);
		return;
	}
	*gv_push(s->arena, &s->wants) = (struct want){ .piece = *p };
}

/* Collects a piece that no window holds whole. True: no more of it comes. */
static bool collect(struct gv_scan *s, struct want *w)
{
	uint64_t from = w->piece.at + w->nheld, end = s->at + s->win.n;
	size_t n;

	if (from < s->at || from > end)
		return from < s->at || s->last;
	if (!w->held) {
		if (w->piece.n > GV_PIECE_MAX || s->held + w->piece.n > HELD)
			return true;
		w->held = malloc(w->piece.n);
		if (!w->held)
			gv_oom();
		s->held += w->piece.n;
	}
	n = end - from < w->piece.n - w->nheld ? (size_t)(end - from) : w->piece.n - w->nheld;
	memcpy(w->held + w->nheld, s->win.p + (from - s->at), n);
	w->nheld += n;
	return w->nheld == w->piece.n || s->last;
}

/* Whether the piece has come, as far as it ever will. */
static bool come(struct gv_scan *s, struct want *w, gv_str *ret)
{
	uint64_t end = s->at + s->win.n;
	bool whole = w->piece.at <= end && w->piece.n <= end - w->piece.at;

	*ret = GV_NONE;
	if (!w->held && w->piece.at >= s->at && (whole || s->last)) {
		if (w->piece.at < end)
			*ret = gv_sub(s->win, (size_t)(w->piece.at - s->at), w->piece.n);
		return true;
	}
	if (!w->held && w->piece.n <= GV_SCAN_KEEP) /* some window will hold it whole, or it has gone by */
		return w->piece.at < s->at;
	if (!collect(s, w))
		return false;
	*ret = (gv_str){ w->held, w->nheld };
	return true;
}

/* Hands out what is there. Who gets a piece may ask for the next one: no recursion. */
static void serve(struct gv_scan *s)
{
	for (size_t i = 0; i < s->wants.n;) {
		struct want w;
		gv_str bytes;

		if (!come(s, &s->wants.v[i], &bytes)) {
			i++;
			continue;
		}
		w = s->wants.v[i];
		s->wants.v[i] = s->wants.v[--s->wants.n];
		w.piece.got(s, &w.piece, bytes);
		if (w.held) {
			s->held -= w.piece.n;
			free(w.held);
		}
	}
}

/* ---- What was found ---- */

void gv_scan_code(struct gv_scan *s, uint64_t origin, uint64_t at, const struct gv_code *code)
{
	if (s->hits.n >= HITS) {
		s->full = true;
		return;
	}
	*gv_push(s->arena, &s->hits) = (struct hit){ origin, at, *code };
}

void gv_scan_whole(struct gv_scan *s, uint64_t origin, uint64_t to, enum gv_whole what)
{
	if (s->wholes.n >= HITS) {
		s->full = true;
		return;
	}
	*gv_push(s->arena, &s->wholes) = (struct whole){ origin, to, what };
	if (origin <= s->next && to > s->jump)
		s->jump = to;
}

static void add_name(struct gv_scan *s, uint64_t at, gv_str name, unsigned symbol)
{
	if (s->names.n >= NAMES) {
		s->full = true;
		return;
	}
	*gv_push(s->arena, &s->names) = (struct name){ at, gv_dup(s->arena, name), symbol };
}

void gv_scan_name(struct gv_scan *s, uint64_t at, gv_str name)
{
	add_name(s, at, name, 0);
}

gv_str gv_scan_name_at(struct gv_scan *s, uint64_t at)
{
	for (size_t i = 0; i < s->names.n; i++) {
		const struct name *n = &s->names.v[i];

		if (!n->symbol && at >= n->at && at - n->at < n->name.n)
			return gv_from(n->name, (size_t)(at - n->at));
	}
	return GV_NONE;
}

bool gv_scan_full(struct gv_scan *s)
{
	return s->full;
}

void gv_scan_symbol(struct gv_scan *s, uint64_t at, unsigned vendor)
{
	add_name(s, at, GV_NONE, vendor);
}

void gv_scan_section(struct gv_scan *s, uint64_t from, uint64_t to, enum gv_section_use use, gv_str name)
{
	if (to <= from)
		return;
	if (s->sections.n >= SECTIONS) {
		s->full = true;
		return;
	}
	*gv_push(s->arena, &s->sections) =
	    (struct section){ from, to, use, name.n ? gv_dup(s->x->arena, name) : GV_NONE, 0 };
	s->sorted = false;
}

static int by_from(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort_sections(struct gv_scan *s)
{
	uint64_t other = UINT64_MAX;

	if (s->sorted || !s->sections.n)
		return;
	qsort(s->sections.v, s->sections.n, sizeof(*s->sections.v), by_from);
	for (size_t i = s->sections.n; i--;) {
		if (s->sections.v[i].use == GV_SECTION_OTHER)
			other = s->sections.v[i].from;
		s->sections.v[i].other = other;
	}
	s->sorted = true;
}

/* The number of sections that begin at or before `at`. */
static size_t sections_before(struct gv_scan *s, uint64_t at)
{
	size_t lo = 0, hi = s->sections.n;

	sort_sections(s);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->sections.v[mid].from <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct section *section_at(struct gv_scan *s, uint64_t at)
{
	size_t n = sections_before(s, at);

	return n && at < s->sections.v[n - 1].to ? &s->sections.v[n - 1] : NULL;
}

/* ---- The search ---- */

/* From where on, at `at` or behind, something may be looked for, and up to where. */
static uint64_t open_from(struct gv_scan *s, uint64_t at, uint64_t *ret_to)
{
	const struct section *sec;
	size_t n;

	while ((sec = section_at(s, at)) && sec->use == GV_SECTION_OTHER)
		at = sec->to;
	n = sections_before(s, at);
	*ret_to = n < s->sections.n ? s->sections.v[n].other : UINT64_MAX;
	return at;
}

static void search(struct gv_scan *s)
{
	uint64_t end = s->at + s->win.n,
		 stop = s->last ? end : end - (s->win.n < GV_PATTERN_MAX ? s->win.n : GV_PATTERN_MAX);

	while (s->next < stop) {
		const struct gv_pattern *pattern;
		uint64_t to, from = open_from(s, s->next, &to);
		size_t hit;

		if (from >= stop) {
			s->next = from;
			break;
		}
		if (to > stop)
			to = stop;
		hit = gv_seek(s->win, (size_t)(from - s->at), (size_t)(to - s->at), &pattern);
		if (hit == SIZE_MAX) {
			s->next = to;
			continue;
		}
		s->next = s->at + hit;
		s->jump = 0;
		pattern->found(s, s->next);
		serve(s);
		s->next = s->jump > s->next ? s->jump : s->next + 1;
	}
}

void gv_scan_feed(struct gv_scan *s, uint64_t at, gv_str bytes, bool last)
{
	s->at = at;
	s->win = bytes;
	s->last = last;
	if (s->next < at) /* what a whole covers was let go by */
		s->next = at;
	serve(s);
	search(s);
	s->win = GV_NONE;
}

/* ---- At the end ---- */

static int by_place(const void *a, const void *b)
{
	const struct whole *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to > y->to ? -1 : x->to < y->to;
}

/* Of a stream more is searched than of a file that is mapped, where the sections are known before: not in the end. */
static bool in_searched(struct gv_scan *s, uint64_t at)
{
	const struct section *sec = section_at(s, at);

	return !sec || sec->use != GV_SECTION_OTHER;
}

/* Leaves the outermost, in order. */
static void settle_wholes(struct gv_scan *s)
{
	size_t n = 0;

	if (s->wholes.n)
		qsort(s->wholes.v, s->wholes.n, sizeof(*s->wholes.v), by_place);
	for (size_t i = 0; i < s->wholes.n; i++)
		if (in_searched(s, s->wholes.v[i].from) && (!n || s->wholes.v[i].from >= s->wholes.v[n - 1].to))
			s->wholes.v[n++] = s->wholes.v[i];
	s->wholes.n = n;
}

/* Whether it lies inside something that is understood as a whole, and does not begin it. */
static bool inside(const struct gv_scan *s, uint64_t origin)
{
	size_t lo = 0, hi = s->wholes.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->wholes.v[mid].from < origin)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && origin < s->wholes.v[lo - 1].to;
}

static void add_code(struct gv_scan *s, const struct gv_code *c, gv_str section)
{
	struct gv_file *f = s->x->file;
	struct gv_arena *a = s->x->arena;
	struct gv_code *sum = NULL;

	for (size_t i = f->code.n; i-- && !sum;)
		if (f->code.v[i].kind == c->kind && f->code.v[i].vendor == c->vendor &&
		    gv_eq(f->code.v[i].arch, c->arch) && gv_eq(f->code.v[i].section, section))
			sum = &f->code.v[i];
	if (!sum && f->code.n >= CODES) {
		s->full = true;
		return;
	}
	if (!sum) {
		sum = gv_push(a, &f->code);
		*sum = (struct gv_code){
			.vendor = c->vendor, .kind = c->kind, .arch = gv_dup(a, c->arch), .section = section
		};
	}
	sum->count++;
	sum->bytes += c->bytes;
	sum->packed |= c->packed;
	sum->isa = c->isa > sum->isa ? c->isa : sum->isa;
	sum->toolkit = c->toolkit > sum->toolkit ? c->toolkit : sum->toolkit;
	sum->unconfirmed |= c->unconfirmed;
}

/* The linker's own list says how many there must be. */
static void check_announced(struct gv_inspect *x, uint64_t announced, uint64_t found, const char *section)
{
	if (announced > found)
		gv_file_note(x,
			     "%s announces %llu containers of GPU code, %llu were found: what is listed may not be all",
			     section, (unsigned long long)announced, (unsigned long long)found);
}

static void tell_codes(struct gv_scan *s)
{
	struct gv_file *f = s->x->file;

	for (size_t i = 0; i < s->hits.n; i++) {
		const struct hit *h = &s->hits.v[i];
		const struct section *sec = section_at(s, h->at);

		if (in_searched(s, h->origin) && !inside(s, h->origin) && (!sec || sec->use == GV_SECTION_DATA))
			add_code(s, &h->code, sec ? sec->name : GV_NONE);
	}
	for (size_t i = 0; i < f->code.n; i++)
		gv_code_by_section(s->x->arena, &f->code.v[i]);
	for (size_t i = 0; f->elf && i < s->wholes.n; i++) {
		const struct section *sec = section_at(s, s->wholes.v[i].from);

		if (s->wholes.v[i].what == GV_WHOLE_FATBIN && sec &&
		    (gv_is(sec->name, ".nv_fatbin") || gv_is(sec->name, "__nv_relfatbin")))
			f->elf->containers++;
		if (s->wholes.v[i].what == GV_WHOLE_HIP_BUNDLE && sec && gv_is(sec->name, ".hip_fatbin"))
			f->elf->hip_bundles++;
	}
	if (f->elf) {
		check_announced(s->x, f->elf->wrappers, f->elf->containers, ".nvFatBinSegment");
		check_announced(s->x, f->elf->hip_wrappers, f->elf->hip_bundles, ".hipFatBinSegment");
	}
}

static void tell_names(struct gv_scan *s)
{
	struct gv_file *f = s->x->file;

	for (size_t i = 0; i < s->names.n; i++) {
		const struct name *n = &s->names.v[i];
		const struct section *sec = section_at(s, n->at);
		bool driver, known = false;
		unsigned vendor;
		struct gv_dep *d;

		if (n->symbol) {
			if (f->elf && sec && sec->use == GV_SECTION_NAMES) {
				f->elf->registers_cuda |= n->symbol == GV_NVIDIA;
				f->elf->registers_hip |= n->symbol == GV_AMD;
			}
			continue;
		}
		vendor = gv_library_vendor(n->name, &driver);
		for (size_t k = 0; k < f->deps.n; k++)
			known |= f->deps.v[k].grade == GV_LOADED && gv_eq(f->deps.v[k].name, n->name);
		if (!vendor || known || inside(s, n->at) || (sec && sec->use != GV_SECTION_DATA))
			continue;
		d = gv_add_dep(s->x, GV_LOADED, n->name, vendor);
		d->driver = driver;
	}
}

void gv_scan_end(struct gv_scan *s)
{
	s->last = true;
	s->at += s->win.n;
	s->win = GV_NONE;
	while (s->wants.n) { /* nothing more comes */
		for (size_t i = 0; i < s->wants.n; i++)
			if (s->wants.v[i].piece.at < s->at)
				s->wants.v[i].piece.at = s->at;
		serve(s);
	}
	settle_wholes(s);
	tell_codes(s);
	tell_names(s);
	if (s->full)
		gv_file_note(s->x, "more in it than is kept: what was counted is not all");
	gv_arena_free(s->arena);
}
