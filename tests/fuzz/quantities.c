/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, quantities, addresses, lists of CPUs, the command line: what is parsed out of single cells and words. */
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/units.h"
#include "core/fact.h"
#include "fuzz.h"

static void check_whole(gv_str s)
{
	static bool (*const parse[])(gv_str, double *) = { gv_bytes, gv_bytes_1024, gv_rate, gv_percent, gv_duration };
	char human[GV_HUMAN];
	uint64_t u = 1;
	double v;

	for (size_t i = 0; i < sizeof(parse) / sizeof(parse[0]); i++) {
		v = -12345;
		if (!parse[i](s, &v)) {
			gv_fuzz_check(v == -12345);
			continue;
		}
		gv_fuzz_check(v - v == 0);
		gv_fuzz_check(strlen(gv_human_bytes(v, human, sizeof(human))) < sizeof(human));
		gv_fuzz_check(strlen(gv_human_rate(v, human, sizeof(human))) < sizeof(human));
	}
	gv_to_num(s, &v);
	if (!gv_to_u64(s, &u) && !gv_hex_u64(s, &u))
		gv_fuzz_check(u == 1);
}

static void check_lead(gv_str s)
{
	static bool (*const parse[])(gv_str, double *, gv_str *) = { gv_lead_bytes, gv_lead_bytes_1024, gv_lead_rate,
								     gv_lead_percent, gv_lead_duration };

	for (size_t i = 0; i < sizeof(parse) / sizeof(parse[0]); i++) {
		gv_str rest = GV_NONE;
		double v;

		if (parse[i](s, &v, &rest))
			gv_fuzz_check(v - v == 0 && gv_fuzz_inside(rest, s) && rest.n < s.n);
	}
	if (s.n) {
		gv_str rest = GV_NONE;
		double v;

		if (gv_lead_num(s, &v, &rest)) /* may be infinite */
			gv_fuzz_check(v == v && gv_fuzz_inside(rest, s) && rest.n < s.n);
	}
}

static void check_addresses(struct gv_arena *a, gv_str s)
{
	gv_str bus, again;
	double share;

	if (gv_bus_id(a, s, &bus))
		gv_fuzz_check(gv_bus_id(a, bus, &again) && gv_eq(bus, again));
	if (gv_find_bus_id(a, s, &bus))
		gv_fuzz_check(gv_bus_id(a, bus, &again) && gv_eq(bus, again));
	gv_cpulist_count(s);
	gv_cpulist_has(s, 7);
	share = gv_cpulist_share(s, GV_STR("0-63"));
	gv_fuzz_check(share == -1 || (share >= 0 && share <= 1));
	share = gv_cpulist_share(GV_STR("0-3,5"), s);
	gv_fuzz_check(share == -1 || (share >= 0 && share <= 1));
}

static void check_strings(struct gv_arena *a, gv_str s)
{
	gv_str words[4], rest = s, piece, half = gv_sub(s, s.n / 2, s.n);
	size_t n = gv_words(s, words, 4);

	for (size_t i = 0; i < n && i < 4; i++)
		gv_fuzz_check(words[i].n && gv_fuzz_inside(words[i], s));
	while (gv_next(&rest, ',', &piece))
		gv_fuzz_check(gv_fuzz_inside(piece, s));
	gv_fuzz_check(gv_cmp_natural(s, half) == -gv_cmp_natural(half, s));
	gv_fuzz_check((gv_cmp(s, half) == 0) == gv_eq(s, half));
	gv_fuzz_check(gv_eq_nocase(s, gv_lower(a, s)));
	gv_fuzz_check(gv_trim(s).n <= s.n && gv_fuzz_inside(gv_between(s, "(", ")"), s));
	gv_indent(s);
}

struct values {
	bool flag;
	const char *text;
	uint64_t count, size;
	double time;
	int choice;
};

static const char *const choices[] = { "one", "two", NULL };
static const struct gv_opt options[] = {
	{ .name = "flag", .brief = 'f', .help = "a", .type = GV_OPT_FLAG, .offset = offsetof(struct values, flag) },
	{ .name = "text",
	  .brief = 't',
	  .arg = "T",
	  .help = "b",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct values, text) },
	{ .name = "count", .arg = "N", .help = "c", .type = GV_OPT_COUNT, .offset = offsetof(struct values, count) },
	{ .name = "size",
	  .brief = 's',
	  .arg = "N",
	  .help = "d",
	  .type = GV_OPT_SIZE,
	  .offset = offsetof(struct values, size) },
	{ .name = "time", .arg = "N", .help = "e", .type = GV_OPT_TIME, .offset = offsetof(struct values, time) },
	{ .name = "choice",
	  .arg = "C",
	  .help = "f",
	  .type = GV_OPT_CHOICE,
	  .offset = offsetof(struct values, choice),
	  .choices = choices },
	{ .name = NULL },
};

/* Words of the input as a command line. */
static void check_options(gv_str s)
{
	char *argv[12] = { (char[]){ "gpuvet" } }, *all = malloc(s.n + 1);
	struct values v = { .choice = 7 };
	struct gv_buf err = { 0 };
	gv_str args[12];
	size_t n = 99;
	int argc = 1;

	memcpy(all, s.p, s.n);
	all[s.n] = 0;
	for (size_t i = 0; i < s.n && argc < 12; i++)
		if (!i || all[i - 1] == '\0' || all[i - 1] == ' ') {
			argv[argc++] = all + i;
			if (i)
				all[i - 1] = 0;
		}
	if (gv_opt_parse(options, argc, argv, &v, args, &n, &err) == 0)
		gv_fuzz_check(!err.n && n < (size_t)argc && (v.choice == 7 || v.choice == 0 || v.choice == 1));
	else
		gv_fuzz_check(err.n && n == 99 && v.choice == 7 && !v.text && !v.flag);
	gv_buf_free(&err);
	free(all);
}

void gv_fuzz_quantities(const uint8_t *data, size_t n)
{
	gv_str s = gv_fuzz_copy((gv_str){ (const char *)data, n });
	struct gv_arena *a = gv_arena_new();

	check_whole(s);
	check_lead(s);
	check_addresses(a, s);
	check_strings(a, s);
	check_options(s);
	gv_arena_free(a);
	free((char *)s.p);
}
