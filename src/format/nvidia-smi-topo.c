/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi topo -m and -mp: how each pair of devices is connected, and which CPUs are near a GPU; topo -p2p: whether each
 * pair of GPUs can access each other's memory. Columns are parted by tabs, which people paste as blanks; a header that is
 * too wide may have been broken into several lines. */
#include <string.h>

#include "format/common.h"

#define MAX_DEV 128
#define HEADER_LINES 4

struct matrix {
	gv_str name[MAX_DEV];
	size_t n;
	bool cpu, numa, gpu_numa; /* columns behind the devices */
	size_t lines;		  /* that the header takes */
};

static bool number(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

static bool is_gpu(gv_str s)
{
	return gv_starts(s, "GPU") && number(gv_from(s, 3));
}

static bool is_path(gv_str s)
{
	static const char *const paths[] = { "X", "SYS", "NODE", "PHB", "PXB", "PIX", "PSB", "SOC", "C2C" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (gv_is(s, paths[i]))
			return true;
	return gv_starts(s, "NV") && number(gv_from(s, 2));
}

/* What topo -p2p says of a pair. */
static bool is_status(gv_str s)
{
	static const char *const words[] = { "OK", "CNS", "GNS", "TNS", "NS", "DR", "U" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_is(s, words[i]))
			return true;
	return false;
}

static bool is_value(gv_str s)
{
	return is_path(s) || is_status(s);
}

/* "mlx5_0", "NIC3", "rdmap79s0", "GPU0": starts with a letter, has a digit, and is no value of the matrix. */
static bool is_device(gv_str s)
{
	bool digit = false;

	if (!s.n || s.n > 32 || is_value(s) || !((s.p[0] | 32) >= 'a' && (s.p[0] | 32) <= 'z'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (strchr(":=()<>,;|\"'", s.p[i]))
			return false;
		digit |= s.p[i] >= '0' && s.p[i] <= '9';
	}
	return digit;
}

/* Takes one header line; false where it is none. */
static bool header_line(gv_str text, struct matrix *m)
{
	gv_str rest = text, w, next;
	bool any = false;

	while (gv_word(&rest, &w)) {
		any = true;
		if (is_device(w)) {
			if (m->cpu || m->numa || m->n == MAX_DEV)
				return false;
			m->name[m->n++] = w;
		} else if (gv_is(w, "CPU") || gv_is(w, "NUMA")) {
			if (!gv_word(&rest, &next) || !gv_is(next, "Affinity"))
				return false;
			m->cpu |= gv_is(w, "CPU");
			m->numa |= gv_is(w, "NUMA");
		} else if (gv_is(w, "GPU")) {
			m->gpu_numa = true;
			return gv_word(&rest, &w) && gv_is(w, "NUMA");
		} else {
			return false;
		}
	}
	return any;
}

/* A row: the device's own name and one value for each device. Returns what is behind them in *ret_tail. */
static bool parse_row(gv_str text, const struct matrix *m, gv_str *ret_name, gv_str *cells, gv_str *ret_tail)
{
	gv_str rest = text;

	if (!gv_word(&rest, ret_name) || !is_device(*ret_name))
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (!gv_word(&rest, &cells[i]) || !is_value(cells[i]))
			return false;
	*ret_tail = rest;
	return true;
}

static bool parse_header(const struct gv_line *l, size_t n, struct matrix *m)
{
	gv_str cells[MAX_DEV], name, tail;

	*m = (struct matrix){ 0 };
	if (!gv_word(&(gv_str){ l[0].text.p, l[0].text.n }, &name) || !is_gpu(name))
		return false;
	for (size_t i = 0; i < n && i < HEADER_LINES; i++) {
		if (i && m->n && parse_row(l[i].text, m, &name, cells, &tail)) {
			m->lines = i;
			return true;
		}
		if (i && m->n && gv_starts(gv_trim(l[i].text), "GPU0"))
			return false;
		if (!header_line(l[i].text, m))
			return false;
	}
	return false;
}

static bool is_legend(gv_str t)
{
	gv_str rest = t, a, b;

	if (gv_is(t, "Legend:") || gv_is(t, "NIC Legend:"))
		return true;
	if (!gv_word(&rest, &a) || !gv_word(&rest, &b))
		return false;
	if (gv_is(b, "="))
		return is_value(a) || gv_is(a, "NV#");
	return gv_ends(a, ":") && gv_starts(a, "NIC") && number(gv_sub(a, 3, a.n - 4));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct matrix m;
	gv_str cells[MAX_DEV], name, tail;
	size_t end;

	(void)seg;
	if (!parse_header(l, n, &m))
		return 0;
	end = m.lines;
	for (size_t i = m.lines; i < n && i - end < 4; i++) {
		if (l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE))
			break;
		if (parse_row(l[i].text, &m, &name, cells, &tail) || is_legend(gv_trim(l[i].text)))
			end = i + 1;
		else if (!gv_blank_line(&l[i]))
			break;
	}
	return end;
}

/* The kernel's name of a NIC: from the legend where the matrix only numbers them. */
static gv_str real_name(gv_str name, const struct gv_line *l, size_t n)
{
	if (!gv_starts(name, "NIC"))
		return name;
	for (size_t i = 0; i < n; i++) {
		gv_str key, value;

		if (gv_key_value(l[i].text, &key, &value) && gv_eq(key, name) && value.n && gv_word(&value, &key))
			return key;
	}
	return name;
}

/* CPUs and NUMA node behind the cells. With tabs an empty column can be told, with blanks it cannot. */
static void read_tail(struct gv_read *r, struct gv_entity *g, const struct matrix *m, gv_str tail,
		      const struct gv_line *l)
{
	gv_str cpu = GV_NONE, numa = GV_NONE, rest;
	double node;
	const char *why;

	if (gv_find_c(tail, '\t') >= 0) {
		/* What is left begins behind the last cell: its padding, then a tab. */
		gv_next(&tail, '\t', &rest);
		if (m->cpu)
			gv_next(&tail, '\t', &cpu);
		if (m->numa)
			gv_next(&tail, '\t', &numa);
	} else {
		if (m->cpu)
			gv_word(&tail, &cpu);
		if (m->numa)
			gv_word(&tail, &numa);
	}
	cpu = gv_trim(cpu);
	numa = gv_trim(numa);
	if (cpu.n && gv_no_value(cpu, &why) == GV_KNOWN && gv_cpulist_count(cpu))
		gv_put_str(r, g, GV_F_GPU_CPUS, cpu, l);
	if (!numa.n)
		return;
	if (gv_no_value(numa, &why) != GV_KNOWN)
		gv_put_cell(r, g, GV_F_GPU_NUMA, numa, l);
	else if (gv_lead_num(numa, &node, &rest) && !(rest.n && (rest.p[0] == '-' || rest.p[0] == ',')))
		gv_put_num(r, g, GV_F_GPU_NUMA, node, l);
}

static void read_gpu(struct gv_read *r, const struct matrix *m, gv_str name, gv_str tail, const struct gv_line *l)
{
	struct gv_entity *g;
	double index;

	if (!is_gpu(name) || !gv_to_num(gv_from(name, 3), &index))
		return;
	g = gv_see(r, GV_GPU, GV_NONE);
	gv_key(r, g, GV_KEY_INDEX, gv_from(name, 3));
	gv_put_num(r, g, GV_F_GPU_INDEX, index, l);
	gv_put_str(r, g, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	read_tail(r, g, m, tail, l);
}

/* What a cell is about: the matrices look alike, and only the command tells some of them apart. */
static enum gv_fact fact_of(const struct gv_read *r, gv_str cell, bool gpus)
{
	gv_str cmd = r->block->seg->cmd, what = gv_after(cmd, "-p2p"), w;

	if (is_path(cell)) {
		bool pcie = gv_has(cmd, " -mp") || gv_has(cmd, "--matrix_pci");

		/* a NIC has no NVLink to be left out */
		return gpus && pcie ? GV_F_PAIR_PATH_PCIE : GV_F_PAIR_PATH;
	}
	if (gv_starts(what, "=") || gv_starts(what, "_status="))
		what = gv_after(what, "=");
	if (!gv_word(&what, &w))
		return GV_F_PAIR_P2P;
	if (gv_is(w, "n"))
		return GV_F_PAIR_P2P_NVLINK;
	if (gv_is(w, "a"))
		return GV_F_PAIR_P2P_ATOMICS;
	return gv_is(w, "p") ? GV_F_PAIR_P2P_PCIE : GV_F_PAIR_P2P;
}

/* Each pair once, named in the header's order; the two halves of the matrix are two observations where they differ. */
static void read_pairs(struct gv_read *r, const struct matrix *m, struct gv_entity **pair, size_t row,
		       const gv_str *cells, const struct gv_line *l)
{
	for (size_t col = 0; col < m->n; col++) {
		size_t a = row < col ? row : col, b = row < col ? col : row;
		struct gv_entity **p = &pair[a * m->n + b];
		enum gv_fact fact;

		if (row == col || gv_is(cells[col], "X"))
			continue;
		fact = fact_of(r, cells[col], is_gpu(m->name[a]) && is_gpu(m->name[b]));
		if (!*p)
			*p = gv_see(r, GV_PAIR, gv_fmt(r->arena, "%.*s %.*s", GV_ARG(m->name[a]), GV_ARG(m->name[b])));
		else if (gv_slot(*p, fact)->n && gv_eq(gv_slot(*p, fact)->v[0].str, cells[col]))
			continue;
		gv_put_str(r, *p, fact, cells[col], l);
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct matrix m;
	gv_str cells[MAX_DEV], printed[MAX_DEV], name, tail;
	struct gv_entity **pair;

	if (!parse_header(l, n, &m))
		return;
	pair = GV_NEWN(r->arena, struct gv_entity *, m.n * m.n);
	for (size_t i = 0; i < m.n; i++) {
		printed[i] = m.name[i];
		m.name[i] = real_name(m.name[i], l, n);
	}
	for (size_t i = m.lines; i < n; i++) {
		size_t row = 0;

		if (!parse_row(l[i].text, &m, &name, cells, &tail))
			continue;
		read_gpu(r, &m, name, tail, &l[i]);
		while (row < m.n && !gv_eq(printed[row], name))
			row++;
		if (row < m.n)
			read_pairs(r, &m, pair, row, cells, &l[i]);
	}
}

const struct gv_format gv_format_nvidia_smi_topo = {
	.name = "nvidia-smi topo",
	.heads = { "GPU0", "GPU1", "GPU2", "GPU3", "GPU4", "GPU5", "GPU6", "GPU7" },
	.claim = claim,
	.read = read,
};
