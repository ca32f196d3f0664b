/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: one token a call, no recursion; what is open is one bit a level. */
#include "base/json.h"

#include <string.h>

enum state {
	BEFORE_VALUE,	  /* also the start */
	BEFORE_FIRST,	  /* a value, or ] */
	BEFORE_FIRST_KEY, /* a key, or } */
	BEFORE_KEY,
	AFTER_VALUE,
	FAILED,
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_object(const struct gv_json_in *in)
{
	return in->depth && in->is_object >> (in->depth - 1) & 1;
}

static enum gv_json_kind fail(struct gv_json_in *in, size_t at, const char *error)
{
	in->state = FAILED;
	in->at = at;
	in->raw = gv_sub(in->text, at, 0);
	in->error = error;
	return GV_JSON_ERROR;
}

/* The next byte that is no blank; -1 at the end. */
static int peek(struct gv_json_in *in)
{
	while (in->pos < in->text.n) {
		char c = in->text.p[in->pos];

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return (unsigned char)c;
		in->pos++;
	}
	return -1;
}

static enum gv_json_kind token(struct gv_json_in *in, enum gv_json_kind kind, size_t n)
{
	in->at = in->pos;
	in->raw = gv_sub(in->text, in->pos, n);
	in->pos += n;
	in->state = AFTER_VALUE;
	return kind;
}

static bool hex4(gv_str s, size_t at, unsigned *ret)
{
	uint64_t v;

	if (at > s.n || s.n - at < 4 || !gv_hex_u64(gv_sub(s, at, 4), &v))
		return false;
	*ret = (unsigned)v;
	return true;
}

static enum gv_json_kind string(struct gv_json_in *in, enum gv_json_kind kind)
{
	const char *p = in->text.p;
	size_t i = in->pos + 1, n = in->text.n;
	unsigned code;

	in->escaped = false;
	for (; i < n && p[i] != '"'; i++) {
		if (p[i] == '\\') {
			in->escaped = true;
			i++;
			if (i >= n)
				break;
			if (p[i] == 'u' ? !hex4(in->text, i + 1, &code) : !p[i] || !strchr("\"\\/bfnrt", p[i]))
				return fail(in, i - 1, "unknown escape in a string");
		} else if ((unsigned char)p[i] < 0x20 && p[i] != '\t') {
			return fail(in, i, "control character in a string");
		}
	}
	if (i >= n)
		return fail(in, in->pos, "string without end");
	in->at = in->pos;
	in->raw = gv_sub(in->text, in->pos + 1, i - in->pos - 1);
	in->pos = i + 1;
	in->state = AFTER_VALUE;
	return kind;
}

static size_t digits(gv_str s, size_t i)
{
	while (i < s.n && digit(s.p[i]))
		i++;
	return i;
}

static enum gv_json_kind number(struct gv_json_in *in)
{
	gv_str s = gv_from(in->text, in->pos);
	size_t i = *s.p == '-', from = i;

	i = digits(s, i);
	if (i == from || (i > from + 1 && s.p[from] == '0'))
		return fail(in, in->pos, "malformed number");
	if (i < s.n && s.p[i] == '.') {
		from = i + 1;
		i = digits(s, from);
		if (i == from)
			return fail(in, in->pos, "malformed number");
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		from = i + 1;
		if (from < s.n && (s.p[from] == '+' || s.p[from] == '-'))
			from++;
		i = digits(s, from);
		if (i == from)
			return fail(in, in->pos, "malformed number");
	}
	return token(in, GV_JSON_NUM, i);
}

static enum gv_json_kind begin(struct gv_json_in *in, bool object)
{
	uint64_t bit;

	if (in->depth == GV_JSON_DEPTH)
		return fail(in, in->pos, "nested too deeply");
	bit = (uint64_t)1 << in->depth++;
	in->is_object = object ? in->is_object | bit : in->is_object & ~bit;
	token(in, object ? GV_JSON_OBJ : GV_JSON_ARR, 1);
	in->state = object ? BEFORE_FIRST_KEY : BEFORE_FIRST;
	return object ? GV_JSON_OBJ : GV_JSON_ARR;
}

static enum gv_json_kind end(struct gv_json_in *in)
{
	bool object = in_object(in);

	in->depth--;
	return token(in, object ? GV_JSON_OBJ_END : GV_JSON_ARR_END, 1);
}

static enum gv_json_kind word(struct gv_json_in *in)
{
	static const struct {
		const char *text;
		enum gv_json_kind kind;
	} words[] = {
		{ "true", GV_JSON_TRUE }, { "false", GV_JSON_FALSE },	{ "null", GV_JSON_NULL },
		{ "NaN", GV_JSON_NULL },  { "Infinity", GV_JSON_NULL }, { "-Infinity", GV_JSON_NULL },
	};
	gv_str s = gv_from(in->text, in->pos);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (gv_starts(s, words[i].text))
			return token(in, words[i].kind, strlen(words[i].text));
	return *s.p == '-' ? number(in) : fail(in, in->pos, "no JSON value");
}

static enum gv_json_kind value(struct gv_json_in *in, int c)
{
	switch (c) {
	case -1:
		return fail(in, in->pos, "the text ends where a value should be");
	case '{':
		return begin(in, true);
	case '[':
		return begin(in, false);
	case '"':
		return string(in, GV_JSON_STR);
	default:
		return digit((char)c) ? number(in) : word(in);
	}
}

static enum gv_json_kind key(struct gv_json_in *in, int c)
{
	enum gv_json_kind kind;

	if (c != '"')
		return fail(in, in->pos, "a key should be here");
	kind = string(in, GV_JSON_KEY);
	if (kind == GV_JSON_ERROR)
		return kind;
	if (peek(in) != ':')
		return fail(in, in->pos, "a colon should be here");
	in->pos++;
	in->state = BEFORE_VALUE;
	return kind;
}

static enum gv_json_kind after_value(struct gv_json_in *in, int c)
{
	if (!in->depth) {
		if (c < 0) {
			in->at = in->pos;
			in->raw = gv_from(in->text, in->pos);
			return GV_JSON_END;
		}
		return in->many ? value(in, c) : fail(in, in->pos, "text after the value");
	}
	if (c == (in_object(in) ? '}' : ']'))
		return end(in);
	if (c != ',')
		return fail(in, in->pos, c < 0 ? "the text ends inside a value" : "a comma or the end should be here");
	in->pos++;
	c = peek(in);
	return in_object(in) ? key(in, c) : value(in, c);
}

enum gv_json_kind gv_json_next(struct gv_json_in *in)
{
	int c;

	if (in->state == FAILED)
		return GV_JSON_ERROR;
	if (!in->pos && gv_starts(in->text, "\xef\xbb\xbf"))
		in->pos = 3;
	c = peek(in);
	switch (in->state) {
	case BEFORE_FIRST:
		return c == ']' ? end(in) : value(in, c);
	case BEFORE_FIRST_KEY:
		return c == '}' ? end(in) : key(in, c);
	case AFTER_VALUE:
		return after_value(in, c);
	default:
		return in->many && !in->depth && c < 0 ? GV_JSON_END : value(in, c);
	}
}

bool gv_json_skip(struct gv_json_in *in, enum gv_json_kind kind)
{
	unsigned depth;

	if (kind == GV_JSON_KEY)
		kind = gv_json_next(in);
	if (kind == GV_JSON_OBJ || kind == GV_JSON_ARR)
		for (depth = in->depth; in->depth >= depth && kind != GV_JSON_ERROR;)
			kind = gv_json_next(in);
	return kind != GV_JSON_ERROR;
}

static size_t put_utf8(char *p, unsigned c)
{
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (char)(0xc0 | c >> 6);
		p[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (char)(0xe0 | c >> 12);
		p[1] = (char)(0x80 | (c >> 6 & 0x3f));
		p[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (char)(0xf0 | c >> 18);
	p[1] = (char)(0x80 | (c >> 12 & 0x3f));
	p[2] = (char)(0x80 | (c >> 6 & 0x3f));
	p[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* \uXXXX at raw[i] (the backslash), perhaps the first half of a pair; *i moves behind it. */
static unsigned code_point(gv_str raw, size_t *i)
{
	unsigned c, low;

	if (!hex4(raw, *i + 2, &c)) {
		*i += 2;
		return 0xfffd;
	}
	*i += 6;
	if (c >= 0xd800 && c < 0xdc00 && gv_starts(gv_from(raw, *i), "\\u") && hex4(raw, *i + 2, &low) &&
	    low >= 0xdc00 && low < 0xe000) {
		*i += 6;
		return 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
	}
	return c >= 0xd800 && c < 0xe000 ? 0xfffd : c;
}

gv_str gv_json_unescape(struct gv_arena *a, gv_str raw)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	char *p;
	size_t n = 0;

	if (gv_find_c(raw, '\\') < 0)
		return raw;
	p = gv_alloc(a, raw.n + raw.n / 2 + 4); /* only a broken "\u" grows: from two bytes to three */
	for (size_t i = 0; i < raw.n;) {
		const char *hit;

		if (raw.p[i] != '\\' || i + 1 == raw.n) {
			p[n++] = raw.p[i++];
		} else if (raw.p[i + 1] == 'u') {
			n += put_utf8(p + n, code_point(raw, &i));
		} else {
			hit = raw.p[i + 1] ? strchr(from, raw.p[i + 1]) : NULL;
			p[n++] = hit ? to[hit - from] : raw.p[i + 1];
			i += 2;
		}
	}
	return (gv_str){ p, n };
}
