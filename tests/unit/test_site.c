/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include "core/window.h"

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} rows[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "a*", "abc", true },
		{ "*c", "abc", true },
		{ "a*c", "abcbd", false },
		{ "a*b*c", "axxbyyc", true },
		{ "*a*a*a*", "banana", true },
		{ "*aab", "aaaaaaaab", true },
		{ "?", "", false },
		{ "a?c", "abc", true },
		{ "ABC", "abc", true },
		{ "abc", "abcd", false },
		{ "abcd", "abc", false },
		{ "**", "x", true },
		{ "a**b", "ab", true },
		{ "[a]", "a", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (gv_glob(gv_str_of(rows[i].pattern), gv_str_of(rows[i].text)) != rows[i].fits)
			fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].text);
}

static void dates(void **state)
{
	static const char *const wrong[] = { "",	   "2026-1-01",	 "2026-13-01", "2026-02-29",
					     "2026-00-10", "2026-04-31", "1969-12-31", "2026-05-01T",
					     "26-05-01",   "2026/05/01", "2100-02-29" };
	int64_t day = -1;

	assert_true(gv_date_parse(GV_STR("1970-01-01"), &day));
	assert_int_equal(day, 0);
	assert_true(gv_date_parse(GV_STR("2024-02-29"), &day));
	assert_int_equal(day, 19782);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (gv_date_parse(gv_str_of(wrong[i]), &day))
			fail_msg("\"%s\" is a date", wrong[i]);
	assert_int_equal(day, 19782);
}

static double at(const char *text)
{
	struct gv_moment m;

	if (!gv_moment_parse(gv_str_of(text), &m) || m.how != GV_MOMENT_AT)
		fail_msg("\"%s\" is no date", text);
	return m.at.t;
}

static void moments(void **state)
{
	struct gv_moment m = { 0 };

	assert_true(at("2026-01-13") == 1768262400);
	assert_true(at("2026-01-13 12:10") == 1768306200);
	assert_true(at("2026-01-13T12:10:11Z") == 1768306211);
	assert_true(at("2026-01-13T12:10:11.5+01:00") == 1768302611.5);
	assert_true(at("2026-01-13 12:10-0500") == 1768324200);
	assert_true(gv_moment_parse(GV_STR("3d ago"), &m) && m.how == GV_MOMENT_AGO && m.ago == 259200);
	assert_true(gv_moment_parse(GV_STR(" 1h 30min "), &m) && m.ago == 5400);
	assert_true(gv_moment_parse(GV_STR("boot"), &m) && m.how == GV_MOMENT_BOOT);
	assert_false(gv_moment_parse(GV_STR("1:30"), &m));
	assert_false(gv_moment_parse(GV_STR("ago"), &m));
	assert_false(gv_moment_parse(GV_STR("2026-01-13T12:10:11+99:00"), &m));
	assert_true(m.how == GV_MOMENT_BOOT);
}

static struct gv_time wall(double t, bool year)
{
	return (struct gv_time){ .t = t, .clock = GV_CLOCK_WALL, .year = year };
}

/* A stamp without a year stands in 1970, a year of 365 days. */
static void years(void **state)
{
	struct gv_moment m = { 0 };

	gv_moment_parse(GV_STR("2024-03-02"), &m);
	assert_true(gv_time_between(wall(60 * 86400.0, false), m.at) == 0);	/* Mar 2 */
	assert_true(gv_time_between(m.at, wall(59 * 86400.0, false)) == 86400); /* Mar 1 */
	gv_moment_parse(GV_STR("2026-01-01"), &m);
	assert_true(gv_time_between(wall(364 * 86400.0, false), m.at) == -86400); /* Dec 31 */
	assert_true(gv_time_between(wall(0, false), wall(364 * 86400.0, false)) == 86400);
	assert_true(gv_time_between(wall(100, true), wall(50, true)) == 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs),
		cmocka_unit_test(dates),
		cmocka_unit_test(moments),
		cmocka_unit_test(years),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
