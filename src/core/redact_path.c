/* SPDX-License-Identifier: Apache-2.0 */
/* Home folders. The user's name becomes that user's pseudonym; below it each name becomes one of its own, but for names
 * that many homes have (.cache, miniconda3, site-packages and all below it). Endings that say what a file is stay. */
#include "core/redact_common.h"

enum { SLASH = '/' };

/* "/", JSON's "\/", a URL's "%2F": its length at i, 0 where there is none */
static size_t slash(gv_str s, size_t i)
{
	if (gv_rd_at(s, i) == SLASH)
		return 1;
	if (gv_rd_at(s, i) == '\\' && gv_rd_at(s, i + 1) == SLASH)
		return 2;
	return gv_rd_at(s, i) == '%' && gv_rd_at(s, i + 1) == '2' && gv_rd_lower(gv_rd_at(s, i + 2)) == 'f' ? 3 : 0;
}

static bool ends_path(char c)
{
	return gv_rd_is(c, GV_C_BLANK) || gv_rd_one_of(c, "\"'`,;:()[]{}<>|&?#=*$!");
}

/* The end of a name in a path. Inside quotes blanks belong to it. */
static size_t name_end(gv_str s, size_t i, char quote)
{
	for (; i < s.n; i++) {
		char c = s.p[i];

		if (slash(s, i) || c == '"' || c == '\n')
			break;
		if (c == '\\' && gv_rd_at(s, i + 1) == ' ') {
			i++;
			continue;
		}
		if (c == '\\')
			break;
		if (ends_path(c) && !(quote && c != quote && gv_rd_one_of(c, " \t'`()[]{}&#!$")))
			break;
	}
	return i;
}

/* The quote that a path stands in, where it is closed within reach. */
static char quote_around(gv_str s, size_t i)
{
	char q = i ? s.p[i - 1] : '\0';
	gv_str rest = gv_sub(s, i, 1024);

	if ((q != '"' && q != '\'' && q != '`') || !rest.n)
		return '\0';
	return memchr(rest.p, q, rest.n) ? q : '\0';
}

/* Prints "3.10", "python3.11", "cuda-12.2", "v1", "12". */
static bool version_name(gv_str s)
{
	size_t letters = 0, digits = 0;

	if (gv_starts(s, "python3.") || gv_starts(s, "cuda-") || gv_starts(s, "rocm-") || gv_starts(s, "py3"))
		return s.n < 14;
	for (size_t i = 0; i < s.n; i++) {
		letters += gv_rd_is(s.p[i], GV_C_ALPHA);
		digits += gv_rd_is(s.p[i], GV_C_DIGIT);
		if (!gv_rd_is(s.p[i], GV_C_ALNUM) && s.p[i] != '.' && s.p[i] != '_' && s.p[i] != '-')
			return false;
	}
	return digits && !letters && s.n <= 8;
}

/* Where the ending begins: ".pt", ".tar.gz", ".so.12.4"; the length of s where there is none. */
static size_t ending(const struct gv_redactor *r, gv_str s)
{
	ptrdiff_t so = gv_find(s, ".so."), dot = gv_rfind(s, ".");
	gv_str front;

	if (so > 0 && version_name(gv_from(s, (size_t)so + 4)))
		return (size_t)so;
	if (dot < 1 || !gv_rd_in(r, gv_from(s, (size_t)dot + 1), GV_L_ENDING))
		return s.n;
	front = gv_sub(s, 0, (size_t)dot);
	if (gv_ends(front, ".tar") && front.n > 4)
		return front.n - 4;
	return front.n;
}

static bool pseudo_name(const struct gv_redactor *r, gv_str s)
{
	return gv_rd_pseudonym(GV_SECRET_PATH, gv_sub(s, 0, ending(r, s))) || gv_rd_pseudonym(GV_SECRET_USER, s);
}

static bool stays(const struct gv_redactor *r, gv_str s)
{
	bool letter = false;

	if (gv_rd_in(r, s, GV_L_HOME_NAME) || gv_rd_in(r, gv_sub(s, 0, ending(r, s)), GV_L_HOME_NAME) ||
	    version_name(s) || pseudo_name(r, s))
		return true;
	for (size_t i = 0; i < s.n; i++)
		letter |= gv_rd_is(s.p[i], GV_C_ALNUM) || (s.p[i] & 0x80);
	return !letter; /* "..", "*", "$" */
}

static void one_name(struct gv_rd_scan *sc, size_t from, size_t to)
{
	gv_str s = gv_sub(sc->s, from, to - from);
	size_t end = ending(sc->r, s);

	if (stays(sc->r, s))
		return;
	gv_rd_replace(sc, from, from + end, GV_SECRET_PATH);
}

static bool closed(gv_str name) /* what is below is a published package */
{
	return gv_is(name, "site-packages") || gv_is(name, "dist-packages") || gv_is(name, "node_modules");
}

/* All names from i, which stands behind a home, on; each begins with a slash. */
static void below(struct gv_rd_scan *sc, size_t i, char quote)
{
	gv_str before = GV_NONE;
	bool open = true;
	size_t n;

	while ((n = slash(sc->s, i))) {
		size_t from = i + n, to = name_end(sc->s, from, quote);
		gv_str name = gv_sub(sc->s, from, to - from);

		if (open && name.n)
			one_name(sc, from, to);
		open &= !closed(name) && !(gv_starts(name, "python3.") && gv_is(before, "lib"));
		before = name;
		i = to;
	}
	sc->i = i;
}

static size_t home_root(gv_str s, size_t i)
{
	static const char *const roots[] = { "/home", "/Users", "\\/home", "\\/Users", "%2Fhome", "%2fhome" };

	for (size_t k = 0; k < sizeof(roots) / sizeof(roots[0]); k++) {
		size_t n = gv_str_of(roots[k]).n;

		if (gv_starts(gv_from(s, i), roots[k]) && slash(s, i + n))
			return n + slash(s, i + n);
	}
	return 0;
}

static bool part_of_path(gv_str s, size_t i)
{
	return i && (gv_rd_is(s.p[i - 1], GV_C_ALNUM) || gv_rd_one_of(s.p[i - 1], "._-+~"));
}

/* A home that the caller named. Its last part is the user's name. */
static bool known_home(struct gv_rd_scan *sc, size_t i)
{
	for (size_t k = 0; k < sc->r->nhomes; k++) {
		gv_str home = sc->r->home[k], rest = gv_from(sc->s, i);
		size_t end = i + home.n;
		ptrdiff_t last;

		if (rest.n < home.n || memcmp(rest.p, home.p, home.n) ||
		    (end < sc->s.n && !slash(sc->s, end) && !ends_path(sc->s.p[end])))
			continue;
		last = gv_rfind(home, "/");
		if (last >= 0 && gv_rd_user_ok(sc->r, gv_from(home, (size_t)last + 1)))
			gv_rd_replace(sc, i + (size_t)last + 1, end, GV_SECRET_USER);
		below(sc, end, quote_around(sc->s, i));
		return true;
	}
	return false;
}

/* At a slash, at '~', at "\/" or "%2F". */
bool gv_rd_home(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, user;
	size_t n, from, to;
	char quote;

	if (s.p[i] == '~') {
		if (part_of_path(s, i))
			return false;
		to = i + 1;
		while (to < s.n && to - i < 64 && (gv_rd_is(s.p[to], GV_C_ALNUM) || s.p[to] == '_' || s.p[to] == '-'))
			to++;
		if (!slash(s, to))
			return false;
		if (to > i + 1 && gv_rd_user_ok(sc->r, gv_sub(s, i + 1, to - i - 1)))
			gv_rd_replace(sc, i + 1, to, GV_SECRET_USER);
		below(sc, to, quote_around(s, i));
		return true;
	}
	if (!part_of_path(s, i) && gv_starts(gv_from(s, i), "/root/")) {
		below(sc, i + 5, quote_around(s, i));
		return true;
	}
	if (sc->r->nhomes && s.p[i] == SLASH && !part_of_path(s, i) && known_home(sc, i))
		return true;
	n = home_root(s, i);
	if (!n)
		return false;
	from = i + n;
	quote = part_of_path(s, i) ? '\0' : quote_around(s, i);
	to = name_end(s, from, quote);
	user = gv_sub(s, from, to - from);
	if (!user.n || !(gv_rd_is(user.p[0], GV_C_ALNUM) || user.p[0] == '_' || (user.p[0] & 0x80)))
		return false;
	if (!gv_rd_account(sc->r, user))
		gv_rd_replace(sc, from, to, GV_SECRET_USER);
	below(sc, to, quote);
	return true;
}
