/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs need of their input, and how fast it was seen to be read. */
#include "base/units.h"
#include "check/common_load.h"

#define LARGE (128 * 1024) /* bytes a request: of smaller ones the rate is the request's, not the storage's */

double gv_need(const struct gv_run *run)
{
	return run->site ? run->site->need : 0;
}

void gv_set_rate(struct gv_judge *j, struct gv_finding *f, const char *name, double bytes_per_s)
{
	char text[GV_HUMAN];

	gv_set(j, f, name, "%s", gv_human_rate(bytes_per_s, text, sizeof(text)));
}

static void better(struct gv_reads *r, const struct gv_entity *on, double rate, enum gv_fact fact, bool proves)
{
	if (rate <= r->rate)
		return;
	*r = (struct gv_reads){ .rate = rate, .on = on, .at = gv_obs(on, fact)->at, .proves = proves };
}

void gv_reads_of(const struct gv_run *run, const struct gv_entity *node, struct gv_reads *ret)
{
	struct gv_reads r = { 0 }, small = { 0 };
	double rate, size;
	bool direct;

	for (struct gv_entity *t = NULL; (t = gv_each(run, GV_TEST, node, t));) {
		gv_str mode = gv_text(t, GV_F_TEST_MODE);
		bool large = !gv_num(t, GV_F_TEST_BS, &size) || size >= LARGE;
		/* through the page cache memory is measured, unless even that is too slow */
		bool cached = gv_flag_known(t, GV_F_TEST_DIRECT, &direct) && !direct;

		if (!gv_is(gv_text(t, GV_F_TEST_TOOL), "fio") || (!gv_is(mode, "read") && !gv_is(mode, "randread")) ||
		    !gv_num(t, GV_F_TEST_BW, &rate) || (cached && rate >= gv_need(run)))
			continue;
		better(large ? &r : &small, t, rate, GV_F_TEST_BW, large);
	}
	for (struct gv_entity *d = NULL; (d = gv_each(run, GV_DISK, node, d));)
		if (!gv_flag(d, GV_F_DISK_SINCE_BOOT) && gv_num(d, GV_F_DISK_RKB, &rate))
			better(&small, d, rate * 1024, GV_F_DISK_RKB, false);
	/* what was seen by the way proves only that it can be done */
	*ret = small.rate >= gv_need(run) || !r.rate ? small : r;
	if (r.rate >= gv_need(run) && r.rate > ret->rate)
		*ret = r;
}

bool gv_need_met(const struct gv_run *run, const struct gv_entity *node, struct gv_reads *ret)
{
	if (gv_need(run) <= 0)
		return false;
	gv_reads_of(run, node, ret);
	return ret->rate >= gv_need(run);
}
