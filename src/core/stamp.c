/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stamp.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool gv_take(gv_str *s, const char *z)
{
	if (!gv_starts(*s, z))
		return false;
	*s = gv_from(*s, strlen(z));
	return true;
}

/* Digits, min to max of them and no more. */
bool gv_take_num(gv_str *s, size_t min, size_t max, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;

	while (i < s->n && i <= max && is_digit(s->p[i]))
		v = v * 10 + (uint64_t)(s->p[i++] - '0');
	if (i < min || i > max)
		return false;
	*s = gv_from(*s, i);
	*ret = v;
	return true;
}

size_t gv_skip_blanks(gv_str *s)
{
	size_t i = 0;

	while (i < s->n && (s->p[i] == ' ' || s->p[i] == '\t'))
		i++;
	*s = gv_from(*s, i);
	return i;
}

double gv_take_fraction(gv_str *s, const char *points, size_t *ret_digits)
{
	double v = 0, unit = 0.1;
	size_t i = 1;

	*ret_digits = 0;
	if (s->n < 2 || !s->p[0] || !strchr(points, s->p[0]) || !is_digit(s->p[1]))
		return 0;
	for (; i < s->n && i <= 12 && is_digit(s->p[i]); i++, unit /= 10)
		v += (s->p[i] - '0') * unit;
	*ret_digits = i - 1;
	*s = gv_from(*s, i);
	return v;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t civil_days(int64_t y, unsigned m, unsigned d)
{
	unsigned yoe, doy, doe;
	int64_t era;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = (unsigned)(y - era * 400);
	doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
	doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + (int64_t)doe - 719468;
}

bool gv_wall_time(struct gv_time *t, uint64_t y, uint64_t m, uint64_t d, double seconds)
{
	if (m < 1 || m > 12 || d < 1 || d > 31)
		return false;
	*t = (struct gv_time){ .t = (double)civil_days(y ? (int64_t)y : 1970, (unsigned)m, (unsigned)d) * 86400 +
				    seconds,
			       .clock = GV_CLOCK_WALL,
			       .year = y != 0 };
	return true;
}

/* "10:44:02", "10:44:02.123456", "10:44:02,123" */
bool gv_take_clock(gv_str *s, double *ret, char *ret_point, size_t *ret_digits)
{
	uint64_t h, m, sec;
	gv_str r = *s;
	double f;

	if (!gv_take_num(&r, 2, 2, &h) || !gv_take(&r, ":") || !gv_take_num(&r, 2, 2, &m) || !gv_take(&r, ":") ||
	    !gv_take_num(&r, 2, 2, &sec) || h > 24 || m > 59 || sec > 60)
		return false;
	*ret_point = r.n ? r.p[0] : '\0';
	f = gv_take_fraction(&r, ".,", ret_digits);
	if (!*ret_digits)
		*ret_point = '\0';
	*ret = (double)(h * 3600 + m * 60 + sec) + f;
	*s = r;
	return true;
}

/* "Z", "+01:00", "+0100", "-06", " UTC". False where none stands there: the zone is then unknown. */
static bool take_zone(gv_str *s, struct gv_time *t)
{
	uint64_t h, m = 0;
	gv_str r = *s;
	double sign;

	if (gv_take(s, "Z") || gv_take(s, " UTC") || gv_take(s, " GMT")) {
		t->zone = true;
		return true;
	}
	if (r.n < 3 || (r.p[0] != '+' && r.p[0] != '-'))
		return false;
	sign = r.p[0] == '+' ? 1 : -1;
	r = gv_from(r, 1);
	if (!gv_take_num(&r, 2, 4, &h))
		return false;
	if (h > 99) {
		m = h % 100;
		h /= 100;
	} else if (gv_take(&r, ":") && !gv_take_num(&r, 2, 2, &m)) {
		return false;
	}
	if (h > 15 || m > 59)
		return false;
	t->t -= sign * (double)(h * 3600 + m * 60);
	t->zone = true;
	*s = r;
	return true;
}

/* "2026-01-13T10:44:02.123456+01:00" and the form with a blank. */
bool gv_take_iso(gv_str *s, struct gv_time *t, struct gv_iso *how)
{
	uint64_t y, m, d;
	gv_str r = *s;
	double sec;

	memset(how, 0, sizeof(*how));
	if (!gv_take_num(&r, 4, 4, &y) || y < 1970 || !gv_take(&r, "-") || !gv_take_num(&r, 2, 2, &m) ||
	    !gv_take(&r, "-") || !gv_take_num(&r, 2, 2, &d))
		return false;
	how->tee = gv_take(&r, "T");
	if ((!how->tee && !gv_take(&r, " ")) || !gv_take_clock(&r, &sec, &how->point, &how->digits) ||
	    !gv_wall_time(t, y, m, d, sec))
		return false;
	how->zoned = take_zone(&r, t);
	*s = r;
	return true;
}

/* Names of months as journalctl and syslog print them in the locales met in logs, but for the English ones; by month,
 * blanks between. A trailing dot is dropped before the look-up. */
static const char *const month_names[12] = {
	"jan janv sty ene gen Jän січ янв января",
	"feb févr fév lut fev Fev лют фев февр февраля",
	"mar mars Mär März mrt marzo бер мар марта mär",
	"apr avr avril kwi abr Abr кві апр апреля",
	"mai Mai maj may mag mei май мая тра",
	"jun juin cze giu июн июня чер",
	"jul juil lip lug июл июля лип",
	"ago août sie aug Ago авг августа сер",
	"sep sept wrz set Set сен сент сентября вер",
	"okt Okt oct paź out ott Out окт октября жов",
	"nov lis ноя нояб ноября",
	"dec déc Dez dez gru dic des dicembre дек декабря гру",
};

static unsigned month_of(gv_str word, bool local)
{
	static const char english[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (unsigned m = 0; m < 12 && word.n == 3; m++)
		if (!memcmp(word.p, english + (size_t)3 * m, 3))
			return m + 1;
	for (unsigned m = 0; m < 12 && local; m++) {
		gv_str rest = gv_str_of(month_names[m]), name;

		while (gv_word(&rest, &name))
			if (gv_eq(name, word))
				return m + 1;
	}
	return 0;
}

bool gv_take_month(gv_str *s, uint64_t *ret)
{
	gv_str r = *s, after;
	size_t i = 0;
	unsigned m;

	if (gv_take_num(&r, 1, 2, ret) && (gv_take(&r, "\xe6\x9c\x88") || gv_take(&r, "\xec\x9b\x94"))) { /* "1月" */
		*s = r;
		return true;
	}
	while (i < s->n && i < 24 && (is_alpha(s->p[i]) || (unsigned char)s->p[i] >= 0x80))
		i++;
	if (i < 3)
		return false;
	r = gv_from(*s, i);
	gv_take(&r, ".");
	after = r;
	gv_skip_blanks(&after);
	if (!after.n || !is_digit(after.p[0]))
		return false; /* a month is looked up only where a day follows */
	/* "Mai13 10:44" of dmesg -H: nothing else has two digits and a blank there */
	m = month_of(gv_sub(*s, 0, i), after.p != r.p || (r.n > 3 && r.p[2] == ' ' && is_digit(r.p[3])));
	if (!m)
		return false;
	*ret = m;
	*s = r;
	return true;
}
