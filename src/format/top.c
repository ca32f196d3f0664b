/* SPDX-License-Identifier: Apache-2.0 */
/* top -b, one iteration or several, and the load line that uptime and w print alone. */
#include "base/map.h"
#include "format/common.h"

#define ROWS 4096
#define WORDS 64

static bool is_load(gv_str line)
{
	return gv_has(line, "load average:") && (gv_starts(line, "top - ") || gv_has(line, " up "));
}

/* "%Cpu(s):  4.2 us, ...", "Cpu(s):  3.0%us, ...", "%Cpu0  :  1.0 us, ..." */
static bool is_cpu(gv_str line)
{
	return (gv_starts(line, "%Cpu") || gv_starts(line, "Cpu")) && gv_has(line, ":") && gv_has(line, "us,");
}

static bool is_memory(gv_str line)
{
	return (gv_has(line, "Mem") || gv_has(line, "Swap")) && gv_has(line, "total,");
}

static bool is_rows_header(gv_str line, struct gv_columns *c)
{
	if (!gv_has(line, "PID") || !gv_has(line, "VIRT") || !gv_has(line, "%CPU"))
		return false;
	gv_columns(c, line);
	return gv_column(c, "PID") == 0 && c->n < WORDS && gv_column(c, "%CPU") != SIZE_MAX &&
	       gv_column(c, "COMMAND") == c->n - 1;
}

static bool is_count(gv_str line)
{
	return (gv_starts(line, "Tasks:") || gv_starts(line, "Threads:")) && gv_has(line, "total");
}

/* A process: as many words as the header has columns, the last of which may have blanks. */
static bool parse_row(gv_str line, const struct gv_columns *c, gv_str *w)
{
	size_t n = gv_words(line, w, WORDS);
	uint64_t pid;

	if (n < c->n || !gv_to_u64(w[0], &pid) || pid >= 1u << 30)
		return false;
	w[c->n - 1] = gv_trim(gv_from(line, (size_t)(w[c->n - 1].p - line.p)));
	return true;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct gv_columns c = { 0 };
	gv_str w[WORDS];
	size_t end = 0;

	(void)seg;
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (is_load(t) || is_cpu(t) || is_rows_header(t, &c) || (end && (is_memory(t) || is_count(t))) ||
		    (end && c.n && parse_row(t, &c, w)))
			end = i + 1;
		else if (t.n)
			break;
		else if (!end)
			return 0;
	}
	return end;
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_map proc, cpu;
	uint32_t sample;
	size_t rows;
	bool skip_cpu; /* the first of several iterations counts from boot or from a moment too short */
};

static void put(struct reading *x, struct gv_entity *e, enum gv_fact f, double v, const struct gv_line *l)
{
	gv_put_nth(x->r, e, f, v, x->sample, 0, l);
}

/* A number with a decimal point, or a comma that a digit follows at once. */
static bool number(gv_str *s, double *ret)
{
	gv_str rest;
	double v, frac, scale = 1;
	size_t digits = 0;

	if (!gv_lead_num(*s, &v, &rest))
		return false;
	if (rest.n > 1 && rest.p[0] == ',' && rest.p[1] >= '0' && rest.p[1] <= '9') {
		rest = gv_from(rest, 1);
		for (; digits < rest.n && digits < 6 && rest.p[digits] >= '0' && rest.p[digits] <= '9'; digits++)
			scale *= 10;
		if (gv_to_num(gv_sub(rest, 0, digits), &frac))
			v += frac / scale;
		rest = gv_from(rest, digits);
	}
	*ret = v;
	*s = rest;
	return true;
}

/* "4.2 us" and "4.2%us": cuts the next number and its label off. */
static bool next_pair(gv_str *s, double *ret_value, gv_str *ret_label)
{
	gv_str label;

	*s = gv_trim(*s);
	while (s->n && (s->p[0] == ',' || s->p[0] == ' ' || s->p[0] == '.'))
		*s = gv_from(*s, 1);
	if (!number(s, ret_value))
		return false;
	*s = gv_trim(*s);
	if (s->n && s->p[0] == '%')
		*s = gv_trim(gv_from(*s, 1));
	for (size_t i = 0; i <= s->n; i++)
		if (i == s->n || s->p[i] == ',' || s->p[i] == '.' || (s->p[i] == ' ' && !gv_starts(*s, "avail"))) {
			label = gv_trim(gv_sub(*s, 0, i));
			*s = gv_from(*s, i);
			*ret_label = label;
			return label.n > 0;
		}
	return false;
}

static const struct {
	const char *label;
	enum gv_fact node, cpu;
} times[] = {
	{ "us", GV_FACTS, GV_F_CPU_USR },   { "sy", GV_F_SYS, GV_F_CPU_SYS },	    { "ni", GV_FACTS, GV_F_CPU_NICE },
	{ "id", GV_F_IDLE, GV_F_CPU_IDLE }, { "wa", GV_F_IOWAIT, GV_F_CPU_IOWAIT }, { "hi", GV_FACTS, GV_F_CPU_IRQ },
	{ "si", GV_F_SOFT, GV_F_CPU_SOFT }, { "st", GV_F_STEAL, GV_F_CPU_STEAL },
};

static void read_cpu(struct reading *x, gv_str t, const struct gv_line *l)
{
	gv_str who = gv_trim(gv_before(t, ":")), rest = gv_after(t, ":"), label;
	struct gv_entity *e = x->node;
	double v, us = -1, ni = 0;
	uint64_t number_of;
	bool all = gv_ends(who, "(s)");

	who = gv_after(who, "Cpu");
	if (!all) {
		void **slot;

		if (!gv_to_u64(who, &number_of) || number_of > 8192)
			return;
		slot = gv_map_put(&x->cpu, who);
		if (!*slot)
			*slot = gv_see(x->r, GV_CPU, who);
		e = *slot;
	}
	while (next_pair(&rest, &v, &label)) {
		us = gv_is(label, "us") ? v : us;
		ni = gv_is(label, "ni") ? v : ni;
		for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
			enum gv_fact f = all ? times[i].node : times[i].cpu;

			if (gv_is(label, times[i].label) && f != GV_FACTS && v >= 0 && v <= 101)
				put(x, e, f, v, l);
		}
	}
	if (all && us >= 0 && us <= 101)
		put(x, e, GV_F_USR, us + ni, l);
}

/* "MiB Mem :   7813.0 total,   4144.3 free, ...", "Mem:  8053804k total, ...", "... used.   6555.2 avail Mem" */
static void read_memory(struct reading *x, gv_str t, const struct gv_line *l)
{
	bool swap = gv_has(gv_before(t, ":"), "Swap");
	double kb = gv_starts(t, "MiB") ? 1024 : gv_starts(t, "GiB") ? 1048576 : gv_starts(t, "TiB") ? 1073741824.0 : 1;
	gv_str rest = gv_after(t, ":"), label;
	double v;

	while (next_pair(&rest, &v, &label)) {
		double by = kb;

		if (gv_is(label, "k")) { /* "8053804k total" */
			gv_word(&rest, &label);
			label = gv_before(gv_before(label, ","), ".");
			by = 1;
		}
		if (gv_is(label, "total"))
			put(x, x->node, swap ? GV_F_SWAP_TOTAL : GV_F_MEM_TOTAL, v * by, l);
		else if (gv_is(label, "free"))
			put(x, x->node, swap ? GV_F_SWAP_FREE : GV_F_MEM_FREE, v * by, l);
		else if (gv_is(label, "used") && swap)
			put(x, x->node, GV_F_SWAP_USED, v * by, l);
		else if (gv_starts(label, "avail"))
			put(x, x->node, GV_F_MEM_AVAIL, v * by, l);
	}
}

static void read_row(struct reading *x, const struct gv_columns *c, gv_str *w, const struct gv_line *l)
{
	void **slot;
	struct gv_entity *e;
	size_t state = gv_column(c, "S");

	if (x->rows++ >= ROWS)
		return;
	slot = gv_map_put(&x->proc, w[0]);
	e = *slot;
	if (!e) {
		*slot = e = gv_see(x->r, GV_PROC, w[0]);
		gv_key(x->r, e, GV_KEY_PID, w[0]);
		gv_put_str(x->r, e, GV_F_PROC_NAME, gv_sub(w[c->n - 1], 0, 160), l);
	}
	if (state != SIZE_MAX)
		gv_put_str(x->r, e, GV_F_PROC_STATE, w[state], l);
	if (!x->skip_cpu)
		gv_put_sample(x->r, e, GV_F_PROC_CPU_UTIL, w[gv_column(c, "%CPU")], x->sample, l);
}

static void read_load(struct reading *x, gv_str t, const struct gv_line *l)
{
	gv_str rest = gv_after(t, "load average:");
	double v;

	if (number(&rest, &v) && v >= 0)
		put(x, x->node, GV_F_LOAD1, v, l);
}

static void read_top(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = {
		.r = r, .node = gv_see_node(r), .proc = { .arena = r->arena }, .cpu = { .arena = r->arena }
	};
	struct gv_columns c = { 0 };
	gv_str w[WORDS];
	size_t tables = 0, loads = 0;

	for (size_t i = 0; i < n; i++) {
		loads += is_load(l[i].text);
		tables += gv_starts(gv_trim(l[i].text), "%Cpu(s)") || gv_starts(gv_trim(l[i].text), "Cpu(s)");
	}
	x.skip_cpu = tables > 1;
	loads = 0;
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (is_load(t)) {
			if (loads++) {
				x.skip_cpu = false;
				x.sample++;
			}
			read_load(&x, t, &l[i]);
		} else if (is_cpu(t)) {
			if (!x.skip_cpu)
				read_cpu(&x, t, &l[i]);
		} else if (is_memory(t)) {
			read_memory(&x, t, &l[i]);
		} else if (!is_rows_header(t, &c) && c.n && parse_row(t, &c, w)) {
			read_row(&x, &c, w, &l[i]);
		}
	}
}

const struct gv_format gv_format_top = {
	.name = "top",
	.heads = { "load average:", "%Cpu", "Cpu(s):", "VIRT" },
	.claim = claim,
	.read = read_top,
};
