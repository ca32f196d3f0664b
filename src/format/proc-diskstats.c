/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/diskstats: what block devices did since boot. Partitions and devices that never did anything are left out, as
 * iostat leaves them out.
 *
 * Source: Linux, Documentation/admin-guide/iostats.rst. Sectors are 512 bytes whatever the device says. Lines have 11
 * numbers behind the name, 15 since 4.18 (discards) and 17 since 5.5 (flushes). */
#include "format/common_series.h"

#include <math.h>

enum { READS, R_MERGED, R_SECTORS, R_MS, WRITES, W_MERGED, W_SECTORS, W_MS, IN_FLIGHT, IO_MS, QUEUE_MS, FIELDS };

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* " 259       0 nvme0n1 1203 ..." */
static bool disk_row(gv_str text, gv_str *ret_name, uint64_t *ret_v, size_t *ret_n)
{
	gv_str w[3 + GV_COUNTERS];
	uint64_t major, minor;
	size_t n = gv_words(text, w, 3 + GV_COUNTERS);

	if (n < 3 + FIELDS || n > 3 + GV_COUNTERS || !gv_to_u64(w[0], &major) || !gv_to_u64(w[1], &minor) ||
	    digit(w[2].p[0]) || w[2].n > 64)
		return false;
	*ret_name = w[2];
	*ret_n = gv_counter_words(w, n, 3, ret_v);
	return *ret_n == n - 3;
}

/* A line of a snapshot that was cut off, or of a partition of old, is content too. */
static bool is_content(gv_str text)
{
	uint64_t v[2 + GV_COUNTERS];
	gv_str w[3];
	size_t n = gv_words(text, w, 3);

	return gv_counter_words(w, n < 2 ? n : 2, 0, v) == (n < 2 ? n : 2) && (n < 3 || !digit(w[2].p[0]));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	uint64_t v[GV_COUNTERS];
	gv_str name, path;
	size_t have;
	double t;

	(void)seg;
	if (!gv_shot_head(l[0].text, &t, &path) && !disk_row(l[0].text, &name, v, &have))
		return 0;
	return gv_shots_extent(l, n, "/proc/diskstats", is_content);
}

struct reading {
	struct gv_read *r;
	struct gv_shots shots;
	struct gv_counters disks;
	size_t k; /* edge at hand */
	bool boot;
};

/* sda1 beside sda, nvme0n1p2 beside nvme0n1: the device is the name without its number, and without the p that parts
 * two numbers. */
static bool is_partition(const struct reading *x, gv_str name)
{
	size_t n = name.n;

	while (n && digit(name.p[n - 1]))
		n--;
	if (!n || n == name.n)
		return false;
	if (gv_map_get(&x->disks.by, gv_sub(name, 0, n)))
		return true;
	return n > 2 && name.p[n - 1] == 'p' && digit(name.p[n - 2]) &&
	       gv_map_get(&x->disks.by, gv_sub(name, 0, n - 1));
}

static bool unused(const struct gv_counter *c)
{
	return !c->now[READS] && !c->now[WRITES] && !c->now[IO_MS];
}

static void put(struct reading *x, const struct gv_counter *c, enum gv_fact f, double v, const struct gv_line *l)
{
	if (!isnan(v))
		gv_shots_put(x->r, &x->shots, x->k, c->e, f, v, l);
}

/* Seconds of the window, or since boot; NaN where a paste does not say how long that is. */
static double seconds(const struct reading *x)
{
	double s = x->boot ? x->shots.v[x->shots.edge[0]].t : gv_shots_window(&x->shots, x->k);

	return s > 0 ? s : NAN;
}

/* Time outstanding is counted in ms, and requests that were under way at its ends make it run over. */
static double percent(double ms, double s)
{
	double v = ms / s / 10;

	return v > 100 ? 100 : v;
}

static double per(double v, double n)
{
	return n > 0 ? v / n : NAN;
}

static void read_disk(struct reading *x, struct gv_counter *c, const struct gv_line *l)
{
	double d[FIELDS], s = seconds(x);

	for (size_t i = 0; i < FIELDS; i++) {
		if (i == IN_FLIGHT)
			continue;
		if (x->boot)
			d[i] = (double)c->now[i];
		else if (!gv_counter_delta(c, i, &d[i]))
			return;
	}
	if (!c->e)
		c->e = gv_see(x->r, GV_DISK, c->name);
	gv_put_flag(x->r, c->e, GV_F_DISK_SINCE_BOOT, x->boot, l);
	if (isnan(s)) {
		gv_put_none(x->r, c->e, GV_F_DISK_UTIL, GV_UNKNOWN,
			    "counters since boot, and how long ago that was is not known", l);
		return;
	}
	put(x, c, GV_F_DISK_RPS, d[READS] / s, l);
	put(x, c, GV_F_DISK_WPS, d[WRITES] / s, l);
	put(x, c, GV_F_DISK_RKB, d[R_SECTORS] / 2 / s, l);
	put(x, c, GV_F_DISK_WKB, d[W_SECTORS] / 2 / s, l);
	put(x, c, GV_F_DISK_R_AWAIT, per(d[R_MS], d[READS]), l);
	put(x, c, GV_F_DISK_W_AWAIT, per(d[W_MS], d[WRITES]), l);
	put(x, c, GV_F_DISK_RAREQ, per(d[R_SECTORS] / 2, d[READS]), l);
	put(x, c, GV_F_DISK_AQU, d[QUEUE_MS] / 1000 / s, l);
	put(x, c, GV_F_DISK_UTIL, percent(d[IO_MS], s), l);
}

static void read_shot(struct reading *x)
{
	const struct gv_shot *s = &x->shots.v[x->shots.edge[x->k]];
	uint64_t v[GV_COUNTERS];
	gv_str name;
	size_t n;

	for (size_t i = s->first; i < s->first + s->n; i++) {
		const struct gv_line *l = &x->shots.l[i];
		struct gv_counter *c;
		bool rate;

		if (!disk_row(l->text, &name, v, &n))
			continue;
		c = gv_counter_take(&x->disks, x->k, name, v, n, &rate);
		if (!c || (!rate && !x->boot) || unused(c) || is_partition(x, name))
			continue;
		read_disk(x, c, l);
	}
}

static void read_diskstats(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .disks = { .by = { .arena = r->arena } } };

	gv_shots_read(r, l, n, 0, &x.shots);
	x.boot = x.shots.nedges == 1;
	for (x.k = 0; x.k < x.shots.nedges; x.k++)
		read_shot(&x);
}

const struct gv_format gv_format_proc_diskstats = {
	.name = "/proc/diskstats",
	.heads = { "/proc/diskstats", " loop0 ", " ram0 ", " sda ", " vda ", " nvme0n1 ", " dm-0 " },
	.cmds = { "/proc/diskstats" },
	.claim = claim,
	.read = read_diskstats,
};
