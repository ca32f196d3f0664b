/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of a text format uses. A reader has no header of its own: it defines one `const struct gv_format
 * gv_format_<file>` and stands as a line in format.def.
 *
 * A reader never judges and never fails: what it cannot read it leaves out, with a reason where a value was expected.
 * It must accept what people paste: blanks instead of tabs, squeezed columns, lines missing at either end. */
#pragma once

#include "core/run.h"

#define GV_HEADS 28
#define GV_CMDS 6

struct gv_read;

struct gv_format {
	const char *name; /* of the tool's output: "nvidia-smi -q" */
	/* Literals (case-sensitive), one of which stands in the first line of such an output; NULL ends the list.
	 * claim() is called only at lines that hold one. */
	const char *heads[GV_HEADS];
	/* Words (often none), one of which stands in the command that printed it, where its lines have no literal worth
	 * looking for ("True"). claim() is called at the first lines of such a command's output too. */
	const char *cmds[GV_CMDS];
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
/* The same for one sample of a series, `ms` after its first. */
void gv_put_nth(struct gv_read *r, struct gv_entity *e, enum gv_fact f, double v, uint32_t sample, uint32_t ms,
		const struct gv_line *l);
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
/* Is the program in the command above the output, before any pipe? ret_value: of its option ("-i 3", "--id=3"), as
 * given; empty where it is not there. */
bool gv_cmd_option(const struct gv_seg *seg, const char *program, const char *brief, const char *full,
		   gv_str *ret_value);
/* Reads numbers like 12, and 1,234 where the tool groups digits. */
bool gv_blank_line(const struct gv_line *l);

/* ---- Trees (common_tree.c): headings with indented "Key : value" lines below them, as vendors' tools print them.
 * The same key means different things below different headings, so a key is looked up in the section it stands in.
 * Sections are told by indentation; where that is lost, by their names and by the keys that they cannot hold. ---- */

/* What is done with a value. The Enabled, Active and Yes of a flag have Disabled, Not Active and No as opposites. */
enum gv_tree_act {
	GV_TREE_NONE, /* known, nothing to read */
	GV_TREE_NUM,
	GV_TREE_TEXT,
	GV_TREE_WORDS, /* a text for which "None" is an answer */
	GV_TREE_MODE,  /* Enabled or Disabled, as a text */
	GV_TREE_ON,    /* the same as a flag */
	GV_TREE_ACTIVE,
	GV_TREE_YES,
	GV_TREE_OWN, /* this and what follows: the reader's own */
};

/* Sections are numbers of the reader's; these three are everybody's. */
enum {
	GV_TREE_TOP,	 /* no section */
	GV_TREE_UNKNOWN, /* a heading that is not in the table */
	GV_TREE_IGNORED, /* known, nothing is read in it */
	GV_TREE_SECTION, /* the reader's first */
};

/* Flags of a row. */
enum {
	GV_TREE_ALONE = 1, /* says what it means even where the heading above it is cut off */
	GV_TREE_FIRST = 2, /* an output may begin with it */
};

struct gv_tree_section {
	gv_str name;
	uint8_t id, parent;
	bool inner; /* the reader's */
};

struct gv_tree_row {
	gv_str key;
	uint8_t section, act, flags;
	uint16_t fact; /* of the acts that put one */
};

struct gv_tree_table {
	const struct gv_tree_section *section;
	size_t nsections;
	const struct gv_tree_row *row;
	size_t nrows;
	/* Is this section one of a group, whose number tables may name in its place? NULL: there are no groups. */
	bool (*member)(uint8_t id, uint8_t group);
};

#define GV_TREE_DEPTH 8

/* Where a reader stands. */
struct gv_tree {
	const struct gv_tree_table *table;
	bool flat; /* the indentation is lost */
	struct {
		uint8_t id;
		size_t indent;
	} at[GV_TREE_DEPTH];
	size_t depth;
};

/* "Key : value"; a heading, with or without a colon, gives an empty value. False for text of another shape. */
bool gv_tree_split(gv_str text, gv_str *ret_key, gv_str *ret_value);
/* How sure it is that a line belongs to such an output. */
enum gv_tree_shape { GV_TREE_NOT, GV_TREE_MAYBE, GV_TREE_WEAK, GV_TREE_STRONG };
/* A key of several words that the table knows is strong, one of a single word weak. */
enum gv_tree_shape gv_tree_shape(const struct gv_tree_table *t, gv_str text);
/* How many lines from l[0], which is one of them, belong to the output: up to the last known one that no NOT, prompt or
 * long unknown stretch parts from it. */
size_t gv_tree_extent(const struct gv_line *l, size_t n, enum gv_tree_shape (*shape)(gv_str text));
/* The next line with text, at most three away. */
const struct gv_line *gv_tree_next(const struct gv_line *l, size_t n);
/* Does a line, which may be NULL, stand in the section as one of its headings or rows? In an ignored one any known row:
 * claimed with its heading it cannot pass for the same key elsewhere. */
bool gv_tree_holds(const struct gv_tree_table *t, const struct gv_tree_section *s, const struct gv_line *l);
/* Is the indentation lost? So it is where no known heading is followed by a deeper line. */
bool gv_tree_flat(const struct gv_tree_table *t, const struct gv_line *l, size_t n);
/* NULL where there is none. */
const struct gv_tree_section *gv_tree_section_of(const struct gv_tree_table *t, gv_str name);
const struct gv_tree_row *gv_tree_row_of(const struct gv_tree_table *t, uint8_t section, gv_str key);
const struct gv_tree_row *gv_tree_any_row(const struct gv_tree_table *t, gv_str key, unsigned flags);
/* Could this be the value of that key, where the key alone must tell? Of the reader's own acts
 * it knows nothing and says yes to any value. */
bool gv_tree_fits(const struct gv_tree_row *row, gv_str v);
/* Leaves the sections that a line of this indentation cannot be in. */
void gv_tree_outdent(struct gv_tree *t, size_t indent);
/* Leaves all sections above which `parent`, a section or a group, does not stand; all where it is nowhere. */
void gv_tree_down_to(struct gv_tree *t, uint8_t parent);
void gv_tree_push(struct gv_tree *t, uint8_t id, size_t indent);
bool gv_tree_in(const struct gv_tree *t, uint8_t id);
/* The row that a key means here; NULL where it means nothing. A row found further out leaves what is inside of it. */
const struct gv_tree_row *gv_tree_find(struct gv_tree *t, gv_str key, gv_str value, size_t indent);
/* Writes the value of a row with an act that is not the reader's own. */
void gv_tree_put(struct gv_read *r, struct gv_entity *e, const struct gv_tree_row *row, gv_str v,
		 const struct gv_line *l);
/* True and the answer where v begins with one of the two. */
bool gv_yes_no(gv_str v, const char *yes, const char *no, bool *ret);

/* What the tools of sysstat begin with: "Linux 6.5.0 (server) 01/13/2026 _x86_64_ (64 CPU)". CPUs 0 where not stated. */
bool gv_sysstat_banner(gv_str line, gv_str *ret_kernel, gv_str *ret_host, double *ret_cpus);

/* The words of a header line that starts with '#' (dmon, pmon), which may be glued to the first; commas of --format csv go.
 * False where it is none, or has more than max words. */
bool gv_hash_words(gv_str text, gv_str *ret_words, size_t max, size_t *ret_n);

/* A word of /proc/mounts as it is meant: blanks, tabs, newlines and backslashes stand there as \040 and the like. */
gv_str gv_mount_name(struct gv_arena *a, gv_str word);
