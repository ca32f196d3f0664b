/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/cache_json.h"

#include "base/json.h"

#define VALUES_MAX 100000

void gv_cache_json(struct gv_arena *a, gv_str text, void (*got)(void *ctx, const struct gv_cache_value *v), void *ctx)
{
	struct gv_json_in in = { .text = text };
	gv_str key[GV_JSON_DEPTH + 1] = { 0 }; /* the last one of each level */
	size_t n = 0;

	for (;;) {
		enum gv_json_kind k = gv_json_next(&in);
		unsigned d = in.depth;

		switch (k) {
		case GV_JSON_ERROR:
		case GV_JSON_END:
			return;
		case GV_JSON_OBJ:
		case GV_JSON_ARR:
			key[d] = GV_NONE;
			break;
		case GV_JSON_KEY:
			key[d] = in.escaped ? gv_json_unescape(a, in.raw) : in.raw;
			break;
		case GV_JSON_STR:
		case GV_JSON_NUM: {
			struct gv_cache_value v = { .key = key[d], .string = k == GV_JSON_STR };

			if (n++ == VALUES_MAX)
				return;
			v.parent = d ? key[d - 1] : GV_NONE;
			v.text = in.escaped && v.string ? gv_json_unescape(a, in.raw) : in.raw;
			got(ctx, &v);
			break;
		}
		default:
			break;
		}
	}
}
