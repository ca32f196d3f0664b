/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that take far longer than the others at equal distances: a checkpoint, an evaluation, a collection of garbage, a
 * job of cron. Whether it is meant is not seen; how much of the time it takes is. */
#include "check/common_load.h"

#define SLOW 3.0      /* times the median step */
#define WORTH 0.10    /* share of the whole time that the stalls add: from here on it is worth a change */
#define SLACK 0.15    /* by which distances may differ: logs round, steps are left out */

enum {
	STALLS = 4, /* three equal distances are no chance */
	MOST = 4096,
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(struct gv_arena *a, const struct gv_obs **v, size_t n)
{
	double *s = GV_NEWN(a, double, n);

	for (size_t i = 0; i < n; i++)
		s[i] = v[i]->num;
	qsort(s, n, sizeof(s[0]), by_value);
	return s[n / 2];
}

struct stalls {
	size_t n, first, last, shortest, longest; /* places and distances in samples */
	double lost, all;			  /* seconds */
	double data;				  /* seconds of the stalls that the job waited for data */
};

static struct stalls collect(const struct gv_obs **v, const struct gv_obs **data, size_t n, double usual)
{
	struct stalls s = { .shortest = SIZE_MAX };

	for (size_t i = 0; i < n; i++) {
		s.all += v[i]->num;
		if (v[i]->num < usual * SLOW)
			continue;
		s.lost += v[i]->num - usual;
		s.data += data ? data[i]->num : 0;
		if (s.n) {
			size_t d = i - s.last;

			s.shortest = d < s.shortest ? d : s.shortest;
			s.longest = d > s.longest ? d : s.longest;
		} else {
			s.first = i;
		}
		s.last = i;
		s.n++;
	}
	return s;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs **v = GV_NEWN(j->run->arena, const struct gv_obs *, MOST);
	const struct gv_obs **data = GV_NEWN(j->run->arena, const struct gv_obs *, MOST);
	size_t n = gv_series(node, GV_F_JOB_STEP_TIME, v, MOST), ndata = gv_series(node, GV_F_JOB_DATA_TIME, data, MOST);
	struct gv_finding *f;
	struct stalls s;
	double usual;

	n = n < MOST ? n : MOST;
	if (n < STALLS * 3)
		return GV_NA;
	usual = median_of(j->run->arena, v, n);
	s = collect(v, ndata >= n ? data : NULL, n, usual);
	if (usual <= 0 || s.n < STALLS || s.shortest < 3 || (double)(s.longest - s.shortest) > 1 + SLACK * (double)s.shortest)
		return GV_PASS;
	if (s.data > s.lost / 2) /* batches that come in bursts: the loader's matter, gpu-starved */
		return GV_PASS;
	f = gv_found(j, GV_K_PERIODIC_STALL, node);
	f->confidence = GV_MEDIUM;
	if (s.lost < s.all * WORTH)
		f->severity = GV_NOTE;
	gv_quote(f, v[s.first]->at);
	gv_quote(f, v[s.last]->at);
	gv_set(j, f, "every", "%.0f", (double)(s.last - s.first) / (double)(s.n - 1));
	gv_set(j, f, "usual", "%.3g s", usual);
	gv_set(j, f, "stall", "%.3g s", usual + s.lost / (double)s.n);
	gv_set(j, f, "share", "%.0f %%", s.lost / s.all * 100);
	return GV_FOUND;
}

const struct gv_check gv_check_periodic_stall = {
	.id = "periodic-stall",
	.stage = GV_STAGE_SERVING,
	.over = GV_NODE,
	.needs = { GV_F_JOB_STEP_TIME, GV_FACTS },
	.run = run,
};
