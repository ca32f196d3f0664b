/* SPDX-License-Identifier: Apache-2.0 */
/* ps in any of its forms (aux, -ef, -eo ...), and docker top: a header of known column names with PID among them. */
#include "format/common.h"

#define ROWS 4096
#define WORDS 64
#define NAME_MAX 160

static const char *const names[] = {
	"%CPU",	  "%MEM",  "ADDR",    "ARGS",	"BLOCKED", "C",	    "CGROUP", "CLS",   "CMD",	"COMM", "COMMAND",
	"CPU",	  "CPU%",  "ELAPSED", "EUSER",	"F",	   "GID",   "GROUP",  "LABEL", "LWP",	"MEM%", "NI",
	"NLWP",	  "NUMA",  "PCPU",    "PGID",	"PGRP",	   "PID",   "PMEM",   "POL",   "PPID",	"PRI",	"PSR",
	"RGROUP", "RSS",   "RSZ",     "RTPRIO", "RUSER",   "S",	    "SCH",    "SESS",  "SGI_P", "SID",	"SIZE",
	"SPID",	  "START", "STARTED", "STAT",	"STATE",   "STIME", "SZ",     "TGID",  "THCNT", "TID",	"TIME",
	"TPGID",  "TT",	   "TTY",     "UID",	"USER",	   "VSIZE", "VSZ",    "WCHAN",
};

static bool is_name(gv_str w)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (gv_is(w, names[i]))
			return true;
	return false;
}

struct header {
	struct gv_columns c;
	size_t pid;  /* the column of the id: of the thread where threads are listed */
	size_t text; /* the column whose cells may hold blanks (CMD, COMMAND); SIZE_MAX where there is none */
};

static bool parse_header(gv_str line, struct header *h)
{
	if (!gv_has(line, "PID"))
		return false;
	gv_columns(&h->c, line);
	h->pid = gv_column(&h->c, "PID");
	h->text = SIZE_MAX;
	if (h->pid == SIZE_MAX || h->c.n < 2 || h->c.n >= WORDS / 2)
		return false;
	for (size_t i = 0; i < h->c.n; i++) {
		gv_str w = h->c.name[i];

		if (!is_name(w))
			return false;
		if (gv_is(w, "CMD") || gv_is(w, "COMMAND") || gv_is(w, "COMM") || gv_is(w, "ARGS"))
			h->text = i;
		if (gv_is(w, "LWP") || gv_is(w, "SPID") || gv_is(w, "TID"))
			h->pid = i;
	}
	return true;
}

static bool one_of(gv_str w, const char *list)
{
	for (; *list; list += 3)
		if (gv_starts(w, (char[]){ list[0], list[1], list[2], 0 }))
			return true;
	return false;
}

/* How many words a cell of this column takes: dates have blanks in them ("Tue Jan 13 12:10:11 2026", "Jan 13"). */
static size_t width(gv_str column, gv_str word)
{
	if (!gv_is(column, "STARTED") && !gv_is(column, "START"))
		return 1;
	if (word.n == 3 && one_of(word, "MonTueWedThuFriSatSun"))
		return 5;
	return word.n == 3 && one_of(word, "JanFebMarAprMayJunJulAugSepOctNovDec") ? 2 : 1;
}

/* The cells of a row; false where it is none. */
static bool parse_row(gv_str line, const struct header *h, gv_str *cell)
{
	gv_str w[WORDS];
	size_t n = gv_words(line, w, WORDS), at = 0, i;
	uint64_t pid;

	/* The text is cut at WORDS only where it is the last column, which takes all that is left anyway. */
	if (n > WORDS && (h->text == SIZE_MAX || h->text + 1 < h->c.n))
		return false;
	n = n < WORDS ? n : WORDS;
	for (i = 0; i < h->c.n && at < n; i++) {
		size_t take = 1, after = h->c.n - i - 1;

		if (i == h->text && !after) {
			cell[i] = gv_trim(gv_from(line, (size_t)(w[at].p - line.p)));
			at = n;
			continue;
		}
		if (i == h->text)
			take = n > at + after ? n - at - after : 1;
		else
			take = width(h->c.name[i], w[at]);
		take = take < n - at ? take : n - at;
		cell[i] = gv_sub(line, (size_t)(w[at].p - line.p),
				 (size_t)(w[at + take - 1].p - w[at].p) + w[at + take - 1].n);
		at += take;
	}
	return i == h->c.n && at == n && gv_to_u64(cell[h->pid], &pid) && pid < (1u << 30);
}

static bool all_of(gv_str s, const char *chars)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr(chars, s.p[i]) || !s.p[i])
			return false;
	return s.n > 0;
}

/* A row of "ps aux" whose header a grep took away: "root 935 0.0 0.0 16488 4056 ? D May04 0:00 nvidia-smi". */
static bool is_aux_row(gv_str line)
{
	static const char digits[] = "0123456789", decimal[] = "0123456789.", clock[] = "0123456789:-";
	gv_str w[WORDS];

	return gv_words(line, w, WORDS) >= 11 && all_of(w[1], digits) && all_of(w[2], decimal) && gv_has(w[2], ".") &&
	       all_of(w[3], decimal) && gv_has(w[3], ".") && all_of(w[4], digits) && all_of(w[5], digits) &&
	       (gv_is(w[6], "?") || gv_has(w[6], "/") || gv_starts(w[6], "tty")) && strchr("DRSTtXZIW", w[7].p[0]) &&
	       all_of(w[9], clock) && gv_has(w[9], ":");
}

/* The columns of the output that begins here; *ret_rows says at which line its rows begin. */
static bool parse_begin(const struct gv_line *l, struct header *h, size_t *ret_rows)
{
	static const char *const aux = "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND";

	*ret_rows = 1;
	if (parse_header(l[0].text, h))
		return true;
	*ret_rows = 0;
	return is_aux_row(l[0].text) && parse_header(gv_str_of(aux), h);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str cell[WORDS];
	struct header h;
	size_t i;

	(void)seg;
	if (!parse_begin(l, &h, &i))
		return 0;
	while (i < n && parse_row(l[i].text, &h, cell))
		i++;
	return i;
}

static gv_str short_name(gv_str s)
{
	return gv_cut(gv_trim(s), NAME_MAX);
}

static void read_row(struct gv_read *r, const struct header *h, const gv_str *cell, const struct gv_line *l)
{
	static const char *const state[] = { "STAT", "STATE", "S" }, *const cpu[] = { "%CPU", "CPU%", "PCPU", "C" };
	struct gv_entity *e = gv_see(r, GV_PROC, cell[h->pid]);
	size_t c;

	gv_key(r, e, GV_KEY_PID, cell[h->pid]);
	if (h->text != SIZE_MAX)
		gv_put_str(r, e, GV_F_PROC_NAME, short_name(cell[h->text]), l);
	for (size_t i = 0; i < sizeof(state) / sizeof(state[0]); i++) {
		c = gv_column(&h->c, state[i]);
		if (c == SIZE_MAX)
			continue;
		gv_put_str(r, e, GV_F_PROC_STATE, cell[c], l);
		break;
	}
	for (size_t i = 0; i < h->c.n; i++)
		if (gv_is(h->c.name[i], "START") || gv_is(h->c.name[i], "STIME"))
			gv_put_str(r, e, GV_F_PROC_START, cell[i], l);
	for (size_t i = 0; i < sizeof(cpu) / sizeof(cpu[0]); i++) {
		c = gv_column(&h->c, cpu[i]);
		if (c == SIZE_MAX)
			continue;
		gv_put_cell(r, e, GV_F_PROC_CPU_UTIL, cell[c], l);
		break;
	}
}

static void read_ps(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str cell[WORDS];
	struct header h;
	size_t i;

	if (!parse_begin(l, &h, &i))
		return;
	for (; i < n && i <= ROWS; i++)
		if (parse_row(l[i].text, &h, cell))
			read_row(r, &h, cell, &l[i]);
}

const struct gv_format gv_format_ps = {
	.name = "ps",
	.heads = { "PID", " ? ", " pts/", " tty" },
	.claim = claim,
	.read = read_ps,
};
