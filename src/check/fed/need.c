/* SPDX-License-Identifier: Apache-2.0 */
/* The rate that the site states its jobs need of their input, against what was measured: a test of the storage, a disk
 * while it is read, the network where the data comes over it. */
#include "check/common_load.h"

static void found(struct gv_judge *j, const struct gv_entity *test, double rate, double need)
{
	struct gv_finding *f = gv_found(j, GV_K_STORAGE_SLOW, test);

	f->severity = GV_WARN;
	f->confidence = GV_MEDIUM;
	gv_set_rate(j, f, "rate", rate);
	gv_set_rate(j, f, "need", need);
	gv_set_str(j, f, "disk", gv_text(test, GV_F_TEST_DEVICE));
	gv_quote_fact(f, test, GV_F_TEST_BW);
}

/* A mount whose data comes from another machine. */
static const struct gv_entity *far_mount(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const types[] = { "nfs",  "cifs", "smb",	"lustre", "ceph",    "beegfs",
					     "gpfs", "weka", "gluster", "s3fs",	  "gcsfuse", "juicefs" };

	for (struct gv_entity *m = NULL; (m = gv_each(run, GV_MOUNT, node, m));) {
		gv_str type = gv_text(m, GV_F_MOUNT_FSTYPE);

		if (gv_has(gv_text(m, GV_F_MOUNT_SOURCE), ":/"))
			return m;
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (gv_has(type, types[i]))
				return m;
	}
	return NULL;
}

static bool local_peer(gv_str peer)
{
	return gv_starts(peer, "127.") || gv_is(peer, "localhost") || gv_is(peer, "::1");
}

/* The best that iperf3 reached to another machine. A rate that was asked for, with -b, is no limit. */
static const struct gv_entity *best_network(const struct gv_run *run, const struct gv_entity *node, double *ret)
{
	const struct gv_entity *best = NULL;
	double rate;

	for (struct gv_entity *t = NULL; (t = gv_each(run, GV_TEST, node, t));) {
		const struct gv_obs *o = gv_obs(t, GV_F_TEST_BW);
		gv_str cmd = o && o->block && o->block->seg ? o->block->seg->cmd : GV_NONE;

		if (!gv_starts(gv_text(t, GV_F_TEST_TOOL), "iperf") || local_peer(gv_text(t, GV_F_TEST_DEVICE)) ||
		    gv_has(cmd, " -b") || gv_has(cmd, " --bitrate") || gv_has(cmd, " -u") ||
		    !gv_num(t, GV_F_TEST_BW, &rate))
			continue;
		if (!best || rate > *ret) {
			best = t;
			*ret = rate;
		}
	}
	return best;
}

/* NA: the data does not come over the network, or nothing was measured there. */
static enum gv_answer network(struct gv_judge *j, const struct gv_entity *node, double need)
{
	const struct gv_entity *mount = far_mount(j->run, node), *test;
	struct gv_finding *f;
	double rate = 0;

	test = mount ? best_network(j->run, node, &rate) : NULL;
	if (!test)
		return GV_NA;
	if (rate >= need)
		return GV_PASS;
	found(j, test, rate, need);
	f = gv_found(j, GV_K_STORAGE_SLOW, test);
	gv_set(j, f, "why", "%.*s comes over the network", GV_ARG(mount->id));
	gv_quote_fact(f, mount, gv_obs(mount, GV_F_MOUNT_SOURCE) ? GV_F_MOUNT_SOURCE : GV_F_MOUNT_FSTYPE);
	return GV_FOUND;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	double need = gv_need(j->run);
	struct gv_reads r;
	enum gv_answer net;

	if (need <= 0)
		return GV_NA;
	net = network(j, node, need);
	gv_reads_of(j->run, node, &r);
	if (r.rate > 0 && (r.proves || r.rate >= need) && !(j->run->need_met.rate >= r.rate))
		j->run->need_met = (struct gv_need_met){ r.rate, r.at };
	if (r.rate >= need)
		return net == GV_FOUND ? GV_FOUND : GV_PASS;
	if (!r.proves)
		return net == GV_NA ? GV_NODATA : net;
	found(j, r.on, r.rate, need);
	return GV_FOUND;
}

const struct gv_check gv_check_need = {
	.id = "need",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
	.asked = true,
	.next_run =
	    "fio --name=need --filename=FILE --readonly --rw=read --bs=1M --iodepth=32 --direct=1 --ioengine=libaio",
	.next_why = "a rate is stated that jobs need of their input, and nothing measured what the storage gives",
};
