/* SPDX-License-Identifier: Apache-2.0 */
/* How loaded the GPUs are. */
#include "check/common_load.h"

#define SAMPLES 4096

enum {
	SERIES = 3,	    /* so many samples make a series */
	LOW_LOOK = 15,	    /* %: the same for a single look, which may fall into any gap */
	DESKTOP_MEAN = 10,  /* %: a compositor makes as much */
	JOB_MEMORY = 1500,  /* MiB: more than a context and the driver's own reserve (hundreds of MiB) */
	BARELY = 3,	    /* %: with the clocks up: something is started now and then */
	WORK_CLOCK = 800,   /* MHz: idle GPUs sit far below */
	VIDEO = 10,	    /* %: its encoders or decoders have a stream or more */
};

/* Video engines are no SMs: what transcodes keeps these busy and hardly any kernel runs. */
static bool video_works(const struct gv_entity *gpu)
{
	return gv_mean(gpu, GV_F_GPU_ENC_UTIL) >= VIDEO || gv_mean(gpu, GV_F_GPU_DEC_UTIL) >= VIDEO;
}

double gv_mean(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_obs *v[SAMPLES];
	size_t n = gv_series(e, f, v, SAMPLES);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i]->num;
	return n ? sum / (double)n : NAN;
}

double gv_flag_share(const struct gv_entity *e, enum gv_fact f)
{
	double m = gv_mean(e, f);

	return isnan(m) ? -1 : m;
}

const struct gv_obs *gv_ever(const struct gv_entity *e, enum gv_fact f, const char *const *words)
{
	const struct gv_slot *s = gv_slot_of(e, f);

	for (size_t i = 0; s && i < s->n; i++)
		for (const char *const *w = words; *w; w++)
			if (s->v[i].state == GV_KNOWN && gv_has_nocase(s->v[i].str, *w))
				return &s->v[i];
	return NULL;
}

bool gv_gpu_serves(const struct gv_run *run, const struct gv_entity *gpu)
{
	/* with those that a person talks to, which have work whenever he types */
	static const char *const engines[] = { "vllm",	       "sglang",    "tritonserver", "text-generation", "trtllm",
					       "ollama",       "lmdeploy",  "llama-server", "llama_server",    "infinity_emb",
					       "tgi",	       "text-embeddings", "uvicorn", "gunicorn",	       "torchserve",
					       "bentoml",      "ray::",	    "llama.cpp",    "koboldcpp",       "comfyui",
					       "whisper",      "ipykernel", "jupyter",	    "streamlit",       "gradio",
					       NULL };

	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));)
		if (gv_ever(p, GV_F_PROC_NAME, engines))
			return true;
	return false;
}

bool gv_obs_in_container(const struct gv_obs *o)
{
	return o && o->block && (o->block->container || (o->block->seg && o->block->seg->container));
}

/* Process 1 of a machine is its init; in a container it is whatever was started. */
bool gv_in_container(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const inits[] = { "init", "systemd", "launchd", "runit", "openrc", NULL };

	for (const struct gv_block *b = NULL; (b = gv_each_block_on(node, b));)
		if (b->container)
			return true;
	for (const struct gv_block *b = NULL; (b = gv_each_block_on(node, b));)
		if (b->doc->look) /* a live look knows its namespaces, and says so */
			return false;
	for (struct gv_entity *p = NULL; (p = gv_each(run, GV_PROC, node, p));)
		if (gv_is(p->id, "1") && gv_text(p, GV_F_PROC_NAME).n && !gv_ever(p, GV_F_PROC_NAME, inits))
			return true;
	return false;
}

/* Memory is held, or a compute process is listed. */
static bool has_job(const struct gv_run *run, const struct gv_entity *gpu)
{
	double used, total;

	if (!gv_gpu_memory_is_hosts(gpu) && gv_num(gpu, GV_F_GPU_MEM_USED, &used) && used > JOB_MEMORY &&
	    (!gv_num(gpu, GV_F_GPU_MEM_TOTAL, &total) || used > total * 0.05))
		return true;
	for (struct gv_entity *p = NULL; (p = gv_each_of(gpu, GV_PROC, p));)
		if (gv_has(gv_text(p, GV_F_PROC_TYPE), "C") && !gv_has(gv_text(p, GV_F_PROC_TYPE), "G"))
			return true;
	return false;
}

static bool clocks_up(const struct gv_entity *gpu)
{
	double sm, max;

	if (!gv_num(gpu, GV_F_GPU_CLK_SM, &sm))
		return true;
	return gv_num(gpu, GV_F_GPU_CLK_MAX_SM, &max) ? sm >= max * 0.5 : sm >= WORK_CLOCK;
}

static bool power_idle(const struct gv_entity *gpu)
{
	double power, limit;

	if (!gv_num(gpu, GV_F_GPU_POWER, &power))
		return true;
	if (!gv_num(gpu, GV_F_GPU_POWER_LIMIT, &limit) && !gv_num(gpu, GV_F_GPU_POWER_DEFAULT, &limit))
		return true;
	return power < limit * 0.35;
}

bool gv_gpu_asleep(const struct gv_entity *gpu)
{
	gv_str p = gv_text(gpu, GV_F_GPU_PSTATE);
	double state;

	return gv_starts(p, "P") && gv_to_num(gv_from(p, 1), &state) && state >= 8;
}

bool gv_gpu_memory_is_hosts(const struct gv_entity *gpu)
{
	static const char *const boards[] = { "GH200", "GB200", "GB300", "GB10", "MI300A", "Orin", "Thor", "Xavier" };
	gv_str name = gv_text(gpu, GV_F_GPU_NAME);

	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
		if (gv_has(name, boards[i]))
			return true;
	return false;
}

struct gv_use gv_gpu_use(const struct gv_run *run, const struct gv_entity *gpu)
{
	struct gv_use u = { GV_LOAD_UNKNOWN, false, NAN, GV_F_GPU_SM_UTIL };
	size_t n = gv_series(gpu, u.fact, NULL, 0);
	double top;
	bool job;

	if (!n) {
		u.fact = GV_F_GPU_UTIL;
		n = gv_series(gpu, u.fact, NULL, 0);
	}
	if (!n)
		return u;
	u.series = n >= SERIES;
	u.busy = gv_mean(gpu, u.fact);
	top = gv_series_quantile(gpu, u.fact, 1.0);
	job = has_job(run, gpu);
	if (u.busy >= gv_threshold(run, GV_T_GPU_FULL)) {
		u.load = GV_LOAD_FULL;
	} else if (u.series && u.busy <= gv_threshold(run, GV_T_GPU_WAITS)) {
		/* memory that is held while nothing ever runs: a service without requests, a notebook, a job that hangs */
		bool works = (job && top >= BARELY) || top >= 20 || (top >= DESKTOP_MEAN / 2 && clocks_up(gpu));

		/* clocks that are up without work, behind something that is at its end */
		works |= top >= 1 && gv_obs(gpu, GV_F_GPU_CLK_SM) && clocks_up(gpu) && gv_feed_limited(run, gpu->node);
		if (gv_flag(gpu, GV_F_GPU_DISPLAY) && !job && u.busy < DESKTOP_MEAN)
			works = false;
		u.load = works ? GV_LOAD_LOW : GV_LOAD_IDLE;
	} else if (!u.series && u.busy <= LOW_LOOK) {
		job |= u.busy >= BARELY && gv_obs(gpu, GV_F_GPU_CLK_SM) && clocks_up(gpu);
		u.load = !job || gv_gpu_asleep(gpu) ? GV_LOAD_IDLE : power_idle(gpu) ? GV_LOAD_LOW : GV_LOAD_PART;
	} else {
		u.load = GV_LOAD_PART;
	}
	if (u.load < GV_LOAD_PART && video_works(gpu))
		u.load = GV_LOAD_PART;
	return u;
}

/* The whole bus was listed, and no GPU is on it: nothing there waits to be fed. */
static bool without_gpu(const struct gv_run *run, const struct gv_entity *node)
{
	double n;

	return gv_num(node, GV_F_GPU_ON_BUS, &n) && n == 0 && !gv_count(run, GV_GPU, node) && !gv_in_container(run, node);
}

enum gv_load gv_node_use(const struct gv_run *run, const struct gv_entity *node)
{
	size_t known = 0, full = 0, part = 0, low = 0;

	for (struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, node, g));) {
		enum gv_load l = gv_gpu_use(run, g).load;

		known += l != GV_LOAD_UNKNOWN;
		full += l == GV_LOAD_FULL;
		part += l == GV_LOAD_PART;
		low += l == GV_LOAD_LOW;
	}
	if (!known)
		return without_gpu(run, node) ? GV_LOAD_IDLE : GV_LOAD_UNKNOWN;
	return low ? GV_LOAD_LOW : part ? GV_LOAD_PART : full ? GV_LOAD_FULL : GV_LOAD_IDLE;
}
