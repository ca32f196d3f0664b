/* SPDX-License-Identifier: Apache-2.0 */
/* Redaction of any bytes: as many lines, the same answer twice, and none of what it was told to hide. */
#include "core/redact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/evidence.h"
#include "fuzz.h"

static const char host[] = "zephyr-q17x", serial[] = "SN8842QX7719";

static size_t lines_of(gv_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

/* Is it there as a word of its own, between blanks? */
static bool stands(gv_str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, word, n) == 0 && (!i || isspace((unsigned char)s.p[i - 1])) &&
		    (i + n == s.n || isspace((unsigned char)s.p[i + n])))
			return true;
	return false;
}

void gv_fuzz_redact(const uint8_t *data, size_t n)
{
	gv_str s = gv_fuzz_copy((gv_str){ (const char *)data, n }), text, name;
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	struct gv_buf first = { 0 }, again = { 0 };
	bool is_text;

	gv_redact_know(r, GV_SECRET_HOST, gv_str_of(host));
	gv_redact_know(r, GV_SECRET_SERIAL, gv_str_of(serial));
	gv_redact_learn(r, GV_STR("node/log.txt"), s);
	is_text = gv_redact(r, GV_STR("node/log.txt"), s, &first);
	gv_fuzz_check(gv_redact(r, GV_STR("node/log.txt"), s, &again) == is_text);
	gv_fuzz_check(gv_eq(gv_buf_str(&first), gv_buf_str(&again)));
	gv_fuzz_check(gv_to_utf8(a, s, &text) == is_text);
	if (is_text)
		gv_fuzz_check(lines_of(gv_buf_str(&first)) == lines_of(text));
	gv_fuzz_check(!stands(gv_buf_str(&first), host) && !stands(gv_buf_str(&first), serial));
	name = gv_redact_name(r, s);
	gv_fuzz_check(!stands(name, host));
	for (size_t i = 0; i < GV_SECRETS; i++)
		gv_fuzz_check(gv_redact_count(r, (enum gv_secret)i) <= GV_SECRETS_MAX);
	gv_redact_summary(r, a);
	gv_buf_free(&first);
	gv_buf_free(&again);
	gv_arena_free(a);
	free((char *)s.p);
}
