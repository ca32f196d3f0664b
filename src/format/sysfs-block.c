/* SPDX-License-Identifier: Apache-2.0 */
/* Block devices in /sys/block. Sizes are in sectors of 512 bytes. */
#include "format/common_sysfs.h"

static const char *const areas[] = { "/sys/block/", NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

/* Not a disk, and nothing is known of it before it is set up. */
static bool hollow(gv_str name)
{
	return gv_starts(name, "loop") || gv_starts(name, "ram") || gv_starts(name, "zram") || gv_starts(name, "nbd");
}

static void read_block(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_map disks = { .arena = r->arena };

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str name, attr;
		uint64_t v;
		void **slot;
		bool rotational, size;

		if (!gv_sysfs_line(l[i].text, &s) || !gv_sysfs_below(s.path, areas[0], &name, &attr) ||
		    disks.n >= GV_THINGS_MAX)
			continue;
		rotational = gv_is(attr, "queue/rotational");
		size = gv_is(attr, "size");
		/* size 0: a slot without a medium */
		if (hollow(name) || !(rotational || size) || !gv_to_u64(s.value, &v) || (size && !v))
			continue;
		slot = gv_map_put(&disks, name);
		if (!*slot)
			*slot = gv_see(r, GV_DISK, name);
		if (rotational)
			gv_put_flag(r, *slot, GV_F_DISK_ROTATIONAL, v != 0, &l[i]);
		else
			gv_put_num(r, *slot, GV_F_DISK_SIZE, (double)v / 2, &l[i]);
	}
}

const struct gv_format gv_format_sysfs_block = {
	.name = "/sys/block",
	.heads = { "/sys/block/" },
	.claim = claim,
	.read = read_block,
};
