/* SPDX-License-Identifier: Apache-2.0 */
/* mkhs OUT.c signatures.tsv: compiles the literals of all signatures, and the marks of core/marks.h behind them, into a
 * database of Hyperscan's (Vectorscan's) and writes it as C (see core/search.c).
 *
 * The platform is left at its defaults, without the newer instructions: such a database is loaded by every machine that
 * the library runs on, and the library still uses what the machine has. Literals are numbered by row, then by place in
 * the cell. */
#include <hs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/marks.h"

#define MAX_LITERALS 8192

static const char *lit[MAX_LITERALS];
static size_t len[MAX_LITERALS];
static unsigned flags[MAX_LITERALS], ids[MAX_LITERALS], n;

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "mkhs: %s: %s\n", what, why);
	exit(1);
}

static void add(const char *p, size_t bytes)
{
	if (!bytes)
		return;
	if (n == MAX_LITERALS)
		die("literals", "too many");
	lit[n] = p;
	len[n] = bytes;
	ids[n] = n;
	n++;
}

/* The cell of a column, which ends in a tab or the line's end. */
static char *cell(char *line, int column)
{
	for (; column && line; column--) {
		line = strchr(line, '\t');
		line += line != NULL;
	}
	return line;
}

static int column_of(char *header, const char *name)
{
	size_t k = strlen(name);
	char *p = header;

	for (int i = 0; p; i++, p = cell(p, 1))
		if (!strncmp(p, name, k) && (p[k] == '\t' || !p[k]))
			return i;
	die("signatures", "no column \"literal\"");
}

static void add_cell(const char *p)
{
	size_t all = strcspn(p, "\t");
	const char *end = p + all;

	while (p < end) {
		const char *bar = strstr(p, "||");

		if (!bar || bar > end)
			bar = end;
		add(p, (size_t)(bar - p));
		p = bar < end ? bar + 2 : end;
	}
}

static void read_table(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *line = NULL;
	size_t cap = 0;
	int column = -1;

	if (!f)
		die(path, "cannot be opened");
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (column < 0 && *line == '#')
			continue;
		if (column < 0) {
			column = column_of(line, "literal");
			continue;
		}
		if (*line && cell(line, column))
			add_cell(cell(line, column));
		line = NULL; /* the literals point into it */
		cap = 0;
	}
	fclose(f);
}

/* As strings: a compiler takes those much faster than lists of numbers. */
static void put_bytes(FILE *out, const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)p[i];

		fputs(i % 64 ? "" : i ? "\"\n\t\"" : "\t\"", out);
		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputs("\";\n", out);
}

int main(int argc, char **argv)
{
	static const char *const marks[] = { GV_MARKS };
	hs_platform_info_t any = { 0 };
	hs_compile_error_t *why;
	hs_database_t *db;
	char *bytes;
	size_t size;
	FILE *out;

	if (argc != 3)
		die("usage", "mkhs OUT.c signatures.tsv");
	read_table(argv[2]);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		add(marks[i], strlen(marks[i]));
	if (hs_compile_lit_multi(lit, flags, ids, len, n, HS_MODE_BLOCK, &any, &db, &why) != HS_SUCCESS)
		die(argv[2], why->message);
	if (hs_serialize_database(db, &bytes, &size) != HS_SUCCESS)
		die(argv[2], "cannot be written as bytes");
	out = fopen(argv[1], "wb");
	if (!out)
		die(argv[1], "cannot be opened");
	fprintf(out, "/* Made by mkhs: do not edit. */\n#include \"core/search.h\"\n\n");
	fprintf(out,
		"const size_t gv_search_db_literals = %u;\nconst size_t gv_search_db_bytes = %zu;\nconst char "
		"gv_search_db[] =\n",
		n, size);
	put_bytes(out, bytes, size);
	if (fclose(out))
		die(argv[1], "cannot be written");
	return 0;
}
