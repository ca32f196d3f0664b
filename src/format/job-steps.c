/* SPDX-License-Identifier: Apache-2.0 */
/* Training logs that print, on one line, the time of a step and the part of it spent in waiting for data:
 *
 *	Epoch: [1][20/5005]  Time 0.200 (0.186)  Data 0.045 (0.040)	(the ImageNet example of PyTorch and its kin)
 *	Epoch(train) [1][50/100]  time: 0.3435  data_time: 0.0124	(MMEngine, Detectron2, DETR with "data:")
 *	train/data_time=0.217, train/iter_time=0.326			(progress bars)
 *
 * Lines of other kinds may stand between. Seconds, unless "ms" follows. */
#include "format/common.h"

enum { GAP = 12, /* other lines between two of ours */
       LINE = 2000 };

static const char *const data_keys[] = { "data_time", "Data", "data", "DataTime", "data_loading_time", "dataload_time" };
static const char *const step_keys[] = { "iter_time", "batch_time", "step_time", "Time", "time", "BatchTime" };

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* A duration after the key: ":" or "=" or blanks, a number with a fraction; no clock time, no date. */
static bool duration(gv_str rest, double *ret)
{
	gv_str after;
	double v;

	rest = gv_trim(rest);
	if (rest.n && (rest.p[0] == ':' || rest.p[0] == '='))
		rest = gv_trim(gv_from(rest, 1));
	if (!rest.n || rest.p[0] < '0' || rest.p[0] > '9' || !gv_lead_num(rest, &v, &after))
		return false;
	if (gv_find_c(gv_sub(rest, 0, rest.n - after.n), '.') < 0)
		return false;
	if (after.n && (after.p[0] == ':' || after.p[0] == '-' || after.p[0] == '/' || after.p[0] == '%'))
		return false;
	if (gv_starts(after, "ms") || gv_starts(after, " ms"))
		v /= 1000;
	else if (after.n && name_char(after.p[0]) && !(after.p[0] == 's' && (after.n == 1 || !name_char(after.p[1]))))
		return false;
	*ret = v;
	return v >= 0 && v < 86400;
}

static bool find(gv_str line, const char *const *keys, size_t nkeys, double *ret)
{
	for (size_t k = 0; k < nkeys; k++) {
		gv_str key = gv_str_of(keys[k]);
		size_t at = 0;

		for (;;) {
			ptrdiff_t hit = gv_find(gv_from(line, at), keys[k]);
			size_t from;

			if (hit < 0)
				break;
			from = at + (size_t)hit;
			at = from + key.n;
			if ((from && name_char(line.p[from - 1])) || (at < line.n && name_char(line.p[at])))
				continue;
			if (duration(gv_from(line, at), ret))
				return true;
		}
	}
	return false;
}

#define N(a) (sizeof(a) / sizeof((a)[0]))

static bool step_line(gv_str line, double *ret_step, double *ret_data)
{
	line = gv_sub(line, 0, LINE);
	return find(line, data_keys, N(data_keys), ret_data) && find(line, step_keys, N(step_keys), ret_step) && *ret_step > 0 &&
	       *ret_data <= *ret_step * 1.05;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	double step, data;
	size_t end = 0;

	(void)seg;
	for (size_t i = 0; i < n && i <= end + GAP && !(l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)); i++) {
		if (step_line(l[i].text, &step, &data))
			end = i + 1;
		else if (!i)
			return 0;
	}
	return end;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *node = gv_see_node(r);

	for (size_t i = 0; i < n; i++) {
		double step, data;

		if (!step_line(l[i].text, &step, &data))
			continue;
		gv_put_num(r, node, GV_F_JOB_STEP_TIME, step, &l[i]);
		gv_put_num(r, node, GV_F_JOB_DATA_TIME, data, &l[i]);
	}
}

const struct gv_format gv_format_job_steps = {
	.name = "training log",
	.heads = { "Data", "data_time", "data:", "data =", "dataload", "data_loading", NULL },
	.claim = claim,
	.read = read,
};
