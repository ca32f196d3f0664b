/* SPDX-License-Identifier: Apache-2.0 */
/* What a live look reads, beside the libraries of the vendors.
 *
 * Sources: Documentation/ABI/{stable,testing}/sysfs-* and Documentation/filesystems/proc.rst of Linux; for GPUs
 * sysfs-driver-amdgpu, -intel-i915-hwmon and -intel-xe-hwmon. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/statvfs.h>

#include "source/live.h"

#define VALUE_MAX 65536 /* bytes of an attribute */
#define DEPTH_MAX 6	/* stars in a pattern */

const char *const gv_live_once[] = {
	"/proc/version",	   "/proc/cmdline",
	"/proc/modules",	   "/proc/meminfo",
	"/proc/self/mounts",	   "/proc/self/cgroup",
	"/proc/self/limits",	   "/sys/fs/cgroup/cpu.max",
	NULL,
};

const char *const gv_live_sampled[] = {
	"/proc/stat",
	"/proc/diskstats",
	"/proc/vmstat",
	"/proc/net/dev",
	"/proc/loadavg",
	"/proc/pressure/cpu",
	"/proc/pressure/io",
	"/proc/pressure/memory",
	"/sys/fs/cgroup/cpu.stat",
	"/sys/fs/cgroup/cpu/cpu.stat", /* version 1 */
	NULL,
};

/* Attributes of the entries of one folder. '@' in front: a symbolic link; '!': reading it asks the device, which it
 * would wake. */
struct area {
	const char *dir;
	const char *state; /* of an entry: "suspended" where it sleeps; NULL: these cannot sleep */
	const char *attrs[48];
};

static const struct area areas[] = {
	{ "/sys/bus/pci/devices",
	  "power/runtime_status",
	  { "class",
	    "vendor",
	    "device",
	    "subsystem_vendor",
	    "subsystem_device",
	    "revision",
	    "numa_node",
	    "local_cpulist",
	    "power/runtime_status",
	    "@driver",
	    "@iommu_group",
	    "@physfn",
	    "secondary_bus_number",
	    "subordinate_bus_number",
	    "enable",
	    "aer_dev_correctable",
	    "aer_dev_nonfatal",
	    "aer_dev_fatal",
	    "!current_link_speed",
	    "!current_link_width",
	    "!max_link_speed",
	    "!max_link_width" } },
	{ "/sys/class/drm",
	  "device/power/runtime_status",
	  { "@device",
	    "device/vendor",
	    "device/device",
	    "device/class",
	    "device/power/runtime_status",
	    "!device/gpu_busy_percent",
	    "!device/mem_busy_percent",
	    "!device/mem_info_vram_total",
	    "!device/mem_info_vram_used",
	    "!device/unique_id",
	    "!device/vbios_version",
	    "!device/pp_dpm_sclk",
	    "!device/pp_dpm_mclk",
	    "!device/power_dpm_force_performance_level",
	    "!device/thermal_throttling_logging",
	    "!device/hwmon/hwmon*/name",
	    "!device/hwmon/hwmon*/power*_average",
	    "!device/hwmon/hwmon*/power*_input",
	    "!device/hwmon/hwmon*/power*_cap",
	    "!device/hwmon/hwmon*/power*_cap_default",
	    "!device/hwmon/hwmon*/power*_cap_max",
	    "!device/hwmon/hwmon*/power*_max",
	    "!device/hwmon/hwmon*/temp*_input",
	    "!device/hwmon/hwmon*/temp*_label",
	    "!device/hwmon/hwmon*/temp*_crit",
	    "!device/hwmon/hwmon*/freq*_input",
	    "!device/hwmon/hwmon*/freq*_label",
	    "!gt_act_freq_mhz",
	    "!gt_max_freq_mhz",
	    "!gt_RP0_freq_mhz",
	    "!gt/gt*/throttle_reason_*",
	    "!device/tile*/gt*/freq*/act_freq",
	    "!device/tile*/gt*/freq*/max_freq",
	    "!device/tile*/gt*/freq*/rp0_freq",
	    "!device/tile*/gt*/freq*/throttle/*",
	    "!device/ras/umc_err_count" } },
	{ "/sys/class/net", NULL, { "@device", "operstate", "carrier", "speed", "mtu", "carrier_changes" } },
	{ "/sys/class/infiniband",
	  NULL,
	  { "@device", "fw_ver", "board_id", "ports/*/state", "ports/*/phys_state", "ports/*/rate",
	    "ports/*/link_layer", "ports/*/counters/link_downed", "ports/*/counters/link_error_recovery",
	    "ports/*/counters/symbol_error", "ports/*/counters/port_rcv_errors", "ports/*/counters/port_xmit_discards",
	    "ports/*/counters/port_xmit_wait" } },
	{ "/sys/block", NULL, { "@device", "size", "queue/rotational", "queue/scheduler", "queue/nr_requests" } },
	{ "/sys/devices/system/node", NULL, { "cpulist", "distance" } },
};

static const char *const single[] = {
	"/sys/devices/system/cpu/online",
	"/sys/devices/system/cpu/isolated",
	"/sys/devices/system/cpu/smt/active",
	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	"/sys/module/nvidia/version",
	"/sys/module/amdgpu/version",
	"/sys/kernel/mm/transparent_hugepage/enabled",
};

struct look {
	struct gv_teller *t;
	const struct gv_root *root;
	struct gv_arena *a; /* freed after each entry */
	int scope;
};

static void tell_link(struct look *l, const char *path)
{
	gv_str target;

	if (gv_ask(l->t, l->scope, "%s", path)) {
		if (!gv_root_link(l->root, path, l->a, &target))
			gv_answer(l->t, " -> %.*s", GV_ARG(target));
		else
			gv_answer_none(l->t);
	}
}

/* Each line of a value, with the path in front, as grep prints them. */
static void tell_value(struct look *l, const char *path)
{
	gv_str value, line;
	int r;

	if (!gv_ask(l->t, l->scope, "%s", path))
		return;
	r = gv_root_read(l->root, path, VALUE_MAX, l->a, &value);
	if (r == -EACCES || r == -EPERM) {
		gv_answer(l->t, ": %s", strerror(-r));
		return;
	}
	if (!r)
		while (gv_next(&value, '\n', &line))
			if (line.n)
				gv_more(l->t, gv_fmt(l->a, "%s:%.*s", path, GV_ARG(line)));
	gv_answer_none(l->t);
}

/* Replaces the first star of the pattern by what there is, and so on. */
static void expand(struct look *l, gv_str pattern, bool link, unsigned depth)
{
	ptrdiff_t star = gv_find_c(pattern, '*');
	gv_str dir, part, rest, *names = NULL;
	const char *dirz, *partz;
	ptrdiff_t slash;
	size_t n = 0;

	if (star < 0 || depth > DEPTH_MAX) {
		(link ? tell_link : tell_value)(l, gv_dupz(l->a, pattern));
		return;
	}
	slash = gv_rfind(gv_sub(pattern, 0, (size_t)star), "/");
	dir = gv_sub(pattern, 0, (size_t)slash);
	part = gv_before(gv_from(pattern, (size_t)slash + 1), "/");
	rest = gv_from(pattern, (size_t)slash + 1 + part.n);
	dirz = gv_dupz(l->a, dir);
	partz = gv_dupz(l->a, part);
	if (gv_root_list(l->root, dirz, l->a, &names, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(partz, names[i].p, 0))
			expand(l, gv_fmt(l->a, "%s/%.*s%.*s", dirz, GV_ARG(names[i]), GV_ARG(rest)), link, depth + 1);
}

static bool sleeps(struct look *l, const struct area *area, gv_str name)
{
	gv_str state;

	return area->state &&
	       !gv_root_read(l->root, gv_fmt(l->a, "%s/%.*s/%s", area->dir, GV_ARG(name), area->state).p, VALUE_MAX,
			     l->a, &state) &&
	       (gv_starts(state, "suspended") || gv_starts(state, "suspending"));
}

static void look_at(struct look *l, const struct area *area, gv_str name, bool wake)
{
	bool asleep = !wake && sleeps(l, area, name);

	for (size_t i = 0; area->attrs[i]; i++) {
		const char *attr = area->attrs[i];
		bool link = *attr == '@', asks = *attr == '!';

		if (asks && asleep)
			continue;
		expand(l, gv_fmt(l->a, "%s/%.*s/%s", area->dir, GV_ARG(name), attr + (link || asks)), link, 0);
	}
}

static void next_scope(struct look *l)
{
	gv_arena_free(l->a);
	l->a = gv_arena_new();
	if (l->scope < GV_SCOPES_MAX - 1)
		l->scope++;
}

void gv_live_sys(struct gv_teller *t, void *ctx)
{
	const struct gv_live_sys *s = ctx;
	struct look l = { .t = t, .root = s->root, .a = gv_arena_new() };
	struct gv_arena *a = gv_arena_new();

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		gv_str *names = NULL;
		size_t n = 0;
		int r;

		if (!gv_ask_setup(t, GV_SCOPE_ALL, "%s", areas[i].dir))
			break;
		r = gv_root_list(s->root, areas[i].dir, a, &names, &n);
		if (!r) /* as if it had been typed: an empty folder is an answer, too */
			gv_more(t, gv_fmt(a, "$ grep . %s/*/*", areas[i].dir));
		if (r && r != -ENOENT)
			gv_answer(t, ": %s", strerror(-r));
		else
			gv_answer_none(t);
		for (size_t k = 0; k < n; k++) {
			look_at(&l, &areas[i], names[k], s->wake);
			next_scope(&l);
		}
	}
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		tell_value(&l, single[i]);
		next_scope(&l);
	}
	gv_arena_free(l.a);
	gv_arena_free(a);
}

static void tell_file(struct look *l, const char *path)
{
	gv_str value, line;
	int r;

	if (!gv_ask(l->t, l->scope, "$ cat %s", path))
		return;
	r = gv_root_read(l->root, path, VALUE_MAX, l->a, &value);
	if (r) {
		gv_answer_none(l->t);
		return;
	}
	gv_more(l->t, gv_fmt(l->a, "$ cat %s", path));
	while (gv_next(&value, '\n', &line))
		gv_more(l->t, line);
	gv_answer_none(l->t);
}

void gv_live_driver(struct gv_teller *t, void *ctx)
{
	struct look l = { .t = t, .root = ctx, .a = gv_arena_new() };
	gv_str *names = NULL;
	size_t n = 0;

	tell_file(&l, "/proc/driver/nvidia/version");
	tell_file(&l, "/proc/driver/nvidia/params");
	if (gv_ask_setup(t, GV_SCOPE_ALL, "/proc/driver/nvidia/gpus")) {
		gv_root_list(l.root, "/proc/driver/nvidia/gpus", l.a, &names, &n);
		gv_answer_none(t);
	}
	for (size_t i = 0; i < n && i < GV_SCOPES_MAX; i++) {
		l.scope = (int)i;
		tell_file(&l, gv_fmt(l.a, "/proc/driver/nvidia/gpus/%.*s/information", GV_ARG(names[i])).p);
	}
	gv_arena_free(l.a);
}

/* File systems that hold data; the others are the kernel's own. */
static bool holds_data(gv_str type, gv_str dir)
{
	static const char *const kinds[] = { "ext2",	 "ext3",   "ext4", "xfs",      "btrfs",	   "zfs",
					     "f2fs",	 "vfat",   "nfs",  "nfs4",     "cifs",	   "smb3",
					     "ceph",	 "lustre", "gpfs", "beegfs",   "wekafs",   "overlay",
					     "bcachefs", "ntfs3",  "9p",   "virtiofs", "orangefs", "glusterfs" };

	if (gv_is(type, "tmpfs"))
		return gv_is(dir, "/dev/shm") || gv_is(dir, "/tmp");
	if (gv_starts(type, "fuse."))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (gv_is(type, kinds[i]))
			return true;
	return false;
}

/* /proc/mounts writes blanks as \040. */
static const char *unescaped(struct gv_arena *a, gv_str s)
{
	char *p = GV_NEWN(a, char, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		bool octal = s.p[i] == '\\' && i + 3 < s.n;

		for (size_t k = 1; k < 4 && octal; k++)
			octal = s.p[i + k] >= '0' && s.p[i + k] <= '7';
		if (octal) {
			p[n++] = (char)((s.p[i + 1] - '0') * 64 + (s.p[i + 2] - '0') * 8 + (s.p[i + 3] - '0'));
			i += 3;
		} else {
			p[n++] = s.p[i];
		}
	}
	return p;
}

static void tell_mount(struct look *l, gv_str source, gv_str dir, gv_str type)
{
	struct statvfs v;
	uint64_t block;

	if (!gv_ask(l->t, l->scope, "statvfs(%.*s)", GV_ARG(dir)))
		return;
	if (statvfs(unescaped(l->a, dir), &v)) {
		gv_answer(l->t, ": %s", strerror(errno));
		return;
	}
	block = v.f_frsize ? v.f_frsize : v.f_bsize;
	gv_answer(l->t, " type=%.*s source=%.*s size=%llu free=%llu available=%llu files=%llu files_free=%llu",
		  GV_ARG(type), GV_ARG(source), (unsigned long long)(v.f_blocks * block),
		  (unsigned long long)(v.f_bfree * block), (unsigned long long)(v.f_bavail * block),
		  (unsigned long long)v.f_files, (unsigned long long)v.f_ffree);
}

void gv_live_mounts(struct gv_teller *t, void *ctx)
{
	struct look l = { .t = t, .root = ctx, .a = gv_arena_new() };
	struct gv_arena *a = gv_arena_new();
	gv_str mounts = GV_NONE, line;

	gv_root_read(l.root, "/proc/self/mounts", (size_t)4 << 20, a, &mounts);
	while (gv_next(&mounts, '\n', &line)) {
		gv_str w[3];

		if (gv_words(line, w, 3) < 3 || !holds_data(w[2], w[1]))
			continue;
		tell_mount(&l, w[0], w[1], w[2]);
		next_scope(&l);
	}
	gv_arena_free(l.a);
	gv_arena_free(a);
}
