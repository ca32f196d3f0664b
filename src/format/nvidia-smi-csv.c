/* SPDX-License-Identifier: Apache-2.0 */
/* `nvidia-smi --query-gpu=... --format=csv` and the other queries. The columns are named by the header, or with
 * "noheader" by the command line, if that is known. Rows of one GPU that follow each other in time are samples of a
 * series. */
#include "core/stamp.h"
#include "format/common_nvidia.h"

#define MAX_COLS 400
#define MAX_ROWS 50000
#define MAX_GPUS 512
#define MAX_PROCS 4096
#define SAME_PASS 0.09 /* seconds: rows of one pass over the GPUs lie closer together than passes do */

enum how {
	OTHER, /* a column that nothing is made of */
	NUMBER,
	TEXT,
	ONOFF,
	MASK,
	PART, /* facts of a GPU; a part of a sum that may have no column of its own */
	INDEX,
	UUID,
	BUS,
	STAMP,
	HOST,
	COUNT,
	DRIVER, /* of the whole output or the machine */
	PID,
	PNAME,
	PMEM,
	PAST, /* the rows are about processes that have ended */
	PAGE,
	CAUSE, /* a row for every retired page */
};

struct field {
	const char *name;
	enum how how;
	enum gv_fact fact;
	unsigned rank; /* of several columns for one fact the lowest that has a value counts */
	bool sure;     /* a name that only this tool uses */
};

#define N(name, fact, rank)                                                                                            \
	{                                                                                                              \
		name, NUMBER, GV_F_GPU_##fact, rank, true                                                              \
	}
#define T(name, fact)                                                                                                  \
	{                                                                                                              \
		name, TEXT, GV_F_GPU_##fact, 0, true                                                                   \
	}
#define F(name, fact)                                                                                                  \
	{                                                                                                              \
		name, ONOFF, GV_F_GPU_##fact, 0, true                                                                  \
	}
#define P(name, fact)                                                                                                  \
	{                                                                                                              \
		name, PART, GV_F_GPU_##fact, 0, true                                                                   \
	}
#define R(name, fact) F("clocks_event_reasons." name, fact), F("clocks_throttle_reasons." name, fact)

/* clang-format off */
static const struct field fields[] = {
	{ "index", INDEX, GV_F_GPU_INDEX, 0, false },
	{ "uuid", UUID, GV_F_GPU_UUID, 0, false },
	{ "gpu_uuid", UUID, GV_F_GPU_UUID, 0, true },
	{ "pci.bus_id", BUS, GV_F_GPU_BUS_ID, 0, true },
	{ "gpu_bus_id", BUS, GV_F_GPU_BUS_ID, 0, true },
	{ "name", TEXT, GV_F_GPU_NAME, 0, false },
	{ "gpu_name", TEXT, GV_F_GPU_NAME, 0, true },
	{ "timestamp", STAMP, GV_FACTS, 0, false },
	{ "hostname", HOST, GV_FACTS, 0, false },
	{ "count", COUNT, GV_F_GPU_COUNT, 0, false },
	{ "driver_version", DRIVER, GV_F_DRIVER_KERNEL, 1, true },
	{ "kmd_version", DRIVER, GV_F_DRIVER_KERNEL, 0, true },
	{ "pid", PID, GV_FACTS, 0, false },
	{ "process_name", PNAME, GV_F_PROC_NAME, 0, true },
	{ "used_gpu_memory", PMEM, GV_F_PROC_GPU_MEM, 0, true },
	{ "used_memory", PMEM, GV_F_PROC_GPU_MEM, 0, true },
	{ "max_memory_usage", PAST, GV_FACTS, 0, true },
	{ "gpu_utilization", PAST, GV_FACTS, 0, true },
	{ "mem_utilization", PAST, GV_FACTS, 0, true },
	{ "retired_pages.address", PAGE, GV_FACTS, 0, true },
	{ "retired_pages.cause", CAUSE, GV_FACTS, 0, true },
	T("vbios_version", VBIOS), T("compute_cap", COMPUTE_CAP), T("compute_mode", COMPUTE_MODE), T("pstate", PSTATE),
	F("persistence_mode", PERSISTENCE), F("display_active", DISPLAY),
	T("ecc.mode.current", ECC_MODE), T("mig.mode.current", MIG), T("mig.mode.pending", MIG_PENDING),
	T("fabric.state", FABRIC_STATE), T("fabric.status", FABRIC_STATUS), T("gpu_recovery_action", RECOVERY),
	F("reset_status.reset_required", RESET_REQUIRED), F("reset_status.drain_and_reset_recommended", RESET_REQUIRED),
	N("fan.speed", FAN, 0), N("temperature.gpu", TEMP, 0), N("temperature.memory", TEMP_MEM, 0),
	N("temperature.gpu.tlimit", TEMP_MARGIN, 0),
	N("power.draw", POWER, 0), N("power.draw.average", POWER, 1), N("power.draw.instant", POWER, 2),
	N("enforced.power.limit", POWER_LIMIT, 0), N("power.limit", POWER_LIMIT, 1),
	N("power.default_limit", POWER_DEFAULT, 0), N("power.min_limit", POWER_MIN, 0), N("power.max_limit", POWER_MAX, 0),
	N("utilization.decoder", DEC_UTIL, 0), N("utilization.encoder", ENC_UTIL, 0),
	N("utilization.gpu", UTIL, 0), N("utilization.memory", MEM_UTIL, 0),
	N("memory.total", MEM_TOTAL, 0), N("memory.used", MEM_USED, 0), N("memory.free", MEM_FREE, 0),
	N("clocks.current.sm", CLK_SM, 0), N("clocks.sm", CLK_SM, 0), N("clocks.current.graphics", CLK_SM, 1),
	N("clocks.gr", CLK_SM, 1), N("clocks.current.memory", CLK_MEM, 0), N("clocks.mem", CLK_MEM, 0),
	N("clocks.max.sm", CLK_MAX_SM, 0), N("clocks.max.graphics", CLK_MAX_SM, 1), N("clocks.max.gr", CLK_MAX_SM, 1),
	N("clocks.max.memory", CLK_MAX_MEM, 0), N("clocks.max.mem", CLK_MAX_MEM, 0),
	N("clocks.applications.graphics", CLK_APP_SM, 0), N("clocks.applications.gr", CLK_APP_SM, 0),
	N("clocks.applications.memory", CLK_APP_MEM, 0), N("clocks.applications.mem", CLK_APP_MEM, 0),
	N("pcie.link.gen.current", PCIE_GEN, 0), N("pcie.link.gen.gpucurrent", PCIE_GEN, 1),
	/* .gpumax is what the card alone could do, not what it can reach in this slot */
	N("pcie.link.gen.max", PCIE_GEN_MAX, 0), N("pcie.link.gen.hostmax", PCIE_GEN_HOST, 0),
	{ "pcie.link.gen.gpumax", OTHER, GV_FACTS, 0, true },
	N("pcie.link.width.current", PCIE_WIDTH, 0), N("pcie.link.width.max", PCIE_WIDTH_MAX, 0),
	N("ecc.errors.uncorrected.volatile.total", ECC_UNC, 0), N("ecc.errors.uncorrected.aggregate.total", ECC_AGG_UNC, 0),
	P("ecc.errors.uncorrected.volatile.dram", ECC_UNC), P("ecc.errors.uncorrected.volatile.sram", ECC_UNC),
	P("ecc.errors.uncorrected.aggregate.dram", ECC_AGG_UNC), P("ecc.errors.uncorrected.aggregate.sram", ECC_AGG_UNC),
	F("ecc.errors.uncorrected.aggregate.sram.thresholdExceeded", SRAM_THRESHOLD),
	N("retired_pages.single_bit_ecc.count", RETIRED_SBE, 0), N("retired_pages.sbe", RETIRED_SBE, 0),
	N("retired_pages.double_bit.count", RETIRED_DBE, 0), N("retired_pages.dbe", RETIRED_DBE, 0),
	F("retired_pages.pending", RETIRED_PENDING),
	N("remapped_rows.correctable", REMAP_CORR, 0), N("remapped_rows.uncorrectable", REMAP_UNC, 0),
	F("remapped_rows.pending", REMAP_PENDING), F("remapped_rows.failure", REMAP_FAILED),
	N("remapped_rows.histogram.none", REMAP_NONE, 0),
	{ "clocks_event_reasons.active", MASK, GV_FACTS, 0, true }, { "clocks_throttle_reasons.active", MASK, GV_FACTS, 0, true },
	R("gpu_idle", CAP_IDLE), R("applications_clocks_setting", CAP_APP), R("sw_power_cap", CAP_POWER),
	R("hw_slowdown", CAP_HW), R("hw_thermal_slowdown", CAP_HW_THERMAL), R("hw_power_brake_slowdown", CAP_BRAKE),
	R("sync_boost", CAP_SYNC), R("sw_thermal_slowdown", CAP_SW_THERMAL),
};
/* clang-format on */

struct columns {
	const struct field *field[MAX_COLS]; /* NULL: a column of the tool that is not used */
	size_t next[MAX_COLS]; /* the column that stands in where this one has no value; MAX_COLS = none */
	bool second[MAX_COLS]; /* it is such a column */
	size_t n;
	size_t name; /* the column that may hold commas; MAX_COLS = none */
	bool sure, past;
};

static const struct field *field_of(gv_str name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (name.n && name.p[0] == fields[i].name[0] && gv_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

static bool name_like(gv_str s)
{
	if (!s.n || s.n > 80 || s.p[0] < 'a' || s.p[0] > 'z')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < 'a' || s.p[i] > 'z') && (s.p[i] < 'A' || s.p[i] > 'Z') &&
		    (s.p[i] < '0' || s.p[i] > '9') && s.p[i] != '.' && s.p[i] != '_')
			return false;
	return true;
}

/* Chains the columns that speak of one fact, by rank. */
static void chain(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		c->next[i] = MAX_COLS;
		if (!c->field[i] || (c->field[i]->how != NUMBER && c->field[i]->how != DRIVER))
			continue;
		for (size_t k = 0; k < i; k++) {
			size_t better = c->field[k] && c->field[k]->rank <= c->field[i]->rank ? k : i,
			       other = better == k ? i : k;

			if (!c->field[k] || c->field[k]->how != c->field[i]->how ||
			    c->field[k]->fact != c->field[i]->fact || c->second[k])
				continue;
			if (c->next[better] == MAX_COLS)
				c->next[better] = other;
			c->second[other] = true;
			break;
		}
	}
}

/* Columns by a list of names, as a header has it or the command line. False where it is no such list. */
static bool columns_of(gv_str list, bool of_processes, struct columns *c)
{
	gv_str piece, unit;

	*c = (struct columns){ .name = MAX_COLS };
	while (gv_next(&list, ',', &piece)) {
		gv_str name = gv_trim(gv_before(piece, "["));
		const struct field *f;

		unit = gv_after(gv_trim(piece), "[");
		if (c->n == MAX_COLS || !name_like(name) || (unit.p && (!gv_ends(unit, "]") || unit.n > 8)))
			return false;
		if (of_processes && gv_is(name, "name"))
			name = GV_STR("process_name");
		f = field_of(name);
		if (f && f->how == PNAME)
			c->name = c->n;
		c->sure |= f && f->sure;
		c->past |= f && f->how == PAST;
		c->field[c->n++] = f;
	}
	return c->n > 0;
}

/* Does the command line hand its rows to something that may change what stands in them? */
static bool rewritten(gv_str cmd)
{
	static const char *const harmless[] = { "tee", "sort", "uniq", "head", "tail", "grep", "cat", "less" };
	gv_str piece, w;

	gv_next(&cmd, '|', &piece);
	while (gv_next(&cmd, '|', &piece)) {
		bool ok = false;

		if (!gv_word(&piece, &w))
			continue;
		for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
			ok |= gv_is(w, harmless[i]);
		if (!ok)
			return true;
	}
	return false;
}

/* The columns that a command line asks for, where it also says "noheader" and nothing rewrites the rows. */
static bool columns_asked(gv_str cmd, struct columns *c)
{
	gv_str list = gv_after(cmd, "--query-"), word;
	bool procs = gv_starts(list, "compute-apps");
	size_t n = 0;

	/* With a variable in it, it ran in a loop: over which GPUs is not known. */
	if (!list.p || !gv_has(cmd, "noheader") || gv_has(cmd, "$") || rewritten(cmd))
		return false;
	while (n < list.n && list.p[n] != '=' && list.p[n] != ' ')
		n++;
	list = gv_from(list, n + 1);
	if (!gv_word(&list, &word))
		return false;
	while (word.n && (word.p[0] == '"' || word.p[0] == '\''))
		word = gv_from(word, 1);
	while (word.n && (word.p[word.n - 1] == '"' || word.p[word.n - 1] == '\''))
		word = gv_sub(word, 0, word.n - 1);
	return columns_of(word, procs, c);
}

/* Could this cell stand in that column? Keeps a sentence below the output from being taken for a row. */
static bool fits(const struct field *f, gv_str cell)
{
	const char *why;
	double v;

	if (!f)
		return cell.n <= 256;
	if (gv_no_value(cell, &why) != GV_KNOWN)
		return true;
	switch (f->how) {
	case NUMBER:
	case PART:
	case PMEM:
	case PAST:
	case PAGE:
	case STAMP:
	case MASK:
		return (cell.p[0] >= '0' && cell.p[0] <= '9') || cell.p[0] == '-';
	case INDEX:
	case PID:
	case COUNT:
		return gv_to_num(cell, &v);
	case UUID:
		return gv_starts(cell, "GPU-") || gv_starts(cell, "MIG-");
	case BUS:
		return gv_find_c(cell, ':') > 0 && !gv_has(cell, " ");
	case ONOFF:
		return cell.n <= 16;
	case PNAME:
		return true;
	default:
		return cell.n <= 96;
	}
}

/* Cells of a row; false where it is none. */
static bool row_of(gv_str line, const struct columns *c, gv_str *cell)
{
	size_t pieces = 1, extra, at = 0;

	line = gv_trim(line);
	if (!line.n)
		return false;
	for (size_t i = 0; i < line.n; i++)
		pieces += line.p[i] == ',';
	if (pieces < c->n || (pieces > c->n && c->name == MAX_COLS))
		return false;
	extra = pieces - c->n;
	for (size_t i = 0; i < c->n; i++) {
		size_t end = at, commas = i == c->name ? extra : 0;

		while (end < line.n && (line.p[end] != ',' || commas)) {
			commas -= line.p[end] == ',';
			end++;
		}
		cell[i] = gv_trim(gv_sub(line, at, end - at));
		if (!fits(c->field[i], cell[i]))
			return false;
		at = end + 1;
	}
	return true;
}

static size_t csv_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct columns c;
	gv_str cell[MAX_COLS], t = gv_trim(l[0].text);
	size_t i;

	if (l[0].flags & GV_LINE_PROMPT)
		return 0;
	/* Most lines that hold a head are no header: the first name tells. */
	if (name_like(gv_trim(gv_before(gv_before(t, ","), "["))) && columns_of(t, false, &c)) {
		if (!c.sure && !gv_has(seg->cmd, "--query-"))
			return 0;
		/* One name alone is a header only if a value follows. */
		if (c.n == 1 && (n < 2 || !row_of(l[1].text, &c, cell)))
			return 0;
		i = 1;
	} else if (columns_asked(seg->cmd, &c) && row_of(l[0].text, &c, cell)) {
		i = 0;
	} else {
		return 0;
	}
	while (i < n && i < MAX_ROWS && row_of(l[i].text, &c, cell))
		i++;
	return i;
}

struct gpu {
	struct gv_entity *e;
	uint32_t rows;
	bool broken, listed;
	double pages[2]; /* retired for single-bit and double-bit errors */
	const struct gv_line *page[2];
};

struct csv {
	struct gv_read *r;
	struct columns *c;
	gv_str *cell;
	struct gv_map gpus, procs;
	struct gpu *all[MAX_GPUS];
	size_t ngpus, nprocs;
	size_t per_pass; /* rows of one look at all GPUs, where no column names the GPU */
	bool by_place;	 /* the place in a pass is the GPU's index */
	bool first;
};

static gv_str cell_for(const struct csv *x, enum how how)
{
	const char *why;

	for (size_t i = 0; i < x->c->n; i++)
		if (x->c->field[i] && x->c->field[i]->how == how && gv_no_value(x->cell[i], &why) == GV_KNOWN)
			return x->cell[i];
	return GV_NONE;
}

static bool has(const struct columns *c, enum how how)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->field[i] && c->field[i]->how == how)
			return true;
	return false;
}

/* "2026/07/14 08:12:38.696" */
static bool stamp_of(gv_str s, struct gv_time *ret)
{
	uint64_t y, m, d;
	double sec;
	size_t digits;
	char point;

	return gv_take_num(&s, 4, 4, &y) && gv_take(&s, "/") && gv_take_num(&s, 2, 2, &m) && gv_take(&s, "/") &&
	       gv_take_num(&s, 2, 2, &d) && gv_take(&s, " ") && gv_take_clock(&s, &sec, &point, &digits) &&
	       gv_wall_time(ret, y, m, d, sec);
}

/* Where no column names the GPU, the rows are one pass over all of them in their order, or a series of passes, or a
 * series of one GPU: the stamps tell, else the command line. */
static void set_pass(struct csv *x, const struct gv_line *rows, size_t n)
{
	gv_str cmd = x->r->block->seg->cmd;
	bool loop = gv_has(cmd, " -l") || gv_has(cmd, "--loop"),
	     one = gv_has(cmd, " -i ") || gv_has(cmd, " -i=") || gv_has(cmd, "--id");
	struct gv_time t = { 0 }, before = { 0 };
	size_t per = 0;
	bool even = true;

	x->per_pass = 1;
	if (n < 2 || one)
		return;
	if (!has(x->c, STAMP)) {
		x->per_pass = loop ? 1 : n;
		x->by_place = !loop;
		return;
	}
	for (size_t i = 0; i < n; i++, before = t) {
		bool gap;

		if (!row_of(rows[i].text, x->c, x->cell) || !stamp_of(cell_for(x, STAMP), &t))
			return;
		gap = i > 0 && t.t - before.t >= SAME_PASS;
		if (gap && !per)
			per = i;
		even &= i == 0 || !per || gap == (i % per == 0);
	}
	if (!per)
		per = n <= 16 ? n : 1;
	x->per_pass = even ? per : 1;
	x->by_place = x->per_pass > 1;
}

static struct gpu *gpu_by(struct csv *x, gv_str key)
{
	void **slot;
	struct gpu *g;

	if (x->ngpus == MAX_GPUS)
		return gv_map_get(&x->gpus, key);
	slot = gv_map_put(&x->gpus, key);
	if (!*slot) {
		*slot = g = GV_NEW(x->r->arena, struct gpu);
		g->e = gv_see(x->r, GV_GPU, GV_NONE);
		x->all[x->ngpus++] = g;
	}
	return *slot;
}

/* The GPU of a row, NULL where it is about none. */
static struct gpu *gpu_of_row(struct csv *x, size_t row, bool processes)
{
	gv_str index = cell_for(x, INDEX), bus = cell_for(x, BUS), uuid = cell_for(x, UUID);

	if (gv_starts(uuid, "MIG-")) /* a slice; its GPU is known only by the address */
		uuid = GV_NONE;
	if (index.n || bus.n || uuid.n)
		return gpu_by(x, index.n ? index : bus.n ? bus : uuid);
	if (processes)
		return NULL;
	return gpu_by(x, gv_fmt(x->r->arena, "row %zu", row % x->per_pass));
}

static void new_gpu(struct csv *x, struct gpu *g, size_t row, const struct gv_line *l)
{
	gv_str index = cell_for(x, INDEX), bus = cell_for(x, BUS), uuid = cell_for(x, UUID);
	struct gv_read *r = x->r;

	gv_put_str(r, g->e, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	if (index.n) {
		gv_key(r, g->e, GV_KEY_INDEX, index);
		gv_put_cell(r, g->e, GV_F_GPU_INDEX, index, l);
	} else if (!bus.n && !uuid.n && x->by_place) {
		gv_key(r, g->e, GV_KEY_INDEX, gv_fmt(r->arena, "%zu", row % x->per_pass));
	}
	if (bus.n) {
		gv_key(r, g->e, GV_KEY_BUS, bus);
		gv_put_str(r, g->e, GV_F_GPU_BUS_ID, bus, l);
	}
	if (gv_starts(uuid, "GPU-")) {
		gv_key(r, g->e, GV_KEY_UUID, uuid);
		gv_put_str(r, g->e, GV_F_GPU_UUID, uuid, l);
	}
}

/* Lists of processes and of pages name the product, too. */
static void put_name(struct csv *x, struct gpu *g, const struct gv_line *l)
{
	const char *why;

	for (size_t i = 0; i < x->c->n; i++)
		if (x->c->field[i] && x->c->field[i]->fact == GV_F_GPU_NAME &&
		    gv_no_value(x->cell[i], &why) == GV_KNOWN)
			gv_put_str(x->r, g->e, GV_F_GPU_NAME, x->cell[i], l);
}

/* A GPU without retired pages has a row, too, with "[N/A]" for the address. */
static void read_page_row(struct csv *x, struct gpu *g, const struct gv_line *l)
{
	size_t of = gv_has(cell_for(x, CAUSE), "Double");

	if (!g || !gv_has(cell_for(x, CAUSE), "Bit ECC") || !gv_starts(cell_for(x, PAGE), "0x"))
		return;
	g->pages[of]++;
	g->page[of] = l;
}

static void put_pages(struct csv *x)
{
	for (size_t i = 0; i < x->ngpus; i++) {
		struct gpu *g = x->all[i];

		if (g->page[0])
			gv_put_num(x->r, g->e, GV_F_GPU_RETIRED_SBE, g->pages[0], g->page[0]);
		if (g->page[1])
			gv_put_num(x->r, g->e, GV_F_GPU_RETIRED_DBE, g->pages[1], g->page[1]);
	}
}

/* What a sick GPU prints where others have a value. A fan or a power reading alone is no sick GPU. */
static gv_str broken_cell(const struct csv *x)
{
	gv_str error = GV_NONE;

	for (size_t i = 0; i < x->c->n; i++) {
		const struct field *f = x->c->field[i];
		gv_str cell = x->cell[i];

		if (gv_has(cell, "GPU requires reset") || gv_has(cell, "GPU is lost"))
			return cell;
		if (!error.n && (gv_has(cell, "ERR!") || gv_has(cell, "Unknown Error")) &&
		    (!f || (f->fact != GV_F_GPU_FAN && f->fact != GV_F_GPU_POWER)))
			error = cell;
	}
	return error;
}

static void put_onoff(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, const struct gv_line *l)
{
	static const char *const yes[] = { "Active", "Enabled", "Yes", "On", "1" };
	static const char *const no[] = { "Not Active", "Disabled", "No", "Off", "0" };
	const char *why;
	enum gv_state s = gv_no_value(cell, &why);

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (gv_is(cell, yes[i]) || gv_is(cell, no[i])) {
			gv_put_flag(r, e, f, gv_is(cell, yes[i]), l);
			return;
		}
	gv_put_none(r, e, f, s, s == GV_KNOWN ? "neither yes nor no" : why, l);
}

static void put_mask(struct gv_read *r, struct gv_entity *e, gv_str cell, const struct gv_line *l)
{
	const char *why = "no bit mask";
	uint64_t mask = 0;
	bool ok = gv_to_u64(cell, &mask);
	enum gv_state s = ok ? GV_KNOWN : gv_no_value(cell, &why);

	if (ok)
		gv_put_clock_reasons(r, e, mask, l);
	else
		gv_put_no_clock_reasons(r, e, s == GV_NOT_APPLICABLE ? s : GV_UNKNOWN, why, l);
}

static void put_text(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, const struct gv_line *l)
{
	const char *why;
	enum gv_state s = gv_no_value(cell, &why);

	/* "None" is an answer about what to do, not the lack of one. */
	if (s == GV_KNOWN || (f == GV_F_GPU_RECOVERY && gv_is(cell, "None")))
		gv_put_str(r, e, f, cell, l);
	else
		gv_put_none(r, e, f, s, why, l);
}

/* The cell of column i, or of the column that stands in for it. */
static gv_str best_cell(const struct csv *x, size_t i)
{
	const char *why;

	for (size_t k = i; k != MAX_COLS; k = x->c->next[k])
		if (gv_no_value(x->cell[k], &why) == GV_KNOWN)
			return x->cell[k];
	return x->cell[i];
}

/* The sum of the parts in this row, where no column has the whole. */
static void put_sum(struct csv *x, struct gpu *g, enum gv_fact f, const struct gv_line *l)
{
	double sum = 0, v;
	bool known = false;

	for (size_t i = 0; i < x->c->n; i++) {
		if (!x->c->field[i] || x->c->field[i]->fact != f)
			continue;
		if (x->c->field[i]->how == NUMBER)
			return;
		if (gv_to_num(x->cell[i], &v)) {
			known = true;
			sum += v;
		}
	}
	if (known)
		gv_put_nth(x->r, g->e, f, sum, g->rows, 0, l);
}

static void read_gpu_row(struct csv *x, struct gpu *g, const struct gv_line *l)
{
	gv_str error = g->broken ? GV_NONE : broken_cell(x);

	if (error.n) {
		g->broken = true;
		gv_put_str(x->r, g->e, GV_F_GPU_BROKEN, error, l);
	}
	put_sum(x, g, GV_F_GPU_ECC_UNC, l);
	put_sum(x, g, GV_F_GPU_ECC_AGG_UNC, l);
	for (size_t i = 0; i < x->c->n; i++) {
		const struct field *f = x->c->field[i];
		gv_str cell = x->cell[i];

		if (!f || x->c->second[i])
			continue;
		switch (f->how) {
		case NUMBER:
			gv_put_sample(x->r, g->e, f->fact, best_cell(x, i), g->rows, l);
			break;
		case TEXT:
			put_text(x->r, g->e, f->fact, cell, l);
			break;
		case ONOFF:
			put_onoff(x->r, g->e, f->fact, cell, l);
			break;
		case MASK:
			put_mask(x->r, g->e, cell, l);
			break;
		default:
			break;
		}
	}
}

struct proc {
	struct gv_entity *e;
	uint32_t rows;
};

static void read_proc_row(struct csv *x, struct gpu *g, const struct gv_line *l)
{
	gv_str pid = cell_for(x, PID), key;
	const char *why;
	struct proc *p;
	void **slot;

	if (!pid.n || x->c->past || x->nprocs == MAX_PROCS)
		return;
	if (g && !g->listed) {
		g->listed = true;
		gv_put_flag(x->r, g->e, GV_F_GPU_PROCESS_LIST, true, l);
	}
	key = gv_fmt(x->r->arena, "%.*s %zu", GV_ARG(pid), g ? g->e->index + 1 : 0);
	slot = gv_map_put(&x->procs, key);
	if (!*slot) {
		*slot = p = GV_NEW(x->r->arena, struct proc);
		p->e = gv_see(x->r, GV_PROC, pid);
		p->e->parent = g ? g->e : NULL;
		gv_key(x->r, p->e, GV_KEY_PID, pid);
		x->nprocs++;
	}
	p = *slot;
	for (size_t i = 0; i < x->c->n; i++) {
		const struct field *f = x->c->field[i];

		if (f && f->how == PNAME && p->rows == 0 && gv_no_value(x->cell[i], &why) == GV_KNOWN)
			gv_put_str(x->r, p->e, GV_F_PROC_NAME, x->cell[i], l);
		else if (f && f->how == PMEM)
			gv_put_sample(x->r, p->e, GV_F_PROC_GPU_MEM, x->cell[i], p->rows, l);
	}
	p->rows++;
}

/* What a row says of the machine and of the output as a whole; the first row is enough. */
static void read_common(struct csv *x, const struct gv_line *l)
{
	struct gv_block *b = x->r->block;
	gv_str host = cell_for(x, HOST), count = cell_for(x, COUNT), stamp = cell_for(x, STAMP);
	struct gv_time when;
	double v;

	if (stamp.n && stamp_of(stamp, &when))
		b->when = when;
	if (host.n)
		b->host = host;
	if (gv_to_num(count, &v))
		gv_put_num(x->r, gv_see_node(x->r), b->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT, v, l);
	for (size_t i = 0; i < x->c->n; i++) {
		gv_str version = GV_NONE, rest;

		if (!x->c->field[i] || x->c->field[i]->how != DRIVER || x->c->second[i])
			continue;
		rest = best_cell(x, i);
		if (gv_word(&rest, &version) && version.p[0] >= '0' && version.p[0] <= '9')
			gv_put_str(x->r, gv_see_node(x->r), GV_F_DRIVER_KERNEL, version, l);
	}
}

/* Queries that say something of the GPU itself; the lists of processes and of retired pages name it only. */
static bool about_gpus(const struct columns *c)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		enum how how = c->field[i] ? c->field[i]->how : OTHER;

		if (how == PID || how == PAST || how == PAGE || how == CAUSE)
			return false;
		any |= how == NUMBER || how == PART || how == TEXT || how == ONOFF || how == MASK || how == INDEX || how == UUID ||
		       how == BUS;
	}
	return any;
}

static void csv_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct csv x = { .r = r, .gpus = { .arena = r->arena }, .procs = { .arena = r->arena }, .first = true };
	struct columns columns = { 0 };
	gv_str cell[MAX_COLS] = { 0 };
	bool procs, gpus, pages;
	size_t head = 1;

	x.c = &columns;
	x.cell = cell;
	if (!columns_of(gv_trim(l[0].text), false, x.c) || (!x.c->sure && !gv_has(r->block->seg->cmd, "--query-"))) {
		head = 0;
		if (!columns_asked(r->block->seg->cmd, x.c))
			return;
	}
	x.c->past |= gv_has(r->block->seg->cmd, "--query-accounted-apps");
	chain(x.c);
	procs = has(x.c, PID);
	pages = has(x.c, PAGE) && has(x.c, CAUSE);
	gpus = about_gpus(x.c);
	if (gpus)
		set_pass(&x, l + head, n - head);
	else
		x.per_pass = 1;
	for (size_t i = head; i < n; i++) {
		struct gpu *g;

		if (!row_of(l[i].text, x.c, x.cell))
			continue;
		if (x.first)
			read_common(&x, &l[i]);
		x.first = false;
		if (!gpus && !procs && !pages)
			continue;
		g = gpu_of_row(&x, i - head, procs || pages);
		if (g && g->rows == 0) {
			new_gpu(&x, g, i - head, &l[i]);
			if (!gpus)
				put_name(&x, g, &l[i]);
		}
		if (g && gpus)
			read_gpu_row(&x, g, &l[i]);
		if (g)
			g->rows++;
		if (procs)
			read_proc_row(&x, g, &l[i]);
		if (pages)
			read_page_row(&x, g, &l[i]);
	}
	put_pages(&x);
}

const struct gv_format gv_format_nvidia_smi_csv = {
	.name = "nvidia-smi csv",
	.heads = { "utilization.", "memory.", "power.", "clocks", "driver_version", "pid, ", "uuid", "index, ",
		   "name, ", "pcie.link", "bus_id", " MiB", "pstate", "temperature.", "mig.mode", "remapped_rows",
		   "ecc.", "compute_cap", "pci.", " %", "GPU-", "NVIDIA " },
	.cmds = { "--query-gpu", "--query-compute-apps", "--query-remapped-rows", "--query-retired-pages" },
	.claim = csv_claim,
	.read = csv_read,
};
