/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/arch.h"

struct row {
	const char *device, *code;
	enum gv_runs runs;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		print_message("%s on %s\n", rows[i].code, rows[i].device);
		assert_int_equal(gv_arch_runs(gv_str_of(rows[i].device), gv_str_of(rows[i].code)), rows[i].runs);
	}
}

static void nvidia(void **state)
{
	static const struct row rows[] = {
		{ "sm_89", "sm_89", GV_RUNS },
		{ "sm_89", "sm_86", GV_RUNS }, /* a later minor of the same major */
		{ "sm_86", "sm_89", GV_RUNS_NOT },
		{ "sm_90", "sm_89", GV_RUNS_NOT },
		{ "sm_90", "sm_90a", GV_RUNS },
		{ "sm_103", "sm_100a", GV_RUNS_NOT }, /* of one chip */
		{ "sm_103", "sm_100f", GV_RUNS },     /* of a family */
		{ "sm_120", "sm_100f", GV_RUNS_NOT },
		{ "sm_89", "sm_87", GV_RUNS_NOT }, /* of a Tegra */
		{ "sm_87", "sm_80", GV_RUNS_UNKNOWN },
		{ "sm_87", "sm_87", GV_RUNS },
		{ "sm_120", "compute_70", GV_RUNS },
		{ "sm_70", "compute_75", GV_RUNS_NOT },
		{ "sm_100", "compute_90a", GV_RUNS_NOT },
		{ "sm_103", "compute_100f", GV_RUNS },
		{ "sm_120", "compute_100f", GV_RUNS_NOT },
		{ "sm_90", "gfx90a", GV_RUNS_NOT },
		{ "sm_90", "sm_new", GV_RUNS_UNKNOWN },
		{ "sm_90", "", GV_RUNS_UNKNOWN },
		{ "pvc", "sm_90", GV_RUNS_UNKNOWN },
	};

	check(rows, sizeof(rows) / sizeof(*rows));
}

static void amd(void **state)
{
	static const struct row rows[] = {
		{ "gfx942", "gfx942", GV_RUNS },
		{ "gfx942", "gfx90a", GV_RUNS_NOT },
		{ "gfx942", "sm_90", GV_RUNS_NOT },
		{ "gfx942", "", GV_RUNS_UNKNOWN },
		{ "gfx1030", "gfx10-3-generic", GV_RUNS },
		{ "gfx1100", "gfx10-3-generic", GV_RUNS_NOT },
		{ "gfx90a", "gfx90a:xnack-", GV_RUNS }, /* as it comes */
		{ "gfx90a", "gfx90a:xnack+", GV_RUNS_UNKNOWN },
		{ "gfx90a", "gfx90a:sramecc+", GV_RUNS },
		{ "gfx90a", "gfx90a:sramecc-", GV_RUNS_UNKNOWN },
		{ "gfx90a:sramecc+:xnack-", "gfx90a:xnack+", GV_RUNS_NOT },
		{ "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", GV_RUNS },
		{ "gfx90a:sramecc+:xnack-", "gfx90a", GV_RUNS },
	};

	check(rows, sizeof(rows) / sizeof(*rows));
}

static void numbers(void **state)
{
	unsigned sm;
	char suffix;

	assert_true(gv_sm_parse(GV_STR("sm_100f"), &sm, &suffix) && sm == 100 && suffix == 'f');
	assert_true(gv_sm_parse(GV_STR("compute_80"), &sm, &suffix) && sm == 80 && !suffix);
	assert_false(gv_sm_parse(GV_STR("sm_"), &sm, &suffix));
	assert_false(gv_sm_parse(GV_STR("sm_a"), &sm, &suffix));
	assert_false(gv_sm_parse(GV_STR("sm_9"), &sm, &suffix));
	assert_false(gv_sm_parse(GV_STR("sm_0x5"), &sm, &suffix));
	assert_false(gv_sm_parse(GV_STR("sm_18446744073709551616"), &sm, &suffix));
	assert_int_equal(gv_sm_of_cc(GV_STR("9.0")), 90);
	assert_int_equal(gv_sm_of_cc(GV_STR("12.1")), 121);
	assert_int_equal(gv_sm_of_cc(GV_STR("9.10")), 0);
	assert_int_equal(gv_sm_of_cc(GV_NONE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvidia),
		cmocka_unit_test(amd),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
