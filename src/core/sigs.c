/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sigs.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#include "core/finding.h"
#include "core/marks.h"
#include "core/table.h"

#define MAX_SUBJECT 8192  /* of a line, in bytes; around the literal where the line is longer */
#define MATCH_LIMIT 60000 /* steps of one match: the expressions need far fewer on what they are made for */
#define HEAP_LIMIT 1024	  /* KiB */
#define JIT_AFTER 256	  /* matches after which compiling to machine code pays */

struct gv_regex {
	pcre2_code *code;
	uint32_t bus, nr; /* groups of these names, 0 none */
	uint32_t runs, hard;
	bool broken;
};

struct gv_regex_state {
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static int subject_of(gv_str cell)
{
	uint64_t v;

	if (gv_is(cell, "bus"))
		return -1;
	return gv_to_u64(cell, &v) && v < GV_CAPS ? (int)v : 0;
}

/* Literals of all signatures, and whose each is. */
struct literals {
	GV_VEC(gv_str) lit;
	GV_VEC(uint16_t) owner;
};

static void add_literals(struct gv_arena *a, struct literals *all, size_t sig, gv_str cell)
{
	while (cell.n) {
		gv_str lit = gv_before(cell, "||");

		cell = gv_from(cell, lit.n + 2);
		if (!lit.n)
			continue;
		*gv_push(a, &all->lit) = lit;
		*gv_push(a, &all->owner) = (uint16_t)sig;
	}
}

static const char *const marks[] = { GV_MARKS };
#define MARKS (sizeof(marks) / sizeof(marks[0]))

struct gv_sigs *gv_sigs_new_as(struct gv_arena *a, enum gv_search_how how)
{
	const struct gv_table *t = gv_table("signatures");
	struct gv_sigs *s = GV_NEW(a, struct gv_sigs);
	uint32_t jit = 0;
	struct literals all = { 0 };

	s->arena = a;
	s->n = t ? t->rows : 0;
	s->sig = GV_NEWN(a, struct gv_sig, s->n + 1);
	s->regex = GV_NEWN(a, struct gv_regex, s->n + 1);
	s->state = GV_NEW(a, struct gv_regex_state);
	for (size_t i = 0; i < s->n; i++) {
		s->sig[i] = (struct gv_sig){
			.id = gv_cell(t, i, "id"),
			.log = gv_cell(t, i, "log"),
			.vendor = gv_cell(t, i, "vendor"),
			.kind = gv_kind_by_name(gv_cell(t, i, "kind")), /* consequence-only is none */
			.subject = subject_of(gv_cell(t, i, "subject")),
			.pattern = gv_cell(t, i, "pattern"),
		};
		s->sig[i].by_person = gv_is(s->sig[i].log, "told");
		add_literals(a, &all, i, gv_cell(t, i, "literal"));
	}
	s->nlits = all.lit.n;
	for (size_t i = 0; i < MARKS; i++)
		*gv_push(a, &all.lit) = gv_str_of(marks[i]);
	s->lits = all.lit.v;
	s->owner = all.owner.v;
	s->search = gv_search_new(a, all.lit.v, all.lit.n, how);
	s->searcher = gv_searcher_new(a, s->search);
	s->can_jit = pcre2_config(PCRE2_CONFIG_JIT, &jit) >= 0 && jit == 1;
	return s;
}

struct gv_sigs *gv_sigs_new(struct gv_arena *a)
{
	return gv_sigs_new_as(a, GV_SEARCH_BEST);
}

struct gv_sigs *gv_sigs_clone(struct gv_arena *a, const struct gv_sigs *s)
{
	struct gv_sigs *c = GV_NEW(a, struct gv_sigs);

	*c = *s;
	c->arena = a;
	c->copy = true;
	c->cands = NULL;
	c->searcher = gv_searcher_new(a, s->search);
	c->regex = GV_NEWN(a, struct gv_regex, s->n + 1);
	c->state = GV_NEW(a, struct gv_regex_state);
	return c;
}

void gv_sigs_free(struct gv_sigs *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		pcre2_code_free(s->regex[i].code);
		s->regex[i].code = NULL;
	}
	gv_searcher_free(s->searcher);
	if (!s->copy)
		gv_search_free(s->search);
	pcre2_match_data_free(s->state->match);
	pcre2_match_context_free(s->state->limits);
	memset(s->state, 0, sizeof(*s->state));
}

static uint32_t group_named(const pcre2_code *code, const char *name)
{
	int g = pcre2_substring_number_from_name(code, (PCRE2_SPTR)name);

	return g > 0 ? (uint32_t)g : 0;
}

static bool ready(struct gv_sigs *s, size_t i)
{
	struct gv_regex *r = &s->regex[i];
	PCRE2_SIZE at;
	int error;

	if (r->code || r->broken)
		return !r->broken;
	if (!s->state->match) {
		s->state->match = pcre2_match_data_create(32, NULL);
		s->state->limits = pcre2_match_context_create(NULL);
		if (!s->state->match || !s->state->limits)
			gv_oom();
		pcre2_set_match_limit(s->state->limits, MATCH_LIMIT);
		pcre2_set_depth_limit(s->state->limits, MATCH_LIMIT);
		pcre2_set_heap_limit(s->state->limits, HEAP_LIMIT);
	}
	r->code = pcre2_compile((PCRE2_SPTR)s->sig[i].pattern.p, s->sig[i].pattern.n, PCRE2_DOLLAR_ENDONLY, &error, &at,
				NULL);
	if (!r->code) {
		if (error == PCRE2_ERROR_HEAP_FAILED)
			gv_oom();
		r->broken = true; /* a test compiles them all */
		return false;
	}
	r->bus = group_named(r->code, "bus");
	r->nr = group_named(r->code, "code");
	return true;
}

static gv_str captured(gv_str subject, const PCRE2_SIZE *v, int n, uint32_t group)
{
	if (!group || (int)group >= n || v[2 * group] == PCRE2_UNSET || v[2 * group + 1] < v[2 * group])
		return GV_NONE;
	return gv_sub(subject, v[2 * group], v[2 * group + 1] - v[2 * group]);
}

bool gv_sigs_run(struct gv_sigs *s, size_t i, gv_str line, size_t near, struct gv_match *ret)
{
	struct gv_regex *r = &s->regex[i];
	const PCRE2_SIZE *v;
	int n;

	if (r->hard >= GV_SIGS_HARD || !ready(s, i))
		return false;
	if (line.n > MAX_SUBJECT)
		line = gv_sub(line, near > MAX_SUBJECT / 2 ? near - MAX_SUBJECT / 2 : 0, MAX_SUBJECT);
	if (++r->runs == JIT_AFTER && s->can_jit)
		pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* where that is forbidden, it stays interpreted */
	n = pcre2_match(r->code, (PCRE2_SPTR)line.p, line.n, 0, 0, s->state->match, s->state->limits);
	if (n <= 0) {
		if (n == PCRE2_ERROR_NOMEMORY)
			gv_oom();
		if (n != PCRE2_ERROR_NOMATCH)
			r->hard++;
		return false;
	}
	v = pcre2_get_ovector_pointer(s->state->match);
	memset(ret, 0, sizeof(*ret));
	ret->cap[0] = gv_sub(line, v[0], v[1] >= v[0] ? v[1] - v[0] : 0);
	for (uint32_t k = 1; k < GV_CAPS; k++)
		ret->cap[k] = captured(line, v, n, k);
	ret->bus = captured(line, v, n, r->bus);
	ret->code = captured(line, v, n, r->nr);
	return true;
}

void gv_sigs_rested(struct gv_sigs *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->regex[i].hard = 0;
}

void gv_sigs_each_hard(const struct gv_sigs *s, void (*told)(void *ctx, size_t sig, uint32_t n), void *ctx)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->regex[i].hard)
			told(ctx, i, s->regex[i].hard);
}

size_t gv_sigs_count(const struct gv_sigs *s)
{
	return s->n;
}

const struct gv_sig *gv_sigs_at(const struct gv_sigs *s, size_t i)
{
	return &s->sig[i];
}

struct gv_cands *gv_cands_new(struct gv_arena *a, const struct gv_sigs *s)
{
	struct gv_cands *c = GV_NEW(a, struct gv_cands);

	c->tried = GV_NEWN(a, uint64_t, s->n + 1);
	c->line = 1;
	return c;
}

void gv_cands_begin(struct gv_cands *c)
{
	c->line++;
	c->n = 0;
}

/* In this order they are tried. */
static bool before(const struct gv_sigs *s, const struct gv_candidate *a, const struct gv_candidate *b)
{
	if (a->near != b->near)
		return a->near < b->near;
	if (s->lits[a->lit].n != s->lits[b->lit].n)
		return s->lits[a->lit].n > s->lits[b->lit].n;
	return a->lit < b->lit;
}

void gv_cands_add(struct gv_cands *c, const struct gv_sigs *s, uint32_t lit, size_t near)
{
	uint16_t sig = s->owner[lit];
	struct gv_candidate new = { sig, lit, near };

	if (c->tried[sig] != c->line) {
		if (c->n == GV_CANDIDATES)
			return;
		c->tried[sig] = c->line;
		c->v[c->n++] = new;
		return;
	}
	for (size_t i = c->n; i-- > 0;)
		if (c->v[i].sig == sig) {
			if (before(s, &new, &c->v[i]))
				c->v[i] = new;
			return;
		}
}

void gv_cands_sort(struct gv_cands *c, const struct gv_sigs *s)
{
	for (size_t i = 1; i < c->n; i++)
		for (size_t k = i; k && before(s, &c->v[k], &c->v[k - 1]); k--) {
			struct gv_candidate swap = c->v[k];

			c->v[k] = c->v[k - 1];
			c->v[k - 1] = swap;
		}
}

struct one_line {
	struct gv_sigs *s;
	struct gv_cands *cands;
};

static void on_literal(void *ctx, uint32_t lit, size_t end)
{
	struct one_line *o = ctx;

	if (lit < o->s->nlits)
		gv_cands_add(o->cands, o->s, lit, end);
}

size_t gv_sigs_match(struct gv_sigs *s, gv_str line, const struct gv_sig **ret, size_t max)
{
	struct one_line o = { s, s->cands ? s->cands : gv_cands_new(s->arena, s) };
	struct gv_match m;
	size_t n = 0;

	s->cands = o.cands;
	gv_cands_begin(o.cands);
	gv_sigs_rested(s);
	gv_search(s->searcher, line, on_literal, &o);
	gv_cands_sort(o.cands, s);
	for (size_t i = 0; i < o.cands->n && n < max; i++)
		if (gv_sigs_run(s, o.cands->v[i].sig, line, o.cands->v[i].near, &m))
			ret[n++] = &s->sig[o.cands->v[i].sig];
	return n;
}
