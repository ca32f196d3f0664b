/* SPDX-License-Identifier: Apache-2.0 */
/* What may be in an inventory: a file of the one who builds, so that a build fails when the wrong wheel slips in. */
#pragma once

#include "inspect/inventory.h"

#define GV_POLICY_BYTES ((size_t)1 << 20)
#define GV_POLICY_ENTRIES 1000
#define GV_POLICY_ARCHS 64

struct gv_vendor_rule {
	bool on;
	unsigned allow, forbid; /* vendors, as bits; allow 0: those that are not forbidden */
};

struct gv_exception {
	gv_str what;	 /* name of a file, library or package; a star at its beginning or end stands for anything */
	unsigned vendor; /* 0: any */
	gv_str reason, until;
	bool expired, used;
	uint32_t line;
};

struct gv_policy {
	gv_str name; /* of the file */
	struct gv_vendor_rule layer[GV_LAYERS];
	unsigned grades;      /* that count, as bits of enum gv_grade: all but `loaded`, where the file does not say */
	GV_VEC(gv_str) archs; /* for which code must be there: "sm_90", "compute_90", "gfx942" */
	unsigned toolkit_min, toolkit_max; /* 1204 for 12.4; 0: no limit */
	uint64_t size[3];		   /* most bytes of NVIDIA, AMD, Intel; GV_POLICY_ANY: no limit */
	uint64_t total;			   /* of all files */
	GV_VEC(struct gv_exception) exceptions;
};
#define GV_POLICY_ANY UINT64_MAX

/* 0, or -EINVAL with "name:line: what is wrong" in err; -ENOTSUP where the build reads no YAML. today: days since 1970.
 */
int gv_policy_read(struct gv_arena *a, gv_str name, gv_str bytes, int64_t today, struct gv_policy *ret,
		   struct gv_buf *err);

struct gv_violation {
	const char *rule; /* "vendors", "architectures", "toolkit", "size" */
	gv_str what;	  /* name of the library, package or architecture; empty: the whole */
	gv_str summary;
	const struct gv_file *file; /* the first of them; NULL: the whole */
	gv_str via;		    /* the path by which it comes; empty: unknown */
	unsigned vendor;
	size_t count;			     /* files of which the same is to be said */
	const struct gv_exception *accepted; /* NULL: none that still holds */
	const struct gv_exception *expired;  /* one that held once */
};

struct gv_policy_result {
	const struct gv_policy *policy;
	GV_VEC(struct gv_violation *) violations;
	size_t open; /* that no exception accepts */
};

/* Holds an inventory, resolved, against the policy, and marks the exceptions that were used. Files that a later layer
 * of an image hides count for the size only. */
void gv_policy_check(const struct gv_inventory *inv, struct gv_arena *a, struct gv_policy *p,
		     struct gv_policy_result *ret);
