/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence: documents, their lines, and places in them that a report can quote. */
#pragma once

#include "base/arena.h"
#include "core/account.h"

struct gv_node;

enum gv_line_flag {
	GV_LINE_PROMPT = 1,  /* a shell prompt with a command, or a heading that names one */
	GV_LINE_FENCE = 2,   /* a Markdown fence */
	GV_LINE_CLAIMED = 4, /* some reader took it */
	GV_LINE_SIGNED = 8,  /* a log signature matched it */
	GV_LINE_OWN = 16,    /* belongs to a report by gpuvet: its text is empty */
};

/* One line. `raw` is the line as it stands, without its '\n', and what evidence quotes. `text` is what readers see:
 * without quote marks ("> "), ANSI sequences, what a '\r' overwrote, and the CR at the end; inside a block that was
 * pasted from a log, also without the log's prefix; of a log entry printed as a record of fields, the log line that it
 * stands for (see core/record.c). */
struct gv_line {
	gv_str raw;
	gv_str text;
	uint32_t no; /* from 1, counting '\n' */
	uint8_t flags;
};

enum gv_clock {
	GV_CLOCK_NONE,
	GV_CLOCK_BOOT, /* seconds since boot */
	GV_CLOCK_WALL, /* seconds since 1970; UTC where the zone was given, else in the zone of the document */
};

struct gv_time {
	double t;
	uint8_t clock; /* enum gv_clock */
	bool zone;     /* wall clock with a known zone */
	bool year;     /* the year was in the text (else: 1970, order within a document only) */
};

/* A run of lines that belong to one command: from a prompt to the next one, or a whole document. */
struct gv_seg {
	gv_str cmd;	/* the command line as typed; empty where none is known */
	gv_str host;	/* from the prompt; empty where unknown */
	size_t first, n; /* lines, the prompt's own line excluded */
	bool container; /* the command ran inside a container (docker run/exec, kubectl exec, ...) */
};

/* Lines that are kept of a document. A log of the largest size that is read has fewer, unless they are nearly empty, and
 * each costs more memory than its text then. */
#define GV_LINES_MAX (1 << 21)

struct gv_doc {
	gv_str name; /* as reports show it: the path below the PATH given, "-" for stdin, a.tar!b/c inside archives */
	gv_str text; /* UTF-8 */
	struct gv_line *lines;
	size_t nlines;
	struct gv_seg *segs;
	size_t nsegs;
	size_t index; /* position among the documents */
	gv_str stem;  /* what in the name may tell nodes apart: see derive/nodes */
	int8_t moment; /* the name says "before" (-1) or "after" (1): see derive/identity */
	bool log;     /* mostly lines with a log prefix */
	bool kernel;  /* a log, and some line near its front is the kernel's */
	uint32_t boots; /* boots that begin inside it (gv_sigs_scan) */
	struct gv_time last; /* stamp of its last dated log line; NONE where there is none */
	bool cut;     /* it has more lines than are kept */
	struct gv_account *look; /* the live look or the bundle of gpuvet's own that it is part of; NULL where none */
	bool no_log;  /* what a kernel or a library answered: log signatures mean nothing in it */
	gv_str note;  /* what was wrong with it (cut lines, invalid bytes); empty where nothing */
	struct gv_stream *stream; /* it is the beginning of a log that is not held, see core/stream.h; NULL: it is whole */
	gv_str own;   /* which lines of it are reports by gpuvet; empty where none */
};

/* Where a value was read. doc NULL = nowhere (derived). */
struct gv_place {
	const struct gv_doc *doc;
	uint32_t line; /* from 1 */
};

static inline struct gv_place gv_at(const struct gv_doc *doc, const struct gv_line *l)
{
	return (struct gv_place){ doc, l->no };
}

/* What could not be used at all, for the report's `unread`. */
struct gv_unread {
	gv_str file, why;
};

/* Splits text into lines and cleans them (prompts and fences are marked, segments set). */
void gv_doc_split(struct gv_arena *a, struct gv_doc *doc, size_t max_line);
/* Finds the reports by gpuvet in a document whose lines are cut, and empties the text of their lines. */
void gv_mark_own(struct gv_arena *a, struct gv_doc *doc);
/* A shell prompt, or a heading that names a command. */
bool gv_prompt(gv_str line, gv_str *ret_cmd, gv_str *ret_host);
bool gv_cmd_in_container(gv_str cmd);
/* journalctl of an earlier boot (-b -1), or what shows the kernel log of this one (dmesg, journalctl -b 0 or -k). */
bool gv_cmd_earlier_boot(gv_str cmd);
bool gv_cmd_this_boot(gv_str cmd);

/* Where a walk over the lines of a document stands in a report of nvidia-bug-report.sh. Sections begin with a rule of
 * underscores; what follows names a file ("*** /proc/version", then "*** ls: ...") or a command ("dmesg:"). */
struct gv_sections {
	bool inside; /* some line told that this is such a report */
	bool rule;   /* nothing but blank lines since the last rule */
	bool file;   /* the line before named a file */
};
enum gv_section { GV_SECTION_NONE, GV_SECTION_BEGINS, GV_SECTION_GOES_ON /* a heading, too: the output is below it */ };
/* Takes the next line. A section that begins: *ret_cmd is its command, empty where it has none. */
enum gv_section gv_section(struct gv_arena *a, struct gv_sections *s, gv_str line, gv_str *ret_cmd);

/* Any encoding to UTF-8: UTF-16 with or without BOM is converted, a BOM is dropped, invalid bytes become U+FFFD.
 * False where the bytes are binary (ret untouched). Valid UTF-8 is returned as the same view. */
bool gv_to_utf8(struct gv_arena *a, gv_str bytes, gv_str *ret);
enum gv_encoding { GV_BINARY, GV_UTF8 /* or nearly */, GV_UTF16_LITTLE, GV_UTF16_BIG };
enum gv_encoding gv_encoding_of(gv_str bytes); /* by their beginning */
/* UTF-16, without its byte order mark, as UTF-8 into `out`, which has room for GV_UTF16_ROOM(b.n); the length of that. What
 * is not whole at the end is left for later where more follows (`end` false): *ret_used says how much was taken. */
#define GV_UTF16_ROOM(n) ((n) / 2 * 3 + 4)
size_t gv_from_utf16(gv_str b, bool big, bool end, char *out, size_t *ret_used);
gv_str gv_valid_utf8(struct gv_arena *a, gv_str s); /* invalid bytes become U+FFFD; s itself where there are none */
/* What a line's text is, see struct gv_line; made in the arena where it is no part of raw. */
gv_str gv_clean_line(struct gv_arena *a, gv_str raw);
/* A copy without ANSI sequences (CSI, OSC, charset) and backspaces. */
gv_str gv_without_ansi(struct gv_arena *a, gv_str s);
/* A log entry that is one line of JSON (journalctl -o json, a container's log file), as a log line; false for others. */
bool gv_record_line(struct gv_arena *a, gv_str line, gv_str *ret);
/* The same for entries that take several lines: json-pretty, verbose, export, dmesg --json. */
void gv_read_records(struct gv_arena *a, struct gv_doc *doc);

/* What a log line starts with: `[12345.678901] `, dmesg -T, dmesg -x, syslog, journal (short, short-iso, -o with host),
 * RFC 3339, kmsg, kubectl --timestamps, compose "name | ", Python logging, glog, and stacked ones. */
struct gv_logline {
	struct gv_time when;
	double since;	     /* of dmesg -H: seconds since the line before it, where `delta` is set */
	bool delta;
	struct gv_time boot; /* the second stamp of "Jan 1 host kernel: [123.4] text" */
	gv_str host;	     /* "server" of syslog and journal lines */
	gv_str tag;	     /* "kernel", "sshd", "nvidia-fabricmanager"; empty where none */
	gv_str text;	     /* what follows all prefixes */
	bool kernel;	     /* from the kernel for sure: tag, or a boot stamp */
};

/* True where a prefix was found; ret->text is always set. */
bool gv_logline_parse(gv_str line, struct gv_logline *ret);
