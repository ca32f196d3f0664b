/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi discovery -l (the GPUs that DCGM manages), dcgmi topo (how one GPU is connected) and dcgmi group -l: tables. */
#include "format/common_nvidia.h"

#define PATH_MAX_LINKS 18

enum table { NO_TABLE, GPUS, TOPOLOGY, GROUPS };

static enum table table_of(gv_str text)
{
	gv_str rest = text, first, second;

	if (!gv_box_cell(&rest, &first))
		return NO_TABLE;
	if (gv_is(first, "Topology Information"))
		return TOPOLOGY;
	if (gv_is(first, "GROUPS"))
		return GROUPS;
	return gv_is(first, "GPU ID") && gv_box_cell(&rest, &second) && gv_is(second, "Device Information") ? GPUS
													    : NO_TABLE;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 1;

	(void)seg;
	if (!table_of(l[0].text))
		return 0;
	while (end < n && !(l[end].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)) && !table_of(l[end].text) &&
	       (gv_starts(gv_trim(l[end].text), "|") || gv_box_rule(l[end].text)))
		end++;
	return end;
}

static void read_gpus(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *gpu = NULL;
	double count = 0;
	bool from_first = false;

	for (size_t i = 1; i < n; i++) {
		gv_str rest = l[i].text, left, right, key, value;
		uint64_t id;

		if (gv_box_rule(l[i].text) || !gv_box_cell(&rest, &left) || !gv_box_cell(&rest, &right))
			continue;
		if (left.n && gv_to_u64(left, &id)) {
			gpu = gv_see_nvidia(r, id, &l[i]);
			from_first |= id == 0;
			count++;
		} else if (left.n) {
			break; /* the lists of switches and CPUs that may follow have columns of the same names */
		}
		if (!gpu || !gv_key_value(right, &key, &value) || !value.n)
			continue;
		if (gv_is(key, "Name")) {
			gv_put_str(r, gpu, GV_F_GPU_NAME, value, &l[i]);
		} else if (gv_is(key, "PCI Bus ID")) {
			gv_put_str(r, gpu, GV_F_GPU_BUS_ID, value, &l[i]);
			gv_key(r, gpu, GV_KEY_BUS, value);
		} else if (gv_is(key, "Device UUID") && gv_starts(value, "GPU-")) {
			gv_put_str(r, gpu, GV_F_GPU_UUID, value, &l[i]);
			gv_key(r, gpu, GV_KEY_UUID, value);
		}
	}
	if (from_first && !r->block->container)
		gv_put_num(r, gv_see_node(r), GV_F_GPU_COUNT, count, &l[0]);
}

/* "Connected via six NVLINKs (Links: 0, 1, 2, 3, 8, 9)", "Connected via a PCIe host bridge": as topo -m says it. */
static gv_str path_of(struct gv_arena *a, gv_str says)
{
	static const char *const numbers[] = { "one",	   "two",      "three",	  "four",    "five",	  "six",
					       "seven",	   "eight",    "nine",	  "ten",     "eleven",	  "twelve",
					       "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen" };
	static const struct {
		const char *says, *path;
	} words[] = { { "on-board PCIe switch", "PIX" },
		      { "single PCIe switch", "PIX" },
		      { "multiple PCIe switches", "PXB" },
		      { "PCIe host bridge", "PHB" },
		      { "CPU-level link", "SYS" } };
	gv_str rest = gv_after(says, "Connected via "), w;

	if (gv_has(says, " NVLINK") && gv_word(&rest, &w))
		for (size_t i = 0; i < PATH_MAX_LINKS; i++)
			if (gv_eq_nocase(w, gv_str_of(numbers[i])))
				return gv_fmt(a, "NV%zu", i + 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has(says, words[i].says))
			return gv_str_of(words[i].path);
	return GV_NONE;
}

/* "0 - 11, 24 - 35" as "0-11,24-35" */
static gv_str cpu_list(struct gv_arena *a, gv_str says)
{
	char *p = gv_alloc(a, says.n + 1);
	gv_str ret = { p, 0 };

	for (size_t i = 0; i < says.n; i++)
		if (says.p[i] != ' ')
			p[ret.n++] = says.p[i];
	return ret;
}

struct topology {
	struct gv_read *r;
	struct gv_entity *gpu;
	uint64_t index;
	gv_str cpus;
	struct gv_entity *pair;
	const struct gv_line *cpus_at;
};

static void put_path(struct topology *t, gv_str says, const struct gv_line *l)
{
	gv_str path = path_of(t->r->arena, says);

	if (t->pair && path.n) /* of the two ways that a pair may have the last, over NVLink, is taken */
		gv_put_str(t->r, t->pair, GV_F_PAIR_PATH, path, l);
}

static void read_path_row(struct topology *t, gv_str left, gv_str right, const struct gv_line *l)
{
	uint64_t other;

	if (gv_starts(left, "GPU ID:") && gv_to_u64(gv_trim(gv_from(left, 7)), &t->index)) {
		t->gpu = gv_see_nvidia(t->r, t->index, l);
	} else if (gv_is(left, "CPU Core Affinity")) {
		t->cpus = right;
		t->cpus_at = l;
	} else if (!left.n && t->cpus_at && !t->pair) {
		t->cpus = gv_fmt(t->r->arena, "%.*s%.*s", GV_ARG(t->cpus), GV_ARG(right));
	} else if (t->gpu && gv_starts(left, "To GPU ") && gv_to_u64(gv_trim(gv_from(left, 7)), &other)) {
		uint64_t a = t->index < other ? t->index : other, b = t->index < other ? other : t->index;

		t->pair = gv_see(t->r, GV_PAIR,
				 gv_fmt(t->r->arena, "GPU%llu GPU%llu", (unsigned long long)a, (unsigned long long)b));
		put_path(t, right, l);
	} else if (!left.n) {
		put_path(t, right, l);
	}
}

static void read_topology(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct topology t = { .r = r };
	gv_str cpus;

	for (size_t i = 1; i < n && i < 1024; i++) {
		gv_str rest = l[i].text, left, right = GV_NONE;

		if (gv_box_rule(l[i].text) || !gv_box_cell(&rest, &left))
			continue;
		if (!gv_box_cell(&rest, &right))
			right = GV_NONE;
		read_path_row(&t, left, right, &l[i]);
	}
	if (!t.gpu || !t.cpus_at)
		return;
	cpus = cpu_list(r->arena, gv_sub(t.cpus, 0, 4096));
	if (gv_cpulist_count(cpus))
		gv_put_str(r, t.gpu, GV_F_GPU_CPUS, cpus, t.cpus_at);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	enum table t = table_of(l[0].text);

	if (t == GPUS)
		read_gpus(r, l, n);
	else if (t == TOPOLOGY)
		read_topology(r, l, n);
}

const struct gv_format gv_format_dcgmi_list = {
	.name = "dcgmi discovery",
	.heads = { "Device Information", "| Topology Information", "| GROUPS" },
	.claim = claim,
	.read = read,
};
