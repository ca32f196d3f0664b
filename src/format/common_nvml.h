/* SPDX-License-Identifier: Apache-2.0 */
/* What a line of NVML's transcript says. */
#pragma once

#include "format/common.h"

enum gv_said_what {
	GV_SAID_NOTHING,
	GV_SAID_ANSWER,
	GV_SAID_SILENT, /* no answer within the time-out */
	GV_SAID_DIED,	/* the call ended its process */
	GV_SAID_MISSING,
	GV_SAID_PROCESS,
	GV_SAID_LOADED, /* dlopen() */
	GV_SAID_NOT_LOADED,
	GV_SAID_REMARK, /* one that nothing is made of */
};

struct gv_said {
	enum gv_said_what what;
	bool tick;
	double t;
	gv_str name; /* as it stands there */
	gv_str call; /* without its version */
	bool about;  /* a GPU: its number, and the arguments behind it */
	uint64_t gpu;
	gv_str args;
	int64_t code;
	gv_str rest; /* the values, or NVML's words between brackets */
};

bool gv_said_parse(gv_str text, struct gv_said *s);
/* "key=value" among the values of an answer; empty where it is not there. */
gv_str gv_said_value(gv_str rest, gv_str key);
/* The text between quotation marks. */
gv_str gv_said_quoted(const struct gv_said *s);
