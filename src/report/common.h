/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: a run as text or JSON, written into a buffer. Each stands in a file of its own and as a line in report.def.
 * Nothing here prints, and nothing here judges. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "core/run.h"

/* What text looks like. NULL or width 0: 80 columns, UTF-8. */
struct gv_form {
	size_t width;
	bool ascii; /* the marks of gpuvet itself stay within ASCII */
};

struct gv_report_opts {
	const char *version;
	bool all;   /* text: everything, however long */
	bool color; /* text: with colours */
	struct gv_form form;
	unsigned require; /* stages that must be known, as bits */
};

struct gv_report {
	const char *name;
	void (*write)(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts);
};

#define REPORT(file) extern const struct gv_report gv_report_##file;
#include "report.def"
#undef REPORT

#define GV_PIECE 200 /* characters of a quoted line, the mark of a cut included */

/* The line of a place; NULL where the place is nowhere. */
const struct gv_line *gv_line_at(struct gv_place at);
/* The start of the line's raw text without blanks at the ends, at most max characters. *ret_cut: something was left
 * off, to be marked with "…" (for which room was left). */
gv_str gv_piece(gv_str raw, size_t max, bool *ret_cut);

/* Whether there is a wall-clock date, or anything at all, to show. */
bool gv_when_dated(struct gv_time t);
/* "2024-05-01T12:00:03", with Z where the zone was given; "--05-01T12:00:03" where the text has no year;
 * "boot+123.456s". False, and nothing written, where there is no time. */
bool gv_when_text(struct gv_buf *out, struct gv_time t);

/* A number as people write it: shortest form that keeps 6 digits; whole ones in full. */
void gv_put_number(struct gv_buf *out, double v);

/* Text for terminals. Control, zero-width and direction-changing characters become '.', tabs a blank, invalid bytes
 * U+FFFD; so a log line cannot steer the terminal. */
void gv_put_clean(struct gv_buf *out, gv_str s);
/* Columns that a clean text takes on a terminal. */
size_t gv_width(gv_str s);
#define GV_REPORT_WIDTH 80
/* "…", or "..." */
const char *gv_cut_mark(const struct gv_form *form);
/* Writes text word by word onto a line that holds `used` columns already, with `indent` blanks in front of each further
 * line; none is wider than the form. A number and its unit stay together. Ends with '\n'. */
void gv_put_wrapped(struct gv_buf *out, const struct gv_form *form, size_t used, size_t indent, gv_str text);
/* One line, cut at the right edge with a mark where it does not fit; clipped: without blanks in front. Ends with '\n'.
 */
void gv_put_row(struct gv_buf *out, const struct gv_form *form, size_t used, gv_str text);
void gv_put_clipped(struct gv_buf *out, const struct gv_form *form, size_t used, gv_str text);
/* Markdown as plain text: headings and lists without their marks, paragraphs wrapped, code as it stands. */
void gv_put_markdown(struct gv_buf *out, const struct gv_form *form, gv_str page);

/* Text in Markdown, as it stands; cell: within a table. */
void gv_put_prose(struct gv_buf *out, gv_str s, bool cell);

/* JSON pieces that the reports share. */
void gv_json_place(struct gv_json *j, struct gv_place at); /* {"file", "line", "text"} */
/* {"node", "type", "id"} of e and, where n, "also": a list of the same of the others; null where e is. */
void gv_json_on(struct gv_json *j, const struct gv_entity *e, const struct gv_entity *const *also, size_t n);
void gv_json_some(struct gv_json *j, const char *key, gv_str s);	 /* null where empty */
void gv_json_when(struct gv_json *j, const char *key, struct gv_time t); /* null where none */
void gv_json_unread(struct gv_json *j, const struct gv_run *run);
void gv_json_remarks(struct gv_json *j, const struct gv_run *run); /* of how a live look was made */

/* What is known of one fact of an entity. */
struct gv_shown {
	const struct gv_obs *obs; /* the observation that stands for it; NULL where nobody saw the fact */
	size_t samples;		  /* known ones in that output */
	double min, max;	  /* of those, where numbers */
};
struct gv_shown gv_show(const struct gv_entity *e, enum gv_fact f);
/* The observations in other outputs, one an output: start with *at = 0; false at the end. *ret_differs: a value of the
 * latest look that contradicts what stands for the fact. */
struct gv_other {
	const struct gv_obs *obs;
	size_t samples;
	bool differs;
};
bool gv_other(const struct gv_entity *e, enum gv_fact f, const struct gv_shown *s, size_t *at, struct gv_other *ret);
#define GV_NOT_SEEN "no output that was read shows it"
/* Joined entities, then sightings that belong to none: start with i = 0; NULL at the end. */
const struct gv_entity *gv_shown_entity(const struct gv_run *run, size_t *i);

/* The next run of lines that no reader claimed and no signature matched; blank lines, prompts and fences are none of
 * them, but blank ones do not end a run. Start with *at = 0; false at the end of the document. */
struct gv_stretch {
	uint32_t from, to; /* lines */
	size_t n;	   /* lines in it that are not blank */
	gv_str first;	   /* the first of them */
};
bool gv_unclaimed(const struct gv_doc *doc, size_t *at, struct gv_stretch *ret);

/* Which vendor's GPUs a node has: "nvidia", "amd", "intel", "mixed", "none" (an output says so), NULL unknown. */
const char *gv_vendor_word(const struct gv_run *run, const struct gv_entity *node);
/* GPUs of a node that were seen or counted; -1 none. *ret_sure: a count or a complete list says how many there are;
 * else there may be more. */
long gv_gpu_total(const struct gv_run *run, const struct gv_entity *node, bool *ret_sure);
/* First and last dated moment seen of a node; false where there is none. */
bool gv_span(const struct gv_run *run, const struct gv_entity *node, struct gv_time *ret_from, struct gv_time *ret_to);
