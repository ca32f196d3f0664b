/* SPDX-License-Identifier: Apache-2.0 */
/* What may keep a node from feeding its GPUs: disks, swap, cores. */
#include "check/common_load.h"

#include <limits.h>

enum {
	OTHERS_IDLE = 40,  /* %: of the whole machine while a core is at its end */
};

static bool num(const struct gv_entity *e, enum gv_fact f, double *ret)
{
	*ret = NAN;
	return gv_num(e, f, ret);
}

static double known(double v)
{
	return isnan(v) ? 0 : v;
}

static enum gv_disk_class class_of(gv_str id)
{
	static const char *const layers[] = { "md", "dm-", "loop", "zd", "drbd", "rbd", "nbd", "bcache", "zram" };

	if (gv_starts(id, "/dev/"))
		id = gv_from(id, 5);
	if (gv_starts(id, "nvme"))
		return GV_DISK_NVME;
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (gv_starts(id, layers[i]))
			return GV_DISK_LAYER;
	return gv_starts(id, "sd") || gv_starts(id, "vd") || gv_starts(id, "xvd") || gv_starts(id, "hd") ? GV_DISK_SPINDLE
													   : GV_DISK_OTHER;
}

void gv_disk_read(const struct gv_entity *disk, struct gv_disk *ret)
{
	struct gv_disk d = { .class = class_of(disk->id), .since_boot = true };
	double r, w, ra, wa, both;
	bool boot;

	num(disk, GV_F_DISK_UTIL, &d.util);
	num(disk, GV_F_DISK_AQU, &d.aqu);
	num(disk, GV_F_DISK_RKB, &d.rkb);
	num(disk, GV_F_DISK_WKB, &d.wkb);
	num(disk, GV_F_DISK_RPS, &r);
	num(disk, GV_F_DISK_WPS, &w);
	num(disk, GV_F_DISK_R_AWAIT, &ra);
	num(disk, GV_F_DISK_W_AWAIT, &wa);
	d.rate = isnan(r) && isnan(w) ? NAN : known(r) + known(w);
	if (num(disk, GV_F_DISK_AWAIT, &both))
		d.await = both;
	else if (!isnan(ra) && (isnan(wa) || known(w) <= known(r)))
		d.await = ra; /* what loaders wait for, where reads are the larger part */
	else if (!isnan(wa) && (isnan(ra) || known(r) == 0))
		d.await = wa;
	else
		d.await = d.rate > 0 ? (known(r) * ra + known(w) * wa) / d.rate : NAN;
	/* Little's law: what waits is the rate times the wait */
	if (isnan(d.aqu) && !isnan(d.await) && d.rate > 0)
		d.aqu = d.rate * d.await / 1000;
	if (gv_flag_known(disk, GV_F_DISK_SINCE_BOOT, &boot))
		d.since_boot = boot;
	d.samples = gv_series(disk, GV_F_DISK_UTIL, NULL, 0);
	*ret = d;
}

/* Busy all the time, and requests wait far longer than a device of this kind needs for one. Busy time alone says nothing
 * of devices that serve many requests at once. */
bool gv_disk_saturated(const struct gv_run *run, const struct gv_disk *d)
{
	double slow = gv_threshold(run, d->class == GV_DISK_NVME ? GV_T_NVME_AWAIT : GV_T_DISK_AWAIT);
	double queue = gv_threshold(run, d->class == GV_DISK_LAYER ? GV_T_VOLUME_QUEUE : GV_T_DISK_QUEUE);

	if (isnan(d->util) || isnan(d->await) || d->util < gv_threshold(run, GV_T_DISK_BUSY) || d->await < slow)
		return false;
	/* without a queue's length the wait must speak for itself */
	if (isnan(d->aqu))
		return d->class != GV_DISK_LAYER && d->await >= slow * 2;
	/* few requests a second, each slow: a queue of two is there by Little's law or not at all */
	return d->aqu >= queue;
}

/* Some hundred pages a second each way; below it cold pages move without harm. */
bool gv_swap_thrashes(const struct gv_run *run, const struct gv_entity *node, struct gv_swap *ret)
{
	double rate = gv_threshold(run, GV_T_SWAP_RATE);
	struct gv_swap s = { NAN, NAN, NAN, 0 };
	double total, left;

	num(node, GV_F_SWAP_IN, &s.in);
	num(node, GV_F_SWAP_OUT, &s.out);
	if (!num(node, GV_F_SWAP_USED, &s.used) && gv_num(node, GV_F_SWAP_TOTAL, &total) && gv_num(node, GV_F_SWAP_FREE, &left))
		s.used = total - left;
	s.samples = gv_series(node, GV_F_SWAP_IN, NULL, 0);
	*ret = s;
	if (isnan(s.in) || isnan(s.out) || s.samples < 2 || gv_flag(node, GV_F_VM_SINCE_BOOT))
		return false;
	return s.in >= rate && s.out > 0 && s.in + s.out >= 2 * rate && !(s.used == 0);
}

static double core_busy(const struct gv_entity *cpu)
{
	double idle, wait = 0, steal = 0;

	if (!gv_num(cpu, GV_F_CPU_IDLE, &idle))
		return NAN;
	gv_num(cpu, GV_F_CPU_IOWAIT, &wait);
	gv_num(cpu, GV_F_CPU_STEAL, &steal);
	return 100 - idle - wait - steal;
}

void gv_cores_read(const struct gv_run *run, const struct gv_entity *node, struct gv_cores *ret)
{
	struct gv_cores c = { .top_busy = -1, .idle = NAN };
	gv_str isolated = gv_text(node, GV_F_CPU_ISOLATED);
	double sum = 0;
	uint64_t cpu;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_CPU, node, e));) {
		double busy = core_busy(e), idle = 0;

		/* what runs on a core that is kept apart was put there, and polls more often than not */
		if (isnan(busy) || (isolated.n && gv_to_u64(e->id, &cpu) && cpu <= UINT_MAX && gv_cpulist_has(isolated, (unsigned)cpu)))
			continue;
		gv_num(e, GV_F_CPU_IDLE, &idle);
		sum += idle;
		c.known++;
		c.hot += busy >= gv_threshold(run, GV_T_CORE_HOT);
		if (busy > c.top_busy) {
			c.top = e;
			c.top_busy = busy;
			c.top_soft = 0;
			gv_num(e, GV_F_CPU_SOFT, &c.top_soft);
		}
	}
	if (c.known)
		c.idle = sum / (double)c.known;
	else
		gv_num(node, GV_F_IDLE, &c.idle);
	*ret = c;
}

bool gv_cores_hot(const struct gv_cores *c)
{
	return c->known >= 2 && c->hot && c->hot * 4 <= c->known && c->idle >= OTHERS_IDLE;
}

#define STEPS 2048

/* Over the last half of the log: its start is warm-up, and what was in an earlier epoch is over. The longest step is left
 * out, since each epoch starts with one; workers that come in bursts have more than one. */
double gv_data_share(const struct gv_entity *node)
{
	const struct gv_obs *step[STEPS], *data[STEPS];
	size_t n = gv_series(node, GV_F_JOB_STEP_TIME, step, STEPS), from, longest;
	double all = 0, wait = 0;

	if (n < 3 || gv_series(node, GV_F_JOB_DATA_TIME, data, STEPS) != n)
		return NAN;
	from = n - (n / 2 > 2 ? n / 2 : 2);
	longest = from;
	for (size_t i = from; i < n; i++)
		if (step[i]->num > step[longest]->num)
			longest = i;
	for (size_t i = from; i < n; i++) {
		if (i == longest && n - from >= 3)
			continue;
		all += step[i]->num;
		wait += data[i]->num;
	}
	return all > 0 ? wait / all : NAN;
}

bool gv_feed_limited(const struct gv_run *run, const struct gv_entity *node)
{
	struct gv_swap s;
	struct gv_cores c;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_DISK, node, e));) {
		struct gv_disk d;

		gv_disk_read(e, &d);
		if (gv_disk_saturated(run, &d) && !(d.rkb < 1)) /* loaders read */
			return true;
	}
	gv_cores_read(run, node, &c);
	return gv_swap_thrashes(run, node, &s) || gv_cores_hot(&c) || gv_data_share(node) >= gv_threshold_part(run, GV_T_DATA_WAIT);
}
