/* SPDX-License-Identifier: Apache-2.0 */
/* iostat, plain and extended (-x), of all sysstat generations. The unit of a rate is in its column's name (rkB/s,
 * rMB/s, rsec/s). The first report is the average since boot, which -y leaves out. */
#include "base/map.h"
#include "format/common.h"

#define WORDS 64

static bool numeric(gv_str w)
{
	double v;

	return gv_lead_num(w, &v, NULL);
}

static bool is_cpu_header(gv_str line)
{
	return gv_starts(line, "avg-cpu:") && gv_has(line, "%idle");
}

/* The device column stands first, or last in the human-readable form. */
static bool is_disk_header(gv_str line)
{
	bool names = gv_starts(line, "Device ") || gv_starts(line, "Device:") || gv_starts(line, "Device\t") ||
		     gv_ends(line, " Device");

	return names && (gv_has(line, "/s") || gv_has(line, "%util"));
}

static size_t device_column(const struct gv_columns *c)
{
	size_t i = gv_column(c, "Device");

	return i == SIZE_MAX ? gv_column(c, "Device:") : i;
}

static size_t row_words(gv_str line, gv_str *w)
{
	size_t n = gv_words(line, w, WORDS);

	return n < WORDS ? n : WORDS;
}

/* A row of a device table: numbers but for the device's name. Prose may begin with a word and a number, too; so most of
 * the columns must be there, and the first three be numbers. */
static bool is_disk_row(gv_str line, const struct gv_columns *c)
{
	gv_str w[WORDS];
	size_t n = row_words(line, w), at = device_column(c), numbers = 0;

	if (at == SIZE_MAX || at >= n || n < 2 || n * 2 < c->n || gv_ends(w[at], ":"))
		return false;
	for (size_t i = at ? 0 : 1; i < n && numeric(w[i]); i++)
		numbers++;
	return numbers >= 3 || numbers + 1 >= c->n;
}

/* "01/13/2026 12:10:11 PM" or "2026-01-13T12:10:11+0100" above a report (-t). */
static bool is_stamp(gv_str line)
{
	return line.n >= 10 && line.n < 40 && line.p[0] >= '0' && line.p[0] <= '9' && gv_find_c(line, ':') > 0 &&
	       (gv_find_c(line, '/') > 0 || gv_find_c(line, '-') > 0 || gv_find_c(line, '.') > 0);
}

enum line_kind { OTHER, BLANK, STAMP, CPU_HEADER, CPU_ROW, DISK_HEADER, DISK_ROW };

struct scan {
	enum line_kind last; /* the last header or row */
	struct gv_columns cpu, disk;
};

static enum line_kind kind_of(struct scan *s, gv_str line)
{
	line = gv_trim(line);
	if (!line.n) {
		if (s->last == DISK_ROW || s->last == CPU_ROW)
			s->last = BLANK; /* a table ends at a blank line */
		return BLANK;
	}
	if (is_cpu_header(line)) {
		gv_columns(&s->cpu, line);
		return s->last = CPU_HEADER;
	}
	if (is_disk_header(line)) {
		gv_columns(&s->disk, line);
		return s->last = DISK_HEADER;
	}
	if (s->last == CPU_HEADER && numeric(line))
		return s->last = CPU_ROW;
	if ((s->last == DISK_HEADER || s->last == DISK_ROW) && is_disk_row(line, &s->disk))
		return s->last = DISK_ROW;
	if (is_stamp(line))
		return s->last = STAMP;
	return OTHER;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct scan s = { 0 };
	gv_str kernel, host;
	size_t i = 0, end = 0;
	double cpus;

	(void)seg;
	if (gv_sysstat_banner(gv_trim(l[0].text), &kernel, &host, &cpus))
		for (i = 1; i < n && i < 5 && (gv_blank_line(&l[i]) || is_stamp(gv_trim(l[i].text))); i++)
			;
	if (i >= n || (!is_cpu_header(gv_trim(l[i].text)) && !is_disk_header(gv_trim(l[i].text))))
		return 0;
	for (; i < n; i++) {
		enum line_kind k = kind_of(&s, l[i].text);

		if (k == OTHER)
			break;
		if (k != BLANK && k != STAMP)
			end = i + 1;
	}
	return end;
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_map disk; /* name -> entity */
	size_t reports;	    /* in all */
	size_t report;	    /* at hand, from 0 */
	size_t skip;	    /* reports at the start that are not kept */
	int boot;	    /* 1: the values are averages since boot, 0: they are not, -1: not known */
	bool omits_idle;    /* -z */
};

static void put(struct reading *x, struct gv_entity *e, enum gv_fact f, double v, const struct gv_line *l)
{
	gv_put_nth(x->r, e, f, v, (uint32_t)(x->report - x->skip), 0, l);
}

/* A number with a decimal point or comma, and the letter behind it. */
static bool number(gv_str cell, double *ret, char *ret_unit)
{
	gv_str rest;
	double v, frac, scale = 1;
	size_t digits = 0;

	if (!gv_lead_num(cell, &v, &rest) || v < 0)
		return false;
	if (rest.n > 1 && rest.p[0] == ',') {
		rest = gv_from(rest, 1);
		for (; digits < rest.n && digits < 6 && rest.p[digits] >= '0' && rest.p[digits] <= '9'; digits++)
			scale *= 10;
		if (gv_to_num(gv_sub(rest, 0, digits), &frac))
			v += frac / scale;
		rest = gv_from(rest, digits);
	}
	*ret = v;
	*ret_unit = rest.n == 1 ? rest.p[0] : 0;
	return true;
}

#define KB 1.0
#define MB 1024.0
#define SECTOR 0.5 /* 512 bytes */
static const struct {
	const char *col;
	enum gv_fact fact;
	double to_kb; /* 0: no size */
} columns[] = {
	{ "r/s", GV_F_DISK_RPS, 0 },
	{ "w/s", GV_F_DISK_WPS, 0 },
	{ "rkB/s", GV_F_DISK_RKB, KB },
	{ "wkB/s", GV_F_DISK_WKB, KB },
	{ "rMB/s", GV_F_DISK_RKB, MB },
	{ "wMB/s", GV_F_DISK_WKB, MB },
	{ "rsec/s", GV_F_DISK_RKB, SECTOR },
	{ "wsec/s", GV_F_DISK_WKB, SECTOR },
	{ "kB_read/s", GV_F_DISK_RKB, KB },
	{ "kB_wrtn/s", GV_F_DISK_WKB, KB },
	{ "MB_read/s", GV_F_DISK_RKB, MB },
	{ "MB_wrtn/s", GV_F_DISK_WKB, MB },
	{ "Blk_read/s", GV_F_DISK_RKB, SECTOR },
	{ "Blk_wrtn/s", GV_F_DISK_WKB, SECTOR },
	{ "await", GV_F_DISK_AWAIT, 0 },
	{ "r_await", GV_F_DISK_R_AWAIT, 0 },
	{ "w_await", GV_F_DISK_W_AWAIT, 0 },
	{ "rareq-sz", GV_F_DISK_RAREQ, KB },
	{ "aqu-sz", GV_F_DISK_AQU, 0 },
	{ "avgqu-sz", GV_F_DISK_AQU, 0 },
	{ "%util", GV_F_DISK_UTIL, 0 },
};

/* Sizes of the human-readable form carry their own unit: 7.1k is kB whatever the column says. */
static double scaled(double v, char unit, double to_kb)
{
	switch (to_kb > 0 ? unit : 0) {
	case 'k':
		return v;
	case 'M':
		return v * 1024;
	case 'G':
		return v * 1024 * 1024;
	default:
		return to_kb > 0 ? v * to_kb : v;
	}
}

static struct gv_entity *disk_of(struct reading *x, gv_str name)
{
	void **slot = gv_map_put(&x->disk, name);

	if (!*slot)
		*slot = gv_see(x->r, GV_DISK, name);
	return *slot;
}

static void read_disk(struct reading *x, const struct gv_columns *c, const struct gv_line *l)
{
	gv_str w[WORDS];
	size_t n = row_words(l->text, w), at = device_column(c), have = n < c->n ? n : c->n;
	struct gv_entity *e = disk_of(x, w[at]);

	if (n < c->n && have)
		have--; /* the line was cut, perhaps within a number */
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		size_t col = gv_column(c, columns[i].col);
		char unit;
		double v;

		if (col < have && number(w[col], &v, &unit))
			put(x, e, columns[i].fact, scaled(v, unit, columns[i].to_kb), l);
	}
	if (x->boot >= 0)
		gv_put_flag(x->r, e, GV_F_DISK_SINCE_BOOT, x->boot, l);
	else
		gv_put_none(x->r, e, GV_F_DISK_SINCE_BOOT, GV_UNKNOWN, "which report this is cannot be told", l);
}

static void read_cpu(struct reading *x, const struct gv_columns *c, const struct gv_line *l)
{
	static const struct {
		const char *col;
		enum gv_fact fact;
	} kept[] = {
		{ "%system", GV_F_SYS },
		{ "%iowait", GV_F_IOWAIT },
		{ "%steal", GV_F_STEAL },
		{ "%idle", GV_F_IDLE },
	};
	gv_str w[WORDS];
	size_t n = row_words(l->text, w), col;
	double v, nice = 0;
	char unit;

	/* The header has "avg-cpu:" in front, the row nothing. */
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		col = gv_column(c, kept[i].col);
		if (col != SIZE_MAX && col && col <= n && number(w[col - 1], &v, &unit) && v <= 101)
			put(x, x->node, kept[i].fact, v, l);
	}
	col = gv_column(c, "%nice");
	if (col != SIZE_MAX && col && col <= n && !number(w[col - 1], &nice, &unit))
		nice = 0;
	col = gv_column(c, "%user");
	if (col != SIZE_MAX && col && col <= n && number(w[col - 1], &v, &unit) && v <= 101)
		put(x, x->node, GV_F_USR, v + nice, l);
	if (x->boot >= 0)
		gv_put_flag(x->r, x->node, GV_F_CPU_SINCE_BOOT, x->boot, l);
	else
		gv_put_none(x->r, x->node, GV_F_CPU_SINCE_BOOT, GV_UNKNOWN, "which report this is cannot be told", l);
}

/* Where reports begin: at the CPU's header, or at a device header that this report has had already. */
struct report {
	bool any, cpu;
	gv_str disk; /* first device header */
};

static bool begins(struct report *p, enum line_kind k, gv_str line)
{
	bool next = false;

	line = gv_trim(line);
	if (k == CPU_HEADER)
		next = p->any;
	else if (k == DISK_HEADER)
		next = p->any && gv_eq(p->disk, line);
	else
		return false;
	if (next || !p->any)
		*p = (struct report){ .any = true };
	if (k == DISK_HEADER && !p->disk.n)
		p->disk = line;
	return next;
}

static size_t count_reports(const struct gv_line *l, size_t n)
{
	struct scan s = { 0 };
	struct report p = { 0 };
	size_t count = 1;
	bool rows = false;

	for (size_t i = 0; i < n; i++) {
		enum line_kind k = kind_of(&s, l[i].text);

		if (begins(&p, k, l[i].text)) {
			count++;
			rows = false;
		}
		rows = rows || k == CPU_ROW || k == DISK_ROW;
	}
	return count - (count > 1 && !rows); /* the last one may be cut off behind its header */
}

struct command {
	bool known, y, z, interval;
};

static struct command command(gv_str cmd)
{
	struct command c = { 0 };
	gv_str w;
	double v;

	while (gv_word(&cmd, &w)) {
		if (c.known && gv_is(w, "|"))
			break;
		if (gv_ends(w, "iostat"))
			c.known = true;
		else if (c.known && w.n > 1 && w.p[0] == '-' && w.p[1] != '-') {
			c.y = c.y || gv_find_c(w, 'y') > 0;
			c.z = c.z || gv_find_c(w, 'z') > 0;
		} else if (c.known && gv_to_num(w, &v) && v >= 1) {
			c.interval = true;
		}
	}
	return c;
}

/* A device that -z left out of a report was idle in it. */
static void fill_idle(struct reading *x, const struct gv_line *header, size_t first_sight)
{
	static const enum gv_fact rates[] = { GV_F_DISK_UTIL, GV_F_DISK_RPS, GV_F_DISK_WPS,
					      GV_F_DISK_RKB,  GV_F_DISK_WKB, GV_F_DISK_AQU };
	uint32_t sample = (uint32_t)(x->report - x->skip);

	for (size_t i = first_sight; i < x->r->run->sights.n; i++) {
		struct gv_entity *e = x->r->run->sights.v[i];
		const struct gv_slot *s = e->kind == GV_DISK ? gv_slot(e, GV_F_DISK_UTIL) : NULL;

		if (!s || !s->n || s->v[s->n - 1].sample == sample)
			continue;
		for (size_t k = 0; k < sizeof(rates) / sizeof(rates[0]); k++)
			put(x, e, rates[k], 0, header);
	}
}

static void set_boot(struct reading *x, const struct command *c, bool has_banner)
{
	if (c->y) {
		x->boot = 0;
	} else if (x->reports > 1) {
		x->skip = 1;
		x->boot = 0;
	} else {
		/* Behind the banner stands the first report. An excerpt of several may be any of them. */
		x->boot = has_banner || (c->known && !c->interval) ? 1 : -1;
	}
	x->omits_idle = c->z;
}

#define FILL_MAX 64 /* devices: with more, filling would cost too much on hostile input */

static void read_iostat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .node = gv_see_node(r), .disk = { .arena = r->arena } };
	struct command c = command(r->block->seg->cmd);
	const struct gv_line *header = NULL;
	struct scan s = { 0 };
	struct report p = { 0 };
	size_t first_sight = r->run->sights.n;
	gv_str kernel, host;
	double cpus;
	bool top = gv_sysstat_banner(gv_trim(l[0].text), &kernel, &host, &cpus);

	if (top) {
		r->block->host = host;
		gv_put_str(r, x.node, GV_F_KERNEL, kernel, &l[0]);
		if (cpus >= 1)
			gv_put_num(r, x.node, GV_F_CPUS, cpus, &l[0]);
	}
	x.reports = count_reports(l, n);
	set_boot(&x, &c, top);
	for (size_t i = 0; i < n; i++) {
		enum line_kind k = kind_of(&s, l[i].text);

		if (begins(&p, k, l[i].text)) {
			if (header && x.omits_idle && x.report >= x.skip && x.disk.n <= FILL_MAX)
				fill_idle(&x, header, first_sight);
			x.report++;
			header = NULL;
		}
		header = k == DISK_HEADER ? &l[i] : header;
		if (x.report < x.skip)
			continue;
		if (k == CPU_ROW)
			read_cpu(&x, &s.cpu, &l[i]);
		else if (k == DISK_ROW)
			read_disk(&x, &s.disk, &l[i]);
	}
	if (header && x.omits_idle && x.report >= x.skip && x.disk.n <= FILL_MAX)
		fill_idle(&x, header, first_sight);
}

const struct gv_format gv_format_iostat = {
	.name = "iostat",
	.heads = { "Linux ", "avg-cpu:", "Device" },
	.claim = claim,
	.read = read_iostat,
};
