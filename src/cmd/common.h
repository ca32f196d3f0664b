/* SPDX-License-Identifier: Apache-2.0 */
/* Commands. Each stands in a file of its own that defines `const struct gv_cmd gv_cmd_<name>`, and as a line in
 * cmd.def. A command writes into buffers; main() prints them at the end, and prints no output where the status is 64 or
 * more. */
#pragma once

#include "base/opt.h"
#include "engine/engine.h"
#include "report/common.h"

#define GV_VERSION_TEXT                                                                                                \
	"gpuvet " GV_VERSION "\nbuilt " GV_PARTS "\nreaders: checked on recordings only, not yet run on hardware\n"               \
	"NVML: checked against stand-ins for the library only, not yet run on hardware\n"

enum gv_exit {
	GV_EXIT_OK = 0,
	GV_EXIT_WARN = 1,
	GV_EXIT_FAIL = 2,
	GV_EXIT_UNKNOWN = 3, /* nothing could be judged */
	GV_EXIT_USAGE = 64,
	GV_EXIT_NOINPUT = 66, /* a PATH of the command line cannot be opened */
	GV_EXIT_INTERNAL = 70,
};

struct gv_call {
	struct gv_arena *arena;
	int argc;
	char **argv; /* argv[0] is the command's name */
	struct gv_buf *out;
	struct gv_buf *err; /* one line without newline: why it failed */
	bool color;	    /* the output goes to a terminal that may be coloured */
	struct gv_form form;
};

struct gv_cmd {
	const char *const *usage; /* lines in front of the options; ends with NULL */
	const struct gv_opt *options;
	int (*run)(struct gv_call *c); /* the exit status */
};

#define COMMAND(name, help) extern const struct gv_cmd gv_cmd_##name;
#include "cmd.def"
#undef COMMAND

/* The first member of every command's options. */
struct gv_basic {
	bool help, version;
};
/* clang-format off */
#define GV_BASIC_OPTIONS                                                                                               \
	{ .name = "help", .brief = 'h', .help = "print this help and exit", .type = GV_OPT_FLAG,                       \
	  .offset = offsetof(struct gv_basic, help) },                                                                 \
	{ .name = "version", .brief = 'V', .help = "print the version and exit", .type = GV_OPT_FLAG,		       \
	  .offset = offsetof(struct gv_basic, version) },							       \
	{ .name = NULL }

/* The limits on hostile input, as a member `limits` of the command's options. */
#define GV_LIMIT_OPTION(T, word, field, what, kind, placeholder)                                                       \
	{ .name = word, .arg = placeholder, .help = what, .type = kind,                                                \
	  .offset = offsetof(struct T, limits) + offsetof(struct gv_limit_opts, field) }
#define GV_LIMIT_OPTIONS(T)                                                                                            \
	GV_LIMIT_OPTION(T, "max-document", document, "a larger text is read as a log, see the manual [64MiB]", GV_OPT_SIZE, "SIZE"),    \
	GV_LIMIT_OPTION(T, "max-archive", archive, "bytes unpacked from archives in all [1GiB]", GV_OPT_SIZE, "SIZE"), \
	GV_LIMIT_OPTION(T, "max-members", members, "files in folders and archives [10000]", GV_OPT_COUNT, "N"),        \
	GV_LIMIT_OPTION(T, "max-line", line, "the rest of a longer line is skipped [1MiB]", GV_OPT_SIZE, "SIZE"),      \
	GV_LIMIT_OPTION(T, "max-nesting", nesting, "archives inside archives [4]", GV_OPT_COUNT, "N")
/* clang-format on */

struct gv_limit_opts {
	uint64_t document, archive, members, line, nesting; /* GV_UNSET: as it is */
};
#define GV_UNSET UINT64_MAX
#define GV_LIMITS_UNSET                                                                                                \
	{                                                                                                              \
		GV_UNSET, GV_UNSET, GV_UNSET, GV_UNSET, GV_UNSET                                                       \
	}

/* Looking at this machine, as a member `look` of the command's options. */
struct gv_look_opts {
	bool live, wake, no_load;
	const char *root, *save;
	double span, timeout; /* negative: as it is */
};
#define GV_LOOK_UNSET                                                                                                  \
	{                                                                                                              \
		.span = -1, .timeout = -1                                                                              \
	}
/* clang-format off */
#define GV_LOOK_OPTION(T, word, field, what, kind, placeholder)                                                        \
	{ .name = word, .arg = placeholder, .help = what, .type = kind,                                                \
	  .offset = offsetof(struct T, look) + offsetof(struct gv_look_opts, field) }
#define GV_LOOK_TIMES(T)                                                                                               \
	GV_LOOK_OPTION(T, "for", span, "how long counters are sampled, ten times a second; 0 looks once [2s]",         \
		       GV_OPT_TIME, "TIME"),                                                                           \
	GV_LOOK_OPTION(T, "timeout", timeout, "how long one call of a driver may take [5s]", GV_OPT_TIME, "TIME"),     \
	GV_LOOK_OPTION(T, "wake", wake, "ask GPUs that sleep, too", GV_OPT_FLAG, NULL),                                \
	GV_LOOK_OPTION(T, "no-load", no_load, "do not ask a driver that would have to load its state first",           \
		       GV_OPT_FLAG, NULL)
#define GV_LOOK_OPTIONS(T)                                                                                             \
	GV_LOOK_OPTION(T, "live", live, "look at this machine beside reading PATHs", GV_OPT_FLAG, NULL),               \
	GV_LOOK_OPTION(T, "root", root, "look at a recorded tree in place of /", GV_OPT_STRING, "DIR"),                \
	GV_LOOK_OPTION(T, "save", save, "keep exactly what this run saw, as a tar file that diagnose reads",           \
		       GV_OPT_STRING, "FILE"),                                                                         \
	GV_LOOK_TIMES(T)
/* clang-format on */

/* Parses the command line. -1: go on; else the exit status: --help and --version are done, or it is wrong. */
int gv_call_parse(struct gv_call *c, const struct gv_cmd *cmd, void *values, gv_str **ret_args, size_t *ret_n);
/* Whether the options fit a run that is live, or is not. -1: they do; else the exit status. */
int gv_call_check_look(struct gv_call *c, const struct gv_look_opts *o, bool live);
void gv_call_how(struct gv_look *how, const struct gv_look_opts *o); /* as the options say, where they do */
/* Adds the evidence: this machine where no PATH is named or --live is given, and what args name, within the limits; reads it,
 * and saves it where --save says so. 0, or the exit status. */
int gv_call_read(struct gv_call *c, struct gv_run *run, const struct gv_limit_opts *limits,
		 const struct gv_look_opts *look, const gv_str *args, size_t n);
