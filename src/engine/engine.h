/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline: evidence in, report out. The only place that sees all tables. */
#pragma once

#include "base/buf.h"
#include "core/run.h"

struct gv_run *gv_run_new(struct gv_arena *a); /* default limits */

/* Adds evidence; -errno where PATH itself cannot be opened. */
int gv_add_path(struct gv_run *run, const char *path);
int gv_add_stdin(struct gv_run *run);
void gv_add_bytes(struct gv_run *run, gv_str name, gv_str bytes);

/* How to look at this machine. */
struct gv_look {
	const char *root; /* a recorded tree in its place; NULL: / */
	double span;	  /* seconds that counters are sampled; 0: one look */
	double every;	  /* seconds between samples */
	double timeout;	  /* seconds that one call of a driver may take */
	bool wake, no_load;
};
#define GV_LOOK ((struct gv_look){ .span = 2, .every = 0.1, .timeout = 5 })
int gv_add_live(struct gv_run *run, const struct gv_look *look); /* -errno where the root cannot be opened */

/* What `collect` does beside looking. */
struct gv_collect {
	struct gv_look look;
	const char *const *logs; /* files and folders */
	size_t nlogs;
	bool keep_names;
	const char *version;
	void (*said)(const char *what); /* progress; NULL: none */
};
/* Looks, runs, reads, and writes the bundle to fd. What came of it, line by line, is in ret_account. 0 or -errno of the writing, or
 * where the root cannot be opened. */
int gv_collect(struct gv_run *run, const struct gv_collect *o, int fd, struct gv_buf *ret_account);

/* Keeps what was read, after gv_read_all(), as a file from which the same report comes. 0 or -errno; what could not be kept is
 * told in ret_left_out, one line. */
int gv_save(const struct gv_run *run, const char *path, struct gv_buf *ret_left_out);

void gv_read_all(struct gv_run *run);  /* readers, signatures, derive */
void gv_judge_all(struct gv_run *run); /* checks, causes, verdict, texts */

/* The span of time that is judged: before the logs are read, and after that. */
void gv_window_begin(struct gv_run *run);
void gv_window_end(struct gv_run *run);

/* Parts, in the order in which gv_judge_all() calls them. */
void gv_run_checks(struct gv_run *run);
void gv_set_when(struct gv_run *run);
void gv_apply_site(struct gv_run *run);
void gv_hang_causes(struct gv_run *run);
void gv_count_effects(struct gv_run *run); /* again after findings were folded */
void gv_order_verdict(struct gv_run *run);
void gv_set_bound(struct gv_run *run);
void gv_set_stages(struct gv_run *run);
void gv_set_serials(struct gv_run *run);
void gv_tell_unknown(struct gv_run *run);
void gv_fill_texts(struct gv_run *run);

struct gv_check;
extern const struct gv_check *const gv_checks[];
extern const size_t gv_nchecks;
struct gv_format;
extern const struct gv_format *const gv_formats[];
extern const size_t gv_nformats;

/* cause.def, for the engine and the test that the graph has no circle. */
enum gv_join { GV_JOIN_ANY, GV_JOIN_NODE, GV_JOIN_GPU, GV_JOIN_SELF };
struct gv_cause {
	enum gv_kind effect, cause;
	enum gv_join join;
};
extern const struct gv_cause gv_causes[];
extern const size_t gv_ncauses;
