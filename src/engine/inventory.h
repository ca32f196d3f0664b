/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is under PATHs into an inventory: files side by side in some threads. */
#pragma once

#include "inspect/inventory.h"
#include "inspect/target.h"

struct gv_inventory_opts {
	uint64_t archive; /* bytes unpacked in all */
	size_t members;	  /* files in folders and archives */
	unsigned nesting;
	unsigned threads; /* 0: as many as there are processors, 4 at most */
	/* Told now and then, from one thread, when it takes longer than a second; NULL: nobody is. The path holds any
	 * bytes. */
	void (*said)(uint64_t files, uint64_t bytes, gv_str path);
	/* Asked now and then, by all threads: whether to end. NULL: never. */
	int (*stopped)(void);
};
#define GV_INVENTORY_OPTS                                                                                              \
	((struct gv_inventory_opts){ .archive = (uint64_t)64 << 30, .members = 4000000, .nesting = 4 })

#define GV_INVENTORY_NESTING_MAX 16
/* 0 or -errno where a PATH cannot be opened at all, with a line in err; -ECANCELED: it was stopped. */
int gv_inventory_read(struct gv_inventory *inv, const gv_str *paths, size_t n, const struct gv_inventory_opts *opts,
		      struct gv_buf *err);
void gv_inventory_free(struct gv_inventory *inv); /* what the reading threads hold; the rest is the arena's */

/* This machine as targets: one of each kind of GPU; one that is unknown, with the reason, where none is seen. How many
 * there are. */
size_t gv_targets_live(struct gv_arena *a, struct gv_target **ret);
