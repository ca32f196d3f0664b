/* SPDX-License-Identifier: Apache-2.0 */
/* The table that nvidia-smi prints without options, of drivers R384 to R610: GPUs with two or three lines each, MIG
 * devices, processes. Widths and the number of blanks differ by driver and are often lost in pastes, so a line is told
 * by its cells between '|' and by the section it stands in. */
#include <string.h>

#include "core/stamp.h"
#include "format/common.h"

#define MAX_LINES 20000
#define MAX_GPUS 256
#define MAX_PROCS 4096
#define CELLS 6
#define WORDS 24

enum section { GPUS, MIG, PROCS };

struct table {
	struct gv_read *r;
	enum section in;
	struct gv_entity *gpu[MAX_GPUS];
	struct {
		bool broken, listed, mig_on;
		double mig_rows, mig_unc; /* mig_unc < 0: none was printed */
		const struct gv_line *mig_at;
	} state[MAX_GPUS];
	size_t ngpus, nprocs;
	size_t rows;				     /* of the GPU table */
	size_t at;				     /* the GPU whose lines are read; MAX_GPUS = none */
	unsigned row;				     /* lines of it that were read */
	bool titled;				     /* the line with the versions is there */
	const struct gv_line *mig_line, *procs_line; /* headings of the sections */
	bool mig_end, procs_rule, procs_end;	     /* the section was seen to its end */
};

/* The cells of a line between '|'. */
static size_t cells_of(gv_str line, gv_str *ret)
{
	gv_str piece;
	size_t n = 0;

	line = gv_trim(line);
	if (!line.n || line.p[0] != '|')
		return 0;
	line = gv_from(line, 1);
	while (n < CELLS && line.n && gv_next(&line, '|', &piece))
		ret[n++] = gv_trim(piece);
	return n;
}

static bool ruler(gv_str t) /* "+-----+", "|=====|" */
{
	return t.n >= 3 && (t.p[0] == '+' || t.p[0] == '|') && (t.p[1] == '-' || t.p[1] == '=');
}

static bool is_number(gv_str s)
{
	uint64_t v;

	return s.n && s.n < 8 && s.p[0] >= '0' && s.p[0] <= '9' && gv_to_u64(s, &v);
}

static gv_str first_word(gv_str s)
{
	gv_str w = GV_NONE;

	gv_word(&s, &w);
	return w;
}

/* "[GPU requires reset]" and the like: what a sick GPU prints where others have a value. */
static bool broken(gv_str cell)
{
	static const char *const words[] = {
		"ERR!",	       "Unknown Error", "[Unknown Error", "GPU requires reset", "[GPU requires reset",
		"GPU is lost", "[GPU is lost"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_starts(cell, words[i]))
			return true;
	return false;
}

/* First line of a GPU: "0  NVIDIA A100  On | 00000000:41:00.0 Off | 0". */
static bool is_gpu_line(const gv_str *cell, size_t n)
{
	gv_str bus;

	if (n < 2 || !is_number(first_word(cell[0])))
		return false;
	bus = first_word(cell[1]);
	return bus.n >= 7 && gv_find_c(bus, ':') > 0 && gv_find_c(bus, '.') > 0;
}

/* Second line: "34% 56C P0 265W / 400W | 61234MiB / 81920MiB | 92% Default". */
static bool is_load_line(const gv_str *cell, size_t n)
{
	return n >= 2 && n <= 3 && gv_has(cell[0], "/") && cell[1].n;
}

static bool is_type(gv_str w) /* C, G, C+G, M+C */
{
	if (!w.n || w.n > 5)
		return false;
	for (size_t i = 0; i < w.n; i++)
		if (!memchr("CGMO+", w.p[i], 5))
			return false;
	return true;
}

struct proc {
	gv_str gpu, pid, type, name, memory;
};

/* "0 N/A N/A 11345 C ./gpu_burn 15690MiB", before R450 without the two columns of MIG. The type tells which form it is,
 * so that a list that lost its header still reads. */
static bool proc_of(gv_str cell, struct proc *ret)
{
	gv_str w[5], rest = cell;
	size_t n = 0, last;

	while (n < 5 && gv_word(&rest, &w[n])) {
		n++;
		if (n >= 3 && is_type(w[n - 1]) && is_number(w[n - 2]))
			break;
	}
	if ((n != 3 && n != 5) || !is_type(w[n - 1]) || !is_number(w[n - 2]) || !is_number(w[0]))
		return false;
	rest = gv_trim(rest);
	for (last = rest.n; last > 0 && rest.p[last - 1] != ' ' && rest.p[last - 1] != '\t';)
		last--;
	*ret = (struct proc){ w[0], w[n - 2], w[n - 1], rest, GV_NONE };
	if (gv_ends(rest, "MiB") || gv_is(gv_from(rest, last), "N/A")) {
		ret->memory = gv_from(rest, last);
		ret->name = gv_trim(gv_sub(rest, 0, last));
	}
	return true;
}

static bool procs_heading(const struct gv_line *l, size_t n)
{
	if (!gv_has(l[0].text, "Processes:"))
		return false;
	for (size_t i = 1; i < n && i < 4; i++)
		if (gv_has(l[i].text, "PID") && gv_has(l[i].text, "Type"))
			return true;
	return false;
}

static bool begins(const struct gv_line *l, size_t n)
{
	gv_str t = gv_trim(l[0].text), cell[CELLS];
	struct proc p;
	size_t nc = cells_of(t, cell);

	if (!nc || ruler(t))
		return false;
	if (gv_has(t, "NVIDIA-SMI ") || gv_has(t, "Persistence-M") || gv_has(t, "Driver-Model") ||
	    gv_has(t, "MIG devices:"))
		return true;
	return procs_heading(l, n) || is_gpu_line(cell, nc) ||
	       (nc == 3 && is_load_line(cell, nc) && gv_has(cell[1], "MiB /")) || (nc == 1 && proc_of(cell[0], &p));
}

/* After blank lines only the other sections of the same table follow. */
static bool goes_on(const struct gv_line *l, size_t n)
{
	size_t i = 0;

	while (i < n && i < 3 && gv_blank_line(&l[i]))
		i++;
	if (i < n && ruler(gv_trim(l[i].text)))
		i++;
	return i < n && (procs_heading(&l[i], n - i) || gv_has(l[i].text, "MIG devices:"));
}

static size_t table_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i;

	(void)seg;
	if (!begins(l, n))
		return 0;
	for (i = 1; i < n && i < MAX_LINES; i++) {
		gv_str t = gv_trim(l[i].text);

		if (!t.n) {
			if (!goes_on(&l[i], n - i))
				break;
			continue;
		}
		if (t.p[0] != '|' && t.p[0] != '+')
			break;
		if (gv_has(t, "NVIDIA-SMI ")) { /* the next table of a loop; its upper rule belongs to it */
			if (i > 1 && ruler(gv_trim(l[i - 1].text)))
				i--;
			break;
		}
	}
	return i;
}

static size_t gpu_at(struct table *t, gv_str index)
{
	struct gv_entity *e;
	double v;

	for (size_t i = 0; i < t->ngpus; i++)
		if (gv_eq(t->gpu[i]->key[GV_KEY_INDEX], index))
			return i;
	if (t->ngpus == MAX_GPUS || !gv_to_num(index, &v))
		return MAX_GPUS;
	e = gv_see(t->r, GV_GPU, GV_NONE);
	gv_key(t->r, e, GV_KEY_INDEX, index);
	t->gpu[t->ngpus] = e;
	t->state[t->ngpus].mig_unc = -1;
	return t->ngpus++;
}

static size_t new_gpu(struct table *t, gv_str index, const struct gv_line *l)
{
	size_t had = t->ngpus, i = gpu_at(t, index);
	double v;

	if (i < MAX_GPUS && i == had) {
		gv_put_str(t->r, t->gpu[i], GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
		if (gv_to_num(index, &v))
			gv_put_num(t->r, t->gpu[i], GV_F_GPU_INDEX, v, l);
	}
	return i;
}

static void mark_broken(struct table *t, size_t i, gv_str cell, const struct gv_line *l)
{
	if (!broken(cell) || t->state[i].broken)
		return;
	t->state[i].broken = true;
	gv_put_str(t->r, t->gpu[i], GV_F_GPU_BROKEN, cell, l);
}

static void put_text(struct table *t, size_t i, enum gv_fact f, gv_str cell, const struct gv_line *l)
{
	const char *why;
	enum gv_state s = gv_no_value(cell, &why);

	if (s == GV_KNOWN)
		gv_put_str(t->r, t->gpu[i], f, cell, l);
	else
		gv_put_none(t->r, t->gpu[i], f, s, why, l);
}

static void read_title(struct table *t, gv_str text, const struct gv_line *l)
{
	struct gv_entity *node = gv_see_node(t->r);
	gv_str v;

	t->titled = true;
	v = first_word(gv_after(text, "NVIDIA-SMI "));
	if (is_number(gv_before(v, ".")))
		gv_put_str(t->r, node, GV_F_DRIVER_USER, v, l);
	v = first_word(gv_after(text, gv_has(text, "KMD Version:") ? "KMD Version:" : "Driver Version:"));
	if (is_number(gv_before(v, ".")))
		gv_put_str(t->r, node, GV_F_DRIVER_KERNEL, v, l);
	v = first_word(gv_after(text, gv_has(text, "CUDA UMD Version:") ? "CUDA UMD Version:" : "CUDA Version:"));
	if (v.n)
		gv_put_cell(t->r, node, GV_F_DRIVER_CUDA_MAX, v, l);
}

/* "Volatile Uncorr. ECC": a count, Off = ECC is switched off, On = MIG is enabled and the MIG table has the counts. */
static void read_ecc(struct table *t, size_t i, gv_str cell, const struct gv_line *l)
{
	struct gv_entity *e = t->gpu[i];

	if (gv_is(cell, "Off")) {
		gv_put_str(t->r, e, GV_F_GPU_ECC_MODE, GV_STR("Disabled"), l);
		gv_put_none(t->r, e, GV_F_GPU_ECC_UNC, GV_NOT_APPLICABLE, "ECC is off", l);
	} else if (gv_is(cell, "On")) {
		gv_put_none(t->r, e, GV_F_GPU_ECC_UNC, GV_UNKNOWN, "counted per MIG device", l);
	} else if (cell.n) {
		gv_put_cell(t->r, e, GV_F_GPU_ECC_UNC, cell, l);
		mark_broken(t, i, cell, l);
	}
}

static void read_gpu_line(struct table *t, const gv_str *cell, size_t n, const struct gv_line *l)
{
	gv_str index = first_word(cell[0]), name = gv_trim(gv_from(cell[0], index.n)), last, bus, rest;
	struct gv_entity *e;
	size_t i = new_gpu(t, index, l), cut;

	t->at = i;
	t->row = 1;
	t->rows++;
	if (i == MAX_GPUS)
		return;
	e = t->gpu[i];
	for (cut = name.n; cut > 0 && name.p[cut - 1] != ' ' && name.p[cut - 1] != '\t';)
		cut--;
	last = gv_from(name, cut);
	if (gv_is(last, "On") || gv_is(last, "Off"))
		gv_put_flag(t->r, e, GV_F_GPU_PERSISTENCE, gv_is(last, "On"), l);
	else if (gv_is(last, "N/A"))
		gv_put_none(t->r, e, GV_F_GPU_PERSISTENCE, GV_NOT_APPLICABLE, "the tool says N/A", l);
	else if (gv_is(last, "WDDM") || gv_is(last, "TCC") || gv_is(last, "MCDM")) /* driver models of Windows */
		gv_put_flag(t->r, gv_see_node(t->r), GV_F_WINDOWS, true, l);
	else
		cut = name.n;
	name = gv_trim(gv_sub(name, 0, cut));
	if (name.n)
		put_text(t, i, GV_F_GPU_NAME, name, l);
	mark_broken(t, i, name, l);
	rest = cell[1];
	if (gv_word(&rest, &bus)) {
		gv_key(t->r, e, GV_KEY_BUS, bus);
		gv_put_str(t->r, e, GV_F_GPU_BUS_ID, bus, l);
	}
	rest = gv_trim(rest);
	if (gv_is(rest, "On") || gv_is(rest, "Off"))
		gv_put_flag(t->r, e, GV_F_GPU_DISPLAY, gv_is(rest, "On"), l);
	if (n > 2)
		read_ecc(t, i, cell[2], l);
}

/* Splits "a / b" at the slash that is not part of "N/A". */
static bool ratio(gv_str s, gv_str *ret_a, gv_str *ret_b)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '/' || (i > 0 && i + 1 < s.n && s.p[i - 1] == 'N' && s.p[i + 1] == 'A'))
			continue;
		*ret_a = gv_trim(gv_sub(s, 0, i));
		*ret_b = gv_trim(gv_from(s, i + 1));
		return true;
	}
	return false;
}

/* Fan, temperature and state tell themselves apart by their unit; a cell without a value goes by its place. */
static void read_sensor(struct table *t, size_t i, size_t place, gv_str w, const struct gv_line *l)
{
	static const enum gv_fact by_place[] = { GV_F_GPU_FAN, GV_F_GPU_TEMP, GV_F_GPU_PSTATE };
	struct gv_entity *e = t->gpu[i];
	const char *why;

	if (w.n >= 2 && w.p[0] == 'P' && is_number(gv_from(w, 1)))
		gv_put_str(t->r, e, GV_F_GPU_PSTATE, w, l);
	else if (gv_ends(w, "C") && is_number(gv_sub(w, 0, w.n - 1)))
		gv_put_cell(t->r, e, GV_F_GPU_TEMP, w, l);
	else if (gv_ends(w, "%") || (place == 0 && is_number(w)))
		gv_put_cell(t->r, e, GV_F_GPU_FAN, w, l);
	else if (place < 3 && gv_no_value(w, &why) != GV_KNOWN)
		gv_put_none(t->r, e, by_place[place], gv_no_value(w, &why), why, l);
	if (place > 0) /* a fan that does not answer is no sick GPU */
		mark_broken(t, i, w, l);
}

static void read_load_line(struct table *t, const gv_str *cell, size_t n, const struct gv_line *l)
{
	size_t i = t->at, nw;
	struct gv_entity *e = t->gpu[i];
	gv_str a, b, w[WORDS], rest, mode;

	if (ratio(cell[0], &a, &b)) {
		nw = gv_words(a, w, WORDS);
		for (size_t k = 0; k + 1 < nw && k < WORDS; k++)
			read_sensor(t, i, k, w[k], l);
		if (nw && nw <= WORDS) {
			gv_put_cell(t->r, e, GV_F_GPU_POWER, w[nw - 1], l);
			mark_broken(t, i, w[nw - 1], l);
		}
		gv_put_cell(t->r, e, GV_F_GPU_POWER_LIMIT, b, l);
	}
	if (ratio(cell[1], &a, &b)) {
		gv_put_cell(t->r, e, GV_F_GPU_MEM_USED, a, l);
		gv_put_cell(t->r, e, GV_F_GPU_MEM_TOTAL, b, l);
	} else {
		gv_put_cell(t->r, e, GV_F_GPU_MEM_USED, cell[1], l);
		gv_put_cell(t->r, e, GV_F_GPU_MEM_TOTAL, cell[1], l);
	}
	mark_broken(t, i, cell[1], l);
	if (n < 3)
		return;
	rest = cell[2];
	if (!gv_word(&rest, &a))
		return;
	gv_put_cell(t->r, e, GV_F_GPU_UTIL, a, l);
	mark_broken(t, i, a, l);
	mode = gv_trim(rest);
	if (gv_is(mode, "E. Process"))
		mode = GV_STR("Exclusive_Process");
	if (mode.n)
		put_text(t, i, GV_F_GPU_COMPUTE_MODE, mode, l);
}

/* Third line, since R450: "Disabled", "Enabled", "N/A"; a '*' says that the other mode comes with the next reset. */
static void read_mig_mode(struct table *t, gv_str cell, const struct gv_line *l)
{
	bool pending = gv_ends(cell, "*");
	gv_str now = pending ? gv_trim(gv_sub(cell, 0, cell.n - 1)) : cell;
	struct gv_entity *e = t->gpu[t->at];

	put_text(t, t->at, GV_F_GPU_MIG, now, l);
	mark_broken(t, t->at, now, l);
	t->state[t->at].mig_on = gv_is(now, "Enabled");
	if (pending && (gv_is(now, "Enabled") || gv_is(now, "Disabled")))
		gv_put_str(t->r, e, GV_F_GPU_MIG_PENDING,
			   gv_is(now, "Enabled") ? GV_STR("Disabled") : GV_STR("Enabled"), l);
}

static void read_gpu_section(struct table *t, const struct gv_line *l)
{
	gv_str cell[CELLS], text = gv_trim(l->text);
	size_t n = cells_of(text, cell);

	if (ruler(text)) {
		t->at = MAX_GPUS;
		return;
	}
	if (is_gpu_line(cell, n)) {
		read_gpu_line(t, cell, n, l);
	} else if (t->at < MAX_GPUS && t->row == 1 && is_load_line(cell, n)) {
		read_load_line(t, cell, n, l);
		t->row = 2;
	} else if (t->at < MAX_GPUS && t->row == 2 && n == 3 && !cell[0].n && !cell[1].n && cell[2].n) {
		read_mig_mode(t, cell[2], l);
		t->row = 3;
	}
}

/* A MIG device: "0 2 0 0 | 11091MiB / 40448MiB | 60 0 | 3 0 3 0 3"; its errors are the second number of the third cell.
 */
static void read_mig_section(struct table *t, const struct gv_line *l)
{
	gv_str cell[CELLS], w[WORDS], text = gv_trim(l->text);
	size_t n = cells_of(text, cell), nw, i;
	double unc;

	t->mig_end |= gv_has(text, "No MIG devices found");
	nw = n ? gv_words(cell[0], w, WORDS) : 0;
	if (nw != 4 || !is_number(w[0]) || !is_number(w[1]) || !is_number(w[2]) || !is_number(w[3]))
		return;
	i = new_gpu(t, w[0], l);
	if (i == MAX_GPUS)
		return;
	t->state[i].mig_rows++;
	t->state[i].mig_at = l;
	/* Two compute instances of one GPU instance print the same count, so the worst one stands for the GPU. */
	if (n > 2 && gv_words(cell[2], w, WORDS) == 2 && is_number(w[1]) && gv_to_num(w[1], &unc) &&
	    unc > t->state[i].mig_unc)
		t->state[i].mig_unc = unc;
}

static void read_proc_section(struct table *t, const struct gv_line *l)
{
	gv_str cell[CELLS], text = gv_trim(l->text);
	size_t n = cells_of(text, cell), i;
	struct gv_entity *e;
	struct proc p;
	const char *why;

	if (ruler(text)) {
		t->procs_end |= t->procs_rule && text.p[0] == '+';
		t->procs_rule |= text.p[1] == '=';
		return;
	}
	if (n == 0)
		return;
	if (gv_has(cell[0], "Not Supported") && is_number(first_word(cell[0]))) { /* boards that list no processes */
		i = new_gpu(t, first_word(cell[0]), l);
		if (i < MAX_GPUS && !t->state[i].listed)
			gv_put_none(t->r, t->gpu[i], GV_F_GPU_PROCESS_LIST, GV_NOT_APPLICABLE,
				    "not supported on this device", l);
		if (i < MAX_GPUS)
			t->state[i].listed = true;
		return;
	}
	if (!proc_of(cell[0], &p) || t->nprocs == MAX_PROCS)
		return;
	i = new_gpu(t, p.gpu, l);
	if (i == MAX_GPUS)
		return;
	if (!t->state[i].listed)
		gv_put_flag(t->r, t->gpu[i], GV_F_GPU_PROCESS_LIST, true, l);
	t->state[i].listed = true;
	t->nprocs++;
	e = gv_see(t->r, GV_PROC, p.pid);
	gv_key(t->r, e, GV_KEY_PID, p.pid);
	e->parent = t->gpu[i];
	gv_put_str(t->r, e, GV_F_PROC_TYPE, p.type, l);
	if (gv_no_value(p.name, &why) == GV_KNOWN)
		gv_put_str(t->r, e, GV_F_PROC_NAME, p.name, l);
	if (p.memory.n)
		gv_put_cell(t->r, e, GV_F_PROC_GPU_MEM, p.memory, l);
}

/* "Tue Jul 14 08:12:38 2026" */
static bool date_of(gv_str s, struct gv_time *ret)
{
	uint64_t month, day, year;
	double seconds;
	size_t digits;
	char point;

	s = gv_trim(s);
	if (s.n < 20 || s.n > 40 || s.p[3] != ' ')
		return false;
	s = gv_from(s, 4);
	if (!gv_take_month(&s, &month) || !gv_skip_blanks(&s) || !gv_take_num(&s, 1, 2, &day) || !gv_skip_blanks(&s) ||
	    !gv_take_clock(&s, &seconds, &point, &digits) || !gv_skip_blanks(&s))
		return false;
	return gv_take_num(&s, 4, 4, &year) && !s.n && year >= 2000 && gv_wall_time(ret, year, month, day, seconds);
}

/* The date stands above the table's upper rule, so before what was claimed. */
static void read_date(struct gv_read *r)
{
	size_t at = r->block->first, least = r->block->seg->first;
	struct gv_line *lines = r->doc->lines;

	if (at > least && ruler(gv_trim(lines[at - 1].text)))
		lines[--at].flags |= GV_LINE_CLAIMED;
	if (at > least && date_of(lines[at - 1].text, &r->block->when))
		lines[at - 1].flags |= GV_LINE_CLAIMED;
}

/* The number of GPUs is only what a whole table says: all options and pipes that drop rows leave it unknown. */
static void put_count(struct table *t, const struct gv_line *l, size_t n)
{
	struct gv_read *r = t->r;
	gv_str cmd = r->block->seg->cmd;
	const struct gv_line *lines = r->doc->lines;
	size_t after = r->block->first + n;

	if (!t->titled || !t->rows || !gv_is(t->gpu[0]->key[GV_KEY_INDEX], "0"))
		return;
	if (gv_has(cmd, " -i ") || gv_has(cmd, " -i=") || gv_has(cmd, "--id") ||
	    (gv_has(cmd, "|") && !gv_has(cmd, "| tee")))
		return;
	if (!ruler(gv_trim(l[n - 1].text)))
		return;
	/* A GPU that is lost ends the table, with its error below. */
	for (size_t k = after; k < r->doc->nlines && k < after + 2; k++)
		if (gv_starts(gv_trim(lines[k].text), "Unable to determine"))
			return;
	gv_put_num(r, gv_see_node(r), r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT, (double)t->rows,
		   l);
}

static void finish(struct table *t)
{
	struct gv_read *r = t->r;

	for (size_t i = 0; i < t->ngpus; i++) {
		if (t->procs_end && t->procs_line && !t->state[i].listed)
			gv_put_flag(r, t->gpu[i], GV_F_GPU_PROCESS_LIST, false, t->procs_line);
		if (t->state[i].mig_rows > 0)
			gv_put_num(r, t->gpu[i], GV_F_GPU_MIG_DEVICES, t->state[i].mig_rows, t->state[i].mig_at);
		else if (t->mig_end && t->state[i].mig_on)
			gv_put_num(r, t->gpu[i], GV_F_GPU_MIG_DEVICES, 0, t->mig_line);
		if (t->state[i].mig_unc >= 0)
			gv_put_num(r, t->gpu[i], GV_F_GPU_ECC_UNC, t->state[i].mig_unc, t->state[i].mig_at);
	}
}

static void table_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct table table = { .r = r, .at = MAX_GPUS }, *t = &table; /* off the arena: a paste may hold 100,000 of them */
	struct proc p;
	gv_str cell[CELLS];

	read_date(r);
	/* A list of processes that lost its heading. */
	if (cells_of(l[0].text, cell) == 1 && proc_of(cell[0], &p))
		t->in = PROCS;
	for (size_t i = 0; i < n; i++) {
		gv_str text = gv_trim(l[i].text);

		if (gv_has(text, "NVIDIA-SMI ")) {
			read_title(t, text, &l[i]);
		} else if (procs_heading(&l[i], n - i)) {
			t->mig_end |=
			    t->in == MIG; /* its rows are ruled off one by one, so only what follows ends it */
			t->in = PROCS;
			t->procs_line = &l[i];
		} else if (gv_has(text, "MIG devices:")) {
			t->in = MIG;
			t->mig_line = &l[i];
		} else if (t->in == GPUS) {
			read_gpu_section(t, &l[i]);
		} else if (t->in == MIG) {
			read_mig_section(t, &l[i]);
		} else {
			read_proc_section(t, &l[i]);
		}
	}
	finish(t);
	put_count(t, l, n);
}

const struct gv_format gv_format_nvidia_smi = {
	.name = "nvidia-smi",
	.heads = { "NVIDIA-SMI ", "Persistence-M", "Driver-Model", "Processes:", "MIG devices:", ":00.0 Off",
		   ":00.0 On", ":00.0  On", ".0     O", "MiB |" },
	.claim = table_claim,
	.read = table_read,
};
