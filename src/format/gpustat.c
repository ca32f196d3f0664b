/* SPDX-License-Identifier: Apache-2.0 */
/* gpustat: a line with host, date and driver, then one a GPU:
 * "[0] Tesla P100-PCIE-16GB | 27'C,   0 %,  40 / 250 W |   103 / 16384 MB | alice(93M)". */
#include "format/common.h"

#define MAX_GPUS 512
#define CELLS 8

/* The parts of a GPU's line; false where it is none. */
static bool row_of(gv_str t, gv_str *ret_index, gv_str *ret_name, gv_str *cells, size_t *ret_n)
{
	gv_str rest = gv_trim(t), cell;
	uint64_t v;
	size_t n = 0;

	*ret_index = gv_starts(rest, "[") ? gv_trim(gv_between(rest, "[", "]")) : GV_NONE;
	if (!ret_index->n || ret_index->n > 4 || !gv_to_u64(*ret_index, &v))
		return false;
	rest = gv_after(rest, "]");
	if (!gv_next(&rest, '|', ret_name))
		return false;
	*ret_name = gv_trim(*ret_name);
	while (n < CELLS && gv_next(&rest, '|', &cell))
		cells[n++] = gv_trim(cell);
	*ret_n = n;
	return ret_name->n && n >= 2 && gv_has(cells[0], "%") && gv_has(cells[1], "MB") && gv_has(cells[1], "/");
}

/* "node01    Mon Aug 22 15:23:57 2022  515.65.01" */
static bool banner(gv_str t, gv_str *ret_host, gv_str *ret_driver)
{
	gv_str w[8];
	size_t n = gv_words(t, w, 8);
	double v;

	if (n < 6 || n > 7 || w[4].n != 8 || w[4].p[2] != ':' || !gv_to_num(w[5], &v))
		return false;
	*ret_host = w[0];
	*ret_driver = n == 7 ? w[6] : GV_NONE;
	return true;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str index, name, cells[CELLS];
	size_t i = 0, k;

	(void)seg;
	while (i < n && row_of(l[i].text, &index, &name, cells, &k))
		i++;
	return i;
}

/* "27'C", "0 %", "30 %", "40 / 250 W", "E: 5 %", "1410 MHz": by unit. The first percentage is the fan's where there are
 * two that do not name an engine. */
static void read_state(struct gv_read *r, struct gv_entity *gpu, gv_str cell, const struct gv_line *l)
{
	gv_str part, fan = GV_NONE, util = GV_NONE, rest;
	double v;

	while (gv_next(&cell, ',', &part)) {
		part = gv_trim(part);
		if (gv_ends(part, "C") && gv_lead_num(part, &v, &rest)) {
			gv_put_num(r, gpu, GV_F_GPU_TEMP, v, l);
		} else if (gv_ends(part, "W")) {
			gv_put_cell(r, gpu, GV_F_GPU_POWER, gv_trim(gv_before(part, "/")), l);
			if (gv_has(part, "/"))
				gv_put_cell(r, gpu, GV_F_GPU_POWER_LIMIT, gv_trim(gv_after(part, "/")), l);
		} else if (gv_ends(part, "%") && !gv_has(part, ":")) {
			fan = util;
			util = part;
		}
	}
	if (fan.n)
		gv_put_cell(r, gpu, GV_F_GPU_FAN, fan, l);
	if (util.n)
		gv_put_cell(r, gpu, GV_F_GPU_UTIL, util, l);
}

/* The line above the first GPU has nothing to know it by without that GPU. */
static void read_banner(struct gv_read *r, size_t first)
{
	struct gv_line *above = first ? &r->doc->lines[first - 1] : NULL;
	gv_str host, driver;

	if (!above || !banner(above->text, &host, &driver))
		return;
	above->flags |= GV_LINE_CLAIMED;
	r->block->host = host;
	gv_put_str(r, gv_see_node(r), GV_F_HOSTNAME, host, above);
	if (driver.n)
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, driver, above);
}

static void read_gpustat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str index, name, cells[CELLS];
	double v, gpus = 0;
	size_t k;

	read_banner(r, r->block->first);
	for (size_t i = 0; i < n && gpus < MAX_GPUS; i++) {
		struct gv_entity *gpu;

		if (!row_of(l[i].text, &index, &name, cells, &k))
			continue;
		gpus++;
		gpu = gv_see(r, GV_GPU, GV_NONE);
		gv_key(r, gpu, GV_KEY_INDEX, index);
		gv_to_num(index, &v);
		gv_put_num(r, gpu, GV_F_GPU_INDEX, v, &l[i]);
		gv_put_str(r, gpu, GV_F_GPU_NAME, name, &l[i]);
		gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), &l[i]);
		read_state(r, gpu, cells[0], &l[i]);
		gv_put_cell(r, gpu, GV_F_GPU_MEM_USED, gv_trim(gv_before(cells[1], "/")), &l[i]);
		gv_put_cell(r, gpu, GV_F_GPU_MEM_TOTAL, gv_trim(gv_after(cells[1], "/")), &l[i]);
	}
}

const struct gv_format gv_format_gpustat = {
	.name = "gpustat",
	.heads = { "'C, ",
		   "\xc2\xb0"
		   "C, ",
		   "[0] " },
	.claim = claim,
	.read = read_gpustat,
};
