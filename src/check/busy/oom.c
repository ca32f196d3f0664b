/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory that ran out: too large a job, memory in pieces, or another process. The numbers in PyTorch's message decide;
 * where a message has none it is taken as too large a job. */
#include "check/common_load.h"

#define CONTEXT 2048.0 /* MiB: what a process takes besides its allocator (context, kernels, NCCL buffers) */
#define OTHERS 0.1    /* of the GPU: less is context and reserve of the driver */

struct sizes { /* MiB; NaN where unknown */
	double asked, total, left, allocated, unused, others;
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

/* Sum of "Process N has X in use" without the process that failed: its own entry is as large as what it says of itself. */
static double other_processes(gv_str text, double own)
{
	double sum = 0;
	bool self = false;

	for (gv_str at = gv_after(text, "Process "); at.n; at = gv_after(at, "Process ")) {
		double size = size_of(gv_trim(gv_after(at, " has ")));

		if (isnan(size))
			break;
		if (!self && size >= own && size <= own + CONTEXT) {
			self = true;
			continue;
		}
		sum += size;
	}
	return sum;
}

static bool read_new(const struct gv_event *ev, struct sizes *s)
{
	double mine;

	s->asked = size_of(ev->cap[1]);
	s->total = size_of(ev->cap[2]);
	s->left = size_of(ev->cap[3]);
	s->allocated = size_of(ev->cap[5]);
	s->unused = size_of(ev->cap[7]);
	mine = size_of(gv_trim(gv_after(ev->cap[4], "this process has")));
	if (gv_has(ev->cap[4], "Process "))
		s->others = other_processes(ev->cap[4], isnan(mine) ? s->allocated + s->unused : mine);
	else
		s->others = s->total - s->left - (isnan(mine) ? s->allocated + s->unused + CONTEXT : mine);
	return !isnan(s->asked) && !isnan(s->total) && !isnan(s->left) && !isnan(s->allocated) && !isnan(s->unused);
}

static bool read_old(const struct gv_event *ev, struct sizes *s)
{
	double reserved = size_of(ev->cap[5]);

	s->asked = size_of(ev->cap[1]);
	s->total = size_of(ev->cap[2]);
	s->allocated = size_of(ev->cap[3]);
	s->left = size_of(ev->cap[4]);
	s->unused = reserved - s->allocated;
	s->others = s->total - s->left - reserved - CONTEXT;
	return !isnan(s->asked) && !isnan(s->total) && !isnan(s->left) && !isnan(s->allocated) && !isnan(reserved);
}

static enum gv_kind kind_of(const struct sizes *s)
{
	if (s->asked > s->total)
		return GV_K_OOM_CAPACITY;
	if (s->unused >= s->asked)
		return GV_K_OOM_FRAGMENTATION;
	/* without the others it would have fitted */
	if (s->others >= s->total * OTHERS && s->asked <= s->left + s->unused + s->others)
		return GV_K_OOM_NEIGHBOUR;
	return GV_K_OOM_CAPACITY;
}

static void set_size(struct gv_judge *j, struct gv_finding *f, const char *name, double mib)
{
	if (mib >= 1024)
		gv_set(j, f, name, "%.1f GiB", mib / 1024);
	else if (mib >= 0)
		gv_set(j, f, name, "%.0f MiB", mib);
}

static bool by_sizes(struct gv_judge *j, const struct gv_entity *node, const char *sig, bool old)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sig, node, ev));) {
		struct sizes s;
		struct gv_finding *f;

		if (old ? !read_old(ev, &s) : !read_new(ev, &s))
			continue;
		f = gv_found_event(j, kind_of(&s), ev);
		set_size(j, f, "asked", s.asked);
		set_size(j, f, "total", s.total);
		set_size(j, f, "free", s.left);
		set_size(j, f, "own", s.allocated);
		set_size(j, f, "unused", s.unused);
		set_size(j, f, "others", s.others);
		any = true;
	}
	return any;
}

/* The same line as an event with sizes. */
static bool has_sizes(const struct gv_run *run, const struct gv_event *ev)
{
	static const char *const sized[] = { "torch-oom-sizes", "torch-oom-sizes-old" };

	for (size_t i = 0; i < 2; i++)
		for (struct gv_event *o = NULL; (o = gv_each_event(run, sized[i], ev->node, o));)
			if (o->doc == ev->doc)
				return true;
	return false;
}

/* A handle of cuBLAS that cannot be made is most often full memory, but not for sure. */
static bool sure(const struct gv_event *ev)
{
	return !gv_is(ev->sig->id, "cublas-init") || gv_is(ev->cap[1], "ALLOC_FAILED");
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_sizes(j, node, "torch-oom-sizes", false) | by_sizes(j, node, "torch-oom-sizes-old", true);

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_OOM_CAPACITY, node, ev));) {
		if (has_sizes(j->run, ev) || !sure(ev))
			continue;
		gv_found_event(j, GV_K_OOM_CAPACITY, ev)->confidence = GV_MEDIUM;
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
