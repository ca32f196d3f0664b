/* SPDX-License-Identifier: Apache-2.0 */
/* A measured rate against what it should be: the speed of the port that carries it, or the rate that the test was told to
 * send. Without either a rate is a fact and no fault. */
#include "check/common_net.h"

enum {
	FAST_PORT = 25000,     /* Mbit/s: from here on one TCP stream is limited by one core ... */
	ONE_STREAM = 15000,    /* Mbit/s: ... at 20 to 40 Gbit/s, old CPUs at less (thresholds: tcp-single-stream) */
	HOST_LIMIT = 10000,    /* Mbit/s: up to here a sender of datagrams is limited by the port and not by its CPU */
};

static bool local_peer(gv_str peer)
{
	return gv_starts(peer, "127.") || gv_is(peer, "localhost") || gv_is(peer, "::1");
}

/* "1000M", "10G", "500000" as iperf reads them: bits per second, units of 1000. In Mbit/s; 0 = no limit or unreadable. */
static double mbit_of(gv_str s)
{
	gv_str unit;
	double v;

	if (!gv_lead_num(s, &v, &unit) || v <= 0)
		return 0;
	if (gv_starts_nocase(unit, "g"))
		return v * 1000;
	if (gv_starts_nocase(unit, "m"))
		return v;
	return gv_starts_nocase(unit, "k") ? v / 1000 : v / 1e6;
}

struct told {
	bool datagrams; /* -u */
	double rate;	/* Mbit/s of each stream; 0 = not told */
};

/* What the command line of the test asked for. */
static struct told told_by(const struct gv_obs *o)
{
	struct told t = { false, 0 };
	gv_str rest = o && o->block && o->block->seg ? o->block->seg->cmd : GV_NONE, w;

	while (gv_word(&rest, &w)) {
		if (gv_is(w, "-u") || gv_is(w, "--udp"))
			t.datagrams = true;
		else if ((gv_is(w, "-b") || gv_is(w, "--bitrate") || gv_is(w, "--bandwidth")) && gv_word(&rest, &w))
			t.rate = mbit_of(w);
		else if (gv_starts(w, "--bitrate=") || gv_starts(w, "--bandwidth="))
			t.rate = mbit_of(gv_after(w, "="));
		else if (gv_starts(w, "-b") && w.n > 2)
			t.rate = mbit_of(gv_from(w, 2));
	}
	return t;
}

/* The slowest port that can have carried this rate: of several that could, none is held to more than it is known to do. */
static const struct gv_entity *port_for(const struct gv_run *run, const struct gv_entity *node, double rate, double *ret_speed)
{
	const struct gv_entity *best = NULL;
	double speed, least = 0;
	bool link;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_NIC, node, e));) {
		if (gv_nic_virtual(e->id) || !gv_num(e, GV_F_NIC_SPEED, &speed) || speed <= 0 || speed * 1.02 < rate)
			continue;
		if (gv_flag_known(e, GV_F_NIC_LINK, &link) && !link)
			continue;
		if (!best || speed < least) {
			best = e;
			least = speed;
		}
	}
	*ret_speed = least;
	return best;
}

static void slow(struct gv_judge *j, const struct gv_entity *test, const struct gv_entity *on, double rate, double full)
{
	struct gv_finding *f = gv_found(j, GV_K_NIC_SLOW, on);
	double retr;

	f->confidence = GV_MEDIUM;
	gv_quote_fact(f, test, GV_F_TEST_BW);
	if (on->kind == GV_NIC)
		gv_quote_fact(f, on, GV_F_NIC_SPEED);
	gv_set(j, f, "rate", rate >= 1000 ? "%.1f Gbit/s" : "%.0f Mbit/s", rate >= 1000 ? rate / 1000 : rate);
	gv_set(j, f, "full", full >= 1000 ? "%.0f Gbit/s" : "%.0f Mbit/s", full >= 1000 ? full / 1000 : full);
	gv_set(j, f, "share", "%.0f %%", rate / full * 100);
	gv_set_str(j, f, "test", test->id);
	if (gv_num(test, GV_F_TEST_RETRANS, &retr) && retr > 0)
		gv_set_num(j, f, "retransmits", retr);
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *test)
{
	double rate = 0, full, streams = 0;
	const struct gv_entity *port;
	struct told t;

	if (!gv_starts(gv_text(test, GV_F_TEST_TOOL), "iperf") || local_peer(gv_text(test, GV_F_TEST_DEVICE)))
		return GV_NA;
	gv_num(test, GV_F_TEST_BW, &rate);
	rate = rate * 8 / 1e6;
	gv_num(test, GV_F_TEST_STREAMS, &streams);
	t = told_by(gv_obs(test, GV_F_TEST_BW));
	if (t.rate > 0) {
		full = t.rate * (streams > 1 ? streams : 1);
		if (!t.datagrams || full > HOST_LIMIT || rate >= full * gv_threshold(j->run, GV_T_NIC_SLOW) / 100)
			return GV_PASS; /* it was not asked for more */
		slow(j, test, test->node, rate, full);
		return GV_FOUND;
	}
	if (t.datagrams) /* sends 1 Mbit/s unless told otherwise */
		return GV_NA;
	port = port_for(j->run, test->node, rate, &full);
	if (!port)
		return GV_NODATA;
	if (rate >= full * gv_threshold(j->run, GV_T_NIC_SLOW) / 100)
		return GV_PASS;
	if (streams == 1 && full >= FAST_PORT && rate >= ONE_STREAM)
		return GV_NA; /* one stream says nothing of such a port */
	slow(j, test, port, rate, full);
	return GV_FOUND;
}

const struct gv_check gv_check_nic_rate = {
	.id = "nic-rate",
	.stage = GV_STAGE_SCALING,
	.over = GV_TEST,
	.needs = { GV_F_TEST_BW, GV_F_TEST_TOOL, GV_FACTS },
	.run = run,
	.next_run = "ethtool INTERFACE | grep -E 'Speed|Link detected'",
	.next_why = "the measured rate is a fault only if the port that carries it is faster",
};
