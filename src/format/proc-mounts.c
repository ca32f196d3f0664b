/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/mounts, /proc/self/mounts, /proc/self/mountinfo, /etc/mtab: "source mount-point type options 0 0". File systems of the kernel's own
 * are left out. The size of a tmpfs stands in its options where one was set. */
#include "format/common.h"

#include "base/units.h"

static bool listed(gv_str s, const char *const *v)
{
	for (; *v; v++)
		if (gv_is(s, *v))
			return true;
	return false;
}

/* No data lies on these. */
static bool of_kernel(gv_str type)
{
	static const char *const types[] = { "autofs",	 "binfmt_misc", "bpf",	      "cgroup",	   "cgroup2",
					     "configfs", "debugfs",	"devpts",     "devtmpfs",  "efivarfs",
					     "fusectl",	 "hugetlbfs",	"mqueue",     "nsfs",	   "proc",
					     "pstore",	 "rpc_pipefs",	"securityfs", "selinuxfs", "squashfs",
					     "sysfs",	 "tracefs",	"ramfs",      NULL };

	return listed(type, types);
}

struct row {
	gv_str source, point, type, options;
};

/* "36 35 98:0 /mnt1 /data rw,noatime master:1 - xfs /dev/nvme1n1 rw,errors=continue" of /proc/PID/mountinfo */
static bool parse_info(gv_str text, struct row *ret)
{
	gv_str w[16], major;
	size_t n = gv_words(text, w, 16), dash = 6;
	uint64_t v;

	if (n < 10 || n > 16 || !gv_to_u64(w[0], &v) || !gv_to_u64(w[1], &v) || w[4].p[0] != '/')
		return false;
	major = gv_before(w[2], ":");
	if (major.n == w[2].n || !gv_to_u64(major, &v))
		return false;
	while (dash < n && !gv_is(w[dash], "-"))
		dash++;
	if (dash + 3 >= n || (!gv_starts(w[5], "rw") && !gv_starts(w[5], "ro")))
		return false;
	*ret = (struct row){ w[dash + 2], w[4], w[dash + 1], w[5] };
	return true;
}

static bool parse(gv_str text, struct row *ret)
{
	gv_str w[7];

	if (text.n && text.p[0] >= '0' && text.p[0] <= '9' && parse_info(text, ret))
		return true;

	if (gv_words(text, w, 7) != 6 || w[1].p[0] != '/' || !gv_is(w[4], "0") || w[5].n != 1 || w[5].p[0] < '0' ||
	    w[5].p[0] > '9')
		return false;
	if (!gv_starts(w[3], "rw") && !gv_starts(w[3], "ro"))
		return false;
	*ret = (struct row){ w[0], w[1], w[2], w[3] };
	return true;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct row row;
	size_t i = 0;

	(void)seg;
	while (i < n && parse(l[i].text, &row))
		i++;
	return i;
}

/* "rw,relatime,size=65536k" */
static bool size_of(gv_str options, double *ret_kb)
{
	gv_str one;
	double v;

	while (gv_next(&options, ',', &one))
		if (gv_starts(one, "size=") && gv_bytes_1024(gv_from(one, 5), &v)) {
			*ret_kb = v / 1024;
			return true;
		}
	return false;
}

static void read_mounts(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct row row;
	double kb;

	for (size_t i = 0; i < n; i++) {
		struct gv_entity *e;

		if (!parse(l[i].text, &row) || of_kernel(row.type) || gv_starts(row.point, "/sys/"))
			continue;
		e = gv_see(r, GV_MOUNT, gv_mount_name(r->arena, row.point));
		gv_put_str(r, e, GV_F_MOUNT_FSTYPE, row.type, &l[i]);
		gv_put_str(r, e, GV_F_MOUNT_SOURCE, gv_mount_name(r->arena, row.source), &l[i]);
		gv_put_flag(r, e, GV_F_MOUNT_READONLY, gv_starts(row.options, "ro"), &l[i]);
		if (gv_is(row.type, "tmpfs") && size_of(row.options, &kb))
			gv_put_num(r, e, GV_F_MOUNT_SIZE, kb, &l[i]);
	}
}

const struct gv_format gv_format_proc_mounts = {
	.name = "/proc/mounts",
	.heads = { " rw,", " ro,", " rw 0 0", " ro 0 0" },
	.claim = claim,
	.read = read_mounts,
};
