/* SPDX-License-Identifier: Apache-2.0 */
#include "core/search.h"

#include <assert.h>

#if GV_HAVE_VECTORSCAN
#include <hs_common.h>
#include <hs_runtime.h>
#endif

#include "base/ac.h"

#define DEPTH 2 /* a search, and one within its callback */
#define PIECE ((size_t)1 << 30)

struct gv_search {
	const struct gv_ac *ac; /* NULL: the database */
#if GV_HAVE_VECTORSCAN
	hs_database_t *db;
#endif
	bool none; /* no literals */
};

struct gv_searcher {
	const struct gv_search *s;
#if GV_HAVE_VECTORSCAN
	hs_scratch_t *scratch[DEPTH];
#endif
	unsigned depth;
};

#if GV_HAVE_VECTORSCAN

/* Refuses a processor older than the library was built for. */
static bool load(struct gv_search *s, size_t n)
{
	hs_error_t r;

	if (gv_search_db_literals != n)
		return false;
	r = hs_deserialize_database(gv_search_db, gv_search_db_bytes, &s->db);
	if (r == HS_NOMEM)
		gv_oom();
	return r == HS_SUCCESS;
}

static void unload(struct gv_search *s)
{
	hs_free_database(s->db);
	s->db = NULL;
}

struct hit_of {
	void (*hit)(void *ctx, uint32_t lit, size_t end);
	void *ctx;
	size_t base; /* of the piece */
};

static int on_match(unsigned int id, unsigned long long from, unsigned long long to, unsigned int flags, void *ctx)
{
	struct hit_of *h = ctx;

	h->hit(h->ctx, id, h->base + (size_t)to);
	return 0;
}

/* One call takes less than 4 GiB. Longer texts go in pieces, cut behind a line's end where there is one: no literal
 * spans it. */
static void search_db(struct gv_searcher *r, gv_str text, void (*hit)(void *ctx, uint32_t lit, size_t end), void *ctx)
{
	hs_scratch_t **scratch = &r->scratch[r->depth];
	struct hit_of h = { hit, ctx, 0 };

	if (!*scratch && hs_alloc_scratch(r->s->db, scratch) != HS_SUCCESS)
		gv_oom();
	r->depth++;
	while (h.base < text.n) {
		gv_str piece = gv_sub(text, h.base, PIECE);
		const char *nl = piece.n == PIECE ? memrchr(piece.p, '\n', piece.n) : NULL;

		if (nl)
			piece.n = (size_t)(nl - piece.p) + 1;
		hs_scan(r->s->db, piece.p, (unsigned int)piece.n, 0, *scratch, on_match, &h);
		h.base += piece.n;
	}
	r->depth--;
}

#endif

struct gv_search *gv_search_new(struct gv_arena *a, const gv_str *lits, size_t n, enum gv_search_how how)
{
	struct gv_search *s = GV_NEW(a, struct gv_search);

	s->none = !n;
#if GV_HAVE_VECTORSCAN
	if (how == GV_SEARCH_BEST && load(s, n))
		return s;
#endif
	s->ac = gv_ac_new(a, lits, n);
	s->none |= !s->ac;
	return s;
}

void gv_search_free(struct gv_search *s)
{
#if GV_HAVE_VECTORSCAN
	if (s)
		unload(s);
#endif
}

bool gv_search_is_plain(const struct gv_search *s)
{
	return s->ac != NULL;
}

struct gv_searcher *gv_searcher_new(struct gv_arena *a, const struct gv_search *s)
{
	struct gv_searcher *r = GV_NEW(a, struct gv_searcher);

	r->s = s;
	return r;
}

void gv_searcher_free(struct gv_searcher *r)
{
#if GV_HAVE_VECTORSCAN
	for (unsigned i = 0; r && i < DEPTH; i++) {
		hs_free_scratch(r->scratch[i]);
		r->scratch[i] = NULL;
	}
#endif
}

void gv_search(struct gv_searcher *r, gv_str text, void (*hit)(void *ctx, uint32_t lit, size_t end), void *ctx)
{
	if (r->s->none || !text.n)
		return;
#if GV_HAVE_VECTORSCAN
	if (!r->s->ac) {
		assert(r->depth < DEPTH);
		search_db(r, text, hit, ctx);
		return;
	}
#endif
	gv_ac_scan(r->s->ac, text, hit, ctx);
}
