/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi dmon: rows of columns below a header that comes again every screenful. -s chooses the columns, -o D and T
 * put date and time in front. */
#include "format/common.h"

#define MAX_COLS 64
#define MAX_GPUS 256

#define NO_FACT GV_FACTS

static const struct {
	const char *column;
	enum gv_fact fact;
} facts[] = {
	{ "bar1", GV_F_GPU_BAR1 },	{ "dbecc", GV_F_GPU_ECC_UNC },	  { "dec", GV_F_GPU_DEC_UTIL },
	{ "enc", GV_F_GPU_ENC_UTIL },	{ "fb", GV_F_GPU_MEM_USED },
	{ "gtemp", GV_F_GPU_TEMP },	{ "mclk", GV_F_GPU_CLK_MEM },	  { "mem", GV_F_GPU_MEM_UTIL },
	{ "mtemp", GV_F_GPU_TEMP_MEM }, { "pci", GV_F_GPU_PCIE_REPLAYS }, { "pclk", GV_F_GPU_CLK_SM },
	{ "pwr", GV_F_GPU_POWER },	{ "rxpci", GV_F_GPU_PCIE_RX },	  { "sm", GV_F_GPU_SM_UTIL },
	{ "temp", GV_F_GPU_TEMP },	{ "txpci", GV_F_GPU_PCIE_TX },
};

struct header {
	struct gv_columns col;
	enum gv_fact fact[MAX_COLS];
	size_t gpu, date, time; /* columns; SIZE_MAX where missing */
};

struct series {
	uint64_t index;
	struct gv_entity *e;
	uint32_t rows;
};

static enum gv_fact fact_of(gv_str column)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (gv_is(column, facts[i].column))
			return facts[i].fact;
	return NO_FACT;
}

static bool parse_header(gv_str text, struct header *h)
{
	size_t known = 0;

	if (!gv_hash_words(text, h->col.name, MAX_COLS, &h->col.n))
		return false;
	h->gpu = gv_column(&h->col, "gpu");
	if (h->gpu > 2 || gv_column(&h->col, "pid") != SIZE_MAX)
		return false;
	h->date = gv_column(&h->col, "Date");
	h->time = gv_column(&h->col, "Time");
	for (size_t i = 0; i < h->col.n; i++) {
		h->fact[i] = fact_of(h->col.name[i]);
		known += h->fact[i] != NO_FACT || gv_is(h->col.name[i], "pviol") || gv_is(h->col.name[i], "sbecc");
	}
	return known > 0;
}

/* The second header line. A share of the memory is no amount. */
static bool parse_units(gv_str text, struct header *h)
{
	gv_str w[MAX_COLS];
	size_t n;

	if (!gv_hash_words(text, w, MAX_COLS, &n) || h->gpu >= n || !gv_is(w[h->gpu], "Idx"))
		return false;
	for (size_t i = 0; i < n && i < h->col.n; i++)
		if (gv_is(w[i], "%") && (h->fact[i] == GV_F_GPU_MEM_USED || h->fact[i] == GV_F_GPU_BAR1))
			h->fact[i] = NO_FACT;
	return true;
}

/* A row: a number in the GPU's column, numbers or dashes in the others. Returns its cells, 0 where it is none. */
static size_t parse_row(gv_str text, const struct header *h, gv_str *w, uint64_t *ret_gpu)
{
	size_t n = gv_words(text, w, MAX_COLS);

	n = n < h->col.n ? n : h->col.n;
	if (n <= h->gpu + 1)
		return 0;
	for (size_t i = 0; i < n; i++) {
		char c = w[i].p[0];

		if (gv_ends(w[i], ",") && w[i].n > 1)
			w[i].n--;
		if (!(c >= '0' && c <= '9') && c != '-' && c != '[' && !gv_starts(w[i], "N/A") &&
		    !gv_starts(w[i], "ERR"))
			return 0;
	}
	return gv_to_u64(w[h->gpu], ret_gpu) ? n : 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct header h;
	gv_str w[MAX_COLS];
	size_t end = 1;
	uint64_t gpu;

	(void)seg;
	if (!parse_header(l[0].text, &h))
		return 0;
	for (size_t i = 1; i < n; i++) {
		struct header again;

		if (gv_blank_line(&l[i]))
			continue;
		/* Blank lines within are taken, those behind are not. */
		if (parse_header(l[i].text, &again))
			h = again;
		else if (!parse_units(l[i].text, &h) && !parse_row(l[i].text, &h, w, &gpu))
			break;
		end = i + 1;
	}
	return end;
}

static struct series *series_of(struct gv_read *r, struct series *s, size_t *count, uint64_t index,
				const struct gv_line *l)
{
	gv_str name;

	for (size_t i = 0; i < *count; i++)
		if (s[i].index == index)
			return &s[i];
	if (*count == MAX_GPUS)
		return NULL;
	name = gv_fmt(r->arena, "%llu", (unsigned long long)index);
	s = &s[(*count)++];
	*s = (struct series){ index, gv_see(r, GV_GPU, GV_NONE), 0 };
	gv_key(r, s->e, GV_KEY_INDEX, name);
	gv_put_num(r, s->e, GV_F_GPU_INDEX, (double)index, l);
	gv_put_str(r, s->e, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	return s;
}

/* The moment of the first row, where -o printed one. */
static void set_time(struct gv_read *r, const struct header *h, const gv_str *w, size_t n)
{
	struct gv_logline ll;
	gv_str d, t;

	if (h->date >= n || h->time >= n || r->block->when.clock != GV_CLOCK_NONE)
		return;
	d = w[h->date];
	t = w[h->time];
	if (d.n != 8 || t.n != 8)
		return;
	if (gv_logline_parse(gv_fmt(r->arena, "%.4s-%.2s-%.2sT%.8s x", d.p, d.p + 4, d.p + 6, t.p), &ll) &&
	    ll.when.clock == GV_CLOCK_WALL)
		r->block->when = ll.when;
}

static void read_row(struct gv_read *r, const struct header *h, const gv_str *w, size_t n, struct series *s,
		     const struct gv_line *l)
{
	for (size_t i = 0; i < n; i++) {
		const char *why;

		if (h->fact[i] == NO_FACT)
			continue;
		/* What the GPU does not have is said once, not with every sample. */
		if (s->rows && gv_no_value(w[i], &why) == GV_NOT_APPLICABLE)
			continue;
		gv_put_sample(r, s->e, h->fact[i], w[i], s->rows, l);
	}
	s->rows++;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct series gpus[MAX_GPUS] = { 0 };
	size_t count = 0;
	struct header h;

	if (!parse_header(l[0].text, &h))
		return;
	for (size_t i = 1; i < n; i++) {
		struct header again;
		struct series *s;
		gv_str w[MAX_COLS];
		uint64_t gpu;
		size_t cells;

		if (parse_header(l[i].text, &again)) {
			h = again;
			continue;
		}
		if (parse_units(l[i].text, &h))
			continue;
		cells = parse_row(l[i].text, &h, w, &gpu);
		s = cells ? series_of(r, gpus, &count, gpu, &l[i]) : NULL;
		if (!s)
			continue;
		set_time(r, &h, w, cells);
		read_row(r, &h, w, cells, s, &l[i]);
	}
}

const struct gv_format gv_format_nvidia_smi_dmon = {
	.name = "nvidia-smi dmon",
	.heads = { "# gpu", "#gpu", "#Date", "#Time", "# Date", "# Time" },
	.claim = claim,
	.read = read,
};
