/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader; and what it takes, written again by the JSON writer, is the same. */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void write_token(struct gv_json *j, struct gv_arena *a, const struct gv_json_in *in, enum gv_json_kind k)
{
	double v = 0;

	switch (k) {
	case GV_JSON_OBJ:
		gv_json_obj(j);
		break;
	case GV_JSON_ARR:
		gv_json_arr(j);
		break;
	case GV_JSON_OBJ_END:
	case GV_JSON_ARR_END:
		gv_json_end(j);
		break;
	case GV_JSON_KEY:
		gv_json_key_str(j, gv_json_unescape(a, in->raw));
		break;
	case GV_JSON_STR:
		gv_json_str(j, gv_json_unescape(a, in->raw));
		break;
	case GV_JSON_NUM:
		if (gv_to_num(in->raw, &v) && v > -1e15 && v < 1e15 && v == (double)(int64_t)v)
			gv_json_num(j, v);
		else /* the 15 digits that are written do not bring the same number back */
			gv_json_strz(j, "number");
		break;
	case GV_JSON_TRUE:
	case GV_JSON_FALSE:
		gv_json_bool(j, k == GV_JSON_TRUE);
		break;
	default:
		gv_json_null(j);
	}
}

/* True where it was valid; what was read of it is in ret. */
static bool rewrite(struct gv_arena *a, gv_str text, bool many, bool pretty, struct gv_buf *ret)
{
	struct gv_json_in in = { .text = text, .many = many };
	struct gv_json j = { .out = ret, .pretty = pretty };
	enum gv_json_kind k;
	size_t last = 0;

	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		gv_fuzz_check(in.at >= last && in.at < text.n && in.depth <= GV_JSON_DEPTH);
		gv_fuzz_check(gv_fuzz_inside(in.raw, text));
		last = in.at;
		write_token(&j, a, &in, k);
		if (many && !in.depth)
			gv_putc(ret, '\n');
	}
	gv_fuzz_check(k == GV_JSON_END || (in.error && in.at <= text.n));
	gv_fuzz_check(gv_json_next(&in) == k);
	return k == GV_JSON_END;
}

static void skip_some(gv_str text)
{
	struct gv_json_in in = { .text = text };
	enum gv_json_kind k;

	for (size_t i = 0; (k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR; i++) {
		unsigned depth = in.depth;

		if (i % 3 == 2 && gv_json_skip(&in, k))
			gv_fuzz_check(k == GV_JSON_OBJ || k == GV_JSON_ARR ? in.depth == depth - 1 : in.depth == depth);
	}
}

void gv_fuzz_json(const uint8_t *data, size_t n)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_buf first = { 0 }, second = { 0 };
	gv_str text;

	if (!n)
		goto out;
	text = gv_fuzz_copy((gv_str){ (const char *)data + 1, n - 1 });
	if (rewrite(a, text, *data & 1, *data & 2, &first)) {
		gv_fuzz_check(rewrite(a, gv_buf_str(&first), *data & 1, *data & 2, &second));
		gv_fuzz_check(gv_eq(gv_buf_str(&first), gv_buf_str(&second)));
	}
	skip_some(text);
	free((char *)text.p);
out:
	gv_buf_free(&first);
	gv_buf_free(&second);
	gv_arena_free(a);
}
