/* SPDX-License-Identifier: Apache-2.0 */
/* mkpages OUT.c FILE.md...: turns docs/findings/ into C (struct gv_page of core/finding.h, and gv_page_of()).
 *
 * A page is named after its kind. It begins with front matter, one line a key, all of them there and none empty:
 *
 *	---
 *	kind: throttle-thermal
 *	title: Clocks are cut for temperature
 *	summary: {on} lowers its clocks for heat[ at {temp} C]
 *	cause: ...
 *	action: ...
 *	avoid: ...
 *	---
 *
 * In summary, cause, action and avoid {name} stands for a value, {name|line} and {name|process|processes} for it and a
 * word in the form that the number asks for, and [...] is left out where a value in it is missing.
 * Below come the sections, all of them, in the order of `sections`. Anything else ends the build with "file:line: why".
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "kind", "title", "summary", "cause", "action", "avoid" };
#define KEYS (sizeof(keys) / sizeof(keys[0]))
#define FIRST_TEMPLATE 2 /* kind and title are plain text */

static const char *const sections[] = { "Symptom", "How to confirm", "Cause", "Fix", "What not to do", "Look-alikes" };
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

static const struct {
	const char *id, *name;
} kinds[] = {
#define KIND(ID, name, stage, severity, bound, meaning) { #ID, name },
#include "core/kind.def"
#undef KIND
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct page {
	const char *path;
	char *bytes; /* of the file; the rest points into them */
	size_t kind;
	char *value[KEYS];
	char *body;
};

static _Noreturn void die(const char *path, size_t line, const char *why, const char *what)
{
	fprintf(stderr, "%s:%zu: %s%s%s\n", path, line, why, what ? ": " : "", what ? what : "");
	exit(1);
}

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		die(path, 0, strerror(errno), NULL);
	do {
		if (n == cap) {
			cap = cap ? cap * 2 : 16384;
			p = realloc(p, cap + 1);
			if (!p)
				die(path, 0, "out of memory", NULL);
		}
		got = fread(p + n, 1, cap - n, f);
		n += got;
	} while (got);
	if (ferror(f))
		die(path, 0, strerror(errno), NULL);
	fclose(f);
	p[n] = '\0';
	if (strlen(p) != n)
		die(path, 0, "a NUL byte", NULL);
	return p;
}

/* Cuts the next line off *rest, in place; NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Length of "name", "name|word" or "name|word|words" at the start of s; 0 where it is none of them. */
static size_t value_length(const char *s)
{
	size_t n = 0, words = 0;

	while (name_char(s[n]))
		n++;
	while (n && s[n] == '|' && words++ < 2) {
		size_t from = ++n;

		while (s[n] && !strchr("{}[]|", s[n]))
			n++;
		if (n == from)
			return 0;
	}
	return n;
}

/* {name}, and [ ] around text, which do not nest. */
static void check_template(const char *path, size_t line, const char *s)
{
	bool inside = false;

	for (; *s; s++) {
		size_t n;

		if (*s == '}')
			die(path, line, "a } without its {", NULL);
		if ((*s == '[' && inside) || (*s == ']' && !inside))
			die(path, line, "unbalanced [ ] (they do not nest)", NULL);
		if (*s == '[' || *s == ']')
			inside = *s == '[';
		if (*s != '{')
			continue;
		n = value_length(s + 1);
		if (!n || s[n + 1] != '}')
			die(path, line, "after { comes the name of a value, |word where it counts, and }", NULL);
		s += n + 1;
	}
	if (inside)
		die(path, line, "a [ without its ]", NULL);
}

static void front_line(struct page *p, size_t line, char *text)
{
	char *colon = strchr(text, ':'), *value;
	size_t k = 0;

	if (!colon)
		die(p->path, line, "the front matter is made of \"key: value\"", text);
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " ");
	while (k < KEYS && strcmp(keys[k], text) != 0)
		k++;
	if (k == KEYS)
		die(p->path, line, "unknown key", text);
	if (p->value[k])
		die(p->path, line, "the key stands there twice", text);
	for (size_t n = strlen(value); n && (value[n - 1] == ' ' || value[n - 1] == '\t'); n--)
		value[n - 1] = '\0';
	if (!*value)
		die(p->path, line, "the key has no value", text);
	if (k >= FIRST_TEMPLATE)
		check_template(p->path, line, value);
	p->value[k] = value;
}

static void check_kind(struct page *p)
{
	const char *slash = strrchr(p->path, '/'), *stem = slash ? slash + 1 : p->path;
	size_t n = strlen(p->value[0]);

	if (strncmp(stem, p->value[0], n) != 0 || strcmp(stem + n, ".md") != 0)
		die(p->path, 2, "the kind is not the file's name", p->value[0]);
	while (p->kind < KINDS && strcmp(kinds[p->kind].name, p->value[0]) != 0)
		p->kind++;
	if (p->kind == KINDS)
		die(p->path, 2, "kind.def has no such kind", p->value[0]);
}

/* The sections, in order, each with text in it. */
static void check_body(const struct page *p, size_t line)
{
	char *copy = strdup(p->body), *rest = copy, *text;
	size_t next = 0;
	bool filled = true, fence = false;

	if (!copy)
		die(p->path, line, "out of memory", NULL);
	for (; (text = next_line(&rest)); line++) {
		if (strncmp(text, "```", 3) == 0)
			fence = !fence;
		if (fence || strncmp(text, "##", 2) != 0 || text[2] == '#') {
			if (text[strspn(text, " \t\r")]) {
				if (!next)
					die(p->path, line, "text in front of the first section", NULL);
				filled = true;
			}
			continue;
		}
		if (!filled)
			die(p->path, line, "the section before has no text", sections[next - 1]);
		if (next == SECTIONS)
			die(p->path, line, "one section too many", text);
		if (text[2] != ' ' || strcmp(text + 3, sections[next]) != 0)
			die(p->path, line, "another section is expected here", sections[next]);
		next++;
		filled = false;
	}
	if (fence)
		die(p->path, line, "a fence is not closed", NULL);
	if (next < SECTIONS)
		die(p->path, line, "a section is missing", sections[next]);
	if (!filled)
		die(p->path, line, "the last section has no text", NULL);
	free(copy);
}

static void check_bytes(const char *path, const char *s)
{
	size_t line = 1;

	for (; *s; s++) {
		if (*s == '\n')
			line++;
		else if ((unsigned char)*s < ' ' && *s != '\t')
			die(path, line, "a control character", NULL);
	}
}

static void read_page(struct page *p, const char *path)
{
	char *rest, *text;
	size_t line = 1;

	*p = (struct page){ .path = path };
	rest = p->bytes = read_all(path);
	check_bytes(path, rest);
	text = next_line(&rest);
	if (!text || strcmp(text, "---") != 0)
		die(path, 1, "a page begins with ---", NULL);
	while ((text = next_line(&rest)) && strcmp(text, "---") != 0)
		front_line(p, ++line, text);
	line++;
	if (!text)
		die(path, line, "the front matter has no end", NULL);
	for (size_t k = 0; k < KEYS; k++)
		if (!p->value[k])
			die(path, line, "missing key", keys[k]);
	check_kind(p);
	p->body = rest + strspn(rest, "\n");
	for (char *c = rest; c < p->body; c++)
		line++;
	check_body(p, line + 1);
}

static void put_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '\n')
			fputs(s[1] ? "\\n\"\n\t\t\"" : "\\n", out);
		else if (*s == '"' || *s == '\\' || *s == '?') /* ??x may be a trigraph */
			fprintf(out, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(out, "\\%03o", (unsigned)(unsigned char)*s);
		else
			fputc(*s, out);
	}
	fputc('"', out);
}

static void put_page(FILE *out, const struct page *p)
{
	fprintf(out, "\t[GV_K_%s] = &(const struct gv_page){\n", kinds[p->kind].id);
	for (size_t k = 0; k < KEYS; k++) {
		fprintf(out, "\t\t.%s = ", keys[k]);
		put_string(out, p->value[k]);
		fputs(",\n", out);
	}
	fputs("\t\t.body = ", out);
	put_string(out, p->body);
	fputs(",\n\t},\n", out);
}

int main(int argc, char **argv)
{
	static bool seen[KINDS];
	struct page page;
	FILE *out;

	if (argc < 2) {
		fputs("usage: mkpages OUT.c FILE.md...\n", stderr);
		return 2;
	}
	out = fopen(argv[1], "w");
	if (!out)
		die(argv[1], 0, strerror(errno), NULL);
	fputs("/* Made by mkpages from docs/findings. */\n#include \"core/finding.h\"\n\n"
	      "static const struct gv_page *const gv_pages[GV_KINDS] = {\n",
	      out);
	for (int i = 2; i < argc; i++) {
		read_page(&page, argv[i]);
		if (seen[page.kind])
			die(page.path, 2, "the kind has two pages", page.value[0]);
		seen[page.kind] = true;
		put_page(out, &page);
		free(page.bytes);
	}
	fputs("};\n\nconst struct gv_page *gv_page_of(enum gv_kind k)\n{\n"
	      "\treturn (unsigned)k < GV_KINDS ? gv_pages[k] : NULL;\n}\n",
	      out);
	if (fclose(out)) {
		remove(argv[1]);
		die(argv[1], 0, strerror(errno), NULL);
	}
	return 0;
}
