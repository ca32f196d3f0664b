/* SPDX-License-Identifier: Apache-2.0 */
/* Markers of requirements, "sys_platform == 'linux' and (extra == 'gpu' or python_version < '3.9')", as far as a tree
 * of files can tell: they are asked twice at once, without any extra and with all of them. No recursion: what waits is
 * on two stacks. */
#include "inspect/common_python.h"

#define DEEP 32 /* parentheses and operators that wait */

struct twice {
	enum gv_holds without, with;
};

enum word { W_END, W_OPEN, W_CLOSE, W_AND, W_OR, W_NOT, W_IN, W_NAME, W_TEXT, W_OP, W_BAD };

struct token {
	enum word what;
	gv_str text;
};

static struct token next(gv_str *rest)
{
	struct token t = { W_BAD, GV_NONE };
	size_t n = 0;

	*rest = gv_trim(*rest);
	if (!rest->n)
		return (struct token){ W_END, GV_NONE };
	if (rest->p[0] == '"' || rest->p[0] == '\'') {
		ptrdiff_t end = gv_find_c(gv_from(*rest, 1), rest->p[0]);

		if (end < 0)
			return t;
		t = (struct token){ W_TEXT, gv_sub(*rest, 1, (size_t)end) };
		*rest = gv_from(*rest, (size_t)end + 2);
		return t;
	}
	if (rest->p[0] == '(' || rest->p[0] == ')') {
		t.what = rest->p[0] == '(' ? W_OPEN : W_CLOSE;
		*rest = gv_from(*rest, 1);
		return t;
	}
	while (n < rest->n && memchr("<>=!~", rest->p[n], 5))
		n++;
	t.what = W_OP;
	if (!n) {
		while (n < rest->n && !memchr(" \t()<>=!~'\"\r\n", rest->p[n], 13))
			n++;
		t.what = W_NAME;
	}
	t.text = gv_sub(*rest, 0, n);
	*rest = gv_from(*rest, n);
	if (t.what == W_NAME)
		t.what = gv_is(t.text, "and")	? W_AND
			 : gv_is(t.text, "or")	? W_OR
			 : gv_is(t.text, "not") ? W_NOT
			 : gv_is(t.text, "in")	? W_IN
						: W_NAME;
	return t;
}

/* ---- One comparison ---- */

/* What a name is on Linux with CPython. */
static gv_str value_of(gv_str name)
{
	static const char *const known[][2] = {
		{ "os_name", "posix" },
		{ "os.name", "posix" },
		{ "sys_platform", "linux" },
		{ "sys.platform", "linux" },
		{ "platform_system", "Linux" },
		{ "implementation_name", "cpython" },
		{ "platform_python_implementation", "CPython" },
		{ "platform.python_implementation", "CPython" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (gv_is(name, known[i][0]))
			return gv_str_of(known[i][1]);
	return GV_NONE;
}

static enum gv_holds truth(bool yes)
{
	return yes ? GV_HOLDS : GV_HOLDS_NOT;
}

static bool is_in(gv_str part, gv_str all)
{
	return part.n && part.n <= all.n && memmem(all.p, all.n, part.p, part.n);
}

/* left and right are a name and a text, in either order. */
static struct twice compare(struct gv_arena *a, struct token left, gv_str op, struct token right, gv_str *extras)
{
	bool swapped = left.what == W_TEXT, negated = gv_starts(op, "not") || gv_is(op, "!=");
	gv_str name = swapped ? right.text : left.text, text = swapped ? left.text : right.text, value = value_of(name);
	enum gv_holds r = GV_HOLDS_MAYBE;

	if (gv_is(name, "extra") || gv_is(name, "extras") || gv_is(name, "dependency_groups")) {
		gv_str one = gv_py_name(a, text);

		if (one.n && !negated && extras->n + one.n < GV_PY_EXTRAS_LEN)
			*extras = extras->n ? gv_fmt(a, "%.*s,%.*s", GV_ARG(*extras), GV_ARG(one)) : one;
		return negated ? (struct twice){ GV_HOLDS, GV_HOLDS_MAYBE } : (struct twice){ GV_HOLDS_NOT, GV_HOLDS };
	}
	if (value.n && (gv_is(op, "==") || gv_is(op, "===") || gv_is(op, "!=")))
		r = truth(gv_eq(value, text) != negated);
	else if (value.n && gv_ends(op, "in"))
		r = truth((swapped ? is_in(text, value) : is_in(value, text)) != negated);
	else if (gv_is(name, "platform_machine") && gv_is(op, "==") && (gv_is(text, "AMD64") || gv_is(text, "arm64")))
		r = GV_HOLDS_NOT; /* what other systems call them */
	return (struct twice){ r, r };
}

/* ---- All of it ---- */

struct stacks {
	struct twice values[DEEP];
	enum word ops[DEEP];
	size_t nvalues, nops;
	bool bad;
};

static enum gv_holds less(enum gv_holds x, enum gv_holds y)
{
	return x < y ? x : y;
}

static enum gv_holds more(enum gv_holds x, enum gv_holds y)
{
	return x > y ? x : y;
}

static void reduce(struct stacks *s)
{
	struct twice *x, *y;
	enum word op = s->ops[--s->nops];

	if (s->nvalues < 2) {
		s->bad = true;
		return;
	}
	y = &s->values[--s->nvalues];
	x = &s->values[s->nvalues - 1];
	x->without = op == W_AND ? less(x->without, y->without) : more(x->without, y->without);
	x->with = op == W_AND ? less(x->with, y->with) : more(x->with, y->with);
}

static void push_op(struct stacks *s, enum word op)
{
	/* "and" binds more than "or" */
	while (s->nops && s->ops[s->nops - 1] != W_OPEN && (op == W_OR || s->ops[s->nops - 1] == W_AND) && !s->bad)
		reduce(s);
	if (s->nops == DEEP)
		s->bad = true;
	else
		s->ops[s->nops++] = op;
}

static void close(struct stacks *s)
{
	while (s->nops && s->ops[s->nops - 1] != W_OPEN && !s->bad)
		reduce(s);
	if (s->nops)
		s->nops--;
	else
		s->bad = true;
}

static void comparison(struct gv_arena *a, struct stacks *s, struct token left, gv_str *rest, gv_str *extras)
{
	struct token op = next(rest), right;
	gv_str text = op.text;

	if (op.what == W_NOT) {
		op = next(rest);
		text = GV_STR("not in");
	}
	right = next(rest);
	if ((op.what != W_OP && op.what != W_IN) || (left.what != W_NAME) == (right.what != W_NAME) ||
	    (right.what != W_NAME && right.what != W_TEXT) || s->nvalues == DEEP)
		s->bad = true;
	else
		s->values[s->nvalues++] = compare(a, left, text, right, extras);
}

enum gv_holds gv_py_marker(struct gv_arena *a, gv_str marker, gv_str *ret_extra)
{
	struct stacks s = { .nvalues = 0 };
	gv_str rest = marker, extras = GV_NONE;
	struct token t;

	*ret_extra = GV_NONE;
	if (!gv_trim(marker).n)
		return GV_HOLDS;
	for (t = next(&rest); t.what != W_END && !s.bad; t = next(&rest)) {
		if (t.what == W_NAME || t.what == W_TEXT)
			comparison(a, &s, t, &rest, &extras);
		else if (t.what == W_OPEN && s.nops < DEEP)
			s.ops[s.nops++] = W_OPEN;
		else if (t.what == W_CLOSE)
			close(&s);
		else if (t.what == W_AND || t.what == W_OR)
			push_op(&s, t.what);
		else
			s.bad = true;
	}
	while (s.nops && !s.bad)
		if (s.ops[s.nops - 1] == W_OPEN)
			s.bad = true;
		else
			reduce(&s);
	if (s.bad || s.nvalues != 1)
		return GV_HOLDS_MAYBE;
	if (s.values[0].without == GV_HOLDS_NOT && s.values[0].with != GV_HOLDS_NOT)
		*ret_extra = extras;
	return s.values[0].without;
}
