/* SPDX-License-Identifier: Apache-2.0 */
/* nvitop: the table of its GPUs, two lines each ("full") or one ("compact"). Its borders are no ASCII, and its sizes
 * come in the unit that fits. The bars at the right and the processes below are left alone.
 *
 * Source: XuehaiPan/nvitop, the panel of devices. */
#include "format/common.h"

#define BAR "\xe2\x94\x82" /* the vertical line */
#define MAX_GPUS 512
#define CELLS 3

static bool title(gv_str t)
{
	return gv_starts(t, BAR) && gv_has(t, " NVITOP ") && gv_has(t, "Driver Version:");
}

/* The first cells of a line between bars. */
static bool cells_of(gv_str t, gv_str *cells)
{
	t = gv_trim(t);
	if (!gv_starts(t, BAR))
		return false;
	t = gv_from(t, sizeof(BAR) - 1);
	for (size_t i = 0; i < CELLS; i++) {
		ptrdiff_t bar = gv_find(t, BAR);

		if (bar < 0)
			return false;
		cells[i] = gv_trim(gv_sub(t, 0, (size_t)bar));
		t = gv_from(t, (size_t)bar + sizeof(BAR) - 1);
	}
	return true;
}

/* "0  NVIDIA H800   Off" beside a bus id. */
static bool name_row(const gv_str *c, gv_str *ret_index, gv_str *ret_name, bool *ret_on)
{
	gv_str rest = c[0];
	uint64_t v;

	if (!gv_word(&rest, ret_index) || ret_index->n > 4 || !gv_to_u64(*ret_index, &v) || gv_find_c(c[1], ':') < 0)
		return false;
	*ret_on = gv_ends(rest, " On");
	if (!*ret_on && !gv_ends(rest, " Off"))
		return false;
	*ret_name = gv_trim(gv_sub(rest, 0, rest.n - (*ret_on ? 3 : 4)));
	return true;
}

/* "30%  35C  P8   14W / 300W" beside "22.69MiB / 47.99GiB"; compact lines have the index in front. */
static bool state_row(const gv_str *c)
{
	return gv_has(c[0], " / ") && gv_has(c[1], " / ") && gv_has(c[1], "iB") && !gv_has(c[0], "Pwr:");
}

/* Box drawing, U+2500 to U+257F, in front: a border, or a line between bars. */
static bool border(gv_str t)
{
	return t.n > 2 && t.p[0] == '\xe2' && (t.p[1] == '\x94' || t.p[1] == '\x95') && !gv_starts(t, BAR);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str c[CELLS], index, name;
	size_t end = 1;
	bool on;

	(void)seg;
	if (!title(gv_trim(l[0].text)))
		return 0;
	for (size_t i = 1; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		bool cells = cells_of(t, c);

		if (cells && (name_row(c, &index, &name, &on) || state_row(c)))
			end = i + 1;
		else if (!border(t) && !(cells && (gv_has(t, "Bus-Id") || gv_has(t, "Pwr:"))))
			break;
	}
	return end;
}

static void read_title(struct gv_read *r, const struct gv_line *l)
{
	gv_str cuda = gv_trim(gv_after(l->text, "CUDA Driver Version:")),
	       driver = gv_trim(gv_after(l->text, "Driver Version:")), w;
	double v;

	if (gv_word(&driver, &w) && gv_to_num(gv_before(w, "."), &v))
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, w, l);
	if (gv_word(&cuda, &w) && gv_to_num(w, &v))
		gv_put_num(r, gv_see_node(r), GV_F_DRIVER_CUDA_MAX, v, l);
}

static struct gv_entity *see(struct gv_read *r, gv_str index, const struct gv_line *l)
{
	struct gv_entity *gpu = gv_see(r, GV_GPU, GV_NONE);
	double v = 0;

	gv_key(r, gpu, GV_KEY_INDEX, index);
	gv_to_num(index, &v);
	gv_put_num(r, gpu, GV_F_GPU_INDEX, v, l);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	return gpu;
}

static void read_state(struct gv_read *r, struct gv_entity *gpu, const gv_str *c, const struct gv_line *l)
{
	gv_str rest = gv_before(c[0], " / "), w;

	while (gv_word(&rest, &w)) {
		if (gv_ends(w, "C"))
			gv_put_cell(r, gpu, GV_F_GPU_TEMP, w, l);
		else if (gv_ends(w, "W"))
			gv_put_cell(r, gpu, GV_F_GPU_POWER, w, l);
		else if (gv_ends(w, "%"))
			gv_put_cell(r, gpu, GV_F_GPU_FAN, w, l);
		else if (w.p[0] == 'P')
			gv_put_str(r, gpu, GV_F_GPU_PSTATE, w, l);
	}
	gv_put_cell(r, gpu, GV_F_GPU_POWER_LIMIT, gv_trim(gv_after(c[0], " / ")), l);
	gv_put_cell(r, gpu, GV_F_GPU_MEM_USED, gv_trim(gv_before(c[1], " / ")), l);
	gv_put_cell(r, gpu, GV_F_GPU_MEM_TOTAL, gv_trim(gv_after(c[1], " / ")), l);
	rest = c[2];
	if (gv_word(&rest, &w))
		gv_put_cell(r, gpu, GV_F_GPU_UTIL, w, l);
}

/* "Disabled  0": MIG, then ECC; older versions have ECC alone. */
static void read_errors(struct gv_read *r, struct gv_entity *gpu, gv_str cell, const struct gv_line *l)
{
	gv_str w[2];
	size_t n = gv_words(cell, w, 2);

	if (n == 2 && (gv_is(w[0], "Enabled") || gv_is(w[0], "Disabled")))
		gv_put_str(r, gpu, GV_F_GPU_MIG, w[0], l);
	if (n == 1 || n == 2)
		gv_put_cell(r, gpu, GV_F_GPU_ECC_UNC, w[n - 1], l);
}

static void read_nvitop(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *gpu = NULL;
	size_t gpus = 0;

	read_title(r, l);
	for (size_t i = 1; i < n && gpus < MAX_GPUS; i++) {
		gv_str c[CELLS], index, name, rest;
		uint64_t v;
		bool on;

		if (!cells_of(l[i].text, c))
			continue;
		rest = c[0];
		if (name_row(c, &index, &name, &on)) {
			gpu = see(r, index, &l[i]);
			gpus++;
			gv_key(r, gpu, GV_KEY_BUS, gv_before(c[1], " "));
			gv_put_str(r, gpu, GV_F_GPU_BUS_ID, gv_before(c[1], " "), &l[i]);
			gv_put_str(r, gpu, GV_F_GPU_NAME, name, &l[i]);
			gv_put_flag(r, gpu, GV_F_GPU_PERSISTENCE, on, &l[i]);
			read_errors(r, gpu, c[2], &l[i]);
		} else if (state_row(c)) {
			if (gv_word(&rest, &index) && gv_to_u64(index, &v)) {
				gpu = see(r, index, &l[i]);
				gpus++;
			}
			if (gpu)
				read_state(r, gpu, c, &l[i]);
		}
	}
}

const struct gv_format gv_format_nvitop = {
	.name = "nvitop",
	.heads = { " NVITOP " },
	.claim = claim,
	.read = read_nvitop,
};
