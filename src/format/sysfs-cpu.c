/* SPDX-License-Identifier: Apache-2.0 */
/* What /sys/devices/system/cpu says of the CPUs as a whole. */
#include "format/common_sysfs.h"

#define AREA "/sys/devices/system/cpu/"

static const char *const areas[] = { AREA, NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

static void read_cpu(struct gv_read *r, const struct gv_line *l, size_t n)
{
	bool governor = false;

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str attr;

		if (!gv_sysfs_line(l[i].text, &s) || !gv_starts(s.path, AREA) || !s.value.n)
			continue;
		attr = gv_from(s.path, strlen(AREA));
		if (gv_is(attr, "online") && gv_cpulist_count(s.value))
			gv_put_num(r, gv_see_node(r), GV_F_CPUS, (double)gv_cpulist_count(s.value), &l[i]);
		else if (gv_is(attr, "isolated"))
			gv_put_str(r, gv_see_node(r), GV_F_CPU_ISOLATED, s.value, &l[i]);
		else if (gv_is(attr, "smt/active"))
			gv_put_flag(r, gv_see_node(r), GV_F_SMT, gv_is(s.value, "1"), &l[i]);
		else if (!governor && gv_ends(attr, "cpufreq/scaling_governor")) {
			gv_put_str(r, gv_see_node(r), GV_F_CPU_GOVERNOR, s.value, &l[i]);
			governor = true; /* of the first CPU that is listed */
		}
	}
}

const struct gv_format gv_format_sysfs_cpu = {
	.name = "/sys/devices/system/cpu",
	.heads = { AREA },
	.claim = claim,
	.read = read_cpu,
};
