/* SPDX-License-Identifier: Apache-2.0 */
/* A key for what a compiler keeps, from exactly those properties of a machine on which that depends
 * (data/cache-keys.tsv), and whether what it kept fits a machine. What is not known is never part of a key: there is
 * none then. */
#pragma once

#include "core/run.h"
#include "inspect/inventory.h"

/* Rises when the same machine would get another key: with the properties of a cache, or how they are written. */
#define GV_CACHE_SCHEME 1

struct gv_cache_set {
	gv_str name, value, from;
};

/* Whose properties they are. */
struct gv_machine {
	struct gv_arena *arena;
	const struct gv_run *run;	 /* NULL: nothing was read */
	const struct gv_entity *node;	 /* NULL: no machine is in what was read */
	const struct gv_entity *gpu;	 /* the one that was asked for; NULL: all of the node must agree */
	GV_VEC(struct gv_cache_set) set; /* stated: goes before what was read */
};

/* A property as the machine has it. */
struct gv_cache_prop {
	gv_str name;
	gv_str value;	      /* empty: not known */
	gv_str from;	      /* "nvidia-smi.txt:10", "--set" */
	gv_str why;	      /* it is not known */
	gv_str how;	      /* to get it */
	gv_str source, basis; /* why the cache depends on it */
};

struct gv_cache_key {
	gv_str cache;
	GV_VEC(struct gv_cache_prop) props;
	size_t unknown; /* of them */
	gv_str key;	/* empty where one is unknown */
};

/* The machine of what was read: -EINVAL and why in err where there are several of them and `node` names none, or no GPU
 * is `gpu` (its number, bus id or UUID). Both may be empty. */
int gv_machine_of(struct gv_machine *m, const struct gv_run *run, gv_str node, gv_str gpu, struct gv_buf *err);
/* What is stated goes before what is read, and what is stated later before what was stated first. -EINVAL and why in
 * err: no cache depends on such a property, or this is no value for it. */
int gv_machine_state(struct gv_machine *m, gv_str name, gv_str value, gv_str from, struct gv_buf *err);
/* "triton=3.1.0" */
int gv_machine_set(struct gv_machine *m, gv_str assignment, const char *from, struct gv_buf *err);

/* Versions of the libraries on which a cache depends, or any where it is empty, by the Python packages that are in
 * there. -EINVAL where one of them is there in two versions. */
int gv_machine_packages(struct gv_machine *m, const struct gv_inventory *inv, gv_str cache, struct gv_buf *err);

/* Names of the caches with their number, NULL behind the last. */
#define GV_CACHES_MAX 32
size_t gv_cache_names(const char *ret[GV_CACHES_MAX]);
/* 0; -EINVAL and why in err where there is no such cache, or it is not of this machine's GPUs. */
int gv_cache_key(const struct gv_machine *m, gv_str cache, struct gv_cache_key *ret, struct gv_buf *err);

/* An engine or cache against a machine. */
struct gv_cache_fit {
	const struct gv_file *file;
	const struct gv_artefact *artefact;
	int fits;    /* 1, 0, or -1: cannot be told */
	bool beside; /* does not fit, and need not: the cache keeps entries for several devices, and some are for this
			one */
	gv_str why;
};
typedef GV_VEC(struct gv_cache_fit) gv_cache_fits;
/* All of the inventory, or those of one cache. */
void gv_cache_check(const struct gv_machine *m, const struct gv_inventory *inv, gv_str cache, gv_cache_fits *ret);
