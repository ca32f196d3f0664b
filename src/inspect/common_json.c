/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_json.h"

struct gv_js gv_js_open(struct gv_inspect *x, gv_str bytes)
{
	struct gv_js j = { .x = x, .in = { .text = bytes }, .line = 1 };

	j.kind = gv_json_next(&j.in);
	return j;
}

unsigned gv_js_enter(struct gv_js *j)
{
	return j->kind == GV_JSON_OBJ || j->kind == GV_JSON_ARR ? j->in.depth : 0;
}

static bool ended(const struct gv_js *j)
{
	return j->kind == GV_JSON_ERROR || j->kind == GV_JSON_END;
}

bool gv_js_member(struct gv_js *j, unsigned level)
{
	while (level && j->in.depth >= level && !ended(j)) {
		j->kind = gv_json_next(&j->in);
		if (ended(j) || j->in.depth < level)
			break;
		if (j->kind != GV_JSON_KEY || j->in.depth != level)
			continue;
		j->key = j->in.escaped ? gv_json_unescape(j->x->arena, j->in.raw) : j->in.raw;
		j->kind = gv_json_next(&j->in);
		return !ended(j);
	}
	return false;
}

bool gv_js_element(struct gv_js *j, unsigned level)
{
	while (level && j->in.depth >= level && !ended(j)) {
		j->kind = gv_json_next(&j->in);
		if (ended(j) || j->in.depth < level)
			break;
		if (j->kind == GV_JSON_OBJ || j->kind == GV_JSON_ARR
			? j->in.depth == level + 1
			: j->in.depth == level && j->kind != GV_JSON_OBJ_END && j->kind != GV_JSON_ARR_END)
			return true;
	}
	return false;
}

bool gv_js_true(const struct gv_js *j)
{
	return j->kind == GV_JSON_TRUE;
}

gv_str gv_js_text(struct gv_js *j)
{
	if (j->kind == GV_JSON_STR)
		return j->in.escaped ? gv_json_unescape(j->x->arena, j->in.raw) : j->in.raw;
	return j->kind == GV_JSON_NUM ? j->in.raw : GV_NONE;
}

uint32_t gv_js_line(struct gv_js *j)
{
	for (; j->counted < j->in.at; j->counted++)
		j->line += j->in.text.p[j->counted] == '\n';
	return j->line;
}

void gv_js_close(struct gv_js *j)
{
	if (j->kind == GV_JSON_ERROR)
		gv_file_note(j->x, "line %u: no valid JSON (%s): what follows is not read", gv_js_line(j),
			     j->in.error ? j->in.error : "cut off");
}
