/* SPDX-License-Identifier: Apache-2.0 */
/* What several checks of the stages `busy` and `fed` ask alike: how loaded a GPU is, and what keeps a node from feeding
 * its GPUs. All answers rest on facts; none makes a finding. */
#pragma once

#include "check/common.h"

enum gv_load {
	GV_LOAD_UNKNOWN,
	GV_LOAD_IDLE, /* no job is seen on it */
	GV_LOAD_LOW,  /* a job is there and the GPU mostly waits */
	GV_LOAD_PART,
	GV_LOAD_FULL,
};

struct gv_use {
	enum gv_load load;
	bool series;	  /* from several samples, not from one look */
	double busy;	  /* mean of the utilisation; NaN where unknown */
	enum gv_fact fact; /* it was read from: GPU_SM_UTIL or GPU_UTIL */
};

struct gv_use gv_gpu_use(const struct gv_run *run, const struct gv_entity *gpu);
/* In a performance state in which nothing has run for seconds. */
bool gv_gpu_asleep(const struct gv_entity *gpu);
/* The GPU's memory is a NUMA node of the machine, or a part of its memory: the kernel's own pages may lie in it. */
bool gv_gpu_memory_is_hosts(const struct gv_entity *gpu);
/* All GPUs of the node together: LOW where one waits, FULL where all that work are full, IDLE where none has a job, or there
 * is none. */
enum gv_load gv_node_use(const struct gv_run *run, const struct gv_entity *node);

/* Mean of the samples of the latest look; NaN where there is none. */
double gv_mean(const struct gv_entity *e, enum gv_fact f);
/* Share of the samples of the latest look in which a flag was set: 0..1; -1 where none is known. */
double gv_flag_share(const struct gv_entity *e, enum gv_fact f);

/* A process on this GPU belongs to a serving engine: it waits for requests, and reserves memory by design. */
bool gv_gpu_serves(const struct gv_run *run, const struct gv_entity *gpu);
/* Some observation of a text fact is one of these (NULL ends the list); the observation, or NULL. */
const struct gv_obs *gv_ever(const struct gv_entity *e, enum gv_fact f, const char *const *words);
/* The outputs about this node were taken inside a container: what they do not list may still be there. */
bool gv_in_container(const struct gv_run *run, const struct gv_entity *node);
bool gv_obs_in_container(const struct gv_obs *o);

enum gv_disk_class { GV_DISK_OTHER, GV_DISK_NVME, GV_DISK_SPINDLE /* or not known to be none */, GV_DISK_LAYER };

struct gv_disk {
	enum gv_disk_class class;
	double util, aqu, await, rate; /* %, requests, ms, requests/s; NaN where unknown */
	double rkb, wkb;	       /* kB/s; NaN where unknown */
	size_t samples;
	bool since_boot; /* the average since boot, or not known to be none */
};

void gv_disk_read(const struct gv_entity *disk, struct gv_disk *ret);
bool gv_disk_saturated(const struct gv_run *run, const struct gv_disk *d);

/* What the site states that its jobs need of their input, in B/s; 0 where it states nothing. */
double gv_need(const struct gv_run *run);
void gv_set_rate(struct gv_judge *j, struct gv_finding *f, const char *name, double bytes_per_s);

/* The best rate at which the node was seen to read: in a test, or from a disk. */
struct gv_reads {
	double rate; /* B/s; 0 where none was seen */
	const struct gv_entity *on;
	struct gv_place at;
	bool proves; /* a test that asked for all there is: large requests */
};

void gv_reads_of(const struct gv_run *run, const struct gv_entity *node, struct gv_reads *ret);
/* A need is stated, and the node was seen to read as fast. */
bool gv_need_met(const struct gv_run *run, const struct gv_entity *node, struct gv_reads *ret);

struct gv_swap {
	double in, out; /* kB/s, medians */
	double used;	/* kB; NaN where unknown */
	size_t samples;
};

/* Pages come in and go out all the time while swap is in use. */
bool gv_swap_thrashes(const struct gv_run *run, const struct gv_entity *node, struct gv_swap *ret);

struct gv_cores {
	size_t known, hot;	      /* CPUs with times, and those of them at their end */
	const struct gv_entity *top;  /* the busiest */
	double top_busy, top_soft;    /* %, of it */
	double idle;		      /* %, of the whole node; NaN where unknown */
};

void gv_cores_read(const struct gv_run *run, const struct gv_entity *node, struct gv_cores *ret);
bool gv_cores_hot(const struct gv_cores *c); /* one or few at their end while the others idle */

/* Share of the step that a job says it waits for data: 0..1; NaN where it says nothing. */
double gv_data_share(const struct gv_entity *node);
/* Something that feeds the GPUs of this node is seen at its end. */
bool gv_feed_limited(const struct gv_run *run, const struct gv_entity *node);
