/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line options: one table gives the parser, the text of --help and the check of the manual page. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum gv_opt_type {		  /* what stands at `offset` in the struct of values */
		   GV_OPT_FLAG,	  /* bool, becomes true */
		   GV_OPT_STRING, /* const char *, points into argv; the last one wins */
		   GV_OPT_LIST,	  /* struct gv_opt_list: each time it is given adds one */
		   GV_OPT_COUNT,  /* uint64_t: a whole number; where arg is NULL, how often the option was given */
		   GV_OPT_SIZE,	  /* uint64_t, bytes: gv_bytes() */
		   GV_OPT_TIME,	  /* double, seconds: gv_duration(), or a bare number of seconds */
		   GV_OPT_CHOICE, /* int, index into choices */
};

#define GV_OPT_LIST_MAX 32
struct gv_opt_list {
	const char *v[GV_OPT_LIST_MAX]; /* point into argv */
	size_t n;
};

struct gv_opt {
	const char *name; /* without the dashes; NULL ends the table */
	char brief;	  /* the one-letter form, 0 where none */
	const char *arg;  /* placeholder for the argument, "FILE"; NULL where it takes none */
	const char *help;
	enum gv_opt_type type;
	size_t offset;
	const char *const *choices; /* ends with NULL; help gets them appended */
};

/* argv[0] is skipped. "--x=v", "--x v", "-x v", "-xv", "-ab" for flags; "--" ends the options; options and other
 * arguments may be mixed; "-" is no option; nothing may be abbreviated. ret_args has room for argc views (each
 * NUL-terminated). 0, or -EINVAL with one line (no newline) in err; then the values are untouched. */
int gv_opt_parse(const struct gv_opt *table, int argc, char **argv, void *ret_values, gv_str *ret_args, size_t *ret_n,
		 struct gv_buf *err);

/* The usage lines as they are (ends with NULL), then the options, wrapped at 80 columns. */
void gv_opt_help(struct gv_buf *b, const struct gv_opt *table, const char *const *usage);

/* Writes a line to err for each option of the table that the manual page's source does not name ("--name" as a word),
 * and for each "--word" that begins a line of the page, behind markup, and is not in the table. How many there were. */
size_t gv_opt_check_page(const struct gv_opt *table, gv_str page, struct gv_buf *err);

/* The word nearest to `word` by edits (a third of its letters at most), else the first it abbreviates, else NULL. */
const char *gv_nearest(gv_str word, const char *const *words, size_t n);
