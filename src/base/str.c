/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <string.h>

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool gv_eq_nocase(gv_str a, gv_str b)
{
	return a.n == b.n && same_nocase(a.p, b.p, a.n);
}

int gv_cmp(gv_str a, gv_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

int gv_cmp_natural(gv_str a, gv_str b)
{
	size_t i = 0, j = 0;

	while (i < a.n && j < b.n) {
		if (digit(a.p[i]) && digit(b.p[j])) {
			size_t di, dj;
			int c;

			while (i < a.n && a.p[i] == '0')
				i++;
			while (j < b.n && b.p[j] == '0')
				j++;
			for (di = i; di < a.n && digit(a.p[di]); di++)
				;
			for (dj = j; dj < b.n && digit(b.p[dj]); dj++)
				;
			if (di - i != dj - j)
				return di - i < dj - j ? -1 : 1;
			c = di > i ? memcmp(a.p + i, b.p + j, di - i) : 0;
			if (c)
				return c;
			i = di;
			j = dj;
			continue;
		}
		if (a.p[i] != b.p[j])
			return (unsigned char)a.p[i] < (unsigned char)b.p[j] ? -1 : 1;
		i++;
		j++;
	}
	if (i < a.n || j < b.n)
		return i < a.n ? 1 : -1;
	return gv_cmp(a, b); /* "01" and "1" differ only here */
}

bool gv_starts_nocase(gv_str s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && same_nocase(s.p, z, n);
}

ptrdiff_t gv_find(gv_str s, const char *z)
{
	size_t n = strlen(z);
	const char *hit = s.n >= n && n ? memmem(s.p, s.n, z, n) : NULL;

	return hit ? hit - s.p : -1;
}

ptrdiff_t gv_rfind(gv_str s, const char *z)
{
	size_t n = strlen(z);

	for (size_t i = s.n + 1; n && i-- > 0;)
		if (s.n - i >= n && memcmp(s.p + i, z, n) == 0)
			return (ptrdiff_t)i;
	return -1;
}

ptrdiff_t gv_find_c(gv_str s, char c)
{
	const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;

	return hit ? hit - s.p : -1;
}

bool gv_has(gv_str s, const char *z)
{
	return gv_find(s, z) >= 0;
}

bool gv_has_nocase(gv_str s, const char *z)
{
	size_t n = strlen(z);

	for (size_t i = 0; i + n <= s.n; i++)
		if (same_nocase(s.p + i, z, n))
			return true;
	return false;
}

gv_str gv_sub(gv_str s, size_t from, size_t n)
{
	if (from > s.n)
		from = s.n;
	if (n > s.n - from)
		n = s.n - from;
	return (gv_str){ s.p ? s.p + from : NULL, n };
}

gv_str gv_from(gv_str s, size_t from)
{
	return gv_sub(s, from, SIZE_MAX);
}

gv_str gv_cut(gv_str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max--;
	return gv_sub(s, 0, max);
}

gv_str gv_rtrim(gv_str s)
{
	while (s.n && blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

gv_str gv_trim(gv_str s)
{
	while (s.n && blank(*s.p)) {
		s.p++;
		s.n--;
	}
	return gv_rtrim(s);
}

size_t gv_indent(gv_str s)
{
	size_t w = 0;

	for (size_t i = 0; i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'); i++)
		w = s.p[i] == '\t' ? (w / 8 + 1) * 8 : w + 1;
	return w;
}

gv_str gv_after(gv_str s, const char *z)
{
	ptrdiff_t at = gv_find(s, z);

	return at < 0 ? GV_NONE : gv_from(s, (size_t)at + strlen(z));
}

gv_str gv_before(gv_str s, const char *z)
{
	ptrdiff_t at = gv_find(s, z);

	return at < 0 ? s : gv_sub(s, 0, (size_t)at);
}

gv_str gv_between(gv_str s, const char *open, const char *close)
{
	gv_str t = gv_after(s, open);
	ptrdiff_t at = t.p ? gv_find(t, close) : -1;

	return at < 0 ? GV_NONE : gv_sub(t, 0, (size_t)at);
}

bool gv_next(gv_str *rest, char sep, gv_str *ret_piece)
{
	ptrdiff_t at;

	if (!rest->p)
		return false;
	at = gv_find_c(*rest, sep);
	if (at < 0) {
		*ret_piece = *rest;
		*rest = GV_NONE;
		return true;
	}
	*ret_piece = gv_sub(*rest, 0, (size_t)at);
	*rest = gv_from(*rest, (size_t)at + 1);
	return true;
}

bool gv_word(gv_str *rest, gv_str *ret_word)
{
	size_t i = 0, from;

	while (i < rest->n && blank(rest->p[i]))
		i++;
	from = i;
	while (i < rest->n && !blank(rest->p[i]))
		i++;
	if (i == from) {
		*rest = gv_from(*rest, i);
		return false;
	}
	*ret_word = gv_sub(*rest, from, i - from);
	*rest = gv_from(*rest, i);
	return true;
}

size_t gv_words(gv_str s, gv_str *ret_words, size_t max)
{
	gv_str w;
	size_t n = 0;

	while (gv_word(&s, &w)) {
		if (n < max)
			ret_words[n] = w;
		n++;
	}
	return n;
}

/* strtod would take the locale's point and words like "nan"; this takes what tools print. */
bool gv_lead_num(gv_str s, double *ret, gv_str *ret_rest)
{
	size_t i = 0, digits = 0;
	double v = 0, scale = 1;
	bool neg = false;

	while (i < s.n && blank(s.p[i]))
		i++;
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		neg = s.p[i++] == '-';
	for (; i < s.n && digit(s.p[i]); i++, digits++)
		v = v * 10 + (s.p[i] - '0');
	if (i + 1 < s.n && s.p[i] == '.' && digit(s.p[i + 1]))
		for (i++; i < s.n && digit(s.p[i]); i++, digits++) {
			scale /= 10;
			v += scale * (s.p[i] - '0');
		}
	if (!digits)
		return false;
	if (i + 1 < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		size_t j = i + 1;
		bool eneg = false;
		int e = 0;

		if (s.p[j] == '-' || s.p[j] == '+')
			eneg = s.p[j++] == '-';
		if (j < s.n && digit(s.p[j])) {
			for (; j < s.n && digit(s.p[j]); j++)
				e = e < 400 ? e * 10 + (s.p[j] - '0') : e;
			while (e-- > 0)
				v = eneg ? v / 10 : v * 10;
			i = j;
		}
	}
	*ret = neg ? -v : v;
	if (ret_rest)
		*ret_rest = gv_from(s, i);
	return true;
}

bool gv_to_num(gv_str s, double *ret)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(s, &v, &rest) || gv_trim(rest).n)
		return false;
	*ret = v;
	return true;
}

bool gv_hex_u64(gv_str s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!s.n || s.n > 16)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = lower(s.p[i]);

		if (!digit(c) && !(c >= 'a' && c <= 'f'))
			return false;
		v = v << 4 | (uint64_t)(digit(c) ? c - '0' : c - 'a' + 10);
	}
	*ret = v;
	return true;
}

bool gv_to_u64(gv_str s, uint64_t *ret)
{
	uint64_t v = 0;

	s = gv_trim(s);
	if (gv_starts(s, "0x") || gv_starts(s, "0X"))
		return gv_hex_u64(gv_from(s, 2), ret);
	if (!s.n || s.n > 20)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		uint64_t d = (uint64_t)(s.p[i] - '0');

		if (!digit(s.p[i]) || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*ret = v;
	return true;
}

int gv_cmp_version(gv_str a, gv_str b)
{
	gv_str x, y;

	for (;;) {
		bool more_a = gv_next(&a, '.', &x), more_b = gv_next(&b, '.', &y);
		double va = 0, vb = 0;

		if (!more_a && !more_b)
			return 0;
		if (more_a)
			gv_lead_num(x, &va, NULL);
		if (more_b)
			gv_lead_num(y, &vb, NULL);
		if (va != vb)
			return va < vb ? -1 : 1;
	}
}
