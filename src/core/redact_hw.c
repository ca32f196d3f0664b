/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware addresses (MAC, EUI-64, InfiniBand GUIDs) and UUIDs. */
#include "core/redact_common.h"

static const char uuid_tail[] = "00004000800000000000"
				"0000"; /* what follows the eight digits of a pseudonym */

static unsigned hex_of(char c)
{
	return gv_rd_is(c, GV_C_DIGIT) ? (unsigned)(c - '0') : (unsigned)(gv_rd_lower(c) - 'a' + 10);
}

static size_t hex_run(gv_str s, size_t i, size_t max)
{
	size_t n = 0;

	while (n < max && i + n < s.n && gv_rd_is(s.p[i + n], GV_C_HEX))
		n++;
	return n;
}

static bool all(const uint8_t *b, size_t n, uint8_t v)
{
	while (n && b[n - 1] == v)
		n--;
	return !n;
}

static bool eui_pseudonym(const uint8_t *b)
{
	return b[0] == 2 && all(b + 1, 4, 0);
}

void gv_rd_map_eui(struct gv_redactor *r, const uint8_t in[8], uint8_t ret[8], bool learn)
{
	uint32_t no;

	if (all(in, 8, 0) || all(in, 8, 0xff) || all(in + 4, 4, 0xff) || eui_pseudonym(in)) {
		if (eui_pseudonym(in) && learn)
			gv_rd_reserve(r, GV_SECRET_MAC, (uint32_t)in[5] << 16 | (uint32_t)in[6] << 8 | in[7]);
		memmove(ret, in, 8);
		return;
	}
	no = gv_rd_number_in(r, &r->eui, GV_SECRET_MAC, (gv_str){ (const char *)in, 8 });
	memset(ret, 0, 8);
	ret[0] = 2;
	ret[5] = (uint8_t)(no >> 16);
	ret[6] = (uint8_t)(no >> 8);
	ret[7] = (uint8_t)no;
}

static void map_mac(struct gv_redactor *r, uint8_t *b, bool learn)
{
	uint32_t no;

	if ((b[0] & 1) || all(b, 6, 0)) /* broadcast, multicast, none */
		return;
	if (b[0] == 2 && !b[1] && !b[2]) {
		if (learn)
			gv_rd_reserve(r, GV_SECRET_MAC, (uint32_t)b[3] << 16 | (uint32_t)b[4] << 8 | b[5]);
		return;
	}
	no = learn ? 0 : gv_rd_number_in(r, &r->mac, GV_SECRET_MAC, (gv_str){ (const char *)b, 6 });
	b[0] = 2;
	b[1] = b[2] = 0;
	b[3] = (uint8_t)(no >> 16);
	b[4] = (uint8_t)(no >> 8);
	b[5] = (uint8_t)no;
}

static void put_pairs(struct gv_buf *out, const uint8_t *b, size_t n, char sep, bool upper)
{
	for (size_t k = 0; k < n; k++) {
		if (k && sep)
			gv_putc(out, sep);
		gv_printf(out, upper ? "%02X" : "%02x", b[k]);
	}
}

/* "aa:bb:cc:dd:ee:ff" and longer ones, with ':' or '-' */
size_t gv_rd_mac(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s;
	char sep = gv_rd_at(s, i + 2);
	bool letter = false, upper = false;
	size_t n = 0, at = i;
	uint8_t b[32];

	if ((sep != ':' && sep != '-') || (i && s.p[i - 1] == sep && i > 1 && gv_rd_is(s.p[i - 2], GV_C_ALNUM)))
		return 0;
	while (n < sizeof(b) && hex_run(s, at, 3) == 2) {
		b[n++] = (uint8_t)(hex_of(s.p[at]) << 4 | hex_of(s.p[at + 1]));
		for (size_t k = at; k < at + 2; k++) {
			letter |= gv_rd_is(s.p[k], GV_C_ALPHA);
			upper |= s.p[k] >= 'A' && s.p[k] <= 'F';
		}
		at += 2;
		if (gv_rd_at(s, at) != sep || !gv_rd_is(gv_rd_at(s, at + 1), GV_C_HEX))
			break;
		at++;
	}
	if (n < 6 || (at < s.n && gv_rd_is(s.p[at], GV_C_ALNUM)) || (sep == '-' && n == 6 && !letter))
		return 0;
	if (n == 6) {
		map_mac(sc->r, b, !sc->out);
	} else if (n == 8) {
		gv_rd_map_eui(sc->r, b, b, !sc->out);
	} else if (n == 20 && !all(b + 1, 4, 0xff)) { /* IP over InfiniBand: queue pair, subnet, port GUID */
		gv_rd_map_eui(sc->r, b + 12, b + 12, !sc->out);
	} else if (n == 14) { /* of a firewall's log: to, from, protocol */
		map_mac(sc->r, b, !sc->out);
		map_mac(sc->r, b + 6, !sc->out);
	} else if (n == 16 || n == 32) { /* fingerprints */
		gv_rd_replace(sc, i, at, GV_SECRET_TOKEN);
		return at - i;
	} else {
		return at - i;
	}
	if (sc->out) {
		gv_rd_flush(sc, i);
		put_pairs(sc->out, b, n, sep, upper);
		sc->kept = at;
	}
	return at - i;
}

size_t gv_rd_bare_mac(struct gv_rd_scan *sc, size_t i)
{
	uint8_t b[6];

	if (hex_run(sc->s, i, 13) != 12)
		return 0;
	for (size_t k = 0; k < 6; k++)
		b[k] = (uint8_t)(hex_of(sc->s.p[i + 2 * k]) << 4 | hex_of(sc->s.p[i + 2 * k + 1]));
	map_mac(sc->r, b, !sc->out);
	if (sc->out) {
		gv_rd_flush(sc, i);
		put_pairs(sc->out, b, 6, '\0', false);
		sc->kept = i + 12;
	}
	return 12;
}

static bool guid_line(struct gv_rd_scan *sc)
{
	if (sc->guid < 0)
		sc->guid = gv_has_nocase(sc->s, "guid") || gv_starts(sc->s, "Ca\t") || gv_starts(sc->s, "Switch\t");
	return sc->guid;
}

/* What stands before i says that a port or disk identifier follows: "S-<guid>" of ibnetdiscover, "eui.", "wwn-0x". */
static bool before_guid(gv_str s, size_t i)
{
	gv_str b = gv_sub(s, 0, i);

	return gv_ends(b, "\"S-") || gv_ends(b, "\"H-") || gv_ends(b, "\"R-") || gv_ends(b, "eui.") ||
	       gv_ends(b, "naa.") || gv_ends(b, "wwn-");
}

/* 0x506b4b0300abcdef, 506b4b0300abcdef, 506b:4b03:00ab:cdef: where the line says GUID, or where it is known as one. */
size_t gv_rd_guid(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s;
	size_t at = i + (gv_rd_at(s, i) == '0' && gv_rd_lower(gv_rd_at(s, i + 1)) == 'x' ? 2 : 0), n = 0;
	bool colons = hex_run(s, at, 5) == 4 && gv_rd_at(s, at + 4) == ':';
	uint8_t b[8];

	for (; n < 16 && at < s.n && gv_rd_is(s.p[at], GV_C_HEX); n++, at++) {
		b[n / 2] = (uint8_t)(n % 2 ? b[n / 2] | hex_of(s.p[at]) : hex_of(s.p[at]) << 4);
		if (colons && n % 4 == 3 && n < 15) {
			if (gv_rd_at(s, at + 1) != ':')
				return 0;
			at++;
		}
	}
	if (n != 16 || (at < s.n && (gv_rd_is(s.p[at], GV_C_ALNUM) || (colons && s.p[at] == ':'))))
		return 0;
	if (all(b, 4, 0)) /* some counter or mask, no address */
		return 0;
	if (!eui_pseudonym(b) && !gv_map_get(&sc->r->eui, (gv_str){ (const char *)b, 8 }) && !guid_line(sc) &&
	    !before_guid(s, i))
		return 0;
	gv_rd_map_eui(sc->r, b, b, !sc->out);
	if (!sc->out)
		return at - i;
	gv_rd_flush(sc, i + (colons ? 0 : at - i - 16));
	for (size_t k = 0; k < 8; k++)
		gv_printf(sc->out, "%s%02x", colons && k && k % 2 == 0 ? ":" : "", b[k]);
	sc->kept = at;
	return at - i;
}

/* The number of a UUID by its 32 digits, or by its first eight where only those are given ("GPU-5ba4538d"). */
static uint32_t uuid_number(struct gv_redactor *r, const char *digits, size_t n)
{
	gv_str full = { digits, n }, head = { digits, 8 };
	uintptr_t by_head = (uintptr_t)gv_map_get(&r->uuid_head, head);
	uint32_t no;

	if (n == 8 && by_head)
		return (uint32_t)(by_head >> 1);
	if (n == 32 && by_head && !(by_head & 1) && !gv_map_get(&r->no[GV_SECRET_UUID].of, full)) {
		/* its front was met first */
		*gv_map_put(&r->no[GV_SECRET_UUID].of, gv_dup(r->arena, full)) = (void *)(by_head >> 1);
		*gv_map_put(&r->uuid_head, head) = (void *)(by_head | 1);
		return (uint32_t)(by_head >> 1);
	}
	no = gv_rd_number_in(r, &r->no[GV_SECRET_UUID].of, GV_SECRET_UUID, full);
	if (!by_head && no)
		*gv_map_put(&r->uuid_head, gv_dup(r->arena, head)) = (void *)((uintptr_t)no << 1 | (n == 32));
	return no;
}

static bool uuid_pseudonym(const char *digits)
{
	bool ours = memcmp(digits + 8, uuid_tail, 24) == 0;

	for (size_t k = 0; k < 8; k++)
		ours &= gv_rd_is(digits[k], GV_C_DIGIT);
	return ours;
}

static void reserve_uuid(struct gv_redactor *r, const char *digits)
{
	uint64_t no;

	if (gv_to_u64((gv_str){ digits, 8 }, &no) && no <= GV_SECRETS_MAX)
		gv_rd_reserve(r, GV_SECRET_UUID, (uint32_t)no);
}

/* Only the first eight digits: as GPUs are named in CUDA_VISIBLE_DEVICES. */
static size_t short_uuid(struct gv_rd_scan *sc, size_t i)
{
	gv_str b = gv_sub(sc->s, 0, i);
	char digits[8];
	bool nought = true;

	if (!gv_ends(b, "GPU-") && !gv_ends(b, "MIG-"))
		return 0;
	for (size_t k = 0; k < 8; k++) {
		digits[k] = gv_rd_lower(sc->s.p[i + k]);
		nought &= k > 2 || digits[k] == '0';
	}
	if (nought) /* a pseudonym */
		return 8;
	if (sc->out) {
		gv_rd_flush(sc, i);
		gv_printf(sc->out, "%08u", uuid_number(sc->r, digits, 8));
		sc->kept = i + 8;
	}
	return 8;
}

/* What parts the groups: '-', '_', or systemd's "\x2d". */
static gv_str uuid_separator(gv_str s, size_t i)
{
	if (gv_rd_one_of(gv_rd_at(s, i), "-_"))
		return gv_sub(s, i, 1);
	return gv_starts(gv_from(s, i), "\\x2d") ? gv_sub(s, i, 4) : GV_NONE;
}

size_t gv_rd_uuid(struct gv_rd_scan *sc, size_t i)
{
	static const uint8_t group[] = { 8, 4, 4, 4, 12 };
	gv_str s = sc->s, sep = uuid_separator(s, i + 8);
	char digits[32];
	bool nought = true;
	size_t at = i, n = 0;

	if (hex_run(s, i, 9) != 8)
		return 0;
	if (!sep.n || hex_run(s, i + 8 + sep.n, 5) != 4)
		return gv_is(sep, "-") && gv_rd_is(gv_rd_at(s, i + 9), GV_C_HEX) ? 0 : short_uuid(sc, i);
	for (size_t g = 0; g < 5; g++) {
		if (g && !gv_eq(uuid_separator(s, at), sep))
			return 0;
		at += g ? sep.n : 0;
		if (hex_run(s, at, 13) != group[g])
			return 0;
		for (size_t k = 0; k < group[g]; k++, at++) {
			digits[n] = gv_rd_lower(s.p[at]);
			nought &= digits[n++] == '0';
		}
	}
	if (at < s.n && gv_rd_is(s.p[at], GV_C_ALNUM))
		return 0;
	if (nought || uuid_pseudonym(digits)) {
		if (!nought && !sc->out)
			reserve_uuid(sc->r, digits);
		return at - i;
	}
	if (sc->out) {
		gv_rd_flush(sc, i);
		gv_printf(sc->out, "%08u%.*s0000%.*s4000%.*s8000%.*s000000000000", uuid_number(sc->r, digits, 32),
			  GV_ARG(sep), GV_ARG(sep), GV_ARG(sep), GV_ARG(sep));
		sc->kept = at;
	}
	return at - i;
}

bool gv_rd_put_hex32(struct gv_redactor *r, gv_str value, struct gv_buf *out)
{
	char digits[32];

	if (value.n != 32 || hex_run(value, 0, 32) != 32)
		return false;
	for (size_t k = 0; k < 32; k++)
		digits[k] = gv_rd_lower(value.p[k]);
	if (uuid_pseudonym(digits)) {
		if (!out)
			reserve_uuid(r, digits);
		else
			gv_put(out, value);
		return true;
	}
	if (out)
		gv_printf(out, "%08u%s", uuid_number(r, digits, 32), uuid_tail);
	return true;
}
