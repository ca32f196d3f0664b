/* SPDX-License-Identifier: Apache-2.0 */
/* mpstat, and the CPU tables of sar: rows of percentages for all CPUs together and for each one. The stamp in front of
 * a row may be one word (24 h), two (AM/PM), "Average:" or missing. */
#include "base/map.h"
#include "format/common.h"

#define MAX_CPU 8192
#define MAX_COLS 24
#define WORDS 40

struct header {
	struct gv_columns col; /* from the CPU column on */
	gv_str stamp;
	bool average;
};

static bool is_stamp(gv_str w)
{
	return w.n >= 5 && w.n <= 12 && w.p[0] >= '0' && w.p[0] <= '9' && gv_find_c(w, ':') > 0;
}

/* How many words in front of the CPU's own; "Average:" and its translations end in a colon. */
static size_t lead(const gv_str *w, size_t n, gv_str *ret_stamp, bool *ret_average)
{
	size_t i = 0;

	*ret_average = false;
	*ret_stamp = GV_NONE;
	if (n && is_stamp(w[0])) {
		*ret_stamp = w[0];
		i = 1;
		if (n > 1 && (gv_is(w[1], "AM") || gv_is(w[1], "PM")))
			i = 2;
	} else if (n && w[0].n > 1 && gv_ends(w[0], ":")) {
		*ret_average = true;
		i = 1;
	} else if (n > 1 && gv_is(w[1], ":")) {
		*ret_average = true;
		i = 2;
	}
	return i;
}

static bool parse_header(gv_str line, struct header *h)
{
	gv_str w[WORDS];
	size_t n, i;

	if (!gv_has(line, "%idle") || !gv_has(line, "CPU"))
		return false;
	n = gv_words(line, w, WORDS);
	n = n < WORDS ? n : WORDS;
	i = lead(w, n, &h->stamp, &h->average);
	if (i >= n || !gv_is(w[i], "CPU"))
		return false;
	for (h->col.n = 0; i < n && h->col.n < MAX_COLS; i++)
		h->col.name[h->col.n++] = w[i];
	return gv_column(&h->col, "%usr") != SIZE_MAX || gv_column(&h->col, "%user") != SIZE_MAX;
}

struct row {
	gv_str stamp;
	bool average;
	bool all;
	gv_str w[WORDS];
	size_t from, n; /* the words from the CPU's own on */
};

static bool parse_row(gv_str line, struct row *r)
{
	uint64_t cpu;
	double v;

	r->n = gv_words(line, r->w, WORDS);
	r->n = r->n < WORDS ? r->n : WORDS;
	r->from = lead(r->w, r->n, &r->stamp, &r->average);
	if (r->from + 2 > r->n || !gv_lead_num(r->w[r->from + 1], &v, NULL))
		return false;
	r->all = gv_is(r->w[r->from], "all");
	if (r->all)
		return true;
	return gv_to_u64(r->w[r->from], &cpu) && cpu < MAX_CPU;
}

/* A table of another kind that mpstat -A prints between those that are read: "CPU intr/s" and its like. */
static bool other_table(gv_str line)
{
	return gv_has(line, "/s") && gv_has(line, "CPU");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str kernel, host;
	struct header h;
	struct row row;
	double cpus;
	size_t i = 0, end;
	bool rows = false;

	(void)seg;
	if (gv_sysstat_banner(gv_trim(l[0].text), &kernel, &host, &cpus))
		for (i = 1; i < n && i < 4 && gv_blank_line(&l[i]); i++)
			;
	if (i >= n || !parse_header(l[i].text, &h))
		return 0;
	for (end = ++i; i < n; i++) {
		if (gv_blank_line(&l[i]))
			continue;
		if (parse_row(l[i].text, &row))
			rows = true;
		else if (!rows || (!parse_header(l[i].text, &h) && !other_table(l[i].text)))
			break;
		end = i + 1;
	}
	return rows ? end : 0;
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_map cpu; /* number as printed -> entity */
	double cpus;	   /* of the banner; 0 = not known */
	uint32_t sample;   /* of the row at hand */
	bool any, fresh;
	bool node_seen;
	gv_str first; /* CPU word that began the sample */
};

static void put(struct reading *x, struct gv_entity *e, enum gv_fact f, double v, const struct gv_line *l)
{
	gv_put_nth(x->r, e, f, v, x->sample, 0, l);
}

static const struct {
	const char *col[2];
	enum gv_fact cpu, node; /* GV_FACTS: not kept */
} kept[] = {
	{ { "%usr", "%user" }, GV_F_CPU_USR, GV_FACTS }, /* the node's has %nice in it */
	{ { "%nice", "%nice" }, GV_F_CPU_NICE, GV_FACTS },
	{ { "%sys", "%system" }, GV_F_CPU_SYS, GV_F_SYS },
	{ { "%iowait", "%iowait" }, GV_F_CPU_IOWAIT, GV_F_IOWAIT },
	{ { "%irq", "%irq" }, GV_F_CPU_IRQ, GV_FACTS },
	{ { "%soft", "%soft" }, GV_F_CPU_SOFT, GV_F_SOFT },
	{ { "%steal", "%steal" }, GV_F_CPU_STEAL, GV_F_STEAL },
	{ { "%guest", "%guest" }, GV_F_CPU_GUEST, GV_FACTS },
	{ { "%idle", "%idle" }, GV_F_CPU_IDLE, GV_F_IDLE },
};
#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* A number with a decimal point or comma; -1 where it is none. */
static double number(gv_str cell)
{
	gv_str rest;
	double v, frac, scale = 1;
	size_t digits = 0;

	if (!gv_lead_num(cell, &v, &rest) || v < 0)
		return -1;
	if (rest.n < 2 || rest.p[0] != ',')
		return v;
	rest = gv_from(rest, 1);
	for (; digits < rest.n && digits < 6 && rest.p[digits] >= '0' && rest.p[digits] <= '9'; digits++)
		scale *= 10;
	return gv_to_num(gv_sub(rest, 0, digits), &frac) ? v + frac / scale : v;
}

/* The cells of a row in the order of `kept`, -1 where there is none. True where one is above 100 %; *ret_sum is the sum
 * of all then. */
static bool above(const struct header *h, const struct row *row, double *v, double *ret_sum)
{
	double max = 0;

	*ret_sum = 0;
	for (size_t k = 0; k < KEPT; k++) {
		size_t c = gv_column(&h->col, kept[k].col[0]);

		if (c == SIZE_MAX)
			c = gv_column(&h->col, kept[k].col[1]);
		v[k] = c == SIZE_MAX || row->from + c >= row->n ? -1 : number(row->w[row->from + c]);
		*ret_sum += v[k] > 0 ? v[k] : 0;
		max = v[k] > max ? v[k] : max;
	}
	return max > 101; /* rounding and clock drift give up to 100.5 */
}

static void put_node(struct reading *x, const double *v, bool idle_ok, const struct gv_line *l)
{
	if (v[0] >= 0)
		put(x, x->node, GV_F_USR, v[0] + (v[1] > 0 ? v[1] : 0), l);
	for (size_t k = 0; k < KEPT; k++) {
		if (kept[k].node == GV_FACTS || v[k] < 0)
			continue;
		if (kept[k].node == GV_F_IDLE && !idle_ok)
			gv_put_none(x->r, x->node, GV_F_IDLE, GV_UNKNOWN, "the row does not add up to all CPUs", l);
		else
			put(x, x->node, kept[k].node, v[k], l);
	}
	x->node_seen = true;
}

static void no_node(struct reading *x, const char *reason, const struct gv_line *l)
{
	gv_put_none(x->r, x->node, GV_F_USR, GV_UNKNOWN, reason, l);
	gv_put_none(x->r, x->node, GV_F_IDLE, GV_UNKNOWN, reason, l);
	x->node_seen = true;
}

/* The row of all CPUs. Values above 100 are sums over the CPUs and are brought back to a share of all of them. */
static void read_all(struct reading *x, const struct header *h, const struct row *row, const struct gv_line *l)
{
	double v[KEPT], sum;

	if (!above(h, row, v, &sum)) {
		put_node(x, v, true, l);
		return;
	}
	if (x->cpus < 1) {
		no_node(x, "above 100 %: a sum over an unknown number of CPUs", l);
		return;
	}
	if (sum > 105 * x->cpus) {
		no_node(x, "above 100 % of the CPUs that the banner names", l);
		return;
	}
	for (size_t k = 0; k < KEPT; k++)
		v[k] = v[k] < 0 ? v[k] : v[k] / x->cpus;
	/* Where the parts miss what 100 % of the CPUs would be, what is idle cannot be told. */
	put_node(x, v, sum > 95 * x->cpus, l);
}

static void read_cpu(struct reading *x, const struct header *h, const struct row *row, const struct gv_line *l)
{
	void **slot = gv_map_put(&x->cpu, row->w[row->from]);
	struct gv_entity *e = *slot;
	double v[KEPT], sum;

	if (!e)
		*slot = e = gv_see(x->r, GV_CPU, row->w[row->from]);
	if (above(h, row, v, &sum)) {
		gv_put_none(x->r, e, GV_F_CPU_IDLE, GV_UNKNOWN, "above 100 % for one CPU", l);
		return;
	}
	for (size_t k = 0; k < KEPT; k++)
		if (v[k] >= 0)
			put(x, e, kept[k].cpu, v[k], l);
}

/* Interval rows first; then, for what has none, the average over them. */
static void pass(struct reading *x, const struct gv_line *l, size_t n, bool average)
{
	struct header h = { 0 };
	struct row row;
	bool ours = false;

	x->any = false;
	x->sample = 0;
	for (size_t i = 0; i < n; i++) {
		if (parse_header(l[i].text, &h)) {
			ours = x->fresh = true;
			continue;
		}
		if (!parse_row(l[i].text, &row)) {
			if (!gv_blank_line(&l[i]))
				ours = false;
			continue;
		}
		if (!ours || row.average != average)
			continue;
		if (x->any && (x->fresh || gv_eq(row.w[row.from], x->first)))
			x->sample++;
		if (!x->any || x->fresh || gv_eq(row.w[row.from], x->first))
			x->first = row.w[row.from];
		x->any = true;
		x->fresh = false;
		if (row.all) {
			if (!average || !x->node_seen)
				read_all(x, &h, &row, &l[i]);
		} else if (!average || !gv_map_get(&x->cpu, row.w[row.from])) {
			read_cpu(x, &h, &row, &l[i]);
		}
	}
}

/* "mpstat -P ALL 1 3" names an interval, "mpstat -P ALL" none. */
static bool has_interval(gv_str cmd)
{
	gv_str w;
	bool ours = false;
	double v;

	while (gv_word(&cmd, &w)) {
		if (gv_is(w, "|"))
			break;
		if (gv_ends(w, "mpstat") || gv_ends(w, "sar"))
			ours = true;
		else if (w.n == 2 && w.p[0] == '-' && gv_find_c(GV_STR("PINnmsefio"), w.p[1]) >= 0)
			gv_word(&cmd, &w); /* its value */
		else if (ours && gv_to_num(w, &v) && v >= 1)
			return true;
	}
	return false;
}

/* Without an interval there is one report, the average since boot, and its header bears the stamp of its rows; with one
 * the header bears the stamp of the report before. */
static void since_boot(struct reading *x, const struct gv_line *l, size_t n)
{
	struct header h = { 0 };
	struct row row;

	for (size_t i = 0; i < n; i++) {
		if (parse_header(l[i].text, &h))
			continue;
		if (!parse_row(l[i].text, &row) || !h.stamp.n || row.average)
			continue;
		gv_put_flag(x->r, x->node, GV_F_CPU_SINCE_BOOT,
			    gv_eq(h.stamp, row.stamp) && !has_interval(x->r->block->seg->cmd), &l[i]);
		return;
	}
}

static void read_mpstat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .node = gv_see_node(r), .cpu = { .arena = r->arena } };
	gv_str kernel, host;

	if (gv_sysstat_banner(gv_trim(l[0].text), &kernel, &host, &x.cpus)) {
		r->block->host = host;
		gv_put_str(r, x.node, GV_F_KERNEL, kernel, &l[0]);
		if (x.cpus >= 1)
			gv_put_num(r, x.node, GV_F_CPUS, x.cpus, &l[0]);
	}
	pass(&x, l, n, false);
	pass(&x, l, n, true);
	since_boot(&x, l, n);
}

const struct gv_format gv_format_mpstat = {
	.name = "mpstat",
	.heads = { "Linux ", "%idle" },
	.claim = claim,
	.read = read_mpstat,
};
