/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of a text format uses. A reader has no header of its own: it defines one `const struct gv_format
 * gv_format_<file>` and stands as a line in format.def.
 *
 * A reader never judges and never fails: what it cannot read it leaves out, with a reason where a value was expected.
 * It must accept what people paste: blanks instead of tabs, squeezed columns, lines missing at either end. */
#pragma once

#include "core/run.h"

#define GV_HEADS 28

struct gv_read;

struct gv_format {
	const char *name; /* of the tool's output: "nvidia-smi -q" */
	/* Literals (case-sensitive), one of which stands in the first line of such an output; NULL ends the list.
	 * claim() is called only at lines that hold one. */
	const char *heads[GV_HEADS];
	/* How many lines from l[0] belong to this output: 0 = it is not ours. n lines are left in the segment. */
	size_t (*claim)(const struct gv_line *l, size_t n, const struct gv_seg *seg);
	/* Reads what claim() took. */
	void (*read)(struct gv_read *r, const struct gv_line *l, size_t n);
};

/* One reading. */
struct gv_read {
	struct gv_run *run;
	struct gv_arena *arena;
	struct gv_doc *doc;
	struct gv_block *block;
};

/* A new sighting. id may be empty where a key is set. For GV_NODE use gv_see_node(). */
struct gv_entity *gv_see(struct gv_read *r, enum gv_entity_kind k, gv_str id);
struct gv_entity *gv_see_node(struct gv_read *r); /* the machine this block is from; one per block */
void gv_key(struct gv_read *r, struct gv_entity *e, enum gv_key key, gv_str value); /* bus ids are normalised here */

void gv_put_num(struct gv_read *r, struct gv_entity *e, enum gv_fact f, double v, const struct gv_line *l);
void gv_put_str(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str v, const struct gv_line *l); /* trimmed */
void gv_put_flag(struct gv_read *r, struct gv_entity *e, enum gv_fact f, bool v, const struct gv_line *l);
void gv_put_none(struct gv_read *r, struct gv_entity *e, enum gv_fact f, enum gv_state s, const char *reason,
		 const struct gv_line *l);
/* A cell of text into a NUM fact: "92%", "265W", "61234MiB", "N/A", "[Not Supported]": leading number, its unit ignored
 * unless `unit` says that the value may come in others (KiB, MiB, GiB -> MiB). Spellings of "no value" become unknown or
 * not applicable. False where it was no number. */
bool gv_put_cell(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, const struct gv_line *l);
/* The same for one sample of a series. */
bool gv_put_sample(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, uint32_t sample,
		   const struct gv_line *l);
/* "N/A", "[N/A]", "-", "Not Supported", "Unknown Error", "ERR!", ... : GV_KNOWN = s is a value. */
enum gv_state gv_no_value(gv_str s, const char **ret_reason);

/* Cells of a line by the header above it: columns are told apart by runs of blanks or tabs. Returns the column's number
 * in the header, or SIZE_MAX. */
struct gv_columns {
	gv_str name[64];
	size_t n;
};
void gv_columns(struct gv_columns *c, gv_str header_line);
size_t gv_column(const struct gv_columns *c, const char *name);
/* The cell of a row split by gv_words(); empty where missing. */
gv_str gv_cell_of(const struct gv_columns *c, const gv_str *words, size_t nwords, const char *name);

/* "Key : value" and "Key: value": splits at the first ':' that is followed by a blank or ends the line. */
bool gv_key_value(gv_str line, gv_str *ret_key, gv_str *ret_value);
/* Reads numbers like 12, and 1,234 where the tool groups digits. */
bool gv_blank_line(const struct gv_line *l);
