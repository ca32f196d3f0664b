/* SPDX-License-Identifier: Apache-2.0 */
/* YAML as a tree whose nodes know their lines. Stricter than the language, so that a file means what it seems to mean:
 * one document, no anchors, aliases or tags, every key once and a plain text, nesting of GV_YAML_DEPTH at most. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#define GV_YAML_DEPTH 8
#define GV_YAML_KEYS 1000 /* of one map */

enum gv_yaml_kind { GV_YAML_TEXT, GV_YAML_MAP, GV_YAML_LIST };

struct gv_yaml {
	enum gv_yaml_kind kind;
	bool plain;	       /* TEXT without quotes, and on one line */
	uint32_t line;	       /* from 1; of a member of a map that of its key */
	gv_str key;	       /* of a member of a map */
	gv_str text;	       /* of a TEXT */
	struct gv_yaml *child; /* of a MAP or LIST; in the order of the file */
	struct gv_yaml *next;
	size_t n; /* children */
};

/* Whether this build can read YAML at all. */
bool gv_yaml_there(void);
/* 0, the root in *ret_root: NULL where the text holds nothing but blanks and comments. -EINVAL and "name:line: what is
 * wrong" in err; -ENOTSUP where the build has no libyaml. */
int gv_yaml_parse(struct gv_arena *a, gv_str name, gv_str bytes, struct gv_yaml **ret_root, struct gv_buf *err);
/* "", null and ~ without quotes: a key to which nothing was written. */
bool gv_yaml_empty(const struct gv_yaml *y);

/* ---- Strict reading of a file that a person wrote ---- */

struct gv_yaml_file {
	struct gv_arena *arena;
	gv_str name;
	struct gv_buf *err;
};
/* Writes "name:line: ..." and returns -EINVAL. */
int gv_yaml_wrong(const struct gv_yaml_file *f, const struct gv_yaml *y, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "\"dsk-busy\" is no threshold; did you mean disk-busy?" */
int gv_yaml_unknown(const struct gv_yaml_file *f, const struct gv_yaml *y, gv_str word, const char *what,
		    const char *const *words, size_t n);

/* A key that a map may have, and what reads its value into `to`: 0, or -EINVAL with the reason said. */
struct gv_yaml_key {
	const char *name;
	int (*read)(void *to, const struct gv_yaml *y);
};
/* Reads each member of a map by its key; one behind which nothing is written is passed over. `what` is what the keys
 * are of: "a site file". -EINVAL where y is no map, at a key that is none of them, and at the first value that is
 * refused. */
int gv_yaml_map(const struct gv_yaml_file *f, const struct gv_yaml *y, const char *what, const struct gv_yaml_key *keys,
		size_t n, void *to);
