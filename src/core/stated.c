/* SPDX-License-Identifier: Apache-2.0 */
/* What a person writes of his machine, in sentences and lists: signatures of the log "told" look for it. It counts
 * where it is said that it happened; not where somebody asks, supposes, denies, explains or asks for a feature. */
#include "core/event.h"

#include <string.h>

#define BEFORE 240 /* bytes of the sentence in front of what was found, and behind it */
#define BEHIND 160
#define LIST_BACK 12 /* lines above an item of a list in which the sentence that opens the list is looked for */
#define HEAD 16	     /* bytes from an item's mark within which it begins with what was found */
#define RULE 16	     /* bytes in front of what was found in which "when" speaks of it */
#define TITLE_LINES 3
#define TITLE_BEHIND 40
#define REPORT_LINES 400

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* One of the words, which end where a letter ends unless they end in '*'. */
static bool says(gv_str s, const char *const *words)
{
	for (; *words; words++) {
		size_t n = strlen(*words);
		bool open = (*words)[n - 1] == '*';

		n -= open;
		for (size_t i = 0; i + n <= s.n; i++)
			if ((!i || !letter(s.p[i - 1])) && (open || i + n == s.n || !letter(s.p[i + n])) &&
			    gv_eq_nocase(gv_sub(s, i, n), (gv_str){ *words, n }))
				return true;
	}
	return false;
}

/* "is not usable" tells of a fault; "is not a fault" denies one. */
static bool denied(gv_str s)
{
	static const char *const fails[] = { "usable",	  "working",	"work",	     "responding", "respond",
					     "available", "accessible", "reachable", "recognized", "recognised",
					     "enough",	  "only",	"able",	     NULL };

	for (ptrdiff_t at; (at = gv_find(s, "not ")) >= 0;) {
		bool word = !at || !letter(s.p[at - 1]);
		gv_str next = gv_from(s, (size_t)at + 4), w = next;

		gv_word(&next, &w);
		if (word && !says(w, fails))
			return true;
		s = gv_from(s, (size_t)at + 4);
	}
	return false;
}

static bool supposed(gv_str s)
{
	static const char *const words[] = { "if",
					     "whether",
					     "should",
					     "would",
					     "could",
					     "may",
					     "might",
					     "can",
					     "unless",
					     "means",
					     "meaning",
					     "e.g",
					     "example*",
					     "such as",
					     "instead",
					     "no",
					     "never",
					     "neither",
					     "without",
					     "zero",
					     "n't",
					     "detect*",
					     "monitor*",
					     "metric*",
					     "expos*",
					     "export*",
					     "inject*",
					     "simulat*",
					     "classif*",
					     "ignor*",
					     "suppress*",
					     "document*",
					     "docs",
					     "catalog*",
					     "policy",
					     "workaround*",
					     "remediat*",
					     "handl*",
					     "support*",
					     "typical*",
					     "usually",
					     "generally",
					     "commonly",
					     "common reason*",
					     "possible",
					     "potential*",
					     "rule out",
					     "ruled out",
					     "avoid*",
					     "prevent*",
					     "similar",
					     "versus",
					     "unrelated",
					     "mean",
					     "indicates",
					     "alert*",
					     "feature",
					     "you",
					     "your",
					     "you're",
					     "people",
					     "others",
					     "somebody",
					     "someone",
					     "another machine",
					     "another node",
					     "last year",
					     "fixe*",
					     "bug where",
					     "bug that",
					     "issue where",
					     "issue that",
					     "regression",
					     "reported as",
					     "known as",
					     "because of the",
					     "scenario*",
					     "condition",
					     "worried",
					     "expect*",
					     "hope*",
					     "want",
					     "class",
					     NULL };

	return says(s, words) || denied(s) || gv_has(s, "n't ") || gv_has(s, "n’t ");
}

/* What may follow a statement and takes it back. */
static bool taken_back(gv_str s)
{
	static const char *const words[] = { "if",	 "unless",   "whether",		"means",	"e.g",
					     "example*", "fixed",    "another machine", "another node", "last year",
					     "class",	 "expected", "might",		"may",		"should",
					     "would",	 NULL };

	return says(s, words);
}

/* "[Feature]: ...", "fix(xid): ...", "How to ...": a title that is no report. */
static bool of_work(gv_str title)
{
	static const char *const starts[] = {
		"[feature",   "feat",	  "fix",       "docs",	  "doc(",	   "chore",
		"refactor",   "test",	  "ci",	       "build",	  "perf",	   "add ",
		"support ",   "how ",	  "what ",     "why ",	  "question",	   "[question",
		"rfc",	      "request",  "allow ",    "remove ", "update ",	   "improve ",
		"expose ",    "enable ",  "document ", "guide",	  "understanding", "troubleshooting",
		"diagnosing", "debugging"
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (gv_starts_nocase(title, starts[i]))
			return true;
	return false;
}

static bool ends_sentence(gv_str s, size_t i)
{
	return (s.p[i] == '.' || s.p[i] == '!' || s.p[i] == '?') && (i + 1 == s.n || s.p[i + 1] == ' ');
}

/* The mark of an item and what follows it; false where the line is no item. */
static bool list_item(gv_str line, gv_str *ret)
{
	gv_str s = gv_trim(line);
	size_t i = 0;

	while (i < s.n && i < 3 && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i && i + 1 < s.n && (s.p[i] == '.' || s.p[i] == ')') && s.p[i + 1] == ' ')
		*ret = gv_from(s, i + 2);
	else if (gv_starts(s, "- ") || gv_starts(s, "* ") || gv_starts(s, "+ "))
		*ret = gv_from(s, 2);
	else if (gv_starts(s, "• "))
		*ret = gv_from(s, strlen("• "));
	else
		return false;
	return true;
}

/* "dmesg shows:", "we found the following events:" above a list. */
static bool opened_by_report(const struct gv_doc *doc, size_t i)
{
	static const char *const words[] = { "show*",	"saw",	    "see",	"found",    "got",     "get",
					     "log*",	"dmesg",    "journal*", "syslog",   "event*",  "error*",
					     "report*", "contain*", "evidence", "symptom*", "happen*", NULL };
	size_t indent = gv_indent(doc->lines[i].text);
	gv_str item;

	for (size_t back = 1; back <= LIST_BACK && back <= i; back++) {
		gv_str s = doc->lines[i - back].text;

		if (!gv_trim(s).n || (list_item(s, &item) && gv_indent(s) >= indent))
			continue;
		s = gv_rtrim(s);
		while (gv_ends(s, "*"))
			s = gv_sub(s, 0, s.n - 1);
		return gv_ends(s, ":") && says(gv_sub(s, 0, 400), words) && !supposed(gv_sub(s, 0, 400));
	}
	return false;
}

/* Of headings the first is the title. */
static bool title(const struct gv_doc *doc, size_t i)
{
	size_t shown = 0;

	for (size_t k = 0; k < i; k++)
		if (gv_trim(doc->lines[k].text).n && ++shown == TITLE_LINES)
			return false;
	return true;
}

/* "Xid 79 (GPU has fallen off the bus)", "the \"GPU is lost\" error": what a code or a message is called; `before`
 * stands in front of it in the sentence. */
static bool names_a_code(gv_str before)
{
	return gv_ends(before, "\"") || gv_ends(before, "'") || gv_rfind(before, "(") > gv_rfind(before, ")");
}

/* "message": "...", or a line of the driver: no sentence. */
static bool of_a_program(gv_str line)
{
	gv_str s = gv_trim(line);

	if (gv_has(s, "NVRM") || gv_has(s, "Xid ("))
		return true;
	return gv_starts(s, "{") || gv_starts(s, "[{") || (gv_starts(s, "\"") && gv_has(s, "\": "));
}

/* "When Xid 79 occurs, ...": a rule. */
static bool of_a_rule(gv_str before)
{
	static const char *const words[] = { "when", "whenever", "once", "until", "each time", "every time", NULL };
	gv_str s = gv_rtrim(before);

	return says(gv_sub(s, s.n > RULE ? s.n - RULE : 0, RULE), words);
}

/* "I", "my" as words of their own: not the "-i" of a command, nor "my-app". */
static bool of_oneself(gv_str s)
{
	static const char *const words[] = { "i", "i'm", "i've", "i’m", "i’ve", "my", "we", "our", "me", NULL };
	gv_str w;

	while (gv_word(&s, &w)) {
		while (w.n && (gv_ends(w, ",") || gv_ends(w, ".") || gv_ends(w, ":")))
			w = gv_sub(w, 0, w.n - 1);
		for (size_t i = 0; words[i]; i++)
			if (gv_eq_nocase(w, gv_str_of(words[i])))
				return true;
	}
	return false;
}

/* A person writes of his own machine in it: no guide, no list of changes. */
static bool is_ticket(const struct gv_doc *doc)
{
	static const char *const guide[] = { "guide",		"runbook",    "playbook",
					     "troubleshooting", "change log", "changelog",
					     "release notes",	"glossary",   "best practices",
					     "documentation",	NULL };
	static const char *const form[] = { "describe the bug",
					    "to reproduce",
					    "steps to reproduce",
					    "reproduction",
					    "environment",
					    "system info*",
					    "operating system*",
					    "hardware",
					    "expected behavior",
					    "expected behaviour",
					    "actual behavior",
					    "driver",
					    "summary",
					    "problem",
					    "symptom*",
					    "gpu",
					    NULL };
	bool head = true;

	for (size_t i = 0; i < doc->nlines && i < REPORT_LINES; i++) {
		gv_str s = gv_sub(gv_trim(doc->lines[i].text), 0, 400);

		if (!s.n)
			continue;
		if (head && says(s, guide))
			return false;
		if (of_oneself(s) || ((s.p[0] == '#' || gv_starts(s, "**")) && says(s, form)))
			return true;
		head = false;
	}
	return false;
}

bool gv_stated(const struct gv_doc *doc, size_t i, gv_str hit, enum gv_ticket *ticket)
{
	gv_str line, before, behind, item;
	struct gv_logline log;
	size_t at, from, to;

	if (doc->log || i >= doc->nlines)
		return false;
	line = doc->lines[i].text;
	if (!hit.p || hit.p < line.p || hit.p + hit.n > line.p + line.n || of_a_program(line) ||
	    (gv_logline_parse(line, &log) && log.when.clock != GV_CLOCK_NONE))
		return false;
	at = (size_t)(hit.p - line.p);
	for (from = at; from > 0 && at - from < BEFORE && !ends_sentence(line, from - 1); from--)
		;
	for (to = at + hit.n; to < line.n && to - at - hit.n < BEHIND && !ends_sentence(line, to); to++)
		;
	if (to < line.n && line.p[to] == '?')
		return false;
	before = gv_sub(line, from, at - from);
	behind = gv_sub(line, at + hit.n, to - at - hit.n);
	if (names_a_code(before) || of_a_rule(before))
		return false;
	if (gv_starts(gv_trim(line), "#") && !gv_ends(gv_rtrim(line), ".")) {
		gv_str t = gv_trim(line);

		while (gv_starts(t, "#"))
			t = gv_trim(gv_from(t, 1));
		if (gv_starts(t, "[") && !gv_starts_nocase(t, "[feature") && !gv_starts_nocase(t, "[question"))
			t = gv_trim(gv_after(t, "]"));
		return title(doc, i) && !of_work(t) && !supposed(gv_sub(line, 0, at + hit.n)) &&
		       !supposed(gv_cut(behind, TITLE_BEHIND)) && !gv_ends(t, "?");
	}
	if (*ticket == GV_TICKET_UNKNOWN)
		*ticket = is_ticket(doc) ? GV_TICKET : GV_NO_TICKET;
	if (*ticket == GV_NO_TICKET)
		return false;
	if (list_item(line, &item) && hit.p <= item.p + HEAD)
		return opened_by_report(doc, i);
	return !supposed(before) && !taken_back(behind);
}
