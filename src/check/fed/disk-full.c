/* SPDX-License-Identifier: Apache-2.0 */
/* No space or no inodes left. Images that are mounted read-only are always full. */
#include "check/common_load.h"

enum { FULL = 99, INODES_FULL = 99 }; /* %: df rounds up; the blocks kept for root are not in `avail` */

static bool always_full(const struct gv_entity *m)
{
	static const char *const types[] = { "squashfs", "iso9660", "erofs", "cramfs", "efivarfs", "udf" };
	static const char *const paths[] = { "/snap/", "/var/lib/snapd/", "/media/", "/cdrom", "/run/media/", "/boot/efi",
					     "/sys/", "/proc/" };
	gv_str type = gv_text(m, GV_F_MOUNT_FSTYPE), source = gv_text(m, GV_F_MOUNT_SOURCE);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (gv_is(type, types[i]) || gv_is(source, types[i]))
			return true;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (gv_starts(m->id, paths[i]))
			return true;
	return gv_starts(source, "/dev/loop") || gv_starts(source, "/dev/sr") || gv_is(source, "efivarfs");
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *m)
{
	double used, inodes, avail, size = NAN;
	struct gv_finding *f;
	bool space, files;

	if (always_full(m) || gv_is(m->id, "/dev/shm"))
		return GV_NA;
	gv_num(m, GV_F_MOUNT_SIZE, &size);
	space = gv_num(m, GV_F_MOUNT_USED, &used) && used >= FULL && size > 0 &&
		(!gv_num(m, GV_F_MOUNT_AVAIL, &avail) || avail < size * 0.01);
	files = gv_num(m, GV_F_MOUNT_IUSED, &inodes) && inodes >= INODES_FULL;
	if (!space && !files)
		return gv_obs(m, GV_F_MOUNT_USED) ? GV_PASS : GV_NODATA;
	f = gv_found(j, GV_K_DISK_FULL, m);
	gv_set(j, f, "what", space ? "space" : "inodes");
	gv_set(j, f, "used", "%.0f %%", space ? used : inodes);
	gv_quote_fact(f, m, space ? GV_F_MOUNT_USED : GV_F_MOUNT_IUSED);
	return GV_FOUND;
}

const struct gv_check gv_check_disk_full = {
	.id = "disk-full",
	.stage = GV_STAGE_FED,
	.over = GV_MOUNT,
	.needs = { GV_FACTS },
	.run = run,
};
