/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi dmon: rows of short field names below a header that comes again; the line below it has "ID" and units. Values
 * of instances of a MIG GPU ("GPU-I 0") and of switches are left to others. */
#include "format/common_nvidia.h"

#define MAX_COLS 64
#define MAX_GPUS 256

static const struct {
	const char *column;
	enum gv_fact fact;
	double times;
} facts[] = {
	{ "DRAMA", GV_F_GPU_DRAM_ACTIVE, 100 },
	{ "FBFRE", GV_F_GPU_MEM_FREE, 1 },
	{ "FBTTL", GV_F_GPU_MEM_TOTAL, 1 },
	{ "FBUSD", GV_F_GPU_MEM_USED, 1 },
	{ "GPUTL", GV_F_GPU_UTIL, 1 },
	{ "GRACT", GV_F_GPU_UTIL, 100 },
	{ "MCUTL", GV_F_GPU_MEM_UTIL, 1 },
	{ "MMCLK", GV_F_GPU_CLK_MEM, 1 },
	{ "MMTMP", GV_F_GPU_TEMP_MEM, 1 },
	{ "POWER", GV_F_GPU_POWER, 1 },
	{ "SMACT", GV_F_GPU_SM_ACTIVE, 100 },
	{ "SMCLK", GV_F_GPU_CLK_SM, 1 },
	{ "TENSO", GV_F_GPU_TENSOR_ACTIVE, 100 },
	{ "TMPTR", GV_F_GPU_TEMP, 1 },
};

/* Names of the columns behind the entity's. */
static bool header(gv_str text, gv_str *names, size_t *ret_n)
{
	return gv_hash_words(text, names, MAX_COLS, ret_n) && *ret_n > 1 && gv_is(names[0], "Entity");
}

static bool units(gv_str text)
{
	gv_str rest = text, w;

	return gv_word(&rest, &w) && gv_eq_nocase(w, GV_STR("ID"));
}

/* "GPU 0     0.998  0.885": the cells behind the number of the GPU. */
static bool row(gv_str text, uint64_t *ret_gpu, gv_str *ret_cells)
{
	gv_str rest = text, w;

	if (!gv_word(&rest, &w) || !gv_is(w, "GPU") || !gv_word(&rest, &w) || !gv_to_u64(w, ret_gpu))
		return false;
	*ret_cells = rest;
	return true;
}

/* "GPU-I 0", "Switch 0", "CPU 1": rows that are not read. */
static bool other_row(gv_str text)
{
	gv_str rest = text, w;
	uint64_t id;

	return gv_word(&rest, &w) && gv_word(&rest, &w) && gv_to_u64(w, &id) && gv_trim(rest).n;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str names[MAX_COLS], cells;
	size_t end = 1, cols;
	uint64_t gpu;

	(void)seg;
	if (!header(l[0].text, names, &cols))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (gv_blank_line(&l[i]))
			continue;
		if (!row(l[i].text, &gpu, &cells) && !other_row(l[i].text) && !units(l[i].text) &&
		    !header(l[i].text, names, &cols))
			break;
		end = i + 1;
	}
	return end;
}

struct series {
	uint64_t index;
	struct gv_entity *e;
	uint32_t rows;
};

static struct series *series_of(struct gv_read *r, struct series *s, size_t *count, uint64_t index,
				const struct gv_line *l)
{
	for (size_t i = 0; i < *count; i++)
		if (s[i].index == index)
			return &s[i];
	if (*count == MAX_GPUS)
		return NULL;
	s[*count] = (struct series){ index, gv_see_nvidia(r, index, l), 0 };
	return &s[(*count)++];
}

static void read_cell(struct gv_read *r, struct series *s, gv_str name, gv_str cell, const struct gv_line *l)
{
	double v;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (gv_is(name, facts[i].column) && gv_to_num(cell, &v))
			gv_put_nth(r, s->e, facts[i].fact, v * facts[i].times, s->rows, 0, l);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct series gpus[MAX_GPUS];
	gv_str names[MAX_COLS];
	size_t cols = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		gv_str again[MAX_COLS], cells, cell;
		struct series *s;
		uint64_t gpu;
		size_t k;

		if (header(l[i].text, again, &k)) {
			memcpy(names, again, sizeof(names[0]) * k);
			cols = k;
			continue;
		}
		s = row(l[i].text, &gpu, &cells) ? series_of(r, gpus, &count, gpu, &l[i]) : NULL;
		if (!s)
			continue;
		for (k = 1; k < cols && gv_word(&cells, &cell); k++)
			read_cell(r, s, names[k], cell, &l[i]);
		s->rows++;
	}
}

const struct gv_format gv_format_dcgmi_dmon = {
	.name = "dcgmi dmon",
	.heads = { "#Entity", "# Entity" },
	.claim = claim,
	.read = read,
};
