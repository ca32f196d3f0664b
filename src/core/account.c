/* SPDX-License-Identifier: Apache-2.0 */
#include "core/account.h"

static uint64_t two(gv_str s, size_t at)
{
	uint64_t v = 0;

	gv_to_u64(gv_sub(s, at, 2), &v);
	return v;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static double days(int64_t y, int64_t m, int64_t d)
{
	y -= m <= 2;
	return (double)(365 * y + y / 4 - y / 100 + y / 400 + (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1 - 719468);
}

/* "2026-11-30T14:13:23Z boot+12345.678 awake+2345.678" */
static void moment(gv_str v, struct gv_account *ret)
{
	gv_str wall = gv_before(v, " ");
	uint64_t year;

	gv_to_num(gv_before(gv_after(v, "boot+"), " "), &ret->boot);
	ret->awake = ret->boot;
	gv_to_num(gv_before(gv_after(v, "awake+"), " "), &ret->awake);
	if (wall.n == 20 && wall.p[10] == 'T' && gv_to_u64(gv_sub(wall, 0, 4), &year) && year < 10000)
		ret->wall = days((int64_t)year, (int64_t)two(wall, 5), (int64_t)two(wall, 8)) * 86400 +
			    (double)(two(wall, 11) * 3600 + two(wall, 14) * 60 + two(wall, 17));
}

bool gv_account_parse(gv_str text, struct gv_account *ret)
{
	gv_str line;

	if (!gv_starts(text, GV_ACCOUNT_HEAD))
		return false;
	while (gv_next(&text, '\n', &line)) {
		gv_str key = gv_before(line, ": "), v = gv_trim(gv_after(line, ": "));

		if (gv_is(key, "hostname"))
			ret->host = v;
		else if (gv_is(key, "at"))
			moment(v, ret);
		else if (gv_is(key, "container") || (gv_is(key, "own namespace") && gv_is(v, "pid")))
			ret->container = true;
	}
	return true;
}
