/* SPDX-License-Identifier: Apache-2.0 */
/* "key = value" in its many forms: which keys name a secret, a user, a host or a serial number, and how far the value
 * goes. */
#include "core/redact_common.h"

#define KEY_MAX 64
#define KEY_WORDS 12

/* Before "key": what makes it one that opens something. */
/* Last words that say that the value is about a secret, not one. */

static bool word_char(char c)
{
	return gv_rd_is(c, GV_C_ALNUM);
}

/* The words of a name: parted by what is no letter or digit, and where a small letter meets a capital. Lower case, in
 * buf. */
static size_t key_words(gv_str key, char *buf, gv_str *ret)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i <= key.n; i++) {
		bool end = i == key.n || !word_char(key.p[i]);
		bool hump = !end && i > from && key.p[i] >= 'A' && key.p[i] <= 'Z' && key.p[i - 1] >= 'a' &&
			    key.p[i - 1] <= 'z';

		if ((end || hump) && i > from && n < KEY_WORDS)
			ret[n++] = (gv_str){ buf + from, i - from };
		if (end)
			from = i + 1;
		else if (hump)
			from = i;
		if (i < key.n)
			buf[i] = gv_rd_lower(key.p[i]);
	}
	return n;
}

static enum gv_rd_key secret_key(const struct gv_redactor *r, const gv_str *w, size_t n)
{
	gv_str last = w[n - 1];
	bool strong = false;

	for (size_t i = 0; i < n; i++) {
		strong |= gv_rd_in(r, w[i], GV_L_STRONG);
		if (i && gv_is(w[i], "key") && gv_rd_in(r, w[i - 1], GV_L_KEY_KIND))
			strong |= i + 1 == n || gv_is(last, "id") || gv_is(last, "data") || gv_is(last, "base64");
	}
	if (gv_is(last, "data") && n > 1 &&
	    (gv_is(w[n - 2], "key") || gv_is(w[n - 2], "authority") || gv_is(w[n - 2], "certificate")))
		return GV_KEY_SECRET;
	if (gv_rd_in(r, last, GV_L_ABOUT) && !(n == 1 && strong))
		return GV_KEY_NONE;
	if (strong)
		return GV_KEY_SECRET;
	if (n == 1 && gv_is(last, "pwd"))
		return GV_KEY_NONE;
	return gv_rd_in(r, last, GV_L_WEAK) ? GV_KEY_WEAK : GV_KEY_NONE;
}

static enum gv_rd_key classify(const struct gv_redactor *r, gv_str key)
{
	static const struct {
		uint32_t list;
		enum gv_rd_key key;
	} by_list[] = {
		{ GV_L_K_HEADER, GV_KEY_HEADER },	{ GV_L_K_USER, GV_KEY_USER },	  { GV_L_K_HOST, GV_KEY_HOST },
		{ GV_L_K_HOST_WEAK, GV_KEY_HOST_WEAK }, { GV_L_K_SERIAL, GV_KEY_SERIAL }, { GV_L_K_UUID, GV_KEY_UUID },
	};
	char buf[KEY_MAX], squeezed[KEY_MAX];
	uint32_t lists;
	gv_str w[KEY_WORDS], k;
	size_t n, m = 0;
	bool letter = false;

	if (key.n < 2 || key.n > KEY_MAX)
		return GV_KEY_NONE;
	for (size_t i = 0; i < key.n; i++) {
		letter |= gv_rd_is(key.p[i], GV_C_ALPHA);
		if (word_char(key.p[i]))
			squeezed[m++] = gv_rd_lower(key.p[i]);
	}
	k = (gv_str){ squeezed, m };
	if (!letter || !m)
		return GV_KEY_NONE;
	lists = gv_rd_lists_of(r, k);
	for (size_t i = 0; i < sizeof(by_list) / sizeof(by_list[0]); i++)
		if (lists & by_list[i].list)
			return by_list[i].key;
	if (gv_is(k, "name") || gv_is(k, "key"))
		return GV_KEY_NAME;
	if (gv_is(k, "value"))
		return GV_KEY_VALUE;
	n = key_words(key, buf, w);
	return n ? secret_key(r, w, n) : GV_KEY_NONE;
}

enum gv_rd_key gv_rd_key_of(struct gv_redactor *r, gv_str key)
{
	struct gv_rd_key_seen *s;
	size_t h = key.n;

	if (key.n < 2 || key.n > sizeof(s->key))
		return classify(r, key);
	for (size_t i = 0; i < key.n; i++)
		h = h * 31 + (unsigned char)key.p[i];
	s = &r->seen[(h ^ h >> 8) & 255];
	if (s->n != key.n || memcmp(s->key, key.p, key.n)) {
		s->is = (uint8_t)classify(r, key);
		s->n = (uint8_t)key.n;
		memcpy(s->key, key.p, key.n);
	}
	return s->is;
}

/* The key that ends before a separator at i, without its quotes; *ret_before is what stands before it (0 at the start
 * of the line). */
static gv_str key_before(gv_str s, size_t i, char *ret_before, bool *ret_blanks)
{
	size_t end = i, floor = i > 200 ? i - 200 : 0, from;
	char quote = '\0';

	while (end > floor && (s.p[end - 1] == ' ' || s.p[end - 1] == '\t'))
		end--;
	*ret_blanks = end < i;
	if (end > floor && (s.p[end - 1] == '"' || s.p[end - 1] == '\'')) {
		quote = s.p[--end];
		if (end > floor && s.p[end - 1] == '\\')
			end--;
	}
	floor = end > KEY_MAX ? end - KEY_MAX : 0;
	from = end;
	while (from > floor && (gv_rd_is(s.p[from - 1], GV_C_ALNUM | GV_C_JOINT) || s.p[from - 1] == '/'))
		from--;
	while (from < end && !word_char(s.p[from]) && s.p[from] != '_')
		from++;
	*ret_before = from ? s.p[from - 1] : '\0';
	if (*ret_before == '\\' && gv_starts(gv_sub(s, from, end - from), "u0026")) { /* JSON's '&' */
		from += 5;
		*ret_before = '&';
	} else if (*ret_before == ';' && from > 4 && gv_ends(gv_sub(s, 0, from), "&amp;")) {
		*ret_before = '&';
	}
	if (!from)
		*ret_before = '\n';
	(void)quote;
	return gv_sub(s, from, end - from);
}

/* "Serial Number", "Machine ID", "Node GUID": the key with one or two words before it. */
static enum gv_rd_key phrase_key(struct gv_redactor *r, gv_str s, gv_str key)
{
	size_t end = (size_t)(key.p - s.p) + key.n, from = (size_t)(key.p - s.p);

	for (unsigned more = 0; more < 2; more++) {
		enum gv_rd_key k;
		size_t at = from;

		if (!at || s.p[at - 1] != ' ')
			return GV_KEY_NONE;
		at--;
		while (at && word_char(s.p[at - 1]) && end - at < KEY_MAX)
			at--;
		if (at + 1 >= from)
			return GV_KEY_NONE;
		from = at;
		k = gv_rd_key_of(r, gv_sub(s, from, end - from));
		if (k == GV_KEY_SERIAL || k == GV_KEY_UUID || k == GV_KEY_HOST || k == GV_KEY_SECRET ||
		    k == GV_KEY_USER)
			return k;
	}
	return GV_KEY_NONE;
}

bool gv_rd_placeholder(const struct gv_redactor *r, gv_str v)
{
	bool letters = false;

	if (!v.n || gv_rd_in(r, v, GV_L_PLACEHOLDER) || gv_rd_pseudonym(GV_SECRET_TOKEN, v))
		return true;
	if (v.p[0] == '$' && v.n > 1 &&
	    (v.p[1] == '{' || v.p[1] == '(' || gv_rd_is(v.p[1], GV_C_ALPHA) || v.p[1] == '_'))
		return true;
	if ((v.p[0] == '<' && v.p[v.n - 1] == '>') || (v.p[0] == '%' && v.n == 2) ||
	    (v.p[0] == '[' && v.p[v.n - 1] == ']') || gv_is(v, "<set"))
		return true;
	for (size_t i = 0; i < v.n; i++)
		letters |= v.p[i] != '*' && v.p[i] != 'x' && v.p[i] != 'X' && v.p[i] != '.';
	return !letters; /* "****" */
}

/* Random enough to be a token: not a word, a number, a path. */
static bool looks_secret(gv_str v)
{
	size_t digits = 0, upper = 0, lower = 0, other = 0;

	if (v.n < 8 || v.p[0] == '/' || v.p[0] == '.' || gv_starts(v, "0x"))
		return false;
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];

		if (gv_rd_is(c, GV_C_BLANK))
			return false;
		digits += gv_rd_is(c, GV_C_DIGIT);
		upper += c >= 'A' && c <= 'Z';
		lower += c >= 'a' && c <= 'z';
		other += !gv_rd_is(c, GV_C_ALNUM);
	}
	if (digits + other == v.n) /* numbers, times, sizes */
		return digits >= 16 && !other;
	return (digits && upper + lower >= 2) || (upper && lower && v.n >= 16) || v.n >= 20;
}

static bool number(gv_str v)
{
	double d;
	gv_str rest;

	return gv_lead_num(v, &d, &rest) && rest.n <= 3 && v.n <= 9;
}

/* "/etc/ssl/private/x.key": where a secret is kept. Random text has long parts of all sorts of characters. */
static bool path_like(gv_str v)
{
	size_t run = 0;

	if (v.n < 2 || v.p[0] != '/' || !gv_rd_is(v.p[1], GV_C_ALPHA))
		return false;
	for (size_t i = 0; i < v.n; i++) {
		run = v.p[i] == '/' || v.p[i] == '.' || v.p[i] == '-' || v.p[i] == '_' ? 0 : run + 1;
		if (run > 16 || (!gv_rd_is(v.p[i], GV_C_ALNUM) && !gv_rd_one_of(v.p[i], "/._-")))
			return false;
	}
	return true;
}

/* A value: where it begins and ends, and what quotes it. */
struct value {
	size_t from, to;
	bool quoted;
};

static size_t closing(gv_str s, size_t i, char quote, bool escaped)
{
	size_t end = s.n - i > GV_RD_VALUE ? i + GV_RD_VALUE : s.n;

	for (; i < end; i++) {
		size_t slashes = 0;

		while (i + slashes < end && s.p[i + slashes] == '\\')
			slashes++;
		if (slashes) {
			/* inside a text that is quoted itself, one more backslash stands before what the value escapes
			 */
			if (escaped && slashes == 1 && i + 1 < end && s.p[i + 1] == quote)
				return i;
			i += escaped || slashes % 2 ? slashes : slashes - 1;
			continue;
		}
		if (s.p[i] == quote)
			return i;
	}
	return end;
}

static bool in_query(char before)
{
	return before == '?' || before == '&';
}

/* Whether the key stands in a shell-like line as the first thing: "NAME=value", "export NAME=value". */
static bool line_is_assignment(gv_str s, gv_str key)
{
	gv_str front = gv_trim(gv_sub(s, 0, (size_t)(key.p - s.p)));

	return !front.n || gv_is(front, "export") || gv_is(front, "setenv") || gv_is(front, "set") ||
	       gv_is(front, "env") || gv_is(front, "declare -x");
}

bool gv_rd_is_assignment(gv_str line)
{
	size_t i = 0;

	while (i < line.n && (word_char(line.p[i]) || line.p[i] == '_'))
		i++;
	return i && i < line.n && line.p[i] == '=' && !gv_rd_is(line.p[0], GV_C_DIGIT);
}

static bool unquoted_end(char c, char sep, char before)
{
	if (gv_rd_is(c, GV_C_BLANK) || c == '"' || c == '\'' || c == '`')
		return true;
	if (in_query(before))
		return c == '&' || c == '#' || c == '<' || c == '>' || c == '\\' || c == ')' || c == ']';
	if (before == ',' || before == '(' || before == '{' || before == '[' || before == ';' || before == '"')
		return c == ',' || c == ')' || c == '}' || c == ']' || c == ';';
	return sep == ':' && (c == ',' || c == '}');
}

/* The value behind the separator at i. */
static struct value value_of(const struct gv_rd_scan *sc, gv_str key, size_t i, char before)
{
	gv_str s = sc->s;
	struct value v = { i + 1, i + 1, false };
	char sep = s.p[i], c;

	while (v.from < s.n && (s.p[v.from] == ' ' || s.p[v.from] == '\t' || (sep == ':' && s.p[v.from] == '=')))
		v.from++;
	c = gv_rd_at(s, v.from);
	if (c == '"' || c == '\'' || c == '`') {
		v.quoted = true;
		v.to = closing(s, ++v.from, c, false);
		return v;
	}
	if (c == '\\' && (gv_rd_at(s, v.from + 1) == '"' || gv_rd_at(s, v.from + 1) == '\'')) {
		v.quoted = true;
		v.from += 2;
		v.to = closing(s, v.from, s.p[v.from - 1], true);
		return v;
	}
	if ((before == '"' || before == '\'') && sep == '=') { /* "NAME=value" as a whole in quotes */
		size_t k = (size_t)(key.p - s.p);

		v.quoted = true;
		v.to = closing(s, v.from, before, k > 1 && s.p[k - 2] == '\\');
		return v;
	}
	v.to = v.from;
	if (sc->r->doc.nul) {
		while (v.to < s.n && s.p[v.to])
			v.to++;
		return v;
	}
	if (sep == '=' && line_is_assignment(s, key) && v.from == i + 1 &&
	    (sc->r->doc.assigns || gv_rd_is_assignment(sc->next_line))) { /* a line of `env` */
		v.to = s.n;
		while (v.to > v.from && gv_rd_is(s.p[v.to - 1], GV_C_BLANK))
			v.to--;
		return v;
	}
	while (v.to < s.n && !unquoted_end(s.p[v.to], sep, before))
		v.to++;
	return v;
}

/* The rest of the line where the key is the first thing in it: a YAML or INI value of several words. */
static size_t to_line_end(gv_str s, gv_str key, struct value v)
{
	gv_str front = gv_trim(gv_sub(s, 0, (size_t)(key.p - s.p)));
	size_t end = s.n;

	if (front.n && !gv_is(front, "-") && !gv_is(front, "- \"") && !gv_is(front, "\""))
		return v.to;
	while (end > v.to && gv_rd_is(s.p[end - 1], GV_C_BLANK))
		end--;
	return end;
}

static bool all_caps(gv_str key)
{
	bool letter = false;

	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] >= 'a' && key.p[i] <= 'z')
			return false;
		letter |= gv_rd_is(key.p[i], GV_C_ALPHA);
	}
	return letter;
}

/* A value without blanks around, and without what cannot belong to a name. */
static struct value name_in(gv_str s, struct value v)
{
	while (v.from < v.to && (gv_rd_is(s.p[v.from], GV_C_BLANK) || s.p[v.from] == '<'))
		v.from++;
	for (size_t i = v.from; i < v.to; i++) {
		char c = s.p[i];

		if (c == '[')
			i = closing(s, i, ']', false);
		else if (!gv_rd_is(c, GV_C_ALNUM) && !gv_rd_one_of(c, "-._") && !(c & 0x80)) {
			v.to = i;
			break;
		}
		if (i >= v.to)
			break;
	}
	while (v.to > v.from && s.p[v.to - 1] == '.')
		v.to--;
	return v;
}

static bool source_file(gv_str v)
{
	return gv_ends(v, ".py") || gv_ends(v, ".cc") || gv_ends(v, ".cpp") || gv_ends(v, ".c") || gv_ends(v, ".h") ||
	       gv_ends(v, ".cu") || gv_ends(v, ".go") || gv_ends(v, ".rs") || gv_ends(v, ".so") || gv_ends(v, ".log") ||
	       gv_ends(v, ".json") || gv_ends(v, ".yaml") || gv_ends(v, ".txt") || gv_ends(v, ".pt");
}

/* weak: the key may mean something else. loose: as often as not; then a port must follow. */
static bool host_value(struct gv_rd_scan *sc, struct value v, bool weak, bool loose)
{
	gv_str s;

	v = name_in(sc->s, v);
	s = gv_sub(sc->s, v.from, v.to - v.from);
	if (!gv_rd_host_ok(sc->r, s) || source_file(s) || (weak && !gv_rd_telling(sc->r, s)))
		return false;
	if (loose && !(gv_rd_at(sc->s, v.to) == ':' && gv_rd_is(gv_rd_at(sc->s, v.to + 1), GV_C_DIGIT)))
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_HOST);
	return true;
}

static bool user_value(struct gv_rd_scan *sc, struct value v)
{
	gv_str s;
	size_t end = v.to;

	v = name_in(sc->s, v);
	s = gv_sub(sc->s, v.from, v.to - v.from);
	if (v.to < end && sc->s.p[v.to] == '@') /* an e-mail address: found as such */
		return false;
	if (!gv_rd_user_ok(sc->r, s) || source_file(s))
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_USER);
	return true;
}

static bool serial_value(struct gv_rd_scan *sc, struct value v)
{
	bool digit = false;
	gv_str s;

	while (v.to > v.from && gv_rd_is(sc->s.p[v.to - 1], GV_C_BLANK))
		v.to--;
	s = gv_sub(sc->s, v.from, v.to - v.from);
	for (size_t i = 0; i < s.n; i++)
		digit |= gv_rd_is(s.p[i], GV_C_DIGIT);
	/* "N/A", "Unknown", "Not Specified", "0" */
	if (!digit || s.n < 4 || s.p[0] == '[' || gv_rd_pseudonym(GV_SECRET_SERIAL, s) || gv_has(s, " ") ||
	    gv_find_c(s, ':') >= 0 || gv_find_c(s, '/') >= 0)
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_SERIAL);
	return true;
}

static bool uuid_value(struct gv_rd_scan *sc, struct value v)
{
	gv_str s = gv_trim(gv_sub(sc->s, v.from, v.to - v.from));
	size_t from = (size_t)(s.p - sc->s.p);

	if (s.n != 32)
		return false;
	gv_rd_flush(sc, from);
	if (!gv_rd_put_hex32(sc->r, s, sc->out))
		return false;
	sc->kept = sc->i = from + s.n;
	return true;
}

/* Follows "Bearer ", "Basic " and their kin; a cookie goes to the end of its line. */
static bool header_value(struct gv_rd_scan *sc, gv_str key, struct value v)
{
	gv_str rest = gv_from(sc->s, v.from), w = GV_NONE;
	bool cookie = gv_has_nocase(key, "cookie");

	gv_word(&rest, &w);
	if (!v.quoted && (cookie || gv_rd_in(sc->r, w, GV_L_SCHEME))) {
		char quote = '\0';

		for (size_t k = 0; k < (size_t)(key.p - sc->s.p); k++) /* -H 'Authorization: ...' */
			if (sc->s.p[k] == '\'' || sc->s.p[k] == '"')
				quote = quote == sc->s.p[k] ? '\0' : quote ? quote : sc->s.p[k];
		v.to = quote ? closing(sc->s, v.from, quote, false) : sc->s.n;
	}
	if (!cookie && gv_rd_in(sc->r, w, GV_L_SCHEME)) {
		v.from = (size_t)(w.p - sc->s.p) + w.n;
		while (v.from < v.to && gv_rd_is(sc->s.p[v.from], GV_C_BLANK))
			v.from++;
	}
	while (v.to > v.from && gv_rd_is(sc->s.p[v.to - 1], GV_C_BLANK))
		v.to--;
	if (gv_rd_placeholder(sc->r, gv_sub(sc->s, v.from, v.to - v.from)))
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_TOKEN);
	return true;
}

/* Several words after "password: " are prose unless the key begins the line. */
static bool secret_value(struct gv_rd_scan *sc, gv_str key, size_t i, struct value v, bool weak, char before)
{
	bool caps = all_caps(key) && sc->s.p[i] == '=';
	gv_str s;

	if (sc->s.p[i] == ':' && !v.quoted && !in_query(before))
		v.to = to_line_end(sc->s, key, v);
	if (!v.quoted && sc->s.p[i] == ':' && v.to > v.from && sc->s.p[v.to - 1] == ',')
		v.to--;
	s = gv_sub(sc->s, v.from, v.to - v.from);
	if (gv_rd_placeholder(sc->r, s) || path_like(s))
		return false;
	if (weak && !caps && !in_query(before) && !looks_secret(s))
		return false;
	if (weak && caps && (number(s) || s.p[0] == '/'))
		return false;
	if (!weak && sc->s.p[i] == ':' && !v.quoted && gv_has(s, " ") && !looks_secret(s) && s.n > 64)
		return false;
	if (!weak && sc->s.p[i] == ':' && !v.quoted && v.to < sc->s.n && !looks_secret(s))
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_TOKEN);
	return true;
}

/* "|", ">-": the value is on the lines that follow. */
static bool block_mark(gv_str s)
{
	return s.n && s.n <= 2 && (s.p[0] == '|' || s.p[0] == '>') && (s.n == 1 || s.p[1] == '-' || s.p[1] == '+');
}

static bool act(struct gv_rd_scan *sc, enum gv_rd_key k, gv_str key, size_t i, char before)
{
	struct value v = value_of(sc, key, i, before);
	gv_str s = gv_sub(sc->s, v.from, v.to - v.from);

	if (v.from >= sc->s.n || v.to <= v.from || v.from < sc->kept)
		return false;
	if (block_mark(s)) {
		if (k == GV_KEY_SECRET || k == GV_KEY_WEAK || (k == GV_KEY_VALUE && sc->r->doc.pending))
			sc->r->doc.block = (ptrdiff_t)gv_indent(sc->s);
		return false;
	}
	if (k != GV_KEY_NAME && gv_rd_placeholder(sc->r, s))
		return false;
	switch (k) {
	case GV_KEY_SECRET:
	case GV_KEY_WEAK:
		return secret_value(sc, key, i, v, k == GV_KEY_WEAK, before);
	case GV_KEY_HEADER:
		return header_value(sc, key, v);
	case GV_KEY_USER:
		return user_value(sc, v);
	case GV_KEY_HOST:
	case GV_KEY_HOST_WEAK:
		return host_value(sc, v, k == GV_KEY_HOST_WEAK, gv_rd_in(sc->r, key, GV_L_LOOSE_HOST_KEY));
	case GV_KEY_SERIAL:
		return serial_value(sc, v);
	case GV_KEY_UUID:
		return uuid_value(sc, v);
	case GV_KEY_NAME: {
		enum gv_rd_key named = gv_rd_key_of(sc->r, gv_trim(s));

		sc->r->doc.pending = named == GV_KEY_SECRET || named == GV_KEY_WEAK || named == GV_KEY_HEADER ? 3 : 0;
		return false;
	}
	case GV_KEY_VALUE:
		if (!sc->r->doc.pending)
			return false;
		sc->r->doc.pending = 0;
		return secret_value(sc, GV_STR("SECRET"), i, v, false, '"');
	default:
		return false;
	}
}

bool gv_rd_separator(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, key;
	enum gv_rd_key k;
	bool blanks;
	char before;

	if (i + 1 >= s.n || !i || (s.p[i] == ':' && s.p[i + 1] == '/' && gv_rd_at(s, i + 2) == '/'))
		return false;
	if (s.p[i] == '=' && (s.p[i + 1] == '=' || gv_rd_one_of(s.p[i - 1], "=!<>")))
		return false;
	key = key_before(s, i, &before, &blanks);
	if (!key.n || (s.p[i] == ':' && gv_rd_is(key.p[key.n - 1], GV_C_DIGIT) && gv_rd_is(s.p[i + 1], GV_C_DIGIT)))
		return false;
	if (gv_rd_pseudonym(GV_SECRET_TOKEN, key)) /* "secret-3:" is no name of a secret */
		return false;
	k = gv_rd_key_of(sc->r, key);
	if (s.p[i] == ':' && before == ' ' && k != GV_KEY_SECRET && k != GV_KEY_HEADER) {
		enum gv_rd_key more = phrase_key(sc->r, s, key);

		k = more ? more : k;
	}
	/* "host:5432", "key:value" without a blank: names of hosts and users only where a quote or '=' makes it a value
	 */
	if (s.p[i] == ':' && (k == GV_KEY_USER || k == GV_KEY_HOST_WEAK) && s.p[i + 1] != ' ' && s.p[i + 1] != '"' &&
	    s.p[i + 1] != '\t')
		return false;
	if (sc->secret_data && s.p[i] == ':' && k != GV_KEY_NAME)
		k = GV_KEY_SECRET;
	return k != GV_KEY_NONE && act(sc, k, key, i, before);
}

/* "--password x", "--host x" (also with NUL between): i is at the first dash. */
bool gv_rd_option(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, name;
	size_t from = i + 2, to = from;
	enum gv_rd_key k;
	struct value v;
	bool opens;

	while (to < s.n && to - from < KEY_MAX && (word_char(s.p[to]) || s.p[to] == '-' || s.p[to] == '_'))
		to++;
	if (to == from || to + 1 >= s.n || !(s.p[to] == ' ' || s.p[to] == '\0'))
		return false;
	name = gv_sub(s, from, to - from);
	k = gv_rd_key_of(sc->r, name);
	if (k == GV_KEY_NONE || k == GV_KEY_NAME || k == GV_KEY_VALUE)
		return false;
	v = (struct value){ to + 1, to + 1, false };
	if (s.p[v.from] == '-')
		return false;
	if (s.p[v.from] == '"' || s.p[v.from] == '\'') {
		v.from++;
		v.to = closing(s, v.from, s.p[v.from - 1], false);
		v.quoted = true;
	} else {
		while (v.to < s.n && !(gv_rd_is(s.p[v.to], GV_C_BLANK) || s.p[v.to] == '"' || s.p[v.to] == '\''))
			v.to++;
	}
	if (v.to <= v.from)
		return false;
	if (k == GV_KEY_USER && gv_is(name, "user")) {
		/* "--user name:password"; of systemctl and pip it is a switch without a value */
		size_t colon = gv_before(gv_sub(s, v.from, v.to - v.from), ":").n + v.from;

		if (colon >= v.to)
			return false;
		user_value(sc, (struct value){ v.from, colon, v.quoted });
		if (colon + 1 < v.to && !gv_rd_placeholder(sc->r, gv_sub(s, colon + 1, v.to - colon - 1)))
			gv_rd_replace(sc, colon + 1, v.to, GV_SECRET_TOKEN);
		return true;
	}
	if (k == GV_KEY_USER)
		return user_value(sc, v);
	if (k == GV_KEY_HOST || k == GV_KEY_HOST_WEAK)
		return host_value(sc, v, k == GV_KEY_HOST_WEAK, false);
	if (k == GV_KEY_SERIAL || k == GV_KEY_UUID)
		return false;
	opens = gv_ends(name, "token") || gv_ends(name, "pass") || gv_ends(name, "pwd") || gv_ends(name, "cookie");
	name = gv_sub(s, v.from, v.to - v.from);
	if (gv_rd_placeholder(sc->r, name) || path_like(name) ||
	    (k == GV_KEY_WEAK && !looks_secret(name) && (!opens || number(name))))
		return false;
	gv_rd_replace(sc, v.from, v.to, GV_SECRET_TOKEN);
	return true;
}
