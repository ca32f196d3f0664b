/* SPDX-License-Identifier: Apache-2.0 */
/* How full file systems are, as a live look asks them (source/live_files.c): a line a mount,
 * "statvfs(/data) type=xfs source=/dev/md0 size=BYTES free=BYTES available=BYTES files=N files_free=N";
 * "statvfs(/data): WHY" where it gave no answer. */
#include "format/common.h"

static bool is_ours(gv_str t)
{
	return gv_starts(t, "statvfs(/");
}

static size_t statvfs_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 0;

	(void)seg;
	while (i < n && is_ours(l[i].text))
		i++;
	return i;
}

static bool number(gv_str line, const char *key, double *ret)
{
	return gv_to_num(gv_before(gv_after(line, key), " "), ret);
}

/* Per cent as df counts them: of what ordinary users may have. */
static double share(double used, double left)
{
	return used + left > 0 ? 100 * used / (used + left) : 0;
}

/* "statvfs(/data): no answer within 5 s" */
static void read_silent(struct gv_read *r, const struct gv_line *l)
{
	gv_str end = gv_from(l->text, 8), rest;
	ptrdiff_t at = gv_find(end, "): no answer within ");
	double seconds;

	if (at < 0 || !gv_lead_num(gv_after(end, "): no answer within "), &seconds, &rest))
		return;
	gv_put_num(r, gv_see(r, GV_MOUNT, gv_mount_name(r->arena, gv_sub(end, 0, (size_t)at))), GV_F_MOUNT_SILENT, seconds, l);
}

static void read_line(struct gv_read *r, const struct gv_line *l)
{
	gv_str end = gv_from(l->text, 8), rest;
	ptrdiff_t at = gv_find(end, ") type=");
	double size, left, available, files, files_left;
	struct gv_entity *e;

	if (at < 0) {
		read_silent(r, l);
		return;
	}
	rest = gv_from(end, (size_t)at + 1);
	e = gv_see(r, GV_MOUNT, gv_mount_name(r->arena, gv_sub(end, 0, (size_t)at)));
	gv_put_str(r, e, GV_F_MOUNT_FSTYPE, gv_before(gv_after(rest, " type="), " "), l);
	gv_put_str(r, e, GV_F_MOUNT_SOURCE, gv_mount_name(r->arena, gv_before(gv_after(rest, " source="), " ")), l);
	gv_put_num(r, e, GV_F_MOUNT_SILENT, 0, l);
	if (number(rest, " size=", &size) && number(rest, " free=", &left) && number(rest, " available=", &available) &&
	    size > 0) {
		gv_put_num(r, e, GV_F_MOUNT_SIZE, size / 1024, l);
		gv_put_num(r, e, GV_F_MOUNT_AVAIL, available / 1024, l);
		gv_put_num(r, e, GV_F_MOUNT_USED, share(size - left, available), l);
	}
	if (number(rest, " files=", &files) && number(rest, " files_free=", &files_left) && files > 0)
		gv_put_num(r, e, GV_F_MOUNT_IUSED, share(files - files_left, files_left), l);
}

static void statvfs_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		read_line(r, &l[i]);
}

const struct gv_format gv_format_statvfs = {
	.name = "statvfs",
	.heads = { "statvfs(/" },
	.claim = statvfs_claim,
	.read = statvfs_read,
};
