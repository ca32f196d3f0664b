/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of what the kernel shows in /proc and /sys, once and in snapshots. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "sys/file.h"

static struct gv_entity *one(const struct gv_run *run, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_by_id(run, k, NULL, gv_str_of(id));

	if (!e)
		fail_msg("%s %s is missing", gv_entity_name[k], id);
	return e;
}

static void near(double got, double want)
{
	if (!(got > want - 1e-6 && got < want + 1e-6))
		fail_msg("%.12g is not %.12g", got, want);
}

static void assert_unknown(const struct gv_entity *e, enum gv_fact f)
{
	assert_false(gv_num(e, f, NULL));
}

static void is_unknown_because(const struct gv_entity *e, enum gv_fact f, const char *reason)
{
	const struct gv_slot *s = gv_slot_of(e, f);

	assert_unknown(e, f);
	assert_true(s->n > 0);
	assert_string_equal(s->v[s->n - 1].reason, reason);
}

static const char *z(struct gv_buf *b)
{
	gv_putc(b, 0);
	return b->p;
}

/* ---- /proc/stat ---- */

static void put_stat(struct gv_buf *b, double t, unsigned ticks, unsigned busy)
{
	gv_printf(b, "@%.3f /proc/stat\n", t);
	gv_printf(b, "cpu  %u 0 %u %u 0 0 0 0 0 0\n", 1000 + busy, 500, 90000 + 2 * ticks - busy);
	gv_printf(b, "cpu0 %u 0 250 %u 0 0 0 0 0 0\n", 500 + busy, 45000 + ticks - busy);
	gv_printf(b, "cpu1 500 0 250 %u 0 0 0 0 0 0\n", 45000 + ticks);
	gv_puts(b, "ctxt 12345\nbtime 1700000000\nprocesses 4000\nprocs_running 3\nprocs_blocked 1\n");
}

static void stat_series(void **state)
{
	struct gv_buf b = { 0 };
	struct gv_run *run;
	struct gv_entity *n;

	(void)state;
	for (unsigned i = 0; i <= 20; i++) /* 2 s at 10 Hz, 100 ticks a second; cpu0 is busy half the time */
		put_stat(&b, 5000 + i * 0.1, i * 10, i * 5);
	run = gv_test_run("stat", z(&b), NULL);
	n = gv_test_node(run);
	assert_int_equal(gv_series(n, GV_F_IDLE, NULL, 0), 4); /* windows of half a second */
	near(gv_test_num(n, GV_F_USR), 25);
	near(gv_test_num(n, GV_F_IDLE), 75);
	near(gv_test_num(one(run, GV_CPU, "0"), GV_F_CPU_USR), 50);
	near(gv_test_num(one(run, GV_CPU, "1"), GV_F_CPU_IDLE), 100);
	near(gv_test_num(n, GV_F_RUNNABLE), 2); /* without the reader itself */
	near(gv_test_num(n, GV_F_BLOCKED), 1);
	near(gv_test_num(n, GV_F_CPUS), 2);
	assert_false(gv_flag(n, GV_F_CPU_SINCE_BOOT));
	/* the place is the last snapshot of the window; gv_obs() has the first of four equal values */
	assert_int_equal(gv_slot_of(n, GV_F_IDLE)->v[3].at.line, 20 * 9 + 2);
	assert_int_equal(gv_slot_of(n, GV_F_IDLE)->v[3].sample, 3);
	gv_test_end(run);
	gv_buf_free(&b);
}

static void stat_once(void **state)
{
	const char *text = "cpu  100 0 100 700 50 0 0 50 0 0\ncpu0 100 0 100 700 50 0 0 50 0 0\nprocs_running 1\n";
	struct gv_run *run = gv_test_run("a.txt", text, NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	assert_true(gv_flag(n, GV_F_CPU_SINCE_BOOT));
	near(gv_test_num(n, GV_F_IDLE), 70);
	near(gv_test_num(n, GV_F_STEAL), 5);
	near(gv_test_num(one(run, GV_CPU, "0"), GV_F_CPU_IOWAIT), 5);
	near(gv_test_num(n, GV_F_RUNNABLE), 0);
	gv_test_end(run);
}

/* /proc/schedstat begins its rows alike. */
static void schedstat_is_not_stat(void **state)
{
	struct gv_run *run = gv_test_run(
	    "schedstat",
	    "version 15\ntimestamp 15819019232\ncpu0 498494191 0 3533438552 2553969831 2449 3141 51 2076 1\n"
	    "domain0 3 21 0 0\n",
	    NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_CPU, NULL), 0);
	gv_test_end(run);

	run = gv_test_run("grep", "$ grep cpu1 /proc/stat\ncpu1 100 0 100 800 0 0 0 0 0 0\n", NULL);
	near(gv_test_num(one(run, GV_CPU, "1"), GV_F_CPU_IDLE), 80);
	gv_test_end(run);
}

/* Short series give one window; what comes too late, is cut, or went back gives none. */
static void stat_bad_windows(void **state)
{
	struct gv_run *run = gv_test_run("short.txt",
					 "@10.000 /proc/stat\ncpu  100 0 0 100 0 0 0 0 0 0\n"
					 "@10.100 /proc/stat\ncpu  105 0 0 105 0 0 0 0 0 0\n"
					 "@10.200 /proc/stat\ncpu  110 0 0 110 0 0 0 0 0 0\n",
					 NULL);

	(void)state;
	assert_int_equal(gv_series(gv_test_node(run), GV_F_USR, NULL, 0), 1);
	near(gv_test_num(gv_test_node(run), GV_F_USR), 50);
	gv_test_end(run);

	/* the last snapshot was cut within a number */
	run = gv_test_run("cut.txt",
			  "@10.000 /proc/stat\ncpu  100 0 0 1000 0 0 0 0 0 0\n"
			  "@10.600 /proc/stat\ncpu  130 0 0 1030 0 0 0 0 0 0\n"
			  "@11.200 /proc/stat\ncpu  160 0 0 10",
			  NULL);
	assert_int_equal(gv_series(gv_test_node(run), GV_F_USR, NULL, 0), 1);
	near(gv_test_num(gv_test_node(run), GV_F_USR), 50);
	gv_test_end(run);

	/* a counter went back, another one is 2^64-1, and time stood still */
	run = gv_test_run("back.txt",
			  "@10.000 /proc/stat\ncpu  500 0 0 1000 0 0 0 0 0 0\ncpu0 500 0 0 1000 0 0 0 0 0 0\n"
			  "@10.000 /proc/stat\ncpu  500 0 0 1000 0 0 0 0 0 0\ncpu0 500 0 0 1000 0 0 0 0 0 0\n"
			  "@11.000 /proc/stat\ncpu  5 0 0 1100 0 0 0 0 0 0\n"
			  "cpu0 18446744073709551615 0 0 18446744073709551615 0 0 0 0 0 0\n",
			  NULL);
	assert_unknown(gv_test_node(run), GV_F_USR);
	near(gv_test_num(one(run, GV_CPU, "0"), GV_F_CPU_USR), 50);
	gv_test_end(run);

	/* two looks at one moment: as one */
	run = gv_test_run("moment.txt",
			  "@10.000 /proc/stat\ncpu  100 0 0 900 0 0 0 0 0 0\n@10.010 /proc/stat\ncpu  101 0 0 900 0 0 0 0 0 0\n", NULL);
	assert_true(gv_flag(gv_test_node(run), GV_F_CPU_SINCE_BOOT));
	near(gv_test_num(gv_test_node(run), GV_F_USR), 10);
	gv_test_end(run);

	/* idle time may slip back by some ticks: it is nothing then */
	run = gv_test_run("slip.txt",
			  "@10.000 /proc/stat\ncpu  100 0 0 1000 900 0 0 0 0 0\n"
			  "@11.000 /proc/stat\ncpu  200 0 0 998 890 0 0 0 0 0\n",
			  NULL);
	near(gv_test_num(gv_test_node(run), GV_F_USR), 100);
	near(gv_test_num(gv_test_node(run), GV_F_IOWAIT), 0);
	gv_test_end(run);
}

/* Thousands of snapshots of many CPUs: few samples, all of the time. */
static void stat_many(void **state)
{
	struct gv_buf b = { 0 };
	struct gv_run *run;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		gv_printf(&b, "@%u.000 /proc/stat\ncpu  %u 0 0 %u 0 0 0 0 0 0\n", 100 + i, i * 100, i * 100);
		for (unsigned c = 0; c < 256; c++)
			gv_printf(&b, "cpu%u %u 0 0 %u 0 0 0 0 0 0\n", c, i * 100, i * 100);
	}
	run = gv_test_run("many", z(&b), NULL);
	assert_int_equal(gv_count(run, GV_CPU, NULL), 256);
	assert_true(gv_series(gv_test_node(run), GV_F_USR, NULL, 0) <= 64);
	assert_true(gv_series(gv_test_node(run), GV_F_USR, NULL, 0) >= 32);
	near(gv_test_num(one(run, GV_CPU, "255"), GV_F_CPU_USR), 50);
	gv_test_end(run);
	gv_buf_free(&b);
}

/* ---- /proc/diskstats ---- */

static void disk_series(void **state)
{
	struct gv_run *run = gv_test_run("d.txt",
					 "@100.000 /proc/diskstats\n"
					 "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
					 "   8       0 sda 1000 0 80000 5000 10 0 80 20 0 3000 5020 0 0 0 0\n"
					 "   8       1 sda1 900 0 70000 4000 10 0 80 20 0 2000 4020 0 0 0 0\n"
					 " 259       0 nvme0n1 50 0 400 10 0 0 0 0 0 10 10\n"
					 " 259       1 nvme0n1p1 50 0 400 10 0 0 0 0 0 10 10\n"
					 " 202       1 xvda1 5 0 40 10 0 0 0 0 0 10 10\n"
					 "@101.000 /proc/diskstats\n"
					 "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
					 "   8       0 sda 1200 0 83200 9000 10 0 80 20 3 3990 9020 0 0 0 0\n"
					 "   8       1 sda1 1100 0 73200 8000 10 0 80 20 3 2990 8020 0 0 0 0\n"
					 " 259       0 nvme0n1 50 0 400 10 0 0 0 0 0 10 10\n"
					 " 259       1 nvme0n1p1 50 0 400 10 0 0 0 0 0 10 10\n"
					 " 202       1 xvda1 5 0 40 10 0 0 0 0 0 10 10\n",
					 NULL);
	struct gv_entity *sda = one(run, GV_DISK, "sda"), *nvme = one(run, GV_DISK, "nvme0n1");

	(void)state;
	assert_int_equal(gv_count(run, GV_DISK, NULL), 3); /* no partition, nothing unused; xvda1 stands alone */
	near(gv_test_num(sda, GV_F_DISK_RPS), 200);
	near(gv_test_num(sda, GV_F_DISK_RKB), 1600);
	near(gv_test_num(sda, GV_F_DISK_R_AWAIT), 20);
	near(gv_test_num(sda, GV_F_DISK_RAREQ), 8);
	near(gv_test_num(sda, GV_F_DISK_AQU), 4);
	near(gv_test_num(sda, GV_F_DISK_UTIL), 99);
	assert_unknown(sda, GV_F_DISK_W_AWAIT); /* nothing was written */
	assert_false(gv_flag(sda, GV_F_DISK_SINCE_BOOT));
	near(gv_test_num(nvme, GV_F_DISK_UTIL), 0);
	gv_test_end(run);
}

static void disk_once(void **state)
{
	struct gv_run *run =
	    gv_test_run("one.txt", "@1000.0 /proc/diskstats\n 8 0 sda 1000 0 80000 5000 0 0 0 0 0 3000 5000\n", NULL);
	struct gv_entity *sda = one(run, GV_DISK, "sda");

	(void)state;
	assert_true(gv_flag(sda, GV_F_DISK_SINCE_BOOT));
	near(gv_test_num(sda, GV_F_DISK_RPS), 1);
	near(gv_test_num(sda, GV_F_DISK_R_AWAIT), 5);
	gv_test_end(run);

	/* a paste does not say how long the machine runs */
	run = gv_test_run("paste.txt",
			  "$ cat /proc/diskstats\n   8       0 sda 1000 0 80000 5000 0 0 0 0 0 3000 5000\n", NULL);
	sda = one(run, GV_DISK, "sda");
	is_unknown_because(sda, GV_F_DISK_UTIL, "counters since boot, and how long ago that was is not known");
	assert_unknown(sda, GV_F_DISK_RPS);
	gv_test_end(run);

	/* times are no uptime at the moment of the boot itself */
	run = gv_test_run("zero.txt", "@0.000 /proc/diskstats\n 8 0 sda 1 0 8 5 0 0 0 0 0 3 5\n", NULL);
	assert_unknown(one(run, GV_DISK, "sda"), GV_F_DISK_UTIL);
	gv_test_end(run);

	/* reset in between; an overflow of the 32-bit times */
	run = gv_test_run("reset.txt",
			  "@100.0 /proc/diskstats\n 8 0 sda 900 0 9000 4294967290 0 0 0 0 0 3000 5000\n"
			  "@101.0 /proc/diskstats\n 8 0 sda 950 0 9400 40 0 0 0 0 0 3100 5100\n",
			  NULL);
	assert_int_equal(gv_count(run, GV_DISK, NULL), 0);
	gv_test_end(run);
}

/* ---- The rest of /proc ---- */

static void vmstat_counters(void **state)
{
	struct gv_run *run =
	    gv_test_run("v.txt",
			"@100.0 /proc/vmstat\nnr_free_pages 1000\npswpin 100\npswpout 10\npgmajfault 5\noom_kill 1\n"
			"@101.0 /proc/vmstat\nnr_free_pages 900\npswpin 600\npswpout 10\npgmajfault 25\noom_kill 2\n",
			NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_SWAP_IN), 2000);
	near(gv_test_num(n, GV_F_SWAP_OUT), 0);
	near(gv_test_num(n, GV_F_MAJOR_FAULTS), 20);
	near(gv_test_num(n, GV_F_OOM_KILLS), 2);
	assert_false(gv_flag(n, GV_F_VM_SINCE_BOOT));
	gv_test_end(run);

	run = gv_test_run("grep.txt", "$ grep . /proc/vmstat\npswpin 100\npswpout 10\noom_kill 3\n", NULL);
	near(gv_test_num(gv_test_node(run), GV_F_OOM_KILLS), 3);
	assert_unknown(gv_test_node(run), GV_F_SWAP_IN);
	gv_test_end(run);
}

#define NET_HEAD                                                                                                       \
	"Inter-|   Receive                                                |  Transmit\n"                               \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "     \
	"carrier compressed\n"

static void net_dev(void **state)
{
	struct gv_run *run =
	    gv_test_run("n.txt",
			"@100.0 /proc/net/dev\n" NET_HEAD "  eth0: 1000 100000 0 50 0 0 0 0 2000 20 0 0 0 0 0 0\n"
			"@101.0 /proc/net/dev\n" NET_HEAD "  eth0: 1500 150000 0 4000 0 0 0 0 2000 20 0 0 0 0 0 0\n"
			"@102.0 /proc/net/dev\n" NET_HEAD "  eth0: 2000 200000 0 8050 0 0 0 0 2000 20 0 1 0 0 0 0\n",
			NULL);
	struct gv_entity *eth0 = one(run, GV_NIC, "eth0");
	const struct gv_obs *old, *new;
	const struct gv_finding *f = gv_test_finding(run, GV_K_NIC_DROPS);
	double s;

	(void)state;
	assert_true(gv_two_looks(eth0, GV_F_NIC_RX_DROPPED, &old, &new));
	near(old->num, 50);
	near(new->num, 8050);
	assert_true(gv_seconds(old, new, &s));
	near(s, 2);
	assert_false(gv_seconds(new, old, &s));
	assert_non_null(f);
	assert_true(gv_has(f->summary, "2 s"));
	gv_test_end(run);

	/* one snapshot says nothing of now; two outputs do, as two looks */
	run = gv_test_run("once.txt", NET_HEAD "  eth0:1000 100000 0 5000 0 0 0 0 2000 20 0 0 0 0 0 0\n", NULL);
	eth0 = one(run, GV_NIC, "eth0");
	near(gv_test_num(eth0, GV_F_NIC_RX_DROPPED), 5000);
	assert_false(gv_two_looks(eth0, GV_F_NIC_RX_DROPPED, &old, &new));
	assert_null(gv_test_finding(run, GV_K_NIC_DROPS));
	gv_test_end(run);

	run = gv_test_run("1.txt", NET_HEAD "  eth0: 1000 100000 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n", "2.txt",
			  NET_HEAD "  eth0: 1000 200000 0 5000 0 0 0 0 2000 20 0 0 0 0 0 0\n", NULL);
	assert_true(gv_two_looks(one(run, GV_NIC, "eth0"), GV_F_NIC_RX_DROPPED, &old, &new));
	assert_ptr_not_equal(old->block, new->block);
	assert_false(gv_seconds(old, new, &s));
	gv_test_end(run);
}

static void pressure(void **state)
{
	struct gv_run *run = gv_test_run(
	    "io",
	    "@100.0 /proc/pressure/io\nsome avg10=1.00 avg60=0.00 avg300=0.00 total=1000000\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	    "@101.0 /proc/pressure/io\nsome avg10=2.00 avg60=0.00 avg300=0.00 total=1250000\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=100000\n",
	    "paste.txt",
	    "$ cat /proc/pressure/memory\nsome avg10=7.50 avg60=0.00 avg300=0.00 total=1\n"
	    "full avg10=3.25 avg60=0.00 avg300=0.00 total=1\n",
	    "head.txt",
	    "$ head /proc/pressure/*\n==> /proc/pressure/cpu <==\n"
	    "some avg10=11.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	    NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_PRESSURE_IO), 25);
	near(gv_test_num(n, GV_F_PRESSURE_IO_FULL), 10);
	near(gv_test_num(n, GV_F_PRESSURE_MEM), 7.5);
	near(gv_test_num(n, GV_F_PRESSURE_MEM_FULL), 3.25);
	near(gv_test_num(n, GV_F_PRESSURE_CPU), 11);
	gv_test_end(run);

	/* which resource it is about is not known */
	run = gv_test_run("x.txt", "some avg10=7.50 avg60=0.00 avg300=0.00 total=1\n", NULL);
	assert_unknown(gv_test_node(run), GV_F_PRESSURE_MEM);
	assert_unknown(gv_test_node(run), GV_F_PRESSURE_CPU);
	gv_test_end(run);
}

static void small_files(void **state)
{
	struct gv_run *run = gv_test_run(
	    "load",
	    "@10.0 /proc/loadavg\n3.05 1.37 1.71 4/111 13177\n@11.0 /proc/loadavg\n3.15 1.37 1.71 4/111 13177\n", "up",
	    "$ cat /proc/uptime\n83142.11 160011.02\n", "cmd",
	    "$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=/dev/sda1 ro iommu=pt\n", "mods",
	    "$ cat /proc/modules\nnvidia_uvm 6922240 0 - Live 0x0000000000000000 (POE)\n"
	    "nouveau 12288 1 drm, Loading 0x0000000000000000\n"
	    "ext4 1142784 2 - Live 0x0000000000000000\nmlx5_core 2500000 1 mlx5_ib, Live 0x0000000000000000\n",
	    "mounts",
	    "$ cat /proc/self/mounts\nproc /proc proc rw,nosuid 0 0\n/dev/nvme0n1p2 / ext4 rw,relatime 0 0\n"
	    "tmpfs /dev/shm tmpfs rw,nosuid,nodev,size=65536k 0 0\nnfs1:/data /mnt/my\\040data nfs4 rw,vers=4.2 0 0\n",
	    "limits",
	    "$ cat /proc/self/limits\nLimit                     Soft Limit           Hard Limit           Units     \n"
	    "Max open files            1024                 1048576              files     \n"
	    "Max locked memory         unlimited            unlimited            bytes     \n",
	    "cg", "$ cat /proc/self/cgroup\n4:memory:/docker/abc\n1:cpu:/docker/abc\n0::/\n", "cpu",
	    "$ cat /proc/cpuinfo\nprocessor\t: 0\nmodel name\t: Some CPU 9000\nsiblings\t: 64\ncpu cores\t: 32\n\n",
	    NULL);
	struct gv_entity *n = gv_test_node(run), *shm = one(run, GV_MOUNT, "/dev/shm");

	(void)state;
	near(gv_test_num(n, GV_F_LOAD1), 3.05);
	near(gv_test_num(n, GV_F_UPTIME), 83142.11);
	gv_test_is_text(n, GV_F_KERNEL_CMDLINE, "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro iommu=pt");
	gv_test_is_text(n, GV_F_MODULES, "nvidia_uvm mlx5_core"); /* nouveau is not there yet */
	assert_int_equal(gv_count(run, GV_MOUNT, NULL), 3);
	near(gv_test_num(shm, GV_F_MOUNT_SIZE), 65536);
	gv_test_is_text(one(run, GV_MOUNT, "/mnt/my data"), GV_F_MOUNT_SOURCE, "nfs1:/data");
	gv_test_is_text(n, GV_F_LIMIT_FILES, "1024");
	gv_test_is_text(n, GV_F_LIMIT_MEMLOCK, "unlimited");
	gv_test_is_text(n, GV_F_CGROUP_PATH, "/docker/abc");
	gv_test_is_text(n, GV_F_CPU_MODEL, "Some CPU 9000");
	near(gv_test_num(n, GV_F_THREADS_PER_CORE), 2);
	gv_test_end(run);
}

static void meminfo_twice(void **state)
{
	struct gv_run *run = gv_test_run("m",
					 "@10.0 /proc/meminfo\nMemTotal:       1000 kB\nMemAvailable:    400 kB\n"
					 "@12.0 /proc/meminfo\nMemTotal:       1000 kB\nMemAvailable:    300 kB\n",
					 NULL);

	(void)state;
	assert_int_equal(gv_series(gv_test_node(run), GV_F_MEM_AVAIL, NULL, 0), 2);
	near(gv_test_num(gv_test_node(run), GV_F_MEM_AVAIL), 300);
	gv_test_end(run);
}

static void cgroup_quota(void **state)
{
	struct gv_run *run =
	    gv_test_run("q", "$ cat /sys/fs/cgroup/cpu.max\n250000 100000\n", "s",
			"$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 5\nnr_periods 10\nnr_throttled 4\n", NULL);

	(void)state;
	near(gv_test_num(gv_test_node(run), GV_F_CGROUP_CPUS), 2.5);
	near(gv_test_num(gv_test_node(run), GV_F_CGROUP_THROTTLED), 4);
	gv_test_end(run);

	run = gv_test_run("max", "$ cat /sys/fs/cgroup/cpu.max\nmax 100000\n", NULL);
	is_unknown_because(gv_test_node(run), GV_F_CGROUP_CPUS, "the cgroup has no quota");
	gv_test_end(run);

	run = gv_test_run("v1",
			  "$ grep . /sys/fs/cgroup/cpu/cpu.cfs_*\n/sys/fs/cgroup/cpu/cpu.cfs_period_us:50000\n"
			  "/sys/fs/cgroup/cpu/cpu.cfs_quota_us:100000\n",
			  NULL);
	near(gv_test_num(gv_test_node(run), GV_F_CGROUP_CPUS), 2);
	gv_test_end(run);
}

static void nvidia_proc(void **state)
{
	struct gv_run *run = gv_test_run(
	    "v",
	    "$ cat /proc/driver/nvidia/version\n"
	    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (builder)\nGCC "
	    "version:  gcc 12\n"
	    "$ cat /proc/driver/nvidia/params\nResmanDebugLevel: 4294967295\nExcludedGpus: \"GPU-11\"\n"
	    "$ cat /proc/driver/nvidia/gpus/0000:41:00.0/information\n"
	    "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 99\nGPU UUID: \t GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\n"
	    "Video BIOS: \t 96.00.74.00.0D\nBus Type: \t PCIe\nBus Location: \t 0000:41:00.0\nDevice Minor: \t 0\n"
	    "$ cat /proc/driver/nvidia/gpus/0000:42:00.0/information\n"
	    "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 100\nGPU UUID: \t "
	    "GPU-\?\?\?\?\?\?\?\?-\?\?\?\?-\?\?\?\?-\?\?\?\?-\?\?\?\?\?\?\?\?\?\?\?\?\n"
	    "Bus Location: \t 0000:42:00.0\nDevice Minor: \t 1\n"
	    "$ cat /proc/driver/nvidia/gpus/0000:43:00.0/information: no answer within 5 s\n",
	    NULL);
	struct gv_entity *n = gv_test_node(run), *bad = one(run, GV_GPU, "0000:42:00.0");

	(void)state;
	gv_test_is_text(n, GV_F_DRIVER_KERNEL, "550.54.15");
	assert_true(gv_flag(n, GV_F_DRIVER_OPEN));
	gv_test_is_text(n, GV_F_DRIVER_EXCLUDED, "GPU-11");
	gv_test_is_text(one(run, GV_GPU, "0000:41:00.0"), GV_F_GPU_UUID, "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
	near(gv_test_num(one(run, GV_GPU, "0000:41:00.0"), GV_F_GPU_MINOR), 0);
	gv_test_is_text(bad, GV_F_GPU_NAME, "NVIDIA H100 80GB HBM3");
	is_unknown_because(bad, GV_F_GPU_UUID, "the driver has not initialised the GPU");
	assert_true(gv_text(one(run, GV_GPU, "0000:43:00.0"), GV_F_GPU_NO_ANSWER).n > 0);
	gv_test_end(run);

	run = gv_test_run(
	    "p", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n", NULL);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "535.104.05");
	assert_false(gv_flag(gv_test_node(run), GV_F_DRIVER_OPEN));
	gv_test_end(run);
}

/* ---- /sys ---- */

#define PCI "/sys/bus/pci/devices/"
#define HOST_BRIDGE                                                                                                    \
	PCI "0000:00:00.0/class:0x060000\n" PCI "0000:00:00.0/vendor:0x8086\n" PCI "0000:00:00.0/device:0x0d57\n"
#define FUNCTION(at, c, v, d) PCI at "/class:" c "\n" PCI at "/vendor:" v "\n" PCI at "/device:" d "\n"

static void pci_list(void **state)
{
	struct gv_run *run = gv_test_run(
	    "p",
	    HOST_BRIDGE FUNCTION("0000:00:02.0", "0x030000", "0x8086", "0x4680") /* in the CPU */
	    FUNCTION("0000:03:00.0", "0x030000", "0x1a03", "0x2000")		 /* the BMC's */
	    FUNCTION("0000:40:01.0", "0x060400", "0x8086", "0x352a") PCI
	    "0000:40:01.0/secondary_bus_number:65\n" PCI "0000:40:01.0/max_link_speed:16.0 GT/s PCIe\n" PCI
	    "0000:40:01.0/max_link_width:8\n" FUNCTION("0000:41:00.0", "0x030200", "0x10de", "0x2330") PCI
	    "0000:41:00.0/subsystem_vendor:0x10de\n" PCI "0000:41:00.0/subsystem_device:0x16c1\n" PCI
	    "0000:41:00.0/current_link_speed:16.0 GT/s PCIe\n" PCI "0000:41:00.0/current_link_width:8\n" PCI
	    "0000:41:00.0/max_link_speed:32.0 GT/s PCIe\n" PCI "0000:41:00.0/max_link_width:16\n" PCI
	    "0000:41:00.0/numa_node:1\n" PCI "0000:41:00.0/local_cpulist:32-63\n" PCI
	    "0000:41:00.0/power/runtime_status:active\n" PCI "0000:41:00.0/aer_dev_correctable:RxErr 3\n" PCI
	    "0000:41:00.0/aer_dev_correctable:BadTLP 4\n" PCI "0000:41:00.0/aer_dev_correctable:TOTAL_ERR_COR 7\n" PCI
	    "0000:41:00.0/driver -> ../../../bus/pci/drivers/nvidia\n" PCI
	    "0000:41:00.0/iommu_group -> ../../../../kernel/iommu_groups/12\n" FUNCTION("0000:41:00.4", "0x030200",
											"0x10de", "0x2330") PCI
	    "0000:41:00.4/physfn -> ../0000:41:00.0\n" PCI "0000:41:00.4/current_link_width:0\n",
	    NULL);
	struct gv_entity *n = gv_test_node(run), *pci = one(run, GV_PCI, "0000:41:00.0"),
			 *gpu = one(run, GV_GPU, "0000:41:00.0");

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	near(gv_test_num(n, GV_F_GPU_ON_BUS), 1);
	gv_test_is_text(gpu, GV_F_GPU_NAME, "NVIDIA H100 80GB HBM3");
	gv_test_is_text(gpu, GV_F_GPU_VENDOR, "nvidia");
	gv_test_is_text(gpu, GV_F_GPU_CPUS, "32-63");
	near(gv_test_num(gpu, GV_F_GPU_NUMA), 1);
	gv_test_is_text(pci, GV_F_PCI_CLASS, "3D controller");
	gv_test_is_text(pci, GV_F_PCI_NAME, "NVIDIA H100 80GB HBM3 [10de:2330]");
	gv_test_is_text(pci, GV_F_PCI_DRIVER, "nvidia");
	gv_test_is_text(pci, GV_F_PCI_IOMMU, "12");
	near(gv_test_num(pci, GV_F_PCI_AER_COR), 7);
	near(gv_test_num(pci, GV_F_PCI_WIDTH), 8);
	near(gv_test_num(pci, GV_F_PCI_CAP_WIDTH), 16);
	near(gv_test_num(pci, GV_F_PCI_HOP_WIDTH), 8); /* the port's end has no more */
	near(gv_test_num(pci, GV_F_PCI_HOP_SPEED), 16);
	is_unknown_because(one(run, GV_PCI, "0000:41:00.4"), GV_F_PCI_WIDTH, "the function has no link of its own");
	assert_null(gv_test_finding(run, GV_K_PCIE_LINK_DEGRADED));
	gv_test_end(run);
}

static void pci_states(void **state)
{
	struct gv_run *run = gv_test_run(
	    "p",
	    FUNCTION("0000:01:00.0", "0x030200", "0x10de", "0x2330") PCI
	    "0000:01:00.0/power/runtime_status:suspended\n" PCI "0000:01:00.0/current_link_width:63\n" PCI
	    "0000:01:00.0/max_link_width:16\n" FUNCTION("0000:02:00.0", "0x030200", "0x10de", "0x2330") PCI
	    "0000:02:00.0/power/runtime_status:active\n" PCI "0000:02:00.0/current_link_width:63\n" PCI
	    "0000:02:00.0/current_link_speed:Unknown\n" FUNCTION("0000:03:00.0", "0x030200", "0x10de", "0x2330") PCI
	    "0000:03:00.0/current_link_width:63\n" FUNCTION("0000:04:00.0", "0x030200", "0x10de", "0x2330") PCI
	    "0000:04:00.0/local_cpulist: Permission denied\n" PCI
	    "0000:04:00.0/current_link_speed: no answer within 5 s\n",
	    NULL);

	(void)state;
	gv_test_is_text(one(run, GV_GPU, "0000:01:00.0"), GV_F_GPU_RUNTIME, "suspended");
	is_unknown_because(one(run, GV_PCI, "0000:01:00.0"), GV_F_PCI_WIDTH, "the device sleeps");
	assert_false(gv_flag(one(run, GV_PCI, "0000:01:00.0"), GV_F_PCI_REV_FF));
	assert_true(gv_flag(one(run, GV_PCI, "0000:02:00.0"), GV_F_PCI_REV_FF));
	assert_non_null(gv_test_finding(run, GV_K_GPU_FELL_OFF_BUS));
	/* whether it is awake is not known */
	assert_false(gv_flag(one(run, GV_PCI, "0000:03:00.0"), GV_F_PCI_REV_FF));
	assert_unknown(one(run, GV_PCI, "0000:03:00.0"), GV_F_PCI_WIDTH);
	assert_int_equal(gv_text(one(run, GV_GPU, "0000:04:00.0"), GV_F_GPU_CPUS).n, 0);
	assert_true(gv_text(one(run, GV_GPU, "0000:04:00.0"), GV_F_GPU_NO_ANSWER).n > 0);
	assert_unknown(gv_test_node(run), GV_F_GPU_ON_BUS); /* no host bridge: an excerpt */
	gv_test_end(run);
}

static void pci_none(void **state)
{
	struct gv_run *run =
	    gv_test_run("p", HOST_BRIDGE FUNCTION("0000:00:01.0", "0x030000", "0x1af4", "0x1050"), NULL);

	(void)state;
	near(gv_test_num(gv_test_node(run), GV_F_GPU_ON_BUS), 0);
	gv_test_verdict(run, GV_KINDS);
	assert_true(gv_has(run->stage[GV_STAGE_VISIBLE].summary, "no GPU"));
	gv_test_end(run);

	/* by attribute, as a shell expands it, without the host bridge: the command asked for all */
	run = gv_test_run("q",
			  "$ grep . /sys/bus/pci/devices/*/class /sys/bus/pci/devices/*/vendor\n" PCI
			  "0000:41:00.0/class:0x120000\n" PCI "0000:42:00.0/class:0x020000\n" PCI
			  "0000:41:00.0/vendor:0x1002\n" PCI "0000:42:00.0/vendor:0x15b3\n",
			  NULL);
	near(gv_test_num(gv_test_node(run), GV_F_GPU_ON_BUS), 1);
	gv_test_is_text(one(run, GV_GPU, "0000:41:00.0"), GV_F_GPU_VENDOR, "amd");
	gv_test_end(run);

	/* nothing was printed, and something would have been */
	run = gv_test_run("r", "$ grep . /sys/bus/pci/devices/*/class\n$ uname -r\n6.8.0-generic\n", NULL);
	near(gv_test_num(gv_test_node(run), GV_F_GPU_ON_BUS), 0);
	gv_test_end(run);
}

#define DRM "/sys/class/drm/card0/"

static void drm(void **state)
{
	struct gv_run *run = gv_test_run(
	    "amd",
	    DRM "device -> ../../../0000:03:00.0\n" DRM "device/vendor:0x1002\n" DRM "device/device:0x74a1\n" DRM
		"device/gpu_busy_percent:97\n" DRM "device/mem_busy_percent:40\n" DRM
		"device/mem_info_vram_total:206141652992\n" DRM "device/mem_info_vram_used:104857600\n" DRM
		"device/unique_id:0123456789abcdef\n" DRM "device/pp_dpm_sclk:0: 132Mhz\n" DRM
		"device/pp_dpm_sclk:1: 1700Mhz *\n" DRM "device/pp_dpm_sclk:2: 2100Mhz\n" DRM
		"device/hwmon/hwmon3/power1_input:600000000\n" DRM "device/hwmon/hwmon3/power1_cap:750000000\n" DRM
		"device/hwmon/hwmon3/temp2_label:junction\n" DRM "device/hwmon/hwmon3/temp2_input:71000\n" DRM
		"device/hwmon/hwmon3/temp3_label:mem\n" DRM "device/hwmon/hwmon3/temp3_input:65000\n"
		"/sys/class/drm/card0-DP-1/status:connected\n",
	    NULL);
	struct gv_entity *gpu = one(run, GV_GPU, "0000:03:00.0");

	(void)state;
	gv_test_is_text(gpu, GV_F_GPU_NAME, "AMD Instinct MI300X");
	gv_test_is_text(gpu, GV_F_GPU_UUID, "GPU-0123456789abcdef");
	near(gv_test_num(gpu, GV_F_GPU_UTIL), 97);
	near(gv_test_num(gpu, GV_F_GPU_MEM_TOTAL), 196592);
	near(gv_test_num(gpu, GV_F_GPU_MEM_USED), 100);
	near(gv_test_num(gpu, GV_F_GPU_CLK_SM), 1700);
	near(gv_test_num(gpu, GV_F_GPU_CLK_MAX_SM), 2100);
	near(gv_test_num(gpu, GV_F_GPU_POWER), 600);
	near(gv_test_num(gpu, GV_F_GPU_POWER_LIMIT), 750);
	near(gv_test_num(gpu, GV_F_GPU_TEMP), 71); /* it has no edge */
	near(gv_test_num(gpu, GV_F_GPU_TEMP_HOT), 71);
	near(gv_test_num(gpu, GV_F_GPU_TEMP_MEM), 65);
	gv_test_end(run);

	run = gv_test_run(
	    "apu",
	    DRM "device -> ../../../0000:0a:00.0\n" DRM "device/gpu_busy_percent:3\n" DRM
		"device/mem_info_vram_total:536870912\n",
	    "xe",
	    "/sys/class/drm/card1/device -> ../../../0000:04:00.0\n/sys/class/drm/card1/device/vendor:0x8086\n"
	    "/sys/class/drm/card1/device/tile0/gt0/freq0/act_freq:2850\n"
	    "/sys/class/drm/card1/device/tile0/gt0/freq0/throttle/status:1\n"
	    "/sys/class/drm/card1/device/tile0/gt0/freq0/throttle/reason_pl1:0\n"
	    "/sys/class/drm/card1/device/tile0/gt0/freq0/throttle/reason_pl2:1\n"
	    "/sys/class/drm/card1/device/tile0/gt0/freq0/throttle/reason_thermal:0\n",
	    NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gpu = one(run, GV_GPU, "0000:04:00.0");
	near(gv_test_num(gpu, GV_F_GPU_CLK_SM), 2850);
	assert_true(gv_flag(gpu, GV_F_GPU_CAP_POWER));
	assert_false(gv_flag(gpu, GV_F_GPU_CAP_SW_THERMAL));
	gv_test_end(run);
}

static void other_areas(void **state)
{
	struct gv_run *run = gv_test_run(
	    "s",
	    "/sys/class/net/eth0/device -> "
	    "../../../0000:42:00.0\n/sys/class/net/eth0/operstate:up\n/sys/class/net/eth0/carrier:1\n"
	    "/sys/class/net/eth0/speed:200000\n/sys/class/net/eth0/mtu:9000\n/sys/class/net/eth1/speed:-1\n"
	    "/sys/class/infiniband/mlx5_0/device -> "
	    "../../../0000:43:00.0\n/sys/class/infiniband/mlx5_0/fw_ver:28.39.1002\n"
	    "/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE\n/sys/class/infiniband/mlx5_0/ports/1/phys_state:5: "
	    "LinkUp\n"
	    "/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)\n"
	    "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:18446744073709551615\n"
	    "/sys/class/infiniband/mlx5_0/ports/2/state:1: DOWN\n"
	    "/sys/block/sda/size:2000000\n/sys/block/sda/queue/rotational:1\n/sys/block/loop0/queue/rotational:0\n"
	    "/sys/devices/system/node/node0/cpulist:0-15\n/sys/devices/system/node/node0/distance:10 21\n"
	    "/sys/devices/system/node/node1/cpulist:16-31\n"
	    "/sys/devices/system/cpu/online:0-31\n/sys/devices/system/cpu/isolated:2-3\n/sys/devices/system/cpu/smt/"
	    "active:1\n"
	    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor:powersave\n"
	    "/sys/module/nvidia/version:550.54.15\n/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] "
	    "never\n",
	    NULL);
	struct gv_entity *n = gv_test_node(run), *ib = one(run, GV_NIC, "mlx5_0"), *eth = one(run, GV_NIC, "eth0");

	(void)state;
	gv_test_is_text(eth, GV_F_NIC_BUS_ID, "0000:42:00.0");
	gv_test_is_text(eth, GV_F_NIC_STATE, "UP");
	near(gv_test_num(eth, GV_F_NIC_SPEED), 200000);
	near(gv_test_num(eth, GV_F_NIC_MTU), 9000);
	assert_true(gv_flag(eth, GV_F_NIC_LINK));
	assert_unknown(one(run, GV_NIC, "eth1"), GV_F_NIC_SPEED);
	gv_test_is_text(ib, GV_F_NIC_PHYS, "LinkUp");
	gv_test_is_text(ib, GV_F_NIC_FIRMWARE, "28.39.1002");
	near(gv_test_num(ib, GV_F_NIC_SPEED), 400000);
	assert_true(gv_flag(ib, GV_F_NIC_LINK));
	gv_test_is_text(one(run, GV_NIC, "mlx5_0/2"), GV_F_NIC_STATE, "DOWN");
	near(gv_test_num(one(run, GV_DISK, "sda"), GV_F_DISK_SIZE), 1000000);
	assert_true(gv_flag(one(run, GV_DISK, "sda"), GV_F_DISK_ROTATIONAL));
	assert_int_equal(gv_count(run, GV_DISK, NULL), 1);
	gv_test_is_text(one(run, GV_NUMA, "1"), GV_F_NUMA_CPUS, "16-31");
	gv_test_is_text(one(run, GV_NUMA, "0"), GV_F_NUMA_DISTANCE, "10 21");
	near(gv_test_num(n, GV_F_NUMA_NODES), 2);
	near(gv_test_num(n, GV_F_CPUS), 32);
	gv_test_is_text(n, GV_F_CPU_ISOLATED, "2-3");
	gv_test_is_text(n, GV_F_CPU_GOVERNOR, "powersave");
	assert_true(gv_flag(n, GV_F_SMT));
	gv_test_is_text(n, GV_F_DRIVER_KERNEL, "550.54.15");
	gv_test_is_text(n, GV_F_THP, "madvise");
	gv_test_end(run);
}

/* ---- This machine ---- */

static void append(struct gv_buf *b, struct gv_arena *a, const char *head, const char *path)
{
	gv_str text;

	if (gv_file_read(path, 1 << 20, a, &text))
		fail_msg("%s cannot be read", path);
	gv_puts(b, head);
	gv_put(b, text);
}

/* Every line of what any Linux has is claimed, and its numbers can be. */
static void this_machine(void **state)
{
	static const char *const sampled[] = { "/proc/stat", "/proc/diskstats", "/proc/vmstat", "/proc/loadavg",
					       "/proc/meminfo" };
	struct gv_buf doc[6] = { 0 };
	struct gv_arena *a = gv_arena_new();
	struct gv_run *run;
	double v;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		char head[64];

		snprintf(head, sizeof(head), "@100.000 %s\n", sampled[i]);
		append(&doc[i], a, head, sampled[i]);
	}
	append(&doc[5], a, "$ cat /proc/self/limits\n", "/proc/self/limits");
	append(&doc[5], a, "$ cat /proc/self/mounts\n", "/proc/self/mounts");
	append(&doc[5], a, "$ cat /proc/version\n", "/proc/version");
	append(&doc[5], a, "$ cat /proc/uptime\n", "/proc/uptime");
	run = gv_test_run("0", z(&doc[0]), "1", z(&doc[1]), "2", z(&doc[2]), "3", z(&doc[3]), "4", z(&doc[4]), "5",
			  z(&doc[5]), NULL);
	for (size_t d = 0; d < run->docs.n; d++)
		for (size_t i = 0; i < run->docs.v[d]->nlines; i++) {
			const struct gv_line *l = &run->docs.v[d]->lines[i];

			if (!(l->flags & (GV_LINE_CLAIMED | GV_LINE_PROMPT)) && gv_trim(l->text).n)
				fail_msg("%s:%u is not claimed: %.*s", sampled[d < 5 ? d : 0], l->no, GV_ARG(l->text));
		}
	v = gv_test_num(gv_test_node(run), GV_F_IDLE);
	assert_true(v >= 0 && v <= 100);
	assert_true(gv_test_num(gv_test_node(run), GV_F_CPUS) >= 1);
	assert_true(gv_test_num(gv_test_node(run), GV_F_MEM_TOTAL) > 0);
	assert_true(gv_test_num(gv_test_node(run), GV_F_UPTIME) > 0);
	assert_true(gv_text(gv_test_node(run), GV_F_LIMIT_FILES).n > 0);
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_DISK, NULL, e));)
		if (gv_num(e, GV_F_DISK_UTIL, &v))
			assert_true(v >= 0 && v <= 100);
	gv_test_end(run);
	for (size_t i = 0; i < 6; i++)
		gv_buf_free(&doc[i]);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_series),
		cmocka_unit_test(stat_once),
		cmocka_unit_test(stat_bad_windows),
		cmocka_unit_test(stat_many),
		cmocka_unit_test(schedstat_is_not_stat),
		cmocka_unit_test(disk_series),
		cmocka_unit_test(disk_once),
		cmocka_unit_test(vmstat_counters),
		cmocka_unit_test(net_dev),
		cmocka_unit_test(pressure),
		cmocka_unit_test(small_files),
		cmocka_unit_test(meminfo_twice),
		cmocka_unit_test(cgroup_quota),
		cmocka_unit_test(nvidia_proc),
		cmocka_unit_test(pci_list),
		cmocka_unit_test(pci_states),
		cmocka_unit_test(pci_none),
		cmocka_unit_test(drm),
		cmocka_unit_test(other_areas),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
