/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"

#define COLUMNS 80
#define TEXT_AT 28 /* where help texts begin */
#define WORD_MAX 63

struct parse {
	const struct gv_opt *table;
	char *values; /* NULL while only checking */
	struct gv_buf *err;
};

static size_t least(size_t x, size_t y)
{
	return x < y ? x : y;
}

/* Edits between x and y: insert, delete, replace, swap of neighbours. */
static size_t distance(gv_str x, gv_str y)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= y.n; j++)
		last[j] = j;
	for (size_t i = 1; i <= x.n; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= y.n; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x.p[i - 1] != y.p[j - 1]));
			if (i > 1 && j > 1 && x.p[i - 1] == y.p[j - 2] && x.p[i - 2] == y.p[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[y.n];
}

const char *gv_nearest(gv_str word, const char *const *words, size_t n)
{
	const char *best = NULL;
	size_t best_d = word.n / 3 + (word.n > 1 && word.n < 3);

	if (word.n > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		gv_str w = gv_str_of(words[i]);
		size_t d = w.n > WORD_MAX ? SIZE_MAX : distance(word, w);

		if (d < best_d || (d == best_d && !best)) {
			best = words[i];
			best_d = d;
		}
	}
	for (size_t i = 0; i < n && !best && word.n > 1; i++) /* an abbreviation */
		if (gv_eq(gv_sub(gv_str_of(words[i]), 0, word.n), word))
			best = words[i];
	return best;
}

static int unknown(struct parse *p, gv_str name)
{
	const char *names[256], *near;
	size_t n = 0;

	for (const struct gv_opt *o = p->table; o->name && n < 256; o++)
		names[n++] = o->name;
	near = gv_nearest(name, names, n);
	gv_printf(p->err, "unknown option --%.*s", GV_ARG(name));
	if (near)
		gv_printf(p->err, "; did you mean --%s?", near);
	return -EINVAL;
}

static int bad(struct parse *p, const struct gv_opt *o, const char *text, const char *what)
{
	gv_printf(p->err, "--%s: \"%s\" is not %s", o->name, text, what);
	return -EINVAL;
}

static int set_choice(struct parse *p, const struct gv_opt *o, const char *text, void *to)
{
	size_t n = 0;
	const char *near;

	for (; o->choices[n]; n++)
		if (strcmp(o->choices[n], text) == 0) {
			if (to)
				*(int *)to = (int)n;
			return 0;
		}
	bad(p, o, text, "one of");
	for (size_t i = 0; i < n; i++)
		gv_printf(p->err, "%s%s", i ? ", " : " ", o->choices[i]);
	near = gv_nearest(gv_str_of(text), o->choices, n);
	if (near)
		gv_printf(p->err, "; did you mean %s?", near);
	return -EINVAL;
}

static int set_list(struct parse *p, const struct gv_opt *o, const char *text, struct gv_opt_list *to)
{
	if (to && to->n == GV_OPT_LIST_MAX) {
		gv_printf(p->err, "--%s: %d times at most", o->name, GV_OPT_LIST_MAX);
		return -E2BIG;
	}
	if (to)
		to->v[to->n++] = text;
	return 0;
}

/* Checks the argument (NULL where the option takes none), and stores it in the second pass. */
static int set(struct parse *p, const struct gv_opt *o, const char *text)
{
	void *to = p->values ? p->values + o->offset : NULL;
	uint64_t u = 0;
	double d = 0;

	switch (o->type) {
	case GV_OPT_FLAG:
		if (to)
			*(bool *)to = true;
		return 0;
	case GV_OPT_STRING:
		if (to)
			*(const char **)to = text;
		return 0;
	case GV_OPT_LIST:
		return set_list(p, o, text, to);
	case GV_OPT_COUNT:
		if (text && !gv_to_u64(gv_str_of(text), &u))
			return bad(p, o, text, "a whole number");
		if (to)
			*(uint64_t *)to = text ? u : *(uint64_t *)to + 1;
		return 0;
	case GV_OPT_SIZE:
		if (!gv_bytes(gv_str_of(text), &d) || d >= 18e18)
			return bad(p, o, text, "a size such as 512MiB");
		if (to)
			*(uint64_t *)to = (uint64_t)d;
		return 0;
	case GV_OPT_TIME:
		if (!gv_duration(gv_str_of(text), &d) && (!gv_to_num(gv_str_of(text), &d) || d < 0))
			return bad(p, o, text, "a time such as 30s");
		if (to)
			*(double *)to = d;
		return 0;
	case GV_OPT_CHOICE:
		return set_choice(p, o, text, to);
	}
	return -EINVAL;
}

static int no_argument(struct parse *p, const struct gv_opt *o)
{
	gv_printf(p->err, "--%s needs an argument: %s", o->name, o->arg);
	return -EINVAL;
}

/* argv[*i] begins with "--" and goes on. */
static int parse_long(struct parse *p, int argc, char **argv, int *i)
{
	gv_str text = gv_str_of(argv[*i] + 2), name = gv_before(text, "=");
	const char *arg = name.n < text.n ? name.p + name.n + 1 : NULL;
	const struct gv_opt *o = p->table;

	while (o->name && !gv_is(name, o->name))
		o++;
	if (!o->name)
		return unknown(p, name);
	if (!o->arg) {
		if (!arg)
			return set(p, o, NULL);
		gv_printf(p->err, "--%s takes no argument", o->name);
		return -EINVAL;
	}
	if (!arg && ++*i < argc)
		arg = argv[*i];
	return arg ? set(p, o, arg) : no_argument(p, o);
}

/* argv[*i] begins with "-" and goes on: letters of flags, or one with its argument. */
static int parse_brief(struct parse *p, int argc, char **argv, int *i)
{
	for (const char *c = argv[*i] + 1; *c; c++) {
		const struct gv_opt *o = p->table;
		int r;

		while (o->name && o->brief != *c)
			o++;
		if (!o->name) {
			gv_printf(p->err, "unknown option -%c", *c >= ' ' && *c < 127 ? *c : '?');
			return -EINVAL;
		}
		if (o->arg) {
			if (c[1])
				return set(p, o, c + 1);
			return ++*i < argc ? set(p, o, argv[*i]) : no_argument(p, o);
		}
		r = set(p, o, NULL);
		if (r)
			return r;
	}
	return 0;
}

static int pass(struct parse *p, int argc, char **argv, gv_str *ret_args, size_t *ret_n)
{
	bool ended = false;
	size_t n = 0;
	int r = 0;

	for (int i = 1; i < argc && !r; i++) {
		const char *text = argv[i];

		if (ended || text[0] != '-' || !text[1])
			ret_args[n++] = gv_str_of(text);
		else if (strcmp(text, "--") == 0)
			ended = true;
		else
			r = text[1] == '-' ? parse_long(p, argc, argv, &i) : parse_brief(p, argc, argv, &i);
	}
	if (!r)
		*ret_n = n;
	return r;
}

int gv_opt_parse(const struct gv_opt *table, int argc, char **argv, void *ret_values, gv_str *ret_args, size_t *ret_n,
		 struct gv_buf *err)
{
	struct parse p = { .table = table, .err = err };
	int r = pass(&p, argc, argv, ret_args, ret_n);

	if (r)
		return r;
	p.values = ret_values;
	return pass(&p, argc, argv, ret_args, ret_n);
}

/* Puts words of z, the line being at column *at already; lines go on at TEXT_AT. */
static void wrap(struct gv_buf *b, const char *z, size_t *at)
{
	gv_str rest = gv_str_of(z), w;

	while (gv_word(&rest, &w)) {
		if (*at > TEXT_AT && *at + 1 + w.n > COLUMNS) {
			gv_putc(b, '\n');
			gv_pad(b, ' ', TEXT_AT);
			*at = TEXT_AT;
		} else if (*at > TEXT_AT) {
			gv_putc(b, ' ');
			++*at;
		}
		gv_put(b, w);
		*at += w.n;
	}
}

static void help_of(struct gv_buf *b, const struct gv_opt *o)
{
	size_t from = b->n, at;

	if (o->brief)
		gv_printf(b, "  -%c, --%s", o->brief, o->name);
	else
		gv_printf(b, "      --%s", o->name);
	if (o->arg)
		gv_printf(b, "=%s", o->arg);
	at = b->n - from;
	if (at + 2 > TEXT_AT) {
		gv_putc(b, '\n');
		at = 0;
	}
	gv_pad(b, ' ', TEXT_AT - at);
	at = TEXT_AT;
	wrap(b, o->help, &at);
	if (o->choices)
		wrap(b, "(one of", &at);
	for (size_t i = 0; o->choices && o->choices[i]; i++) {
		wrap(b, o->choices[i], &at);
		gv_puts(b, o->choices[i + 1] ? "," : ")");
		at++;
	}
	gv_putc(b, '\n');
}

void gv_opt_help(struct gv_buf *b, const struct gv_opt *table, const char *const *usage)
{
	for (; *usage; usage++)
		gv_printf(b, "%s\n", *usage);
	if (table->name)
		gv_puts(b, "\nOptions:\n");
	for (; table->name; table++)
		help_of(b, table);
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* Cuts the next option name behind "--" off *rest. */
static bool next_name(gv_str *rest, gv_str *ret)
{
	for (ptrdiff_t at; (at = gv_find(*rest, "--")) >= 0;) {
		bool starts = !at || !name_char(rest->p[at - 1]);
		size_t n = 0;

		*rest = gv_from(*rest, (size_t)at + 2);
		while (n < rest->n && name_char(rest->p[n]))
			n++;
		*ret = gv_sub(*rest, 0, n);
		*rest = gv_from(*rest, n);
		if (starts && n && *ret->p != '-')
			return true;
	}
	return false;
}

static const struct gv_opt *find_opt(const struct gv_opt *table, gv_str name)
{
	for (; table->name; table++)
		if (gv_is(name, table->name))
			return table;
	return NULL;
}

size_t gv_opt_check_page(const struct gv_opt *table, gv_str page, struct gv_buf *err)
{
	size_t wrong = 0;
	gv_str line, name;

	for (const struct gv_opt *o = table; o->name; o++) {
		gv_str rest = page;
		bool there = false;

		while (!there && next_name(&rest, &name))
			there = gv_is(name, o->name);
		if (!there && ++wrong)
			gv_printf(err, "the page does not name --%s\n", o->name);
	}
	while (gv_next(&page, '\n', &line)) {
		gv_str lead = gv_trim(line);

		while (lead.n && *lead.p == '*') /* scdoc's bold */
			lead = gv_from(lead, 1);
		if (lead.n && *lead.p == '-' && next_name(&lead, &name) && !find_opt(table, name) && ++wrong)
			gv_printf(err, "the page names --%.*s, which is no option\n", GV_ARG(name));
	}
	return wrong;
}
