/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript of NVML. All transcripts here are made up; tests/cli/test_nvml.py has those that the program makes. */
#include "pipeline.h"

#include "base/buf.h"

#define HEAD                                                                                                           \
	"dlopen(libnvidia-ml.so.1) = loaded\n"                                                                         \
	"nvmlInit_v2() = 0\n"                                                                                          \
	"nvmlSystemGetNVMLVersion() = 0 \"12.550.54.15\"\n"                                                            \
	"nvmlSystemGetDriverVersion() = 0 \"550.54.15\"\n"                                                             \
	"nvmlSystemGetCudaDriverVersion_v2() = 0 cudaDriverVersion=12040\n"                                            \
	"nvmlDeviceGetCount_v2() = 0 deviceCount=1\n"                                                                  \
	"nvmlDeviceGetHandleByIndex_v2(0) = 0\n"                                                                       \
	"nvmlDeviceGetPciInfo_v3(0) = 0 busId=\"00000000:41:00.0\" pciDeviceId=0x233010de\n"                           \
	"nvmlDeviceGetName(0) = 0 \"NVIDIA H100 80GB HBM3\"\n"

static struct gv_run *read_text(const char *text)
{
	return gv_test_run("nvml", text, NULL);
}

static struct gv_entity *gpu(const struct gv_run *run, const char *index)
{
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, gv_str_of(index));

	assert_non_null(e);
	return e;
}

/* The last observation of a fact, known or not. */
static const struct gv_obs *last(const struct gv_entity *e, enum gv_fact f)
{
	const struct gv_slot *s = gv_slot_of(e, f);

	if (!s->n)
		fail_msg("%s was not seen", gv_fact_info[f].name);
	return &s->v[s->n - 1];
}

static void is_none(const struct gv_entity *e, enum gv_fact f, enum gv_state state, const char *why)
{
	const struct gv_obs *o = last(e, f);

	if (o->state != state)
		fail_msg("%s: state %d, not %d", gv_fact_info[f].name, o->state, state);
	assert_string_equal(o->reason, why);
}

static void not_seen(const struct gv_entity *e, enum gv_fact f)
{
	if (gv_slot_of(e, f)->n)
		fail_msg("%s was seen", gv_fact_info[f].name);
}

static void test_values(void **state)
{
	struct gv_run *run = read_text(
	    HEAD
	    "nvmlDeviceGetUUID(0) = 0 \"GPU-11112222-3333-4444-5555-666677778888\"\n"
	    "nvmlDeviceGetMigMode(0) = 0 currentMode=0 pendingMode=1\n"
	    "nvmlDeviceGetCudaComputeCapability(0) = 0 major=9 minor=0\n"
	    "nvmlDeviceGetMinorNumber(0) = 0 minorNumber=3\n"
	    "nvmlDeviceGetArchitecture(0) = 0 arch=9\n"
	    "nvmlDeviceGetPersistenceMode(0) = 0 mode=1\n"
	    "nvmlDeviceGetComputeMode(0) = 0 mode=3\n"
	    "nvmlDeviceGetPerformanceState(0) = 0 pState=2\n"
	    "nvmlDeviceGetFieldValues(0, GET_GPU_RECOVERY_ACTION) = 0 value=4\n"
	    "nvmlDeviceGetFieldValues(0, MEMORY_TEMP) = 0 value=77\n"
	    "nvmlDeviceGetRemappedRows(0) = 0 corrRows=1 uncRows=2 isPending=1 failureOccurred=0\n"
	    "nvmlDeviceGetRowRemapperHistogram(0) = 0 max=639 high=0 partial=0 low=1 none=0\n"
	    "nvmlDeviceGetTotalEccErrors(0, UNCORRECTED, VOLATILE) = 0 eccCounts=5\n"
	    "nvmlDeviceGetTotalEccErrors(0, UNCORRECTED, AGGREGATE) = 0 eccCounts=6\n"
	    "nvmlDeviceGetTotalEccErrors(0, CORRECTED, VOLATILE) = 0 eccCounts=700\n"
	    "nvmlDeviceGetRepairStatus(0) = 0 bChannelRepairPending=0 bTpcRepairPending=1\n"
	    "nvmlDeviceGetCurrPcieLinkGeneration(0) = 0 currLinkGen=4\n"
	    "nvmlDeviceGetMaxPcieLinkGeneration(0) = 0 maxLinkGen=5\n"
	    "nvmlDeviceGetCurrentClocksThrottleReasons(0) = 0 clocksEventReasons=0x0000000000000204\n"
	    "nvmlDeviceGetPowerUsage(0) = 0 power_mW=265123\n"
	    "nvmlDeviceGetPowerManagementLimit(0) = 0 limit_mW=600000\n"
	    "nvmlDeviceGetPowerManagementLimitConstraints(0) = 0 minLimit_mW=200000 maxLimit_mW=700000\n"
	    "nvmlDeviceGetMemoryInfo_v2(0) = 0 total=85899345920 reserved=1048576 free=42949672960 used=1073741824\n"
	    "nvmlDeviceGetMarginTemperature(0) = 0 marginTemperature=-3\n"
	    "nvmlDeviceGetClockInfo(0, MEM) = 0 clock_MHz=2619\n"
	    "nvmlDeviceGetPcieThroughput(0, TX_BYTES) = 0 value_KBps=12500\n"
	    "nvmlDeviceGetGpuFabricInfoV(0, v3) = 25 (Argument Version Mismatch)\n"
	    "nvmlDeviceGetGpuFabricInfoV(0, v2) = 0 status=0 state=2 healthMask=0x0\n");
	struct gv_entity *g = gpu(run, "0"), *node = gv_test_node(run);

	gv_test_is_num(node, GV_F_GPU_COUNT, 1);
	gv_test_is_text(node, GV_F_DRIVER_KERNEL, "550.54.15");
	gv_test_is_text(node, GV_F_DRIVER_USER, "550.54.15");
	gv_test_is_num(node, GV_F_DRIVER_CUDA_MAX, 12.4);
	assert_true(gv_is(g->id, "0000:41:00.0"));
	assert_true(gv_is(g->key[GV_KEY_MINOR], "3"));
	assert_true(gv_is(g->key[GV_KEY_UUID], "GPU-11112222-3333-4444-5555-666677778888"));
	gv_test_is_text(g, GV_F_GPU_NAME, "NVIDIA H100 80GB HBM3");
	gv_test_is_text(g, GV_F_GPU_VENDOR, "nvidia");
	gv_test_is_text(g, GV_F_GPU_MIG, "Disabled");
	gv_test_is_text(g, GV_F_GPU_MIG_PENDING, "Enabled");
	gv_test_is_text(g, GV_F_GPU_COMPUTE_CAP, "9.0");
	gv_test_is_text(g, GV_F_GPU_ARCH, "Hopper");
	gv_test_is_num(g, GV_F_GPU_PERSISTENCE, 1);
	gv_test_is_text(g, GV_F_GPU_COMPUTE_MODE, "Exclusive_Process");
	gv_test_is_text(g, GV_F_GPU_PSTATE, "P2");
	gv_test_is_text(g, GV_F_GPU_RECOVERY, "Drain and Reset");
	gv_test_is_num(g, GV_F_GPU_TEMP_MEM, 77);
	gv_test_is_num(g, GV_F_GPU_REMAP_CORR, 1);
	gv_test_is_num(g, GV_F_GPU_REMAP_UNC, 2);
	gv_test_is_num(g, GV_F_GPU_REMAP_PENDING, 1);
	gv_test_is_num(g, GV_F_GPU_REMAP_FAILED, 0);
	gv_test_is_num(g, GV_F_GPU_REMAP_NONE, 0);
	gv_test_is_num(g, GV_F_GPU_ECC_UNC, 5);
	gv_test_is_num(g, GV_F_GPU_ECC_AGG_UNC, 6);
	gv_test_is_num(g, GV_F_GPU_REPAIR_PENDING, 1);
	gv_test_is_num(g, GV_F_GPU_PCIE_GEN, 4);
	gv_test_is_num(g, GV_F_GPU_PCIE_GEN_MAX, 5);
	gv_test_is_num(g, GV_F_GPU_CAP_POWER, 1);
	gv_test_is_num(g, GV_F_GPU_CAP_HW_THERMAL, 0);
	gv_test_is_num(g, GV_F_GPU_POWER, 265.123);
	gv_test_is_num(g, GV_F_GPU_POWER_LIMIT, 600);
	gv_test_is_num(g, GV_F_GPU_POWER_MIN, 200);
	gv_test_is_num(g, GV_F_GPU_POWER_MAX, 700);
	gv_test_is_num(g, GV_F_GPU_MEM_TOTAL, 81920);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 1024);
	gv_test_is_num(g, GV_F_GPU_TEMP_MARGIN, -3);
	gv_test_is_num(g, GV_F_GPU_CLK_MEM, 2619);
	gv_test_is_num(g, GV_F_GPU_PCIE_TX, 12.5);
	gv_test_is_text(g, GV_F_GPU_FABRIC_STATE, "In Progress");
	gv_test_is_text(g, GV_F_GPU_FABRIC_STATUS, "Success");
	assert_int_equal(run->docs.v[0]->lines[0].flags & GV_LINE_CLAIMED, GV_LINE_CLAIMED);
	gv_test_end(run);
}

/* The limit in force goes before the one that was set. */
static void test_limit_in_force(void **state)
{
	struct gv_run *run = read_text(HEAD "nvmlDeviceGetEnforcedPowerLimit(0) = 0 limit_mW=400000\n"
					    "nvmlDeviceGetPowerManagementLimit(0) = 0 limit_mW=700000\n");

	gv_test_is_num(gpu(run, "0"), GV_F_GPU_POWER_LIMIT, 400);
	gv_test_end(run);
}

static void test_errors_keep_their_reasons(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetPowerUsage(0) = 3 (Not Supported)\n"
			   "nvmlDeviceGetTotalEccErrors(0, UNCORRECTED, VOLATILE) = 4 (Insufficient Permissions)\n"
			   "nvmlDeviceGetPerformanceState(0) = 13 (Function Not Found)\n"
			   "nvmlDeviceGetApplicationsClock(0, SM) = 26 (Deprecated)\n"
			   "nvmlDeviceGetUtilizationRates(0) = 999 (Unknown Error)\n"
			   "nvmlDeviceGetCurrentClocksEventReasons(0) = 10 (Timeout)\n"
			   "nvmlDeviceGetClockInfo(0, SM) = 4711 (no known code)\n"
			   "nvmlDeviceGetNvLinkState(0, 0) = 3 (Not Supported)\n");
	struct gv_entity *g = gpu(run, "0");

	is_none(g, GV_F_GPU_POWER, GV_NOT_APPLICABLE, "not supported on this device");
	is_none(g, GV_F_GPU_ECC_UNC, GV_UNKNOWN, "no permission to read it");
	not_seen(g, GV_F_GPU_ECC_AGG_UNC);
	is_none(g, GV_F_GPU_PSTATE, GV_UNKNOWN, "the driver lacks the call");
	is_none(g, GV_F_GPU_CLK_APP_SM, GV_NOT_APPLICABLE, "no longer reported by this driver");
	is_none(g, GV_F_GPU_UTIL, GV_UNKNOWN, "the tool printed an error");
	is_none(g, GV_F_GPU_MEM_UTIL, GV_UNKNOWN, "the tool printed an error");
	is_none(g, GV_F_GPU_CAP_HW_THERMAL, GV_UNKNOWN, "the driver answered with an error");
	is_none(g, GV_F_GPU_CLK_SM, GV_UNKNOWN, "the driver answered with an error");
	is_none(g, GV_F_GPU_NVLINK_ALL_OFF, GV_NOT_APPLICABLE, "the GPU has no NVLink");
	not_seen(g, GV_F_GPU_BROKEN); /* one unknown error is a sensor's */
	gv_test_verdict(run, GV_KINDS);
	gv_test_end(run);
}

static void test_sick_gpus(void **state)
{
	struct gv_run *run = read_text(HEAD "nvmlDeviceGetHandleByIndex_v2(1) = 15 (GPU is lost)\n"
					    "nvmlDeviceGetHandleByIndex_v2(2) = 0\n"
					    "nvmlDeviceGetUtilizationRates(2) = 16 (GPU requires reset)\n");
	const struct gv_finding *lost = gv_test_finding(run, GV_K_GPU_FELL_OFF_BUS);
	const struct gv_finding *reset = gv_test_finding(run, GV_K_GPU_RESET_REQUIRED);

	gv_test_is_text(gpu(run, "1"), GV_F_GPU_BROKEN, "GPU is lost");
	is_none(gpu(run, "2"), GV_F_GPU_UTIL, GV_UNKNOWN, "the GPU requires a reset");
	assert_non_null(lost);
	assert_ptr_equal(lost->on, gpu(run, "1"));
	assert_int_equal(lost->quote[0].line, 10);
	assert_non_null(reset);
	assert_ptr_equal(reset->on, gpu(run, "2"));
	gv_test_end(run);

	run = read_text(HEAD "nvmlDeviceGetTemperature(0, GPU) = 999 (Unknown Error)\n"
			     "nvmlDeviceGetPowerUsage(0) = 999 (Unknown Error)\n"
			     "nvmlDeviceGetUtilizationRates(0) = 999 (Unknown Error)\n");
	gv_test_is_text(gpu(run, "0"), GV_F_GPU_BROKEN, "Unknown Error");
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
	gv_test_end(run);
}

static void test_no_driver(void **state)
{
	static const struct {
		const char *text;
		enum gv_kind kind;
	} table[] = {
		{ "nvmlInit_v2() = 9 (Driver Not Loaded)\n", GV_K_DRIVER_NOT_LOADED },
		{ "nvmlInit() = 9 (Driver Not Loaded)\n", GV_K_DRIVER_NOT_LOADED },
		{ "nvmlInit_v2() = 18 (Driver/library version mismatch)\nnvmlSystemGetNVMLVersion() = 0 "
		  "\"12.550.90.07\"\n",
		  GV_K_DRIVER_MISMATCH },
		{ "nvmlInit_v2() = 4 (Insufficient Permissions)\n", GV_K_DEVICE_PERMISSION },
		{ "nvmlInit_v2() = 999 (Unknown Error)\n", GV_K_CGROUP_DEVICE_DENIED },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gv_run *run = read_text(table[i].text);

		gv_test_verdict(run, table[i].kind);
		assert_int_equal(run->verdict->quote[0].line, 1);
		assert_true(gv_starts(gv_text(gv_test_node(run), GV_F_GPU_TOOL_ERROR), "nvmlInit"));
		assert_int_equal(gv_count(run, GV_GPU, NULL), 0);
		gv_test_end(run);
	}
}

#define ABSENT                                                                                                         \
	"dlopen(libnvidia-ml.so.1) = NULL (not there)\n"                                                               \
	"dlopen(/usr/lib/wsl/lib/libnvidia-ml.so.1) = NULL (not there)\n"

/* No library is no news where there is no such GPU, or where another driver holds it. */
static void test_no_library(void **state)
{
	struct gv_run *run = read_text(ABSENT);

	assert_int_equal(run->findings.n, 0);
	gv_test_end(run);

	run = gv_test_run("nvml", ABSENT, "lspci.txt",
			  "01:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"
			  "\tKernel driver in use: nvidia\n",
			  NULL);
	gv_test_verdict(run, GV_K_DRIVER_NOT_LOADED);
	assert_int_equal(run->verdict->quote[0].line, 1);
	gv_test_end(run);

	run = gv_test_run("nvml", ABSENT, "lspci.txt",
			  "01:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"
			  "\tKernel driver in use: vfio-pci\n",
			  NULL);
	assert_null(gv_test_finding(run, GV_K_DRIVER_NOT_LOADED));
	gv_test_end(run);

	/* found in another place */
	run = read_text("dlopen(libnvidia-ml.so.1) = NULL (no such file)\n"
			"dlopen(/usr/lib/wsl/lib/libnvidia-ml.so.1) = loaded\nnvmlInit_v2() = 0\n");
	not_seen(gv_test_node(run), GV_F_GPU_LIBRARY_ABSENT);
	gv_test_end(run);
}

static void test_calls_that_do_not_return(void **state)
{
	struct gv_run *run = read_text(HEAD "nvmlDeviceGetTemperature(0, GPU) = 0 temp=40\n"
					    "nvmlDeviceGetUtilizationRates(0): no answer within 5 s\n");
	struct gv_entity *g = gpu(run, "0");

	gv_test_verdict(run, GV_K_DRIVER_HUNG);
	assert_ptr_equal(run->verdict->on, g);
	assert_int_equal(run->verdict->confidence, GV_HIGH);
	assert_int_equal(run->verdict->nquotes, 1);
	assert_int_equal(run->verdict->quote[0].line, 11);
	gv_test_is_num(g, GV_F_GPU_TEMP, 40);
	is_none(g, GV_F_GPU_UTIL, GV_UNKNOWN, "the driver did not answer");
	gv_test_end(run);

	run = read_text(HEAD "nvmlDeviceGetPowerUsage(0): ended the process (signal 11, Segmentation fault)\n");
	gv_test_verdict(run, GV_K_DRIVER_HUNG);
	assert_int_equal(run->verdict->confidence, GV_MEDIUM);
	assert_true(gv_has(run->verdict->summary, "ended the process (signal 11"));
	is_none(gpu(run, "0"), GV_F_GPU_POWER, GV_UNKNOWN, "the library ended the process that asked");
	gv_test_end(run);

	/* nothing but that, about the machine, or about no call at all */
	run = read_text("nvmlInit_v2(): no answer within 5 s\n");
	gv_test_verdict(run, GV_K_DRIVER_HUNG);
	assert_int_equal(run->verdict->on->kind, GV_NODE);
	assert_int_equal(run->verdict->confidence, GV_MEDIUM);
	gv_test_end(run);
	run = read_text(HEAD "helper process: ended the process (signal 9, Killed)\n");
	gv_test_verdict(run, GV_K_DRIVER_HUNG);
	gv_test_end(run);

	/* a look that went well later */
	run = gv_test_run("before/nvml", HEAD "nvmlDeviceGetPowerUsage(0): no answer within 5 s\n", "after/nvml",
			  HEAD "nvmlDeviceGetPowerUsage(0) = 0 power_mW=100000\n", NULL);
	assert_int_equal(run->verdict ? run->verdict->when : GV_RECENT, GV_RECENT);
	gv_test_end(run);
}

static void test_what_the_library_lacks(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetRemappedRows: not in this library\n"
			   "nvmlDeviceGetMemoryInfo_v2: not in this library\n"
			   "nvmlDeviceGetMemoryInfo(0) = 0 total=85899345920 free=42949672960 used=1073741824\n"
			   "nvmlDeviceGetCurrentClocksEventReasons: not in this library\n");
	struct gv_entity *g = gpu(run, "0");

	is_none(g, GV_F_GPU_REMAP_PENDING, GV_UNKNOWN, "the driver's library lacks the call");
	assert_int_equal(last(g, GV_F_GPU_REMAP_PENDING)->at.line, 10);
	is_none(g, GV_F_GPU_CAP_IDLE, GV_UNKNOWN, "the driver's library lacks the call");
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 1024);
	assert_int_equal(gv_slot_of(g, GV_F_GPU_MEM_USED)->n, 1);
	gv_test_verdict(run, GV_KINDS);
	gv_test_end(run);
}

static void test_samples(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetUtilizationRates(0) = 0 gpu=5 memory=1\n"
			   "@100.000 nvmlDeviceGetUtilizationRates(0) = 0 gpu=10 memory=1\n"
			   "@100.000 nvmlDeviceGetMemoryInfo_v2(0) = 0 total=1 reserved=0 free=1 used=1048576\n"
			   "@100.100 nvmlDeviceGetUtilizationRates(0) = 0 gpu=90 memory=1\n"
			   "@100.250 nvmlDeviceGetUtilizationRates(0) = 15 (GPU is lost)\n"
			   "@99.000 nvmlDeviceGetUtilizationRates(0) = 0 gpu=7 memory=1\n");
	const struct gv_entity *g = gpu(run, "0");
	const struct gv_slot *s = gv_slot_of(g, GV_F_GPU_UTIL);

	assert_int_equal(s->n, 4); /* an error at a tick is told by nothing being there */
	assert_int_equal(s->v[0].sample, 0);
	assert_int_equal(s->v[1].sample, 1);
	assert_int_equal(s->v[2].sample, 2);
	assert_int_equal(s->v[2].ms, 100);
	assert_true(s->v[2].num == 90);
	assert_int_equal(s->v[3].sample, 3); /* time does not go back */
	assert_int_equal(gv_slot_of(g, GV_F_GPU_MEM_TOTAL)->n, 0);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 1);
	gv_test_is_text(g, GV_F_GPU_BROKEN, "GPU is lost");
	gv_test_end(run);
}

static void test_processes(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetComputeRunningProcesses_v3(0) = 0 infoCount=2\n"
			   "nvmlDeviceGetComputeRunningProcesses_v3(0)[0]: pid=4711 usedGpuMemory=1073741824\n"
			   "nvmlDeviceGetComputeRunningProcesses_v3(0)[1]: pid=4712 usedGpuMemory=N/A\n"
			   "nvmlDeviceGetGraphicsRunningProcesses_v3(0) = 0 infoCount=1\n"
			   "nvmlDeviceGetGraphicsRunningProcesses_v3(0)[0]: pid=4711 usedGpuMemory=1073741824\n"
			   "nvmlDeviceGetHandleByIndex_v2(1) = 0\n"
			   "nvmlDeviceGetComputeRunningProcesses_v3(1) = 0 infoCount=0\n"
			   "nvmlDeviceGetGraphicsRunningProcesses_v3(1) = 0 infoCount=0\n");
	struct gv_entity *p = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, GV_STR("4711"));
	struct gv_entity *q = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, GV_STR("4712"));

	assert_non_null(p);
	assert_non_null(q);
	assert_ptr_equal(p->parent, gpu(run, "0"));
	gv_test_is_num(p, GV_F_PROC_GPU_MEM, 1024);
	gv_test_is_text(p, GV_F_PROC_TYPE, "C+G");
	gv_test_is_text(q, GV_F_PROC_TYPE, "C");
	is_none(q, GV_F_PROC_GPU_MEM, GV_UNKNOWN, "the driver does not tell it here");
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_PROCESS_LIST, 1);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_PROCESS_LIST, 0);
	gv_test_end(run);
}

static void test_mig(void **state)
{
	struct gv_run *run = read_text(HEAD "nvmlDeviceGetMigMode(0) = 0 currentMode=1 pendingMode=1\n"
					    "nvmlDeviceGetRetiredPages(0, DOUBLE_BIT_ECC_ERROR) = 3 (Not Supported)\n"
					    "nvmlDeviceGetUtilizationRates(0) = 3 (Not Supported)\n"
					    "nvmlDeviceGetComputeRunningProcesses_v3(0) = 3 (Not Supported)\n"
					    "nvmlDeviceGetMigDeviceHandleByIndex(0, 0) = 0\n"
					    "nvmlDeviceGetMigDeviceHandleByIndex(0, 1) = 6 (Not Found)\n"
					    "nvmlDeviceGetMigDeviceHandleByIndex(0, 2) = 0\n"
					    "nvmlDeviceGetNvLinkState(0, 0) = 3 (Not Supported)\n");
	struct gv_entity *g = gpu(run, "0");

	is_none(g, GV_F_GPU_UTIL, GV_NOT_APPLICABLE, "not told while MIG is on");
	is_none(g, GV_F_GPU_PROCESS_LIST, GV_NOT_APPLICABLE, "not told while MIG is on");
	is_none(g, GV_F_GPU_RETIRED_DBE, GV_NOT_APPLICABLE, "not supported on this device");
	is_none(g, GV_F_GPU_NVLINK_ALL_OFF, GV_UNKNOWN, "NVLink cannot be asked in MIG mode");
	gv_test_is_num(g, GV_F_GPU_MIG_DEVICES, 2);
	gv_test_end(run);
}

static struct gv_entity *link_of(const struct gv_entity *g, const char *id)
{
	for (struct gv_entity *e = NULL; (e = gv_each_of(g, GV_LINK, e));)
		if (gv_is(e->id, id))
			return e;
	fail_msg("no link %s", id);
	return NULL;
}

static void test_links(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetNvLinkState(0, 0) = 0 isActive=1\n"
			   "nvmlDeviceGetNvLinkErrorCounter(0, 0, REPLAY) = 0 counterValue=3\n"
			   "nvmlDeviceGetNvLinkErrorCounter(0, 0, RECOVERY) = 0 counterValue=1\n"
			   "nvmlDeviceGetNvLinkErrorCounter(0, 0, CRC_FLIT) = 0 counterValue=2\n"
			   "nvmlDeviceGetNvLinkState(0, 1) = 0 isActive=0\n"
			   "nvmlDeviceGetNvLinkState(0, 2) = 0 isActive=2\n"
			   "nvmlDeviceGetNvLinkState(0, 3) = 0 isActive=1\n"
			   "nvmlDeviceGetNvLinkErrorCounter(0, 3, REPLAY) = 3 (Not Supported)\n"
			   "nvmlDeviceGetFieldValues(0, NVLINK_COUNT_RCV_ERRORS, 3) = 0 value=4\n"
			   "nvmlDeviceGetFieldValues(0, NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS, 3) = 0 value=5\n"
			   "nvmlDeviceGetNvLinkState(0, 4) = 2 (Invalid Argument)\n");
	struct gv_entity *g = gpu(run, "0");

	assert_int_equal(gv_count(run, GV_LINK, NULL), 4);
	gv_test_is_num(link_of(g, "0"), GV_F_LINK_ACTIVE, 1);
	gv_test_is_num(link_of(g, "0"), GV_F_LINK_REPLAY, 3);
	gv_test_is_num(link_of(g, "0"), GV_F_LINK_RECOVERIES, 1);
	gv_test_is_num(link_of(g, "0"), GV_F_LINK_CRC, 2);
	gv_test_is_num(link_of(g, "1"), GV_F_LINK_ACTIVE, 0);
	is_none(link_of(g, "2"), GV_F_LINK_ACTIVE, GV_UNKNOWN, "the link sleeps");
	gv_test_is_num(link_of(g, "3"), GV_F_LINK_HARD, 4);
	gv_test_is_num(link_of(g, "3"), GV_F_LINK_RECOVERY_FAILED, 5);
	not_seen(g, GV_F_GPU_NVLINK_ALL_OFF);
	gv_test_verdict(run, GV_K_NVLINK_DOWN);
	gv_test_end(run);
}

/* Several tools speak of one GPU. */
static void test_joined_with_others(void **state)
{
	struct gv_run *run =
	    gv_test_run("nvml", HEAD "nvmlDeviceGetHandleByIndex_v2(1) = 15 (GPU is lost)\n", "list.txt",
			"$ nvidia-smi --query-gpu=index,pci.bus_id,name --format=csv\n"
			"index, pci.bus_id, name\n"
			"0, 00000000:41:00.0, NVIDIA H100 80GB HBM3\n"
			"1, 00000000:61:00.0, NVIDIA H100 80GB HBM3\n",
			NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_true(gv_is(gpu(run, "1")->id, "0000:61:00.0"));
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
	gv_test_end(run);
}

/* What a damaged library may tell, and what a damaged file may hold, is no news. */
static void test_hostile_values(void **state)
{
	struct gv_run *run =
	    read_text(HEAD "nvmlDeviceGetCount_v2() = 0 deviceCount=4000000000\n"
			   "nvmlDeviceGetPciInfo_v3(1) = 0 busId=\"\x1b[2J\x07:::\" pciDeviceId=0x0\n"
			   "nvmlDeviceGetName(1) = 0 \"AAAA\n"
			   "nvmlDeviceGetUUID(1) = 0\n"
			   "nvmlDeviceGetUtilizationRates(1) = 0 gpu=nan memory=4000000000\n"
			   "nvmlDeviceGetPowerUsage(1) = 0 power_mW=1e308\n"
			   "nvmlDeviceGetTemperature(1, GPU) = 0 temp=-2147483648\n"
			   "nvmlDeviceGetMemoryInfo_v2(1) = 0 total=18446744073709551615 used=\n"
			   "nvmlDeviceGetCurrentClocksEventReasons(1) = 0 clocksEventReasons=0xffffffffffffffff\n"
			   "nvmlDeviceGetPersistenceMode(1) = 0 mode=2\n"
			   "nvmlDeviceGetRemappedRows(1) = 0 isPending=4000000000 failureOccurred=-1\n"
			   "nvmlDeviceGetFieldValues(1, GET_GPU_RECOVERY_ACTION) = 0 value=4000000000\n"
			   "nvmlDeviceGetArchitecture(1) = 0 arch=1\n"
			   "nvmlDeviceGetTotalEccErrors(1, UNCORRECTED, VOLATILE) = 0 eccCounts=18446744073709551615\n"
			   "nvmlDeviceGetComputeRunningProcesses_v3(1) = 0 infoCount=4000000000\n"
			   "nvmlDeviceGetComputeRunningProcesses_v3(1)[0]: pid=-5 usedGpuMemory=9\n"
			   "nvmlDeviceGetNvLinkState(1, 4000000000) = 0 isActive=0\n"
			   "nvmlDeviceGetName(99999999999999999999) = 0 \"x\"\n"
			   "nvmlDeviceGetName(300) = 0 \"x\"\n"
			   "nvmlDeviceGetName(1) = 99999999999999999999 (x)\n");
	struct gv_entity *g = gpu(run, "1");

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 0);
	assert_int_equal(gv_count(run, GV_LINK, NULL), 0);
	is_none(gv_test_node(run), GV_F_GPU_COUNT, GV_UNKNOWN, "the number is out of range");
	not_seen(g, GV_F_GPU_BUS_ID);
	is_none(g, GV_F_GPU_NAME, GV_UNKNOWN, "the output leaves it empty");
	is_none(g, GV_F_GPU_UUID, GV_UNKNOWN, "the output leaves it empty");
	is_none(g, GV_F_GPU_UTIL, GV_UNKNOWN, "not a number");
	is_none(g, GV_F_GPU_MEM_UTIL, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_POWER, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_TEMP, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_MEM_TOTAL, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_MEM_USED, GV_UNKNOWN, "not a number");
	is_none(g, GV_F_GPU_CAP_HW_THERMAL, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_PERSISTENCE, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_REMAP_PENDING, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_REMAP_FAILED, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_RECOVERY, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_ARCH, GV_UNKNOWN, "no known number");
	is_none(g, GV_F_GPU_ECC_UNC, GV_UNKNOWN, "the number is out of range");
	is_none(g, GV_F_GPU_PROCESS_LIST, GV_UNKNOWN, "the number is out of range");
	gv_test_verdict(run, GV_KINDS);
	gv_test_end(run);
}

/* Lists that do not end cost no more than long ones. */
static void test_hostile_amounts(void **state)
{
	struct gv_buf b = { 0 };
	struct gv_run *run;

	gv_puts(&b, HEAD);
	for (unsigned i = 0; i < 2000; i++)
		gv_printf(&b, "nvmlDeviceGetName(%u) = 0 \"NVIDIA H100 80GB HBM3\"\n", i);
	for (unsigned i = 0; i < 20000; i++)
		gv_printf(&b, "nvmlDeviceGetComputeRunningProcesses_v3(0)[%u]: pid=%u usedGpuMemory=1\n", i, i + 1);
	for (unsigned i = 0; i < 1000; i++)
		gv_printf(&b, "nvmlDeviceGetCall%u: not in this library\n", i);
	gv_putc(&b, '\0');
	run = read_text(b.p);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 256);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 8192);
	gv_test_end(run);
	gv_buf_free(&b);
}

static void test_not_ours(void **state)
{
	static const char *const texts[] = {
		"nvmlInit failed: Driver Not Loaded\n",
		"nvmlDeviceGetHandleByIndex_v2() returned 15\n",
		"	ret = nvmlDeviceGetName(device, name, 64);\n",
		"nvmlDeviceGetName(0)\n",
		"nvmlDeviceGetName(0) = \n",
		"nvmlDeviceGetName(0 = 0\n",
		"dlopen(libcuda.so.1) = NULL (not there)\n",
		"@x nvmlDeviceGetName(0) = 0 \"A\"\n",
		"@nan nvmlDeviceGetName(0) = 0 \"A\"\n",
		"helper process: no answer within 5 s\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gv_run *run = read_text(texts[i]);

		if (run->blocks.n)
			fail_msg("claimed: %s", texts[i]);
		gv_test_end(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_limit_in_force),
		cmocka_unit_test(test_errors_keep_their_reasons),
		cmocka_unit_test(test_sick_gpus),
		cmocka_unit_test(test_no_driver),
		cmocka_unit_test(test_no_library),
		cmocka_unit_test(test_calls_that_do_not_return),
		cmocka_unit_test(test_what_the_library_lacks),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_mig),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_joined_with_others),
		cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_hostile_amounts),
		cmocka_unit_test(test_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
