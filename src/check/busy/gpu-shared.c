/* SPDX-License-Identifier: Apache-2.0 */
/* Several compute processes on one GPU, without a partition. */
#include "check/common_load.h"

enum {
	SMALL = 600, /* MiB: a bare context, such as each rank opens on GPU 0 by mistake, or a desktop program */
	QUOTED = 4,
	CALM = 30, /* %: with the GPU used less than this they hardly meet */
	RESTS = 5, /* %: less of the time than that is nothing that another would feel */
	LISTS = 16, /* that are told apart */
	PID_STEP = 4, /* between processes of one launcher: their threads and shells take some */
};

#define LITTLE 0.02 /* of the memory: a context and some buffers, whatever runs in it hardly counts on a GPU of that size */
#define ROOM 0.8 /* of the memory: below it there is room for all of them */

/* Who shares by design: MPS (type M+C, and its server), the stubs of one Triton server. */
static bool by_design(const struct gv_entity *p)
{
	static const char *const names[] = { "nvidia-cuda-mps", "triton_python_backend_stub", NULL };

	return gv_has(gv_text(p, GV_F_PROC_TYPE), "M") || gv_ever(p, GV_F_PROC_NAME, names);
}

/* Under Windows' display driver model every program with a window is listed, and none with its memory. */
static bool on_windows(const struct gv_entity *p)
{
	gv_str name = gv_text(p, GV_F_PROC_NAME);

	return gv_has(name, "\\") || gv_ends(name, ".exe");
}

/* The memory from which a process counts, in MiB. */
static double least(const struct gv_entity *gpu)
{
	size_t row = gv_gpu_spec(gv_text(gpu, GV_F_GPU_NAME));
	double total = 0, gib;

	if (!gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) && row != SIZE_MAX && gv_cell_num(gv_table("gpu-specs"), row, "mem_gib", &gib))
		total = gib * 1024;
	return total * LITTLE > SMALL ? total * LITTLE : SMALL;
}

static size_t samples(const struct gv_entity *p)
{
	return gv_series(p, GV_F_PROC_SM_UTIL, NULL, 0);
}

/* Of the process that has most. */
static size_t most_samples(const struct gv_entity *gpu)
{
	size_t most = 0;

	for (struct gv_entity *o = NULL; (o = gv_each_of(gpu, GV_PROC, o));)
		most = samples(o) > most ? samples(o) : most;
	return most;
}

/* pmon lists it, and it hardly ran anything beside another that did. Samples in which it ran nothing have no value. */
static bool rests(const struct gv_entity *p, size_t most)
{
	double mean = gv_mean(p, GV_F_PROC_SM_UTIL), part = 0;

	if (!most || !gv_slot_of(p, GV_F_PROC_SM_UTIL)->n)
		return false;
	if (!isnan(mean))
		part = mean * (double)samples(p) / (double)most;
	return part < RESTS && most > samples(p);
}

/* Counts as a compute process of its own. */
static bool computes(const struct gv_entity *p, size_t most, double from)
{
	gv_str type = gv_text(p, GV_F_PROC_TYPE);
	double mem;

	if (rests(p, most) || gv_has(type, "G") || gv_starts(gv_text(p, GV_F_PROC_STATE), "Z"))
		return false;
	if (!type.n && !gv_obs(p, GV_F_PROC_GPU_MEM) && !gv_obs(p, GV_F_PROC_NAME)) /* a number in a cut list, no more */
		return false;
	return gv_num(p, GV_F_PROC_GPU_MEM, &mem) ? mem >= from : !on_windows(p);
}

/* It is known that the GPU has work and memory to spare: nobody waits for another. */
static bool room_for_all(const struct gv_run *run, const struct gv_entity *gpu)
{
	double busy = gv_gpu_use(run, gpu).busy, used, total;

	return busy < CALM && gv_num(gpu, GV_F_GPU_MEM_USED, &used) && gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) &&
	       used < total * ROOM;
}

/* Their kernels by pmon's word: what transcodes runs hardly any. */
static bool kernels_few(const struct gv_entity *const *who, size_t n)
{
	double sum = 0, sm;

	for (size_t i = 0; i < n; i++) {
		sm = gv_mean(who[i], GV_F_PROC_SM_UTIL);
		if (isnan(sm))
			return false;
		sum += sm;
	}
	return n && sum < CALM;
}

/* Some list names the process. */
static bool in_list(const struct gv_entity *p, const struct gv_block *list)
{
	static const enum gv_fact facts[] = { GV_F_PROC_TYPE, GV_F_PROC_GPU_MEM, GV_F_PROC_NAME };

	for (size_t k = 0; k < sizeof(facts) / sizeof(facts[0]); k++) {
		const struct gv_slot *s = gv_slot_of(p, facts[k]);

		for (size_t i = 0; s && i < s->n; i++)
			if (s->v[i].block == list)
				return true;
	}
	return false;
}

/* The compute processes of the list that names most of them. Two lists of two moments name a job and the one after it. */
static size_t together(const struct gv_entity *gpu, const struct gv_entity **who)
{
	const struct gv_block *seen[LISTS];
	size_t lists = 0, most = 0, listed = most_samples(gpu);
	double from = least(gpu);

	for (struct gv_entity *q = NULL; (q = gv_each_of(gpu, GV_PROC, q)) && lists < LISTS;) {
		const struct gv_obs *o = gv_obs(q, GV_F_PROC_TYPE);
		const struct gv_entity *named[QUOTED];
		size_t n = 0;
		bool again = false;

		o = o ? o : gv_obs(q, GV_F_PROC_GPU_MEM);
		o = o ? o : gv_obs(q, GV_F_PROC_NAME);
		for (size_t i = 0; o && i < lists; i++)
			again |= seen[i] == o->block;
		if (!o || !o->block || again)
			continue;
		seen[lists++] = o->block;
		for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));) {
			if (!computes(p, listed, from) || !in_list(p, o->block))
				continue;
			if (n < QUOTED)
				named[n] = p;
			n++;
		}
		if (n <= most)
			continue;
		most = n;
		for (size_t i = 0; i < n && i < QUOTED; i++)
			who[i] = named[i];
	}
	return most;
}

#define ALIKE 0.05 /* of the memory: ranks hold the same, but for what their part of the work differs */

/* Started in one breath, from one program, with the same memory: ranks that a launcher put on one GPU. */
static bool ranks(const struct gv_entity *const *who, size_t n)
{
	uint64_t pid, low = UINT64_MAX, high = 0;
	double mem, least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!gv_text(who[0], GV_F_PROC_NAME).n || !gv_eq(gv_text(who[i], GV_F_PROC_NAME), gv_text(who[0], GV_F_PROC_NAME)) ||
		    !gv_to_u64(who[i]->id, &pid) || !gv_num(who[i], GV_F_PROC_GPU_MEM, &mem))
			return false;
		low = pid < low ? pid : low;
		high = pid > high ? pid : high;
		least = mem < least ? mem : least;
		most = mem > most ? mem : most;
	}
	return n && high - low <= PID_STEP * (n - 1) && most - least <= most * ALIKE;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_entity *who[QUOTED];
	struct gv_finding *f;
	size_t n, listed = 0;
	double used = NAN;

	if (gv_starts(gv_text(gpu, GV_F_GPU_MIG), "Enabled"))
		return GV_NA;
	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));) {
		listed++;
		if (by_design(p))
			return GV_PASS;
	}
	n = together(gpu, who);
	if (n < 2)
		return listed || gv_obs(gpu, GV_F_GPU_PROCESS_LIST) ? GV_PASS : GV_NODATA;
	f = gv_found(j, GV_K_GPU_SHARED, gpu);
	gv_set_num(j, f, "count", (double)n);
	if (room_for_all(j->run, gpu) || kernels_few(who, n < QUOTED ? n : QUOTED))
		f->severity = GV_NOTE;
	if (ranks(who, n < QUOTED ? n : QUOTED)) {
		f->severity = GV_NOTE;
		gv_set(j, f, "ranks", "they look like ranks of one job");
	}
	if (gv_num(gpu, GV_F_GPU_MEM_USED, &used))
		gv_set_num(j, f, "used", used);
	for (size_t i = 0; i < n && i < QUOTED; i++) {
		gv_quote_fact(f, who[i], GV_F_PROC_GPU_MEM);
		gv_quote_fact(f, who[i], GV_F_PROC_TYPE);
		gv_quote_fact(f, who[i], GV_F_PROC_NAME);
	}
	gv_set(j, f, "pids", "%.*s and %.*s%s", GV_ARG(who[0]->id), GV_ARG(who[1]->id), n > 2 ? " among them" : "");
	return GV_FOUND;
}

const struct gv_check gv_check_gpu_shared = {
	.id = "gpu-shared",
	.stage = GV_STAGE_BUSY,
	.over = GV_GPU,
	.needs = { GV_FACTS },
	.run = run,
};
