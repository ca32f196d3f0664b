/* SPDX-License-Identifier: Apache-2.0 */
/* /sys as a list of attributes, one a line, in the form that `grep -r . /sys/...` prints: "path:value", an attribute of
 * several lines on as many; links as "path -> target". */
#pragma once

#include "base/map.h"
#include "format/common.h"

struct gv_sysfs {
	gv_str path, value; /* value empty: what stands there is why it could not be read ("PATH: Permission denied") */
	bool link;	    /* value is the target */
	bool hung;	    /* reading it did not come back, or ended who read it */
};

/* What a live look says of a call that did not come back. */
bool gv_is_hung(gv_str text);
/* False where the line is none. PCI addresses in the path hold colons, too. */
bool gv_sysfs_line(gv_str text, struct gv_sysfs *ret);
/* For claim(): how many lines from l[0] are of paths that begin with one of `areas`, a list ended by NULL. */
size_t gv_sysfs_extent(const struct gv_line *l, size_t n, const char *const *areas);
/* Below an area: "eth0" and "queues/rx-0/rps_cpus" of /sys/class/net/eth0/queues/rx-0/rps_cpus. */
bool gv_sysfs_below(gv_str path, const char *area, gv_str *ret_name, gv_str *ret_attr);
/* The last component of a path or a link's target. */
gv_str gv_sysfs_base(gv_str path);
/* "card12", "node3", "cpu0": the prefix and a number. */
bool gv_sysfs_numbered(gv_str name, const char *prefix, uint64_t *ret);

/* A value and where it stands; l NULL: it was not listed. */
struct gv_sysfs_value {
	gv_str v;
	const struct gv_line *l;
};

/* Things by name, each of `size` bytes, zeroed when made, in the order of their first line; at most GV_THINGS_MAX, NULL
 * for what is beyond. */
struct gv_sysfs_things {
	struct gv_map by;
	size_t size;
	GV_VEC(void *) v;
};

void *gv_sysfs_thing(struct gv_sysfs_things *t, gv_str name);
