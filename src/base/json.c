/* SPDX-License-Identifier: Apache-2.0 */
/* The writer; the reader is in json_in.c. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static void newline(struct gv_json *j)
{
	if (j->pretty) {
		gv_putc(j->out, '\n');
		gv_pad(j->out, ' ', 2 * (size_t)j->depth);
	}
}

/* Before a key, or a value that follows no key. */
static void item(struct gv_json *j)
{
	uint64_t bit;

	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	bit = (uint64_t)1 << (j->depth - 1);
	if (j->has_items & bit)
		gv_puts(j->out, j->pretty ? "," : ", ");
	j->has_items |= bit;
	newline(j);
}

static void begin(struct gv_json *j, bool object)
{
	uint64_t bit;

	assert(j->depth < GV_JSON_DEPTH);
	item(j);
	gv_putc(j->out, object ? '{' : '[');
	bit = (uint64_t)1 << j->depth++;
	j->has_items &= ~bit;
	j->is_object = object ? j->is_object | bit : j->is_object & ~bit;
}

void gv_json_obj(struct gv_json *j)
{
	begin(j, true);
}

void gv_json_arr(struct gv_json *j)
{
	begin(j, false);
}

void gv_json_end(struct gv_json *j)
{
	uint64_t bit;

	assert(j->depth > 0 && !j->after_key);
	bit = (uint64_t)1 << --j->depth;
	if (j->has_items & bit)
		newline(j);
	gv_putc(j->out, j->is_object & bit ? '}' : ']');
	if (!j->depth && j->pretty)
		gv_putc(j->out, '\n');
}

/* Length of the valid UTF-8 sequence at p, 0 where there is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	size_t len = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || /* overlong, surrogate */
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))	  /* overlong, above U+10FFFF */
		return 0;
	return len;
}

static void escape(struct gv_buf *b, unsigned c)
{
	static const char brief[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (size_t i = 0; brief[i]; i += 2)
		if (c == (unsigned char)brief[i]) {
			gv_putc(b, '\\');
			gv_putc(b, brief[i + 1]);
			return;
		}
	gv_printf(b, "\\u%04x", c);
}

static void quote(struct gv_buf *b, gv_str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0, from = 0;

	gv_putc(b, '"');
	while (i < s.n) {
		size_t len = 1;
		bool plain = p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\';

		if (!plain && p[i] >= 0x80) {
			len = utf8_len(p + i, s.n - i);
			plain = len > 1 && !(p[i] == 0xc2 && p[i + 1] < 0xa0);
		}
		if (!plain) {
			gv_put(b, gv_sub(s, from, i - from));
			if (!len)
				gv_puts(b, "\xef\xbf\xbd");
			else
				escape(b, len == 2 ? p[i + 1] : p[i]); /* U+0080..9F are C2 80..9F */
			from = i + (len ? len : 1);
		}
		i += len ? len : 1;
	}
	gv_put(b, gv_from(s, from));
	gv_putc(b, '"');
}

void gv_json_key_str(struct gv_json *j, gv_str key)
{
	assert(j->depth && j->is_object >> (j->depth - 1) & 1 && !j->after_key);
	item(j);
	quote(j->out, key);
	gv_puts(j->out, ": ");
	j->after_key = true;
}

void gv_json_key(struct gv_json *j, const char *key)
{
	gv_json_key_str(j, gv_str_of(key));
}

void gv_json_str(struct gv_json *j, gv_str s)
{
	item(j);
	quote(j->out, s);
}

void gv_json_strz(struct gv_json *j, const char *z)
{
	if (z)
		gv_json_str(j, gv_str_of(z));
	else
		gv_json_null(j);
}

static void word(struct gv_json *j, const char *z)
{
	item(j);
	gv_puts(j->out, z);
}

void gv_json_num(struct gv_json *j, double v)
{
	char text[40];

	if (!isfinite(v)) {
		word(j, "null");
		return;
	}
	if (v == 0)
		snprintf(text, sizeof(text), "0"); /* never "-0" */
	else if (fabs(v) < 9007199254740992.0 && v == (double)(int64_t)v)
		snprintf(text, sizeof(text), "%.0f", v);
	else
		snprintf(text, sizeof(text), "%.15g", v);
	for (char *p = text; *p; p++)
		if (*p == ',') /* a locale's decimal point */
			*p = '.';
	word(j, text);
}

void gv_json_u64(struct gv_json *j, uint64_t v)
{
	item(j);
	gv_printf(j->out, "%llu", (unsigned long long)v);
}

void gv_json_i64(struct gv_json *j, int64_t v)
{
	item(j);
	gv_printf(j->out, "%lld", (long long)v);
}

void gv_json_bool(struct gv_json *j, bool v)
{
	word(j, v ? "true" : "false");
}

void gv_json_null(struct gv_json *j)
{
	word(j, "null");
}
