/* SPDX-License-Identifier: Apache-2.0 */
/* What an inventory means for a machine: a target, and whether what is in the inventory runs on it. */
#pragma once

#include "inspect/inventory.h"

#define GV_TARGET_BYTES ((size_t)1 << 20)
#define GV_TARGET_LIBRARIES 10000

/* A machine, or what is known of one. */
struct gv_target {
	gv_str name;		  /* as it is told */
	gv_str device;		  /* product, where stated */
	unsigned vendor;	  /* GV_NVIDIA, ...; 0: not stated */
	bool cpu;		  /* has no GPU */
	unsigned sm;		  /* NVIDIA: compute capability, 90 for 9.0; 0 not stated */
	gv_str gfx;		  /* AMD: "gfx90a", perhaps with ":sramecc+:xnack-" */
	gv_str xe;		  /* Intel: "pvc", "dg2-g10" */
	gv_str driver;		  /* "550.54.15" */
	unsigned cuda;		  /* that this driver offers, 1204; 0 not known */
	unsigned toolkit;	  /* on the host, 1204 of CUDA, 602 of ROCm; 0 none stated */
	GV_VEC(gv_str) libraries; /* on the host, by SONAME */
	bool host;		  /* toolkit or libraries are stated: what is not among them is not on the host */
	gv_str unknown;		  /* why nothing can be said of it; empty: something can */
};

/* A word: sm_90, gfx942, a product, a backend, a driver's version; several with commas. 0, or -EINVAL and why in err.
 */
int gv_target_word(struct gv_arena *a, gv_str word, struct gv_target *ret, struct gv_buf *err);
/* A file. 0; -EINVAL with "name:line: what is wrong" in err, -ENOTSUP where the build reads no YAML. */
int gv_target_read(struct gv_arena *a, gv_str name, gv_str bytes, struct gv_target *ret, struct gv_buf *err);
/* The device of a target by its name or architecture: -EINVAL and why in err. For those who know a target otherwise. */
int gv_target_device(struct gv_arena *a, gv_str text, struct gv_target *t, struct gv_buf *err);
void gv_target_driver(struct gv_target *t, gv_str version);
/* "sm_90", "gfx942", "pvc"; empty where it is not stated. */
gv_str gv_target_arch(struct gv_arena *a, const struct gv_target *t);
/* "NVIDIA H100 80GB HBM3 (sm_90), driver 550.54.15". */
gv_str gv_target_text(struct gv_arena *a, const struct gv_target *t);

/* How it fits; of several the greatest counts, where all are needed. */
enum gv_fit {
	GV_FIT_NONE,   /* nothing for a GPU */
	GV_FIT_NATIVE, /* machine code for this device */
	GV_FIT_JIT,    /* the driver compiles it */
	GV_FIT_UNKNOWN,
	GV_FIT_NO,
	GV_FITS
};
extern const char *const gv_fit_name[]; /* "none", "native", "jit", "unknown", "no" */

/* Whether code runs on the target; in *ret_driver the oldest driver that understands it, where it is PTX for this
 * device. */
enum gv_fit gv_code_fit(const struct gv_target *t, const struct gv_code *c, gv_str *ret_driver);
/* Whether the host has the library, as far as that is stated. */
bool gv_target_has(const struct gv_target *t, gv_str library);

/* Package or, where a file belongs to none, file. */
struct gv_part {
	const struct gv_package *package; /* NULL: a file that belongs to none */
	const struct gv_file *file;	  /* that decided */
	gv_str name;			  /* "cupy-cuda12x 13.1", or the file's path below PATH */
	enum gv_fit fit;
	gv_str why;
	bool required; /* the whole is no better than it */
	bool vendors;  /* a library of a GPU vendor itself */
};

/* One target and one PATH. */
struct gv_judged {
	const struct gv_target *target;
	unsigned root; /* PATH, from 0 */
	enum gv_fit verdict;
	gv_str why;
	gv_str driver;	      /* the oldest that it needs; empty where it needs none, or nothing says so */
	GV_VEC(gv_str) needs; /* libraries that are nowhere in here */
	GV_VEC(struct gv_part) parts;
	uint64_t code, idle; /* bytes of code for GPUs; of those that it never runs. Other vendors' count, and what it
				has better code for does not */
};

/* Holds what was read of one PATH against a target, once it is resolved: into inv->targets and inv->findings. */
void gv_target_judge(struct gv_inventory *inv, const struct gv_target *t, unsigned root);
