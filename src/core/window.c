/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#include <math.h>

#include "base/units.h"
#include "core/account.h"
#include "core/stamp.h"

#define DAY 86400.0
#define YEAR (365 * DAY)

static bool leap(uint64_t y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static bool take_date(gv_str *s, uint64_t *y, uint64_t *m, uint64_t *d)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return gv_take_num(s, 4, 4, y) && gv_take(s, "-") && gv_take_num(s, 2, 2, m) && gv_take(s, "-") &&
	       gv_take_num(s, 2, 2, d) && *y >= 1970 && *m >= 1 && *m <= 12 && *d >= 1 &&
	       *d <= days[*m - 1] + (uint64_t)(*m == 2 && leap(*y));
}

bool gv_date_parse(gv_str text, int64_t *ret_day)
{
	uint64_t y, m, d;
	struct gv_time t;

	text = gv_trim(text);
	if (!take_date(&text, &y, &m, &d) || text.n || !gv_wall_time(&t, y, m, d, 0))
		return false;
	*ret_day = (int64_t)(t.t / DAY);
	return true;
}

static bool digits(gv_str s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (i >= s.n || s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

/* A date, or a date and a time; what people leave off is put in, so that one reader of stamps is enough. */
static bool parse_at(gv_str text, struct gv_time *ret)
{
	char full[64];
	uint64_t y, m, d;
	gv_str rest = text, made;
	struct gv_iso how;
	struct gv_time t;
	size_t n, cut;

	if (!take_date(&rest, &y, &m, &d) || text.n > 40)
		return false;
	cut = text.n - rest.n;
	if (!rest.n)
		return gv_wall_time(ret, y, m, d, 0);
	if (rest.n < 6 || (rest.p[0] != 'T' && rest.p[0] != ' ') || !digits(gv_from(rest, 1), 2) || rest.p[3] != ':' ||
	    !digits(gv_from(rest, 4), 2))
		return false;
	cut += 6; /* "T12:10" */
	memcpy(full, text.p, cut);
	n = cut;
	if (cut >= text.n || text.p[cut] != ':') {
		memcpy(full + n, ":00", 3);
		n += 3;
	}
	memcpy(full + n, text.p + cut, text.n - cut);
	n += text.n - cut;
	made = (gv_str){ full, n };
	if (!gv_take_iso(&made, &t, &how) || made.n)
		return false;
	*ret = t;
	return true;
}

bool gv_moment_parse(gv_str text, struct gv_moment *ret)
{
	struct gv_moment m = { .text = gv_trim(text) };
	gv_str span = m.text;

	if (gv_is(m.text, "boot")) {
		m.how = GV_MOMENT_BOOT;
	} else if (parse_at(m.text, &m.at)) {
		m.how = GV_MOMENT_AT;
	} else {
		if (gv_ends(span, " ago"))
			span = gv_rtrim(gv_sub(span, 0, span.n - 4));
		if (gv_find_c(span, ':') >= 0 || !gv_duration(span, &m.ago)) /* "10:44" is a time of no day */
			return false;
		m.how = GV_MOMENT_AGO;
	}
	*ret = m;
	return true;
}

static void resolve(struct gv_moment *m, struct gv_time last)
{
	if (m->how != GV_MOMENT_AGO || last.clock != GV_CLOCK_WALL)
		return;
	m->how = GV_MOMENT_AT;
	m->at = last;
	m->at.t -= m->ago;
}

void gv_window_resolve(struct gv_window *w, struct gv_time last)
{
	if (w->last.clock == GV_CLOCK_WALL)
		return;
	w->last = last;
	resolve(&w->since, last);
	resolve(&w->until, last);
}

/* Seconds since the first of January, in a year of 365 days. */
static double in_year(struct gv_time t)
{
	double day = floor(t.t / DAY), seconds = t.t - day * DAY, from;
	struct gv_time first;
	uint64_t y = 1970;

	if (!t.year || !(day >= 0) || day > 4e6)
		return t.t;
	for (y += (uint64_t)(day / 366); y < 13000; y++) {
		gv_wall_time(&first, y + 1, 1, 1, 0);
		if (first.t > t.t)
			break;
	}
	gv_wall_time(&first, y, 1, 1, 0);
	from = day - first.t / DAY;
	if (leap(y) && from > 59) /* behind the 29th of February, which is held to be the first of March */
		from--;
	return from * DAY + seconds;
}

double gv_time_between(struct gv_time a, struct gv_time b)
{
	double d;

	if (a.year && b.year)
		return a.t - b.t;
	d = fmod(in_year(a) - in_year(b), YEAR);
	return d > YEAR / 2 ? d - YEAR : d < -YEAR / 2 ? d + YEAR : d;
}

enum gv_side gv_window_side(const struct gv_window *w, struct gv_time t)
{
	if (!w->on || t.clock != GV_CLOCK_WALL)
		return GV_INSIDE;
	if (w->since.how == GV_MOMENT_AT && gv_time_between(t, w->since.at) < 0)
		return GV_BEFORE;
	if (w->until.how == GV_MOMENT_AT && gv_time_between(t, w->until.at) > 0)
		return GV_AFTER;
	return GV_INSIDE;
}

/* "rtc_cmos 00:01: setting system clock to 2026-01-13T11:56:39 UTC (1768305399)" */
static bool sets_clock(const struct gv_logline *l, double *ret_wall)
{
	gv_str at = gv_after(l->text, "setting system clock to "), number;
	uint64_t v;

	if (!l->kernel || !at.n)
		return false;
	number = gv_between(at, "(", ")");
	if (!gv_to_u64(number, &v) || v > (uint64_t)1 << 40)
		return false;
	*ret_wall = (double)v;
	return true;
}

struct gv_window_walk gv_window_walk(const struct gv_doc *doc)
{
	const struct gv_account *a = doc->look;

	return (struct gv_window_walk){ .known = a && a->wall > 0 && a->awake > 0 ? a->wall - a->awake : 0 };
}

void gv_window_line(const struct gv_window *w, struct gv_window_walk *k, size_t seg, const struct gv_logline *l)
{
	struct gv_time t = l->when;
	double wall;

	if (!w->on)
		return;
	if (seg != k->seg) {
		k->seg = seg;
		k->last = (struct gv_time){ 0 };
		k->booted = k->stamp = 0;
	}
	if (t.clock == GV_CLOCK_BOOT) {
		double booted;

		if (t.t + 1 < k->stamp) /* another boot */
			k->booted = 0;
		k->stamp = t.t;
		booted = k->booted > 0 ? k->booted : k->known;
		if (sets_clock(l, &wall))
			booted = k->booted = wall - t.t;
		k->last = (struct gv_time){ 0 };
		if (booted > 0)
			k->last =
			    (struct gv_time){ .t = booted + t.t, .clock = GV_CLOCK_WALL, .zone = true, .year = true };
	} else if (t.clock == GV_CLOCK_WALL) {
		k->last = t;
	}
	k->dated = k->last.clock == GV_CLOCK_WALL;
	k->side = gv_window_side(w, k->last);
}
