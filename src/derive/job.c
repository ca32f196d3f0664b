/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of work the machine does, from the programs that hold its GPUs and the logs of the job. */
#include "derive/derive.h"

static const char *const servers[] = { "tritonserver", "vllm",	   "VLLM::", "sglang",	"text-generation", "ollama",
				       "llama-server", "torchserve", "lmdeploy", "trtllm", NULL };
static const char *const trainers[] = { "torchrun", "deepspeed", "accelerate", "pt_main_thread", "horovodrun", NULL };
/* Signatures that only such a job prints. */
static const char *const serving_logs[] = { "vllm-", "trt-", "triton-queue", NULL };
static const char *const training_logs[] = { "nccl-watchdog", "dataloader", "worker-killed", "shm-bus", NULL };

static bool any_in(gv_str s, const char *const *words)
{
	for (; *words; words++)
		if (gv_has(s, *words))
			return true;
	return false;
}

static bool any_start(gv_str s, const char *const *words)
{
	for (; *words; words++)
		if (gv_starts(s, *words))
			return true;
	return false;
}

void gv_derive_job(struct gv_run *run)
{
	size_t serving = 0, training = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PROC, NULL, e));) {
		gv_str name = gv_text(e, GV_F_PROC_NAME);

		serving += any_in(name, servers);
		training += any_in(name, trainers);
	}
	for (size_t i = 0; i < run->events.n; i++) {
		serving += any_start(run->events.v[i]->sig->id, serving_logs);
		training += any_start(run->events.v[i]->sig->id, training_logs);
	}
	if (serving && !training)
		run->workload = "serving";
	else if (training && !serving)
		run->workload = "training";
}
