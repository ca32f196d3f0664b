/* SPDX-License-Identifier: Apache-2.0 */
/* Log entries that are printed as records of fields: journalctl -o json, json-pretty, verbose and export, dmesg --json,
 * and the files that Docker writes. The line that holds the message gets the text of a log line made of the record's
 * fields, its raw bytes stay; the other lines of the record lose their text. So all that looks at lines need not know.
 */
#include "core/evidence.h"

#include <string.h>

#include "base/json.h"

#define RECORD_LINES 512 /* of one record: a message as an array of bytes has a line for each */
#define RECORD_BYTES 65536
#define MESSAGE_BYTES 8192
#define FIELDS_MAX 400 /* of one record */

struct record {
	gv_str host, tag, comm, pid;
	gv_str message;
	uint64_t wall, awake; /* microseconds; 0 = not known */
	gv_str time;	      /* as printed: seconds since boot, or a stamp */
	bool kernel, journal, has_message;
	gv_str stream;	   /* of a container */
	size_t message_at; /* offset of the message's key */
};

static bool control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 127;
}

/* One line, without what would move a terminal: a record may hold any byte, written as "\u001b". */
static gv_str on_one_line(struct gv_arena *a, gv_str s)
{
	size_t i = 0;
	char *p;

	s = gv_cut(gv_trim(s), MESSAGE_BYTES);
	while (i < s.n && !control(s.p[i]))
		i++;
	if (i == s.n)
		return s;
	s = gv_without_ansi(a, s);
	p = (char *)s.p;
	for (i = 0; i < s.n; i++)
		if (control(p[i]))
			p[i] = ' ';
	return gv_trim(s);
}

/* As `journalctl -o short-unix`, dmesg and a container's log file print it, which are prefixes that are known. */
static gv_str as_line(struct gv_arena *a, const struct record *r)
{
	gv_str m = on_one_line(a, r->message), tag = r->tag.n ? r->tag : r->comm;
	gv_str when = GV_NONE, since = GV_NONE;
	double t;

	if (!r->journal) {
		if (r->stream.n)
			return gv_fmt(a, "%.*s %.*s F %.*s", GV_ARG(r->time), GV_ARG(r->stream), GV_ARG(m));
		if (gv_to_num(r->time, &t) && t >= 0 && t < 1e10)
			return gv_fmt(a, "[%12.6f] %.*s", t, GV_ARG(m));
		return r->time.n ? gv_fmt(a, "[%.*s] %.*s", GV_ARG(r->time), GV_ARG(m)) : m;
	}
	if (r->kernel)
		tag = GV_STR("kernel");
	if (r->wall)
		when = gv_fmt(a, "%llu.%06u ", (unsigned long long)(r->wall / 1000000), (unsigned)(r->wall % 1000000));
	if (r->awake && r->kernel)
		since = gv_fmt(a, "[%5llu.%06u] ", (unsigned long long)(r->awake / 1000000),
			       (unsigned)(r->awake % 1000000));
	if (!when.n || !tag.n)
		return gv_fmt(a, "%.*s%s%.*s", GV_ARG(since), r->kernel && !since.n ? "kernel: " : "", GV_ARG(m));
	return gv_fmt(a, "%.*s%.*s%s%.*s%s%.*s%s: %.*s%.*s", GV_ARG(when), GV_ARG(r->host), r->host.n ? " " : "",
		      GV_ARG(tag), r->pid.n && !r->kernel ? "[" : "", GV_ARG(r->pid.n && !r->kernel ? r->pid : GV_NONE),
		      r->pid.n && !r->kernel ? "]" : "", GV_ARG(since), GV_ARG(m));
}

static gv_str before_control(gv_str v)
{
	size_t i = 0;

	while (i < v.n && !control(v.p[i]))
		i++;
	return gv_sub(v, 0, i);
}

/* A field that is a word of a prefix: nothing in it may end the prefix early. */
static gv_str word(gv_str v)
{
	size_t i = 0;

	v = before_control(gv_cut(v, 63));
	while (i < v.n && !strchr(" \t:[]", v.p[i]))
		i++;
	return gv_sub(v, 0, i);
}

static void put_field(struct record *r, gv_str key, gv_str v, size_t at)
{
	uint64_t n;

	if (gv_is(key, "MESSAGE") || gv_is(key, "msg") || gv_is(key, "log")) {
		r->message = v;
		r->message_at = at;
		r->has_message = true;
	} else if (gv_is(key, "__REALTIME_TIMESTAMP")) {
		r->journal = true;
		r->wall = gv_to_u64(v, &n) ? n : 0;
	} else if (gv_is(key, "_SOURCE_MONOTONIC_TIMESTAMP")) {
		r->awake = gv_to_u64(v, &n) ? n : 0;
	} else if (gv_is(key, "_TRANSPORT")) {
		r->journal = true;
		r->kernel |= gv_is(v, "kernel");
	} else if (gv_is(key, "_HOSTNAME")) {
		r->host = word(v);
	} else if (gv_is(key, "SYSLOG_IDENTIFIER")) {
		r->tag = word(v);
		r->kernel |= gv_is(v, "kernel");
	} else if (gv_is(key, "_COMM")) {
		r->comm = word(v);
	} else if (gv_is(key, "_PID") || gv_is(key, "SYSLOG_PID")) {
		r->pid = v.n <= 10 && gv_to_u64(v, &n) ? v : GV_NONE;
	} else if (gv_is(key, "time")) {
		r->time = before_control(gv_cut(v, 64));
	} else if (gv_is(key, "stream")) {
		r->stream = gv_is(v, "stdout") || gv_is(v, "stderr") ? v : GV_NONE;
	}
}

/* What `msg` and `time` are the fields of: dmesg tells the priority, too. */
static bool of_log(const struct record *r, bool pri)
{
	return r->has_message && (r->journal || (r->stream.n && r->time.n) || (pri && r->time.n));
}

/* A message with bytes that are no text is printed as an array of numbers. */
static gv_str bytes_of(struct gv_arena *a, struct gv_json_in *in)
{
	size_t max = in->text.n / 2 < MESSAGE_BYTES ? in->text.n / 2 : MESSAGE_BYTES, n = 0;
	char *out = NULL;

	for (enum gv_json_kind k = gv_json_next(in); k == GV_JSON_NUM; k = gv_json_next(in)) {
		uint64_t v;

		if (!gv_to_u64(in->raw, &v) || v > 255)
			v = '?';
		out = out ? out : gv_alloc(a, max);
		if (n < max)
			out[n++] = (char)(v ? v : ' ');
	}
	return gv_valid_utf8(a, (gv_str){ out, n });
}

/* The fields of the object that `text` is, which holds no other. */
static bool read_object(struct gv_arena *a, gv_str text, struct record *r)
{
	struct gv_json_in in = { .text = text };
	bool pri = false;

	if (gv_json_next(&in) != GV_JSON_OBJ)
		return false;
	for (size_t i = 0; i < FIELDS_MAX; i++) {
		enum gv_json_kind k = gv_json_next(&in);
		gv_str key, v = GV_NONE;
		size_t at = in.at;

		if (k == GV_JSON_OBJ_END)
			return of_log(r, pri);
		if (k != GV_JSON_KEY)
			return false;
		key = in.raw;
		k = gv_json_next(&in);
		if (k == GV_JSON_STR)
			v = in.escaped ? gv_json_unescape(a, in.raw) : in.raw;
		else if (k == GV_JSON_NUM)
			v = in.raw;
		else if (k == GV_JSON_ARR && gv_is(key, "MESSAGE"))
			v = bytes_of(a, &in);
		else if (k == GV_JSON_OBJ || k == GV_JSON_ERROR)
			return false;
		else
			gv_json_skip(&in, k);
		pri |= gv_is(key, "pri");
		put_field(r, key, v, at);
	}
	return false;
}

bool gv_record_line(struct gv_arena *a, gv_str line, gv_str *ret)
{
	struct record r = { 0 };
	gv_str s = line;

	if (s.n && s.p[0] == 30) /* -o json-seq */
		s = gv_from(s, 1);
	if (gv_starts(s, "data: ")) /* -o json-sse */
		s = gv_from(s, 6);
	if (gv_ends(s, "},")) /* of an array */
		s = gv_sub(s, 0, s.n - 1);
	if (s.n < 2 || s.p[0] != '{' || s.p[s.n - 1] != '}' || s.n > RECORD_BYTES)
		return false;
	if (!(gv_has(s, "\"MESSAGE\"") || (gv_has(s, "\"log\"") && gv_has(s, "\"stream\"")) ||
	      (gv_has(s, "\"msg\"") && gv_has(s, "\"pri\""))) ||
	    !read_object(a, s, &r))
		return false;
	*ret = as_line(a, &r);
	return true;
}

/* Lines first..last are a record: all but the one with the message lose their text. */
static void set_text(struct gv_arena *a, struct gv_doc *doc, size_t first, size_t last, size_t message,
		     const struct record *r)
{
	gv_str text = as_line(a, r);

	for (size_t i = first; i <= last; i++)
		doc->lines[i].text = i == message ? text : GV_NONE;
}

static void object_over_lines(struct gv_arena *a, struct gv_doc *doc, size_t first, size_t last)
{
	gv_str head = doc->lines[first].raw, tail = doc->lines[last].raw, text;
	ptrdiff_t from = gv_rfind(head, "{"), to = gv_find_c(tail, '}');
	struct record r = { 0 };
	size_t message = first;

	if (from < 0 || to < 0)
		return;
	text.p = head.p + from;
	text.n = (size_t)(tail.p + to + 1 - text.p);
	if (text.n > RECORD_BYTES || !read_object(a, text, &r))
		return;
	while (message < last && doc->lines[message + 1].raw.p <= text.p + r.message_at)
		message++;
	set_text(a, doc, first + 1, last, message, &r);
}

/* json-pretty and dmesg --json: "{" and "}" stand on lines of their own, or as "},{" on one. */
static void read_objects(struct gv_arena *a, struct gv_doc *doc)
{
	size_t open = SIZE_MAX;

	for (size_t i = 0; i < doc->nlines; i++) {
		gv_str s = gv_trim(doc->lines[i].text);
		bool close = gv_starts(s, "}");

		if (close && open != SIZE_MAX && i - open < RECORD_LINES)
			object_over_lines(a, doc, open, i);
		if (close)
			open = SIZE_MAX;
		if (gv_is(s, "{") || gv_is(s, "},{") || gv_is(s, "}, {"))
			open = i;
	}
}

/* "KEY=value" of verbose and export; verbose ends what it cut with a mark, which does no harm. */
static bool field_line(gv_str s, gv_str *ret_key, gv_str *ret_value)
{
	ptrdiff_t eq = gv_find_c(gv_sub(s, 0, 64), '=');

	if (eq < 1)
		return false;
	for (ptrdiff_t i = 0; i < eq; i++)
		if (!((s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_' || (i && s.p[i] >= '0' && s.p[i] <= '9')))
			return false;
	*ret_key = gv_sub(s, 0, (size_t)eq);
	*ret_value = gv_from(s, (size_t)eq + 1);
	return true;
}

/* "Tue 2026-01-13 10:44:02.123456 UTC [s=...;i=...;b=...]": the stamp of an entry that follows; its text stays what
 * it is but for the cursor, which is long. */
static bool verbose_head(gv_str s, gv_str *ret_stamp)
{
	ptrdiff_t at = gv_find(s, " [s=");

	if (at < 20 || !gv_ends(s, "]"))
		return false;
	*ret_stamp = gv_sub(s, 0, (size_t)at);
	return true;
}

static void entry_over_lines(struct gv_arena *a, struct gv_doc *doc, gv_str stamp, size_t first, size_t n)
{
	struct record r = { 0 };
	size_t message = first;

	for (size_t i = first; i < first + n; i++) {
		gv_str key, v;

		if (!field_line(gv_trim(doc->lines[i].text), &key, &v) || gv_is(key, "msg") || gv_is(key, "log"))
			continue;
		put_field(&r, key, v, 0);
		if (gv_is(key, "MESSAGE"))
			message = i;
	}
	if (!r.has_message || !(stamp.n || r.journal))
		return;
	r.journal = true;
	set_text(a, doc, first, first + n - 1, message, &r);
	if (stamp.n && !r.wall) /* as `-o short-full` prints it, with the stamp that the entry has */
		doc->lines[message].text =
		    gv_fmt(a, "%.*s %.*s%s%.*s: %.*s", GV_ARG(stamp), GV_ARG(r.host), r.host.n ? " " : "",
			   GV_ARG(r.kernel  ? GV_STR("kernel")
				  : r.tag.n ? r.tag
					    : GV_STR("unknown")),
			   GV_ARG(on_one_line(a, r.message)));
}

/* verbose: a stamp with a cursor, then indented fields. export: fields, and a blank line behind each entry. */
static void read_entries(struct gv_arena *a, struct gv_doc *doc)
{
	for (size_t i = 0; i < doc->nlines; i++) {
		gv_str s = gv_trim(doc->lines[i].text), stamp = GV_NONE, key, v;
		bool verbose = verbose_head(s, &stamp);
		size_t first = i + verbose, n = 0;

		if (!verbose && !gv_starts(s, "__CURSOR="))
			continue;
		while (n < RECORD_LINES && first + n < doc->nlines &&
		       field_line(gv_trim(doc->lines[first + n].text), &key, &v) &&
		       (verbose || !n || !gv_is(key, "__CURSOR")))
			n++;
		if (!n)
			continue;
		if (verbose)
			doc->lines[i].text = GV_NONE;
		entry_over_lines(a, doc, stamp, first, n);
		i = first + n - 1;
	}
}

void gv_read_records(struct gv_arena *a, struct gv_doc *doc)
{
	bool objects = false, entries = false;

	for (size_t i = 0; i < doc->nlines && !(objects && entries); i++) {
		gv_str s = doc->lines[i].text;

		objects |= gv_ends(s, "{");
		entries |= gv_starts(s, "__CURSOR=") || (gv_ends(s, "]") && gv_has(s, " [s="));
	}
	if (objects)
		read_objects(a, doc);
	if (entries)
		read_entries(a, doc);
}
