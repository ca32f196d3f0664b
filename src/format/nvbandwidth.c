/* SPDX-License-Identifier: Apache-2.0 */
/* nvbandwidth: "Running NAME." and a matrix for each test, or all of it as JSON (-j).
 *
 * Source: NVIDIA/nvbandwidth, output.cpp and json_output.cpp. What rows and columns are stands in the title of a
 * matrix: "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"; a row that is no GPU is the host. */
#include "base/json.h"
#include "format/common_gputest.h"

#include <math.h>
#include <string.h>

static bool title(gv_str t)
{
	return gv_has(t, "GPU(column)") && (gv_has(t, "(GB/s)") || gv_has(t, "(ns)"));
}

/* "Running host_to_device_memcpy_ce." */
static gv_str test_of(gv_str t)
{
	gv_str name = gv_starts(t, "Running ") ? gv_trim(gv_from(t, 8)) : GV_NONE;

	if (gv_ends(name, "."))
		name.n--;
	return name.n < 80 && gv_find_c(name, ' ') < 0 && gv_find_c(name, '_') > 0 ? name : GV_NONE;
}

static bool is_talk(gv_str t)
{
	static const char *const talk[] = { "nvbandwidth Version:",
					    "Built from Git",
					    "NOTE:",
					    "Additional system-specific",
					    "CUDA Runtime Version:",
					    "CUDA Driver Version:",
					    "Driver Version:",
					    "SUM ",
					    "MIN ",
					    "MAX ",
					    "AVG ",
					    "COEFFICIENT",
					    "Waived:",
					    "WAIVED",
					    "ERROR:",
					    "Error:",
					    "MPI version:",
					    "Process " };

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return false;
}

static bool of_test(gv_str t)
{
	double v[GV_TESTED_MAX], row;

	return title(t) || test_of(t).n || is_talk(t) || gv_is_tested_line(t) || gv_matrix_head(t, v, GV_TESTED_MAX) ||
	       gv_matrix_row(t, &row, v, GV_TESTED_MAX);
}

#define JSON_KEY "\"nvbandwidth\""

/* The lines of the object that stands behind the key in the first of them; 0 where that is no report. */
static size_t claim_json(const struct gv_line *l, size_t n)
{
	ptrdiff_t key = gv_find(l[0].raw, JSON_KEY);
	size_t depth = 0;

	if (key < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i ? 0 : (size_t)key; k < l[i].raw.n; k++) {
			depth += l[i].raw.p[k] == '{';
			if (l[i].raw.p[k] == '}' && depth && !--depth)
				return i + 1;
			if (!depth && i > 2)
				return 0;
		}
	return depth ? n : 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);
	bool any = false;
	size_t end = 0;

	(void)seg;
	if (gv_has(t, JSON_KEY))
		return claim_json(l, n);
	if (!gv_starts(t, "nvbandwidth Version:") && !title(t) && !test_of(t).n)
		return 0;
	for (size_t i = 0; i < n && i - end < 4; i++) {
		t = gv_trim(l[i].text);
		if (!t.n)
			continue;
		if (!of_test(t) || (i && gv_starts(t, "nvbandwidth Version:")))
			break;
		any = any || title(t) || gv_starts(t, "nvbandwidth Version:");
		if (!any && i > 4)
			return 0;
		end = i + 1;
	}
	return any ? end : 0;
}

struct matrix {
	gv_str name, title;
	double cols[GV_TESTED_MAX];
	size_t ncols;
};

static void put_cell(struct gv_read *r, const struct gv_tested_gpus *g, const struct matrix *m, double row, double col,
		     double v, const struct gv_line *l)
{
	bool peers = gv_has(m->title, "GPU(row)");
	struct gv_entity *e;

	if (isnan(v) || (peers && row == col))
		return;
	e = gv_see_gpu_test(r, g, "nvbandwidth", m->name, col, peers ? row : -1, l);
	if (gv_has(m->title, "(ns)"))
		gv_put_num(r, e, GV_F_TEST_LATENCY, v / 1000, l);
	else
		gv_put_num(r, e, GV_F_TEST_BW, v * 1e9, l);
}

static void read_text(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_tested_gpus g = { 0 };
	struct matrix m = { 0 };
	double v[GV_TESTED_MAX], row;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		size_t k;

		if (gv_tested_line(r, &g, &l[i]))
			continue;
		if (test_of(t).n) {
			m = (struct matrix){ .name = test_of(t) };
		} else if (title(t)) {
			m.title = t;
			m.ncols = 0;
		} else if (m.title.n && !m.ncols && (k = gv_matrix_head(t, v, GV_TESTED_MAX))) {
			memcpy(m.cols, v, sizeof(v[0]) * k);
			m.ncols = k;
		} else if (m.ncols && (k = gv_matrix_row(t, &row, v, GV_TESTED_MAX)) && k <= m.ncols) {
			for (size_t c = 0; c < k; c++)
				put_cell(r, &g, &m, row, m.cols[c], v[c], &l[i]);
		}
	}
	gv_see_tested_gpus(r, &g);
}

/* ---- JSON ---- */

struct cell {
	double row, col, v;
	size_t line;
};

struct json {
	struct gv_read *r;
	const struct gv_line *l;
	size_t n, line; /* lines of the block, and the one that the last token is in */
	gv_str text;
	struct gv_tested_gpus none;
	struct matrix m;
	GV_VEC(struct cell) cells;
};

/* The line in which the byte at `at` lies; tokens come in order. */
static size_t line_at(struct json *x, size_t at)
{
	const char *p = x->text.p + at;

	while (x->line + 1 < x->n && x->l[x->line + 1].raw.p <= p)
		x->line++;
	return x->line;
}

static void read_matrix(struct json *x, struct gv_json_in *in)
{
	double row = -1, col = 0, v;
	unsigned depth = in->depth;
	enum gv_json_kind k;

	while ((k = gv_json_next(in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_ARR_END && in->depth < depth)
			return;
		if (k == GV_JSON_ARR) {
			row++;
			col = 0;
			continue;
		}
		if (k != GV_JSON_STR && k != GV_JSON_NUM)
			continue;
		if (gv_to_num(in->raw, &v))
			*gv_push(x->r->arena, &x->cells) = (struct cell){ row, col, v, line_at(x, in->at) };
		col++;
	}
}

static void end_test(struct json *x)
{
	for (size_t i = 0; i < x->cells.n && x->m.name.n; i++) {
		const struct cell *c = &x->cells.v[i];

		if (c->row < GV_TESTED_MAX && c->col < GV_TESTED_MAX)
			put_cell(x->r, &x->none, &x->m, c->row, c->col, c->v, &x->l[c->line]);
	}
	x->m = (struct matrix){ 0 };
	x->cells.n = 0;
}

/* Objects inside of "testcases", each with the keys of one test in any order. */
static void read_tests(struct json *x, struct gv_json_in *in)
{
	unsigned depth = in->depth;
	enum gv_json_kind k;

	while ((k = gv_json_next(in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		gv_str key;

		if (k == GV_JSON_ARR_END && in->depth < depth)
			return;
		if (k == GV_JSON_OBJ_END)
			end_test(x);
		if (k != GV_JSON_KEY)
			continue;
		key = in->raw;
		k = gv_json_next(in);
		if (k == GV_JSON_ARR && gv_is(key, "bandwidth_matrix"))
			read_matrix(x, in);
		else if (k == GV_JSON_STR && gv_is(key, "name"))
			x->m.name = gv_json_unescape(x->r->arena, in->raw);
		else if (k == GV_JSON_STR && gv_is(key, "bandwidth_description"))
			x->m.title = gv_json_unescape(x->r->arena, in->raw);
		else if (k == GV_JSON_OBJ || k == GV_JSON_ARR)
			gv_json_skip(in, k);
	}
}

static void read_json(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct json json = { .r = r, .l = l, .n = n }, *x = &json;
	struct gv_json_in in = { 0 };
	enum gv_json_kind k;

	x->text = gv_after((gv_str){ l[0].raw.p, (size_t)(l[n - 1].raw.p + l[n - 1].raw.n - l[0].raw.p) }, JSON_KEY);
	x->text = gv_from(x->text, gv_before(x->text, "{").n);
	in.text = x->text;
	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		gv_str key;

		if (k != GV_JSON_KEY)
			continue;
		key = in.raw;
		k = gv_json_next(&in);
		if (k == GV_JSON_ARR && gv_is(key, "testcases"))
			read_tests(x, &in);
		else if (k == GV_JSON_OBJ || k == GV_JSON_ARR)
			gv_json_skip(&in, k);
	}
}

static void read_nvbandwidth(struct gv_read *r, const struct gv_line *l, size_t n)
{
	if (gv_has(l[0].text, JSON_KEY))
		read_json(r, l, n);
	else
		read_text(r, l, n);
}

const struct gv_format gv_format_nvbandwidth = {
	.name = "nvbandwidth",
	.heads = { "nvbandwidth Version:", "GPU(column)", "Running ", JSON_KEY },
	.claim = claim,
	.read = read_nvbandwidth,
};
