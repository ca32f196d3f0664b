/* SPDX-License-Identifier: Apache-2.0 */
/* Reports by gpuvet itself, as people paste them into tickets: the lines that they quote are known already, and often
 * no longer true. What is found here is no evidence. The forms are those of report/{text,markdown,json,quiet}.c; the
 * test tests/cli/test_own.py holds the two together. */
#include "core/finding.h"

#define NEAR 16 /* lines within which "Seen:" follows the verdict */

static gv_str text_at(const struct gv_doc *doc, size_t i)
{
	return i < doc->nlines ? doc->lines[i].text : GV_NONE;
}

static bool any_start(gv_str s, const char *const *v)
{
	for (; *v; v++)
		if (gv_starts(s, *v))
			return true;
	return false;
}

static size_t digits(gv_str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n;
}

/* "FAIL  gpu-fell-off-bus on ...": the word, blanks, a kind. *ret_blanks: how many. */
static bool verdict_of_kind(gv_str s, size_t *ret_blanks)
{
	static const char *const words[] = { "FAIL ", "WARN ", "note ", NULL };
	gv_str rest, kind;

	if (!any_start(s, words))
		return false;
	rest = gv_from(s, 4);
	*ret_blanks = gv_indent(rest);
	return gv_word(&rest, &kind) && gv_kind_by_name(kind) >= 0 && gv_starts(rest, " on ");
}

/* "FAIL 2 of 5 hosts: n0 gpu-fell-off-bus on ..." */
static bool verdict_of_hosts(gv_str s)
{
	gv_str rest = gv_from(s, 5), word[4];

	return (gv_starts(s, "FAIL ") || gv_starts(s, "WARN ")) && gv_words(gv_before(rest, ":"), word, 4) == 4 &&
	       digits(word[0]) && gv_is(word[1], "of") && digits(word[2]) && gv_is(word[3], "hosts");
}

bool gv_own_verdict(gv_str s)
{
	size_t blanks;

	return verdict_of_hosts(s) || verdict_of_kind(s, &blanks);
}

/* What begins a line of the text report that is not indented. */
static bool text_head(gv_str s)
{
	static const char *const heads[] = {
		"Required but unknown:", "Seen: ", "Site", "Span:",    "Limit: ",	  "Next, for a better answer:",
		"Useful, each into",	 "Not read:", "Of this look:", "To be said:", "More with --all.", NULL
	};

	if (any_start(s, heads))
		return true;
	if (s.n && *s.p == 'f' && digits(gv_from(s, 1)) && gv_starts(gv_from(s, 1 + digits(gv_from(s, 1))), " "))
		return true;
	for (size_t i = 0; i < GV_STAGES; i++)
		if (gv_starts(s, gv_stage_name[i]) && gv_starts(gv_from(s, strlen(gv_stage_name[i])), " "))
			return true;
	return false;
}

/* Lines of a text report that begins at line i; 0 where none does. Its lines are heads, or indented. */
static size_t text_report(const struct gv_doc *doc, size_t i)
{
	static const char *const calm[] = { "OK    Nothing", "Nothing could be judged:", NULL };
	size_t base = gv_indent(text_at(doc, i)), at = i + 1, last, blanks;
	gv_str s = gv_trim(text_at(doc, i));

	if (verdict_of_hosts(s) || (verdict_of_kind(s, &blanks) && blanks == 1))
		return 1; /* --quiet */
	if (!verdict_of_kind(s, &blanks) && !any_start(s, calm))
		return 0;
	while (at < doc->nlines && at < i + NEAR && !gv_starts(gv_trim(text_at(doc, at)), "Seen: "))
		at++;
	if (at == doc->nlines || at == i + NEAR)
		return 0;
	for (size_t k = at + 1; k < doc->nlines && k < at + NEAR; k++)
		if (gv_starts(gv_trim(text_at(doc, k)), "Limit: ")) {
			at = k; /* what stands between tells of the site and the time */
			break;
		}
	for (last = at; ++at < doc->nlines;) {
		s = gv_trim(text_at(doc, at));
		if (!s.n)
			continue;
		if (gv_indent(text_at(doc, at)) < base + 2 && !text_head(s))
			break;
		last = at;
	}
	return last + 1 - i;
}

/* Without what makes headings and emphasis; a copy of the rendered text has none of it. */
static gv_str without_marks(gv_str s)
{
	static const char marks[] = "#*_ ";

	while (s.n && strchr(marks, *s.p) && *s.p)
		s = gv_from(s, 1);
	while (s.n && strchr(marks, s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

static bool markdown_start(gv_str s)
{
	static const char *const starts[] = { "gpuvet: FAIL", "gpuvet: WARN", "gpuvet: OK", "gpuvet: UNKNOWN", NULL };

	return any_start(without_marks(gv_trim(s)), starts);
}

static bool markdown_end(gv_str s)
{
	s = without_marks(gv_trim(s));
	return gv_starts(s, "gpuvet ") && gv_ends(s, ": end of report");
}

/* Follows fences: *open is the length of the one that is open. True inside, the fences themselves included. */
static bool fenced(gv_str s, size_t *open)
{
	size_t n = 0;
	bool inside = *open;

	s = gv_trim(s);
	while (n < s.n && s.p[n] == '`')
		n++;
	if (n < 3)
		return inside;
	if (!inside)
		*open = n;
	else if (n >= *open && n == s.n)
		*open = 0;
	return true;
}

/* Up to its last line; where that is missing, as far as the lines look like it. */
static size_t markdown_report(const struct gv_doc *doc, size_t i)
{
	size_t base = gv_indent(text_at(doc, i)), open = 0, last = i;

	if (!markdown_start(text_at(doc, i)))
		return 0;
	for (size_t at = i + 1; at < doc->nlines && (open || !markdown_start(text_at(doc, at))); at++)
		if (!fenced(text_at(doc, at), &open) && markdown_end(text_at(doc, at)))
			return at + 1 - i;
	open = 0;
	for (size_t at = i + 1; at < doc->nlines && (open || !markdown_start(text_at(doc, at))); at++) {
		gv_str s = gv_trim(text_at(doc, at));

		if (!fenced(s, &open) && s.n && !strchr("#*|-", *s.p) && gv_indent(text_at(doc, at)) < base + 2)
			break;
		if (s.n)
			last = at;
	}
	return last + 1 - i;
}

/* An inventory is no report on this evidence: it tells what is in files. */
static bool names_schema(gv_str s)
{
	s = gv_trim(s);
	if (!gv_starts(s, "\"schema\":"))
		return false;
	s = gv_trim(gv_from(s, 9));
	return gv_starts(s, "\"gpuvet.") && !gv_starts(s, "\"gpuvet.inventory.");
}

/* One line, or from a line "{" to the "}" below it. */
static size_t json_report(const struct gv_doc *doc, size_t i)
{
	size_t base = gv_indent(text_at(doc, i)), at;
	gv_str s = gv_trim(text_at(doc, i));

	if (!gv_starts(s, "{"))
		return 0;
	if (s.n > 1)
		return names_schema(gv_from(s, 1)) ? 1 : 0;
	if (!names_schema(text_at(doc, i + 1)))
		return 0;
	for (at = i + 1; at < doc->nlines; at++) {
		s = gv_trim(text_at(doc, at));
		if (s.n && gv_indent(text_at(doc, at)) <= base)
			return at - i + gv_starts(s, "}");
	}
	return at - i;
}

static size_t report_at(const struct gv_doc *doc, size_t i)
{
	gv_str s = gv_trim(text_at(doc, i));

	switch (s.n ? *s.p : 0) {
	case 'F':
	case 'N':
	case 'O':
	case 'W':
	case 'n':
		return text_report(doc, i);
	case '#':
	case '*':
	case '_':
	case 'g':
		return markdown_report(doc, i);
	case '{':
		return json_report(doc, i);
	}
	return 0;
}

void gv_mark_own(struct gv_arena *a, struct gv_doc *doc)
{
	size_t reports = 0, first = 0, last = 0, other = 0, n;

	for (size_t i = 0; i < doc->nlines; i += n ? n : 1) {
		n = report_at(doc, i);
		if (!n) {
			other += gv_trim(doc->lines[i].text).n && !(doc->lines[i].flags & GV_LINE_FENCE);
			continue;
		}
		if (!reports++)
			first = i + 1;
		last = i + n;
		for (size_t k = i; k < i + n; k++) {
			doc->lines[k].flags = GV_LINE_OWN;
			doc->lines[k].text = GV_NONE;
		}
	}
	if (!reports)
		return;
	if (!other)
		doc->own = GV_STR("a report by gpuvet, which is no evidence");
	else if (reports > 1)
		doc->own =
		    gv_fmt(a, "%zu reports by gpuvet in it, the first at line %zu, are no evidence", reports, first);
	else if (first == last)
		doc->own = gv_fmt(a, "line %zu is a report by gpuvet, which is no evidence", first);
	else
		doc->own = gv_fmt(a, "lines %zu to %zu are a report by gpuvet, which is no evidence", first, last);
}
