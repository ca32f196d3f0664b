/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"

#include <math.h>
#include <stdio.h>

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static gv_str skip_blanks(gv_str s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t'))
		s = gv_from(s, 1);
	return s;
}

/* Cuts the run of letters (and the micro sign's bytes) at the start of *rest. */
static gv_str cut_word(gv_str *rest)
{
	size_t n = 0;
	gv_str w;

	while (n < rest->n && (letter(rest->p[n]) || (unsigned char)rest->p[n] >= 0x80))
		n++;
	w = gv_sub(*rest, 0, n);
	*rest = gv_from(*rest, n);
	return w;
}

/* A number without sign that ends where a unit may begin. */
static bool cut_number(gv_str *rest, double *ret)
{
	gv_str s = skip_blanks(*rest), after;
	double v;

	if (!s.n || !digit(*s.p) || !gv_lead_num(s, &v, &after) || !isfinite(v))
		return false;
	*rest = after;
	*ret = v;
	return true;
}

static bool any_of(gv_str s, const char *const *words)
{
	for (; *words; words++)
		if (gv_is(s, *words))
			return true;
	return false;
}

struct unit {
	double mult; /* in bytes, or in bits */
	bool bits;
	bool per_second; /* "ps" at the end */
};

/* "GiB", "Mbits", "kB", "Gbps": a prefix, perhaps "i", then what is counted. */
static bool size_unit(gv_str u, bool all_1024, struct unit *ret)
{
	static const char prefixes[] = "KMGTPE";
	static const char *const words[] = { "bytes", "byte", "Bytes", "Byte", NULL };
	static const char *const bits[] = { "b", "bit", "bits", "Bit", "Bits", NULL };
	struct unit r = { 1, false, false };
	int power = 0;
	bool binary = false;

	if (u.n > 2 && (gv_ends(u, "bps") || gv_ends(u, "Bps"))) {
		r.per_second = true;
		u.n -= 2;
	}
	for (int i = 0; u.n && prefixes[i] && !power; i++)
		if (*u.p == prefixes[i] || (i == 0 && *u.p == 'k'))
			power = i + 1;
	if (power) {
		binary = u.n == 1 && *u.p != 'k'; /* a single capital: df, lsblk */
		u = gv_from(u, 1);
		if (u.n && *u.p == 'i') {
			binary = true;
			u = gv_from(u, 1);
		}
	} else if (!u.n) {
		return false;
	}
	r.bits = any_of(u, bits);
	if (any_of(u, words))
		binary = true;
	else if (!r.bits && u.n && !gv_is(u, "B"))
		return false;
	while (power-- > 0)
		r.mult *= binary || (all_1024 && !r.bits) ? 1024 : 1000;
	*ret = r;
	return true;
}

static bool lead_bytes(gv_str s, bool all_1024, double *ret, gv_str *ret_rest)
{
	struct unit u;
	double v;

	if (!cut_number(&s, &v))
		return false;
	s = skip_blanks(s);
	if (!size_unit(cut_word(&s), all_1024, &u) || u.bits || u.per_second)
		return false;
	if (s.n && (digit(*s.p) || *s.p == '/')) /* "12 MB/s" is no size */
		return false;
	if (!isfinite(v * u.mult))
		return false;
	*ret = v * u.mult;
	*ret_rest = s;
	return true;
}

static bool whole_bytes(gv_str s, bool all_1024, double *ret)
{
	gv_str rest = s;
	double v;

	if (cut_number(&rest, &v) && !gv_trim(rest).n) {
		*ret = v;
		return true;
	}
	if (!lead_bytes(gv_trim(s), all_1024, &v, &rest) || gv_trim(rest).n)
		return false;
	*ret = v;
	return true;
}

bool gv_bytes(gv_str s, double *ret)
{
	return whole_bytes(s, false, ret);
}

bool gv_bytes_1024(gv_str s, double *ret)
{
	return whole_bytes(s, true, ret);
}

bool gv_lead_bytes(gv_str s, double *ret, gv_str *ret_rest)
{
	return lead_bytes(s, false, ret, ret_rest);
}

bool gv_lead_bytes_1024(gv_str s, double *ret, gv_str *ret_rest)
{
	return lead_bytes(s, true, ret, ret_rest);
}

bool gv_lead_rate(gv_str s, double *ret, gv_str *ret_rest)
{
	static const char *const per[] = { "s", "sec", "second", NULL };
	struct unit u;
	double v;

	if (!cut_number(&s, &v))
		return false;
	s = skip_blanks(s);
	if (!size_unit(cut_word(&s), false, &u))
		return false;
	if (!u.per_second) {
		if (!s.n || *s.p != '/')
			return false;
		s = gv_from(s, 1);
		if (!any_of(cut_word(&s), per))
			return false;
	}
	if (!isfinite(v * u.mult))
		return false;
	*ret = v * u.mult / (u.bits ? 8 : 1);
	*ret_rest = s;
	return true;
}

bool gv_lead_percent(gv_str s, double *ret, gv_str *ret_rest)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(s, &v, &rest) || !isfinite(v))
		return false;
	rest = skip_blanks(rest);
	if (!rest.n || *rest.p != '%')
		return false;
	*ret = v;
	*ret_rest = gv_from(rest, 1);
	return true;
}

static double time_unit(gv_str u)
{
	static const struct {
		double seconds;
		const char *names[9];
	} units[] = {
		{ 604800, { "w", "week", "weeks", "wk" } },
		{ 86400, { "d", "day", "days" } },
		{ 3600, { "h", "hr", "hrs", "hour", "hours" } },
		{ 60, { "m", "min", "mins", "minute", "minutes" } },
		{ 1, { "s", "sec", "secs", "second", "seconds" } },
		{ 1e-3, { "ms", "msec", "msecs", "millisecond", "milliseconds" } },
		{ 1e-6, { "us", "usec", "usecs", "\xc2\xb5s", "\xce\xbcs", "microsecond", "microseconds" } },
		{ 1e-9, { "ns", "nsec", "nsecs", "nanosecond", "nanoseconds" } },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (any_of(u, units[i].names))
			return units[i].seconds;
	return 0;
}

/* Digits only; false where there are none or more than 9. */
static bool cut_field(gv_str *rest, double *ret)
{
	size_t n = 0;
	double v = 0;

	while (n < rest->n && digit(rest->p[n]))
		v = v * 10 + (rest->p[n++] - '0');
	if (!n || n > 9)
		return false;
	*rest = gv_from(*rest, n);
	*ret = v;
	return true;
}

static bool clock_form(gv_str s, double *ret, gv_str *ret_rest)
{
	double field[3], days = 0, frac;
	size_t n = 0;
	bool has_days = false;

	if (!cut_field(&s, &field[0]))
		return false;
	if (s.n && *s.p == '-') {
		days = field[0];
		has_days = true;
		s = gv_from(s, 1);
		if (!cut_field(&s, &field[0]))
			return false;
	}
	for (n = 1; n < 3 && s.n && *s.p == ':'; n++) {
		s = gv_from(s, 1);
		if (!cut_field(&s, &field[n]) || field[n] >= 60)
			return false;
	}
	if (n < (has_days ? 3 : 2) || (has_days && field[0] >= 24) || (s.n && *s.p == ':'))
		return false;
	frac = 0;
	if (s.n > 1 && *s.p == '.' && digit(s.p[1])) {
		size_t k = 1;

		for (double scale = 10; k < s.n && digit(s.p[k]); k++, scale *= 10)
			frac += (s.p[k] - '0') / scale;
		s = gv_from(s, k);
	}
	*ret = days * 86400 + (n == 3 ? field[0] * 3600 + field[1] * 60 + field[2] : field[0] * 60 + field[1]) + frac;
	*ret_rest = s;
	return true;
}

bool gv_lead_duration(gv_str s, double *ret, gv_str *ret_rest)
{
	double total = 0, last = INFINITY;
	gv_str rest;

	s = skip_blanks(s);
	if (clock_form(s, ret, ret_rest))
		return true;
	for (rest = s;;) {
		gv_str at = rest;
		double v, unit;

		if (!cut_number(&at, &v))
			break;
		at = skip_blanks(at);
		unit = time_unit(cut_word(&at));
		if (unit == 0 || unit >= last)
			break;
		total += v * unit;
		last = unit;
		rest = at;
	}
	if (isinf(last) || !isfinite(total))
		return false;
	*ret = total;
	*ret_rest = rest;
	return true;
}

static bool whole(bool (*lead)(gv_str, double *, gv_str *), gv_str s, double *ret)
{
	gv_str rest;
	double v;

	if (!lead(gv_trim(s), &v, &rest) || gv_trim(rest).n)
		return false;
	*ret = v;
	return true;
}

bool gv_rate(gv_str s, double *ret)
{
	return whole(gv_lead_rate, s, ret);
}

bool gv_percent(gv_str s, double *ret)
{
	return whole(gv_lead_percent, s, ret);
}

bool gv_duration(gv_str s, double *ret)
{
	return whole(gv_lead_duration, s, ret);
}

static const char *human(double v, double base, const char *const *units, char *buf, size_t n)
{
	double size = fabs(v);

	if (!isfinite(v)) {
		snprintf(buf, n, "unknown");
		return buf;
	}
	/* 999.5 would print as "1000" (or 1e+03), so that it already belongs to the next unit; 1023 is still GiB's. */
	for (; size >= base - 0.5 && units[1]; units++) {
		size /= base;
		v /= base;
	}
	if (size >= 1e6)
		snprintf(buf, n, "%.3g %s", v, *units);
	else
		snprintf(buf, n, "%.*f %s",
			 size >= 99.95 || size == (double)(long)size ? 0
			 : size >= 9.995			     ? 1
								     : 2,
			 v, *units);
	return buf;
}

const char *gv_human_bytes(double bytes, char *buf, size_t n)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };

	return human(bytes, 1024, units, buf, n);
}

const char *gv_human_rate(double bytes_per_s, char *buf, size_t n)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", NULL };

	return human(bytes_per_s, 1000, units, buf, n);
}
