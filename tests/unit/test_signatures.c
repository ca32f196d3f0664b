/* SPDX-License-Identifier: Apache-2.0 */
/* The table of signatures against a sample line each, lines that only look alike, and the events made of documents. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sigs.h"
#include "core/table.h"

struct samples {
	struct gv_arena *arena;
	struct gv_sigs *sigs;
	GV_VEC(gv_str) id;
	GV_VEC(gv_str) line;
};

static gv_str read_samples(struct gv_arena *a)
{
	FILE *f = fopen(GV_SOURCE_ROOT "/tests/data/signature-samples.tsv", "rb");
	char *p = gv_alloc(a, 1 << 20);
	size_t n;

	assert_non_null(f);
	n = fread(p, 1, 1 << 20, f);
	fclose(f);
	assert_true(n > 0 && n < 1 << 20);
	return (gv_str){ p, n };
}

static int set_up(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct samples *s = GV_NEW(a, struct samples);
	gv_str text = read_samples(a), line;
	bool head = true;

	s->arena = a;
	s->sigs = gv_sigs_new(a);
	while (gv_next(&text, '\n', &line)) {
		if (line.n && !head) {
			*gv_push(a, &s->id) = gv_before(line, "\t");
			*gv_push(a, &s->line) = gv_after(line, "\t");
		}
		head = false;
	}
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct samples *s = *state;

	gv_sigs_free(s->sigs);
	gv_arena_free(s->arena);
	return 0;
}

static bool matches(struct samples *s, gv_str line, gv_str id)
{
	const struct gv_sig *hit[64];
	size_t n = gv_sigs_match(s->sigs, line, hit, 64);

	for (size_t i = 0; i < n; i++)
		if (gv_eq(hit[i]->id, id))
			return true;
	return false;
}

/* Every row compiles, and its sample is matched by it: through the literals, so those are right for it too. */
static void test_samples_match(void **state)
{
	struct samples *s = *state;

	for (size_t i = 0; i < s->id.n; i++)
		if (!matches(s, s->line.v[i], s->id.v[i]))
			fail_msg("%.*s does not match: %.*s", GV_ARG(s->id.v[i]), GV_ARG(s->line.v[i]));
}

static void test_rows_have_samples(void **state)
{
	struct samples *s = *state;
	const struct gv_table *t = gv_table("signatures");

	assert_non_null(t);
	assert_int_equal(gv_sigs_count(s->sigs), t->rows);
	for (size_t r = 0; r < t->rows; r++) {
		gv_str id = gv_cell(t, r, "id"), kind = gv_cell(t, r, "kind"), subject = gv_cell(t, r, "subject");
		size_t n = 0;

		for (size_t i = 0; i < s->id.n; i++)
			n += gv_eq(s->id.v[i], id);
		if (n != 1)
			fail_msg("%.*s has %zu samples", GV_ARG(id), n);
		if (gv_table_find(t, "id", id, 0) != r)
			fail_msg("%.*s stands twice", GV_ARG(id));
		if (gv_kind_by_name(kind) < 0 && !gv_is(kind, "consequence-only"))
			fail_msg("%.*s is of no kind: %.*s", GV_ARG(id), GV_ARG(kind));
		if (!gv_is(subject, "bus") && (subject.n != 1 || subject.p[0] < '0' || subject.p[0] >= '0' + GV_CAPS))
			fail_msg("%.*s: subject %.*s", GV_ARG(id), GV_ARG(subject));
		assert_true(gv_cell(t, r, "literal").n > 0 && gv_cell(t, r, "pattern").n > 0);
	}
}

static void test_samples_hold_a_literal(void **state)
{
	struct samples *s = *state;
	const struct gv_table *t = gv_table("signatures");

	for (size_t i = 0; i < s->id.n; i++) {
		size_t r = gv_table_find(t, "id", s->id.v[i], 0);
		gv_str lits = gv_cell(t, r, "literal");
		bool found = false;

		assert_true(r != SIZE_MAX);
		while (lits.n) {
			gv_str lit = gv_before(lits, "||");

			found |= lit.n && memmem(s->line.v[i].p, s->line.v[i].n, lit.p, lit.n);
			lits = gv_after(lits, "||");
		}
		if (!found)
			fail_msg("%.*s: no literal in its sample", GV_ARG(s->id.v[i]));
	}
}

struct pair {
	const char *id, *line;
};

/* Other spellings of the same thing: old and new drivers, cut and prefixed lines. */
static const struct pair alike[] = {
	{ "nv-xid", "NVRM: Xid (0000:03:00): 14, Channel 00000001" },
	{ "nv-xid", "NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus." },
	{ "nv-xid",
	  "NVRM: Xid (PCI:0000:1b:00): 94, pid='<unknown>', name=<unknown>, Contained: SM (0x1). RST: No, D-RST: No" },
	{ "nv-xid", "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004505c6 0x00000000)" },
	{ "nv-xid",
	  "NVRM: Xid (PCI:0000:b7:00 GPU-I:03 GPU-CI:00): 43, pid=146239, name=VLLM::Worker, channel 0x00000008" },
	{ "nv-off-bus", "Jan 13 10:44:02 server kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=7, name=python3, GPU has "
			"fallen off the bus." },
	{ "nv-recovery-action",
	  "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)" },
	{ "nv-reset-ok",
	  "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)" },
	{ "nv-driver-load", "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build" },
	{ "aer-root-corrected", "pcieport 0000:40:01.1: AER: Corrected error message received from 0000:41:00.0" },
	{ "oom-kill", "Memory cgroup out of memory: Killed process 629 (train) total-vm:14119556kB, "
		      "anon-rss:6538204kB, file-rss:80652kB" },
	{ "torch-oom-sizes", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has "
			     "a total capacty of 23.69 GiB of which 4.96 GiB is free. Process 2006998 has 256.00 MiB "
			     "memory in use. Including non-PyTorch memory, this process has 18.46 GiB memory in use." },
	{ "jax-cpu", "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. "
		     "Falling back to cpu." },
	{ "nccl-ib-other", "NCCL WARN NET/IB : Got completion from peer 10.0.0.11<53249> with error 4, opcode 0, len "
			   "0, vendor err 81 (Recv)" },
	{ "nccl-watchdog",
	  "[E ProcessGroupNCCL.cpp:474] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
	  "OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1805695 milliseconds before timing out." },
};

static const struct pair unlike[] = {
	{ "nv-xid", "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up" },
	{ "nv-sxid",
	  "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Severity 1 Engine instance 60 Sub-engine instance 00" },
	{ "nv-sxid", "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Data {0x00000001, 0x00000002}" },
	{ "nv-off-bus",
	  "NVRM: Xid (PCI:0000:41:00): 119, Timeout after 6s of waiting for RPC response from GPU4 GSP!" },
	{ "nv-reset-ok",
	  "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)" },
	{ "amd-ras-ue", "amdgpu 0000:c1:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block" },
	{ "amd-ras-ce", "amdgpu 0000:c1:00.0: amdgpu: 2 new uncorrectable hardware errors detected in umc block" },
	{ "amd-throttle", "amdgpu 0000:83:00.0: amdgpu: WARN: GPU is throttled, expect performance decrease. PPT." },
	{ "aer-fatal",
	  "pcieport 0000:00:03.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)" },
	{ "mod-unsigned-rejected",
	  "nvidia: module verification failed: signature and/or required key missing - tainting kernel" },
	{ "ld-missing", "node1:7:7 [6] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: "
			"No such file or directory" },
	{ "ld-missing", "libibverbs: Warning: couldn't load driver 'libipathverbs-rdmav25.so': "
			"libipathverbs-rdmav25.so: cannot open shared object file: No such file or directory" },
	{ "ld-undefined", "NCCL INFO NET/Plugin: undefined symbol: ncclCollNetPlugin_v8" },
	{ "cuda-no-kernel-image", "RuntimeError: HIP error: no kernel image is available for execution on the device" },
	{ "disk-full",
	  "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-7Xn8Qh: No space left on device" },
	{ "c10d-timeout", "[W socket.cpp:558] [c10d] The client socket cannot be initialized to connect to "
			  "[localhost]:29500 (errno: 97 - Address family not supported by protocol)." },
	{ "addr-in-use", "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)" },
	{ "store-http", "INFO: 10.0.0.20:51820 - \"GET /health HTTP/1.1\" 503 Service Unavailable" },
	{ "k8s-taint",
	  "0/9 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }" },
	{ "k8s-insufficient", "0/9 nodes are available: 3 Insufficient cpu, 6 Insufficient memory." },
	{ "buffer-io", "Buffer I/O error on dev sr0, logical block 0, async page read" },
	{ "blk-io-error", "I/O error, dev loop3, sector 0 op 0x0:(READ) flags 0x0" },
	{ "smi-no-devices", "warning: No devices were found in the configuration file" },
	{ "fw-missing", "amdgpu 0000:23:00.0: Direct firmware load for amdgpu/navi12_cap.bin failed with error -2" },
	{ "nccl-gdr-off", "node01:101:230 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'" },
	{ "nv-legacy-gpu", "NVRM:  information.  The 595.71.05 NVIDIA driver is fine" },
};

static void test_alike(void **state)
{
	struct samples *s = *state;

	for (size_t i = 0; i < sizeof(alike) / sizeof(*alike); i++)
		if (!matches(s, gv_str_of(alike[i].line), gv_str_of(alike[i].id)))
			fail_msg("%s does not match: %s", alike[i].id, alike[i].line);
}

static void test_unlike(void **state)
{
	struct samples *s = *state;

	for (size_t i = 0; i < sizeof(unlike) / sizeof(*unlike); i++) {
		if (gv_table_find(gv_table("signatures"), "id", gv_str_of(unlike[i].id), 0) == SIZE_MAX)
			fail_msg("no row %s", unlike[i].id);
		if (matches(s, gv_str_of(unlike[i].line), gv_str_of(unlike[i].id)))
			fail_msg("%s matches: %s", unlike[i].id, unlike[i].line);
	}
}

/* Lines that say that all is well match nothing that points to a kind. */
static void test_harmless(void **state)
{
	static const char *const lines[] = {
		"Enabled persistence mode for GPU 00000000:41:00.0.",
		"node1:1:1 [0] NCCL INFO Connected all rings",
		"[drm] amdgpu kernel modesetting enabled.",
		"nvidia-nvlink: Nvlink Core is being initialized, major device number 237",
		("E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:9342] Unable to register cuDNN factory: "
		 "Attempting to register factory for plugin cuDNN when one has already been registered"),
		"Warning: The client socket has been closed",
		"Epoch 1: loss 2.41, error rate 0.12, 503 samples",
	};
	struct samples *s = *state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const struct gv_sig *hit[8];
		size_t n = gv_sigs_match(s->sigs, gv_str_of(lines[i]), hit, 8);

		for (size_t k = 0; k < n; k++)
			if (hit[k]->kind >= 0)
				fail_msg("%.*s matches: %s", GV_ARG(hit[k]->id), lines[i]);
	}
}

/* Not one expression needs more than its limits on a long line of its own literals. */
static void test_hostile_lines(void **state)
{
	struct samples *s = *state;

	for (size_t i = 0; i < s->id.n; i++) {
		const struct gv_sig *hit[4];
		char *p = gv_alloc(s->arena, 200000);
		size_t n = 0;

		while (n + s->line.v[i].n < 200000) {
			memcpy(p + n, s->line.v[i].p, s->line.v[i].n);
			n += s->line.v[i].n;
		}
		gv_sigs_match(s->sigs, (gv_str){ p, n }, hit, 4);
		assert_true(gv_sigs_match(s->sigs, s->line.v[i], hit, 4) > 0);
	}
}

static unsigned hard;

static void is_hard(void *ctx, size_t sig, uint32_t n)
{
	const struct samples *s = ctx;

	print_error("%.*s meets its limits, %u times\n", GV_ARG(gv_sigs_at(s->sigs, sig)->id), n);
	hard++;
}

/* Nor where its sample goes on, from any place, as what it repeats might. */
static void test_lines_that_go_on(void **state)
{
	static const char *const fill[] = { "1.", "a:", "1" };
	struct samples *s = *state;
	static char p[8192];

	for (size_t i = 0; i < s->id.n; i++) {
		gv_str line = s->line.v[i];
		struct gv_match m;
		size_t sig = 0;

		while (sig < gv_sigs_count(s->sigs) && !gv_eq(gv_sigs_at(s->sigs, sig)->id, s->id.v[i]))
			sig++;
		gv_sigs_rested(s->sigs);
		for (size_t cut = 1; cut < line.n && cut < 200; cut++)
			for (size_t k = 0; k < sizeof(fill) / sizeof(fill[0]); k++) {
				size_t n = strlen(fill[k]);

				memcpy(p, line.p, cut);
				for (size_t at = cut; at < sizeof(p); at++)
					p[at] = fill[k][(at - cut) % n];
				gv_sigs_run(s->sigs, sig, (gv_str){ p, sizeof(p) }, cut, &m);
			}
		gv_sigs_each_hard(s->sigs, is_hard, s);
	}
	gv_sigs_rested(s->sigs);
	assert_int_equal(hard, 0);
}

static void scan(struct gv_run *run, struct gv_doc *doc, const char *text)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_sigs *sigs;

	memset(run, 0, sizeof(*run));
	memset(doc, 0, sizeof(*doc));
	run->arena = a;
	doc->text = gv_str_of(text);
	gv_doc_split(a, doc, 1 << 20);
	sigs = gv_sigs_new(a);
	gv_sigs_scan(sigs, run, doc);
	gv_sigs_free(sigs);
}

static const struct gv_event *nth(const struct gv_run *run, const char *id, size_t n)
{
	for (size_t i = 0; i < run->events.n; i++)
		if (gv_is(run->events.v[i]->sig->id, id) && !n--)
			return run->events.v[i];
	fail_msg("no event %s", id);
	return NULL;
}

static size_t count(const struct gv_run *run, const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < run->events.n; i++)
		n += gv_is(run->events.v[i]->sig->id, id);
	return n;
}

static void test_event(void **state)
{
	const struct gv_event *ev;
	struct gv_run run;
	struct gv_doc doc;

	(void)state;
	scan(&run, &doc,
	     "Jan 13 10:44:02 server kernel: NVRM: Xid (PCI:0000:41:00): 31, pid=42, name=python3, Ch 00000010\n"
	     "Jan 13 10:44:03 server kernel: usb 1-1: new\n"
	     "Jan 13 10:44:04 server kernel: NVRM: Xid (PCI:0000:41:00): 31, pid=43, name=train, Ch 00000010\n"
	     "Jan 13 10:44:05 server kernel: NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.\n"
	     "Jan 13 10:44:06 server kernel: NVRM: Xid (PCI:0000:42:00): 31, pid=44, name=x, Ch 1\n");
	assert_int_equal(count(&run, "nv-xid"), 3);
	assert_int_equal(count(&run, "nv-off-bus"), 1);
	ev = nth(&run, "nv-xid", 0);
	assert_int_equal(ev->code, 31);
	assert_int_equal(ev->count, 2);
	assert_true(gv_is(ev->bus, "0000:41:00.0"));
	assert_true(gv_is(ev->subject, "0000:41:00.0"));
	assert_true(gv_is(ev->host, "server"));
	assert_true(ev->kernel && !ev->container);
	assert_true(gv_is(ev->cap[3], "42") && gv_is(ev->cap[4], "python3"));
	assert_true(gv_is(ev->last_cap[3], "43") && gv_is(ev->last_cap[4], "train"));
	assert_int_equal(ev->first.line, 1);
	assert_int_equal(ev->last.line, 3);
	assert_int_equal(ev->t_last.clock, GV_CLOCK_WALL);
	assert_true(ev->t_last.t - ev->t_first.t == 2);
	assert_int_equal(nth(&run, "nv-xid", 1)->code, 79);
	assert_true(gv_is(nth(&run, "nv-xid", 2)->bus, "0000:42:00.0"));
	assert_true(doc.lines[0].flags & GV_LINE_SIGNED);
	assert_false(doc.lines[1].flags & GV_LINE_SIGNED);
	gv_arena_free(run.arena);
}

/* A flood costs as little as one line, and many subjects no more than some. */
static void test_flood(void **state)
{
	struct gv_arena *a = gv_arena_new();
	const struct gv_event *ev;
	struct gv_run run;
	struct gv_doc doc;
	size_t cap = 4 << 20, n = 0;
	char *text = gv_alloc(a, cap);

	(void)state;
	for (int i = 0; i < 20000; i++)
		n +=
		    (size_t)snprintf(text + n, cap - n,
				     "[%5d.000000] NVRM: Xid (PCI:0000:%02x:00): 13, pid=%d, name=x, y\n", i, i & 1, i);
	for (int i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, cap - n, "nfs: server host%d not responding, timed out\n", i);
	scan(&run, &doc, text);
	assert_int_equal(count(&run, "nv-xid"), 2);
	ev = nth(&run, "nv-xid", 0);
	assert_int_equal(ev->count, 10000);
	assert_int_equal(ev->nsome, GV_KEEP);
	assert_int_equal(ev->last.line, 19999);
	assert_true(count(&run, "nfs-stall") <= 257);
	assert_true(count(&run, "nfs-stall") > 200);
	n = 0;
	for (size_t i = 0; i < run.events.n; i++)
		n += gv_is(run.events.v[i]->sig->id, "nfs-stall") ? run.events.v[i]->count : 0;
	assert_int_equal(n, 2000);
	gv_arena_free(run.arena);
	gv_arena_free(a);
}

static void test_prompts_and_escapes(void **state)
{
	struct gv_run run;
	struct gv_doc doc;

	(void)state;
	scan(&run, &doc,
	     "root@server:~# dmesg | grep 'GPU has fallen off the bus' | grep 'Failed to initialize NVML: Unknown "
	     "Error'\n"
	     "\033[32m[   10.000000] \033[0m\033[33mNVRM: \033[0m\033[31mThe NVIDIA probe routine failed for 1 "
	     "device(s).\033[0m\n"
	     "progress 10%\rtorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\r\n");
	assert_int_equal(count(&run, "nvml-unknown"), 0);
	assert_int_equal(count(&run, "nv-probe-failed"), 1);
	assert_true(gv_is(nth(&run, "nv-probe-failed", 0)->cap[1], "1"));
	assert_int_equal(count(&run, "cuda-oom"), 1);
	assert_true(gv_is(nth(&run, "cuda-oom", 0)->cap[1], "2.00 GiB"));
	gv_arena_free(run.arena);
}

static void check_boots(const char *text, uint32_t first, uint32_t second, uint32_t all)
{
	const struct gv_event *a, *b;
	struct gv_run run;
	struct gv_doc doc;

	scan(&run, &doc, text);
	a = nth(&run, "nv-rminit", 0);
	b = nth(&run, "nv-probe-failed", 0);
	if (a->boot_first != first || b->boot_last != second || doc.boots != all)
		fail_msg("boots %u, %u of %u, not %u, %u of %u: %s", a->boot_first, b->boot_last, doc.boots, first,
			 second, all, text);
	gv_arena_free(run.arena);
}

#define INIT "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:894)\n"
#define PROBE "NVRM: The NVIDIA probe routine failed for 1 device(s).\n"

static void test_boots(void **state)
{
	(void)state;
	/* one boot, from its first line or from its middle */
	check_boots("[    0.000000] Linux version 6.8.0\n[    9.000000] " INIT "[   10.000000] " PROBE, 1, 1, 1);
	check_boots("[    9.000000] " INIT "[   10.000000] " PROBE, 0, 0, 0);
	/* the stamps fall back; the banner a few lines later is the same boot */
	check_boots("[ 9000.000000] " INIT "[    0.000000] microcode: updated early\n"
		    "[    0.000000] Linux version 6.8.0\n[   10.000000] " PROBE,
		    0, 1, 1);
	/* CPUs that print a little out of order do not boot */
	check_boots("[    9.000500] " INIT "[    9.000100] " PROBE, 0, 0, 0);
	/* syslog without stamps of the kernel's own */
	check_boots("Jan 13 10:00:00 h kernel: " INIT "Jan 13 11:00:00 h kernel: Linux version 6.8.0\n"
		    "Jan 13 11:00:09 h kernel: " PROBE,
		    0, 1, 1);
	/* the journal's own mark, with the banner behind it */
	check_boots("Jan 13 10:00:00 h kernel: " INIT "-- Boot 0123456789abcdef0123456789abcdef --\n"
		    "Jan 13 11:00:00 h kernel: Linux version 6.8.0\nJan 13 11:00:09 h kernel: " PROBE,
		    0, 1, 1);
	check_boots("Jan 13 10:00:00 h kernel: " INIT "-- Reboot --\nJan 13 11:00:09 h kernel: " PROBE, 0, 1, 1);
	/* a boot after the last event makes it history */
	check_boots("[ 8000.000000] " INIT "[ 9000.000000] " PROBE "[    0.000000] Linux version 6.8.0\n", 0, 0, 1);
	/* newest first: no boots */
	check_boots("Jan 13 10:00:09 h kernel: [   99.000000] " INIT "Jan 13 10:00:00 h kernel: [   90.000000] " PROBE,
		    0, 0, 0);
	/* two hosts in one file: each ends at its own last boot */
	check_boots("Jan 13 10:00:00 a kernel: Linux version 6.8.0\nJan 13 10:00:01 b kernel: [  900.000000] " PROBE
		    "Jan 13 10:00:09 a kernel: [   10.000000] " INIT,
		    1, 1, 1);
	/* two commands, each with its own story */
	check_boots("root@h:~# dmesg | grep probe\n[ 9000.000000] " PROBE
		    "root@h:~# dmesg | grep Init\n[   10.000000] " INIT,
		    0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_match),
		cmocka_unit_test(test_rows_have_samples),
		cmocka_unit_test(test_samples_hold_a_literal),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_unlike),
		cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_hostile_lines),
		cmocka_unit_test(test_lines_that_go_on),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_prompts_and_escapes),
		cmocka_unit_test(test_boots),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
