/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript of NVML that a live look makes (vendor/nvml.c): a line a call.
 *
 *     nvmlDeviceGetPowerUsage(0) = 0 power_mW=265123
 *     nvmlDeviceGetPowerUsage(1) = 3 (Not Supported)
 *     nvmlDeviceGetPowerUsage(2): no answer within 5 s
 *     nvmlDeviceGetPowerUsage(3): ended the process (signal 11, Segmentation fault)
 *     nvmlDeviceGetRemappedRows: not in this library
 *     nvmlDeviceGetComputeRunningProcesses_v3(0)[0]: pid=4711 usedGpuMemory=1048576
 *
 * "@12345.678 " in front (seconds since boot) makes an answer one of a series. It gives the facts that nvidia-smi -q
 * gives. */
#include <math.h>

#include "base/map.h"
#include "format/common_nvidia.h"
#include "format/common_nvml.h"

#define MAX_GPUS 256
#define MAX_LINKS 64
#define MAX_PROCS 8192
#define MAX_MISSING 128
#define ERRORS_OF_THE_GPU 3 /* one call that cannot be answered is a sensor's trouble, so many are the GPU's */

enum code { /* of NVML */
	    SUCCESS = 0,
	    NOT_SUPPORTED = 3,
	    LOST = 15,
	    RESET = 16,
	    VERSION_OF_STRUCT = 25,
	    UNKNOWN = 999,
};

enum act {
	A_ARCH,
	A_CAPABILITY,
	A_COMPUTE_MODE,
	A_FABRIC,
	A_FLAG,
	A_LIST,
	A_MIB,
	A_MILLI, /* a thousandth of the fact's unit */
	A_MODE,
	A_NUM,
	A_PSTATE,
	A_REASONS,
	A_RECOVERY,
	A_REPAIR,
	A_SET_LIMIT,
	A_TEXT,
	A_UUID,
	A_WATT = A_MILLI,
};

struct row {
	gv_str call, args, key;
	enum act act;
	enum gv_fact fact;
	double most;
	bool ticks;
};

#define T(lit)                                                                                                         \
	{                                                                                                              \
		"" lit, sizeof(lit) - 1                                                                                \
	}

static const struct row rows[] = {
#define ROW(call, args, key, act, fact, most, ticks) { T(call), T(args), T(key), A_##act, GV_F_##fact, most, ticks },
#include "format/nvml.def"
#undef ROW
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static gv_str value(const struct gv_said *s, const char *key)
{
	return gv_said_value(s->rest, gv_str_of(key));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct gv_said s;
	size_t i = 0;

	(void)seg;
	while (i < n && (gv_said_parse(l[i].text, &s) || (i && gv_starts(l[i].text, "helper process: "))))
		i++;
	return i;
}

/* ---- the whole ---- */

struct gpu {
	struct gv_entity *e;
	bool mig;
	unsigned errors;
	gv_str broken; /* what a sick GPU answers */
	const struct gv_line *broken_at, *error_at;
	double set_limit; /* W; used where the one in force is not known */
	const struct gv_line *set_limit_at;
	int listed; /* processes: -1 not told, 0 none, 1 some */
	const struct gv_line *listed_at;
	unsigned slices; /* MIG devices */
	const struct gv_line *slices_at;
	struct gv_entity *link[MAX_LINKS];
};

struct proc {
	struct gv_entity *e;
	bool compute, graphics, mps;
};

struct state {
	struct gv_read *r;
	struct gpu *gpu[MAX_GPUS];
	struct gv_map procs; /* "pid gpu" -> struct proc */
	size_t nprocs;
	double t, first_t;	     /* of the tick at hand, and of the first */
	uint32_t sample;	     /* 0 before the first tick */
	const struct gv_line *error; /* the library as a whole could not be used */
	const struct gv_line *not_loaded;
	bool loaded;
	struct {
		gv_str call;
		const struct gv_line *l;
	} missing[MAX_MISSING];
	size_t nmissing;
};

static struct gpu *gpu_of(struct state *s, uint64_t n, const struct gv_line *l)
{
	struct gpu *g;

	if (n >= MAX_GPUS)
		return NULL;
	if (s->gpu[n])
		return s->gpu[n];
	s->gpu[n] = g = GV_NEW(s->r->arena, struct gpu);
	g->listed = -1;
	g->e = gv_see(s->r, GV_GPU, GV_NONE);
	gv_key(s->r, g->e, GV_KEY_INDEX, gv_fmt(s->r->arena, "%llu", (unsigned long long)n));
	gv_put_num(s->r, g->e, GV_F_GPU_INDEX, (double)n, l);
	gv_put_str(s->r, g->e, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	return g;
}

/* ---- answers that are none ---- */

static void put_no_value(struct state *s, struct gpu *g, const struct row *row, enum gv_state state, const char *why,
			 const struct gv_line *l)
{
	if (row->act == A_REASONS)
		gv_put_no_clock_reasons(s->r, g->e, state, why, l);
	else if (row->act != A_SET_LIMIT)
		gv_put_none(s->r, g->e, row->fact, state, why, l);
	if (row->act == A_FABRIC)
		gv_put_none(s->r, g->e, GV_F_GPU_FABRIC_STATUS, state, why, l);
}

/* All that a call would have told. At ticks it was told before, or said to be none. */
static void put_none_of(struct state *s, struct gpu *g, const struct gv_said *said, enum gv_state state,
			const char *why, const struct gv_line *l)
{
	for (size_t i = 0; i < ROWS; i++)
		if (gv_eq(rows[i].call, said->call) && gv_eq(rows[i].args, said->args) &&
		    (!said->tick || !gv_slot(g->e, rows[i].fact)->n))
			put_no_value(s, g, &rows[i], state, why, l);
}

/* NVML's words are those that nvidia-smi prints in place of a value. */
static enum gv_state state_of(const struct gv_said *said, bool mig, const char **ret_why)
{
	gv_str words = gv_trim(said->rest);
	enum gv_state state;

	if (said->code == NOT_SUPPORTED && mig &&
	    (gv_has(said->call, "GetUtilizationRates") || gv_has(said->call, "RunningProcesses"))) {
		*ret_why = "not told while MIG is on";
		return GV_NOT_APPLICABLE;
	}
	if (gv_starts(words, "("))
		words = gv_sub(words, 1, words.n - 2);
	if (gv_is(words, "Deprecated"))
		words = GV_STR("Requested functionality has been deprecated");
	state = gv_no_value(words, ret_why);
	if (state == GV_KNOWN) {
		*ret_why = "the driver answered with an error";
		state = GV_UNKNOWN;
	}
	return state;
}

static void note_error(struct gpu *g, const struct gv_said *said, const struct gv_line *l)
{
	if ((said->code == LOST || said->code == RESET) && !g->broken.n) {
		g->broken = said->code == LOST ? GV_STR("GPU is lost") : GV_STR("GPU requires reset");
		g->broken_at = l;
	} else if (said->code == UNKNOWN && !g->errors++) {
		g->error_at = l;
	}
}

/* The library gave no handle: nothing else of the GPU will be known. */
static void no_handle(struct gpu *g, const struct gv_said *said, const struct gv_line *l)
{
	gv_str words = gv_between(said->rest, "(", ")");

	if (g->broken.n)
		return;
	g->broken = words.n ? words : GV_STR("no device handle");
	g->broken_at = l;
}

static void read_error(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	struct gpu *g = said->about ? gpu_of(s, said->gpu, l) : NULL;
	const char *why;
	enum gv_state state;

	if (!said->about) {
		if ((gv_starts(said->call, "nvmlInit") || gv_is(said->call, "nvmlDeviceGetCount")) && !s->error)
			s->error = l;
		return;
	}
	if (!g)
		return;
	state = state_of(said, g->mig, &why);
	note_error(g, said, l);
	if (gv_is(said->call, "nvmlDeviceGetHandleByIndex"))
		no_handle(g, said, l);
	else if (gv_is(said->call, "nvmlDeviceGetNvLinkState") && gv_is(said->args, "0") && said->code == NOT_SUPPORTED)
		gv_put_none(s->r, g->e, GV_F_GPU_NVLINK_ALL_OFF, g->mig ? GV_UNKNOWN : GV_NOT_APPLICABLE,
			    g->mig ? "NVLink cannot be asked in MIG mode" : "the GPU has no NVLink", l);
	else if (said->code != VERSION_OF_STRUCT) /* an older shape is asked for next */
		put_none_of(s, g, said, state, why, l);
}

/* A call that did not come back: the fact that checks judge, and the reason of all that it would have told. */
static void read_no_answer(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	struct gpu *g = said->about ? gpu_of(s, said->gpu, l) : NULL;

	if (g) {
		gv_put_str(s->r, g->e, GV_F_GPU_NO_ANSWER, l->text, l);
		put_none_of(s, g, said, GV_UNKNOWN,
			    said->what == GV_SAID_SILENT ? "the driver did not answer"
							 : "the library ended the process that asked",
			    l);
	} else {
		gv_put_str(s->r, gv_see_node(s->r), GV_F_GPU_TOOL_NO_ANSWER, l->text, l);
	}
}

static void read_missing(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	if (s->nmissing == MAX_MISSING)
		return;
	s->missing[s->nmissing].call = said->call;
	s->missing[s->nmissing++].l = l;
}

/* ---- values ---- */

static uint32_t ms_of(const struct state *s)
{
	double ms = (s->t - s->first_t) * 1000;

	return s->sample && ms > 0 && ms < UINT32_MAX ? (uint32_t)(ms + 0.5) : 0;
}

static void put_word(struct state *s, struct gpu *g, const struct row *row, const char *word, const struct gv_line *l)
{
	if (word)
		gv_put_str(s->r, g->e, row->fact, gv_str_of(word), l);
	else
		gv_put_none(s->r, g->e, row->fact, GV_UNKNOWN, "no known number", l);
}

static const char *name_in(const char *const *names, size_t n, double v)
{
	return v < (double)n ? names[(size_t)v] : NULL;
}
#define NAME_IN(names, v) name_in((names), sizeof(names) / sizeof((names)[0]), (v))

static const char *const archs[] = {
	[2] = "Kepler", [3] = "Maxwell",      [4] = "Pascal", [5] = "Volta",	  [6] = "Turing",
	[7] = "Ampere", [8] = "Ada Lovelace", [9] = "Hopper", [10] = "Blackwell", [13] = "Rubin"
};
static const char *const compute_modes[] = { "Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process" };
static const char *const modes[] = { "Disabled", "Enabled" };
static const char *const fabric_states[] = { NULL, "Not Started", "In Progress", "Completed" };
static const char *const actions[] = { "None", "Reset", "Reboot", "Drain P2P", "Drain and Reset" };

static void put_fabric(struct state *s, struct gpu *g, const struct row *row, double state, const struct gv_said *said,
		       const struct gv_line *l)
{
	gv_str status = value(said, "status");

	if (state < 1) {
		put_no_value(s, g, row, GV_NOT_APPLICABLE, "not supported on this device", l);
		return;
	}
	put_word(s, g, row, NAME_IN(fabric_states, state), l);
	gv_put_str(s->r, g->e, GV_F_GPU_FABRIC_STATUS,
		   gv_is(status, "0") ? GV_STR("Success") : gv_fmt(s->r->arena, "error %.*s", GV_ARG(status)), l);
}

static void put_reasons(struct state *s, struct gpu *g, gv_str cell, const struct gv_line *l)
{
	const uint64_t known = 0xffff | 1ull << 63;
	uint64_t mask;

	if (gv_to_u64(cell, &mask) && !(mask & ~known))
		gv_put_clock_reasons(s->r, g->e, mask, l);
	else
		gv_put_no_clock_reasons(s->r, g->e, GV_UNKNOWN, "the number is out of range", l);
}

/* That nothing draws says nothing of what computes, where the one list is told and the other is not (guests of vGPU). */
static void put_list(struct gpu *g, double n, bool graphics, const struct gv_line *l)
{
	if (g->listed == 1 || (g->listed == 0 && n < 1) || (graphics && n < 1))
		return;
	g->listed = n >= 1;
	g->listed_at = l;
}

static void put_action(struct state *s, struct gpu *g, const struct row *row, double v, const struct gv_line *l)
{
	const char *name = NAME_IN(actions, v);

	if (name)
		put_word(s, g, row, name, l);
	else /* of a driver that came after this was written */
		gv_put_str(s->r, g->e, row->fact, gv_fmt(s->r->arena, "action %.0f", v), l);
}

static void put_number(struct state *s, struct gpu *g, const struct row *row, double v, const struct gv_said *said,
		       const struct gv_line *l)
{
	struct gv_read *r = s->r;

	switch (row->act) {
	case A_CAPABILITY:
		gv_put_str(r, g->e, row->fact, gv_fmt(r->arena, "%.0f.%.*s", v, GV_ARG(value(said, "minor"))), l);
		break;
	case A_FABRIC:
		put_fabric(s, g, row, v, said, l);
		break;
	case A_FLAG:
		gv_put_flag(r, g->e, row->fact, v == 1, l);
		break;
	case A_LIST:
		put_list(g, v, gv_has(said->call, "Graphics"), l);
		break;
	case A_MIB:
		gv_put_nth(r, g->e, row->fact, v / 1048576, s->sample, ms_of(s), l);
		break;
	case A_MILLI:
		gv_put_nth(r, g->e, row->fact, v / 1000, s->sample, ms_of(s), l);
		break;
	case A_ARCH:
	case A_COMPUTE_MODE:
	case A_MODE:
		put_word(s, g, row,
			 row->act == A_ARCH   ? NAME_IN(archs, v)
			 : row->act == A_MODE ? NAME_IN(modes, v)
					      : NAME_IN(compute_modes, v),
			 l);
		g->mig |= row->fact == GV_F_GPU_MIG && v == 1;
		break;
	case A_PSTATE:
		gv_put_str(r, g->e, row->fact, gv_fmt(r->arena, "P%.0f", v), l);
		break;
	case A_RECOVERY:
		put_action(s, g, row, v, l);
		break;
	case A_REPAIR:
		gv_put_flag(r, g->e, row->fact, v == 1 || gv_is(value(said, "bTpcRepairPending"), "1"), l);
		break;
	case A_SET_LIMIT:
		g->set_limit = v / 1000;
		g->set_limit_at = l;
		break;
	default:
		gv_put_nth(r, g->e, row->fact, v, s->sample, ms_of(s), l);
		if (row->fact == GV_F_GPU_MINOR)
			gv_key(r, g->e, GV_KEY_MINOR, value(said, "minorNumber"));
		break;
	}
}

static void put(struct state *s, struct gpu *g, const struct row *row, const struct gv_said *said,
		const struct gv_line *l)
{
	gv_str cell = row->key.n ? gv_said_value(said->rest, row->key) : gv_said_quoted(said);
	double v;

	switch (row->act) {
	case A_TEXT:
		gv_put_str(s->r, g->e, row->fact, cell, l);
		return;
	case A_UUID:
		gv_put_str(s->r, g->e, row->fact, cell, l);
		if (gv_starts(cell, "GPU-"))
			gv_key(s->r, g->e, GV_KEY_UUID, cell);
		return;
	case A_REASONS:
		put_reasons(s, g, cell, l);
		return;
	default:
		break;
	}
	if (!gv_to_num(cell, &v) || !isfinite(v))
		put_no_value(s, g, row, GV_UNKNOWN, "not a number", l);
	else if (v > row->most || v < (row->fact == GV_F_GPU_TEMP_MARGIN ? -row->most : 0))
		put_no_value(s, g, row, GV_UNKNOWN, "the number is out of range", l);
	else
		put_number(s, g, row, v, said, l);
}

static void read_pci(struct state *s, struct gpu *g, const struct gv_said *said, const struct gv_line *l)
{
	gv_str bus = gv_said_quoted(said), normal;

	if (!gv_bus_id(s->r->arena, bus, &normal))
		return;
	gv_key(s->r, g->e, GV_KEY_BUS, bus);
	gv_put_str(s->r, g->e, GV_F_GPU_BUS_ID, bus, l);
}

/* ---- links ---- */

static struct gv_entity *link_of(struct state *s, struct gpu *g, gv_str number)
{
	uint64_t n;

	if (!gv_to_u64(number, &n) || n >= MAX_LINKS)
		return NULL;
	if (!g->link[n]) {
		g->link[n] = gv_see(s->r, GV_LINK, gv_fmt(s->r->arena, "%llu", (unsigned long long)n));
		g->link[n]->parent = g->e;
		g->link[n]->key[GV_KEY_INDEX] = g->e->key[GV_KEY_INDEX];
		g->link[n]->key[GV_KEY_UUID] = g->e->key[GV_KEY_UUID];
	}
	return g->link[n];
}

static const struct {
	const char *name;
	enum gv_fact fact;
} link_counters[] = {
	{ "CRC_FLIT", GV_F_LINK_CRC },
	{ "NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", GV_F_LINK_RECOVERY_FAILED },
	{ "NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS", GV_F_LINK_RECOVERIES },
	{ "NVLINK_COUNT_RCV_ERRORS", GV_F_LINK_HARD },
	{ "RECOVERY", GV_F_LINK_RECOVERIES },
	{ "REPLAY", GV_F_LINK_REPLAY },
};

/* nvmlDeviceGetNvLinkState(0, 3), nvmlDeviceGetNvLinkErrorCounter(0, 3, REPLAY), nvmlDeviceGetFieldValues(0, NAME, 3)
 */
static bool read_link(struct state *s, struct gpu *g, const struct gv_said *said, const struct gv_line *l)
{
	bool state = gv_is(said->call, "nvmlDeviceGetNvLinkState");
	bool counter = gv_is(said->call, "nvmlDeviceGetNvLinkErrorCounter");
	gv_str first = gv_trim(gv_before(said->args, ",")), second = gv_trim(gv_after(said->args, ","));
	struct gv_entity *link;
	double v;

	if (!state && !counter && !gv_starts(said->args, "NVLINK_COUNT_"))
		return false;
	link = link_of(s, g, state || counter ? first : second);
	if (!link || !gv_to_num(value(said, state ? "isActive" : counter ? "counterValue" : "value"), &v))
		return true;
	if (state) {
		if (v == 0 || v == 1)
			gv_put_flag(s->r, link, GV_F_LINK_ACTIVE, v == 1, l);
		else
			gv_put_none(s->r, link, GV_F_LINK_ACTIVE, GV_UNKNOWN,
				    v == 2 ? "the link sleeps" : "no known number", l);
		return true;
	}
	for (size_t i = 0; i < sizeof(link_counters) / sizeof(link_counters[0]); i++)
		if (gv_is(counter ? second : first, link_counters[i].name) && v >= 0 && v < 1e15)
			gv_put_num(s->r, link, link_counters[i].fact, v, l);
	return true;
}

/* ---- processes ---- */

static void read_process(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	struct gpu *g = said->about ? gpu_of(s, said->gpu, l) : NULL;
	bool mps = gv_starts(said->call, "nvmlDeviceGetMPSCompute");
	bool compute = mps || gv_starts(said->call, "nvmlDeviceGetCompute");
	gv_str pid = value(said, "pid"), used = value(said, "usedGpuMemory"), key;
	struct proc *p;
	uint64_t n;
	double v;
	void **slot;

	if (!g || s->nprocs >= MAX_PROCS || !gv_to_u64(pid, &n))
		return;
	key = gv_fmt(s->r->arena, "%.*s %llu", GV_ARG(pid), (unsigned long long)said->gpu);
	slot = gv_map_put(&s->procs, key);
	if (!*slot) {
		*slot = p = GV_NEW(s->r->arena, struct proc);
		s->nprocs++;
		p->e = gv_see(s->r, GV_PROC, pid);
		p->e->parent = g->e;
		gv_key(s->r, p->e, GV_KEY_PID, pid);
		if (gv_to_num(used, &v) && v >= 0 && v < 1e15)
			gv_put_num(s->r, p->e, GV_F_PROC_GPU_MEM, v / 1048576, l);
		else
			gv_put_none(s->r, p->e, GV_F_PROC_GPU_MEM, GV_UNKNOWN, "the driver does not tell it here", l);
	}
	p = *slot;
	p->compute |= compute;
	p->graphics |= !compute;
	p->mps |= mps;
	gv_put_str(s->r, p->e, GV_F_PROC_TYPE,
		   p->mps	? GV_STR("M+C")
		   : !p->graphics ? GV_STR("C")
		   : p->compute ? GV_STR("C+G")
				: GV_STR("G"),
		   l);
}

/* ---- the machine ---- */

static void read_node(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	struct gv_entity *node = gv_see_node(s->r);
	gv_str text = gv_said_quoted(said), first = gv_before(text, ".");
	double v;

	if (gv_is(said->call, "nvmlSystemGetDriverVersion") && text.n && text.p[0] >= '0' && text.p[0] <= '9') {
		gv_put_str(s->r, node, GV_F_DRIVER_KERNEL, text, l);
	} else if (gv_is(said->call, "nvmlSystemGetNVMLVersion") && gv_to_num(first, &v)) {
		/* the CUDA generation stands in front of the driver's version */
		gv_put_str(s->r, node, GV_F_DRIVER_USER,
			   first.n <= 2 && first.n < text.n ? gv_from(text, first.n + 1) : text, l);
	} else if (gv_is(said->call, "nvmlSystemGetCudaDriverVersion") &&
		   gv_to_num(value(said, "cudaDriverVersion"), &v)) {
		if (v >= 1000 && v < 100000)
			gv_put_cell(s->r, node, GV_F_DRIVER_CUDA_MAX,
				    gv_fmt(s->r->arena, "%d.%d", (int)v / 1000, (int)v % 1000 / 10), l);
		else
			gv_put_none(s->r, node, GV_F_DRIVER_CUDA_MAX, GV_UNKNOWN, "the number is out of range", l);
	} else if (gv_is(said->call, "nvmlDeviceGetCount") && gv_to_num(value(said, "deviceCount"), &v)) {
		enum gv_fact f = s->r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT;

		if (v >= 0 && v <= 1024)
			gv_put_num(s->r, node, f, v, l);
		else
			gv_put_none(s->r, node, f, GV_UNKNOWN, "the number is out of range", l);
	}
}

static void read_answer(struct state *s, const struct gv_said *said, const struct gv_line *l)
{
	struct gpu *g;

	if (!said->about) {
		read_node(s, said, l);
		return;
	}
	g = gpu_of(s, said->gpu, l);
	if (!g)
		return;
	if (gv_is(said->call, "nvmlDeviceGetPciInfo")) {
		read_pci(s, g, said, l);
		return;
	}
	if (gv_is(said->call, "nvmlDeviceGetMigDeviceHandleByIndex")) {
		if (!g->slices++)
			g->slices_at = l;
		return;
	}
	if (read_link(s, g, said, l))
		return;
	for (size_t i = 0; i < ROWS; i++)
		if (gv_eq(rows[i].call, said->call) && gv_eq(rows[i].args, said->args) &&
		    (!said->tick || rows[i].ticks))
			put(s, g, &rows[i], said, l);
}

static void take_tick(struct state *s, double t)
{
	if (s->sample && t <= s->t)
		return;
	if (!s->sample)
		s->first_t = t;
	s->t = t;
	s->sample++;
}

static void read_line(struct state *s, const struct gv_line *l)
{
	struct gv_said said;

	if (!gv_said_parse(l->text, &said)) {
		if (gv_has(l->text, ": no answer within ") || gv_has(l->text, ": ended the process ("))
			gv_put_str(s->r, gv_see_node(s->r), GV_F_GPU_TOOL_NO_ANSWER, l->text, l);
		return;
	}
	if (said.tick)
		take_tick(s, said.t);
	switch (said.what) {
	case GV_SAID_ANSWER:
		if (said.code == SUCCESS)
			read_answer(s, &said, l);
		else
			read_error(s, &said, l);
		break;
	case GV_SAID_SILENT:
	case GV_SAID_DIED:
		read_no_answer(s, &said, l);
		break;
	case GV_SAID_MISSING:
		read_missing(s, &said, l);
		break;
	case GV_SAID_PROCESS:
		read_process(s, &said, l);
		break;
	case GV_SAID_LOADED:
		s->loaded = true;
		break;
	case GV_SAID_NOT_LOADED:
		s->not_loaded = s->not_loaded ? s->not_loaded : l;
		break;
	default:
		break;
	}
}

/* What an older library lacks, and no other call told. */
static void finish_missing(struct state *s, struct gpu *g)
{
	for (size_t m = 0; m < s->nmissing; m++)
		for (size_t i = 0; i < ROWS; i++)
			if (gv_eq(rows[i].call, s->missing[m].call) && !gv_slot(g->e, rows[i].fact)->n)
				put_no_value(s, g, &rows[i], GV_UNKNOWN, "the driver's library lacks the call",
					     s->missing[m].l);
}

static bool known(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_slot *slot = gv_slot_of(e, f);

	return slot->n && slot->v[slot->n - 1].state == GV_KNOWN;
}

static void finish_gpu(struct state *s, struct gpu *g)
{
	struct gv_read *r = s->r;

	if (g->set_limit_at && !known(g->e, GV_F_GPU_POWER_LIMIT))
		gv_put_num(r, g->e, GV_F_GPU_POWER_LIMIT, g->set_limit, g->set_limit_at);
	if (g->listed >= 0)
		gv_put_flag(r, g->e, GV_F_GPU_PROCESS_LIST, g->listed, g->listed_at);
	if (g->slices)
		gv_put_num(r, g->e, GV_F_GPU_MIG_DEVICES, g->slices, g->slices_at);
	if (g->broken.n)
		gv_put_str(r, g->e, GV_F_GPU_BROKEN, g->broken, g->broken_at);
	else if (g->errors >= ERRORS_OF_THE_GPU)
		gv_put_str(r, g->e, GV_F_GPU_BROKEN, GV_STR("Unknown Error"), g->error_at);
	finish_missing(s, g);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct state state = { .r = r, .procs = { .arena = r->arena } }, *s = &state;

	for (size_t i = 0; i < n; i++)
		read_line(s, &l[i]);
	for (size_t i = 0; i < MAX_GPUS; i++)
		if (s->gpu[i])
			finish_gpu(s, s->gpu[i]);
	if (s->error)
		gv_put_str(r, gv_see_node(r), GV_F_GPU_TOOL_ERROR, s->error->text, s->error);
	if (s->not_loaded && !s->loaded && !r->block->container) /* which may well be without */
		gv_put_str(r, gv_see_node(r), GV_F_GPU_LIBRARY_ABSENT, s->not_loaded->text, s->not_loaded);
}

const struct gv_format gv_format_nvml = {
	.name = "nvml",
	.heads = { "nvmlInit", "nvmlSystemGet", "nvmlDeviceGet", "nvmlShutdown", "dlopen(" },
	.claim = claim,
	.read = read,
};
