/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents, read once and front to back: members and elements of the level that the caller is at; what he does
 *not look at is skipped.
 *
 *	struct gv_js j = gv_js_open(x, bytes);
 *	unsigned top = gv_js_enter(&j);
 *	while (gv_js_member(&j, top)) { if (gv_is(j.key, "name")) name = gv_js_text(&j); }
 *	gv_js_close(&j); */
#pragma once

#include "base/json.h"
#include "inspect/inventory.h"

struct gv_js {
	struct gv_inspect *x;
	struct gv_json_in in;
	gv_str key;		/* of the member at hand, without escapes */
	enum gv_json_kind kind; /* of the value at hand */
	size_t counted;
	uint32_t line;
};

struct gv_js gv_js_open(struct gv_inspect *x, gv_str bytes);
/* The level of the object or list that begins here, for those below; 0 where none begins. At first: that of the
 * document. */
unsigned gv_js_enter(struct gv_js *j);
bool gv_js_member(struct gv_js *j, unsigned level);
bool gv_js_element(struct gv_js *j, unsigned level);
bool gv_js_true(const struct gv_js *j);
gv_str gv_js_text(struct gv_js *j);   /* of a string or number; empty for others */
uint32_t gv_js_line(struct gv_js *j); /* on which the value at hand stands */
void gv_js_close(struct gv_js *j);    /* notes where it is no JSON */
