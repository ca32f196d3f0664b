/* SPDX-License-Identifier: Apache-2.0 */
/* What came and what went between two inventories. */
#pragma once

#include "inspect/inventory.h"

/* One of the two: of files that were read now, or of a JSON document that an earlier run wrote. */
struct gv_saved_code {
	gv_str file, arch;
	unsigned vendor;
	enum gv_code_kind kind;
	uint64_t count, bytes;
	bool hidden; /* shipped, but removed or covered by a later layer of the image */
};
struct gv_saved_library {
	gv_str file, name, via;
	unsigned vendor;
	enum gv_grade grade; /* GV_GRADES: it is in here */
};
const char *gv_saved_grade(const struct gv_saved_library *l); /* "linked", ..., "shipped" */
struct gv_saved_package {
	gv_str eco, name, version;
};
/* What hidden files ask for is left out: nothing can start them. */
struct gv_saved {
	GV_VEC(struct gv_saved_code) code;
	GV_VEC(struct gv_saved_library) libraries;
	GV_VEC(struct gv_saved_package) packages;
	uint64_t bytes;
};

void gv_saved_of(struct gv_saved *ret, struct gv_arena *a, const struct gv_inventory *inv);
/* Whether a text is such a document: by its first bytes. */
bool gv_saved_is(gv_str text);
/* 0, or -EINVAL with what is wrong in err. */
int gv_saved_read(struct gv_saved *ret, struct gv_arena *a, gv_str name, gv_str text, struct gv_buf *err);

/* Code of one vendor, kind and architecture: of one inventory in [0]; of two the old and the new one. */
struct gv_amount {
	unsigned vendor;
	enum gv_code_kind kind;
	gv_str arch;
	uint64_t count[2], bytes[2];
};
struct gv_amounts {
	struct gv_map map;
	GV_VEC(struct gv_amount *) all; /* in the order in which they came */
};
/* That of these three, made where it is new. */
struct gv_amount *gv_amount_of(struct gv_amounts *all, unsigned vendor, enum gv_code_kind kind, gv_str arch);

struct gv_diff_code {
	const struct gv_saved_code *of; /* the first of its file */
	bool came;
};
struct gv_diff_library {
	const struct gv_saved_library *of;
	size_t files; /* that ask for it */
	bool came;
};
struct gv_diff_package {
	const struct gv_saved_package *old, *new; /* NULL: not there */
};
struct gv_diff {
	struct gv_amounts amounts;
	GV_VEC(struct gv_diff_code) code;
	GV_VEC(struct gv_diff_library) libraries;
	GV_VEC(struct gv_diff_package) packages;
	uint64_t bytes[2];
	bool same; /* nothing came or went, and no amount changed */
};
/* Files are the same where they have the same path, but for the names of archives and the versions behind ".so". */
void gv_diff(struct gv_diff *ret, struct gv_arena *a, const struct gv_saved *old, const struct gv_saved *new);
