/* SPDX-License-Identifier: Apache-2.0 */
/* The account that a live look gives of itself: "KEY: VALUE" lines under "gpuvet live look 1" (source/live.c writes
 * them, format/gpuvet-look.c makes facts of them). All documents of the look are of this machine and moment. */
#pragma once

#include "base/str.h"

#define GV_ACCOUNT_HEAD "gpuvet live look "

struct gv_account {
	gv_str host;
	double boot, wall; /* seconds since boot, since 1970; 0 where unknown */
	double awake;	   /* seconds since boot without those in suspend, as the kernel log counts; as boot where not told */
	bool container;	   /* it was made inside of one */
};

/* Reads what concerns the other documents; views point into text. False where it is none. */
bool gv_account_parse(gv_str text, struct gv_account *ret);
