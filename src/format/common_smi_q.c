/* SPDX-License-Identifier: Apache-2.0 */
/* The same key means different things in different sections, so every key is looked up in the section it stands in.
 * What is unclear is not read: a value of a MIG device must never pass for one of the GPU. */
#include "format/common_smi_q.h"

#include <string.h>

enum sec {
	S_TOP = GV_TREE_TOP,	     /* no section: the log's and a GPU's own lines */
	S_UNKNOWN = GV_TREE_UNKNOWN, /* a heading of a driver that came after this was written */
	S_IGNORED = GV_TREE_IGNORED,
	S_AGGREGATE = GV_TREE_SECTION,
	S_APP_CLOCKS,
	S_BAR1,
	S_CLOCKS,
	S_DOUBLE,
	S_ECC,
	S_ECC_MODE,
	S_FABRIC,
	S_FB,
	S_HEALTH,
	S_HISTOGRAM,
	S_LINK_INFO,
	S_LINK_WIDTH,
	S_MAX_CLOCKS,
	S_MIG,
	S_MIG_MODE,
	S_PCI,
	S_PCIE_GEN,
	S_POWER,
	S_PROCESSES,
	S_REASONS,
	S_REMAPPED,
	S_RESET,
	S_RETIRED,
	S_RETIRED_DBE,
	S_RETIRED_SBE,
	S_SINGLE,
	S_TEMPERATURE,
	S_UTILIZATION,
	S_VOLATILE,
	S_ANY_ECC, /* as a parent only: volatile or aggregate */
};

#define T(lit)                                                                                                         \
	{                                                                                                              \
		"" lit, sizeof(lit) - 1                                                                                \
	}

/* A parent S_TOP: directly below the GPU; inner: may stand in a MIG device too. */
static const struct gv_tree_section sections[] = {
#define ELEMENT(name, label)
#define SECTION(name, sec, parent, mig) { T(name), S_##sec, S_##parent, mig },
#define ROW(sec, key, act, flags, fact)
#include "format/nvidia-smi-q.def"
#undef ROW
#undef SECTION
#undef ELEMENT
};

enum act {
	A_NONE = GV_TREE_NONE,
	A_NUM = GV_TREE_NUM,
	A_TEXT = GV_TREE_TEXT,
	A_WORDS = GV_TREE_WORDS,
	A_MODE = GV_TREE_MODE,
	A_ON = GV_TREE_ON,
	A_ACTIVE = GV_TREE_ACTIVE,
	A_YES = GV_TREE_YES,
	/* what more than one line decides */
	A_ATTACHED = GV_TREE_OWN,
	A_AVERAGE,
	A_BUS,
	A_CUDA,
	A_DRIVER,
	A_ECC,
	A_ECC_TOTAL,
	A_ENFORCED,
	A_INSTANT,
	A_LIMIT,
	A_MINOR,
	A_PID,
	A_PROC_MEM,
	A_PROC_NAME,
	A_PROC_TYPE,
	A_PSTATE,
	A_REPAIR,
	A_RESET,
	A_TIME,
	A_UUID,
};

enum {
	ALONE = GV_TREE_ALONE,
	FIRST = GV_TREE_FIRST,
};

static const struct gv_tree_row rows[] = {
#define ELEMENT(name, label)
#define SECTION(name, sec, parent, mig)
#define ROW(sec, key, act, flags, fact) { T(key), S_##sec, A_##act, flags, fact },
#include "format/nvidia-smi-q.def"
#undef ROW
#undef SECTION
#undef ELEMENT
};

static bool is_any_ecc(uint8_t sec, uint8_t group)
{
	return group == S_ANY_ECC && (sec == S_VOLATILE || sec == S_AGGREGATE);
}

const struct gv_tree_table gv_smi_q_table = {
	.section = sections,
	.nsections = sizeof(sections) / sizeof(sections[0]),
	.row = rows,
	.nrows = sizeof(rows) / sizeof(rows[0]),
	.member = is_any_ecc,
};

#define MAX_GPUS 512 /* of one output; the rest is not read */
#define MAX_PROCS 8192

static bool no_value(gv_str v)
{
	const char *why;

	return gv_no_value(v, &why) != GV_KNOWN;
}

bool gv_smi_q_fits(const struct gv_tree_row *row, gv_str v)
{
	double n;
	gv_str rest;
	bool b;

	if (!v.n || no_value(v))
		return gv_tree_fits(row, v);
	switch (row->act) {
	case A_TEXT:
		/* dmidecode and others know such keys too. */
		return row->fact != GV_F_GPU_NAME || gv_has(v, "NVIDIA") || gv_has(v, "Tesla") ||
		       gv_has(v, "GeForce") || gv_has(v, "Quadro") || gv_has(v, "GRID");
	case A_RESET:
	case A_REPAIR:
		return gv_yes_no(v, "Yes", "No", &b);
	case A_UUID:
		return gv_starts(v, "GPU-");
	case A_PSTATE:
		return v.n >= 2 && v.p[0] == 'P' && v.p[1] >= '0' && v.p[1] <= '9';
	default:
		return row->act >= GV_TREE_OWN ? gv_lead_num(v, &n, &rest) : gv_tree_fits(row, v);
	}
}

/* ---- one GPU ---- */

static void finish_ecc(struct gv_smi_q *q, size_t i, enum gv_fact f)
{
	if (q->ecc[i].known)
		gv_put_num(q->r, q->gpu, f, q->ecc[i].sum, q->ecc[i].l);
	else if (q->ecc[i].l)
		gv_put_none(q->r, q->gpu, f, GV_NOT_APPLICABLE, "the tool says N/A", q->ecc[i].l);
}

/* Writes what only the whole of a GPU's lines can tell. */
static void finish_gpu(struct gv_smi_q *q)
{
	struct gv_smi_held power = q->average, limit = q->enforced;

	if (!q->gpu)
		return;
	if (!power.l || (q->instant.l && no_value(power.value)))
		power = q->instant;
	if (power.l)
		gv_put_cell(q->r, q->gpu, GV_F_GPU_POWER, power.value, power.l);
	if (!limit.l || (q->limit.l && no_value(limit.value)))
		limit = q->limit;
	if (limit.l)
		gv_put_cell(q->r, q->gpu, GV_F_GPU_POWER_LIMIT, limit.value, limit.l);
	finish_ecc(q, 0, GV_F_GPU_ECC_UNC);
	finish_ecc(q, 1, GV_F_GPU_ECC_AGG_UNC);
	if (q->reset.l)
		gv_put_flag(q->r, q->gpu, GV_F_GPU_RESET_REQUIRED, q->reset.yes, q->reset.l);
	if (q->repair.l)
		gv_put_flag(q->r, q->gpu, GV_F_GPU_REPAIR_PENDING, q->repair.yes, q->repair.l);
	if (q->migs)
		gv_put_num(q->r, q->gpu, GV_F_GPU_MIG_DEVICES, q->migs, q->mig_line);
	/* One cell that cannot be read is a sensor's trouble; several are the GPU's. */
	if (q->broken.l)
		gv_put_str(q->r, q->gpu, GV_F_GPU_BROKEN, q->broken.value, q->broken.l);
	else if (q->errors >= 3)
		gv_put_str(q->r, q->gpu, GV_F_GPU_BROKEN, q->unknown.value, q->unknown.l);
}

static void new_gpu(struct gv_smi_q *q)
{
	finish_gpu(q);
	q->gpu = q->proc = NULL;
	q->headed = q->power_alone = false;
	q->seen = 0;
	q->mig_seen = 0;
	q->migs = q->errors = 0;
	q->average = q->instant = q->limit = q->enforced = q->broken = q->unknown = (struct gv_smi_held){ 0 };
	memset(q->ecc, 0, sizeof(q->ecc));
	memset(&q->reset, 0, sizeof(q->reset));
	memset(&q->repair, 0, sizeof(q->repair));
}

static struct gv_entity *gpu(struct gv_smi_q *q, const struct gv_line *l)
{
	if (!q->gpu) {
		q->gpu = gv_see(q->r, GV_GPU, GV_NONE);
		q->gpus++;
		gv_put_str(q->r, q->gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	}
	return q->gpu;
}

/* A value that is there already: below a GPU's own heading the first one counts; where GPUs have no heading, it is the
 * next GPU's. */
static bool fresh(struct gv_smi_q *q, bool have)
{
	if (!have)
		return true;
	if (q->headed)
		return false;
	new_gpu(q);
	return true;
}

static struct gv_entity *fresh_for(struct gv_smi_q *q, enum gv_fact f, const struct gv_line *l)
{
	if (!fresh(q, q->gpu && gv_slot(q->gpu, f)->n))
		return NULL;
	return gpu(q, l);
}

void gv_smi_q_gpu(struct gv_smi_q *q, gv_str bus, const struct gv_line *l)
{
	struct gv_entity *g;

	if (q->gpus > MAX_GPUS)
		return;
	new_gpu(q);
	q->tree.depth = 0;
	g = gpu(q, l);
	q->headed = true;
	gv_key(q->r, g, GV_KEY_BUS, bus);
	gv_put_str(q->r, g, GV_F_GPU_BUS_ID, bus, l);
	if (q->all) {
		gv_key(q->r, g, GV_KEY_INDEX, gv_fmt(q->r->arena, "%zu", q->heads));
		gv_put_num(q->r, g, GV_F_GPU_INDEX, (double)q->heads, l);
	}
	q->heads++;
}

/* ---- sections ---- */

/* Without indentation: does this section still belong to the MIG device? Each comes once there; the GPU's own come
 * after all devices. */
static bool stays_in_mig(struct gv_smi_q *q, const struct gv_tree_section *s)
{
	uint64_t bit = 1ull << s->id;

	if (!s->inner || (s->parent == S_TOP && (q->mig_seen & bit)))
		return false;
	if (s->parent == S_TOP || s->parent == S_MIG)
		q->mig_seen |= bit;
	return true;
}

static void heading(struct gv_smi_q *q, const struct gv_tree_section *s, size_t indent, const struct gv_line *l)
{
	gv_tree_outdent(&q->tree, indent);
	if (s && s->id == S_MIG) {
		gv_tree_down_to(&q->tree, S_MIG);
		q->tree.depth = 0;
		q->mig_seen = 0;
		gpu(q, l);
		if (!q->migs++)
			q->mig_line = l;
	} else if (gv_tree_in(&q->tree, S_MIG)) {
		if (!q->tree.flat || !s || stays_in_mig(q, s)) {
			gv_tree_push(&q->tree, S_IGNORED, indent);
			return;
		}
		q->tree.depth = 0;
	}
	if (!s) {
		if (q->tree.flat)
			q->tree.depth = 0;
		gv_tree_push(&q->tree, S_UNKNOWN, indent);
		return;
	}
	if (s->parent == S_TOP)
		q->tree.depth = 0;
	else
		gv_tree_down_to(&q->tree, s->parent);
	if (s->id > S_IGNORED && s->id != S_MIG && s->parent != s->id && s->parent != S_ANY_ECC) {
		if (q->seen & (1ull << s->id))
			fresh(q, true);
		q->seen |= 1ull << s->id;
	}
	gv_tree_push(&q->tree, s->id, indent);
}

static const struct gv_tree_row *find_row(struct gv_smi_q *q, gv_str key, gv_str value, size_t indent)
{
	const struct gv_tree_row *row;

	gv_tree_outdent(&q->tree, indent);
	if (!q->tree.flat && gv_tree_in(&q->tree, S_MIG))
		return NULL;
	if (q->exact && q->tree.depth &&
	    !gv_tree_row_of(&gv_smi_q_table, q->tree.at[q->tree.depth - 1].id, key))
		return NULL;
	row = gv_tree_find(&q->tree, key, value, indent);
	if (!row || q->tree.depth || row->section == S_TOP)
		return row;
	/* The key alone told. GPU, memory and module have power readings of one name; the latter mostly say N/A, but for
	 * the average of memory. */
	if (row->section == S_POWER && no_value(value)) {
		if (row->act == A_INSTANT && q->power_alone)
			q->average = (struct gv_smi_held){ 0 };
		return NULL;
	}
	return gv_smi_q_fits(row, value) ? row : NULL;
}

/* ---- values ---- */

/* "P0", and what it says of a state that it does not know. */
static void put_pstate(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	struct gv_tree_row text = *row;

	text.act = A_TEXT;
	if (!no_value(v))
		v = gv_sub(v, 0, v.n > 2 && v.p[2] >= '0' && v.p[2] <= '9' ? 3 : 2);
	gv_tree_put(q->r, q->gpu, &text, v, l);
}

static void hold(struct gv_smi_q *q, struct gv_smi_held *h, gv_str v, const struct gv_line *l)
{
	if (!fresh(q, h->l != NULL))
		return;
	gpu(q, l);
	q->power_alone |= !q->tree.depth;
	*h = (struct gv_smi_held){ v, l };
}

static void add_ecc(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	bool agg = false;
	double n;
	gv_str rest;

	for (size_t i = 0; i < q->tree.depth; i++)
		agg |= q->tree.at[i].id == S_AGGREGATE;
	if (q->tree.depth == 1 && q->tree.at[0].id == S_DOUBLE)
		return; /* of which of the two is not known */
	gpu(q, l);
	if (q->ecc[agg].total)
		return;
	if (no_value(v) || !gv_lead_num(v, &n, &rest) || n < 0) {
		if (!q->ecc[agg].l)
			q->ecc[agg].l = l;
		return;
	}
	if (!q->ecc[agg].known || (n > 0 && q->ecc[agg].sum == 0))
		q->ecc[agg].l = l;
	q->ecc[agg].known = true;
	q->ecc[agg].sum += n;
	q->ecc[agg].total = row->act == A_ECC_TOTAL;
}

/* Several keys, one flag: the one that says yes is quoted. */
static void any_yes(struct gv_smi_q *q, bool *yes, const struct gv_line **at, gv_str v, const struct gv_line *l)
{
	bool on;

	if (!gv_yes_no(v, "Yes", "No", &on))
		return;
	gpu(q, l);
	if (!*at || (on && !*yes))
		*at = l;
	*yes |= on;
}

static void note_error(struct gv_smi_q *q, gv_str v, const struct gv_line *l)
{
	if (gv_has(v, "requires reset") || gv_has(v, "is lost")) {
		if (!q->broken.l)
			q->broken = (struct gv_smi_held){ v, l };
		gpu(q, l);
	} else if (gv_has(v, "Unknown Error") || gv_is(v, "ERR!")) {
		if (!q->errors++)
			q->unknown = (struct gv_smi_held){ v, l };
	}
}

static void put_proc(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	uint64_t pid;

	switch (row->act) {
	case A_PID:
		q->proc = NULL;
		if (q->procs >= MAX_PROCS || !gv_to_u64(v, &pid))
			return;
		q->procs++;
		q->proc = gv_see(q->r, GV_PROC, v);
		gv_key(q->r, q->proc, GV_KEY_PID, v);
		q->proc->parent = gpu(q, l);
		if (!gv_slot(q->gpu, GV_F_GPU_PROCESS_LIST)->n)
			gv_put_flag(q->r, q->gpu, GV_F_GPU_PROCESS_LIST, true, l);
		break;
	case A_PROC_NAME:
		if (q->proc && !no_value(v))
			gv_put_str(q->r, q->proc, GV_F_PROC_NAME, v, l);
		break;
	case A_PROC_TYPE:
		if (q->proc && !no_value(v))
			gv_put_str(q->r, q->proc, GV_F_PROC_TYPE, v, l);
		break;
	default:
		if (q->proc)
			gv_put_cell(q->r, q->proc, GV_F_PROC_GPU_MEM, v, l);
		break;
	}
}

/* Lines about the machine. "610.57 [Deprecated; ...]" carries its version in front. */
static void put_node(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	struct gv_entity *node = gv_see_node(q->r);
	gv_str w = v, word;
	enum gv_fact f;

	if (!gv_word(&w, &word))
		return;
	if (row->act == A_DRIVER) {
		if (word.p[0] >= '0' && word.p[0] <= '9' && !gv_slot(node, GV_F_DRIVER_KERNEL)->n)
			gv_put_str(q->r, node, GV_F_DRIVER_KERNEL, word, l);
	} else if (row->act == A_CUDA) {
		if (!gv_slot(node, GV_F_DRIVER_CUDA_MAX)->n || gv_lead_num(word, &(double){ 0 }, &(gv_str){ 0 }))
			gv_put_cell(q->r, node, GV_F_DRIVER_CUDA_MAX, no_value(v) ? v : word, l);
	} else {
		f = q->r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT;
		gv_put_cell(q->r, node, f, v, l);
	}
}

static void put_time(struct gv_smi_q *q, gv_str v)
{
	struct gv_logline ll;

	/* The same words stand between brackets in dmesg -T. */
	if (gv_logline_parse(gv_fmt(q->r->arena, "[%.*s] x", GV_ARG(v)), &ll) && ll.when.clock == GV_CLOCK_WALL)
		q->r->block->when = ll.when;
}

static void put_key(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	struct gv_entity *g;

	switch (row->act) {
	case A_UUID:
		g = fresh_for(q, GV_F_GPU_UUID, l);
		if (!g || no_value(v))
			return;
		gv_put_str(q->r, g, GV_F_GPU_UUID, v, l);
		gv_key(q->r, g, GV_KEY_UUID, v);
		break;
	case A_MINOR:
		g = fresh_for(q, GV_F_GPU_MINOR, l);
		if (g && gv_put_cell(q->r, g, GV_F_GPU_MINOR, v, l))
			gv_key(q->r, g, GV_KEY_MINOR, v);
		break;
	default: /* the bus id under PCI: needed only where the GPU's own heading is cut off */
		if (q->headed || no_value(v))
			return;
		g = fresh_for(q, GV_F_GPU_BUS_ID, l);
		gv_put_str(q->r, g, GV_F_GPU_BUS_ID, v, l);
		gv_key(q->r, g, GV_KEY_BUS, v);
		break;
	}
}

static void put(struct gv_smi_q *q, const struct gv_tree_row *row, gv_str v, const struct gv_line *l)
{
	struct gv_entity *g;

	switch (row->act) {
	case A_NONE:
		break;
	case A_PSTATE:
		if (fresh_for(q, row->fact, l))
			put_pstate(q, row, v, l);
		break;
	case A_AVERAGE:
		hold(q, &q->average, v, l);
		break;
	case A_INSTANT:
		hold(q, &q->instant, v, l);
		break;
	case A_LIMIT:
		hold(q, &q->limit, v, l);
		break;
	case A_ENFORCED:
		hold(q, &q->enforced, v, l);
		break;
	case A_ECC:
	case A_ECC_TOTAL:
		add_ecc(q, row, v, l);
		break;
	case A_RESET:
		any_yes(q, &q->reset.yes, &q->reset.l, v, l);
		break;
	case A_REPAIR:
		any_yes(q, &q->repair.yes, &q->repair.l, v, l);
		break;
	case A_UUID:
	case A_MINOR:
	case A_BUS:
		put_key(q, row, v, l);
		break;
	case A_PID:
	case A_PROC_NAME:
	case A_PROC_TYPE:
	case A_PROC_MEM:
		put_proc(q, row, v, l);
		break;
	case A_TIME:
		put_time(q, v);
		break;
	case A_ATTACHED:
	case A_CUDA:
	case A_DRIVER:
		put_node(q, row, v, l);
		break;
	default:
		g = fresh_for(q, row->fact, l);
		if (g)
			gv_tree_put(q->r, g, row, v, l);
		break;
	}
}

/* ---- the whole ---- */

/* A single GPU that -i names is that one, also where the output does not say so. */
static void name_asked(struct gv_smi_q *q)
{
	struct gv_line *l = &q->r->doc->lines[q->r->block->first];
	struct gv_entity *g = q->gpu;
	uint64_t n;

	if (!g || !q->id.n || gv_find_c(q->id, ',') >= 0)
		return;
	if (gv_starts(q->id, "GPU-")) {
		if (!g->key[GV_KEY_UUID].n)
			gv_key(q->r, g, GV_KEY_UUID, q->id);
	} else if (gv_find_c(q->id, ':') >= 0) {
		if (!g->key[GV_KEY_BUS].n)
			gv_key(q->r, g, GV_KEY_BUS, q->id);
	} else if (gv_to_u64(q->id, &n) && !g->key[GV_KEY_INDEX].n) {
		gv_key(q->r, g, GV_KEY_INDEX, gv_fmt(q->r->arena, "%llu", (unsigned long long)n));
		gv_put_num(q->r, g, GV_F_GPU_INDEX, (double)n, l);
	}
}

/* Number of values, and whether there is one that tells GPUs apart for sure: not what a search for "Active" or "Yes"
 * would have picked, and no power, which a module may have too. */
static size_t count_values(const struct gv_entity *g, bool *ret_plain)
{
	enum gv_fact f0 = gv_fact_first(GV_GPU);
	size_t n = 0;

	for (size_t i = 0; i < gv_fact_count(GV_GPU); i++) {
		enum gv_fact f = f0 + i;

		if (!g->slot[i].n || f == GV_F_GPU_VENDOR)
			continue;
		n++;
		if (gv_fact_info[f].type == GV_FLAG)
			*ret_plain |= g->slot[i].v[0].num == 0;
		else
			*ret_plain |= f != GV_F_GPU_POWER && f != GV_F_GPU_POWER_LIMIT;
	}
	return n;
}

/* GPUs without headings, as grep leaves them: in the order of their index if each has the same lines. */
static void number_gpus(struct gv_smi_q *q)
{
	struct gv_run *run = q->r->run;
	size_t count = 0, lines = 0;
	bool plain = false;

	for (size_t i = q->first; i < run->sights.n; i++) {
		struct gv_entity *g = run->sights.v[i];
		size_t n;

		if (g->kind != GV_GPU)
			continue;
		n = count_values(g, &plain);
		if (g->key[GV_KEY_BUS].n || g->key[GV_KEY_UUID].n || (count && n != lines))
			return;
		lines = n;
		count++;
	}
	if (count < 2 || !plain)
		return;
	count = 0;
	for (size_t i = q->first; i < run->sights.n; i++)
		if (run->sights.v[i]->kind == GV_GPU)
			gv_key(q->r, run->sights.v[i], GV_KEY_INDEX, gv_fmt(q->r->arena, "%zu", count++));
}

void gv_smi_q_line(struct gv_smi_q *q, gv_str key, gv_str value, size_t indent, const struct gv_line *l)
{
	const struct gv_tree_section *s = gv_tree_section_of(&gv_smi_q_table, key);
	const struct gv_tree_row *row;

	if (q->gpus > MAX_GPUS)
		return;
	if (!value.n && !(q->tree.depth && q->tree.at[q->tree.depth - 1].id == S_PROCESSES &&
			  gv_tree_row_of(&gv_smi_q_table, S_PROCESSES, key))) {
		heading(q, s, indent, l);
		return;
	}
	row = find_row(q, key, value, indent);
	if (row) {
		note_error(q, value, l);
		put(q, row, value, l);
	} else if (s && s->parent == S_TOP && !gv_tree_in(&q->tree, S_MIG)) {
		/* "Processes : None", "Remapped Rows : N/A": the section in one line. */
		q->tree.depth = 0;
		if (s->id == S_PROCESSES && gv_starts(value, "None") && fresh_for(q, GV_F_GPU_PROCESS_LIST, l))
			gv_put_flag(q->r, q->gpu, GV_F_GPU_PROCESS_LIST, false, l);
	}
}

void gv_smi_q_begin(struct gv_smi_q *q, struct gv_read *r, size_t gpus, uint64_t attached, bool flat)
{
	bool known;

	*q = (struct gv_smi_q){ .r = r,
				.tree = { .table = &gv_smi_q_table, .flat = flat },
				.headed_gpus = gpus,
				.first = r->run->sights.n };
	known = gv_cmd_option(r->block->seg, "nvidia-smi", "-i", "--id", &q->id);
	q->all = attached && !q->id.n && (attached == gpus || known);
}

void gv_smi_q_end(struct gv_smi_q *q)
{
	if (q->headed_gpus <= 1)
		name_asked(q);
	finish_gpu(q);
	if (!q->headed_gpus && !q->id.n)
		number_gpus(q);
}
