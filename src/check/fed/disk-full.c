/* SPDX-License-Identifier: Apache-2.0 */
/* No space or no inodes left. Images that are mounted read-only are always full. */
#include "check/common_load.h"

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

#define MOUNTS 1024 /* that are compared */

/* One file system is mounted in many places: bind mounts, files that a container gets, its layers. It is told of the
 * place with the shortest path. */
static bool told_elsewhere(const struct gv_run *run, const struct gv_entity *m)
{
	double size, avail, s, a;
	size_t n = 0;

	if (!gv_num(m, GV_F_MOUNT_SIZE, &size) || !gv_num(m, GV_F_MOUNT_AVAIL, &avail))
		return false;
	for (struct gv_entity *o = NULL; n < MOUNTS && (o = gv_each(run, GV_MOUNT, m->node, o)); n++) {
		bool first = o->id.n < m->id.n || (o->id.n == m->id.n && o->index < m->index);

		if (!first || gv_flag(o, GV_F_MOUNT_READONLY) || always_full(o) || !gv_num(o, GV_F_MOUNT_SIZE, &s) ||
		    !gv_num(o, GV_F_MOUNT_AVAIL, &a) || s != size || a != avail)
			continue;
		if (gv_eq(gv_text(o, GV_F_MOUNT_SOURCE), gv_text(m, GV_F_MOUNT_SOURCE)) ||
		    gv_is(gv_text(o, GV_F_MOUNT_SOURCE), "overlay") || gv_is(gv_text(m, GV_F_MOUNT_SOURCE), "overlay"))
			return true;
	}
	return false;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *m)
{
	double full = gv_threshold(j->run, GV_T_DISK_FULL), used, inodes, avail, size = NAN;
	struct gv_finding *f;
	bool space, files;

	if (always_full(m) || gv_is(m->id, "/dev/shm") || gv_flag(m, GV_F_MOUNT_READONLY))
		return GV_NA;
	gv_num(m, GV_F_MOUNT_SIZE, &size);
	/* df rounds up; the blocks kept for root are not in `avail` */
	space = gv_num(m, GV_F_MOUNT_USED, &used) && used >= full && size > 0 &&
		(!gv_num(m, GV_F_MOUNT_AVAIL, &avail) || avail < size * (100 - full) / 100);
	files = gv_num(m, GV_F_MOUNT_IUSED, &inodes) && inodes >= gv_threshold(j->run, GV_T_INODES_FULL);
	if (!space && !files)
		return gv_obs(m, GV_F_MOUNT_USED) ? GV_PASS : GV_NODATA;
	if (told_elsewhere(j->run, m))
		return GV_NA;
	f = gv_found(j, GV_K_DISK_FULL, m);
	if (gv_is(m->id, "/boot")) /* where no job writes */
		f->severity = GV_WARN;
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
