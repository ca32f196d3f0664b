/* SPDX-License-Identifier: Apache-2.0 */
/* Commands, with a time-out and a limit on what they may print. */
#pragma once

#include "base/arena.h"

enum gv_process_state {
	GV_PROCESS_RUNS,
	GV_PROCESS_ENDED,
	GV_PROCESS_LATE,  /* killed at its time-out */
	GV_PROCESS_STUCK, /* the same, and the kernel holds it: it is left behind */
};

struct gv_process;

/* Starts argv (ends with NULL), found by PATH and the places where administrators' tools are. Standard input is empty,
 * error goes where output goes, the language is C. 0; -ENOENT where it is not installed; -errno. */
int gv_process_start(const char *const *argv, double timeout, size_t limit, struct gv_process **ret);
enum gv_process_state gv_process_poll(struct gv_process *p, double wait);
/* What it printed so far. *ret_cut: there was more than the limit. */
gv_str gv_process_output(const struct gv_process *p, bool *ret_cut);
int gv_process_status(const struct gv_process *p); /* exit status, 128 + signal; -1 while unknown */
double gv_process_seconds(const struct gv_process *p);
void gv_process_free(struct gv_process *p); /* ends it where it runs */
