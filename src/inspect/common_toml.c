/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_toml.h"

#include <errno.h>

struct toml {
	struct gv_arena *arena;
	gv_str s;
	size_t at;
	uint32_t line;
	size_t nodes;
	bool bad;
};

static char peek(const struct toml *t)
{
	return t->at < t->s.n ? t->s.p[t->at] : '\0';
}

static bool ended(const struct toml *t)
{
	return t->at >= t->s.n;
}

static void blanks(struct toml *t)
{
	while (peek(t) == ' ' || peek(t) == '\t' || peek(t) == '\r')
		t->at++;
}

/* Blanks, ends of lines and comments. */
static void space(struct toml *t)
{
	for (; !ended(t); t->at++) {
		char c = peek(t);

		if (c == '#') {
			while (!ended(t) && peek(t) != '\n')
				t->at++;
			if (ended(t))
				return;
			c = '\n';
		}
		if (c == '\n')
			t->line++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

static struct gv_toml *node(struct toml *t, enum gv_toml_kind kind)
{
	struct gv_toml *n;

	if (++t->nodes > GV_TOML_NODES)
		t->bad = true;
	n = GV_NEW(t->arena, struct gv_toml);
	n->kind = kind;
	n->line = t->line;
	return n;
}

/* ---- Texts ---- */

static size_t put_utf8(char *p, uint32_t c)
{
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (char)(0xc0 | c >> 6);
		p[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	p[0] = (char)(0xe0 | c >> 12);
	p[1] = (char)(0x80 | (c >> 6 & 63));
	p[2] = (char)(0x80 | (c & 63));
	return 3;
}

static gv_str without_escapes(struct gv_arena *a, gv_str raw)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	char *p;
	size_t n = 0;

	if (gv_find_c(raw, '\\') < 0)
		return raw;
	p = gv_alloc(a, raw.n);
	for (size_t i = 0; i < raw.n; i++) {
		const char *hit;
		uint64_t code;

		if (raw.p[i] != '\\' || i + 1 == raw.n) {
			p[n++] = raw.p[i];
			continue;
		}
		i++;
		hit = raw.p[i] ? strchr(from, raw.p[i]) : NULL;
		if (hit) {
			p[n++] = to[hit - from];
		} else if (raw.p[i] == 'u' && gv_hex_u64(gv_sub(raw, i + 1, 4), &code)) {
			n += put_utf8(p + n, (uint32_t)code);
			i += gv_sub(raw, i + 1, 4).n;
		} else { /* a line that goes on, or what is none */
			while (i + 1 < raw.n && (raw.p[i] == '\n' || raw.p[i] == ' ' || raw.p[i] == '\t') &&
			       (raw.p[i + 1] == '\n' || raw.p[i + 1] == ' ' || raw.p[i + 1] == '\t'))
				i++;
		}
	}
	return (gv_str){ p, n };
}

/* A text between one or three quotation marks of a kind, at the first of which we are. */
static gv_str quoted(struct toml *t)
{
	char q = peek(t);
	gv_str rest = gv_from(t->s, t->at);
	bool three = rest.n >= 3 && rest.p[1] == q && rest.p[2] == q;
	size_t from = three ? 3 : 1, i = from;

	for (; i < rest.n; i++) {
		if (rest.p[i] == '\n' && !three)
			break;
		if (rest.p[i] == '\\' && q == '"' && i + 1 < rest.n) {
			i++;
			t->line += rest.p[i] == '\n';
			continue;
		}
		t->line += rest.p[i] == '\n';
		if (rest.p[i] == q && (!three || (i + 2 < rest.n && rest.p[i + 1] == q && rest.p[i + 2] == q))) {
			gv_str raw = gv_sub(rest, from, i - from);

			t->at += i + (three ? 3 : 1);
			return q == '"' ? without_escapes(t->arena, raw) : raw;
		}
	}
	t->bad = true;
	t->at = t->s.n;
	return GV_NONE;
}

static bool bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* "a", "'a b'", "a.b". */
static gv_str key(struct toml *t)
{
	gv_str all = GV_NONE;

	for (unsigned parts = 0; parts < GV_TOML_DEPTH; parts++) {
		gv_str part;

		blanks(t);
		if (peek(t) == '"' || peek(t) == '\'') {
			part = quoted(t);
		} else {
			size_t from = t->at;

			while (bare(peek(t)))
				t->at++;
			part = gv_sub(t->s, from, t->at - from);
			if (!part.n)
				t->bad = true;
		}
		all = parts ? gv_fmt(t->arena, "%.*s.%.*s", GV_ARG(all), GV_ARG(part)) : part;
		blanks(t);
		if (peek(t) != '.' || t->bad)
			return all;
		t->at++;
	}
	t->bad = true;
	return all;
}

/* ---- Values ---- */

static struct gv_toml *value(struct toml *t, unsigned depth);

static void members(struct toml *t, struct gv_toml *into, unsigned depth)
{
	bool map = into->kind == GV_TOML_MAP;
	struct gv_toml **last = &into->child;

	t->at++;
	for (space(t); !t->bad && !ended(t); space(t)) {
		gv_str k = GV_NONE;

		if (peek(t) == (map ? '}' : ']')) {
			t->at++;
			return;
		}
		if (map) {
			k = key(t);
			if (peek(t) != '=')
				break;
			t->at++;
			space(t);
		}
		*last = value(t, depth + 1);
		(*last)->key = k;
		last = &(*last)->next;
		space(t);
		if (peek(t) == ',')
			t->at++;
		else if (peek(t) != (map ? '}' : ']'))
			break;
	}
	t->bad = true;
}

/* Depth is bounded by GV_TOML_DEPTH, whatever the text holds. */
static struct gv_toml *value(struct toml *t, unsigned depth)
{
	char c = peek(t);
	struct gv_toml *n = node(t, c == '['		    ? GV_TOML_LIST
				    : c == '{'		    ? GV_TOML_MAP
				    : c == '"' || c == '\'' ? GV_TOML_TEXT
							    : GV_TOML_OTHER);

	if (depth >= GV_TOML_DEPTH)
		t->bad = true;
	if (t->bad)
		return n;
	if (n->kind == GV_TOML_TEXT) {
		n->text = quoted(t);
	} else if (n->kind == GV_TOML_OTHER) {
		size_t from = t->at;

		while (!ended(t) && !memchr(",]}#\n\r", peek(t), 6))
			t->at++;
		n->text = gv_trim(gv_sub(t->s, from, t->at - from));
		if (!n->text.n)
			t->bad = true;
	} else {
		members(t, n, depth);
	}
	return n;
}

/* ---- Tables ---- */

static bool header(struct toml *t, struct gv_toml_table *table)
{
	table->line = t->line;
	t->at++;
	table->array = peek(t) == '[';
	t->at += table->array;
	table->path = key(t);
	for (unsigned i = 0; i <= table->array; i++) {
		if (peek(t) != ']')
			return false;
		t->at++;
	}
	return !t->bad;
}

static void body(struct toml *t, struct gv_toml_table *table)
{
	struct gv_toml *first = NULL, **last = &first;

	for (space(t); !t->bad && !ended(t) && peek(t) != '['; space(t)) {
		gv_str k = key(t);

		if (t->bad || peek(t) != '=') {
			t->bad = true;
			break;
		}
		t->at++;
		blanks(t);
		*last = value(t, 0);
		(*last)->key = k;
		last = &(*last)->next;
	}
	table->first = first;
}

int gv_toml_read(gv_str text, void (*table)(void *ctx, const struct gv_toml_table *t), void *ctx, uint32_t *ret_line)
{
	struct toml t = { .arena = gv_arena_new(), .s = text, .line = 1 };
	struct gv_toml_table at = { .line = 1 };
	struct gv_arena_mark mark = gv_arena_mark(t.arena);

	if (gv_starts(text, "\xef\xbb\xbf"))
		t.at = 3;
	for (;;) {
		body(&t, &at);
		table(ctx, &at);
		if (t.bad || ended(&t))
			break;
		gv_arena_reset(t.arena, mark);
		t.nodes = 0;
		at = (struct gv_toml_table){ 0 };
		if (!header(&t, &at)) {
			t.bad = true;
			break;
		}
	}
	gv_arena_free(t.arena);
	*ret_line = t.line;
	return t.bad ? -EINVAL : 0;
}

const struct gv_toml *gv_toml_member(const struct gv_toml *first, const char *key)
{
	for (; first; first = first->next)
		if (gv_is(first->key, key))
			return first;
	return NULL;
}

gv_str gv_toml_text(const struct gv_toml *first, const char *key)
{
	const struct gv_toml *n = gv_toml_member(first, key);

	return n && n->kind <= GV_TOML_OTHER ? n->text : GV_NONE;
}
