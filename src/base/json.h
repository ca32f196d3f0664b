/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: a writer into a text buffer, and a pull tokenizer that keeps byte offsets. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#define GV_JSON_DEPTH 64 /* nesting, writing and reading */

/* Writer. Commas and indentation come by themselves: struct gv_json j = { .out = &buf, .pretty = true };
 * Strings always come out as valid UTF-8: each invalid byte becomes U+FFFD; U+0000..1F and U+007F..9F are escaped. */
struct gv_json {
	struct gv_buf *out;
	bool pretty; /* two blanks a level; else all on one line */
	unsigned depth;
	bool after_key;
	uint64_t is_object, has_items; /* a bit per level */
};

void gv_json_obj(struct gv_json *j); /* { */
void gv_json_arr(struct gv_json *j); /* [ */
void gv_json_end(struct gv_json *j); /* closes the innermost */
void gv_json_key(struct gv_json *j, const char *key);
void gv_json_key_str(struct gv_json *j, gv_str key);
void gv_json_str(struct gv_json *j, gv_str s);
void gv_json_strz(struct gv_json *j, const char *z); /* NULL writes null */
void gv_json_num(struct gv_json *j, double v); /* 15 digits, whole ones up to 2^53 in full; nan and inf write null */
void gv_json_u64(struct gv_json *j, uint64_t v);
void gv_json_i64(struct gv_json *j, int64_t v);
void gv_json_bool(struct gv_json *j, bool v);
void gv_json_null(struct gv_json *j);

/* Reader: struct gv_json_in in = { .text = text }; then gv_json_next() until GV_JSON_END or GV_JSON_ERROR, which
 * repeat. Stricter than needed nowhere, looser here: a UTF-8 byte order mark at the start is skipped, tabs inside
 * strings and invalid UTF-8 are let through, NaN and (-)Infinity, which Python writes, read as null. */
enum gv_json_kind {
	GV_JSON_ERROR,
	GV_JSON_END, /* of the text */
	GV_JSON_OBJ,
	GV_JSON_OBJ_END,
	GV_JSON_ARR,
	GV_JSON_ARR_END,
	GV_JSON_KEY,
	GV_JSON_STR,
	GV_JSON_NUM,
	GV_JSON_TRUE,
	GV_JSON_FALSE,
	GV_JSON_NULL,
};

struct gv_json_in {
	gv_str text;
	bool many; /* several values one after another (JSON lines) instead of one */
	/* The token at hand. */
	gv_str raw;	   /* a string or key without its quotes and still escaped, else the token as written */
	size_t at;	   /* its offset in text; that of the mistake on GV_JSON_ERROR */
	bool escaped;	   /* raw has escapes: use gv_json_unescape() */
	unsigned depth;	   /* levels open after this token */
	const char *error; /* what is wrong, on GV_JSON_ERROR */
	/* The reader's own. */
	size_t pos;
	uint64_t is_object;
	int state;
};

enum gv_json_kind gv_json_next(struct gv_json_in *in);
/* After a KEY: reads past its value. After OBJ or ARR: to its end. Else nothing. False on an error. */
bool gv_json_skip(struct gv_json_in *in, enum gv_json_kind kind);
/* The text of a string; lone surrogates become U+FFFD. Returns raw itself where it has no escape. */
gv_str gv_json_unescape(struct gv_arena *a, gv_str raw);
