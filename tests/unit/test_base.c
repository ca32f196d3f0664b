/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/ac.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/units.h"

#define S(z) gv_str_of(z)

static void is_text(gv_str got, const char *want)
{
	if (!gv_is(got, want))
		fail_msg("got \"%.*s\", want \"%s\"", GV_ARG(got), want);
}

static void near_to(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* str */

static void str_cuts(void **state)
{
	gv_str rest = S("a::b"), piece, words[2];

	(void)state;
	assert_true(gv_next(&rest, ':', &piece));
	is_text(piece, "a");
	assert_true(gv_next(&rest, ':', &piece));
	is_text(piece, "");
	assert_true(gv_next(&rest, ':', &piece));
	is_text(piece, "b");
	assert_false(gv_next(&rest, ':', &piece));
	assert_int_equal(gv_words(S("  x \t y\nz "), words, 2), 3);
	is_text(words[1], "y");
	is_text(gv_trim(S(" \t a b\r\n")), "a b");
	is_text(gv_between(S("x [in] out]"), "[", "]"), "in");
	assert_null(gv_between(S("x [in"), "[", "]").p);
	is_text(gv_before(S("no colon"), ":"), "no colon");
	assert_null(gv_after(S("no colon"), ":").p);
	is_text(gv_sub(S("abc"), 5, 2), "");
	is_text(gv_from(S("abc"), 1), "bc");
	is_text(gv_cut(S("abc"), 3), "abc");
	is_text(gv_cut(S("abc"), 2), "ab");
	is_text(gv_cut(S("a\xe2\x82\xac"), 3), "a");
	is_text(gv_cut(S("a\xe2\x82\xac!"), 4), "a\xe2\x82\xac");
	is_text(gv_cut(S("\xe2\x82\xac"), 0), "");
	assert_int_equal(gv_rfind(S("abab"), "ab"), 2);
	assert_int_equal(gv_rfind(S("abab"), "c"), -1);
	assert_int_equal(gv_indent(S("\t  x")), 10);
}

static void str_compares(void **state)
{
	(void)state;
	assert_true(gv_cmp_natural(S("gpu2"), S("gpu10")) < 0);
	assert_true(gv_cmp_natural(S("gpu10"), S("gpu10a")) < 0);
	assert_true(gv_cmp_natural(S("a01"), S("a1")) != 0);
	assert_int_equal(gv_cmp_natural(S("a1"), S("a1")), 0);
	assert_true(gv_cmp(S("a"), S("ab")) < 0);
	assert_true(gv_cmp(GV_NONE, S("")) == 0);
	assert_true(gv_eq_nocase(S("NVLink"), S("nvlINK")));
	assert_false(gv_eq(S("ab"), S("abc")));
	assert_true(gv_has_nocase(S("the XID 79"), "xid"));
	assert_false(gv_has(S("the XID 79"), "xid"));
	assert_true(gv_ends(S("x.gz"), ".gz"));
	assert_false(gv_ends(S("z"), ".gz"));
}

static void str_numbers(void **state)
{
	double d = 7;
	uint64_t u = 7;
	gv_str rest;

	(void)state;
	assert_true(gv_to_num(S(" -12.5e1 "), &d));
	near_to(d, -125);
	d = 7;
	assert_false(gv_to_num(S("1,024"), &d));
	assert_false(gv_to_num(S("nan"), &d));
	assert_false(gv_to_num(S(""), &d));
	near_to(d, 7);
	assert_true(gv_lead_num(S("3.25 W"), &d, &rest));
	is_text(rest, " W");
	assert_true(gv_to_u64(S("18446744073709551615"), &u));
	assert_true(u == UINT64_MAX);
	u = 7;
	assert_false(gv_to_u64(S("18446744073709551616"), &u));
	assert_false(gv_to_u64(S("-1"), &u));
	assert_false(gv_hex_u64(S("12345678123456781"), &u));
	assert_true(u == 7);
	assert_true(gv_to_u64(S("0xfF"), &u));
	assert_true(u == 255);
}

/* arena, buf, map */

static void arena_vector(void **state)
{
	struct gv_arena *a = gv_arena_new();
	GV_VEC(unsigned) v = { 0 };
	char *big = gv_alloc(a, 1 << 20);

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		*gv_push(a, &v) = i * 3;
	for (unsigned i = 0; i < 5000; i++)
		assert_int_equal(v.v[i], i * 3);
	for (size_t i = 0; i < 1 << 20; i++)
		assert_int_equal(big[i], 0);
	is_text(gv_fmt(a, "%0300d", 1), gv_fmt(a, "%0300d", 1).p);
	assert_int_equal(gv_fmt(a, "%0300d", 1).n, 300);
	is_text(gv_lower(a, S("AbZ-9")), "abz-9");
	assert_int_equal((uintptr_t)gv_alloc(a, 1) % _Alignof(max_align_t), 0);
	assert_true(gv_arena_bytes(a) > 1 << 20);
	gv_arena_free(a);
}

static jmp_buf out_of_memory;

static void jump(void)
{
	longjmp(out_of_memory, 1);
}

static void arena_overflow(void **state)
{
	struct gv_arena *a = gv_arena_new();

	(void)state;
	gv_on_oom(jump);
	if (!setjmp(out_of_memory)) {
		gv_alloc_n(a, SIZE_MAX / 2, 3);
		fail_msg("an overflow was not seen");
	}
	gv_on_oom(abort);
	gv_arena_free(a);
}

static void map_many(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_map m = { .arena = a };

	(void)state;
	assert_null(gv_map_get(&m, S("x")));
	for (int i = 0; i < 3000; i++)
		*gv_map_put(&m, gv_fmt(a, "key%d", i)) = (void *)gv_dupz(a, gv_fmt(a, "%d", i));
	assert_int_equal(m.n, 3000);
	for (int i = 0; i < 3000; i++)
		assert_string_equal(gv_map_get(&m, gv_fmt(a, "key%d", i)), gv_fmt(a, "%d", i).p);
	assert_null(gv_map_get(&m, S("key3000")));
	*gv_map_put(&m, S("key7")) = a;
	assert_int_equal(m.n, 3000);
	assert_ptr_equal(gv_map_get(&m, S("key7")), a);
	gv_arena_free(a);
}

/* ac */

struct hits {
	size_t n;
	struct {
		uint32_t lit;
		size_t end;
	} v[20000];
};

static void take(void *ctx, uint32_t lit, size_t end)
{
	struct hits *h = ctx;

	if (h->n < 20000) {
		h->v[h->n].lit = lit;
		h->v[h->n].end = end;
	}
	h->n++;
}

static struct hits hits;

static void scan(const gv_str *lits, size_t n, gv_str text)
{
	struct gv_arena *a = gv_arena_new();
	/* its own piece of memory, so that reading past the end is seen */
	char *copy = malloc(text.n + !text.n);

	memcpy(copy, text.p, text.n);
	hits.n = 0;
	gv_ac_scan(gv_ac_new(a, lits, n), (gv_str){ copy, text.n }, take, &hits);
	free(copy);
	gv_arena_free(a);
}

static void ac_classic(void **state)
{
	gv_str lits[] = { S("he"), S("she"), S("his"), S("hers"), S(""), S("he") };

	(void)state;
	scan(lits, 6, S("ushers"));
	assert_int_equal(hits.n, 4);
	assert_int_equal(hits.v[0].lit, 1);
	assert_int_equal(hits.v[0].end, 4);
	assert_int_equal(hits.v[1].lit, 0);
	assert_int_equal(hits.v[2].lit, 5);
	assert_int_equal(hits.v[3].lit, 3);
	assert_int_equal(hits.v[3].end, 6);
	scan(lits, 0, S("ushers"));
	assert_int_equal(hits.n, 0);
}

/* Against the plain way, on small alphabets, where everything overlaps. */
static void ac_random(void **state)
{
	static char text[400], store[40][8];
	unsigned seed = 4711;
	gv_str lits[40];

	(void)state;
	for (int round = 0; round < 400; round++) {
		unsigned letters = 1 + (unsigned)round % 4, shortest = 1 + (unsigned)round / 4 % 5;
		size_t n = 1 + (unsigned)round % 40, at = 0;

#define NEXT(k) ((seed = seed * 1664525u + 1013904223u) >> 12) % (k)
		for (size_t i = 0; i < n; i++) {
			lits[i] = (gv_str){ store[i], shortest + NEXT(4) };
			for (size_t k = 0; k < lits[i].n; k++)
				store[i][k] = (char)('a' + NEXT(letters));
		}
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = (char)('a' + NEXT(letters + 1));
		scan(lits, n, (gv_str){ text, sizeof(text) });
		for (size_t end = 1; end <= sizeof(text); end++)
			for (size_t len = 8; len >= 1; len--)
				for (size_t i = 0; i < n; i++) {
					if (lits[i].n != len || len > end ||
					    memcmp(text + end - len, lits[i].p, len) != 0)
						continue;
					assert_true(at < hits.n);
					assert_int_equal(hits.v[at].lit, i);
					assert_int_equal(hits.v[at].end, end);
					at++;
				}
		assert_int_equal(at, hits.n);
	}
}

static void ac_all_bytes(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char bytes[256], *huge = gv_alloc(a, GV_AC_MAX_BYTES + 1);
	gv_str lit = { bytes, 256 };

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	scan(&lit, 1, lit);
	assert_int_equal(hits.n, 1);
	bytes[255] = 0;
	scan(&lit, 1, lit);
	assert_int_equal(hits.n, 1);
	lit = (gv_str){ huge, GV_AC_MAX_BYTES };
	scan(&lit, 1, lit);
	assert_int_equal(hits.n, 1);
	lit.n++;
	assert_null(gv_ac_new(a, &lit, 1));
	gv_arena_free(a);
}

/* units */

static void units_bytes(void **state)
{
	static const struct {
		const char *text;
		double want;
	} good[] = {
		{ "503Gi", 503.0 * (1 << 30) },
		{ "61234MiB", 61234.0 * (1 << 20) },
		{ "83.5GiB", 83.5 * (1 << 30) },
		{ "37.5 GBytes", 37.5 * (1 << 30) },
		{ "12345 kB", 12345e3 },
		{ "1.5 GB", 1.5e9 },
		{ "2K", 2048 },
		{ "2k", 2000 },
		{ "3 bytes", 3 },
		{ "17", 17 },
		{ "1T", 1099511627776.0 },
		{ " 4 B ", 4 },
	};
	static const char *const bad[] = { "",	     "GiB",    "12 Gb",	  "12 apples", "-1 GiB",
					   "5 GB/s", "5 GiBx", "1e999 B", "5 Kbps" };
	gv_str rest;
	double d = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(gv_bytes(S(good[i].text), &d));
		near_to(d, good[i].want);
	}
	d = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (gv_bytes(S(bad[i]), &d))
			fail_msg("\"%s\" was taken", bad[i]);
	near_to(d, 7);
	assert_true(gv_bytes_1024(S("65796864 kB"), &d));
	near_to(d, 65796864.0 * 1024);
	assert_true(gv_lead_bytes(S("61234MiB / 81559MiB"), &d, &rest));
	is_text(rest, " / 81559MiB");
	assert_false(gv_lead_bytes(S("12 of 30"), &d, &rest));
}

static void units_rates(void **state)
{
	static const struct {
		const char *text;
		double want;
	} good[] = {
		{ "2850MiB/s", 2850.0 * (1 << 20) },
		{ "2988MB/s", 2988e6 },
		{ "32.2 Gbits/sec", 4.025e9 },
		{ "100000Mb/s", 12.5e9 },
		{ "100Gbps", 12.5e9 },
		{ "400 Gb/sec", 50e9 },
		{ "12 GBps", 12e9 },
		{ "3.5 GBytes/sec", 3.5 * (1 << 30) },
		{ "8 b/s", 1 },
	};
	static const char *const bad[] = { "2850MiB", "16 GT/s", "5 /s", "100", "10 MB/min" };
	double d = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(gv_rate(S(good[i].text), &d));
		near_to(d, good[i].want);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (gv_rate(S(bad[i]), &d))
			fail_msg("\"%s\" was taken", bad[i]);
	assert_true(gv_percent(S("92.5 %"), &d));
	near_to(d, 92.5);
	assert_false(gv_percent(S("92"), &d));
}

static void units_durations(void **state)
{
	static const struct {
		const char *text;
		double want;
	} good[] = {
		{ "10ms", 0.01 },	 { "250 usec", 250e-6 },
		{ "2m", 120 },		 { "5d3h", 5 * 86400 + 3 * 3600 },
		{ "10:02", 602 },	 { "1:00:00.5", 3600.5 },
		{ "1-02:03:04", 93784 }, { "1h 30min 2.5s", 5402.5 },
		{ "3\xc2\xb5s", 3e-6 },
	};
	static const char *const bad[] = { "10",	 "3h5d", "5m 5m",      "10:60", "1:2:3:4",
					   "2024-05-01", "5x",	 "1-30:00:00", "" };
	double d = 7;
	gv_str rest;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(gv_duration(S(good[i].text), &d));
		near_to(d, good[i].want);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (gv_duration(S(bad[i]), &d))
			fail_msg("\"%s\" was taken", bad[i]);
	assert_true(gv_lead_duration(S("10ms 20 steps"), &d, &rest));
	is_text(rest, " 20 steps");
}

static void units_human(void **state)
{
	char b[GV_HUMAN];

	(void)state;
	assert_string_equal(gv_human_bytes(512, b, sizeof(b)), "512 B");
	assert_string_equal(gv_human_bytes(503.0 * (1 << 30), b, sizeof(b)), "503 GiB");
	assert_string_equal(gv_human_bytes(61.25 * (1 << 20), b, sizeof(b)), "61.2 MiB");
	assert_string_equal(gv_human_bytes(1023.8, b, sizeof(b)), "1.00 KiB");
	assert_string_equal(gv_human_rate(2.988e9, b, sizeof(b)), "2.99 GB/s");
	assert_string_equal(gv_human_rate(999.7e6, b, sizeof(b)), "1.00 GB/s");
	assert_string_equal(gv_human_rate(NAN, b, sizeof(b)), "unknown");
	assert_string_equal(gv_human_bytes(-1536, b, sizeof(b)), "-1.50 KiB");
	assert_true(strlen(gv_human_bytes(-1.7e308, b, sizeof(b))) < sizeof(b) - 1);
}

/* json */

static void json_writes(void **state)
{
	struct gv_buf b = { 0 };
	struct gv_json j = { .out = &b };

	(void)state;
	gv_json_obj(&j);
	gv_json_key(&j, "a");
	gv_json_arr(&j);
	gv_json_num(&j, 0.1);
	gv_json_num(&j, -0.0);
	gv_json_num(&j, 9007199254740991.0);
	gv_json_num(&j, NAN);
	gv_json_num(&j, 1e300);
	gv_json_u64(&j, UINT64_MAX);
	gv_json_i64(&j, INT64_MIN);
	gv_json_end(&j);
	gv_json_key(&j, "b");
	gv_json_obj(&j);
	gv_json_end(&j);
	gv_json_key(&j, "c");
	gv_json_bool(&j, true);
	gv_json_key(&j, "d");
	gv_json_strz(&j, NULL);
	gv_json_end(&j);
	is_text(gv_buf_str(&b), "{\"a\": [0.1, 0, 9007199254740991, null, 1e+300, 18446744073709551615, "
				"-9223372036854775808], \"b\": {}, \"c\": true, \"d\": null}");
	b.n = 0;
	j = (struct gv_json){ .out = &b, .pretty = true };
	gv_json_arr(&j);
	gv_json_strz(&j, "x");
	gv_json_arr(&j);
	gv_json_end(&j);
	gv_json_obj(&j);
	gv_json_key(&j, "k");
	gv_json_null(&j);
	gv_json_end(&j);
	gv_json_end(&j);
	is_text(gv_buf_str(&b), "[\n  \"x\",\n  [],\n  {\n    \"k\": null\n  }\n]\n");
	gv_buf_free(&b);
}

static void json_quotes(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a\"\\\n\x01\x7f", "\"a\\\"\\\\\\n\\u0001\\u007f\"" },
		{ "\xc2\x9b", "\"\\u009b\"" },
		{ "gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x98\x80", "\"gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x98\x80\"" },
		{ "\xff|\xc3|\xc0\xaf", "\"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gv_buf b = { 0 };
		struct gv_json j = { .out = &b };

		gv_json_str(&j, S(cases[i].text));
		is_text(gv_buf_str(&b), cases[i].want);
		gv_buf_free(&b);
	}
}

/* The kinds of all tokens, a letter each. */
static const char *kinds(gv_str text, bool many, struct gv_json_in *in)
{
	static const char letters[] = "!.{}[]ksntf0";
	static char out[256];
	size_t n = 0;
	enum gv_json_kind k;

	*in = (struct gv_json_in){ .text = text, .many = many };
	do {
		k = gv_json_next(in);
		out[n++] = letters[k];
	} while (k != GV_JSON_END && k != GV_JSON_ERROR && n < 255);
	out[n] = 0;
	assert_int_equal(gv_json_next(in), k); /* both repeat */
	return out;
}

static void json_reads(void **state)
{
	struct gv_json_in in;

	(void)state;
	assert_string_equal(kinds(S(" {\"a\": [1, -2.5e3, true, false, null], \"b\":{}, \"c\": []} "), false, &in),
			    "{k[nntf0]k{}k[]}.");
	assert_string_equal(kinds(S("\xef\xbb\xbf\"x\""), false, &in), "s.");
	assert_string_equal(kinds(S("{\"a\":1}\n{\"a\":2}\n"), true, &in), "{kn}{kn}.");
	assert_string_equal(kinds(S(""), true, &in), ".");
	assert_string_equal(kinds(S("[NaN, -Infinity]"), false, &in), "[00].");
	assert_string_equal(kinds(S("[1, 2"), false, &in), "[nn!");
	assert_int_equal(in.at, 5);
	assert_string_equal(kinds(S("{\"a\" 1}"), false, &in), "{!");
	assert_int_equal(in.at, 5);
	assert_string_equal(kinds(GV_NONE, false, &in), "!");
}

static void json_refuses(void **state)
{
	static const char *const bad[] = { "[1,]", "{\"a\":1,}", "{1:2}",   "[1 2]",	   "01",       "1.",	"1e",
					   "-",	   "\"a",	 "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "nul",	"[}",
					   "{]",   "{}x",	 "]",	    "\"\\",	   "\"\\u12",  "{\"a\"" };
	struct gv_json_in in;
	char deep[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *k = kinds(S(bad[i]), false, &in);

		if (k[strlen(k) - 1] != '!' || !in.error || in.at > strlen(bad[i]))
			fail_msg("\"%s\" read as %s", bad[i], k);
	}
	memset(deep, '[', sizeof(deep));
	kinds((gv_str){ deep, sizeof(deep) }, false, &in);
	assert_string_equal(in.error, "nested too deeply");
	assert_int_equal(in.at, GV_JSON_DEPTH);
}

static void json_skips_and_unescapes(void **state)
{
	struct gv_arena *a = gv_arena_new();
	gv_str text = S("{\"a\": {\"x\": [1, {}]}, \"b\": \"\\u00e9\\ud83d\\ude00\\n\\ud800.\"}");
	struct gv_json_in in = { .text = text };

	(void)state;
	assert_int_equal(gv_json_next(&in), GV_JSON_OBJ);
	assert_int_equal(gv_json_next(&in), GV_JSON_KEY);
	assert_int_equal(in.at, 1);
	assert_true(gv_json_skip(&in, GV_JSON_KEY));
	assert_int_equal(gv_json_next(&in), GV_JSON_KEY);
	is_text(in.raw, "b");
	assert_int_equal(gv_json_next(&in), GV_JSON_STR);
	assert_true(in.escaped);
	is_text(gv_json_unescape(a, in.raw), "\xc3\xa9\xf0\x9f\x98\x80\n\xef\xbf\xbd.");
	is_text(gv_json_unescape(a, S("\\u\\u\\u\\u\\u\\u\\u\\u\\u\\u")),
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	is_text(gv_json_unescape(a, S("x\\")), "x\\");
	in = (struct gv_json_in){ .text = S("[[1, 2") };
	assert_false(gv_json_skip(&in, gv_json_next(&in)));
	gv_arena_free(a);
}

/* Whatever the bytes, the reader ends, and within the text. */
static void json_hostile(void **state)
{
	static const char good[] = "{\"a\": [1.5e-3, \"x\\u00e9\", true, null], \"b\": {\"c\": -0}}";
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)(round % (int)sizeof(good));
		char *copy = malloc(n + !n);
		struct gv_json_in in;

		memcpy(copy, good, n);
		seed = seed * 1664525u + 1013904223u;
		if (n)
			copy[(seed >> 8) % n] = (char)(seed >> 24);
		kinds((gv_str){ copy, n }, round & 1, &in);
		assert_true(in.at <= n);
		free(copy);
	}
}

/* opt */

struct values {
	bool json;
	const char *out;
	uint64_t top, verbose, limit;
	double within;
	int color;
};

static const char *const colors[] = { "auto", "always", "never", NULL };
static const struct gv_opt table[] = {
	{ "color", 0, "WHEN", "Colour the text", GV_OPT_CHOICE, offsetof(struct values, color), colors },
	{ "json", 'j', NULL, "Write JSON", GV_OPT_FLAG, offsetof(struct values, json), NULL },
	{ "limit", 0, "SIZE", "Largest document that is read, in bytes, MiB or GiB as you like it to be written",
	  GV_OPT_SIZE, offsetof(struct values, limit), NULL },
	{ "output", 'o', "FILE", "Where to", GV_OPT_STRING, offsetof(struct values, out), NULL },
	{ "top", 'n', "N", "How many", GV_OPT_COUNT, offsetof(struct values, top), NULL },
	{ "verbose", 'v', NULL, "Say more", GV_OPT_COUNT, offsetof(struct values, verbose), NULL },
	{ "within", 0, "TIME", "How long", GV_OPT_TIME, offsetof(struct values, within), NULL },
	{ 0 },
};

static int parse(const char *line, struct values *v, gv_str *args, size_t *n, struct gv_buf *err)
{
	static char copy[256];
	static char *argv[32];
	int argc = 0;
	char *save = NULL;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	err->n = 0;
	return gv_opt_parse(table, argc, argv, v, args, n, err);
}

static void opt_parses(void **state)
{
	struct gv_buf err = { 0 };
	struct values v = { 0 };
	gv_str args[32];
	size_t n = 0;

	(void)state;
	assert_int_equal(
	    parse("x a -jvv --output=o1 b -n5 --limit 2MiB --within=2m --color never - -- -j", &v, args, &n, &err), 0);
	assert_true(v.json);
	assert_int_equal(v.verbose, 2);
	assert_string_equal(v.out, "o1");
	assert_int_equal(v.top, 5);
	assert_int_equal(v.limit, 2 << 20);
	near_to(v.within, 120);
	assert_int_equal(v.color, 2);
	assert_int_equal(n, 4);
	is_text(args[0], "a");
	is_text(args[2], "-");
	is_text(args[3], "-j");
	assert_int_equal(parse("x -jo -x --output= --within 3", &v, args, &n, &err), 0);
	assert_string_equal(v.out, "");
	assert_int_equal(n, 0);
	gv_buf_free(&err);
}

static void opt_refuses(void **state)
{
	static const struct {
		const char *line, *err;
	} cases[] = {
		{ "x -j --jsno", "unknown option --jsno; did you mean --json?" },
		{ "x --verb", "unknown option --verb; did you mean --verbose?" },
		{ "x --outptu=3", "unknown option --outptu; did you mean --output?" },
		{ "x -q", "unknown option -q" },
		{ "x --json=1", "--json takes no argument" },
		{ "x --output", "--output needs an argument: FILE" },
		{ "x -jn", "--top needs an argument: N" },
		{ "x --top=-1", "--top: \"-1\" is not a whole number" },
		{ "x --limit=5x", "--limit: \"5x\" is not a size such as 512MiB" },
		{ "x --limit=99999999EB", "--limit: \"99999999EB\" is not a size such as 512MiB" },
		{ "x --within=-2", "--within: \"-2\" is not a time such as 30s" },
		{ "x --color=newer", "--color: \"newer\" is not one of auto, always, never; did you mean never?" },
	};
	struct gv_buf err = { 0 };
	struct values v = { .top = 3 };
	gv_str args[32];
	size_t n = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i].line, &v, args, &n, &err), -EINVAL);
		is_text(gv_buf_str(&err), cases[i].err);
	}
	assert_false(v.json);
	assert_int_equal(v.top, 3);
	assert_int_equal(n, 77);
	gv_buf_free(&err);
}

static void opt_help_and_page(void **state)
{
	static const char *const usage[] = { "Usage: x [OPTION]... FILE", NULL };
	struct gv_buf b = { 0 };
	gv_str rest, line;

	(void)state;
	gv_opt_help(&b, table, usage);
	assert_true(gv_starts(gv_buf_str(&b), "Usage: x [OPTION]... FILE\n\nOptions:\n"));
	assert_true(
	    gv_has(gv_buf_str(&b), "\n      --color=WHEN          Colour the text (one of auto, always, never)\n"));
	assert_true(gv_has(gv_buf_str(&b), "\n  -j, --json                Write JSON\n"));
	for (rest = gv_buf_str(&b); gv_next(&rest, '\n', &line);)
		assert_true(line.n <= 80);
	b.n = 0;
	assert_int_equal(gv_opt_check_page(table,
					   S("*--color*=_WHEN_\n*-j*, *--json*\n*--limit* *--output* *--top*\n"
					     "*-v*, *--verbose*\n*--old*\n"),
					   &b),
			 2);
	is_text(gv_buf_str(&b), "the page does not name --within\nthe page names --old, which is no option\n");
	gv_buf_free(&b);
}

static void opt_nearest(void **state)
{
	static const char *const words[] = { "diagnose", "explain", "bench" };

	(void)state;
	assert_string_equal(gv_nearest(S("diagnoes"), words, 3), "diagnose");
	assert_string_equal(gv_nearest(S("bnech"), words, 3), "bench");
	assert_null(gv_nearest(S("zzzzz"), words, 3));
	assert_null(gv_nearest(S(""), words, 3));
	assert_null(gv_nearest(S("explain"), words, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(str_cuts),	  cmocka_unit_test(str_compares),
		cmocka_unit_test(str_numbers),	  cmocka_unit_test(arena_vector),
		cmocka_unit_test(arena_overflow), cmocka_unit_test(map_many),
		cmocka_unit_test(ac_classic),	  cmocka_unit_test(ac_random),
		cmocka_unit_test(ac_all_bytes),	  cmocka_unit_test(units_bytes),
		cmocka_unit_test(units_rates),	  cmocka_unit_test(units_durations),
		cmocka_unit_test(units_human),	  cmocka_unit_test(json_writes),
		cmocka_unit_test(json_quotes),	  cmocka_unit_test(json_reads),
		cmocka_unit_test(json_refuses),	  cmocka_unit_test(json_skips_and_unescapes),
		cmocka_unit_test(json_hostile),	  cmocka_unit_test(opt_parses),
		cmocka_unit_test(opt_refuses),	  cmocka_unit_test(opt_help_and_page),
		cmocka_unit_test(opt_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
