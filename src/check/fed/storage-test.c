/* SPDX-License-Identifier: Apache-2.0 */
/* fio on a local NVMe drive. Only what a drive of this kind must reach whatever its generation: large sequential reads.
 * Small or single requests measure latency, not the drive; hard disks and network mounts have other figures. */
#include "check/common_load.h"

enum {
	LARGE = 128 * 1024, /* bytes a request: from here the rate is the drive's, not the request's */
	SMALL = 16 * 1024,
};

#define NVME_LATENCY 5000.0 /* us: thresholds: nvme-r-await-bad, for small requests */
#define NVME_IOPS 2000.0    /* with it: a deep queue explains a long wait at a high rate */

static bool on_nvme(const struct gv_entity *t, const struct gv_run *run)
{
	gv_str dev = gv_text(t, GV_F_TEST_DEVICE), path = gv_text(t, GV_F_TEST_PATH);
	const struct gv_entity *best = NULL;

	if (dev.n)
		return gv_starts(dev, "nvme");
	if (gv_starts(path, "/dev/"))
		return gv_starts(path, "/dev/nvme");
	for (struct gv_entity *m = NULL; path.n && (m = gv_each(run, GV_MOUNT, t->node, m));)
		if (m->id.n <= path.n && gv_eq(gv_sub(path, 0, m->id.n), m->id) && (!best || m->id.n > best->id.n))
			best = m;
	return best && gv_has(gv_text(best, GV_F_MOUNT_SOURCE), "/dev/nvme");
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *t)
{
	gv_str mode = gv_text(t, GV_F_TEST_MODE);
	double least = gv_threshold(j->run, GV_T_NVME_READ_RATE) * 1e6, bw = NAN, bs = NAN, lat = NAN, iops = NAN;
	bool seq = gv_is(mode, "read"), random = gv_is(mode, "randread"), slow_rate, slow_wait;
	struct gv_reads reads;
	struct gv_finding *f;

	if (!gv_is(gv_text(t, GV_F_TEST_TOOL), "fio") || (!seq && !random))
		return GV_NA;
	if (!on_nvme(t, j->run))
		return GV_NA;
	if (!gv_num(t, GV_F_TEST_BW, &bw))
		return GV_NODATA;
	gv_num(t, GV_F_TEST_BS, &bs);
	gv_num(t, GV_F_TEST_LATENCY, &lat);
	gv_num(t, GV_F_TEST_IOPS, &iops);
	slow_rate = bs >= LARGE && bw < least; /* under a third of the slowest class (thresholds: nvme-seq-read gen3 x4, 3.5 GB/s) */
	slow_wait = bs <= SMALL && lat >= NVME_LATENCY && iops < NVME_IOPS;
	if (!slow_rate && !slow_wait)
		return GV_PASS;
	f = gv_found(j, GV_K_STORAGE_SLOW, t);
	f->confidence = GV_MEDIUM;
	gv_set(j, f, "rate", "%.0f MB/s", bw / 1e6);
	gv_set_str(j, f, "disk", gv_text(t, GV_F_TEST_DEVICE));
	if (slow_wait)
		gv_set(j, f, "await", "%.1f ms", lat / 1000);
	if (slow_rate)
		gv_set(j, f, "expected", "over %.3g GB/s in large sequential reads", least / 1e9);
	else
		gv_set(j, f, "expected", "well under 1 ms for a small read");
	if (gv_need_met(j->run, t->node, &reads)) {
		f->severity = GV_NOTE;
		gv_set_rate(j, f, "need", gv_need(j->run));
		gv_set(j, f, "why", "reads as fast were seen");
		gv_quote(f, reads.at);
	}
	gv_quote_fact(f, t, GV_F_TEST_BW);
	gv_quote_fact(f, t, GV_F_TEST_DEVICE);
	return GV_FOUND;
}

const struct gv_check gv_check_storage_test = {
	.id = "storage-test",
	.stage = GV_STAGE_FED,
	.over = GV_TEST,
	.needs = { GV_FACTS },
	.core = "disk load",
	.run = run,
};
