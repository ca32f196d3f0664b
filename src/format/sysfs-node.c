/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA nodes in /sys/devices/system/node. A node without CPUs has an empty cpulist. */
#include "format/common_sysfs.h"

static const char *const areas[] = { "/sys/devices/system/node/", NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

static void put(struct gv_read *r, struct gv_entity *e, gv_str attr, gv_str value, const struct gv_line *l)
{
	if (gv_is(attr, "cpulist")) {
		if (gv_cpulist_count(value))
			gv_put_str(r, e, GV_F_NUMA_CPUS, value, l);
		else
			gv_put_none(r, e, GV_F_NUMA_CPUS, GV_NOT_APPLICABLE, "a node of memory only", l);
	} else if (gv_is(attr, "distance")) {
		gv_put_str(r, e, GV_F_NUMA_DISTANCE, value, l);
	}
}

static void read_node(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_map nodes = { .arena = r->arena };
	const struct gv_line *first = NULL;
	bool all = false; /* node 0 is there: the list is no excerpt of one node */

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str name, attr;
		uint64_t no;
		void **slot;

		if (!gv_sysfs_line(l[i].text, &s) || !gv_sysfs_below(s.path, areas[0], &name, &attr) ||
		    !gv_sysfs_numbered(name, "node", &no) || !(gv_is(attr, "cpulist") || gv_is(attr, "distance")) ||
		    nodes.n >= GV_THINGS_MAX)
			continue;
		first = first ? first : &l[i];
		all |= no == 0;
		slot = gv_map_put(&nodes, name);
		if (!*slot)
			*slot = gv_see(r, GV_NUMA, gv_from(name, 4));
		put(r, *slot, attr, s.value, &l[i]);
	}
	if (all)
		gv_put_num(r, gv_see_node(r), GV_F_NUMA_NODES, (double)nodes.n, first);
}

const struct gv_format gv_format_sysfs_node = {
	.name = "/sys/devices/system/node",
	.heads = { "/sys/devices/system/node/" },
	.claim = claim,
	.read = read_node,
};
