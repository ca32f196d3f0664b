/* SPDX-License-Identifier: Apache-2.0 */
/* Prefixes of log lines. Each form is one function that takes the text where a prefix may begin and, where it is one,
 * moves it behind the prefix; the first character says which forms are tried. Prefixes stack (compose over Python, pod
 * over kubectl's stamp, syslog over the kernel's own), so this goes on until no form fits. What is not plainly a prefix
 * is none: outputs of tools begin with brackets, dates and names too. */
#include "core/stamp.h"

#include <string.h>

#define MAX_STACK 8
#define EPOCH_SECONDS 1e9

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool in_name(char c)
{
	return is_digit(c) || is_alpha(c) || c == '.' || c == '_' || c == '-';
}

/* A run of name characters, at most max. */
static gv_str take_name(gv_str *s, size_t max)
{
	gv_str name;
	size_t i = 0;

	while (i < s->n && i < max && in_name(s->p[i]))
		i++;
	name = gv_sub(*s, 0, i);
	*s = gv_from(*s, i);
	return name;
}

static void note_time(struct gv_logline *l, struct gv_time t)
{
	if (t.clock == GV_CLOCK_BOOT) {
		if (l->boot.clock == GV_CLOCK_NONE)
			l->boot = t;
		l->kernel = true;
	}
	/* The outer stamp is the one all lines of a document share. */
	if (l->when.clock == GV_CLOCK_NONE || (t.clock == GV_CLOCK_WALL && l->when.clock == GV_CLOCK_BOOT))
		l->when = t;
}

static void note_tag(struct gv_logline *l, gv_str tag)
{
	l->tag = tag;
	if (gv_is(tag, "kernel"))
		l->kernel = true;
}

/* "kernel: ", "sshd[123]: "; strict: only those two, for places where a driver's own "word: " may stand as well. */
static bool take_tag(gv_str *s, bool strict, gv_str *ret)
{
	bool pid = false;
	gv_str r, tag;
	size_t i = 0;

	while (i < s->n && i < 64 && !one_of(s->p[i], " \t:[]"))
		i++;
	tag = gv_sub(*s, 0, i);
	r = gv_from(*s, i);
	if (i && gv_take(&r, "[")) {
		uint64_t n;

		if (!gv_take_num(&r, 1, 10, &n) || !gv_take(&r, "]"))
			return false;
		pid = true;
	}
	if (!i || !gv_take(&r, ":") || (r.n && r.p[0] != ' ') || (strict && !pid && !gv_is(tag, "kernel")))
		return false;
	gv_take(&r, " ");
	*s = r;
	*ret = tag;
	return true;
}

static const char *const facilities = "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp "
				      "local0 local1 local2 local3 local4 local5 local6 local7";
static const char *const priorities = "emerg alert crit err warn notice info debug warning error";

static bool in_words(const char *words, gv_str w)
{
	gv_str all = gv_str_of(words), one;

	while (gv_word(&all, &one))
		if (gv_eq(one, w))
			return true;
	return false;
}

/* "kern.warn " of BusyBox, which stands between the host and the tag. */
static void skip_facility(gv_str *s)
{
	gv_str r = *s, w = take_name(&r, 16), facility = gv_before(w, ".");

	if (facility.n < w.n && gv_take(&r, " ") && in_words(facilities, facility) &&
	    in_words(priorities, gv_after(w, ".")))
		*s = r;
}

/* "server kernel: ", "kernel: " after a stamp. */
static bool take_host_tag(gv_str *s, bool strict, struct gv_logline *l)
{
	gv_str r = *s, host, tag;

	if (take_tag(s, strict, &tag)) {
		note_tag(l, tag);
		return true;
	}
	host = take_name(&r, 255);
	if (!host.n || !gv_take(&r, " "))
		return false;
	skip_facility(&r);
	if (!take_tag(&r, strict, &tag))
		return false;
	if (!l->host.n)
		l->host = host;
	note_tag(l, tag);
	*s = r;
	return true;
}

/* A level in words right behind a stamp: "INFO ", "[ERROR] ", "- WARNING - ", "WARN: ". */
static void skip_level(gv_str *s)
{
	static const char *const levels[] = { "TRACE", "DEBUG", "INFO",	    "NOTICE", "WARNING",
					      "WARN",  "ERROR", "CRITICAL", "FATAL" };
	gv_str r = *s;
	bool bracket;

	gv_take(&r, "- ");
	bracket = gv_take(&r, "[");
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		gv_str q = r;

		if (!gv_take(&q, levels[i]))
			continue;
		if (bracket ? !gv_take(&q, "]") : (!gv_take(&q, ":") && q.n && q.p[0] != ' '))
			continue;
		gv_skip_blanks(&q);
		gv_take(&q, "- ");
		*s = q;
		return;
	}
}

/* "[12345.678901] ", "[12345.678901][ T123] ", "[ 1.2 < 0.1>] ", "[ +0.000006] " */
static bool bracket_boot(gv_str *s, struct gv_logline *l)
{
	struct gv_time t = { .clock = GV_CLOCK_BOOT };
	gv_str r = gv_from(*s, 1), q;
	uint64_t sec, caller;
	size_t digits;
	bool delta;

	gv_skip_blanks(&r);
	delta = gv_take(&r, "+");
	if (!gv_take_num(&r, 1, 10, &sec))
		return false;
	t.t = (double)sec + gv_take_fraction(&r, ".", &digits);
	if (digits < 6)
		return false;
	q = r;
	gv_skip_blanks(&q);
	if (gv_take(&q, "<")) {
		ptrdiff_t end = gv_find_c(gv_sub(q, 0, 24), '>');

		if (end < 0)
			return false;
		r = gv_from(q, (size_t)end + 1);
	}
	if (!gv_take(&r, "]") || (r.n && r.p[0] != ' ' && r.p[0] != '['))
		return false;
	q = r;
	gv_skip_blanks(&q);
	if (gv_take(&q, "[") && (gv_skip_blanks(&q), gv_take(&q, "T") || gv_take(&q, "C")) &&
	    gv_take_num(&q, 1, 10, &caller) && gv_take(&q, "]"))
		r = q;
	gv_take(&r, " ");
	*s = r;
	if (delta) {
		l->kernel = l->delta = true; /* the time since the line before it: no moment */
		l->since = t.t;
	} else if (t.t >= EPOCH_SECONDS) { /* no uptime: UCX and others print seconds since 1970 */
		t.clock = GV_CLOCK_WALL;
		t.zone = t.year = true;
		note_time(l, t);
		return true;
	} else {
		note_time(l, t);
	}
	take_host_tag(s, true, l); /* journalctl -o short-monotonic */
	return true;
}

/* The name of a weekday in any language ("Mon", "lun.", letters beyond ASCII): what follows tells whether it is one. */
static bool take_weekday(gv_str *s)
{
	size_t i = 0;

	while (i < s->n && i < 16 && (is_alpha(s->p[i]) || (unsigned char)s->p[i] >= 0x80))
		i++;
	if (i < 2)
		return false;
	*s = gv_from(*s, i);
	gv_take(s, ".");
	return gv_take(s, " ");
}

/* "[Mon Jan 21 10:12:03 2026] " of dmesg -T, "[Jan13 10:44] " of dmesg -H */
static bool bracket_ctime(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1);
	uint64_t y, m, d, h, min;
	struct gv_time t;
	size_t digits;
	double sec;
	char point;

	if (gv_take_month(&r, &m) && (gv_skip_blanks(&r), gv_take_num(&r, 1, 2, &d)) && gv_take(&r, " ") && gv_take_num(&r, 2, 2, &h) &&
	    gv_take(&r, ":") && gv_take_num(&r, 2, 2, &min) && gv_take(&r, "]") && h < 24 && min < 60 &&
	    gv_wall_time(&t, 0, m, d, (double)(h * 3600 + min * 60)))
		goto found;
	r = gv_from(*s, 1);
	if (!take_weekday(&r) || (gv_skip_blanks(&r), !gv_take_month(&r, &m)) || !gv_take(&r, " "))
		return false;
	gv_skip_blanks(&r);
	if (!gv_take_num(&r, 1, 2, &d) || !gv_take(&r, " ") || !gv_take_clock(&r, &sec, &point, &digits) || digits ||
	    !gv_take(&r, " ") || !gv_take_num(&r, 4, 4, &y) || !gv_take(&r, "]") || !gv_wall_time(&t, y, m, d, sec))
		return false;
found:
	if (r.n && !gv_take(&r, " "))
		return false;
	l->kernel = true;
	note_time(l, t);
	*s = r;
	return true;
}

/* "[Jul 23 2024 07:53:55] [ERROR] [tid 841] " of the fabric manager */
static bool bracket_fabric(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1);
	uint64_t y, m, d, tid;
	struct gv_time t;
	size_t digits;
	double sec;
	char point;

	if (!gv_take_month(&r, &m) || !gv_take(&r, " "))
		return false;
	gv_skip_blanks(&r);
	if (!gv_take_num(&r, 1, 2, &d) || !gv_take(&r, " ") || !gv_take_num(&r, 4, 4, &y) || !gv_take(&r, " ") ||
	    !gv_take_clock(&r, &sec, &point, &digits) || !gv_take(&r, "]") || !gv_wall_time(&t, y, m, d, sec))
		return false;
	gv_skip_blanks(&r);
	skip_level(&r);
	if (gv_take(&r, "[tid ") && gv_take_num(&r, 1, 10, &tid) && gv_take(&r, "]")) {
		gv_skip_blanks(&r);
		l->tag = GV_STR("nvidia-fabricmanager");
	}
	note_time(l, t);
	*s = r;
	return true;
}

/* "[01/13/2026-10:02:11] [TRT] [E] " of TensorRT */
static bool bracket_trt(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1), q;
	uint64_t y, m, d;
	struct gv_time t;
	size_t digits;
	double sec;
	char point;

	if (!gv_take_num(&r, 2, 2, &m) || !gv_take(&r, "/") || !gv_take_num(&r, 2, 2, &d) || !gv_take(&r, "/") ||
	    !gv_take_num(&r, 4, 4, &y) || !gv_take(&r, "-") || !gv_take_clock(&r, &sec, &point, &digits) ||
	    !gv_take(&r, "]") || !gv_wall_time(&t, y, m, d, sec))
		return false;
	gv_skip_blanks(&r);
	if (gv_take(&r, "[TRT] "))
		l->tag = GV_STR("TRT");
	q = r;
	if (q.n > 3 && gv_take(&q, "[") && one_of(q.p[0], "VIWEF")) {
		q = gv_from(q, 1);
		if (gv_take(&q, "] "))
			r = q;
	}
	note_time(l, t);
	*s = r;
	return true;
}

/* "[2026-01-13 10:02:11] ", "[2026-08-20T10:00:00.123] ", "[2026-01-13T10:44:02Z]: " of talosctl dmesg */
static bool bracket_iso(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1);
	struct gv_time t;
	struct gv_iso how;

	if (!gv_take_iso(&r, &t, &how) || !gv_take(&r, "]"))
		return false;
	gv_take(&r, ":");
	if (r.n && r.p[0] != ' ' && r.p[0] != '[')
		return false;
	gv_skip_blanks(&r);
	skip_level(&r);
	note_time(l, t);
	*s = r;
	return true;
}

/* What stands in glog's prefix before the stamp: a letter and month with day, "I0113"; c10d leaves the month's zero
 * out. */
static bool take_glog(gv_str *s, struct gv_time *t)
{
	uint64_t md, tid;
	gv_str r = *s, file, line;
	size_t digits;
	ptrdiff_t end;
	double sec;
	char point;

	if (s->n < 8 || !one_of(s->p[0], "VIWEF"))
		return false;
	r = gv_from(r, 1);
	*t = (struct gv_time){ .clock = GV_CLOCK_NONE };
	if (gv_take_num(&r, 3, 4, &md)) {
		if (!gv_take(&r, " ") || !gv_take_clock(&r, &sec, &point, &digits) ||
		    !gv_wall_time(t, 0, md / 100, md % 100, sec))
			return false;
	}
	if (!gv_skip_blanks(&r))
		return false;
	file = r;
	if (gv_take_num(&file, 1, 10, &tid) && gv_skip_blanks(&file))
		r = file;
	end = gv_find_c(gv_sub(r, 0, 160), ']');
	if (end < 0)
		return false;
	file = gv_sub(r, 0, (size_t)end); /* "torch/csrc/x.cpp:607" and nothing else */
	line = gv_after(file, ":");
	if (gv_find_c(file, ' ') >= 0 || !line.n || !gv_take_num(&line, 1, 8, &tid) || line.n)
		return false;
	*s = gv_from(r, (size_t)end + 1);
	gv_skip_blanks(s);
	return true;
}

/* "[E1016 03:31:38.928 ProcessGroupNCCL.cpp:607] ", "[W socket.cpp:558] " */
static bool bracket_glog(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1);
	struct gv_time t;

	if (!take_glog(&r, &t))
		return false;
	note_time(l, t);
	*s = r;
	return true;
}

/* "[rank0]:", "[default0]:", "[1,0]<stdout>:", "[pod/name/container] " */
static bool bracket_source(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1);
	uint64_t n, m;

	if (gv_take(&r, "pod/")) {
		gv_str pod = take_name(&r, 253);

		if (!pod.n || !gv_take(&r, "/") || !take_name(&r, 253).n || !gv_take(&r, "] "))
			return false;
		l->tag = pod;
		*s = r;
		return true;
	}
	if (gv_take_num(&r, 1, 9, &n) && gv_take(&r, ",") && gv_take_num(&r, 1, 9, &m)) {
		if (!gv_take(&r, "]<stdout>:") && !gv_take(&r, "]<stderr>:"))
			return false;
		*s = r;
		return true;
	}
	if ((!gv_take(&r, "rank") && !gv_take(&r, "default")) || !gv_take_num(&r, 1, 9, &n) || !gv_take(&r, "]:"))
		return false;
	gv_take(&r, " ");
	*s = r;
	return true;
}

/* "Jan 13 10:44:02 server kernel: ", "Jan 13 10:44:02.123456 server sshd[12]: " */
static bool syslog_stamp(gv_str *s, struct gv_logline *l)
{
	struct gv_time t;
	uint64_t m, d;
	gv_str r = *s;
	size_t digits;
	double sec;
	char point;

	if (!gv_take_month(&r, &m) || !gv_skip_blanks(&r) || !gv_take_num(&r, 1, 2, &d) || !gv_take(&r, " ") ||
	    !gv_take_clock(&r, &sec, &point, &digits) || point == ',' || !gv_take(&r, " ") ||
	    !gv_wall_time(&t, 0, m, d, sec))
		return false;
	if (!take_host_tag(&r, false, l)) {
		gv_str q = r, host = take_name(&q, 255);

		/* "last message repeated 3 times" and the like have no tag */
		if (!host.n || !gv_take(&q, " "))
			return false;
		l->host = host;
		r = q;
	}
	note_time(l, t);
	*s = r;
	return true;
}

/* "Tue 2026-01-13 10:44:02 UTC server unit[1]: " of journalctl -o short-full and with-unit */
static bool full_stamp(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, zone;
	struct gv_time t;
	struct gv_iso how;

	if (!take_weekday(&r) || !gv_take_iso(&r, &t, &how))
		return false;
	if (!t.zone && gv_take(&r, " ")) {
		zone = take_name(&r, 6); /* "CET": which offset that is, it does not say */
		if (!zone.n)
			return false;
	}
	if (!gv_take(&r, " ") || !take_host_tag(&r, false, l))
		return false;
	note_time(l, t);
	*s = r;
	return true;
}

/* A line that begins with an ISO stamp. Whose it is says the form of the stamp: dmesg has a comma and six digits with a
 * zone; syslog and journalctl a zone in figures, then host and tag; kubectl a Z; Python a blank and a comma. */
static bool iso_stamp(gv_str *s, struct gv_logline *l)
{
	struct gv_time t;
	struct gv_iso how;
	gv_str r = *s;
	bool figures;

	if (!gv_take_iso(&r, &t, &how))
		return false;
	figures = how.zoned && r.p[-1] != 'Z' && r.p[-1] != 'C' && r.p[-1] != 'T';
	gv_take(&r, ":"); /* TensorFlow: "2026-01-13 10:02:11.123456: E file" */
	if (r.n && r.p[0] != ' ' && r.p[0] != '\t')
		return false;
	gv_skip_blanks(&r);
	if (how.tee && figures && how.point == ',' && how.digits == 6) {
		l->kernel = true;
	} else if (!take_host_tag(&r, !(how.tee && figures), l)) {
		if (!gv_take(&r, "stdout F ") && !gv_take(&r, "stderr F ") && !gv_take(&r, "stdout P ") &&
		    !gv_take(&r, "stderr P "))
			skip_level(&r);
	}
	note_time(l, t);
	*s = r;
	return true;
}

/* "1768262642.123456 server kernel: " of journalctl -o short-unix */
static bool unix_stamp(gv_str *s, struct gv_logline *l)
{
	struct gv_time t = { .clock = GV_CLOCK_WALL, .zone = true, .year = true };
	gv_str r = *s;
	uint64_t sec;
	size_t digits;

	if (!gv_take_num(&r, 10, 11, &sec))
		return false;
	t.t = (double)sec + gv_take_fraction(&r, ".", &digits);
	if (digits != 6 || !gv_take(&r, " ") || !take_host_tag(&r, false, l))
		return false;
	note_time(l, t);
	*s = r;
	return true;
}

/* What stands between "<134>" and the message in RFC 5424: "1 2026-01-13T10:44:02.003Z server app 4711 ID47 - ", where a
 * "-" says that there is none, and [...] may take the place of the last one. */
static bool rfc5424_head(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, w, app;
	struct gv_time t;
	struct gv_iso how;

	if (!gv_take(&r, "1 ") || !gv_take_iso(&r, &t, &how) || !how.tee || !how.zoned || !gv_take(&r, " "))
		return false;
	if (!gv_next(&r, ' ', &w) || !gv_next(&r, ' ', &app))
		return false;
	l->host = gv_is(w, "-") ? GV_NONE : w;
	note_tag(l, gv_is(app, "-") ? GV_NONE : app);
	if (!gv_next(&r, ' ', &w) || !gv_next(&r, ' ', &w) || !r.p)
		return false;
	while (gv_take(&r, "[")) { /* a quoted ']' has a backslash before it */
		size_t i = 0;

		while (i < r.n && (r.p[i] != ']' || (i && r.p[i - 1] == '\\')))
			i++;
		if (i == r.n)
			return false;
		r = gv_from(r, i + 1);
	}
	gv_take(&r, "-");
	if (r.n && !gv_take(&r, " "))
		return false;
	gv_take(&r, "\xef\xbb\xbf");
	note_time(l, t);
	*s = r;
	return true;
}

/* "4,1234,567890,-;text" of /dev/kmsg */
static bool kmsg_head(gv_str *s, struct gv_logline *l)
{
	uint64_t prio, seq, usec;
	gv_str r = *s;
	ptrdiff_t semi;

	if (!gv_take_num(&r, 1, 4, &prio) || !gv_take(&r, ",") || !gv_take_num(&r, 1, 18, &seq) || !gv_take(&r, ",") ||
	    !gv_take_num(&r, 1, 18, &usec) || !gv_take(&r, ","))
		return false;
	semi = gv_find_c(gv_sub(r, 0, 64), ';');
	if (semi < 1 || !one_of(r.p[0], "-cf+") || gv_find_c(gv_sub(r, 0, (size_t)semi), ' ') >= 0)
		return false;
	note_time(l, (struct gv_time){ .t = (double)usec / 1e6, .clock = GV_CLOCK_BOOT });
	l->kernel = prio < 8; /* facility 0 */
	*s = gv_from(r, (size_t)semi + 1);
	return true;
}

/* "kern  :warn  : " of dmesg -x, "kern:  notice: " of talosctl dmesg */
static bool facility_level(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, facility, level;

	facility = take_name(&r, 8);
	gv_skip_blanks(&r);
	if (!facility.n || !gv_take(&r, ":"))
		return false;
	gv_skip_blanks(&r);
	level = take_name(&r, 7);
	gv_skip_blanks(&r);
	if (!level.n || !gv_take(&r, ": "))
		return false;
	if (!in_words(facilities, facility) || !in_words(priorities, level))
		return false;
	if (gv_is(facility, "kern"))
		l->kernel = true;
	*s = r;
	return true;
}

/* "INFO 01-13 10:02:11 [core.py:12] " and "INFO 01-13 10:02:11 scheduler.py:1754] " of vLLM */
static bool vllm_stamp(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, q;
	struct gv_time t;
	size_t digits;
	uint64_t m, d;
	ptrdiff_t end;
	double sec;
	char point;

	skip_level(&r);
	if (r.p == s->p || !gv_take_num(&r, 2, 2, &m) || !gv_take(&r, "-") || !gv_take_num(&r, 2, 2, &d) ||
	    !gv_take(&r, " ") || !gv_take_clock(&r, &sec, &point, &digits) || !gv_take(&r, " ") ||
	    !gv_wall_time(&t, 0, m, d, sec))
		return false;
	q = gv_sub(r, 0, 120);
	gv_take(&q, "[");
	end = gv_find_c(q, ']');
	if (end > 0 && gv_find_c(gv_sub(q, 0, (size_t)end), ':') > 0 && gv_find_c(gv_sub(q, 0, (size_t)end), ' ') < 0) {
		r = gv_from(r, (size_t)(q.p - r.p) + (size_t)end + 1);
		gv_skip_blanks(&r);
	}
	note_time(l, t);
	*s = r;
	return true;
}

/* `time=2026-01-13T10:44:02Z level=info msg="..."`: only the stamp is taken off */
static bool logfmt_stamp(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s;
	struct gv_time t;
	struct gv_iso how;
	bool quoted;

	if (!gv_take(&r, "time="))
		return false;
	quoted = gv_take(&r, "\"");
	if (!gv_take_iso(&r, &t, &how) || (quoted && !gv_take(&r, "\"")) || !gv_take(&r, " "))
		return false;
	note_time(l, t);
	*s = r;
	return true;
}

/* "10.0.0.7: kern: warning: [2026-01-13T10:44:02Z]: ": talosctl dmesg of several nodes */
static bool node_address(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, host = take_name(&r, 39);

	if (gv_find_c(host, '.') < 1 || !gv_take(&r, ": ") || !facility_level(&r, l))
		return false;
	l->host = host;
	*s = r;
	return true;
}

static bool peel(gv_str *s, struct gv_logline *l, bool outer);

/* "trainer-1  | ". A name without the replica's number may be a cell of a table: it counts where another prefix
 * follows. */
static bool compose_name(gv_str *s, struct gv_logline *l)
{
	gv_str r = *s, name = take_name(&r, 128), after;
	size_t i = name.n;

	gv_skip_blanks(&r);
	if (!name.n || !gv_take(&r, "|") || (r.n && !gv_take(&r, " ")))
		return false;
	while (i && is_digit(name.p[i - 1]))
		i--;
	after = r;
	if ((i == name.n || i < 2 || (name.p[i - 1] != '-' && name.p[i - 1] != '_')) && !peel(&after, l, false))
		return false;
	l->tag = name;
	*s = r;
	return true;
}

/* "(RayWorker pid=123, ip=10.0.0.2) ", "(EngineCore_0 pid=99) " */
static bool worker_name(gv_str *s)
{
	gv_str in = gv_sub(*s, 1, 120), head;
	ptrdiff_t end = gv_find_c(in, ')');
	uint64_t pid;

	if (end < 0)
		return false;
	head = gv_sub(in, 0, (size_t)end);
	if (gv_find(head, " pid=") < 1)
		return false;
	head = gv_after(head, " pid=");
	if (!gv_take_num(&head, 1, 10, &pid) || (head.n && head.p[0] != ','))
		return false;
	*s = gv_from(*s, (size_t)end + 2);
	gv_skip_blanks(s);
	return true;
}

/* "<6>" before a kernel line, "<134>" before a syslog line; only where a known prefix follows. */
static bool priority(gv_str *s, struct gv_logline *l)
{
	gv_str r = gv_from(*s, 1), after;
	uint64_t prio;

	if (!gv_take_num(&r, 1, 3, &prio) || prio > 191 || !gv_take(&r, ">"))
		return false;
	after = r;
	if (rfc5424_head(&r, l)) {
		*s = r;
		return true;
	}
	if (!peel(&after, l, false))
		return false;
	*s = r;
	return true;
}

static bool peel_bracket(gv_str *s, struct gv_logline *l)
{
	return bracket_boot(s, l) || bracket_ctime(s, l) || bracket_iso(s, l) || bracket_fabric(s, l) ||
	       bracket_trt(s, l) || bracket_source(s, l) || bracket_glog(s, l);
}

static bool peel_word(gv_str *s, struct gv_logline *l, bool outer)
{
	struct gv_time t;
	gv_str r = *s;

	if (syslog_stamp(s, l) || full_stamp(s, l) || facility_level(s, l) || vllm_stamp(s, l) || logfmt_stamp(s, l))
		return true;
	if (take_glog(&r, &t)) {
		note_time(l, t);
		*s = r;
		return true;
	}
	if (!outer)
		return false;
	if (compose_name(s, l))
		return true;
	/* What is left of a journal line whose front was cut off; what syslogd writes to all terminals. */
	if (gv_take(s, "kernel: ") || (gv_starts(*s, "kernel:[") && gv_take(s, "kernel:"))) {
		note_tag(l, GV_STR("kernel"));
		return true;
	}
	r = *s;
	l->host = take_name(&r, 255);
	if (l->host.n && gv_take(&r, " kernel: ")) {
		note_tag(l, GV_STR("kernel"));
		*s = r;
		return true;
	}
	l->host = GV_NONE;
	return false;
}

/* One prefix off the front. `outer`: nothing was taken off yet. */
static bool peel(gv_str *s, struct gv_logline *l, bool outer)
{
	gv_str r = *s;
	size_t digits;
	double sec;
	char point;

	if (!s->n)
		return false;
	if (s->p[0] == '[')
		return peel_bracket(s, l);
	if (s->p[0] == '(')
		return worker_name(s);
	if (s->p[0] == '<')
		return outer && priority(s, l);
	if (!is_digit(s->p[0]))
		return peel_word(s, l, outer);
	if (iso_stamp(s, l) || unix_stamp(s, l) || kmsg_head(s, l) || syslog_stamp(s, l))
		return true;
	if (outer && gv_take_clock(&r, &sec, &point, &digits) && gv_take(&r, " kernel: ")) {
		note_tag(l, GV_STR("kernel"));
		*s = r;
		return true;
	}
	return outer && (node_address(s, l) || compose_name(s, l));
}

bool gv_logline_parse(gv_str line, struct gv_logline *ret)
{
	gv_str s = line;
	size_t n = 0;

	memset(ret, 0, sizeof(*ret));
	ret->text = line;
	gv_skip_blanks(&s);
	while (n < MAX_STACK && peel(&s, ret, n == 0))
		n++;
	if (!n) {
		memset(ret, 0, sizeof(*ret)); /* a form that did not fit to its end may have noted a part */
		ret->text = line;
		return false;
	}
	ret->text = s;
	return true;
}
