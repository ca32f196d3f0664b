/* SPDX-License-Identifier: Apache-2.0 */
/* What may be in an inventory: a file of the one who builds, so that a build fails when the wrong wheel slips in. */
#pragma once

#include "inspect/inventory.h"

#define GV_POLICY_BYTES ((size_t)1 << 20)

/* Where something stands in the stack. */
enum gv_layer { GV_LAYER_DRIVER, GV_LAYER_RUNTIME, GV_LAYER_LIBRARY, GV_LAYER_FRAMEWORK, GV_LAYER_CODE, GV_LAYERS };
extern const char *const gv_layer_name[]; /* "driver", "runtime", "library", "framework", "code" */

struct gv_vendor_rule {
	unsigned allow, forbid; /* vendors, as bits; allow 0: all that are not forbidden */
	uint32_t line;		/* 0: no rule */
};

struct gv_exception {
	gv_str what; /* of a file, a library, a package: its name, with * at its end or beginning */
	unsigned vendor; /* 0: any */
	gv_str reason, until; /* "2027-03-31", or "never" */
	bool expired, used;
	uint32_t line;
};

struct gv_policy {
	gv_str name; /* of the file */
	struct gv_vendor_rule layer[GV_LAYERS];
	unsigned grades; /* that count, as bits of enum gv_grade; all but `loaded` */
	GV_VEC(gv_str) archs; /* that must be there: "sm_90", "compute_90", "gfx942" */
	unsigned toolkit_min, toolkit_max; /* of NVIDIA's, 1204 for 12.4; 0: none */
	uint64_t size[3], total; /* bytes of code and libraries of NVIDIA, AMD, Intel; in all; 0: no limit */
	GV_VEC(struct gv_exception) exceptions;
};

/* 0, or -EINVAL with "name:line: what is wrong" in err. today: days since 1970. */
int gv_policy_read(struct gv_arena *a, gv_str name, gv_str bytes, int64_t today, struct gv_policy *ret, struct gv_buf *err);

struct gv_violation {
	const char *rule; /* "vendors", "architectures", "toolkit", "size", "driver", "exceptions" */
	gv_str summary;
	const struct gv_file *file; /* NULL: of the whole */
	const struct gv_dep *dep;   /* NULL: the file itself */
	unsigned vendor;
	enum gv_layer layer;
	const struct gv_exception *accepted; /* an exception that holds; NULL: none */
};

struct gv_policy_result {
	GV_VEC(struct gv_violation) violations;
	size_t open; /* that no exception accepts */
};

/* Holds the inventory, resolved, against the policy. Files that a later layer of an image hides count for the size only. */
void gv_policy_check(struct gv_inventory *inv, struct gv_policy *p, struct gv_policy_result *ret);
