/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/stat: what the CPUs did, in ticks since boot. A series gives a sample a window, a single snapshot the averages
 * since boot.
 *
 * Source: Linux, fs/proc/stat.c. Time for guests is part of user time. Idle and iowait may go back by some ticks. */
#include "format/common_series.h"

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, TIMES };

#define SLIP 2	       /* ticks by which a counter may go back */
#define TICKS_SOME 5.0 /* of a window: with fewer, shares say nothing */

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_content(gv_str text)
{
	static const char *const keys[] = { "intr ",	      "ctxt ",	  "btime ", "processes ", "procs_running ",
					    "procs_blocked ", "softirq ", "page ",  "swap ",	  "disk_io" };

	if (gv_starts(text, "cpu") && text.n > 4)
		return text.p[3] == ' ' || digit(text.p[3]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gv_starts(text, keys[i]))
			return true;
	return false;
}

/* "cpu3 641697 1266 ..." */
static bool cpu_row(gv_str text, gv_str *ret_name, uint64_t *ret_v, size_t *ret_n)
{
	gv_str w[TIMES + 1];
	uint64_t cpu;
	size_t n;

	if (!gv_starts(text, "cpu"))
		return false;
	n = gv_words(text, w, TIMES + 1);
	if (w[0].n > 3 && !gv_to_u64(gv_from(w[0], 3), &cpu))
		return false;
	*ret_name = w[0];
	*ret_n = gv_counter_words(w, n < TIMES + 1 ? n : TIMES + 1, 1, ret_v);
	return *ret_n >= 4;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	uint64_t v[GV_COUNTERS];
	gv_str name, path;
	size_t have;
	double t;

	if (!gv_shot_head(l[0].text, &t, &path)) {
		if (!cpu_row(l[0].text, &name, v, &have))
			return 0;
		/* rows of single CPUs alone may be those of /proc/schedstat */
		if (name.n > 3 && !(seg && gv_has(seg->cmd, "/proc/stat")))
			return 0;
	}
	return gv_shots_extent(l, n, "/proc/stat", is_content);
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_shots shots;
	struct gv_counters cpus;
	size_t k; /* edge at hand */
	bool boot;
};

/* The shares of a row's times in percent; false where the counters say nothing. */
static bool shares(const struct gv_counter *c, bool boot, double *ret)
{
	double d[TIMES] = { 0 }, total = 0;

	for (size_t i = 0; i < c->n && i < TIMES; i++) {
		if (boot)
			d[i] = (double)c->now[i];
		else if (!gv_counter_delta(c, i, &d[i])) {
			if (i != IDLE && i != IOWAIT && c->old[i] - c->now[i] > SLIP)
				return false;
			d[i] = 0;
		}
	}
	for (size_t i = USER; i <= STEAL; i++)
		total += d[i];
	if (total < TICKS_SOME)
		return false;
	d[USER] = d[USER] > d[GUEST] ? d[USER] - d[GUEST] : 0;
	d[NICE] = d[NICE] > d[GUEST_NICE] ? d[NICE] - d[GUEST_NICE] : 0;
	for (size_t i = 0; i < TIMES; i++)
		ret[i] = d[i] * 100 / total;
	return true;
}

static void put_node(struct reading *x, const double *p, const struct gv_line *l)
{
	const struct {
		enum gv_fact fact;
		double v;
	} facts[] = {
		{ GV_F_USR, p[USER] + p[NICE] }, { GV_F_SYS, p[SYSTEM] },  { GV_F_IOWAIT, p[IOWAIT] },
		{ GV_F_SOFT, p[SOFTIRQ] },	 { GV_F_STEAL, p[STEAL] }, { GV_F_IDLE, p[IDLE] },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		gv_shots_put(x->r, &x->shots, x->k, x->node, facts[i].fact, facts[i].v, l);
	gv_put_flag(x->r, x->node, GV_F_CPU_SINCE_BOOT, x->boot, l);
}

static void put_cpu(struct reading *x, struct gv_counter *c, const double *p, const struct gv_line *l)
{
	static const enum gv_fact facts[TIMES] = {
		[USER] = GV_F_CPU_USR,	   [NICE] = GV_F_CPU_NICE,     [SYSTEM] = GV_F_CPU_SYS,
		[IDLE] = GV_F_CPU_IDLE,	   [IOWAIT] = GV_F_CPU_IOWAIT, [IRQ] = GV_F_CPU_IRQ,
		[SOFTIRQ] = GV_F_CPU_SOFT, [STEAL] = GV_F_CPU_STEAL,   [GUEST] = GV_F_CPU_GUEST,
	};

	if (!c->e)
		c->e = gv_see(x->r, GV_CPU, gv_from(c->name, 3));
	for (size_t i = USER; i <= GUEST; i++)
		gv_shots_put(x->r, &x->shots, x->k, c->e, facts[i], p[i], l);
}

static void read_cpu(struct reading *x, gv_str name, const uint64_t *v, size_t n, const struct gv_line *l)
{
	double p[TIMES];
	bool rate;
	struct gv_counter *c = gv_counter_take(&x->cpus, x->k, name, v, n, &rate);

	if (!c || (!rate && !x->boot) || !shares(c, x->boot, p))
		return;
	if (name.n == 3)
		put_node(x, p, l);
	else
		put_cpu(x, c, p, l);
}

/* The reader of the file is one of the running ones. */
static void read_queue(struct reading *x, const struct gv_line *l)
{
	bool running = gv_starts(l->text, "procs_running ");
	gv_str w[2];
	uint64_t v;

	if ((!running && !gv_starts(l->text, "procs_blocked ")) || gv_words(l->text, w, 2) < 2 || !gv_to_u64(w[1], &v))
		return;
	if (x->k || x->boot)
		gv_shots_put(x->r, &x->shots, x->k, x->node, running ? GV_F_RUNNABLE : GV_F_BLOCKED,
			     (double)(running && v ? v - 1 : v), l);
}

static void read_shot(struct reading *x)
{
	const struct gv_shot *s = &x->shots.v[x->shots.edge[x->k]];
	const struct gv_line *of_all = NULL;
	uint64_t v[GV_COUNTERS];
	size_t cpus = 0, n;
	gv_str name;

	for (size_t i = s->first; i < s->first + s->n; i++) {
		const struct gv_line *l = &x->shots.l[i];

		if (!cpu_row(l->text, &name, v, &n)) {
			read_queue(x, l);
			continue;
		}
		of_all = of_all && name.n > 3 ? of_all : l;
		cpus += name.n > 3;
		read_cpu(x, name, v, n, l);
	}
	if (cpus && x->k + 1 == x->shots.nedges)
		gv_put_num(x->r, x->node, GV_F_CPUS, (double)cpus, of_all);
}

static void read_stat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .node = gv_see_node(r), .cpus = { .by = { .arena = r->arena } } };

	gv_shots_read(r, l, n, 0, &x.shots);
	x.boot = x.shots.nedges == 1;
	for (x.k = 0; x.k < x.shots.nedges; x.k++)
		read_shot(&x);
}

const struct gv_format gv_format_proc_stat = {
	.name = "/proc/stat",
	.heads = { "/proc/stat", "cpu  " },
	.cmds = { "/proc/stat" },
	.claim = claim,
	.read = read_stat,
};
