/* SPDX-License-Identifier: Apache-2.0 */
/* Text that speaks of errors without being their output: pages of documentation, source code, sentences that quote,
 * what a monitor logged of gpuvet. */
#include "core/event.h"

#include <string.h>

#define LOOKED_AT 2000 /* lines; what a document is shows at its start */
#define FEW 8	       /* lines: of fewer nothing can be said */
#define HEAD_LINES 40  /* of the head of a page */

static gv_str line_of(const struct gv_doc *doc, size_t i)
{
	return i < doc->nlines ? gv_trim(doc->lines[i].raw) : GV_NONE;
}

static gv_str first_text(const struct gv_doc *doc, size_t from)
{
	for (size_t i = from; i < doc->nlines && i < from + HEAD_LINES; i++)
		if (line_of(doc, i).n)
			return line_of(doc, i);
	return GV_NONE;
}

/* "---", keys, "---" and a heading: what static-site generators and note programs put before a page. */
static bool front_matter(const struct gv_doc *doc)
{
	if (!gv_is(line_of(doc, 0), "---"))
		return false;
	for (size_t i = 1; i < HEAD_LINES; i++) {
		if (gv_is(line_of(doc, i), "---"))
			return gv_starts(first_text(doc, i + 1), "#");
		if (line_of(doc, i).n && !gv_has(line_of(doc, i), ":") && !gv_starts(line_of(doc, i), "-"))
			return false;
	}
	return false;
}

bool gv_doc_is_page(const struct gv_doc *doc)
{
	static const char *const starts[] = { "<!DOCTYPE html", "<html", ".TH ", ".\\\" ", "'\\\" ", ".Dd " };
	gv_str first = first_text(doc, 0);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (gv_starts_nocase(first, starts[i]))
			return true;
	return front_matter(doc);
}

static bool any_start(gv_str s, const char *const *v)
{
	for (; *v; v++)
		if (gv_starts(s, *v))
			return true;
	return false;
}

/* Lines of a language with braces, against all that are not blank. */
static bool braces(const struct gv_doc *doc)
{
	static const char *const starts[] = { "//", "/*", "* ", "*/", "#include", "#define", "#if", "#endif", "}", NULL };
	size_t lines = 0, code = 0, sure = 0;

	for (size_t i = 0; i < doc->nlines && i < LOOKED_AT; i++) {
		gv_str s = line_of(doc, i);
		char last = s.n ? s.p[s.n - 1] : 0;

		if (!s.n)
			continue;
		lines++;
		code += last == ';' || last == '{' || last == ',' || last == '(' || any_start(s, starts);
		sure += (last == ';' && !gv_starts(s, "//")) || gv_starts(s, "#include") || gv_starts(s, "#define");
	}
	return lines >= FEW && code * 2 >= lines && sure * 10 >= lines;
}

static bool python(const struct gv_doc *doc)
{
	static const char *const starts[] = { "import ", "from ", "def ", "class ", "@", "if __name__", "async def ", NULL };
	size_t lines = 0, sure = 0;

	for (size_t i = 0; i < doc->nlines && i < LOOKED_AT; i++) {
		gv_str raw = doc->lines[i].raw;

		if (gv_starts(raw, "Traceback (most recent call last)"))
			return false;
		lines += gv_trim(raw).n > 0;
		sure += any_start(raw, starts);
	}
	return lines >= FEW && sure >= 3 && sure * 40 >= lines;
}

/* A script says so in its first line. What was pasted with prompts, fences or log prefixes is no source file. */
bool gv_doc_is_source(const struct gv_doc *doc)
{
	if (gv_starts(first_text(doc, 0), "#!/"))
		return true;
	return !doc->log && doc->nsegs < 2 && (braces(doc) || python(doc));
}

/* The opening mark of the quotation that holds offset `at`; -1 where it is in none that is closed behind it. Runs of the
 * mark count as one. */
static ptrdiff_t opening(gv_str s, size_t at, char mark)
{
	ptrdiff_t open = -1;

	for (size_t i = 0; i < at; i++) {
		if (s.p[i] != mark)
			continue;
		open = open < 0 ? (ptrdiff_t)i : -1;
		while (i + 1 < at && s.p[i + 1] == mark)
			i++;
	}
	return open >= 0 && gv_find_c(gv_from(s, at), mark) >= 0 ? open : -1;
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Marks of lists and quotes, of which nobody makes a sentence. */
static bool bare_mark(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (letter(s.p[i]))
			return false;
	return true;
}

/* "I am having the error ...", "We face on some nodes the error ...": whoever speaks of himself has met it. */
static bool of_oneself(gv_str front)
{
	static const char *const self[] = { "I ", "I'm ", "I've ", "We ", "We're ", "We've ", "My ", "Our " };
	static const char *const wish[] = { "want",   "like to", "need",   "handle", "catch",
					    "ignore", "prevent", "detect", "expect", "look for" };
	ptrdiff_t dot = gv_rfind(front, ". ");

	front = dot < 0 ? front : gv_from(front, (size_t)dot + 2);
	for (size_t i = 0; i < sizeof(wish) / sizeof(wish[0]); i++)
		if (gv_has_nocase(front, wish[i]))
			return false;
	for (size_t i = 0; i < sizeof(self) / sizeof(self[0]); i++)
		if (gv_starts(front, self[i]))
			return true;
	return false;
}

/* "... and got": somebody tells what happened to him. Not where he tells what happens if, or what might. */
static bool recounted(gv_str before)
{
	static const char *const verbs[] = { " got",	     " i get",	    " we get",	  " i am getting",
					     " i'm getting", " gave",	    " said",	  " reported",
					     " returned",    " returns",    " leads to",  " results in",
					     " fails with",  " showed",	    " printed",	  " complained",
					     " output is",   " output was", " error was", " failed with" };
	static const char *const maybe[] = { "if ", "when ", "should ", "would ", "could ", "may ", "might ", "can ", "e.g.", "example",
					     "such as", "whether ", "unless ", "means " };
	gv_str front = gv_rtrim(gv_sub(before, before.n > 200 ? before.n - 200 : 0, 200));
	bool noun = gv_ends(front, " error") || gv_ends(front, " message") || gv_ends(front, " errors");

	for (size_t i = 0; i < sizeof(maybe) / sizeof(maybe[0]); i++)
		if (gv_has_nocase(front, maybe[i]))
			return false;
	while (gv_ends(front, " error") || gv_ends(front, " the") || gv_ends(front, " message") || gv_ends(front, " following") ||
	       gv_ends(front, " an"))
		front = gv_rtrim(gv_sub(front, 0, (size_t)gv_rfind(front, " ")));
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (gv_eq_nocase(front, gv_str_of(verbs[i] + 1)) ||
		    (front.n >= strlen(verbs[i]) && gv_starts_nocase(gv_from(front, front.n - strlen(verbs[i])), verbs[i])))
			return true;
	return noun && of_oneself(gv_trim(front));
}

/* The code span that holds offset `at`: as in Markdown it ends at a run of as many marks as it began with. */
static bool code_span(gv_str s, size_t at, size_t *ret_open, size_t *ret_end)
{
	size_t marks = 0, n;

	for (size_t i = 0; i < s.n; i += n) {
		for (n = 0; i + n < s.n && s.p[i + n] == '`';)
			n++;
		if (!n) {
			n = 1;
		} else if (!marks) {
			if (i >= at)
				return false;
			marks = n;
			*ret_open = i;
		} else if (n == marks) {
			*ret_end = i + n;
			if (i >= at)
				return true;
			marks = 0;
		}
	}
	return false;
}

/* `A code span` in a sentence. One that stands alone, or behind a colon, is how a line is pasted. */
static bool in_code_span(gv_str s, size_t at)
{
	size_t open, end;
	gv_str before, after;

	if (!code_span(s, at, &open, &end))
		return false;
	before = gv_rtrim(gv_sub(s, 0, open));
	if (recounted(before))
		return false;
	after = gv_trim(gv_from(s, end));
	return !gv_ends(before, ":") && !(bare_mark(before) && bare_mark(after) && gv_find_c(after, '`') < 0);
}

/* A word, a blank, and "the message" in quotation marks: a sentence. Logs put a colon or a bracket before theirs. */
static bool in_quotes(gv_str s, size_t at)
{
	ptrdiff_t open = opening(s, at, '"');
	struct gv_logline l;
	char c;

	if (open < 2 || s.p[open - 1] != ' ')
		return false;
	if (recounted(gv_sub(s, 0, (size_t)open)))
		return false;
	c = s.p[open - 2];
	return (letter(c) || c == ',') && !gv_logline_parse(s, &l);
}

#define CELLS 6 /* tabs in a line from which on it is a row of a table */

static bool table_row(gv_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < CELLS; i++)
		n += s.p[i] == '\t';
	return n == CELLS;
}

#define FRONT 100 /* bytes at a line's start in which its level stands */

/* Programs that try one thing after another say so at this level, and go on. */
static bool of_debug_level(gv_str line)
{
	gv_str front = gv_sub(line, 0, FRONT);

	if (gv_has(front, "stdout") || gv_has(front, "stderr")) /* what a program printed, whatever its runner thinks of it */
		return false;
	return gv_starts(line, "DEBUG") || gv_has(front, " DEBUG ") || gv_has(front, "[DEBUG]") ||
	       gv_has_nocase(front, "level=debug") || gv_has_nocase(front, "\"level\":\"debug\"");
}

/* "... gpuvet[123]: FAIL gpu-fell-off-bus on ...": a monitor logged what gpuvet --quiet said. */
static bool logged_verdict(gv_str front)
{
	static const char *const words[] = { "FAIL ", "WARN " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ptrdiff_t at = gv_find(front, words[i]);

		if (at >= 0 && gv_own_verdict(gv_from(front, (size_t)at)))
			return true;
	}
	return false;
}

bool gv_told(gv_str line, gv_str hit)
{
	size_t at;

	if (!hit.p || hit.p < line.p || hit.p > line.p + line.n || line.n > 65536)
		return false;
	at = (size_t)(hit.p - line.p);
	return gv_starts(gv_trim(line), "//") || in_code_span(line, at) || in_quotes(line, at) || table_row(line) ||
	       of_debug_level(line) || logged_verdict(gv_sub(line, 0, at));
}
