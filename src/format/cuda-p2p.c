/* SPDX-License-Identifier: Apache-2.0 */
/* p2pBandwidthLatencyTest of the CUDA samples: which GPU reaches which, and matrices of rates and latencies with peer
 * access off and on. One test for each ordered pair holds what all matrices say of it. Old versions print no list of
 * the GPUs' bus ids; newer ones say whether peer writes or reads were measured. */
#include "format/common_gputest.h"

#include <math.h>
#include <string.h>

#define TOOL "p2pBandwidthLatencyTest"
#define BANNER "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]"

enum matrix { NONE, ACCESS, STAGED, DIRECT, BOTH, LATENCY, OTHER };

/* What a line says of the matrix below it. Reads come second: they do not replace writes. */
static enum matrix title_of(gv_str t)
{
	if (gv_starts(t, "P2P Connectivity Matrix"))
		return ACCESS;
	if (!gv_has(t, "P2P=") || !gv_has(t, "Matrix"))
		return NONE;
	if (gv_has(t, "Latency"))
		return gv_has(t, "P2P=Enabled") && !gv_has(t, "Reads") ? LATENCY : OTHER;
	if (!gv_has(t, "Bandwidth"))
		return NONE;
	if (gv_starts(t, "Bidirectional"))
		return gv_has(t, "P2P=Enabled") ? BOTH : OTHER;
	return gv_has(t, "P2P=Enabled") ? DIRECT : STAGED;
}

/* "Device=0 CAN Access Peer Device=1" */
static bool access_of(gv_str t, double *ret_gpu, double *ret_peer, bool *ret_can)
{
	gv_str rest;

	if (!gv_starts(t, "Device=") || !gv_lead_num(gv_from(t, 7), ret_gpu, &rest))
		return false;
	rest = gv_trim(rest);
	*ret_can = gv_starts(rest, "CAN Access Peer Device=");
	return (*ret_can || gv_starts(rest, "CANNOT Access Peer Device=")) &&
	       gv_to_num(gv_after(rest, "Device="), ret_peer);
}

/* "D\D 0 1 2", and of latencies "GPU 0 1" and "CPU 0 1" */
static bool head_of(gv_str t, double *cols, size_t *ret_n, bool *ret_cpu)
{
	gv_str w;

	*ret_n = 0;
	if (!gv_word(&t, &w) || !(gv_is(w, "D\\D") || gv_is(w, "GPU") || gv_is(w, "CPU")))
		return false;
	*ret_cpu = gv_is(w, "CPU");
	*ret_n = gv_matrix_head(t, cols, GV_TESTED_MAX);
	return *ret_n > 0;
}

static bool is_talk(gv_str t)
{
	static const char *const talk[] = { BANNER,	   "***NOTE:",	"So you can see", "NOTE: The CUDA Samples",
					    "Performance", "GPUs will", "in those cases" };

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return false;
}

static bool of_test(gv_str t)
{
	double v[GV_TESTED_MAX], gpu, peer;
	bool can;
	size_t n;

	return title_of(t) != NONE || head_of(t, v, &n, &can) || gv_matrix_row(t, &gpu, v, GV_TESTED_MAX) > 0 ||
	       access_of(t, &gpu, &peer, &can) || is_talk(t) || gv_is_tested_line(t);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);
	size_t end = 0;
	bool any = false;

	(void)seg;
	if (!gv_starts(t, BANNER) && title_of(t) == NONE && !gv_starts(t, "Device="))
		return 0;
	for (size_t i = 0; i < n && i - end < 4; i++) {
		t = gv_trim(l[i].text);
		if (!t.n)
			continue;
		if (!of_test(t) || (i && gv_starts(t, BANNER)))
			break;
		any = any || title_of(t) != NONE || gv_starts(t, "Device=");
		if (!any && i > 2 * GV_TESTED_MAX)
			return 0;
		end = i + 1;
	}
	return any ? end : 0;
}

struct reading {
	struct gv_read *r;
	struct gv_tested_gpus gpus;
	struct gv_map pairs; /* "0 1" -> its test */
	enum matrix matrix;
	double cols[GV_TESTED_MAX];
	size_t ncols;
	bool reads, cpu;
};

static struct gv_entity *pair_of(struct reading *x, double gpu, double peer, const struct gv_line *l)
{
	void **e;

	if (gpu < 0 || peer < 0 || gpu >= GV_TESTED_MAX || peer >= GV_TESTED_MAX || gpu == peer)
		return NULL;
	e = gv_map_put(&x->pairs, gv_fmt(x->r->arena, "%.0f %.0f", gpu, peer));
	if (!*e)
		*e = gv_see_gpu_test(x->r, &x->gpus, TOOL, GV_NONE, gpu, peer, l);
	return *e;
}

static void put(struct reading *x, struct gv_entity *e, double v, const struct gv_line *l)
{
	static const struct {
		enum matrix of;
		enum gv_fact fact;
		double unit;
	} as[] = { { STAGED, GV_F_TEST_BW_STAGED, 1e9 },
		   { DIRECT, GV_F_TEST_BW, 1e9 },
		   { BOTH, GV_F_TEST_BOTH, 1e9 },
		   { LATENCY, GV_F_TEST_LATENCY, 1 } };

	for (size_t i = 0; i < sizeof(as) / sizeof(as[0]); i++)
		if (as[i].of == x->matrix && !(x->reads && gv_num(e, as[i].fact, NULL)))
			gv_put_num(x->r, e, as[i].fact, v * as[i].unit, l);
}

static void read_row(struct reading *x, const struct gv_line *l)
{
	double v[GV_TESTED_MAX], gpu;
	size_t n = gv_matrix_row(l->text, &gpu, v, GV_TESTED_MAX);

	if (x->cpu || x->matrix == OTHER)
		return;
	for (size_t i = 0; i < n && i < x->ncols; i++) {
		struct gv_entity *e = isnan(v[i]) ? NULL : pair_of(x, gpu, x->cols[i], l);

		if (!e)
			continue;
		if (x->matrix != ACCESS)
			put(x, e, v[i], l);
		else if (!gv_obs(e, GV_F_TEST_PEER_ACCESS))
			gv_put_flag(x->r, e, GV_F_TEST_PEER_ACCESS, v[i] != 0, l);
	}
}

static void read_line(struct reading *x, const struct gv_line *l)
{
	gv_str t = gv_trim(l->text);
	double gpu, peer, cols[GV_TESTED_MAX];
	struct gv_entity *e;
	bool can, cpu;
	size_t n;

	if (gv_tested_line(x->r, &x->gpus, l))
		return;
	if (access_of(t, &gpu, &peer, &can)) {
		e = pair_of(x, gpu, peer, l);
		if (e)
			gv_put_flag(x->r, e, GV_F_TEST_PEER_ACCESS, can, l);
	} else if (title_of(t) != NONE) {
		x->matrix = title_of(t);
		x->reads = gv_has(t, "Reads");
		x->cpu = false;
		x->ncols = 0;
	} else if (head_of(t, cols, &n, &cpu)) {
		memcpy(x->cols, cols, sizeof(cols[0]) * n);
		x->ncols = n;
		x->cpu = cpu;
	} else if (x->matrix != NONE) {
		read_row(x, l);
	}
}

static void read_p2p(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .pairs = { .arena = r->arena } };

	for (size_t i = 0; i < n; i++)
		read_line(&x, &l[i]);
	gv_see_tested_gpus(r, &x.gpus);
}

const struct gv_format gv_format_cuda_p2p = {
	.name = TOOL,
	.heads = { BANNER, "P2P=", "P2P Connectivity Matrix", "Access Peer Device=" },
	.claim = claim,
	.read = read_p2p,
};
