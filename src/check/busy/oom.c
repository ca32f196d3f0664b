/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory that ran out: too large a job, memory in pieces, or another process. The numbers in PyTorch's message decide;
 * where a message has none it is taken as too large a job. */
#include "check/common_load.h"

#define CONTEXT 2048.0 /* MiB: what a process takes besides its allocator (context, kernels, NCCL buffers) */
#define MOSTLY_OTHERS 0.25 /* of the GPU */
#define OTHERS 0.1    /* of the GPU: less is context and reserve of the driver */

struct sizes { /* MiB; NaN where unknown */
	double asked, total, left, allocated, unused, others;
	bool at_least; /* others is what is left over, less what a process may take besides its allocator */
};

/* "6.64 GiB", "0 bytes" to MiB. */
static double size_of(gv_str s)
{
	static const struct {
		const char *unit;
		double mib;
	} units[] = { { "GiB", 1024 }, { "MiB", 1 }, { "KiB", 1 / 1024.0 }, { "TiB", 1024 * 1024 }, { "bytes", 1 / 1048576.0 } };
	gv_str rest;
	double v;

	if (!gv_lead_num(s, &v, &rest))
		return NAN;
	rest = gv_trim(rest);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (gv_starts(rest, units[i].unit))
			return v * units[i].mib;
	return NAN;
}

/* What other processes hold by the same line ("Process N has X in use"), without the one that failed: its own entry is as
 * large as what it says of itself. NaN where the line names none. */
static double other_processes(const struct gv_run *run, const struct gv_event *ev, double own)
{
	double sum = NAN;
	bool self = false;

	for (struct gv_event *o = NULL; (o = gv_each_event(run, "torch-oom-neighbour", ev->node, o));) {
		double size = size_of(o->cap[2]);

		if (o->doc != ev->doc || o->first.line != ev->first.line || isnan(size))
			continue;
		if (isnan(sum))
			sum = 0;
		if (!self && size >= own * 0.99 && size <= own + CONTEXT)
			self = true;
		else
			sum += size;
	}
	return sum;
}

/* The sizes of the text that PyTorch 2.1 and later prints. */
static bool read_new(const struct gv_run *run, const struct gv_event *ev, struct sizes *s)
{
	double mine = size_of(ev->cap[5]), own;

	s->asked = size_of(ev->cap[1]);
	s->total = size_of(ev->cap[3]);
	s->left = size_of(ev->cap[4]);
	s->allocated = size_of(ev->cap[6]);
	s->unused = size_of(ev->cap[7]);
	if (isnan(s->asked) || isnan(s->total) || isnan(s->left) || (isnan(mine) && isnan(s->allocated)))
		return false;
	own = isnan(mine) ? s->allocated + (isnan(s->unused) ? 0 : s->unused) : mine;
	s->others = other_processes(run, ev, own);
	s->at_least = isnan(s->others) && isnan(mine);
	if (isnan(s->others))
		s->others = s->total - s->left - own - (s->at_least ? CONTEXT : 0);
	return true;
}

/* The text before 2.1. */
static bool read_old(const struct gv_event *ev, struct sizes *s)
{
	double reserved = size_of(ev->cap[6]);

	s->asked = size_of(ev->cap[1]);
	s->total = size_of(ev->cap[3]);
	s->allocated = size_of(ev->cap[4]);
	s->left = size_of(ev->cap[5]);
	s->unused = reserved - s->allocated;
	s->others = s->total - s->left - reserved - CONTEXT;
	s->at_least = true;
	return !isnan(s->asked) && !isnan(s->total) && !isnan(s->left) && !isnan(s->unused);
}

static enum gv_kind kind_of(const struct sizes *s)
{
	if (s->asked > s->total)
		return GV_K_OOM_CAPACITY;
	/* others hold far more than lies in pieces: that is what is missing */
	if (s->others >= s->total * MOSTLY_OTHERS && !isnan(s->unused) && s->others > s->unused * 4)
		return GV_K_OOM_NEIGHBOUR;
	if (!isnan(s->unused) && s->unused >= s->asked)
		return GV_K_OOM_FRAGMENTATION;
	/* without the others it would have fitted */
	if (s->others >= s->total * OTHERS && s->asked <= s->left + s->others)
		return GV_K_OOM_NEIGHBOUR;
	return GV_K_OOM_CAPACITY;
}

static void set_said(struct gv_judge *j, struct gv_finding *f, const char *name, const char *before, double mib)
{
	if (mib >= 1024)
		gv_set(j, f, name, "%s%.1f GiB", before, mib / 1024);
	else if (mib >= 0)
		gv_set(j, f, name, "%s%.0f MiB", before, mib);
}

static void set_size(struct gv_judge *j, struct gv_finding *f, const char *name, double mib)
{
	set_said(j, f, name, "", mib);
}

/* The job went on after its last such line, and had not begun before the first one: it looked for the size that fits. */
static void survived(struct gv_judge *j, struct gv_finding *f, const struct gv_event *oom)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "job-progress", oom->node, ev));) {
		if (ev->doc != oom->doc || ev->first.line < oom->first.line || ev->last.line <= oom->last.line)
			continue;
		f->severity = GV_NOTE;
		gv_set(j, f, "survived", "the job went on");
		gv_quote(f, ev->last);
	}
}

static bool by_sizes(struct gv_judge *j, const struct gv_entity *node, const char *sig, bool old)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sig, node, ev));) {
		struct sizes s = { .at_least = false };
		struct gv_finding *f;

		if (old ? !read_old(ev, &s) : !read_new(j->run, ev, &s))
			continue;
		f = gv_found_event(j, kind_of(&s), ev);
		gv_set_str(j, f, "gpu", ev->cap[2]);
		set_size(j, f, "asked", s.asked);
		set_size(j, f, "total", s.total);
		set_size(j, f, "free", s.left);
		set_size(j, f, "own", s.allocated);
		set_size(j, f, "unused", s.unused);
		set_said(j, f, "others", s.at_least ? "at least " : "", s.others);
		survived(j, f, ev);
		any = true;
	}
	return any;
}

/* vLLM refuses to start: less is free than the share of the GPU that it is told to take. It has nothing on it yet. */
static bool by_vllm(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "vllm-free-memory", node, ev));) {
		struct sizes s = { .allocated = NAN, .unused = NAN };
		struct gv_finding *f;

		if (!gv_to_num(ev->cap[1], &s.left) || !gv_to_num(ev->cap[2], &s.total) || !gv_to_num(ev->cap[4], &s.asked))
			continue;
		s.left *= 1024;
		s.total *= 1024;
		s.asked *= 1024;
		s.others = s.total - s.left - CONTEXT;
		f = gv_found_event(j, kind_of(&s), ev);
		set_size(j, f, "asked", s.asked);
		set_size(j, f, "total", s.total);
		set_size(j, f, "free", s.left);
		set_size(j, f, "others", s.others);
		any = true;
	}
	return any;
}

/* The same line as an event with sizes. */
static bool has_sizes(const struct gv_run *run, const struct gv_event *ev)
{
	static const char *const sized[] = { "torch-oom-sizes", "torch1-oom-sizes" };

	for (size_t i = 0; i < 2; i++)
		for (struct gv_event *o = NULL; (o = gv_each_event(run, sized[i], ev->node, o));)
			if (o->doc == ev->doc)
				return true;
	return false;
}

/* A GPU with an uncorrectable error refuses every allocation with the same words as a full one. */
static bool sick_gpu(const struct gv_run *run, const struct gv_entity *node)
{
	double n;

	for (struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, node, g));)
		if ((gv_num(g, GV_F_GPU_ECC_UNC, &n) && n > 0) || gv_flag(g, GV_F_GPU_RESET_REQUIRED) ||
		    gv_flag(g, GV_F_GPU_REMAP_PENDING) || gv_flag(g, GV_F_GPU_REMAP_FAILED))
			return true;
	return false;
}

/* A handle of cuBLAS that cannot be made is most often full memory, but not for sure. */
static bool sure(const struct gv_run *run, const struct gv_event *ev)
{
	if (gv_is(ev->sig->id, "cublas-init"))
		return gv_is(ev->cap[1], "ALLOC_FAILED");
	return !gv_is(ev->sig->id, "cuda-oom-plain") || !sick_gpu(run, ev->node);
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_sizes(j, node, "torch-oom-sizes", false);

	any |= by_sizes(j, node, "torch1-oom-sizes", true);
	any |= by_vllm(j, node);

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_OOM_CAPACITY, node, ev));) {
		struct gv_finding *f;

		if (has_sizes(j->run, ev) || !sure(j->run, ev))
			continue;
		f = gv_found_event(j, GV_K_OOM_CAPACITY, ev);
		f->confidence = GV_MEDIUM;
		survived(j, f, ev);
		any = true;
	}
	return any ? GV_FOUND : gv_has_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_oom = {
	.id = "oom",
	.stage = GV_STAGE_BUSY,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
