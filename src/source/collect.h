/* SPDX-License-Identifier: Apache-2.0 */
/* The usual commands of a GPU node, as documents: "$ COMMAND" and what it printed. */
#pragma once

#include "core/run.h"

/* Runs those that are installed, some at a time, each with its time-out (times `patience`) and a limit on its output,
 * and adds their documents below "commands/". What came of each is a line in ret_account: "ran: ...", "left out: ...",
 * "unread: ...". said, where not NULL, is told what is waited for. */
void gv_collect_commands(struct gv_run *run, double patience, struct gv_buf *ret_account,
			 void (*said)(const char *what));
/* A log file, its end where it is large; or a folder of them, below "logs/". -errno where it cannot be opened at all.
 */
int gv_collect_log(struct gv_run *run, const char *path, struct gv_buf *ret_account);
