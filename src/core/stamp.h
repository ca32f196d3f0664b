/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times at the front of a text. Each gv_take function moves *s behind what it took and returns true, or
 * leaves everything as it is. No time zone of this machine comes in anywhere. */
#pragma once

#include "core/evidence.h"

bool gv_take(gv_str *s, const char *z);
/* Decimal digits: at least min, and not more than max (max <= 18). */
bool gv_take_num(gv_str *s, size_t min, size_t max, uint64_t *ret);
size_t gv_skip_blanks(gv_str *s); /* spaces and tabs; how many */
/* ".123" after one of `points`, as 0.123; *ret_digits 0 where there is none. */
double gv_take_fraction(gv_str *s, const char *points, size_t *ret_digits);

/* "10:44:02", "10:44:02.123456", "10:44:02,123" in seconds; the fraction's sign (0 where none) and digits. */
bool gv_take_clock(gv_str *s, double *ret, char *ret_point, size_t *ret_digits);
/* "Jan", "May", and as the common locales spell them ("kwi", "févr.", "1月"): 1 to 12. */
bool gv_take_month(gv_str *s, uint64_t *ret);

/* What an ISO stamp looked like; writers differ in it. */
struct gv_iso {
	bool tee, zoned;
	char point; /* of the fraction; 0 where none */
	size_t digits;
};

/* "2026-01-13T10:44:02.123456+01:00" and the form with a blank; UTC where a zone stands there. */
bool gv_take_iso(gv_str *s, struct gv_time *ret, struct gv_iso *ret_how);

/* Wall time of a date (year 0: not known, 1970) and seconds of the day; false where it is no date. */
bool gv_wall_time(struct gv_time *ret, uint64_t y, uint64_t m, uint64_t d, double seconds);
