/* SPDX-License-Identifier: Apache-2.0 */
/* A block device at its end, slower than its kind, or busy with many small reads. */
#include "check/common_load.h"

enum {
	SMALL_READ = 64,  /* kB: above it the size explains the wait */
	SOME_READS = 20,  /* a second: fewer say nothing */
	TINY_READ = 16,	  /* kB */
};

static void numbers(struct gv_judge *j, struct gv_finding *f, const struct gv_entity *e, const struct gv_disk *d)
{
	static const enum gv_fact quoted[] = { GV_F_DISK_UTIL, GV_F_DISK_AQU, GV_F_DISK_R_AWAIT, GV_F_DISK_AWAIT };

	gv_set_str(j, f, "disk", e->id);
	if (!isnan(d->util))
		gv_set(j, f, "util", "%.0f %%", d->util);
	if (!isnan(d->await))
		gv_set(j, f, "await", "%.1f ms", d->await);
	if (!isnan(d->aqu))
		gv_set(j, f, "queue", "%.1f", d->aqu);
	if (d->rkb > 0)
		gv_set(j, f, "read", "%.0f MB/s", d->rkb / 1000);
	for (size_t i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++)
		gv_quote_fact(f, e, quoted[i]);
}

static bool spared(const struct gv_run *run, const struct gv_entity *e)
{
	return gv_node_use(run, e->node) == GV_LOAD_FULL;
}

#define FEW_READS 1.0 /* a second */

/* Only written to, and no GPU is seen to wait: a backup or a log keeps no loader waiting. */
static bool only_written(const struct gv_run *run, const struct gv_entity *e)
{
	double reads;

	return gv_num(e, GV_F_DISK_RPS, &reads) && reads < FEW_READS && gv_node_use(run, e->node) != GV_LOAD_LOW;
}

static void saturated(struct gv_judge *j, const struct gv_entity *e, const struct gv_disk *d)
{
	struct gv_finding *f = gv_found(j, GV_K_STORAGE_SATURATED, e);

	numbers(j, f, e, d);
	f->confidence = d->since_boot || d->samples < 2 ? GV_MEDIUM : GV_HIGH;
	if (gv_need(j->run) > 0)
		gv_set_rate(j, f, "need", gv_need(j->run));
	if (spared(j->run, e)) {
		f->severity = GV_NOTE;
		gv_set(j, f, "spared", "the GPUs of this node are at work all the time");
	} else if (only_written(j->run, e)) {
		f->severity = GV_NOTE;
		gv_set(j, f, "spared", "it is only written to, and no GPU is seen to wait");
	} else if (gv_need(j->run) > 0 && d->rkb * 1024 >= gv_need(j->run)) {
		f->severity = GV_NOTE;
		gv_set(j, f, "spared", "it gives as much");
	}
}

static bool slow(struct gv_judge *j, const struct gv_entity *e, const struct gv_disk *d)
{
	double wait, size = NAN, rps = NAN;
	struct gv_reads reads;
	struct gv_finding *f;

	if (!gv_num(e, GV_F_DISK_R_AWAIT, &wait) || !gv_num(e, GV_F_DISK_RPS, &rps) || d->since_boot || rps < SOME_READS ||
	    (gv_num(e, GV_F_DISK_RAREQ, &size) && size > SMALL_READ) || d->class == GV_DISK_LAYER || !(d->aqu < 16) ||
	    wait < gv_threshold(j->run, d->class == GV_DISK_NVME ? GV_T_NVME_READ_WAIT : GV_T_DISK_READ_WAIT))
		return false;
	f = gv_found(j, GV_K_STORAGE_SLOW, e);
	f->confidence = GV_MEDIUM;
	numbers(j, f, e, d);
	if (spared(j->run, e))
		f->severity = GV_NOTE;
	if (gv_need_met(j->run, e->node, &reads)) {
		f->severity = GV_NOTE;
		gv_set_rate(j, f, "need", gv_need(j->run));
		gv_set(j, f, "why", "reads as fast were seen");
		gv_quote(f, reads.at);
	}
	return true;
}

static bool small_files(struct gv_judge *j, const struct gv_entity *e, const struct gv_disk *d)
{
	double reads, size;
	struct gv_finding *f;

	if (!gv_num(e, GV_F_DISK_RPS, &reads) || reads < gv_threshold(j->run, GV_T_SMALL_READS) || !gv_num(e, GV_F_DISK_RAREQ, &size) || size > TINY_READ ||
	    size <= 0 || gv_node_use(j->run, e->node) != GV_LOAD_LOW)
		return false;
	f = gv_found(j, GV_K_SMALL_FILES, e);
	f->confidence = GV_MEDIUM;
	numbers(j, f, e, d);
	gv_set(j, f, "reads", "%.0f", reads);
	gv_set(j, f, "size", "%.0f kB", size);
	gv_quote_fact(f, e, GV_F_DISK_RAREQ);
	return true;
}

#define DISKS 256 /* that are asked */

/* RAID, LVM and encryption lie on disks: where one of those is at its end, they are with it. */
static bool layer_of_one(const struct gv_run *run, const struct gv_entity *e)
{
	struct gv_disk d;
	size_t n = 0;

	for (struct gv_entity *o = NULL; n < DISKS && (o = gv_each(run, GV_DISK, e->node, o)); n++) {
		gv_disk_read(o, &d);
		if (d.class != GV_DISK_LAYER && gv_disk_saturated(run, &d))
			return true;
	}
	return false;
}

/* nvme0c1n1 is one of the ways to nvme0n1, which is judged. */
static bool path_of_nvme(gv_str id)
{
	return gv_starts(id, "nvme") && gv_find_c(id, 'c') > 0;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *e)
{
	struct gv_disk d;

	gv_disk_read(e, &d);
	if (d.class == GV_DISK_LAYER && (gv_starts(e->id, "loop") || gv_starts(e->id, "zram")))
		return GV_NA;
	if (path_of_nvme(e->id))
		return GV_NA;
	if (isnan(d.util) && isnan(d.await))
		return GV_NODATA;
	if (gv_disk_saturated(j->run, &d)) {
		if (d.class == GV_DISK_LAYER && layer_of_one(j->run, e))
			return GV_NA;
		saturated(j, e, &d);
		return GV_FOUND;
	}
	return slow(j, e, &d) || small_files(j, e, &d) ? GV_FOUND : GV_PASS;
}

const struct gv_check gv_check_storage = {
	.id = "storage",
	.stage = GV_STAGE_FED,
	.over = GV_DISK,
	.needs = { GV_FACTS },
	.core = "disk load",
	.run = run,
};
