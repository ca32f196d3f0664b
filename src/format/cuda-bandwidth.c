/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidthTest of the CUDA samples: tables, its lines for machines (--csv), ranges and shmoo. Of several sizes the
 * largest transfer counts: the small ones measure the time of a launch. */
#include "base/units.h"
#include "format/common_gputest.h"

#define BANNER "[CUDA Bandwidth Test]"

static const struct {
	const char *head, *brief, *mode;
} modes[] = {
	{ "Host to Device Bandwidth", "bandwidthTest-H2D", "host_to_device" },
	{ "Device to Host Bandwidth", "bandwidthTest-D2H", "device_to_host" },
	{ "Device to Device Bandwidth", "bandwidthTest-D2D", "device_to_device" },
};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static size_t mode_of(gv_str t, bool brief)
{
	size_t i = 0;

	while (i < MODES && !gv_starts(t, brief ? modes[i].brief : modes[i].head))
		i++;
	return i;
}

static bool unit_head(gv_str t)
{
	return gv_starts(t, "Transfer Size (Bytes)") && gv_has(t, "Bandwidth(");
}

static bool is_row(gv_str t, double *ret_size, gv_str *ret_rate)
{
	gv_str w[2];
	double v;

	*ret_rate = GV_NONE;
	if (gv_words(t, w, 2) != 2 || !gv_to_num(w[0], ret_size) || !gv_to_num(w[1], &v))
		return false;
	*ret_rate = w[1];
	return true;
}

static bool is_talk(gv_str t)
{
	static const char *const talk[] = { BANNER,   "Running on", "Quick Mode", "Range Mode", "Shmoo Mode",
					    "PINNED", "PAGEABLE",   "PAGE",	  "Result = ",	"NOTE:",
					    "!!!!",   "....",	    "Warning" };

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return false;
}

static bool of_test(gv_str t)
{
	double size;
	gv_str rate;

	return mode_of(t, false) < MODES || mode_of(t, true) < MODES || unit_head(t) || is_row(t, &size, &rate) ||
	       is_talk(t) || gv_is_tested_line(t);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);
	size_t end = 0;

	(void)seg;
	if (!gv_starts(t, BANNER) && mode_of(t, true) == MODES &&
	    !(mode_of(t, false) < MODES && gv_has(t, "Device(s)")))
		return 0;
	for (size_t i = 0; i < n && i - end < 5; i++) {
		t = gv_trim(l[i].text);
		if (!t.n)
			continue;
		if (!of_test(t) || (i && gv_starts(t, BANNER)))
			break;
		end = i + 1;
		if (gv_starts(t, "NOTE:"))
			break;
	}
	return end;
}

struct best {
	double size, rate;
	bool pageable;
	const struct gv_line *at;
};

struct bandwidth {
	struct gv_tested_gpus gpus;
	struct best best[MODES];
	double first;	/* number of the first device */
	size_t devices; /* more than one: the rates are sums */
	gv_str result;
	const struct gv_line *result_at;
};

static void better(struct best *b, double size, gv_str rate, gv_str unit, bool pageable, const struct gv_line *l)
{
	char text[64];
	double v;

	if (rate.n + unit.n > sizeof(text) || (b->at && size < b->size))
		return;
	for (size_t i = 0; i < rate.n; i++)
		text[i] = rate.p[i];
	for (size_t i = 0; i < unit.n; i++)
		text[rate.n + i] = unit.p[i];
	if (gv_rate((gv_str){ text, rate.n + unit.n }, &v))
		*b = (struct best){ size, v, pageable, l };
}

/* "bandwidthTest-H2D-Pinned, Bandwidth = 8494.3 MB/s, Time = 0.00377 s, Size = 33554432 bytes, NumDevsUsed = 1" */
static void read_brief(struct bandwidth *b, size_t mode, gv_str t, const struct gv_line *l)
{
	gv_str bw = gv_trim(gv_before(gv_after(t, "Bandwidth ="), ",")), size = gv_trim(gv_after(t, "Size =")), rest;
	double bytes, v;

	if (!gv_lead_num(bw, &v, &rest) || !gv_lead_num(size, &bytes, &size))
		return;
	better(&b->best[mode], bytes, gv_sub(bw, 0, (size_t)(rest.p - bw.p)), gv_trim(rest), gv_has(t, "Paged"), l);
}

static void read_lines(struct gv_read *r, struct bandwidth *b, const struct gv_line *l, size_t n)
{
	gv_str unit = GV_NONE, rate;
	size_t mode = MODES;
	bool pageable = false;
	double size;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		size_t head = mode_of(t, false), brief = mode_of(t, true);

		if (gv_is_tested_line(t)) {
			if (!b->devices++ && !gv_lead_num(gv_from(t, 7), &b->first, &rate))
				b->first = 0;
			gv_tested_line(r, &b->gpus, &l[i]);
		} else if (brief < MODES) {
			read_brief(b, brief, t, &l[i]);
		} else if (head < MODES) {
			mode = head;
			pageable = false;
		} else if (gv_starts(t, "PAGE")) {
			pageable = true;
		} else if (unit_head(t)) {
			unit = gv_between(t, "Bandwidth(", ")");
		} else if (mode < MODES && unit.n && is_row(t, &size, &rate)) {
			better(&b->best[mode], size, rate, unit, pageable, &l[i]);
		} else if (gv_starts(t, "Result = ")) {
			b->result = gv_trim(gv_after(t, "="));
			b->result_at = &l[i];
		}
	}
}

static void read_bandwidth(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct bandwidth all = { 0 }, *b = &all;

	read_lines(r, b, l, n);
	for (size_t m = 0; m < MODES; m++) {
		const struct best *best = &b->best[m];
		struct gv_entity *e;
		gv_str mode;

		if (!best->at)
			continue;
		mode = gv_fmt(r->arena, "%s%s", modes[m].mode, m == 2 ? "" : best->pageable ? "_pageable" : "_pinned");
		if (b->devices > 1)
			mode = gv_fmt(r->arena, "%.*s_all", GV_ARG(mode));
		e = gv_see_gpu_test(r, &b->gpus, "bandwidthTest", mode, b->first, -1, best->at);
		gv_put_num(r, e, GV_F_TEST_BW, best->rate, best->at);
		gv_put_num(r, e, GV_F_TEST_BS, best->size, best->at);
		if (b->result.n)
			gv_put_str(r, e, GV_F_TEST_RESULT, b->result, b->result_at);
	}
}

const struct gv_format gv_format_cuda_bandwidth = {
	.name = "bandwidthTest",
	.heads = { BANNER, "bandwidthTest-", "Host to Device Bandwidth", "Device to Host Bandwidth",
		   "Device to Device Bandwidth" },
	.claim = claim,
	.read = read_bandwidth,
};
