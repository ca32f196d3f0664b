/* SPDX-License-Identifier: Apache-2.0 */
/* One line from left to right. */
#include "core/redact_common.h"

void gv_rd_flush(struct gv_rd_scan *sc, size_t upto)
{
	if (upto <= sc->kept)
		return;
	if (sc->out)
		gv_put(sc->out, gv_sub(sc->s, sc->kept, upto - sc->kept));
	sc->kept = upto;
}

/* While learning: what looks like one of our pseudonyms will not be given to something else. */
static void reserve(struct gv_redactor *r, gv_str rest)
{
	static const struct {
		const char *stem;
		uint8_t what;
	} stems[] = {
		{ "host-", GV_SECRET_HOST }, { "domain-", GV_SECRET_DOMAIN }, { "user-", GV_SECRET_USER },
		{ "path-", GV_SECRET_PATH }, { "serial-", GV_SECRET_SERIAL }, { "secret-", GV_SECRET_TOKEN },
	};

	if (!rest.n || !gv_rd_one_of(rest.p[0], "hdups"))
		return;
	for (size_t k = 0; k < sizeof(stems) / sizeof(stems[0]); k++) {
		size_t n = gv_str_of(stems[k].stem).n, end = n;
		uint64_t no;

		if (rest.p[0] != stems[k].stem[0] || !gv_starts(rest, stems[k].stem))
			continue;
		while (end < rest.n && gv_rd_is(rest.p[end], GV_C_DIGIT))
			end++;
		if (gv_to_u64(gv_sub(rest, n, end - n), &no) && no <= GV_SECRETS_MAX) {
			gv_rd_reserve(r, stems[k].what, (uint32_t)no);
			r->doc.again = true;
		}
	}
}

void gv_rd_replace(struct gv_rd_scan *sc, size_t from, size_t to, enum gv_secret what)
{
	gv_str value = gv_sub(sc->s, from, to - from);

	if (from < sc->kept || to <= from)
		return;
	if (sc->out) {
		gv_rd_flush(sc, from);
		if (what != GV_SECRET_UUID || !gv_rd_put_hex32(sc->r, value, sc->out))
			gv_rd_put_name(sc->r, what, value, sc->out);
	} else {
		reserve(sc->r, value);
		reserve(sc->r, gv_after(value, "."));
		if (what == GV_SECRET_UUID)
			gv_rd_put_hex32(sc->r, value, NULL);
		else if (what != GV_SECRET_TOKEN && what != GV_SECRET_PATH)
			gv_rd_learn(sc->r, what, value);
	}
	sc->kept = to;
	sc->i = to;
}

/* Addresses and identifiers of hexadecimal digits; `run` is how many letters and digits stand together here. */
static size_t identifier(struct gv_rd_scan *sc, size_t i, size_t run)
{
	size_t n = 0;

	if (run == 8)
		return gv_rd_uuid(sc, i);
	if (run == 2)
		n = gv_rd_mac(sc, i);
	if (!n && run <= 4)
		n = gv_rd_ipv6(sc, i);
	if (!n && (run == 4 || run == 16 || run == 18))
		n = gv_rd_guid(sc, i);
	if (!n && run <= 3 && gv_rd_is(sc->s.p[i], GV_C_DIGIT))
		n = gv_rd_ipv4(sc, i);
	return n;
}

/* "ip-10-1-2-3": a cloud's host names hold addresses; "enx001122334455": names of interfaces hold MACs */
static size_t telling_name(struct gv_rd_scan *sc, size_t i, size_t end)
{
	gv_str s = sc->s;

	if (gv_starts(gv_from(s, i), "ip-") && gv_rd_is(gv_rd_at(s, i + 3), GV_C_DIGIT)) {
		size_t at = i + 3, parts = 0;

		while (parts < 4 && gv_rd_is(gv_rd_at(s, at), GV_C_DIGIT)) {
			size_t n = 0;

			while (n < 4 && gv_rd_is(gv_rd_at(s, at + n), GV_C_DIGIT))
				n++;
			parts += n < 4;
			at += n;
			if (parts == 4 || gv_rd_at(s, at) != '-')
				break;
			at++;
		}
		if (parts == 4) {
			while (at < s.n && (gv_rd_is(s.p[at], GV_C_ALNUM) ||
					    (gv_rd_one_of(s.p[at], ".-") && gv_rd_is(gv_rd_at(s, at + 1), GV_C_ALPHA))))
				at++;
			gv_rd_replace(sc, i, at, GV_SECRET_HOST);
			return at - i;
		}
	}
	if (end - i == 15 && gv_starts(gv_from(s, i), "enx"))
		return gv_rd_bare_mac(sc, i + 3) ? 15 : 0;
	return 0;
}

/* The word that begins at i and ends before `end`; true where sc->i was moved. */
static bool word(struct gv_rd_scan *sc, size_t i, size_t end)
{
	enum gv_secret what = GV_SECRET_HOST;
	size_t n = 0;
	char c = sc->s.p[i];

	if (!sc->out)
		reserve(sc->r, gv_sub(sc->s, i, 16));
	if (gv_rd_is(c, GV_C_HEX))
		n = identifier(sc, i, end - i);
	if (!n && end - i > 11 && gv_starts(gv_from(sc->s, i), "pod") &&
	    (gv_rd_at(sc->s, end) == '_' || gv_rd_at(sc->s, end) == '-')) {
		n = gv_rd_uuid(sc, i + 3);
		n += n ? 3 : 0;
	}
	if (!n && gv_rd_is(c, GV_C_ALPHA)) {
		n = gv_rd_token(sc, i);
		if (!n)
			n = telling_name(sc, i, end);
	}
	if (!n && sc->has_at)
		n = gv_rd_email(sc, i);
	if (!n && sc->has_at && sc->prog)
		n = gv_rd_login(sc, i);
	if (n) {
		sc->i = i + n;
		return true;
	}
	n = gv_rd_known(sc, i, &what);
	if (n) {
		gv_rd_replace(sc, i, i + n, what);
		sc->i = i + n;
		return true;
	}
	if (gv_rd_is(c, GV_C_ALPHA) && !sc->filename) {
		if (sc->r->phrase[(unsigned char)c] && gv_rd_phrase(sc, i))
			return true;
		gv_rd_program(sc, i, end - i);
	}
	return false;
}

/* How long the escape at the backslash or percent sign is; 0 where there is none. */
static size_t escape(gv_str s, size_t i)
{
	char c = gv_rd_at(s, i + 1);
	size_t want = 0, n = 2, digits = 0;

	if (s.p[i] == '%')
		return gv_rd_is(c, GV_C_HEX) && gv_rd_is(gv_rd_at(s, i + 2), GV_C_HEX) ? 3 : 0;
	if (gv_rd_one_of(c, "nrtbfv0\"'\\/ae"))
		want = 0;
	else if (c == 'u')
		want = 4;
	else if (c == 'x')
		want = 2;
	else
		return 0;
	while (digits < want && gv_rd_is(gv_rd_at(s, i + n), GV_C_HEX)) {
		n++;
		digits++;
	}
	if (digits < want)
		return 0;
	/* "\u001b[31m", "\x1b[0m", "\033[0m": a colour */
	if (gv_rd_at(s, i + n) == '3' && c == '0' && gv_rd_at(s, i + n + 1) == '3')
		n += 2;
	if (gv_rd_at(s, i + n) == '[') {
		size_t k = i + n + 1;

		while (k < s.n && k < i + n + 12 && (gv_rd_is(s.p[k], GV_C_DIGIT) || s.p[k] == ';'))
			k++;
		if (gv_rd_at(s, k) == 'm' || gv_rd_at(s, k) == 'K')
			return k + 1 - i;
	}
	return n;
}

/* "gpu07 mlx5_0" in quotes, as InfiniBand tools print who is at the other end */
static bool node_description(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s;
	size_t to = i + 1;
	gv_str rest;

	while (to < s.n && to - i < GV_RD_NAME && (gv_rd_is(s.p[to], GV_C_ALNUM) || gv_rd_one_of(s.p[to], "-_.")))
		to++;
	rest = gv_from(s, to);
	if (to == i + 1 ||
	    !(gv_starts(rest, " mlx") || gv_starts(rest, " HCA-") || gv_starts(rest, " hfi1") ||
	      gv_starts(rest, " ibp")) ||
	    !gv_rd_host_ok(sc->r, gv_sub(s, i + 1, to - i - 1)))
		return false;
	gv_rd_replace(sc, i + 1, to, GV_SECRET_HOST);
	return true;
}

/* "alice(uid=1000)" */
static void before_uid(struct gv_rd_scan *sc, size_t i)
{
	size_t from = i;

	while (from && i - from < 64 &&
	       (gv_rd_is(sc->s.p[from - 1], GV_C_ALNUM) || gv_rd_one_of(sc->s.p[from - 1], "-_.")))
		from--;
	if (from < i && gv_rd_user_ok(sc->r, gv_sub(sc->s, from, i - from)))
		gv_rd_replace(sc, from, i, GV_SECRET_USER);
}

/* \\server\share */
static bool unc(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s;
	size_t to = i + 2;

	if (gv_rd_at(s, i + 1) != '\\' || (i && !gv_rd_is(s.p[i - 1], GV_C_BLANK)))
		return false;
	while (to < s.n && (gv_rd_is(s.p[to], GV_C_ALNUM) || gv_rd_one_of(s.p[to], "-_.")))
		to++;
	if (gv_rd_at(s, to) != '\\' || !gv_rd_host_ok(sc->r, gv_sub(s, i + 2, to - i - 2)))
		return false;
	gv_rd_replace(sc, i + 2, to, GV_SECRET_HOST);
	return true;
}

/* "[gpu07]:29500" */
static bool bracketed(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, name;
	size_t to = i + 1;

	while (to < s.n && to - i < GV_RD_NAME && gv_rd_is(s.p[to], GV_C_ALNUM | GV_C_JOINT))
		to++;
	if (to == i + 1 || !gv_starts(gv_from(s, to), "]:") || !gv_rd_is(gv_rd_at(s, to + 2), GV_C_DIGIT))
		return false;
	name = gv_sub(s, i + 1, to - i - 1);
	if (!gv_rd_telling(sc->r, name) || !gv_rd_host_ok(sc->r, name))
		return false;
	gv_rd_replace(sc, i + 1, to, GV_SECRET_HOST);
	return true;
}

/* "$6$salt$hash": a password as crypt() keeps it */
static bool crypt_hash(struct gv_rd_scan *sc, size_t i)
{
	static const char *const kinds[] = { "$1$",  "$5$",  "$6$",  "$y$",	"$gy$",	 "$7$",
					     "$2a$", "$2b$", "$2y$", "$argon2", "$apr1$" };
	gv_str rest = gv_from(sc->s, i);
	size_t n = 0;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && !n; k++)
		n = gv_starts(rest, kinds[k]) ? gv_str_of(kinds[k]).n : 0;
	if (!n)
		return false;
	for (n = 0; n < rest.n && (gv_rd_is(rest.p[n], GV_C_ALNUM) || gv_rd_one_of(rest.p[n], "$./+=,-")); n++)
		;
	if (n < 20)
		return false;
	gv_rd_replace(sc, i, i + n, GV_SECRET_TOKEN);
	return true;
}

static bool backslash(struct gv_rd_scan *sc, size_t i)
{
	size_t n = escape(sc->s, i);
	enum gv_secret what = GV_SECRET_USER;

	if (sc->s.p[i] == '\\' && unc(sc, i))
		return true;
	if (gv_rd_home(sc, i))
		return true;
	/* a name may begin with the letter of an escape: "CORP\nina" */
	if (sc->s.p[i] == '\\' && n == 2 && gv_rd_is(gv_rd_at(sc->s, i + 1), GV_C_ALPHA)) {
		size_t known = gv_rd_known(sc, i + 1, &what);

		if (known) {
			gv_rd_replace(sc, i + 1, i + 1 + known, what);
			return true;
		}
	}
	sc->i = n ? i + n : i + 1;
	return true;
}

static bool mark(struct gv_rd_scan *sc, size_t i)
{
	switch (sc->s.p[i]) {
	case '=':
		return gv_rd_separator(sc, i);
	case ':':
		if (gv_rd_at(sc->s, i + 1) == '/' && gv_rd_url(sc, i))
			return true;
		if (gv_rd_at(sc->s, i + 1) == ':') {
			size_t n = gv_rd_ipv6(sc, i);

			sc->i = n ? i + n : i + 2;
			return true;
		}
		return gv_rd_separator(sc, i);
	case '/':
		return gv_rd_home(sc, i) || (gv_rd_at(sc->s, i + 1) == '/' && gv_rd_url(sc, i));
	case '~':
		return gv_rd_home(sc, i);
	case '\\':
	case '%':
		return backslash(sc, i);
	case '-':
		if (i && !gv_rd_is(sc->s.p[i - 1], GV_C_BLANK) && !gv_rd_one_of(sc->s.p[i - 1], "\"'[,"))
			return false;
		if (gv_rd_at(sc->s, i + 1) == '-')
			return gv_rd_option(sc, i);
		return sc->prog && gv_rd_short_option(sc, i);
	case '"':
		return node_description(sc, i);
	case '[':
		return bracketed(sc, i);
	case '$':
		return crypt_hash(sc, i);
	case '(':
		if (gv_starts(gv_sub(sc->s, i, 5), "(uid="))
			before_uid(sc, i);
		return false;
	case '|':
	case ';':
		sc->prog = 0;
		return false;
	default:
		return false;
	}
}

void gv_rd_scan(struct gv_rd_scan *sc)
{
	gv_str s = sc->s;

	while (sc->i < s.n) {
		size_t i = sc->i, end;

		while (sc->at_span < sc->nspans && sc->span[sc->at_span].from < i)
			sc->at_span++;
		if (sc->at_span < sc->nspans && sc->span[sc->at_span].from == i) {
			struct gv_rd_span *v = &sc->span[sc->at_span++];

			gv_rd_replace(sc, v->from, v->to, v->what);
			continue;
		}
		if (gv_rd_is(s.p[i], GV_C_ALNUM)) {
			for (end = i + 1; end < s.n && gv_rd_is(s.p[end], GV_C_ALNUM); end++)
				;
			if (!word(sc, i, end))
				sc->i = end;
			if (sc->i <= i)
				sc->i = end;
			continue;
		}
		if (!mark(sc, i) || sc->i <= i)
			sc->i = i + 1;
	}
	gv_rd_flush(sc, s.n);
}
