/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of Xids.
 *
 * Sources: NVIDIA/open-gpu-kernel-modules (kernel_rc.c, nvlink and gsp sources) for the lines, data/xid74-bits.tsv and
 * data/nvlink5-rules.tsv for the words of 74 and of 144 to 150. */
#include "check/common_xid.h"

#define WORD_BITS 32
#define WORDS_MAX 8

static bool between(gv_str s, const char *word, gv_str *ret)
{
	*ret = gv_trim(gv_after(s, word));
	return ret->n > 0;
}

/* Hex words behind the first bracket that begins with "0x", parted by commas or blanks. */
static size_t hex_words(gv_str said, uint64_t *ret)
{
	gv_str list = gv_before(gv_after(said, "(0x"), ")");
	size_t n = 0, i = 0;

	while (i < list.n && n < WORDS_MAX) {
		size_t from = i;
		gv_str w;

		while (i < list.n && list.p[i] != ',' && list.p[i] != ' ')
			i++;
		w = gv_sub(list, from, i - from);
		if (gv_starts(w, "0x"))
			w = gv_from(w, 2);
		if (!gv_hex_u64(w, &ret[n]))
			break;
		n++;
		while (i < list.n && (list.p[i] == ',' || list.p[i] == ' '))
			i++;
	}
	return n;
}

static int number_after(gv_str said, const char *word)
{
	gv_str rest = gv_after(said, word);
	double v;
	gv_str end;

	return rest.p && gv_lead_num(rest, &v, &end) && v >= 0 && v < 1000 ? (int)v : -1;
}

/* Whom the words of the table for Xid 74 make suspect. */
static enum gv_suspect side_of(gv_str meaning)
{
	if (gv_has(meaning, "secondary"))
		return GV_SUSPECT_PEER;
	if (gv_has(meaning, "ECC"))
		return GV_SUSPECT_HERE;
	if (gv_has(meaning, "seating") || gv_has(meaning, "signal"))
		return GV_SUSPECT_BETWEEN;
	return GV_SUSPECT_UNKNOWN;
}

static enum gv_severity severity_of(gv_str action)
{
	if (gv_starts(action, "ignore"))
		return GV_NOTE;
	return gv_starts(action, "follow") || gv_starts(action, "continue") ? GV_WARN : GV_FAIL;
}

static bool any_bit(gv_str bits, uint64_t word)
{
	gv_str bit;
	uint64_t n;

	while (gv_next(&bits, ',', &bit))
		if (gv_to_u64(gv_trim(bit), &n) && n < WORD_BITS && (word >> n & 1))
			return true;
	return false;
}

/* The loudest row of which a bit is set speaks for the line. */
static void decode_74(gv_str said, struct gv_xid_said *x)
{
	const struct gv_table *t = gv_table("xid74-bits");
	uint64_t word[WORDS_MAX];
	size_t n = hex_words(said, word);

	x->link = number_after(said, " link ");
	for (size_t r = 0; t && r < t->rows; r++) {
		enum gv_severity sev = severity_of(gv_cell(t, r, "action"));
		double reg;

		if (!gv_cell_num(t, r, "register", &reg) || reg < 0 || reg >= (double)n ||
		    !any_bit(gv_cell(t, r, "bits"), word[(size_t)reg]) || (x->decoded && sev <= x->severity))
			continue;
		x->decoded = true;
		x->severity = sev;
		x->meaning = gv_cell(t, r, "meaning");
		x->action = gv_cell(t, r, "action");
		x->suspect = side_of(x->meaning);
	}
}

/* A pattern of 32 characters, the highest bit first; '-' fits both. */
static bool fits(gv_str pattern, uint64_t word)
{
	if (pattern.n != WORD_BITS)
		return false;
	for (size_t i = 0; i < WORD_BITS; i++)
		if (pattern.p[i] != '-' && (word >> (WORD_BITS - 1 - i) & 1) != (uint64_t)(pattern.p[i] - '0'))
			return false;
	return true;
}

/* "NETIR_LINK_EVT/NETIR_LINK_DOWN" names the unit of either. */
static bool names_unit(gv_str cell, gv_str unit)
{
	gv_str one;

	while (gv_next(&cell, '/', &one))
		if (gv_eq(one, unit))
			return true;
	return false;
}

static bool fits_status(gv_str cell, uint64_t status)
{
	uint64_t v;
	gv_str w;

	if (gv_is(cell, "*"))
		return true;
	while (gv_word(&cell, &w))
		if (gv_to_u64(w, &v) && v == status)
			return true;
	return false;
}

static enum gv_suspect side_of_bucket(gv_str bucket, gv_str hw)
{
	if (gv_has(bucket, "PEER"))
		return GV_SUSPECT_PEER;
	if (gv_has(bucket, "CABLES") || gv_has(bucket, "LINK_SI"))
		return GV_SUSPECT_BETWEEN;
	if (gv_has(bucket, "USER") || gv_has(bucket, "HOST") || gv_is(hw, "SW"))
		return GV_SUSPECT_SOFTWARE;
	if (gv_is(bucket, "CONTACT_SUPPORT") && (gv_is(hw, "HW") || gv_is(hw, "FW")))
		return GV_SUSPECT_HERE;
	return GV_SUSPECT_UNKNOWN;
}

static void take_rule(const struct gv_table *t, size_t r, struct gv_xid_said *x)
{
	gv_str severity = gv_cell(t, r, "severity"), immediate = gv_cell(t, r, "immediate");

	x->decoded = true;
	if (gv_starts(severity, "Non-fatal"))
		x->severity = gv_is(immediate, "IGNORE") ? GV_NOTE : GV_WARN;
	else
		x->severity = GV_FAIL;
	x->suspect = side_of_bucket(gv_cell(t, r, "investigate"), gv_cell(t, r, "hw_sw"));
	x->action = gv_is(immediate, "RESET_GPU")      ? GV_STR("reset the GPU")
		    : gv_is(immediate, "XID_154_EVAL") ? GV_STR("see what Xid 154 asks for")
						       : GV_NONE;
}

/* "NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004505c6 0x00000000 ...)" */
static void decode_nvlink5(gv_str said, struct gv_xid_said *x)
{
	const struct gv_table *t = gv_table("nvlink5-rules");
	uint64_t word[WORDS_MAX];
	gv_str rest = said;
	size_t n = hex_words(said, word);
	bool promoted = gv_has(said, " Fatal");

	gv_word(&rest, &x->unit);
	x->link = number_after(said, "Link ");
	for (size_t r = 0; t && n >= 2 && r < t->rows; r++) {
		double code;

		if (!gv_cell_num(t, r, "xid", &code) || (int)code != x->code ||
		    !names_unit(gv_cell(t, r, "unit"), x->unit) || !fits_status(gv_cell(t, r, "errorstatus"), word[1]))
			continue;
		if (!fits(gv_cell(t, r, "intrinfo_pre_r575"), word[0]) &&
		    !fits(gv_cell(t, r, "intrinfo_r575"), word[0]))
			continue;
		/* the same error may be promoted to a fatal one: the word in the line tells */
		if (x->decoded && gv_starts(gv_cell(t, r, "severity"), "Non-fatal") == promoted)
			continue;
		take_rule(t, r, x);
	}
}

/* "Contained: CE User Channel (0x9). RST: No, D-RST: No" */
static void decode_memory(gv_str said, struct gv_xid_said *x)
{
	gv_str rst = gv_trim(gv_after(said, ". RST: ")), drst = gv_trim(gv_after(said, "D-RST: "));

	x->uncontained = gv_has_nocase(said, "uncontained");
	x->contained = !x->uncontained && gv_has_nocase(said, "contained");
	if (between(said, "ontained: ", &x->where)) {
		gv_str dot = gv_before(x->where, ". RST");

		x->where = gv_sub(dot, 0, 80);
	}
	x->reset_told = rst.n > 0;
	x->reset = gv_starts_nocase(rst, "Yes");
	x->drain = gv_starts_nocase(drst, "Yes");
}

/* "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC) (0x2081 0x4)." */
static void decode_gsp(gv_str said, struct gv_xid_said *x)
{
	gv_str after = gv_after(said, "imeout after "), function = gv_after(said, "unction "), name;
	double v;
	gv_str rest;

	if (gv_lead_num(after, &v, &rest))
		x->seconds = gv_trim(gv_sub(after, 0, (size_t)(rest.p - after.p)));
	name = gv_between(function, "(", ")");
	if (name.n && gv_find(function, "(") < 6 && !gv_starts(name, "0x"))
		x->function = name;
	else if (gv_lead_num(function, &v, &rest))
		x->function = gv_trim(gv_sub(function, 0, (size_t)(rest.p - function.p)));
}

/* "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)" */
static void decode_recovery(gv_str said, struct gv_xid_said *x)
{
	gv_str to = gv_after(gv_after(said, " from "), " to "), word = gv_trim(to), text = gv_between(to, "(", ")");
	uint64_t v;

	gv_word(&to, &word);
	if (!gv_to_u64(gv_before(word, ","), &v) || v > 99)
		return;
	x->wants = (int)v;
	x->wants_text = text;
}

void gv_xid_said(int code, gv_str said, struct gv_xid_said *ret)
{
	struct gv_xid_said x = { .code = code, .link = -1, .wants = -1 };

	x.previous = number_after(said, "caused by previous Xid ");
	x.nonfatal = gv_has_nocase(said, "nonfatal") || gv_has_nocase(said, "non-fatal");
	x.fatal = !x.nonfatal && gv_has_nocase(said, "fatal");
	if (code == 74)
		decode_74(said, &x);
	else if (code >= 144 && code <= 150)
		decode_nvlink5(said, &x);
	else if (code == 94 || code == 95)
		decode_memory(said, &x);
	else if (code == 119)
		decode_gsp(said, &x);
	else if (code == 154)
		decode_recovery(said, &x);
	else if (code == 136 || code == 137 || code == 155)
		x.link = number_after(said, "ink ");
	*ret = x;
}

static gv_str more(struct gv_arena *a, gv_str have, const char *word, gv_str v)
{
	return v.n ? gv_fmt(a, "%.*s%s%s%.*s", GV_ARG(have), have.n ? "; " : "", word, GV_ARG(v)) : have;
}

gv_str gv_xid_words(struct gv_arena *a, const struct gv_xid_said *s)
{
	static const char *const sides[] = { NULL, "this GPU", "the other end of the link",
					     "the connection (seating, connector, cable)", "software or an operator" };
	gv_str w = GV_NONE;

	if (s->link >= 0)
		w = gv_fmt(a, "link %d", s->link);
	w = more(a, w, "", s->unit);
	w = more(a, w, "", s->meaning);
	if (s->suspect != GV_SUSPECT_UNKNOWN)
		w = more(a, w, "suspect: ", gv_str_of(sides[s->suspect]));
	if (s->uncontained)
		w = more(a, w, "", GV_STR("not contained"));
	w = more(a, w, "in ", s->where);
	if (s->reset || s->drain)
		w = more(a, w, "the driver wants ", s->drain ? GV_STR("a drain and a reset") : GV_STR("a reset"));
	if (s->seconds.n)
		w = gv_fmt(a, "%.*s%sno answer for %.*s s", GV_ARG(w), w.n ? "; " : "", GV_ARG(s->seconds));
	return more(a, w, "function ", s->function);
}
