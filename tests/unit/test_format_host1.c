/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of what the host's own tools print: where their outputs are hard to read. */
#include "pipeline.h"

#include <math.h>

#define near(got, want) check_near((got), (want), __LINE__)

static void check_near(double got, double want, int line)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-9 + 1e-9))
		fail_msg("line %d: %.12g is not %.12g", line, got, want);
}

static struct gv_entity *one(const struct gv_run *run, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_by_id(run, k, NULL, gv_str_of(id));

	if (!e)
		fail_msg("%s %s is missing", gv_entity_name[k], id);
	return e;
}

static void assert_unknown(const struct gv_entity *e, enum gv_fact f)
{
	assert_false(gv_num(e, f, NULL));
}

/* Unknown, and the output was asked: a reason is kept. */
static void assert_reason(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_slot *s = gv_slot_of(e, f);

	assert_unknown(e, f);
	assert_int_equal(s->n, 1);
	assert_non_null(s->v[0].reason);
}

static void mpstat_intervals(void **state)
{
	struct gv_run *run = gv_test_run("mpstat.txt",
					 "Linux 6.1.0 (n7) \t02/03/26 \t_x86_64_\t(2 CPU)\n\n"
					 "09:00:00 PM  CPU    %usr   %nice    %sys %iowait  %steal   %idle\n"
					 "09:00:01 PM  all   40.00    2.00    8.00    1.00    3.00   46.00\n"
					 "09:00:01 PM    0   70.00    0.00   10.00    0.00    0.00   20.00\n"
					 "09:00:01 PM    1   10.00    4.00    6.00    2.00    6.00   72.00\n\n"
					 "09:00:01 PM  CPU    %usr   %nice    %sys %iowait  %steal   %idle\n"
					 "09:00:02 PM  all   50.00    0.00   10.00    1.00    3.00   36.00\n"
					 "09:00:02 PM    0   90.00    0.00   10.00    0.00    0.00    0.00\n\n"
					 "Average:     CPU    %usr   %nice    %sys %iowait  %steal   %idle\n"
					 "Average:     all   11.00    0.00   11.00    1.00    1.00   76.00\n"
					 "Average:       3    5.00    0.00    0.00    0.00    0.00   95.00\n",
					 NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	assert_int_equal(gv_series(n, GV_F_IDLE, NULL, 0), 2); /* averages are no third sample */
	assert_int_equal(gv_series(one(run, GV_CPU, "0"), GV_F_CPU_USR, NULL, 0), 2);
	near(gv_series_quantile(n, GV_F_USR, 0), 42);
	near(gv_test_num(n, GV_F_CPUS), 2);
	near(gv_test_num(one(run, GV_CPU, "3"), GV_F_CPU_USR), 5); /* only the average has it */
	assert_false(gv_flag(n, GV_F_CPU_SINCE_BOOT));
	gv_test_is_text(n, GV_F_KERNEL, "6.1.0");
	gv_test_end(run);
}

static void mpstat_since_boot(void **state)
{
	struct gv_run *run = gv_test_run("m.txt",
					 "07:07:07     CPU    %user   %nice  %system %iowait    %idle\n"
					 "07:07:07     all    1,50    0,25     2,00    0,50    95,75\n",
					 NULL);

	(void)state;
	assert_true(gv_flag(gv_test_node(run), GV_F_CPU_SINCE_BOOT));
	near(gv_test_num(gv_test_node(run), GV_F_USR), 1.75);
	near(gv_test_num(gv_test_node(run), GV_F_IDLE), 95.75);
	gv_test_end(run);
}

static void mpstat_sums(void **state)
{
#define SUM_ROWS                                                                                                       \
	"10:00:01 CPU %usr %nice %sys %iowait %irq %soft %steal %idle\n"                                               \
	"10:00:02 all 320.0 0.0 80.0 40.0 0.0 0.0 0.0 10.0\n"
	struct gv_run *run = gv_test_run("with.txt", "Linux 6.1.0 (n7) 02/03/2026 _x86_64_ (16 CPU)\n" SUM_ROWS, NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_USR), 20);
	near(gv_test_num(n, GV_F_IOWAIT), 2.5);
	assert_reason(n, GV_F_IDLE); /* 450 of 1600: the idle cell is no share of them */
	gv_test_end(run);

	run = gv_test_run("without.txt", SUM_ROWS, NULL);
	assert_reason(gv_test_node(run), GV_F_USR);
	assert_reason(gv_test_node(run), GV_F_IDLE);
	assert_unknown(gv_test_node(run), GV_F_IOWAIT);
	gv_test_end(run);

	run = gv_test_run("whole.txt",
			  "Linux 6.1.0 (n7) 02/03/2026 _x86_64_ (4 CPU)\n"
			  "10:00:01 CPU %usr %nice %sys %iowait %idle\n"
			  "10:00:02 all 100.0 0.0 20.0 0.0 280.0\n",
			  NULL);
	near(gv_test_num(gv_test_node(run), GV_F_IDLE), 70);
	gv_test_end(run);
}

#define IOSTAT_BANNER "Linux 6.1.0 (n7) \t02/03/26 \t_x86_64_\t(2 CPU)\n\n"
#define IOSTAT_CPU(wait) "avg-cpu:  %user %nice %system %iowait %steal %idle\n  10.0 1.0 2.0 " wait " 0.0 80.0\n\n"
#define IOSTAT_HEAD "Device            r/s     rMB/s   %rrqm r_await rareq-sz     w/s     wMB/s  aqu-sz  %util\n"

static void iostat_reports(void **state)
{
	struct gv_run *run =
	    gv_test_run("iostat.txt",
			IOSTAT_BANNER IOSTAT_CPU("1.0") IOSTAT_HEAD
			"sda  1.00 1.00 0.00 1.00 8.00 0.00 0.00 0.10 1.00\n\n" IOSTAT_CPU("7.0") IOSTAT_HEAD
			"sda  100.00 2.00 0.00 9.00 20.50 0.00 0.50 3.10 60.00\n"
			"sdb  0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n\n" IOSTAT_CPU("9.0") IOSTAT_HEAD
			"sda  300.00 2.00 0.00 9.00 20.50 0.00 0.50 3.10 80.00\n\n",
			NULL);
	struct gv_entity *d = one(run, GV_DISK, "sda");

	(void)state;
	assert_int_equal(gv_series(d, GV_F_DISK_UTIL, NULL, 0), 2);
	near(gv_series_quantile(d, GV_F_DISK_UTIL, 0), 60); /* the report since boot is gone */
	near(gv_test_num(d, GV_F_DISK_RKB), 2048);
	near(gv_test_num(d, GV_F_DISK_RAREQ), 20.5);
	near(gv_test_num(d, GV_F_DISK_AQU), 3.1);
	assert_false(gv_flag(d, GV_F_DISK_SINCE_BOOT));
	near(gv_series_quantile(gv_test_node(run), GV_F_IOWAIT, 0), 7);
	near(gv_test_num(gv_test_node(run), GV_F_USR), 11);
	gv_test_end(run);
}

static void iostat_boot(const char *text, bool want_known, bool want)
{
	struct gv_run *run = gv_test_run("x.txt", text, NULL);
	struct gv_entity *d = one(run, GV_DISK, "sda");
	bool boot;

	near(gv_test_num(d, GV_F_DISK_UTIL), 97.5);
	assert_int_equal(gv_flag_known(d, GV_F_DISK_SINCE_BOOT, &boot), want_known);
	if (want_known)
		assert_int_equal(boot, want);
	gv_test_end(run);
}

static void iostat_single(void **state)
{
#define ONE "Device r/s rkB/s await %util\nsda 10.0 640.0 3.1 97.5\n"
	(void)state;
	iostat_boot(IOSTAT_BANNER ONE, true, true);
	iostat_boot("u@n7:~$ iostat -x\n" ONE, true, true);
	iostat_boot("u@n7:~$ iostat -xy 1 1\n" IOSTAT_BANNER ONE, true, false);
	iostat_boot("u@n7:~$ iostat -xz 1 3\n" ONE, false, false); /* one of three, and nobody says which */
}

static void iostat_glued(void **state)
{
	/* Prose that lost its line break sticks to the last cell, and prose follows. */
	struct gv_run *run =
	    gv_test_run("x.txt",
			"Device r/s rkB/s await %util\nnvme1n1 10.0 640.0 3.1 97.5What it means: busy\n"
			"Disk 3 is next to it\n",
			NULL);

	(void)state;
	near(gv_test_num(one(run, GV_DISK, "nvme1n1"), GV_F_DISK_UTIL), 97.5);
	assert_null(gv_by_id(run, GV_DISK, NULL, GV_STR("Disk")));
	gv_test_end(run);
}

static void iostat_old(void **state)
{
	struct gv_run *run =
	    gv_test_run("x.txt",
			"u@n7:~$ iostat -xz 1\n"
			"Device:  rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util\n"
			"sda 0.0 0.0 9.0 1.0 800.0 100.0 90.0 0.1 1.0 0.1 9.0\n\n"
			"Device:  rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util\n"
			"sda 0.0 0.0 9.0 1.0 900.0 100.0 90.0 4.0 12.5 0.1 50.0\n\n"
			"Device:  rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util\n"
			"dm-0 0.0 0.0 9.0 1.0 900.0 100.0 90.0 4.0 12.5 0.1 50.0\n",
			NULL);
	struct gv_entity *d = one(run, GV_DISK, "sda");

	(void)state;
	near(gv_test_num(d, GV_F_DISK_AWAIT), 12.5);
	assert_int_equal(gv_series(d, GV_F_DISK_AQU, NULL, 0), 2);
	near(gv_series_quantile(d, GV_F_DISK_UTIL, 0), 0); /* -z left it out: it was idle */
	near(gv_series_quantile(d, GV_F_DISK_RKB, 1), 450);
	gv_test_end(run);
}

#define VMSTAT                                                                                                         \
	"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"                           \
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"

static void vmstat_rows(void **state)
{
	struct gv_run *run = gv_test_run("vm.txt",
					 VMSTAT " 9  9 100 200 1 1 1 1 1 1 1 1 1 1 98 0 0\n"
						" 4  2 1000 2000 1 1 300 400 1 1 1 1 20 10 30 35 5\n",
					 NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_SWAP_IN), 300);
	near(gv_test_num(n, GV_F_SWAP_OUT), 400);
	near(gv_test_num(n, GV_F_BLOCKED), 2);
	near(gv_test_num(n, GV_F_STEAL), 5);
	assert_false(gv_flag(n, GV_F_VM_SINCE_BOOT));
	gv_test_end(run);

	run = gv_test_run("vm.txt", VMSTAT " 4  2 1000 2000 1 1 300 400 1 1 1 1 20 10 30 35 5\n", NULL);
	assert_true(gv_flag(gv_test_node(run), GV_F_VM_SINCE_BOOT));
	near(gv_test_num(gv_test_node(run), GV_F_SWAP_IN), 300);
	gv_test_end(run);

	run = gv_test_run("vm.txt", "u@n7:~$ vmstat -y -S M 1 1\n" VMSTAT " 4  2 10 20 1 1 3 4 1 1 1 1 20 10 30 35 5\n",
			  NULL);
	assert_false(gv_flag(gv_test_node(run), GV_F_VM_SINCE_BOOT));
	near(gv_test_num(gv_test_node(run), GV_F_SWAP_IN), 3 * 1024);
	gv_test_end(run);
}

static void free_total(const char *text, double want_kb, double want_avail)
{
	struct gv_run *run = gv_test_run("free.txt", text, NULL);

	near(gv_test_num(gv_test_node(run), GV_F_MEM_TOTAL), want_kb);
	near(gv_test_num(gv_test_node(run), GV_F_MEM_AVAIL), want_avail);
	gv_test_end(run);
}

static void free_units(void **state)
{
	struct gv_run *run;

	(void)state;
	free_total("total used free shared buff/cache available\nMem: 503Gi 1Gi 1Gi 1Gi 1Gi 1.5Gi\n", 503 * 1048576.0,
		   1.5 * 1048576);
	free_total("total used free shared buff/cache available\nMem: 32000000 1 1 1 1 16000000\n", 32000000, 16000000);
	free_total("total used free shared buff/cache available\nMem: 64000 1 1 1 1 32000\n", 64000 * 1024.0,
		   32000 * 1024.0); /* 64 MB would be no machine */
	free_total("u@h:~$ free -g\n total used free shared buff/cache available\nMem: 251 1 1 1 1 200\n",
		   251 * 1048576.0, 200 * 1048576.0);
	free_total("u@h:~$ free\n total used free shared buff/cache available\nMem: 251 1 1 1 1 200\n", 251, 200);
	free_total("u@h:~$ free -m\n             total       used       free     shared    buffers     cached\n"
		   "Mem:          7983       7600        383          1        100       3000\n"
		   "-/+ buffers/cache:       4500       3483\nSwap:         2047          0       2047\n",
		   7983 * 1024.0, 3483 * 1024.0);

	run = gv_test_run("f.txt", "total used free shared buff/cache available\nMem: 251 1 0 1 1 200\nSwap: 0 0 0\n",
			  NULL);
	assert_reason(gv_test_node(run), GV_F_MEM_TOTAL); /* GB or MB: nobody says */
	near(gv_test_num(gv_test_node(run), GV_F_SWAP_TOTAL), 0);
	gv_test_end(run);
}

static void meminfo_lines(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "/proc/meminfo:MemAvailable:   1024 kB\nHugePages_Total:       8\n"
					 "SwapTotal: 100 kB\nSwapFree: 40 kB\nHugePages_Free:    0\n",
					 NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_MEM_AVAIL), 1024);
	near(gv_test_num(n, GV_F_HUGEPAGES_TOTAL), 8);
	near(gv_test_num(n, GV_F_HUGEPAGES_FREE), 0);
	near(gv_test_num(n, GV_F_SWAP_USED), 60);
	gv_test_end(run);

	run = gv_test_run("b.txt", "MemTotal: 12 tasks\n", NULL); /* somebody else's key */
	assert_int_equal(run->blocks.n, 0);
	gv_test_end(run);
}

static void lscpu_keys(void **state)
{
	struct gv_run *run =
	    gv_test_run("l.txt",
			"Architecture:            x86_64\n  CPU op-mode(s):        32-bit, 64-bit\n"
			"CPU(s):                  8\n  On-line CPU(s) list:   0-7\n"
			"Vendor ID:               AcmeVendor\n  Model name:            Acme 9000\n"
			"    Thread(s) per core:  2\n    Flags:               fpu sse\n                         avx2\n"
			"NUMA:                    \n  NUMA node(s):          2\n"
			"  NUMA node0 CPU(s):     0-7\n  NUMA node1 CPU(s):     \n"
			"Model: of the paragraph after it\n\nCPU(s) are what we counted\n",
			NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_CPUS), 8);
	near(gv_test_num(n, GV_F_THREADS_PER_CORE), 2);
	near(gv_test_num(n, GV_F_NUMA_NODES), 2);
	gv_test_is_text(n, GV_F_CPU_MODEL, "Acme 9000");
	gv_test_is_text(n, GV_F_MACHINE, "x86_64");
	gv_test_is_text(one(run, GV_NUMA, "0"), GV_F_NUMA_CPUS, "0-7");
	gv_test_is_text(one(run, GV_NUMA, "1"), GV_F_NUMA_CPUS, "");
	assert_int_equal(gv_slot_of(one(run, GV_NUMA, "1"), GV_F_NUMA_CPUS)->v[0].state, GV_NOT_APPLICABLE);
	gv_test_end(run);
}

static struct gv_entity *proc(const struct gv_run *run, const char *pid)
{
	struct gv_entity *e = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, gv_str_of(pid));

	if (!e)
		fail_msg("process %s is missing", pid);
	return e;
}

static void taskset_forms(void **state)
{
	struct gv_run *run =
	    gv_test_run("t.txt",
			"pid 11's current affinity list: 0-3,8\npid 12's current affinity mask: ff00f\n"
			"pid 13's current affinity mask: 80000000,00000001\npid 14's current affinity mask: zz\n"
			"pid 15's current affinity mask: 2\npid 15's new affinity mask: 6\n",
			NULL);

	(void)state;
	gv_test_is_text(proc(run, "11"), GV_F_PROC_CPUS, "0-3,8");
	gv_test_is_text(proc(run, "12"), GV_F_PROC_CPUS, "0-3,12-19");
	gv_test_is_text(proc(run, "13"), GV_F_PROC_CPUS, "0,63");
	gv_test_is_text(proc(run, "14"), GV_F_PROC_CPUS, "");
	gv_test_is_text(proc(run, "15"), GV_F_PROC_CPUS, "1-2");
	gv_test_end(run);
}

static void fio_mixed(void **state)
{
	struct gv_run *run =
	    gv_test_run("f.txt",
			"mix: (g=0): rw=randrw, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) "
			"16.0KiB-16.0KiB, ioengine=psync, iodepth=1\nfio-3.35\nStarting 2 processes\n\n"
			"mix: (groupid=0, jobs=1): err= 0: pid=7: Tue Feb  3 10:00:00 2026\n"
			"  read: IOPS=1.5k, BW=24.0MiB/s (25.2MB/s)(240MiB/10001msec)\n"
			"    clat (usec): min=1, max=9, avg=200.0, stdev=1\n"
			"    clat percentiles (nsec):\n     | 99.00th=[700000], 99.50th=[800000]\n"
			"  write: IOPS=100, BW=1600KiB/s (1638kB/s)(16MiB/10001msec); 0 zone resets\n"
			"mix: (groupid=0, jobs=1): err= 0: pid=8: Tue Feb  3 10:00:00 2026\n"
			"  read: IOPS=500, BW=8.0MiB/s (8.4MB/s)(80MiB/10001msec)\n"
			"    clat (msec): min=1, max=9, avg=0.4, stdev=1\n\n"
			"Run status group 0 (all jobs):\n   READ: bw=32MiB/s\n\nDisk stats (read/write):\n"
			"  nvme3n1: ios=1/2, merge=0/0, ticks=1/1, in_queue=2, util=50.00%\n",
			NULL);
	struct gv_entity *r = one(run, GV_TEST, "mix (read)"), *w = one(run, GV_TEST, "mix (write)");

	(void)state;
	near(gv_test_num(r, GV_F_TEST_BW), 32 * 1048576.0); /* both processes */
	near(gv_test_num(r, GV_F_TEST_IOPS), 2000);
	near(gv_test_num(r, GV_F_TEST_LATENCY), 300);
	near(gv_test_num(r, GV_F_TEST_LATENCY_P99), 700);
	near(gv_test_num(r, GV_F_TEST_BS), 16384);
	gv_test_is_text(r, GV_F_TEST_MODE, "randread");
	gv_test_is_text(w, GV_F_TEST_MODE, "randwrite");
	gv_test_is_text(r, GV_F_TEST_DEVICE, "nvme3n1");
	near(gv_test_num(w, GV_F_TEST_BW), 1600 * 1024.0);
	gv_test_end(run);
}

static void fio_lines(void **state)
{
	struct gv_run *run = gv_test_run("f.txt",
					 "u@h:~$ fio --name=x --filename=/data/t --rw=write --bs=128k --direct=0\n"
					 "write: IOPS=80, BW=10.0MiB/s (10.5MB/s)(1GiB/30001msec)\nSo slow.\n",
					 NULL);
	struct gv_entity *t = one(run, GV_TEST, "x");
	bool direct;

	(void)state;
	near(gv_test_num(t, GV_F_TEST_BW), 10 * 1048576.0);
	near(gv_test_num(t, GV_F_TEST_BS), 131072);
	gv_test_is_text(t, GV_F_TEST_PATH, "/data/t");
	gv_test_is_text(t, GV_F_TEST_MODE, "write");
	assert_true(gv_flag_known(t, GV_F_TEST_DIRECT, &direct));
	assert_false(direct);
	gv_test_end(run);

	run = gv_test_run("f.txt",
			  "j: (groupid=0, jobs=1): err=28 (file:x.c:1, func=f, error=No space): pid=1\n"
			  "  write: IOPS=80, BW=10.0MiB/s (10.5MB/s)(1MiB/10msec)\n",
			  NULL);
	assert_reason(one(run, GV_TEST, "j"), GV_F_TEST_BW);
	gv_test_end(run);

	run = gv_test_run("f.txt",
			  "j: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio-2.2.10\n"
			  "j: (groupid=0, jobs=1): err= 0: pid=1\n  read : io=8MB, bw=100KB/s, iops=25, runt= 1msec\n",
			  NULL);
	near(gv_test_num(one(run, GV_TEST, "j"), GV_F_TEST_BW), 102400); /* its KB has 1024 */
	near(gv_test_num(one(run, GV_TEST, "j"), GV_F_TEST_BS), 4096);
	gv_test_end(run);
}

static void iperf_forms(void **state)
{
	struct gv_run *run =
	    gv_test_run("i.txt",
			"Connecting to host 192.0.2.9, port 5201\n"
			"[  5] local 192.0.2.1 port 1 connected to 192.0.2.9 port 5201\n"
			"[  7] local 192.0.2.1 port 2 connected to 192.0.2.9 port 5201\n"
			"[ ID] Interval           Transfer     Bitrate         Retr\n"
			"[  5]   0.00-9.00  sec  1.00 GBytes  1.00 Gbits/sec    3             sender\n"
			"[  5]   0.00-9.04  sec  1.00 GBytes  0.80 Gbits/sec                  receiver\n"
			"[  7]   0.00-9.00  sec  1.00 GBytes  2.00 Gbits/sec    4             sender\n"
			"[  7]   0.00-9.04  sec  1.00 GBytes  1.60 Gbits/sec                  receiver\n"
			"\niperf Done.\n",
			NULL);
	struct gv_entity *t = one(run, GV_TEST, "iperf3 to 192.0.2.9");

	(void)state;
	near(gv_test_num(t, GV_F_TEST_BW), 0.3e9);
	near(gv_test_num(t, GV_F_TEST_BW_SENT), 0.375e9);
	near(gv_test_num(t, GV_F_TEST_RETRANS), 7);
	near(gv_test_num(t, GV_F_TEST_STREAMS), 2);
	gv_test_end(run);

	/* UDP: the number behind the rate is no count of retransmissions. */
	run = gv_test_run("i.txt",
			  "u@h:~$ iperf3 -u -c peer -P 4\n"
			  "[SUM]   0.00-9.00  sec  1.00 GBytes  8.00 Mbits/sec  0.010 ms  0/9 (0%)  receiver\n",
			  NULL);
	t = one(run, GV_TEST, "iperf3 to peer");
	near(gv_test_num(t, GV_F_TEST_BW), 1e6);
	near(gv_test_num(t, GV_F_TEST_STREAMS), 4);
	assert_unknown(t, GV_F_TEST_RETRANS);
	gv_test_end(run);

	/* iperf 2: the last row spans the whole test. */
	run = gv_test_run(
	    "i.txt",
	    "Client connecting to peer, TCP port 5001\n"
	    "[  3]  0.0- 1.0 sec   1 MBytes  8.00 Mbits/sec\n[  3]  1.0- 2.0 sec   1 MBytes  80.0 Mbits/sec\n"
	    "[  3]  0.0- 2.0 sec   2 MBytes  44.0 Mbits/sec\n",
	    NULL);
	near(gv_test_num(one(run, GV_TEST, "iperf to peer"), GV_F_TEST_BW), 5.5e6);
	gv_test_end(run);

	run = gv_test_run("k.log", "[Tue Feb  3 10:00:00 2026] eth0: 100 Mbits/sec sender\n", NULL);
	assert_int_equal(run->blocks.n, 0);
	gv_test_end(run);
}

static void ps_forms(void **state)
{
	struct gv_run *run = gv_test_run("p.txt",
					 "    PID  PPID STAT                  STARTED %CPU COMMAND\n"
					 "     21     1 Dl   Tue Feb  3 10:00:00 2026 12.5 python -m train --bs 8\n"
					 "     22     1 Z    Tue Feb  3 10:00:00 2026  0.0 [python] <defunct>\n"
					 "These 2 are stuck\n",
					 NULL);

	(void)state;
	gv_test_is_text(proc(run, "21"), GV_F_PROC_STATE, "Dl");
	gv_test_is_text(proc(run, "21"), GV_F_PROC_NAME, "python -m train --bs 8");
	near(gv_test_num(proc(run, "21"), GV_F_PROC_CPU_UTIL), 12.5);
	gv_test_is_text(proc(run, "22"), GV_F_PROC_STATE, "Z");
	assert_int_equal(gv_count(run, GV_PROC, NULL), 2);
	gv_test_end(run);

	run = gv_test_run("p.txt", "COMMAND           PID S\nweb content 1     31 R\n", NULL);
	gv_test_is_text(proc(run, "31"), GV_F_PROC_NAME, "web content 1");
	gv_test_is_text(proc(run, "31"), GV_F_PROC_STATE, "R");
	gv_test_end(run);

	/* Tables of other tools that have a PID, too. */
	run = gv_test_run("p.txt", "COMMAND PID USER FD TYPE DEVICE\npython 41 u 3u REG 8,1\n", NULL);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 0);
	gv_test_end(run);
}

static void top_iterations(void **state)
{
	struct gv_run *run =
	    gv_test_run("top.txt",
			"top - 10:00:00 up 1 day,  1 user,  load average: 1,50, 1,00, 0,50\n"
			"Tasks:   2 total,   1 running,   1 sleeping,   0 stopped,   0 zombie\n"
			"%Cpu(s):  1,0 us,  1,0 sy,  0,0 ni, 98,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n"
			"MiB Mem :   1000,0 total,    500,0 free,    300,0 used,    200,0 buff/cache\n"
			"MiB Swap:    100,0 total,     60,0 free,     40,0 used.    600,0 avail Mem\n\n"
			"    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
			"     51 u         20   0    1000   1000   1000 R   1,0   0,1   0:00.01 my job\n\n"
			"top - 10:00:03 up 1 day,  1 user,  load average: 2,50, 1,00, 0,50\n"
			"%Cpu(s): 30,5 us,  5,0 sy,  2,0 ni, 52,5 id,  4,0 wa,  0,0 hi,  5,0 si,  1,0 st\n\n"
			"    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
			"     51 u         20   0    1000   1000   1000 D  88,5   0,1   0:00.01 my job\n",
			NULL);
	struct gv_entity *n = gv_test_node(run);

	(void)state;
	near(gv_test_num(n, GV_F_USR), 32.5); /* the first iteration does not count */
	near(gv_test_num(n, GV_F_IOWAIT), 4);
	near(gv_test_num(n, GV_F_SOFT), 5);
	near(gv_test_num(n, GV_F_MEM_AVAIL), 600 * 1024.0);
	near(gv_test_num(n, GV_F_SWAP_USED), 40 * 1024.0);
	assert_int_equal(gv_series(n, GV_F_LOAD1, NULL, 0), 2);
	near(gv_series_quantile(n, GV_F_LOAD1, 1), 2.5);
	near(gv_test_num(proc(run, "51"), GV_F_PROC_CPU_UTIL), 88.5);
	gv_test_is_text(proc(run, "51"), GV_F_PROC_NAME, "my job");
	gv_test_is_text(proc(run, "51"), GV_F_PROC_STATE, "D");
	gv_test_end(run);

	run = gv_test_run("top.txt",
			  "top - 10:00:00 up 1 day,  1 user,  load average: 0.10, 0.00, 0.00\n"
			  "Cpu(s):  3.0%us,  1.0%sy,  0.0%ni, 96.0%id,  0.0%wa,  0.0%hi,  0.0%si,  0.0%st\n"
			  "Mem:   8000k total,  6000k used,  2000k free,   100k buffers\n",
			  NULL);
	near(gv_test_num(gv_test_node(run), GV_F_IDLE), 96);
	near(gv_test_num(gv_test_node(run), GV_F_MEM_FREE), 2000);
	gv_test_end(run);
}

static void df_rows(void **state)
{
	struct gv_run *run = gv_test_run("df.txt",
					 "Filesystem     Type  Size  Used Avail Use% Mounted on\n"
					 "/dev/sda1      ext4   10G  9.5G  512M  95% /\n"
					 "//srv/a b      cifs  1.0T  1.0T     0 100% /mnt/my data\n"
					 "df: /mnt/gone: Stale file handle\n"
					 "overlay        -        -     -     -    - /odd\n"
					 "/dev/mapper/a-very-long-name-of-a-volume\n"
					 "               xfs    20G   10G   10G  50% /data\n",
					 NULL);
	struct gv_entity *m = one(run, GV_MOUNT, "/mnt/my data");

	(void)state;
	near(gv_test_num(one(run, GV_MOUNT, "/"), GV_F_MOUNT_AVAIL), 512 * 1024.0);
	near(gv_test_num(m, GV_F_MOUNT_USED), 100);
	near(gv_test_num(m, GV_F_MOUNT_AVAIL), 0);
	gv_test_is_text(m, GV_F_MOUNT_SOURCE, "//srv/a b");
	gv_test_is_text(m, GV_F_MOUNT_FSTYPE, "cifs");
	assert_reason(one(run, GV_MOUNT, "/odd"), GV_F_MOUNT_USED);
	near(gv_test_num(one(run, GV_MOUNT, "/data"), GV_F_MOUNT_USED), 50);
	gv_test_is_text(one(run, GV_MOUNT, "/data"), GV_F_MOUNT_SOURCE, "/dev/mapper/a-very-long-name-of-a-volume");
	gv_test_end(run);

	run = gv_test_run("df.txt", "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda1 100 99 1 99% /var\n",
			  NULL);
	near(gv_test_num(one(run, GV_MOUNT, "/var"), GV_F_MOUNT_IUSED), 99);
	assert_unknown(one(run, GV_MOUNT, "/var"), GV_F_MOUNT_USED);
	gv_test_end(run);

	run = gv_test_run("df.txt",
			  "Filesystem 1M-blocks Used Available Capacity Mounted on\nshm 64 64 0 100% /dev/shm\n", NULL);
	near(gv_test_num(one(run, GV_MOUNT, "/dev/shm"), GV_F_MOUNT_SIZE), 65536);
	gv_test_end(run);
}

/* "host:/path ... 95% /mnt" is no prompt of a shell whose sign is %. */
static void df_network(void **state)
{
	struct gv_run *run = gv_test_run("df.txt",
					 "Filesystem      Size  Used Avail Use% Mounted on\n"
					 "nas1:/export/a   10T  9.5T  512G  95% /mnt/a\n"
					 "192.0.2.5@o2ib:/fs 1P  1T  999T   1% /mnt/b\n",
					 NULL);

	(void)state;
	near(gv_test_num(one(run, GV_MOUNT, "/mnt/a"), GV_F_MOUNT_USED), 95);
	gv_test_is_text(one(run, GV_MOUNT, "/mnt/a"), GV_F_MOUNT_SOURCE, "nas1:/export/a");
	near(gv_test_num(one(run, GV_MOUNT, "/mnt/b"), GV_F_MOUNT_USED), 1);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mpstat_intervals), cmocka_unit_test(mpstat_since_boot),
		cmocka_unit_test(mpstat_sums),	    cmocka_unit_test(iostat_reports),
		cmocka_unit_test(iostat_single),    cmocka_unit_test(iostat_glued),
		cmocka_unit_test(iostat_old),	    cmocka_unit_test(vmstat_rows),
		cmocka_unit_test(free_units),	    cmocka_unit_test(meminfo_lines),
		cmocka_unit_test(lscpu_keys),	    cmocka_unit_test(taskset_forms),
		cmocka_unit_test(fio_mixed),	    cmocka_unit_test(fio_lines),
		cmocka_unit_test(iperf_forms),	    cmocka_unit_test(ps_forms),
		cmocka_unit_test(top_iterations),   cmocka_unit_test(df_rows),
		cmocka_unit_test(df_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
