/* SPDX-License-Identifier: Apache-2.0 */
/* Known names and the pseudonyms of all kinds of values. */
#include "core/redact_common.h"

static const char *const stem_of[GV_SECRETS] = {
	[GV_SECRET_HOST] = "host-", [GV_SECRET_DOMAIN] = "domain-", [GV_SECRET_USER] = "user-",
	[GV_SECRET_PATH] = "path-", [GV_SECRET_SERIAL] = "serial-", [GV_SECRET_TOKEN] = "secret-",
};

const uint8_t gv_rd_class[256] = {
	['0' ... '9'] = GV_C_ALNUM | GV_C_HEX | GV_C_DIGIT,
	['A' ... 'F'] = GV_C_ALNUM | GV_C_HEX | GV_C_ALPHA,
	['G' ... 'Z'] = GV_C_ALNUM | GV_C_ALPHA,
	['a' ... 'f'] = GV_C_ALNUM | GV_C_HEX | GV_C_ALPHA,
	['g' ... 'z'] = GV_C_ALNUM | GV_C_ALPHA,
	['\0'] = GV_C_BLANK,
	['\t' ... '\r'] = GV_C_BLANK,
	[' '] = GV_C_BLANK,
	['-'] = GV_C_JOINT,
	['_'] = GV_C_JOINT,
	['.'] = GV_C_JOINT,
};

/* The number behind the stem: "host-12" is 12; 0 where s is none. "host-0" is what stands for all beyond the limit. */
static bool numbered(const char *stem, gv_str s, uint32_t *ret)
{
	size_t n = gv_str_of(stem).n;
	uint32_t no = 0;

	if (!gv_starts(s, stem) || s.n == n || s.n > n + 5 || (s.p[n] == '0' && s.n > n + 1))
		return false;
	for (size_t i = n; i < s.n; i++) {
		if (!gv_rd_is(s.p[i], GV_C_DIGIT))
			return false;
		no = no * 10 + (uint32_t)(s.p[i] - '0');
	}
	*ret = no;
	return no <= GV_SECRETS_MAX;
}

bool gv_rd_pseudonym(enum gv_secret what, gv_str s)
{
	uint32_t no;

	return stem_of[what] && numbered(stem_of[what], s, &no);
}

void gv_rd_reserve(struct gv_redactor *r, enum gv_secret what, uint32_t no)
{
	if (no <= GV_SECRETS_MAX)
		r->no[what].taken[no / 64] |= (uint64_t)1 << (no % 64);
}

static uint32_t next_number(struct gv_redactor *r, enum gv_secret what)
{
	struct gv_rd_numbers *no = &r->no[what];

	if (r->values >= GV_SECRETS_MAX)
		return 0;
	do {
		if (no->last >= GV_SECRETS_MAX)
			return 0;
		no->last++;
	} while (no->taken[no->last / 64] >> (no->last % 64) & 1);
	gv_rd_reserve(r, what, no->last);
	r->values++;
	r->count[what]++;
	return no->last;
}

uint32_t gv_rd_number_in(struct gv_redactor *r, struct gv_map *m, enum gv_secret what, gv_str key)
{
	uintptr_t known = (uintptr_t)gv_map_get(m, key);
	uint32_t no;

	if (known)
		return (uint32_t)known;
	no = next_number(r, what);
	if (no)
		*gv_map_put(m, gv_dup(r->arena, key)) = (void *)(uintptr_t)no;
	return no;
}

uint32_t gv_rd_number(struct gv_redactor *r, enum gv_secret what, gv_str key)
{
	char buf[GV_RD_NAME + 32];
	size_t n = key.n < GV_RD_NAME ? key.n : GV_RD_NAME;
	bool fold = what != GV_SECRET_TOKEN && what != GV_SECRET_PATH;

	for (size_t i = 0; i < n; i++)
		buf[i] = fold ? gv_rd_lower(key.p[i]) : key.p[i];
	if (key.n > n) { /* a long value stands for itself by its front, length and a hash of the rest */
		uint64_t h = 0xcbf29ce484222325u;

		for (size_t i = n; i < key.n; i++)
			h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3u;
		h ^= (uint64_t)key.n << 32;
		memcpy(buf + n, &h, sizeof(h));
		n += sizeof(h);
	}
	return gv_rd_number_in(r, &r->no[what].of, what, (gv_str){ buf, n });
}

/* Without what is no letter or digit at its ends. */
static gv_str core_of(gv_str s)
{
	while (s.n && !gv_rd_is(s.p[0], GV_C_ALNUM))
		s = gv_from(s, 1);
	while (s.n && !gv_rd_is(s.p[s.n - 1], GV_C_ALNUM) && s.p[s.n - 1] != ']')
		s.n--;
	return s;
}

static size_t run_end(gv_str s, size_t i)
{
	while (i < s.n && gv_rd_is(s.p[i], GV_C_ALNUM))
		i++;
	return i;
}

static uint64_t run_hash(gv_str s, size_t i, size_t end)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; i < end; i++)
		h = (h ^ (unsigned char)gv_rd_lower(s.p[i])) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* "gpu3", "node1", "eth0", "mlx5": outputs name parts of a machine so. */
bool gv_rd_device_like(const struct gv_redactor *r, gv_str s)
{
	size_t letters = 0;
	gv_str stem;

	while (letters < s.n && gv_rd_is(s.p[letters], GV_C_ALPHA))
		letters++;
	stem = gv_sub(s, 0, letters);
	for (size_t i = letters; i < s.n; i++)
		if (!gv_rd_is(s.p[i], GV_C_DIGIT))
			return false;
	if (letters == s.n || s.n - letters > 3)
		return false;
	if (gv_rd_in(r, stem, GV_L_DEVICE))
		return s.n - letters == 1 || (s.n - letters == 2 && s.p[letters] != '0');
	return gv_rd_in(r, stem, GV_L_PART);
}

/* Whether a name may be replaced wherever it stands as a word. */
static bool distinctive(const struct gv_redactor *r, gv_str s)
{
	char low[GV_RD_NAME];
	bool digit = false, letter = false, words = true;

	if (s.n < 3 || s.n > sizeof(low) || gv_rd_device_like(r, s))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		low[i] = gv_rd_lower(s.p[i]);
		digit |= gv_rd_is(s.p[i], GV_C_DIGIT);
		letter |= gv_rd_is(s.p[i], GV_C_ALPHA);
	}
	for (size_t i = 0; i < s.n;) {
		size_t end = run_end(s, i);

		words &= end == i || (gv_rd_lists_of(r, (gv_str){ low + i, end - i }) & GV_L_VOCABULARY);
		i = end + (end < s.n);
	}
	return letter && !(words && !digit);
}

static void learn_word(struct gv_redactor *r, enum gv_secret what, gv_str name)
{
	struct gv_rd_word *w;
	void **slot;
	gv_str key;
	uint64_t h;

	name = core_of(name);
	if (!name.n || name.n > GV_RD_NAME || r->words.n >= GV_SECRETS_MAX)
		return;
	if (what == GV_SECRET_SERIAL && name.n < 6)
		return;
	key = gv_lower(r->arena, name);
	slot = gv_map_put(&r->words, key);
	if (*slot)
		return;
	w = GV_NEW(r->arena, struct gv_rd_word);
	*w = (struct gv_rd_word){ key, (uint8_t)what, distinctive(r, key) };
	*slot = w;
	h = run_hash(key, 0, run_end(key, 0));
	r->first[h >> 6 & 255] |= (uint64_t)1 << (h & 63);
	r->ndomains += what == GV_SECRET_DOMAIN;
}

static bool plain_domain(const struct gv_redactor *r, gv_str d)
{
	return !gv_has(d, ".") || gv_rd_public(r, d);
}

static bool pseudo_domain(gv_str d)
{
	return gv_ends(d, ".example") && gv_rd_pseudonym(GV_SECRET_DOMAIN, gv_sub(d, 0, d.n - 8));
}

bool gv_rd_public(const struct gv_redactor *r, gv_str host)
{
	/* "a.b.c": c, b.c and a.b.c are looked up */
	for (size_t i = host.n; i-- > 0;)
		if (i == 0 || host.p[i - 1] == '.') {
			gv_str end = gv_from(host, i);

			if (!pseudo_domain(host) && gv_has(end, ".") && gv_rd_in(r, end, GV_L_PUBLIC))
				return true;
			if (end.n > 32)
				return false;
		}
	return false;
}

bool gv_rd_host_ok(const struct gv_redactor *r, gv_str s)
{
	bool letter = false;

	if (!s.n || s.n > GV_RD_NAME || !gv_rd_is(s.p[0], GV_C_ALNUM) || gv_rd_in(r, s, GV_L_NOT_HOST))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		letter |= gv_rd_is(c, GV_C_ALPHA);
		if (c == '[' || c == ',' || c == ']') { /* "gpu[01-04,07]" */
			if (!i || (c != '[' && gv_find_c(gv_sub(s, 0, i), '[') < 0))
				return false;
		} else if (!gv_rd_is(c, GV_C_ALNUM) && c != '-' && c != '.' && c != '_') {
			return false;
		}
	}
	return letter && !(s.n > 2 && s.p[0] == '0' && s.p[1] == 'x');
}

bool gv_rd_account(const struct gv_redactor *r, gv_str s)
{
	return gv_rd_in(r, s, GV_L_ACCOUNT);
}

bool gv_rd_user_ok(const struct gv_redactor *r, gv_str s)
{
	if (!s.n || s.n > 64 || !(gv_rd_is(s.p[0], GV_C_ALPHA) || s.p[0] == '_') || gv_rd_in(r, s, GV_L_ACCOUNT))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!gv_rd_is(c, GV_C_ALNUM) && c != '-' && c != '.' && c != '_' && c != '+' && c != '$' &&
		    !(c & 0x80) && !(c == '\\' && i && i + 1 < s.n))
			return false;
	}
	return true;
}

void gv_rd_learn(struct gv_redactor *r, enum gv_secret what, gv_str name)
{
	gv_str domain;

	name = core_of(name);
	if (what == GV_SECRET_USER && name.n && name.p[name.n - 1] == '+')
		name.n--;
	if (!name.n || gv_rd_pseudonym(what, name))
		return;
	if (what != GV_SECRET_HOST && what != GV_SECRET_DOMAIN) {
		learn_word(r, what, name);
		return;
	}
	if (gv_rd_public(r, name) || gv_rd_in(r, name, GV_L_NOT_HOST) || gv_find_c(name, '[') >= 0)
		return;
	if (what == GV_SECRET_DOMAIN) {
		if (!plain_domain(r, name) && !pseudo_domain(name))
			learn_word(r, GV_SECRET_DOMAIN, name);
		return;
	}
	domain = gv_after(name, ".");
	if (!gv_rd_pseudonym(GV_SECRET_HOST, gv_before(name, ".")))
		learn_word(r, GV_SECRET_HOST, gv_before(name, "."));
	if (domain.n) {
		learn_word(r, GV_SECRET_HOST, name);
		if (!plain_domain(r, domain) && !pseudo_domain(domain))
			learn_word(r, GV_SECRET_DOMAIN, domain);
	}
}

void gv_rd_put_number(struct gv_buf *out, uint32_t n)
{
	char digits[10];
	size_t i = sizeof(digits);

	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	gv_put(out, (gv_str){ digits + i, sizeof(digits) - i });
}

static void put_numbered(struct gv_redactor *r, enum gv_secret what, gv_str key, struct gv_buf *out)
{
	if (gv_rd_pseudonym(what, key)) {
		gv_put(out, key);
	} else {
		gv_puts(out, stem_of[what]);
		gv_rd_put_number(out, gv_rd_number(r, what, key));
	}
}

static void put_domain(struct gv_redactor *r, gv_str d, struct gv_buf *out)
{
	if (plain_domain(r, d) || pseudo_domain(d)) {
		gv_put(out, d);
		return;
	}
	put_numbered(r, GV_SECRET_DOMAIN, d, out);
	gv_puts(out, ".example");
}

static void put_host(struct gv_redactor *r, gv_str name, struct gv_buf *out)
{
	gv_str domain = gv_after(name, ".");

	if (gv_rd_public(r, name) && !pseudo_domain(domain)) {
		gv_put(out, name);
		return;
	}
	if (gv_find_c(name, '[') >= 0 || !domain.n) { /* a list of hosts is one value */
		put_numbered(r, GV_SECRET_HOST, name, out);
		return;
	}
	put_numbered(r, GV_SECRET_HOST, gv_before(name, "."), out);
	gv_putc(out, '.');
	put_domain(r, domain, out);
}

void gv_rd_put_name(struct gv_redactor *r, enum gv_secret what, gv_str name, struct gv_buf *out)
{
	if (what == GV_SECRET_HOST)
		put_host(r, name, out);
	else if (what == GV_SECRET_DOMAIN)
		put_domain(r, name, out);
	else if (stem_of[what])
		put_numbered(r, what, name, out);
	else
		gv_put(out, name);
}

static bool close_by(char c)
{
	return gv_rd_is(c, GV_C_JOINT);
}

/* gpu07.dc2.corp where only "dc2.corp" is known: the whole is a host. */
static size_t known_by_domain(const struct gv_rd_scan *sc, size_t i, size_t end)
{
	char low[GV_RD_NAME];
	size_t n = 0, dot[16], ndots = 0;

	while (i + n < sc->s.n && n < sizeof(low) &&
	       (gv_rd_is(sc->s.p[i + n], GV_C_ALNUM) || close_by(sc->s.p[i + n]))) {
		low[n] = gv_rd_lower(sc->s.p[i + n]);
		if (low[n] == '.' && ndots < 16)
			dot[ndots++] = n;
		n++;
	}
	while (n && close_by(low[n - 1]))
		n--;
	for (size_t k = 0; k < ndots && dot[k] + 1 < n; k++) {
		struct gv_rd_word *w = gv_map_get(&sc->r->words, (gv_str){ low + dot[k] + 1, n - dot[k] - 1 });

		if (w && w->what == GV_SECRET_DOMAIN)
			return n;
	}
	return 0;
}

size_t gv_rd_known(const struct gv_rd_scan *sc, size_t i, enum gv_secret *ret_what)
{
	const struct gv_redactor *r = sc->r;
	size_t end = run_end(sc->s, i), best = 0, n = 0;
	uint64_t h = run_hash(sc->s, i, end);
	char low[GV_RD_NAME];

	/* where a joint stands before it, the name was looked at from its front */
	if (r->ndomains && end < sc->s.n && close_by(sc->s.p[end]) && !(i && close_by(sc->s.p[i - 1]))) {
		best = known_by_domain(sc, i, end);
		*ret_what = GV_SECRET_HOST;
	}
	if (!(r->first[h >> 6 & 255] >> (h & 63) & 1))
		return best;
	for (unsigned part = 0; part < 8 && end - i <= sizeof(low); part++) {
		struct gv_rd_word *w;

		for (; n < end - i; n++)
			low[n] = gv_rd_lower(sc->s.p[i + n]);
		w = gv_map_get(&r->words, (gv_str){ low, n });
		if (w && n >= best &&
		    (w->everywhere ||
		     (sc->filename && w->what == GV_SECRET_HOST && gv_rd_is(low[n - 1], GV_C_DIGIT))) &&
		    !(n <= 3 && ((i && close_by(sc->s.p[i - 1])) || (i + n < sc->s.n && close_by(sc->s.p[i + n]))))) {
			best = n;
			*ret_what = w->what;
		}
		while (end < sc->s.n && (close_by(sc->s.p[end]) || sc->s.p[end] == '+'))
			end++;
		if (end - i == n || end >= sc->s.n || !gv_rd_is(sc->s.p[end], GV_C_ALNUM))
			break;
		end = run_end(sc->s, end);
	}
	return best;
}
