/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sigs.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#include "base/ac.h"
#include "core/finding.h"
#include "core/table.h"

#define MAX_SUBJECT 8192  /* of a line, in bytes; around the literal where the line is longer */
#define MATCH_LIMIT 60000 /* steps of one match: the expressions need far fewer on what they are made for */
#define HEAP_LIMIT 1024	  /* KiB */
#define MAX_HARD 16	  /* matches per document that may run into a limit */
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

static size_t add_literals(struct gv_sigs *s, gv_str *lits, size_t n, size_t sig, gv_str cell)
{
	while (cell.n) {
		gv_str lit = gv_before(cell, "||");

		cell = gv_after(cell, "||");
		if (!lit.n)
			continue;
		if (lits) {
			lits[n] = lit;
			s->owner[n] = (uint16_t)sig;
		}
		n++;
	}
	return n;
}

static size_t all_literals(struct gv_sigs *s, const struct gv_table *t, gv_str *lits)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n = add_literals(s, lits, n, i, gv_cell(t, i, "literal"));
	return n;
}

struct gv_sigs *gv_sigs_new(struct gv_arena *a)
{
	const struct gv_table *t = gv_table("signatures");
	struct gv_sigs *s = GV_NEW(a, struct gv_sigs);
	uint32_t jit = 0;
	gv_str *lits;
	size_t n;

	s->arena = a;
	s->n = t ? t->rows : 0;
	s->sig = GV_NEWN(a, struct gv_sig, s->n + 1);
	s->regex = GV_NEWN(a, struct gv_regex, s->n + 1);
	s->state = GV_NEW(a, struct gv_regex_state);
	for (size_t i = 0; i < s->n; i++)
		s->sig[i] = (struct gv_sig){
			.id = gv_cell(t, i, "id"),
			.log = gv_cell(t, i, "log"),
			.vendor = gv_cell(t, i, "vendor"),
			.kind = gv_kind_by_name(gv_cell(t, i, "kind")), /* consequence-only is none */
			.subject = subject_of(gv_cell(t, i, "subject")),
			.pattern = gv_cell(t, i, "pattern"),
		};
	n = all_literals(s, t, NULL);
	lits = GV_NEWN(a, gv_str, n + 1);
	s->owner = GV_NEWN(a, uint16_t, n + 1);
	all_literals(s, t, lits);
	s->ac = n ? gv_ac_new(a, lits, n) : NULL;
	s->can_jit = pcre2_config(PCRE2_CONFIG_JIT, &jit) >= 0 && jit == 1;
	return s;
}

void gv_sigs_free(struct gv_sigs *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		pcre2_code_free(s->regex[i].code);
		s->regex[i].code = NULL;
		s->sig[i].code = NULL;
	}
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
		r->broken = true; /* a test compiles them all */
		return false;
	}
	s->sig[i].code = r->code;
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

	if (r->hard >= MAX_HARD || !ready(s, i))
		return false;
	if (line.n > MAX_SUBJECT)
		line = gv_sub(line, near > MAX_SUBJECT / 2 ? near - MAX_SUBJECT / 2 : 0, MAX_SUBJECT);
	if (++r->runs == JIT_AFTER && s->can_jit)
		pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* where that is forbidden, it stays interpreted */
	n = pcre2_match(r->code, (PCRE2_SPTR)line.p, line.n, 0, 0, s->state->match, s->state->limits);
	if (n <= 0) {
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

size_t gv_sigs_count(const struct gv_sigs *s)
{
	return s->n;
}

const struct gv_sig *gv_sigs_at(const struct gv_sigs *s, size_t i)
{
	return &s->sig[i];
}

struct one_line {
	struct gv_sigs *s;
	gv_str line;
	bool *seen;
	const struct gv_sig **ret;
	size_t n, max;
};

static void on_literal(void *ctx, uint32_t lit, size_t end)
{
	struct one_line *o = ctx;
	size_t i = o->s->owner[lit];
	struct gv_match m;

	if (o->seen[i])
		return;
	o->seen[i] = true;
	if (!gv_sigs_run(o->s, i, o->line, end, &m))
		return;
	if (o->n < o->max)
		o->ret[o->n] = &o->s->sig[i];
	o->n++;
}

size_t gv_sigs_match(struct gv_sigs *s, gv_str line, const struct gv_sig **ret, size_t max)
{
	struct one_line o = { .s = s, .line = line, .seen = GV_NEWN(s->arena, bool, s->n + 1), .ret = ret, .max = max };

	gv_sigs_rested(s);
	if (s->ac)
		gv_ac_scan(s->ac, line, on_literal, &o);
	return o.n < max ? o.n : max;
}
