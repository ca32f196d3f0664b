/* SPDX-License-Identifier: Apache-2.0 */
/* gpu-burn: a matrix product over and over, each result compared with the first.
 *
 * Source: wilicc/gpu-burn, gpu_burn-drv.cpp. Progress overwrites itself; a summary sets its counters of errors back to
 * 0, and only the list at the end remembers. A process that died leaves garbage in its counter, and is listed as
 * FAULTY, too. */
#include "format/common_gputest.h"

#include <math.h>

static bool progress(gv_str t)
{
	return gv_has(t, "proc'd:") && gv_has(t, "errors:");
}

/* "Tested 2 GPUs:" */
static bool result_head(gv_str t)
{
	gv_str rest;
	double n;

	return gv_starts(t, "Tested ") && gv_lead_num(gv_from(t, 7), &n, &rest) && gv_starts(gv_trim(rest), "GPUs:");
}

/* "GPU 0: FAULTY" */
static bool result_of(gv_str t, double *ret_gpu, gv_str *ret_word)
{
	gv_str rest;

	if (!gv_starts(t, "GPU ") || !gv_lead_num(gv_from(t, 4), ret_gpu, &rest) || !gv_starts(rest, ":"))
		return false;
	*ret_word = gv_trim(gv_from(rest, 1));
	return gv_is(*ret_word, "OK") || gv_is(*ret_word, "FAULTY");
}

static bool is_talk(gv_str t)
{
	static const char *const talk[] = { "Summary at:",
					    "Initialized device",
					    "Results are ",
					    "Freed memory",
					    "Uninitted",
					    "Killing processes",
					    "done",
					    "Using compare file",
					    "Burning for",
					    "Run length not",
					    "Couldn't init a GPU",
					    "Failure during compute",
					    "No clients are alive",
					    "Couldn't ",
					    "Error in ",
					    "read[" };

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return false;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text), word;
	bool rows = false;
	size_t end = 0;
	double gpu;

	(void)seg;
	if (!progress(t) && !result_head(t))
		return 0;
	for (size_t i = 0; i < n && i - end < 4; i++) {
		t = gv_trim(l[i].text);
		if (!t.n)
			continue;
		if (!progress(t) && !result_head(t) && !is_talk(t) && !result_of(t, &gpu, &word))
			break;
		rows = rows || progress(t) || result_of(t, &gpu, &word);
		end = i + 1;
	}
	return rows ? end : 0;
}

struct burnt {
	double gflops, temp, errors;
	bool died;
	gv_str result;
	const struct gv_line *at, *errors_at, *died_at, *result_at;
};

struct burn {
	struct burnt v[GV_TESTED_MAX];
	size_t n;
};

static struct burnt *gpu_of(struct burn *b, double gpu)
{
	if (gpu < 0 || gpu >= GV_TESTED_MAX)
		return NULL;
	for (; b->n <= (size_t)gpu; b->n++)
		b->v[b->n] = (struct burnt){ .gflops = NAN, .temp = NAN, .errors = NAN };
	return &b->v[(size_t)gpu];
}

/* "0  (WARNING!)", "1641686072  (DIED!)": the counter overflows, so that its sign means nothing. */
static void read_errors(struct burnt *g, gv_str cell, const struct gv_line *l)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(cell, &v, &rest))
		return;
	if (gv_has(rest, "DIED")) {
		g->died = true;
		g->died_at = g->died_at ? g->died_at : l;
		return;
	}
	v = fabs(v);
	if (isnan(g->errors) || v > g->errors) {
		g->errors = v;
		g->errors_at = l;
	}
}

/* Cells are parted by " - "; a note behind a number may lack the blank before the dash. */
static bool next_cell(gv_str *rest, gv_str *ret)
{
	ptrdiff_t dash = gv_find(*rest, "- ");

	/* a dash that begins a number, or stands in "--", parts nothing */
	if (!gv_trim(*rest).n)
		return false;
	while (dash >= 0 && (dash == 0 || (rest->p[dash - 1] != ' ' && rest->p[dash - 1] != ')'))) {
		ptrdiff_t more = gv_find(gv_from(*rest, (size_t)dash + 1), "- ");

		dash = more < 0 ? -1 : dash + 1 + more;
	}
	if (dash < 0) {
		*ret = gv_trim(*rest);
		*rest = GV_NONE;
	} else {
		*ret = gv_trim(gv_sub(*rest, 0, (size_t)dash));
		*rest = gv_from(*rest, (size_t)dash + 2);
	}
	return true;
}

static gv_str part(gv_str t, const char *label)
{
	static const char *const labels[] = { "proc'd:", "errors:", "temps:", "power:" };
	gv_str s = gv_after(t, label);

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		s = gv_before(s, labels[i]);
	return s;
}

static void read_progress(struct burn *b, const struct gv_line *l)
{
	gv_str rate = part(l->text, "proc'd:"), errors = part(l->text, "errors:"), temps = part(l->text, "temps:"),
	       cell, rest;
	struct burnt *g;
	double v, i;

	for (i = 0; next_cell(&rate, &cell) && (g = gpu_of(b, i)); i++) {
		g->at = l;
		if (gv_lead_num(gv_between(cell, "(", "Gflop/s"), &v, &rest))
			g->gflops = v;
	}
	for (i = 0; next_cell(&errors, &cell) && (g = gpu_of(b, i)); i++)
		read_errors(g, cell, l);
	for (i = 0; next_cell(&temps, &cell) && (g = gpu_of(b, i)); i++)
		if (gv_lead_num(cell, &v, &rest))
			g->temp = v;
}

static void put(struct gv_read *r, const struct burnt *g, double gpu, bool temps)
{
	static const struct gv_tested_gpus none;
	const struct gv_line *l = g->result_at ? g->result_at : g->at;
	struct gv_entity *e;

	if (!l)
		return;
	e = gv_see_gpu_test(r, &none, "gpu-burn", GV_NONE, gpu, -1, l);
	if (g->at && !isnan(g->gflops) && !g->died)
		gv_put_num(r, e, GV_F_TEST_GFLOPS, g->gflops, g->at);
	if (g->at && temps && !isnan(g->temp))
		gv_put_num(r, e, GV_F_TEST_TEMP, g->temp, g->at);
	if (!isnan(g->errors))
		gv_put_num(r, e, GV_F_TEST_ERRORS, g->errors, g->errors_at);
	if (g->died)
		gv_put_str(r, e, GV_F_TEST_RESULT, GV_STR("DIED"), g->died_at);
	else if (g->result.n)
		gv_put_str(r, e, GV_F_TEST_RESULT, g->result, g->result_at);
}

static void read_burn(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct burn all = { 0 }, *b = &all;
	double only = -1, gpu;
	gv_str word;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		struct burnt *g;

		if (progress(t)) {
			read_progress(b, &l[i]);
		} else if (result_of(t, &gpu, &word) && (g = gpu_of(b, gpu))) {
			g->result = word;
			g->result_at = &l[i];
		}
	}
	/* told to test one GPU, it calls that one 0, and takes the temperatures of all for its own */
	if (b->n == 1 && (gv_cmd_option(r->block->seg, "gpu_burn", "-i", "-i", &word) ||
			  gv_cmd_option(r->block->seg, "gpu-burn", "-i", "-i", &word)))
		gv_to_num(word, &only);
	for (size_t i = 0; i < b->n; i++)
		put(r, &b->v[i], only >= 0 ? only : (double)i, only < 0);
}

const struct gv_format gv_format_gpu_burn = {
	.name = "gpu-burn",
	.heads = { "proc'd:", "Tested " },
	.claim = claim,
	.read = read_burn,
};
