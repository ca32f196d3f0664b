/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/cgroup: "0::/path" of version 2, "4:memory:/path" of version 1. Kept is the path that says most: a
 * container's or a job's, else that of version 2. */
#include "format/common.h"

/* "9:name=systemd:/system.slice" */
static bool row(gv_str text, gv_str *ret_controllers, gv_str *ret_path)
{
	gv_str rest = text, no;
	uint64_t v;

	if (!gv_next(&rest, ':', &no) || !gv_to_u64(no, &v) || v > 64 || !gv_next(&rest, ':', ret_controllers) ||
	    !gv_starts(rest, "/"))
		return false;
	*ret_path = gv_trim(rest);
	return true;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str controllers, path;
	size_t i = 0;

	while (i < n && row(l[i].text, &controllers, &path))
		i++;
	return i > 1 || (seg && gv_has(seg->cmd, "/cgroup")) ? i : 0;
}

static bool telling(gv_str path)
{
	static const char *const words[] = { "docker", "kubepods", "containerd", "libpod", "slurm", "lxc", "crio" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has(path, words[i]))
			return true;
	return false;
}

static void read_cgroup(struct gv_read *r, const struct gv_line *l, size_t n)
{
	const struct gv_line *at = NULL;
	gv_str controllers, path, best = GV_NONE;

	for (size_t i = 0; i < n; i++) {
		if (!row(l[i].text, &controllers, &path))
			continue;
		if (at && (telling(best) || (!telling(path) && controllers.n)))
			continue;
		best = path;
		at = &l[i];
	}
	if (at)
		gv_put_str(r, gv_see_node(r), GV_F_CGROUP_PATH, best, at);
}

const struct gv_format gv_format_proc_cgroup = {
	.name = "/proc/self/cgroup",
	.heads = { "0::/", ":memory:/", ":name=systemd:/", ":cpuset:/", ":cpu,cpuacct:/" },
	.cmds = { "/self/cgroup" },
	.claim = claim,
	.read = read_cgroup,
};
