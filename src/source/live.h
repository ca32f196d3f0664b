/* SPDX-License-Identifier: Apache-2.0 */
/* This machine, or a recorded tree in its place, as documents. What is read in which form: live_files.c. */
#pragma once

#include "core/run.h"
#include "sys/helper.h"
#include "sys/root.h"

/* A library that is asked in a helper process. */
struct gv_live_library {
	const char *name;    /* of its transcript */
	unsigned pci_vendor; /* whose devices it drives */
	const char *module;  /* kernel module that it needs */
	const char *untried; /* to be said where it answered; NULL: nothing */
	void (*look)(struct gv_teller *t);
};

struct gv_live_opts {
	const char *root; /* recorded tree; NULL: this machine */
	double span;	  /* seconds that counters are sampled; 0: one look */
	double every;	  /* seconds between samples */
	double timeout;	  /* seconds that one call may take */
	bool wake;	  /* ask devices that sleep, too */
	bool no_load;	  /* do not ask a library that would have to load the driver's state first */
	const struct gv_live_library *libraries;
	size_t nlibraries;
};

/* Looks, and adds what it saw to the run: the account of the look itself first (format/gpuvet-look.c), then one
 * document a source. 0 or -errno where the root cannot be opened; what cannot be read below it is told in the account.
 */
int gv_source_live(struct gv_run *run, const struct gv_live_opts *opts);

/* ---- Parts ---- */

/* Attributes below /sys as lines "PATH:VALUE" and "PATH -> TARGET", for a helper. */
struct gv_live_sys {
	const struct gv_root *root;
	bool wake;
};
void gv_live_sys(struct gv_teller *t, void *ctx);
/* Files below /proc/driver, which ask the driver: "$ cat PATH" and their lines; ctx is a struct gv_root. */
void gv_live_driver(struct gv_teller *t, void *ctx);
/* How full mounted file systems are; ctx is a struct gv_root. A dead server never answers. */
void gv_live_mounts(struct gv_teller *t, void *ctx);

/* Files that never block. Sampled ones are read at each tick. */
extern const char *const gv_live_once[], *const gv_live_sampled[]; /* end with NULL */
