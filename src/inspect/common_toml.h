/* SPDX-License-Identifier: Apache-2.0 */
/* TOML as far as projects and lock files of Python use it, one table at a time, so that a file of any size needs the
 * memory of its largest table. Looser than the language: what a key is set to twice is told twice, numbers and dates
 * stay text. */
#pragma once

#include "base/arena.h"

#define GV_TOML_DEPTH 16
#define GV_TOML_NODES 200000 /* of one table */

enum gv_toml_kind { GV_TOML_TEXT, GV_TOML_OTHER, GV_TOML_LIST, GV_TOML_MAP };

struct gv_toml {
	enum gv_toml_kind kind;
	gv_str key;  /* of a member; dotted ones as written, without quotes: "tool.uv" */
	gv_str text; /* of a TEXT without escapes, of OTHER as written */
	uint32_t line;
	struct gv_toml *child, *next; /* in the order of the file */
};

struct gv_toml_table {
	gv_str path; /* "tool.poetry.dependencies"; empty: what stands above the first table */
	bool array;  /* [[path]] */
	uint32_t line;
	const struct gv_toml *first; /* its members */
};

/* Calls `table` for each; what it is given lives until it returns. 0, or -EINVAL and the line that is none of TOML:
 * what came before it has been told. */
int gv_toml_read(gv_str text, void (*table)(void *ctx, const struct gv_toml_table *t), void *ctx, uint32_t *ret_line);

const struct gv_toml *gv_toml_member(const struct gv_toml *first, const char *key); /* NULL: none */
gv_str gv_toml_text(const struct gv_toml *first, const char *key); /* of a TEXT or OTHER; empty where there is none */
