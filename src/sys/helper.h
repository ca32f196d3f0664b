/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers: processes that make the calls that may block in the kernel (vendor libraries, /proc/driver, GPU sysfs,
 * network mounts). A helper announces each call before it makes it, and tells what came of it as lines of text. Silence
 * beyond the time-out ends it; a new one goes on without what hung. What was told before is kept. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* What a call is about. Where one hangs or ends the process, all further calls of its scope are left out: of one device
 * those of that device, of the library as a whole everything. */
#define GV_SCOPE_ALL (-1)
#define GV_SCOPES_MAX 1024

struct gv_teller; /* the helper's side */

/* Announces a call, to be made next, in the words that name it in the transcript: "nvmlDeviceGetName(0)". False: leave
 * it out (its scope is barred, or an earlier helper has the answer already). */
bool gv_ask(struct gv_teller *t, int scope, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for calls that each helper must make again since others rest on them (open, init, handles): only barred
 * scopes and an ended look leave them out. Their answer stands in the transcript once. */
bool gv_ask_setup(struct gv_teller *t, int scope, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The answer to the call announced last: one line, "nvmlDeviceGetName(0) = 0 "NVIDIA H100""; fmt is what stands behind
 * the name of the call. */
void gv_answer(struct gv_teller *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of a longer answer, as it is, without the name of the call; gv_answer() or gv_answer_none() follows. */
void gv_more(struct gv_teller *t, gv_str line);
void gv_answer_none(struct gv_teller *t); /* it came back, with nothing that is worth a line */
/* A line that is no answer: "nvmlDeviceGetRemappedRows: not in this library". Told once, however many helpers say it.
 */
void gv_tell(struct gv_teller *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For sampled calls: waits for the next tick and gives its moment (seconds since boot), which from now on stands as
 * "@12345.678 " in front of announced calls. False: the look is over. */
bool gv_tick(struct gv_teller *t);

struct gv_helper_job {
	void (*work)(struct gv_teller *t, void *ctx);
	void *ctx;
	double timeout; /* seconds of silence within one call */
	double setup;	/* the same within one of setup: starting a driver takes long; 0: as long as others */
	double until;	/* moment (gv_clock_boot()) at which gv_tick() ends */
	double every;	/* seconds between ticks */
	int keep;	/* an open file that `work` uses, besides the standard ones; 0: none */
};

enum gv_helper_state {
	GV_HELPER_RUNS,
	GV_HELPER_DONE,
	GV_HELPER_STUCK, /* a call hung in the kernel and its process cannot be ended: nothing further is started */
};

struct gv_helper;

/* 0 or -errno. */
int gv_helper_start(const struct gv_helper_job *job, struct gv_helper **ret);
/* Takes in what was told, ends a silent helper, starts the next one; waits up to `wait` seconds for something to come.
 */
enum gv_helper_state gv_helper_poll(struct gv_helper *h, double wait);
/* The transcript so far: whole lines. Calls that got no answer read "CALL: no answer within 5 s", "CALL: ended the
 * process (signal 11, Segmentation fault)". */
gv_str gv_helper_text(const struct gv_helper *h);
/* Processes that could not be ended. */
unsigned gv_helper_stuck(const struct gv_helper *h);
void gv_helper_free(struct gv_helper *h); /* ends it where it runs */
