/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands that judge: the site's file, and the span of time. */
#pragma once

#include "cmd/common.h"

#define GV_SITE_FILE "/etc/gpuvet/site.yaml"
#define GV_SITE_BYTES ((size_t)1 << 20)

struct gv_site_opts {
	const char *site, *need, *today, *since, *until;
	bool none;
};

/* clang-format off */
/* As a member `site` of the command's options. */
#define GV_SITE_OPTION(T, word, field, what, kind, placeholder)                                                        \
	{ .name = word, .arg = placeholder, .help = what, .type = kind,                                                \
	  .offset = offsetof(struct T, site) + offsetof(struct gv_site_opts, field) }
#define GV_SITE_OPTIONS(T)                                                                                             \
	GV_SITE_OPTION(T, "site", site, "limits, accepted findings and expectations of this site, see gpuvet-site(5) "    \
		       "[$GPUVET_SITE, else " GV_SITE_FILE " where it is there]", GV_OPT_STRING, "FILE"),              \
	GV_SITE_OPTION(T, "no-site", none, "read no site file", GV_OPT_FLAG, NULL),                                    \
	GV_SITE_OPTION(T, "need", need, "the rate that the job needs of its input, as 2.4GB/s", GV_OPT_STRING, "RATE"),\
	GV_SITE_OPTION(T, "today", today, "the day on which acceptances of the site file expire or not, for replays "  \
		       "and tests [the day in UTC]", GV_OPT_STRING, "DATE"),                                            \
	GV_SITE_OPTION(T, "since", since, "leave out log lines, and dated outputs, before this: a date with or "       \
		       "without time, 2h (before the last dated line), boot", GV_OPT_STRING, "WHEN"),                 \
	GV_SITE_OPTION(T, "until", until, "the same after this", GV_OPT_STRING, "WHEN")
/* clang-format on */

/* Reads what they name and tells the run, before any evidence is read. 0, or the exit status. */
int gv_call_site(struct gv_call *c, struct gv_run *run, const struct gv_site_opts *o);
