/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 addresses.
 *
 * A private address stays in its range, a public one goes to 198.18.0.0/15 (kept for benchmarks), and what shares a /24
 * (in 10.0.0.0/8 also a /16) goes on sharing one. Pseudonyms take a part of each range only, so that most of them can
 * be told from addresses that are still to be replaced. Global IPv6 goes to 2001:db8::/32, local to fd00:db8::/48; what
 * shares a /64 goes on sharing one. */
#include "core/redact_common.h"

bool gv_rd_fresh_bytes(struct gv_redactor *r, struct gv_map *m, const void *key, size_t n)
{
	gv_str k = { key, n };

	if (gv_map_get(m, k))
		return false;
	if (r->values < GV_SECRETS_MAX) {
		r->values++;
		*gv_map_put(m, gv_dup(r->arena, k)) = r;
	}
	return true;
}

/* The number of the last byte of the key among those that share the bytes before it: 1 to limit, 0 where they are used
 * up. */
static unsigned child(struct gv_redactor *r, const uint8_t *key, size_t n, size_t parent, unsigned limit)
{
	gv_str k = { (const char *)key, n }, up = { (const char *)key, parent };
	uintptr_t known = (uintptr_t)gv_map_get(&r->tree, k), last;

	if (known)
		return (unsigned)known;
	last = (uintptr_t)gv_map_get(&r->kids, up);
	if (last >= limit || r->values >= GV_SECRETS_MAX)
		return 0;
	r->values++;
	*gv_map_put(&r->kids, gv_dup(r->arena, up)) = (void *)(last + 1);
	*gv_map_put(&r->tree, gv_dup(r->arena, k)) = (void *)(last + 1);
	return (unsigned)last + 1;
}

enum range { PUBLIC, TEN, SEVENTEEN, NINETYTWO, SHARED, LINK };

static enum range range_of(const uint8_t *a)
{
	if (a[0] == 10)
		return TEN;
	if (a[0] == 172 && a[1] >= 16 && a[1] < 32)
		return SEVENTEEN;
	if (a[0] == 192 && a[1] == 168)
		return NINETYTWO;
	if (a[0] == 100 && a[1] >= 64 && a[1] < 128)
		return SHARED;
	return a[0] == 169 && a[1] == 254 ? LINK : PUBLIC;
}

/* Addresses that are the same everywhere, netmasks, and those kept for documentation. */
static bool same_everywhere(const uint8_t *a)
{
	enum range range = range_of(a);

	if (a[0] == 0 || a[0] == 127 || a[0] >= 224)
		return true;
	if ((a[0] == 192 && a[1] == 0 && a[2] == 2) || (a[0] == 198 && a[1] == 51 && a[2] == 100) ||
	    (a[0] == 203 && a[1] == 0 && a[2] == 113) || (a[0] == 198 && (a[1] & 0xfe) == 18))
		return true;
	if (range == SEVENTEEN && a[1] == 17 && (a[2] == 0 || (a[2] == 255 && a[3] == 255))) /* Docker's bridge */
		return true;
	if (range == LINK)
		return (a[2] == 169 && a[3] == 254) || (a[2] == 0 && a[3] == 0) || (a[2] == 255 && a[3] == 255);
	/* a range as a whole: "10.0.0.0/8" */
	if (range == TEN)
		return (!a[1] && !a[2] && !a[3]) || (a[1] == 255 && a[2] == 255 && a[3] == 255);
	if (range == SEVENTEEN)
		return (a[1] == 16 && !a[2] && !a[3]) || (a[1] == 31 && a[2] == 255 && a[3] == 255);
	return range == NINETYTWO && ((!a[2] && !a[3]) || (a[2] == 255 && a[3] == 255));
}

/* In the part of a range that pseudonyms are taken from. */
static bool pseudonym_like(const uint8_t *a)
{
	switch (range_of(a)) {
	case TEN:
		return a[1] >= 64 && a[1] < 128;
	case SHARED:
		return a[1] >= 96 && a[1] < 127;
	case SEVENTEEN:
	case NINETYTWO:
	case LINK:
		return a[2] >= 128 && a[2] < 254;
	default:
		return false;
	}
}

/* Third byte, where the first two say the range. */
static uint8_t third(struct gv_redactor *r, const uint8_t *in)
{
	unsigned k;

	if (in[2] == 0 || in[2] == 255)
		return in[2];
	k = child(r, in, 3, 2, 254);
	return k ? (uint8_t)k : 255;
}

static uint8_t upper_third(struct gv_redactor *r, const uint8_t *in)
{
	unsigned k = child(r, in, 3, 2, 125);

	return k ? (uint8_t)(127 + k) : 253;
}

static void network(struct gv_redactor *r, const uint8_t *in, uint8_t *out)
{
	uint8_t key[4] = { 0, in[0], in[1], in[2] };
	unsigned k;

	memcpy(out, in, 4);
	switch (range_of(in)) {
	case TEN:
		k = child(r, in, 2, 1, 62);
		out[1] = k ? (uint8_t)(64 + k) : 127;
		out[2] = third(r, in);
		break;
	case SHARED:
		k = child(r, in, 2, 1, 29);
		out[1] = k ? (uint8_t)(96 + k) : 126;
		out[2] = third(r, in);
		break;
	case SEVENTEEN: /* 17 stays itself, the other fifteen change places */
		k = in[1] == 17 ? 0 : child(r, in, 2, 1, 15);
		out[1] = in[1] == 17 ? 17 : (uint8_t)(k < 2 ? 16 : 16 + k);
		out[2] = upper_third(r, in);
		break;
	case NINETYTWO:
	case LINK:
		out[2] = upper_third(r, in);
		break;
	default:
		k = child(r, key, 4, 1, 510);
		out[0] = 198;
		out[1] = (uint8_t)(18 + (k ? k >> 8 : 1));
		out[2] = (uint8_t)(k ? k & 255 : 255);
	}
}

static void map_ipv4(struct gv_redactor *r, const uint8_t *in, uint8_t *out, bool learn)
{
	gv_str key = { (const char *)in, 4 };
	const uint8_t *known = gv_map_get(&r->addr, key);
	uint8_t *kept;

	memcpy(out, in, 4);
	if (same_everywhere(in))
		return;
	if (pseudonym_like(in) && (r->doc.again || gv_map_get(&r->issued, key))) {
		gv_rd_fresh_bytes(r, &r->issued, in, 4);
		return;
	}
	if (learn) {
		if (pseudonym_like(in))
			gv_rd_fresh_bytes(r, &r->reserved, in, 4);
		return;
	}
	if (known) {
		memcpy(out, known, 4);
		return;
	}
	network(r, in, out);
	if (in[3] != 0 && in[3] != 255) { /* a network's own address and its broadcast stay such */
		unsigned k = 0;
		uint8_t key4[4] = { in[0], in[1], in[2], in[3] };

		do {
			/* some real address has that form: the number is given up */
			if (k)
				gv_map_put(&r->tree, (gv_str){ (const char *)key4, 4 })[0] = NULL;
			k = child(r, key4, 4, 3, 254);
			out[3] = k ? (uint8_t)k : 254;
		} while (k && gv_map_get(&r->reserved, (gv_str){ (const char *)out, 4 }));
	}
	if (r->values >= GV_SECRETS_MAX)
		return;
	kept = (uint8_t *)(uintptr_t)gv_dup(r->arena, (gv_str){ (const char *)out, 4 }).p;
	*gv_map_put(&r->addr, gv_dup(r->arena, key)) = kept;
	gv_rd_fresh_bytes(r, &r->issued, out, 4);
	r->count[GV_SECRET_ADDRESS]++;
}

/* Four numbers to 255 without leading zeros; returns the length. */
static size_t parse_ipv4(gv_str s, size_t i, uint8_t *ret)
{
	size_t from = i;

	for (unsigned part = 0; part < 4; part++) {
		unsigned v = 0, n = 0;

		if (part && gv_rd_at(s, i++) != '.')
			return 0;
		for (; i < s.n && n < 3 && gv_rd_is(s.p[i], GV_C_DIGIT); i++, n++)
			v = v * 10 + (unsigned)(s.p[i] - '0');
		if (!n || v > 255 || (n > 1 && s.p[i - n] == '0'))
			return 0;
		ret[part] = (uint8_t)v;
	}
	if (i < s.n && (gv_rd_is(s.p[i], GV_C_ALNUM) || (s.p[i] == '.' && gv_rd_is(gv_rd_at(s, i + 1), GV_C_DIGIT))))
		return 0;
	return i - from;
}

/* The word before i, at most 24 bytes of it, what is no letter or digit between skipped. */
static gv_str word_before(gv_str s, size_t i)
{
	size_t end = i, floor = i > 40 ? i - 40 : 0, from;

	while (end > floor && !gv_rd_is(s.p[end - 1], GV_C_ALNUM))
		end--;
	from = end;
	while (from > floor && (gv_rd_is(s.p[from - 1], GV_C_ALNUM) || s.p[from - 1] == '-' || s.p[from - 1] == '_'))
		from--;
	return gv_sub(s, from, end - from);
}

static bool version_word(const struct gv_redactor *r, gv_str w)
{
	return gv_rd_in(r, w, GV_L_VERSION) || gv_starts_nocase(w, "lib") || gv_starts_nocase(w, "nvidia") ||
	       gv_starts_nocase(w, "cuda") || gv_starts_nocase(w, "tensorrt") || gv_has_nocase(w, "-cu1") ||
	       gv_starts_nocase(w, "python") || gv_has_nocase(w, "version") || gv_starts_nocase(w, "mlnx");
}

/* "10.0.0.1-10.0.0.9": what stands before the dash is an address too. */
static bool range_before(gv_str s, size_t dash)
{
	size_t from = dash, floor = dash > 15 ? dash - 15 : 0;
	uint8_t a[4];

	while (from > floor && (gv_rd_is(s.p[from - 1], GV_C_DIGIT) || s.p[from - 1] == '.'))
		from--;
	return parse_ipv4(s, from, a) == dash - from;
}

/* Four numbers with dots may be a version: "libcurand 10.3.5.147", "cudnn==8.9.7.29", "Chrome/120.0.0.0". */
static bool is_version(const struct gv_redactor *r, gv_str s, size_t i, size_t n, const uint8_t *a)
{
	char before = i ? s.p[i - 1] : ' ', behind = gv_rd_at(s, i + n), then = gv_rd_at(s, i + n + 1);
	uint8_t other[4];
	gv_str w;

	if (before == '.' || behind == '+' || behind == '~')
		return true;
	if (before == '-' && i > 1 && gv_rd_is(s.p[i - 2], GV_C_DIGIT) && !range_before(s, i - 1))
		return true;
	if (behind == '.' && gv_rd_is(then, GV_C_ALPHA) && range_of(a) == PUBLIC)
		return true;
	if ((behind == ':' || behind == '/') && gv_rd_is(then, GV_C_DIGIT))
		return false;
	if (behind == '-' && gv_rd_is(then, GV_C_ALNUM) && !parse_ipv4(s, i + n + 1, other) &&
	    (range_of(a) == PUBLIC || gv_rd_is(then, GV_C_DIGIT)))
		return true;
	if (before == '=' && i > 1 && gv_rd_one_of(s.p[i - 2], "=<>~!"))
		return true;
	if (before == '/' && i > 1 && gv_rd_is(s.p[i - 2], GV_C_ALPHA)) {
		w = word_before(s, i - 1);
		return w.n && w.p[0] >= 'A' && w.p[0] <= 'Z';
	}
	w = word_before(s, i);
	if (version_word(r, w))
		return true;
	/* a row of `pip list` */
	if (w.p == s.p && w.n && i > w.n + 1 && !gv_trim(gv_from(s, i + n)).n && range_of(a) == PUBLIC && a[0] <= 30)
		return true;
	if (gv_rd_in(r, w, GV_L_BEFORE_ADDRESS) || !w.n)
		return false;
	w = word_before(s, (size_t)(w.p - s.p));
	return gv_is(w, "version") || gv_is(w, "Version") || gv_is(w, "firmware");
}

static void put_ipv4(struct gv_buf *out, const uint8_t *a)
{
	for (size_t i = 0; i < 4; i++) {
		if (i)
			gv_putc(out, '.');
		gv_rd_put_number(out, a[i]);
	}
}

size_t gv_rd_ipv4(struct gv_rd_scan *sc, size_t i)
{
	uint8_t in[4], out[4];
	size_t n = parse_ipv4(sc->s, i, in);

	if (!n || is_version(sc->r, sc->s, i, n, in))
		return 0;
	map_ipv4(sc->r, in, out, !sc->out);
	if (sc->out) {
		gv_rd_flush(sc, i);
		put_ipv4(sc->out, out);
		sc->kept = i + n;
	}
	return n;
}

struct ipv6 {
	uint8_t b[16];
	bool full;	/* eight groups of four digits */
	bool dotted;	/* ends in an IPv4 address */
	unsigned first; /* digits of the first group */
};

static size_t parse_ipv6(gv_str s, size_t i, struct ipv6 *ret)
{
	uint8_t head[16] = { 0 }, v4[4];
	size_t n = 0, gap = SIZE_MAX, from = i;

	*ret = (struct ipv6){ .full = true };
	for (;;) {
		unsigned v = 0, d = 0;
		size_t len;

		if (gv_rd_at(s, i) == ':' && gv_rd_at(s, i + 1) == ':' && gap == SIZE_MAX) {
			gap = n;
			i += 2;
		} else if (n) {
			if (gv_rd_at(s, i) != ':' || !gv_rd_is(gv_rd_at(s, i + 1), GV_C_HEX))
				break;
			i++;
		}
		if (!gv_rd_is(gv_rd_at(s, i), GV_C_HEX))
			break;
		len = n <= 12 && n >= 2 ? parse_ipv4(s, i, v4) : 0;
		if (len) {
			memcpy(head + n, v4, 4);
			n += 4;
			i += len;
			ret->dotted = true;
			break;
		}
		for (; d < 4 && gv_rd_is(gv_rd_at(s, i), GV_C_HEX); d++, i++)
			v = v << 4 |
			    (unsigned)(gv_rd_is(s.p[i], GV_C_DIGIT) ? s.p[i] - '0' : gv_rd_lower(s.p[i]) - 'a' + 10);
		if (n >= 16)
			return 0;
		ret->full &= d == 4;
		if (!n && gap == SIZE_MAX)
			ret->first = d;
		head[n++] = (uint8_t)(v >> 8);
		head[n++] = (uint8_t)v;
	}
	if (gap == SIZE_MAX ? n != 16 : n >= 16)
		return 0;
	if (i < s.n && (gv_rd_is(s.p[i], GV_C_ALNUM) || (s.p[i] == ':' && gv_rd_at(s, i + 1) == ':')))
		return 0;
	if (gap == SIZE_MAX) {
		memcpy(ret->b, head, 16);
	} else {
		memcpy(ret->b, head, gap);
		memcpy(ret->b + 16 - (n - gap), head + gap, n - gap);
		ret->full = false;
	}
	return i - from;
}

static void put_ipv6(const struct ipv6 *a, struct gv_buf *out)
{
	unsigned groups = a->dotted ? 6 : 8, g[8], at = 8, len = 0;

	for (unsigned k = 0; k < 8; k++)
		g[k] = (unsigned)a->b[2 * k] << 8 | a->b[2 * k + 1];
	for (unsigned k = 0; k < groups && !a->full; k++) { /* the longest run of zeros is what "::" stands for */
		unsigned e = k;

		while (e < groups && !g[e])
			e++;
		if (e - k > len && e - k > 1) {
			at = k;
			len = e - k;
		}
	}
	for (unsigned k = 0; k < groups; k++) {
		if (k == at) {
			gv_puts(out, "::");
			k += len - 1;
			continue;
		}
		if (k && k != at + len)
			gv_putc(out, ':');
		gv_printf(out, a->full ? "%04x" : "%x", g[k]);
	}
	if (a->dotted)
		gv_printf(out, "%s%u.%u.%u.%u", at + len == 6 ? "" : ":", a->b[12], a->b[13], a->b[14], a->b[15]);
}

static bool zeros(const uint8_t *b, size_t n)
{
	while (n && !b[n - 1])
		n--;
	return !n;
}

/* True where the address is of a kind that is replaced; its bytes are then the pseudonym's. */
static bool map_ipv6(struct gv_redactor *r, struct ipv6 *a, bool learn)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, nat64[12] = { 0, 0x64, 0xff, 0x9b };
	unsigned top = (unsigned)a->b[0] << 8 | a->b[1];
	bool local = (top & 0xfe00) == 0xfc00, link = (top & 0xffc0) == 0xfe80, global = (top & 0xe000) == 0x2000;
	uint8_t key[9] = { 6 }, v4[4];

	if (!memcmp(a->b, mapped, 12) || !memcmp(a->b, nat64, 12)) {
		memcpy(v4, a->b + 12, 4);
		map_ipv4(r, v4, a->b + 12, learn);
		return true;
	}
	if (!(local || link || global) || (top == 0x2001 && a->b[2] == 0x0d && a->b[3] == 0xb8) ||
	    (top == 0xfd00 && a->b[2] == 0x0d && a->b[3] == 0xb8))
		return false;
	if (link && zeros(a->b + 8, 6)) /* "fe80::1" */
		return false;
	if (!learn && gv_rd_fresh_bytes(r, &r->addr, a->b, 16))
		r->count[GV_SECRET_ADDRESS]++;
	if (!zeros(a->b + 8, 6)) /* a small number says nothing */
		gv_rd_map_eui(r, a->b + 8, a->b + 8, learn);
	if (link || learn)
		return true;
	memcpy(key + 1, a->b, 8);
	top = child(r, key, 9, 1, 65534);
	memset(a->b, 0, 8);
	memcpy(a->b, local ? "\xfd\x00\x0d\xb8" : "\x20\x01\x0d\xb8", 4);
	a->b[6] = (uint8_t)(top >> 8);
	a->b[7] = (uint8_t)top;
	return true;
}

size_t gv_rd_ipv6(struct gv_rd_scan *sc, size_t i)
{
	struct ipv6 a;
	size_t n;

	if (i && (sc->s.p[i - 1] == ':' || sc->s.p[i - 1] == '.'))
		return 0;
	n = parse_ipv6(sc->s, i, &a);
	if (!n)
		return 0;
	if (a.first && a.first != 4 && !(a.b[0] == 0 && a.b[1] == 0x64)) /* "c10::d" is C++ */
		return 0;
	if (!a.first && !(a.b[10] == 0xff && a.b[11] == 0xff && zeros(a.b, 10)))
		return sc->s.p[i] == ':' ? 0 : n;
	if (!map_ipv6(sc->r, &a, !sc->out) || !sc->out)
		return n;
	gv_rd_flush(sc, i);
	put_ipv6(&a, sc->out);
	sc->kept = i + n;
	return n;
}
