/* SPDX-License-Identifier: Apache-2.0 */
/* PCI addresses and lists of CPUs, in the spellings of all tools. */
#include "core/fact.h"

static bool hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t hex_run(gv_str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && hex(s.p[at + n]))
		n++;
	return n;
}

struct address {
	uint64_t domain, bus, dev, fn;
	bool full; /* with domain or function: not any "12:34" */
};

/* An address that starts at `at`; returns its length, 0 where there is none. */
static size_t address_at(gv_str s, size_t at, struct address *ret)
{
	struct address r = { 0 };
	uint64_t part[3];
	size_t n = 0, i = at, len[3];

	for (;;) {
		len[n] = hex_run(s, i);
		if (!len[n] || len[n] > 8 || !gv_hex_u64(gv_sub(s, i, len[n]), &part[n]))
			return 0;
		i += len[n++];
		if (n == 3 || i >= s.n || s.p[i] != ':' || !hex_run(s, i + 1))
			break;
		i++;
	}
	if (n == 3 && len[0] >= 4 && len[1] == 2 && len[2] == 2) {
		r = (struct address){ part[0], part[1], part[2], 0, true };
	} else if (n == 2 && len[0] == 2 && len[1] == 2) {
		r = (struct address){ 0, part[0], part[1], 0, false };
	} else {
		return 0;
	}
	if (i + 1 < s.n && s.p[i] == '.' && s.p[i + 1] >= '0' && s.p[i + 1] <= '7' && !hex_run(s, i + 2)) {
		r.fn = (uint64_t)(s.p[i + 1] - '0');
		r.full = true;
		i += 2;
	}
	if (r.dev > 31)
		return 0;
	*ret = r;
	return i - at;
}

static gv_str spelled(struct gv_arena *a, const struct address *r)
{
	return gv_fmt(a, "%04llx:%02llx:%02llx.%llx", (unsigned long long)r->domain, (unsigned long long)r->bus,
		      (unsigned long long)r->dev, (unsigned long long)r->fn);
}

bool gv_bus_id(struct gv_arena *a, gv_str s, gv_str *ret)
{
	struct address r;
	uint64_t bus;

	s = gv_trim(s);
	if (gv_starts(s, "PCI:"))
		s = gv_from(s, 4);
	if (gv_starts(s, "0x") && s.n <= 4 && gv_hex_u64(gv_from(s, 2), &bus)) {
		r = (struct address){ 0, bus, 0, 0, true };
		*ret = spelled(a, &r);
		return true;
	}
	if (!s.n || address_at(s, 0, &r) != s.n)
		return false;
	*ret = spelled(a, &r);
	return true;
}

bool gv_find_bus_id(struct gv_arena *a, gv_str line, gv_str *ret)
{
	struct address r;

	for (size_t i = 0; i < line.n; i++) {
		size_t n;

		if (!hex(line.p[i]) || (i && (hex(line.p[i - 1]) || line.p[i - 1] == '.' || line.p[i - 1] == '_')))
			continue;
		if (i > 1 && line.p[i - 1] == ':' && hex(line.p[i - 2]))
			continue; /* the middle of a MAC or a longer address */
		n = address_at(line, i, &r);
		if (n && r.full && (i + n >= line.n || (line.p[i + n] != ':' || i + n + 1 >= line.n || !hex(line.p[i + n + 1])))) {
			*ret = spelled(a, &r);
			return true;
		}
		if (n)
			i += n - 1;
	}
	return false;
}

/* Calls for every range; false where s is no list. */
static bool each_range(gv_str s, void (*f)(void *ctx, uint64_t lo, uint64_t hi), void *ctx)
{
	gv_str piece;
	bool any = false;

	s = gv_trim(s);
	while (gv_next(&s, ',', &piece)) {
		gv_str lo_s = gv_before(piece, "-"), hi_s = gv_after(piece, "-");
		uint64_t lo, hi;

		if (!gv_to_u64(lo_s, &lo))
			return false;
		hi = lo;
		if (hi_s.p && !gv_to_u64(hi_s, &hi))
			return false;
		if (hi < lo || hi > 1 << 20)
			return false;
		f(ctx, lo, hi);
		any = true;
	}
	return any;
}

struct want {
	uint64_t cpu;
	bool hit;
};

static void has(void *ctx, uint64_t lo, uint64_t hi)
{
	struct want *w = ctx;

	w->hit |= w->cpu >= lo && w->cpu <= hi;
}

bool gv_cpulist_has(gv_str list, unsigned cpu)
{
	struct want w = { cpu, false };

	return each_range(list, has, &w) && w.hit;
}

static void add(void *ctx, uint64_t lo, uint64_t hi)
{
	*(size_t *)ctx += hi - lo + 1;
}

size_t gv_cpulist_count(gv_str list)
{
	size_t n = 0;

	return each_range(list, add, &n) ? n : 0;
}

struct overlap {
	gv_str whole;
	uint64_t lo, hi;
	size_t n;
};

static void overlap_inner(void *ctx, uint64_t lo, uint64_t hi)
{
	struct overlap *o = ctx;
	uint64_t a = lo > o->lo ? lo : o->lo, b = hi < o->hi ? hi : o->hi;

	if (a <= b)
		o->n += b - a + 1;
}

static void overlap_outer(void *ctx, uint64_t lo, uint64_t hi)
{
	struct overlap *o = ctx;

	o->lo = lo;
	o->hi = hi;
	each_range(o->whole, overlap_inner, o);
}

double gv_cpulist_share(gv_str part, gv_str whole)
{
	struct overlap o = { .whole = whole };
	size_t n = gv_cpulist_count(part);

	if (!n || !gv_cpulist_count(whole))
		return -1;
	each_range(part, overlap_outer, &o);
	return o.n < n ? (double)o.n / (double)n : 1; /* lists that name a CPU twice count it twice */
}
