/* SPDX-License-Identifier: Apache-2.0 */
/* mktable OUT.c FILE.tsv...: turns the tables of data/ into C (see core/table.h).
 *
 * A table is UTF-8 text: lines that start with '#' before the header are comments, then one header line, then rows of
 * as many tab-separated cells. Anything else ends the build with "file:line: why". Names of tables are the files'
 * stems. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLS 64
#define MAX_TABLES 256

struct file {
	const char *path;
	char name[64];	/* stem */
	char ident[64]; /* as a C name */
};

static _Noreturn void die(const char *path, size_t line, const char *why)
{
	if (line)
		fprintf(stderr, "%s:%zu: %s\n", path, line, why);
	else
		fprintf(stderr, "%s: %s\n", path, why);
	exit(1);
}

static char *read_all(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	size_t n = 0, cap = 0;

	if (!f)
		die(path, 0, strerror(errno));
	for (;;) {
		if (n == cap) {
			cap = cap ? cap * 2 : 65536;
			p = realloc(p, cap + 1);
			if (!p)
				die(path, 0, "out of memory");
		}
		size_t got = fread(p + n, 1, cap - n, f);
		if (!got)
			break;
		n += got;
	}
	if (ferror(f))
		die(path, 0, strerror(errno));
	fclose(f);
	p[n] = '\0';
	*ret_n = n;
	return p;
}

static void set_names(struct file *f, const char *path)
{
	const char *base = strrchr(path, '/');
	const char *dot;
	size_t n;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	if (!dot || strcmp(dot, ".tsv"))
		die(path, 0, "the name does not end in .tsv");
	n = (size_t)(dot - base);
	if (!n || n >= sizeof(f->name))
		die(path, 0, "the name is empty or too long");
	f->path = path;
	memcpy(f->name, base, n);
	f->name[n] = '\0';
	for (size_t i = 0; i <= n; i++) {
		char c = f->name[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (c && !plain && c != '-')
			die(path, 0, "a table's name is made of a-z, 0-9 and '-'");
		f->ident[i] = c == '-' ? '_' : c;
	}
}

/* As a C string literal. Every byte that is not plain is written in octal, which takes three digits and so cannot run
 * into what follows; '?' too, against trigraphs. */
static void put_literal(FILE *out, const char *p, size_t n)
{
	fputc('"', out);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void check_header(const struct file *f, size_t line, char **cell, const size_t *len, size_t cols)
{
	for (size_t i = 0; i < cols; i++) {
		if (!len[i])
			die(f->path, line, "a column without a name");
		for (size_t k = 0; k < i; k++)
			if (len[k] == len[i] && !memcmp(cell[k], cell[i], len[i]))
				die(f->path, line, "two columns of the same name");
	}
}

static void put_row(FILE *out, char **cell, const size_t *len, size_t cols)
{
	fputc('\t', out);
	for (size_t i = 0; i < cols; i++) {
		put_literal(out, cell[i], len[i]);
		fputs(i + 1 < cols ? ", " : ",\n", out);
	}
}

static void make_table(FILE *out, const struct file *f)
{
	size_t n, line = 0, cols = 0, rows = 0;
	char *text = read_all(f->path, &n);

	for (char *p = text, *end = text + n; p < end;) {
		char *cell[MAX_COLS];
		size_t len[MAX_COLS], k = 0;
		char *eol = memchr(p, '\n', (size_t)(end - p));

		line++;
		if (!eol)
			die(f->path, line, "the last line has no newline");
		if (memchr(p, '\0', (size_t)(eol - p)) || memchr(p, '\r', (size_t)(eol - p)))
			die(f->path, line, "a NUL or a carriage return");
		if (!cols && *p == '#') {
			p = eol + 1;
			continue;
		}
		for (char *c = p;; c += len[k - 1] + 1) {
			char *tab = memchr(c, '\t', (size_t)(eol - c));

			if (k == MAX_COLS)
				die(f->path, line, "too many columns");
			cell[k] = c;
			len[k++] = (size_t)((tab ? tab : eol) - c);
			if (!tab)
				break;
		}
		if (!cols) {
			check_header(f, line, cell, len, k);
			cols = k;
			fprintf(out, "\nstatic const char *const head_%s[] = {\n", f->ident);
			put_row(out, cell, len, k);
			fprintf(out, "};\nstatic const char *const cell_%s[] = {\n", f->ident);
		} else if (k != cols) {
			char why[96];

			snprintf(why, sizeof(why), "%zu columns where the header has %zu", k, cols);
			die(f->path, line, why);
		} else {
			put_row(out, cell, len, k);
			rows++;
		}
		p = eol + 1;
	}
	if (!rows)
		die(f->path, 0, "no rows");
	fprintf(out, "};\nstatic const struct gv_table table_%s = { \"%s\", %zu, %zu, head_%s, cell_%s };\n", f->ident,
		f->name, rows, cols, f->ident, f->ident);
	free(text);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

int main(int argc, char **argv)
{
	static struct file files[MAX_TABLES];
	size_t n = 0;
	FILE *out;

	if (argc < 3 || argc - 2 > MAX_TABLES) {
		fprintf(stderr, "usage: mktable OUT.c FILE.tsv...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		set_names(&files[n++], argv[i]);
	qsort(files, n, sizeof(files[0]), by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(files[i - 1].name, files[i].name))
			die(files[i].path, 0, "two tables of the same name");
	out = fopen(argv[1], "wb");
	if (!out)
		die(argv[1], 0, strerror(errno));
	fputs("/* Made by mktable from data/; do not edit. */\n#include \"core/table.h\"\n", out);
	for (size_t i = 0; i < n; i++)
		make_table(out, &files[i]);
	fputs("\nconst struct gv_table *const gv_tables[] = {\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "\t&table_%s,\n", files[i].ident);
	fprintf(out, "};\nconst size_t gv_ntables = %zu;\n", n);
	if (ferror(out) || fclose(out))
		die(argv[1], 0, "cannot be written");
	return 0;
}
