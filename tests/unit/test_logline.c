/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of a log line's prefix, stacked ones, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "core/stamp.h"

enum { Z = 1, Y = 2, K = 4 }; /* zone, year, kernel */

struct expect {
	const char *line;
	int clock;
	double t;
	int flags;
	const char *host, *tag, *text;
	double boot; /* NAN: none */
};

#define JAN13 1768262400.0 /* 2026-01-13T00:00:00Z */
#define D13 1036800.0	   /* 13 January of 1970 */
#define AT(h, m, s) ((h)*3600 + (m)*60 + (s))

static const struct expect forms[] = {
	/* the kernel's own ring, as dmesg prints it */
	{ "[12345.678901] NVRM: text", GV_CLOCK_BOOT, 12345.678901, K, "", "", "NVRM: text", 12345.678901 },
	{ "[    0.000000] Linux version 6.8.0", GV_CLOCK_BOOT, 0, K, "", "", "Linux version 6.8.0", 0 },
	{ "[    1.250000][  T123] usb 1-1: new", GV_CLOCK_BOOT, 1.25, K, "", "", "usb 1-1: new", 1.25 },
	{ "[    1.250000] [   T12] text", GV_CLOCK_BOOT, 1.25, K, "", "", "text", 1.25 },
	{ "[    9.500000 <    0.001234>] text", GV_CLOCK_BOOT, 9.5, K, "", "", "text", 9.5 },
	{ "[  +0.000006] Call Trace:", GV_CLOCK_NONE, 0, K, "", "", "Call Trace:", NAN },
	{ "[Jan13 10:44] text", GV_CLOCK_WALL, D13 + AT(10, 44, 0), K, "", "", "text", NAN },
	{ "<6>[   10.000000] text", GV_CLOCK_BOOT, 10, K, "", "", "text", 10 },
	{ "[Tue Jan 13 10:12:03 2026] NVRM: Xid", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "NVRM: Xid",
	  NAN },
	{ "[Sat Feb  7 14:25:56 2026] text", GV_CLOCK_WALL, JAN13 + 25 * 86400 + AT(14, 25, 56), Y | K, "", "", "text",
	  NAN },
	{ "kern  :warn  : [  123.456789] text", GV_CLOCK_BOOT, 123.456789, K, "", "", "text", 123.456789 },
	{ "[\xe4\xba\x8c 1\xe6\x9c\x88 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "",
	  "text", NAN },
	{ "[mar. janv. 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "text", NAN },
	{ "kern  :err   : [Tue Jan 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "text",
	  NAN },
	{ "kern  :info  : 2026-01-13T10:00:00,250000-06:00 Command line: x", GV_CLOCK_WALL, JAN13 + AT(16, 0, 0.25),
	  Z | Y | K, "", "", "Command line: x", NAN },
	{ "kern:  notice: [2026-01-13T10:44:02.500000Z]: NVRM: x", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2.5), Z | Y | K,
	  "", "", "NVRM: x", NAN },
	{ "[1768262400.250000] [node1:21877:0] ib_iface.c:945 UCX ERROR x", GV_CLOCK_WALL, JAN13 + 0.25, Z | Y, "", "",
	  "[node1:21877:0] ib_iface.c:945 UCX ERROR x", NAN },
	{ "daemon:notice: [    3.000000] systemd[1]: text", GV_CLOCK_BOOT, 3, K, "", "systemd", "text", 3 },
	{ "2026-01-13T10:00:00,250000+01:00 pcieport 0000:00:03.1: AER: x", GV_CLOCK_WALL, JAN13 + AT(9, 0, 0.25),
	  Z | Y | K, "", "", "pcieport 0000:00:03.1: AER: x", NAN },
	{ "4,1234,567890,-;NVRM: text", GV_CLOCK_BOOT, 0.56789, K, "", "", "NVRM: text", 0.56789 },
	{ "6,339,5140900,-,caller=T1;text", GV_CLOCK_BOOT, 5.1409, K, "", "", "text", 5.1409 },
	{ "30,12,1000000,-;systemd[1]: text", GV_CLOCK_BOOT, 1, 0, "", "", "systemd[1]: text", 1 },
	{ "[Di M\303\244r 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + 59 * 86400 + AT(10, 12, 3), Y | K, "", "", "text",
	  NAN },
	{ "[\320\222\321\202 \321\217\320\275\320\262 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K,
	  "", "", "text", NAN },
	{ "[\344\272\214  1\346\234\210 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "text",
	  NAN },
	{ "[mar gen 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "text", NAN },
	{ "[mar ene 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + AT(10, 12, 3), Y | K, "", "", "text", NAN },
	{ "[ter fev 13 10:12:03 2026] text", GV_CLOCK_WALL, JAN13 + 31 * 86400 + AT(10, 12, 3), Y | K, "", "", "text",
	  NAN },
	{ "[Mai13 10:44] text", GV_CLOCK_WALL, D13 + 120 * 86400 + AT(10, 44, 0), K, "", "", "text", NAN },
	{ "[Jan 3 10:44] text", GV_CLOCK_WALL, D13 - 10 * 86400 + AT(10, 44, 0), K, "", "", "text", NAN },
	{ "kern  :info  : [Jan13 10:44] text", GV_CLOCK_WALL, D13 + AT(10, 44, 0), K, "", "", "text", NAN },
	{ "kern  :info  : [  +0.000012] text", GV_CLOCK_NONE, 0, K, "", "", "text", NAN },
	{ "<4>[ 5014.123456][ T4711] NVRM: text", GV_CLOCK_BOOT, 5014.123456, K, "", "", "NVRM: text", 5014.123456 },
	{ "10.0.0.7: kern: warning: [2026-01-13T10:44:02.500000Z]: NVRM: x", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2.5),
	  Z | Y | K, "10.0.0.7", "", "NVRM: x", NAN },
	{ " kernel:[405108.500000] watchdog: text", GV_CLOCK_BOOT, 405108.5, K, "", "kernel", "watchdog: text", 405108.5 },
	{ "[    2.250000] kernel: pci text", GV_CLOCK_BOOT, 2.25, K, "", "kernel", "pci text", 2.25 },
	/* syslog and the journal */
	{ "Okt 03 10:44:02 server kernel: text", GV_CLOCK_WALL, D13 + 263 * 86400 + AT(10, 44, 2), K, "server", "kernel",
	  "text", NAN },
	{ "f\303\251vr. 13 10:44:02 server kernel: text", GV_CLOCK_WALL, D13 + 31 * 86400 + AT(10, 44, 2), K, "server",
	  "kernel", "text", NAN },
	{ "\321\217\320\275\320\262 13 10:44:02 server kernel: text", GV_CLOCK_WALL, D13 + AT(10, 44, 2), K, "server",
	  "kernel", "text", NAN },
	{ "\320\275\320\276\321\217\320\261. 13 10:44:02 server kernel: text", GV_CLOCK_WALL,
	  D13 + 304 * 86400 + AT(10, 44, 2), K, "server", "kernel", "text", NAN },
	{ "pa\305\272 13 10:44:02 server kernel: text", GV_CLOCK_WALL, D13 + 273 * 86400 + AT(10, 44, 2), K, "server",
	  "kernel", "text", NAN },
	{ "Jan 13 10:44:02 server kern.warn kernel: [  123.400000] text", GV_CLOCK_WALL, D13 + AT(10, 44, 2), K, "server",
	  "kernel", "text", 123.4 },
	{ "1768262400.250000 server kernel: text", GV_CLOCK_WALL, JAN13 + 0.25, Z | Y | K, "server", "kernel", "text",
	  NAN },
	{ "Di 2026-01-13 10:44:02 UTC server kernel: text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Z | Y | K, "server",
	  "kernel", "text", NAN },
	{ "\344\272\214 2026-01-13 10:44:02 UTC server kernel: text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Z | Y | K,
	  "server", "kernel", "text", NAN },
	{ "<165>1 2026-01-13T10:44:02.003Z server app 4711 ID47 - text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2.003), Z | Y,
	  "server", "app", "text", NAN },
	{ "<4>1 2026-01-13T10:44:02+01:00 server kernel - - [a@1 b=\"x\\]\"][c@1] NVRM: x", GV_CLOCK_WALL,
	  JAN13 + AT(9, 44, 2), Z | Y | K, "server", "kernel", "NVRM: x", NAN },
	{ "<4>1 2026-01-13T10:44:02Z - kernel - - - [   12.500000] NVRM: x", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2),
	  Z | Y | K, "", "kernel", "NVRM: x", 12.5 },
	{ "Jan 13 10:44:02 server kernel: NVRM: x", GV_CLOCK_WALL, D13 + AT(10, 44, 2), K, "server", "kernel",
	  "NVRM: x", NAN },
	{ "Jan  3 10:44:02 server kernel: [  123.400000] text", GV_CLOCK_WALL, D13 - 10 * 86400 + AT(10, 44, 2), K,
	  "server", "kernel", "text", 123.4 },
	{ "Jan 13 10:44:02.500000 gpu-01.lab sshd[4711]: text", GV_CLOCK_WALL, D13 + AT(10, 44, 2.5), 0, "gpu-01.lab",
	  "sshd", "text", NAN },
	{ "kwi 15 07:56:59 server kernel: text", GV_CLOCK_WALL, 104 * 86400.0 + AT(7, 56, 59), K, "server", "kernel",
	  "text", NAN },
	{ "d\303\251c. 01 00:00:00 server kernel: text", GV_CLOCK_WALL, 334 * 86400.0, K, "server", "kernel", "text",
	  NAN },
	{ "1\346\234\210 13 10:44:02 server kernel: text", GV_CLOCK_WALL, D13 + AT(10, 44, 2), K, "server", "kernel",
	  "text", NAN },
	{ "Jan 13 10:44:02 kernel: text", GV_CLOCK_WALL, D13 + AT(10, 44, 2), K, "", "kernel", "text", NAN },
	{ "Jan 13 10:44:02 server last message repeated 3 times", GV_CLOCK_WALL, D13 + AT(10, 44, 2), 0, "server", "",
	  "last message repeated 3 times", NAN },
	{ "<134>Jan 13 10:44:02 server app: text", GV_CLOCK_WALL, D13 + AT(10, 44, 2), 0, "server", "app", "text",
	  NAN },
	{ "2026-01-13T10:44:02+0100 server kernel: text", GV_CLOCK_WALL, JAN13 + AT(9, 44, 2), Z | Y | K, "server",
	  "kernel", "text", NAN },
	{ "2026-01-13T10:44:02.123456+01:00 server nvidia-persistenced[7]: text", GV_CLOCK_WALL,
	  JAN13 + AT(9, 44, 2.123456), Z | Y, "server", "nvidia-persistenced", "text", NAN },
	{ "2026-01-13T10:44:02.123456+00:00 server kernel: [   99.000000] text", GV_CLOCK_WALL,
	  JAN13 + AT(10, 44, 2.123456), Z | Y | K, "server", "kernel", "text", 99 },
	{ "Tue 2026-01-13 10:44:02 UTC server kubelet.service[812]: text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Z | Y,
	  "server", "kubelet.service", "text", NAN },
	{ "Tue 2026-01-13 10:44:02 CET server kernel: text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Y | K, "server",
	  "kernel", "text", NAN },
	{ "[  123.456789] server kernel: text", GV_CLOCK_BOOT, 123.456789, K, "server", "kernel", "text", 123.456789 },
	{ "22:39:31 kernel: i915 text", GV_CLOCK_NONE, 0, K, "", "kernel", "i915 text", NAN },
	{ "kernel: bbswitch: text", GV_CLOCK_NONE, 0, K, "", "kernel", "bbswitch: text", NAN },
	{ "server kernel: text", GV_CLOCK_NONE, 0, K, "server", "kernel", "text", NAN },
	/* containers and orchestrators */
	{ "2026-01-13T10:44:02.123456789Z epoch 1", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2.123456789), Z | Y, "", "",
	  "epoch 1", NAN },
	{ "2026-01-13T10:44:02.5Z stderr F text", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2.5), Z | Y, "", "", "text", NAN },
	{ "2026-01-13T10:44:02.5Z I0113 10:44:02.400000       1 main.go:12] text", GV_CLOCK_WALL,
	  JAN13 + AT(10, 44, 2.5), Z | Y, "", "", "text", NAN },
	{ "[pod/train-0/main] step 1", GV_CLOCK_NONE, 0, 0, "", "train-0", "step 1", NAN },
	{ "[pod/train-0/main] 2026-01-13T10:44:02Z step 1", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Z | Y, "", "train-0",
	  "step 1", NAN },
	{ "trainer-1  | loss 2.1", GV_CLOCK_NONE, 0, 0, "", "trainer-1", "loss 2.1", NAN },
	{ "ml_trainer_12 | loss", GV_CLOCK_NONE, 0, 0, "", "ml_trainer_12", "loss", NAN },
	{ "trainer  | 2026-01-13 10:02:11,500 INFO loss", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.5), Y, "", "trainer",
	  "loss", NAN },
	{ "time=\"2026-01-13T10:44:02Z\" level=info msg=\"x\"", GV_CLOCK_WALL, JAN13 + AT(10, 44, 2), Z | Y, "", "",
	  "level=info msg=\"x\"", NAN },
	{ "[2026-01-13T10:00:00.125] error: gres", GV_CLOCK_WALL, JAN13 + AT(10, 0, 0.125), Y, "", "", "error: gres",
	  NAN },
	/* programs */
	{ "2026-01-13 10:02:11,123 INFO loaded", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.123), Y, "", "", "loaded", NAN },
	{ "2026-01-13 10:02:11,123 - WARNING - slow", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.123), Y, "", "", "slow",
	  NAN },
	{ "2026-01-13 10:02:11,123 [ERROR] bad", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.123), Y, "", "", "bad", NAN },
	{ "2026-01-13 10:02:11.250000: lr: 0.009", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.25), Y, "", "", "lr: 0.009",
	  NAN },
	{ "[2026-01-13 10:02:11] node01:7:9 [0] NCCL INFO x", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11), Y, "", "",
	  "node01:7:9 [0] NCCL INFO x", NAN },
	{ "[2026-01-13 10:02:11,500] [INFO] [real_accelerator.py:1:get] x", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11.5), Y,
	  "", "", "[real_accelerator.py:1:get] x", NAN },
	{ "I0113 10:02:11.100000 1 file.cc:1] text", GV_CLOCK_WALL, D13 + AT(10, 2, 11.1), 0, "", "", "text", NAN },
	{ "W0113 10:02:11 torch/_dynamo/convert_frame.py:1551] [2/8] x", GV_CLOCK_WALL, D13 + AT(10, 2, 11), 0, "", "",
	  "[2/8] x", NAN },
	{ "[E113 02:08:15 socket.cpp:1023] [c10d] x", GV_CLOCK_WALL, D13 + AT(2, 8, 15), 0, "", "", "[c10d] x", NAN },
	{ "[W socket.cpp:558] [c10d] x", GV_CLOCK_NONE, 0, 0, "", "", "[c10d] x", NAN },
	{ "[01/13/2026-10:02:11] [TRT] [E] plan", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11), Y, "", "TRT", "plan", NAN },
	{ "[Jan 13 2026 10:02:11] [ERROR] [tid 841] text", GV_CLOCK_WALL, JAN13 + AT(10, 2, 11), Y, "",
	  "nvidia-fabricmanager", "text", NAN },
	{ "INFO 01-13 10:02:11 [core.py:12] text", GV_CLOCK_WALL, D13 + AT(10, 2, 11), 0, "", "", "text", NAN },
	{ "WARNING 01-13 10:02:11 scheduler.py:1754] text", GV_CLOCK_WALL, D13 + AT(10, 2, 11), 0, "", "", "text",
	  NAN },
	{ "(EngineCore_0 pid=99) INFO 01-13 10:02:11 [core.py:12] text", GV_CLOCK_WALL, D13 + AT(10, 2, 11), 0, "", "",
	  "text", NAN },
	{ "(RayWorker pid=12, ip=10.0.0.2) text", GV_CLOCK_NONE, 0, 0, "", "", "text", NAN },
	{ "[rank0]: Traceback", GV_CLOCK_NONE, 0, 0, "", "", "Traceback", NAN },
	{ "[default7]:text", GV_CLOCK_NONE, 0, 0, "", "", "text", NAN },
	{ "[1,0]<stderr>:text", GV_CLOCK_NONE, 0, 0, "", "", "text", NAN },
	/* one upon the other */
	{ "[rank1]:[E113 03:31:38.500000 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog", GV_CLOCK_WALL,
	  D13 + AT(3, 31, 38.5), 0, "", "", "[Rank 1] Watchdog", NAN },
	{ "trainer-1  | [rank1]:[E ProcessGroupNCCL.cpp:607] [Rank 1] x", GV_CLOCK_NONE, 0, 0, "", "trainer-1",
	  "[Rank 1] x", NAN },
	{ "Jan 13 10:44:02 server python3[9]: [rank0]: 2026-01-13 10:00:00,000 ERROR x", GV_CLOCK_WALL,
	  D13 + AT(10, 44, 2), 0, "server", "python3", "x", NAN },
	{ "    [  123.500000] indented paste", GV_CLOCK_BOOT, 123.5, K, "", "", "indented paste", 123.5 },
	/* bounds of the calendar */
	{ "2024-02-29 00:00:00,000 INFO leap", GV_CLOCK_WALL, 1709164800, Y, "", "", "leap", NAN },
	{ "2000-03-01 00:00:00,000 INFO x", GV_CLOCK_WALL, 951868800, Y, "", "", "x", NAN },
};

static void same(const char *line, const char *what, const char *want, gv_str got)
{
	if (!gv_is(got, want))
		fail_msg("%s: %s is \"%.*s\", not \"%s\"", line, what, GV_ARG(got), want);
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct expect *e = &forms[i];
		struct gv_logline l;

		if (!gv_logline_parse(gv_str_of(e->line), &l))
			fail_msg("no prefix was found: %s", e->line);
		same(e->line, "text", e->text, l.text);
		same(e->line, "host", e->host, l.host);
		same(e->line, "tag", e->tag, l.tag);
		if (l.when.clock != e->clock || fabs(l.when.t - e->t) > 1e-6)
			fail_msg("%s: clock %d at %.6f, not %d at %.6f", e->line, l.when.clock, l.when.t, e->clock,
				 e->t);
		if ((l.when.zone ? Z : 0) + (l.when.year ? Y : 0) + (l.kernel ? K : 0) != e->flags)
			fail_msg("%s: zone %d year %d kernel %d", e->line, l.when.zone, l.when.year, l.kernel);
		if (isnan(e->boot) ? l.boot.clock != GV_CLOCK_NONE
				   : l.boot.clock != GV_CLOCK_BOOT || fabs(l.boot.t - e->boot) > 1e-6)
			fail_msg("%s: boot stamp %d %.6f", e->line, l.boot.clock, l.boot.t);
	}
}

static const char *const plain[] = {
	"",
	" ",
	"[",
	"[]",
	"[drm] amdgpu version: 5.6.19",
	"[12] Timeout",
	"[ 12] Timeout",
	"[0] NVIDIA A100-SXM4-80GB | 45'C, 98 % | 61234 / 81920 MB |",
	"[1.5] text",
	"[SUM] 0.00-10.00 sec 37.5 GBytes 32.2 Gbits/sec sender",
	"[INFO] text",
	"[Rank 0] Watchdog caught collective operation timeout",
	"[rank] text",
	"[pod] text",
	"[2/8] torch._dynamo hit",
	"Tue Jan 13 12:10:11 2026",
	"12:11:02 PM  all 780.0 0.0 90.0",
	"12:11:02     all    1.0",
	"01/13/2026 12:11:02 PM",
	"2026/01/13 10:02:11.123, 0, 92 %",
	"2026-01-13",
	"2026-01-13 is a date",
	"2026-13-01 10:02:11,123 INFO x",
	"2026-01-13 10:72:11,123 INFO x",
	"Jan 13 is a date",
	"Jan 13 10:44:02",
	"May I ask 10:44:02 something: x",
	"Mem:          503842  1024",
	"GPU  Name  | Bus-Id",
	"| 0 NVIDIA A100 On | 00000000:41:00.0 Off | 0 |",
	"id | name | state",
	"gpu0 | A100",
	"name | 12",
	"4,1234,567890",
	"4,1234,567890,-text",
	"23144, python, 61234 MiB",
	"0, 12, 34, 56; text",
	"Error: pid=12) x",
	"(a remark) text",
	"(pid=12",
	"Info about 01-13 10:02:11",
	"node01:101:101 [0] NCCL INFO Bootstrap : Using eth0",
	"pcieport 0000:00:03.1: AER: x",
	"user  :name  : text",
	"I0113 said the log",
	"time=12 ms",
	"<6>text",
	"<html>",
	"6.8.0-88-generic",
	"1768262642.123456 text",
	"<165>1 text",
	"<165>1 2026-01-13T10:44:02.003Z server",
	"mlx5_0 port 1",
	"mai 13",
	"10.0.0.7: text",
	"10.0.0.7: kern",
	"0000:41:00.0 3D controller",
};

static void test_plain(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		gv_str line = gv_str_of(plain[i]);
		struct gv_logline l;

		if (gv_logline_parse(line, &l))
			fail_msg("taken for a log line: \"%s\", text \"%.*s\"", plain[i], GV_ARG(l.text));
		assert_ptr_equal(l.text.p, line.p);
		assert_int_equal(l.text.n, line.n);
		assert_int_equal(l.when.clock, GV_CLOCK_NONE);
		assert_int_equal(l.host.n, 0);
		assert_int_equal(l.tag.n, 0);
		assert_false(l.kernel);
	}
}

/* Every prefix cut short at every place: nothing is read beyond the end, and the text stays a part of the line. */
static void test_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t n = strlen(forms[i].line);

		for (size_t k = 0; k <= n; k++) {
			char *copy = malloc(k ? k : 1);
			struct gv_logline l;

			memcpy(copy, forms[i].line, k);
			gv_logline_parse((gv_str){ copy, k }, &l);
			assert_true(l.text.p >= copy && l.text.p + l.text.n <= copy + k);
			free(copy);
		}
	}
}

static void test_takers(void **state)
{
	gv_str s = GV_STR("12345 x");
	struct gv_time t;
	uint64_t v;

	(void)state;
	assert_false(gv_take_num(&s, 1, 4, &v));
	assert_true(gv_take_num(&s, 1, 5, &v));
	assert_int_equal(v, 12345);
	assert_true(gv_is(s, " x"));
	assert_int_equal(gv_skip_blanks(&s), 1);
	assert_false(gv_wall_time(&t, 2026, 13, 1, 0));
	assert_false(gv_wall_time(&t, 2026, 1, 0, 0));
	assert_true(gv_wall_time(&t, 1970, 1, 1, 0));
	assert_true(t.t == 0 && t.year);
	assert_true(gv_wall_time(&t, 0, 1, 2, 5));
	assert_true(t.t == 86405 && !t.year);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_takers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
