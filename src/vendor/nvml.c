/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA: NVML. Every call is announced, and its answer is one line: the name of the call with the number of the device
 * and what else was asked, the code that it returned, and its values under the names that NVML's documentation gives
 * them:
 *
 *     nvmlDeviceGetUtilizationRates(0) = 0 gpu=97 memory=43
 *     nvmlDeviceGetPowerUsage(1) = 3 (Not Supported)
 *
 * Who the devices are comes first, then how they are, then the rest: where a call hangs, what matters most is told.
 * Where gv_ask() says no, what would follow from its answer is left out with it. */
#include "vendor/vendor.h"

#include <string.h>

#include "sys/dl.h"
#include "vendor/common_nvml.h"

GV_DL_NOTE(note, "nvml", "what NVIDIA GPUs say of themselves", "suggested", "libnvidia-ml.so.1");

#define PROCESSES_MAX 2048 /* of a device */
#define PROCESSES_TOLD 512

/* What is asked again at every tick, as bits of what a device does not answer. */
enum { UTILIZATION = 1, POWER = 2, CLOCK = 4, REASONS = 8, MEMORY = 16, TEMPERATURE = 32 };

/* ---- who they are ---- */

static void pci(struct gv_nvml_look *k, uint32_t i)
{
	enum gv_nvml_call c = gv_nvml_there(k, GV_C_nvmlDeviceGetPciInfo_v3) ? GV_C_nvmlDeviceGetPciInfo_v3
									     : GV_C_nvmlDeviceGetPciInfo_v2;
	struct gv_nvml_pci p = { 0 };
	char bus[sizeof(p.bus_id) + 1] = "";
	int code;

	if (!gv_nvml_ask(k, c, i, ""))
		return;
	if (c == GV_C_nvmlDeviceGetPciInfo_v3) {
		code = k->lib.f.nvmlDeviceGetPciInfo_v3(k->dev[i].handle, &p);
		memcpy(bus, p.bus_id, sizeof(p.bus_id));
	} else {
		code = k->lib.f.nvmlDeviceGetPciInfo_v2(k->dev[i].handle, &p);
		memcpy(bus, p.bus_id_legacy, sizeof(p.bus_id_legacy));
	}
	GV_NVML_ANSWER(k, i, code, " busId=\"%s\" pciDeviceId=0x%08x", gv_nvml_clean(bus, sizeof(bus)), p.device_id);
}

static void capability(struct gv_nvml_look *k, uint32_t i)
{
	int32_t major = 0, minor = 0;

	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetCudaComputeCapability, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetCudaComputeCapability(k->dev[i].handle, &major, &minor),
			       " major=%d minor=%d", major, minor);
}

static void mig_mode(struct gv_nvml_look *k, uint32_t i)
{
	uint32_t now = 0, later = 0;

	/* other calls rest on it: every helper must know */
	if (!k->dev[i].handle || k->dev[i].lost || !gv_nvml_there(k, GV_C_nvmlDeviceGetMigMode) ||
	    !gv_ask_setup(k->t, (int)i, "%s(%u)", gv_nvml_names[GV_C_nvmlDeviceGetMigMode], i))
		return;
	GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetMigMode(k->dev[i].handle, &now, &later),
		       " currentMode=%u pendingMode=%u", now, later);
	k->dev[i].mig = now == 1;
}

static void handle(struct gv_nvml_look *k, uint32_t i)
{
	enum gv_nvml_call c = gv_nvml_there(k, GV_C_nvmlDeviceGetHandleByIndex_v2) ? GV_C_nvmlDeviceGetHandleByIndex_v2
										   : GV_C_nvmlDeviceGetHandleByIndex;
	struct gv_nvml_device *h = NULL;
	int code;

	if (!gv_nvml_there(k, c) || !gv_ask_setup(k->t, (int)i, "%s(%u)", gv_nvml_names[c], i))
		return;
	code = ((int (*)(uint32_t, struct gv_nvml_device **))k->lib.p[c])(i, &h);
	if (code)
		gv_nvml_failed(k, i, code);
	else
		gv_answer(k->t, " = 0%s", h ? "" : " device=NULL");
	k->dev[i].handle = code ? NULL : h;
}

static void identity(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number table[] = {
		{ GV_C_nvmlDeviceGetMinorNumber, "", 0, "minorNumber" },
		{ GV_C_nvmlDeviceGetArchitecture, "", 0, "arch" },
		{ GV_C_nvmlDeviceGetPersistenceMode, "", 0, "mode" },
		{ GV_C_nvmlDeviceGetComputeMode, "", 0, "mode" },
		{ GV_C_nvmlDeviceGetDisplayActive, "", 0, "isActive" },
	};

	handle(k, i);
	pci(k, i);
	gv_nvml_text(k, i, GV_C_nvmlDeviceGetName);
	gv_nvml_text(k, i, GV_C_nvmlDeviceGetUUID);
	mig_mode(k, i);
	capability(k, i);
	GV_NVML_NUMBERS(k, i, table);
	gv_nvml_text(k, i, GV_C_nvmlDeviceGetVbiosVersion);
}

/* ---- how they are ---- */

static void remapped_rows(struct gv_nvml_look *k, uint32_t i)
{
	uint32_t corrected = 0, uncorrected = 0, pending = 0, failure = 0;
	struct gv_nvml_histogram h = { 0 };

	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetRemappedRows, i, ""))
		GV_NVML_ANSWER(
		    k, i,
		    k->lib.f.nvmlDeviceGetRemappedRows(k->dev[i].handle, &corrected, &uncorrected, &pending, &failure),
		    " corrRows=%u uncRows=%u isPending=%u failureOccurred=%u", corrected, uncorrected, pending,
		    failure);
	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetRowRemapperHistogram, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetRowRemapperHistogram(k->dev[i].handle, &h),
			       " max=%u high=%u partial=%u low=%u none=%u", h.max, h.high, h.partial, h.low, h.none);
}

static void ecc_errors(struct gv_nvml_look *k, uint32_t i)
{
	static const struct {
		const char *more;
		int32_t type, counter;
	} table[] = {
		{ ", UNCORRECTED, VOLATILE", GV_NVML_ECC_UNCORRECTED, GV_NVML_ECC_VOLATILE },
		{ ", UNCORRECTED, AGGREGATE", GV_NVML_ECC_UNCORRECTED, GV_NVML_ECC_AGGREGATE },
		{ ", CORRECTED, VOLATILE", GV_NVML_ECC_CORRECTED, GV_NVML_ECC_VOLATILE },
		{ ", CORRECTED, AGGREGATE", GV_NVML_ECC_CORRECTED, GV_NVML_ECC_AGGREGATE },
	};
	struct gv_nvml_sram s = { .version = GV_NVML_VERSION(struct gv_nvml_sram, 1) };

	gv_nvml_pair(k, i, GV_C_nvmlDeviceGetEccMode, "current", "pending");
	for (size_t x = 0; x < sizeof(table) / sizeof(table[0]); x++) {
		uint64_t n = 0;

		if (gv_nvml_ask(k, GV_C_nvmlDeviceGetTotalEccErrors, i, table[x].more))
			GV_NVML_ANSWER(
			    k, i,
			    k->lib.f.nvmlDeviceGetTotalEccErrors(k->dev[i].handle, table[x].type, table[x].counter, &n),
			    " eccCounts=%llu", (unsigned long long)n);
	}
	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetSramEccErrorStatus, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetSramEccErrorStatus(k->dev[i].handle, &s),
			       " volatileUncParity=%llu volatileUncSecDed=%llu volatileCor=%llu bThresholdExceeded=%u",
			       (unsigned long long)s.volatile_parity, (unsigned long long)s.volatile_sec_ded,
			       (unsigned long long)s.volatile_corrected, s.threshold_exceeded);
}

static void retired_pages(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number pending = { GV_C_nvmlDeviceGetRetiredPagesPendingStatus, "", 0,
						       "isPending" };
	static const char *const cause[] = { ", MULTIPLE_SINGLE_BIT_ECC_ERRORS", ", DOUBLE_BIT_ECC_ERROR" };
	static uint64_t address[PROCESSES_MAX];

	for (int32_t x = GV_NVML_RETIRED_SINGLE; x <= GV_NVML_RETIRED_DOUBLE; x++) {
		uint32_t n = PROCESSES_MAX;

		if (gv_nvml_ask(k, GV_C_nvmlDeviceGetRetiredPages, i, cause[x]))
			GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetRetiredPages(k->dev[i].handle, x, &n, address),
				       " pageCount=%u", n);
	}
	gv_nvml_number(k, i, &pending);
}

static void repair(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_repair r = { .version = GV_NVML_VERSION(struct gv_nvml_repair, 1) };

	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetRepairStatus, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetRepairStatus(k->dev[i].handle, &r),
			       " bChannelRepairPending=%u bTpcRepairPending=%u", r.channel_pending, r.tpc_pending);
}

static void health(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number link[] = {
		{ GV_C_nvmlDeviceGetCurrPcieLinkGeneration, "", 0, "currLinkGen" },
		{ GV_C_nvmlDeviceGetCurrPcieLinkWidth, "", 0, "currLinkWidth" },
		{ GV_C_nvmlDeviceGetMaxPcieLinkGeneration, "", 0, "maxLinkGen" },
		{ GV_C_nvmlDeviceGetMaxPcieLinkWidth, "", 0, "maxLinkWidth" },
		{ GV_C_nvmlDeviceGetGpuMaxPcieLinkGeneration, "", 0, "maxLinkGenDevice" },
		{ GV_C_nvmlDeviceGetPcieReplayCounter, "", 0, "value" },
	};

	gv_nvml_field(k, i, GV_NVML_FI_RECOVERY_ACTION, 0, ", GET_GPU_RECOVERY_ACTION");
	remapped_rows(k, i);
	ecc_errors(k, i);
	retired_pages(k, i);
	repair(k, i);
	GV_NVML_NUMBERS(k, i, link);
}

/* ---- what is sampled, too ---- */

static bool gives_nothing(int code)
{
	return code == GV_NVML_NOT_SUPPORTED || code == GV_NVML_FUNCTION_NOT_FOUND || code == GV_NVML_DEPRECATED ||
	       code == GV_NVML_NO_PERMISSION;
}

/* Each returns the code; -1 where the call was not made. */
static int utilization(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_utilization u = { 0 };
	int code;

	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetUtilizationRates, i, ""))
		return -1;
	code = k->lib.f.nvmlDeviceGetUtilizationRates(k->dev[i].handle, &u);
	GV_NVML_ANSWER(k, i, code, " gpu=%u memory=%u", u.gpu, u.memory);
	return code;
}

static int reasons(struct gv_nvml_look *k, uint32_t i)
{
	enum gv_nvml_call c = gv_nvml_there(k, GV_C_nvmlDeviceGetCurrentClocksEventReasons)
				  ? GV_C_nvmlDeviceGetCurrentClocksEventReasons
				  : GV_C_nvmlDeviceGetCurrentClocksThrottleReasons;
	uint64_t mask = 0;
	int code;

	if (!gv_nvml_ask(k, c, i, ""))
		return -1;
	code = ((int (*)(struct gv_nvml_device *, uint64_t *))k->lib.p[c])(k->dev[i].handle, &mask);
	GV_NVML_ANSWER(k, i, code, " clocksEventReasons=0x%016llx", (unsigned long long)mask);
	return code;
}

static int memory_v1(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_memory m = { 0 };
	int code;

	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetMemoryInfo, i, ""))
		return -1;
	code = k->lib.f.nvmlDeviceGetMemoryInfo(k->dev[i].handle, &m);
	GV_NVML_ANSWER(k, i, code, " total=%llu free=%llu used=%llu", (unsigned long long)m.total,
		       (unsigned long long)m.free, (unsigned long long)m.used);
	return code;
}

/* The second version keeps what the driver reserves apart from what is used. */
static int memory(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_memory_v2 m = { .version = GV_NVML_VERSION(struct gv_nvml_memory_v2, 2) };
	int code;

	if (!gv_nvml_there(k, GV_C_nvmlDeviceGetMemoryInfo_v2))
		return memory_v1(k, i);
	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetMemoryInfo_v2, i, ""))
		return -1;
	code = k->lib.f.nvmlDeviceGetMemoryInfo_v2(k->dev[i].handle, &m);
	GV_NVML_ANSWER(k, i, code, " total=%llu reserved=%llu free=%llu used=%llu", (unsigned long long)m.total,
		       (unsigned long long)m.reserved, (unsigned long long)m.free, (unsigned long long)m.used);
	return code == GV_NVML_ARGUMENT_VERSION || code == GV_NVML_FUNCTION_NOT_FOUND ? memory_v1(k, i) : code;
}

static int temperature(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number n = { GV_C_nvmlDeviceGetTemperature, ", GPU", GV_NVML_SENSOR_GPU, "temp" };
	struct gv_nvml_temperature v = { .version = GV_NVML_VERSION(struct gv_nvml_temperature, 1) };
	int code;

	if (gv_nvml_there(k, GV_C_nvmlDeviceGetTemperature))
		return gv_nvml_number(k, i, &n);
	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetTemperatureV, i, ", GPU"))
		return -1;
	code = k->lib.f.nvmlDeviceGetTemperatureV(k->dev[i].handle, &v);
	GV_NVML_ANSWER(k, i, code, " temp=%d", v.temperature);
	return code;
}

static int power(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number n = { GV_C_nvmlDeviceGetPowerUsage, "", 0, "power_mW" };

	return gv_nvml_number(k, i, &n);
}

static int clock_sm(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number n = { GV_C_nvmlDeviceGetClockInfo, ", SM", GV_NVML_CLOCK_SM, "clock_MHz" };

	return gv_nvml_number(k, i, &n);
}

/* What moves: once, and again at every tick where it was answered. */
static void moving(struct gv_nvml_look *k, uint32_t i)
{
	static const struct {
		unsigned bit;
		int (*call)(struct gv_nvml_look *k, uint32_t i);
	} table[] = {
		{ REASONS, reasons }, { UTILIZATION, utilization }, { POWER, power },
		{ CLOCK, clock_sm },  { MEMORY, memory },	    { TEMPERATURE, temperature },
	};

	for (size_t x = 0; x < sizeof(table) / sizeof(table[0]); x++) {
		if (k->dev[i].silent & table[x].bit)
			continue;
		if (gives_nothing(table[x].call(k, i)))
			k->dev[i].silent |= table[x].bit;
	}
}

/* ---- the rest ---- */

static void limits(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number table[] = {
		{ GV_C_nvmlDeviceGetEnforcedPowerLimit, "", 0, "limit_mW" },
		{ GV_C_nvmlDeviceGetPowerManagementLimit, "", 0, "limit_mW" },
		{ GV_C_nvmlDeviceGetPowerManagementDefaultLimit, "", 0, "defaultLimit_mW" },
		{ GV_C_nvmlDeviceGetTemperatureThreshold, ", SLOWDOWN", GV_NVML_TEMP_SLOWDOWN, "temp" },
		{ GV_C_nvmlDeviceGetTemperatureThreshold, ", SHUTDOWN", GV_NVML_TEMP_SHUTDOWN, "temp" },
		{ GV_C_nvmlDeviceGetTemperatureThreshold, ", MEM_MAX", GV_NVML_TEMP_MEM_MAX, "temp" },
		{ GV_C_nvmlDeviceGetTemperatureThreshold, ", GPU_MAX", GV_NVML_TEMP_GPU_MAX, "temp" },
		{ GV_C_nvmlDeviceGetClockInfo, ", MEM", GV_NVML_CLOCK_MEM, "clock_MHz" },
		{ GV_C_nvmlDeviceGetMaxClockInfo, ", SM", GV_NVML_CLOCK_SM, "clock_MHz" },
		{ GV_C_nvmlDeviceGetMaxClockInfo, ", MEM", GV_NVML_CLOCK_MEM, "clock_MHz" },
		{ GV_C_nvmlDeviceGetApplicationsClock, ", SM", GV_NVML_CLOCK_SM, "clock_MHz" },
		{ GV_C_nvmlDeviceGetApplicationsClock, ", MEM", GV_NVML_CLOCK_MEM, "clock_MHz" },
		{ GV_C_nvmlDeviceGetPerformanceState, "", 0, "pState" },
	};
	struct gv_nvml_margin m = { .version = GV_NVML_VERSION(struct gv_nvml_margin, 1) };

	GV_NVML_NUMBERS(k, i, table);
	gv_nvml_pair(k, i, GV_C_nvmlDeviceGetPowerManagementLimitConstraints, "minLimit_mW", "maxLimit_mW");
	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetMarginTemperature, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetMarginTemperature(k->dev[i].handle, &m),
			       " marginTemperature=%d", m.margin);
	gv_nvml_field(k, i, GV_NVML_FI_MEMORY_TEMP, 0, ", MEMORY_TEMP");
	gv_nvml_pair(k, i, GV_C_nvmlDeviceGetEncoderUtilization, "utilization", "samplingPeriodUs");
	gv_nvml_pair(k, i, GV_C_nvmlDeviceGetDecoderUtilization, "utilization", "samplingPeriodUs");
}

static void bar1(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_bar1 m = { 0 };

	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetBAR1MemoryInfo, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetBAR1MemoryInfo(k->dev[i].handle, &m),
			       " bar1Total=%llu bar1Free=%llu bar1Used=%llu", (unsigned long long)m.total,
			       (unsigned long long)m.free, (unsigned long long)m.used);
}

static void mig_devices(struct gv_nvml_look *k, uint32_t i)
{
	for (uint32_t x = 0; k->dev[i].mig && x < GV_NVML_MIG_MAX; x++) {
		struct gv_nvml_device *mig = NULL;
		char more[16];
		int code;

		snprintf(more, sizeof(more), ", %u", x);
		if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetMigDeviceHandleByIndex, i, more))
			return;
		code = k->lib.f.nvmlDeviceGetMigDeviceHandleByIndex(k->dev[i].handle, x, &mig);
		if (code)
			gv_nvml_failed(k, i, code);
		else
			gv_answer(k->t, " = 0");
		if (code && code != GV_NVML_NOT_FOUND)
			return;
	}
}

/* Counters of a link that is up: by the calls of old, for NVLink 5 by fields. */
static void link_counters(struct gv_nvml_look *k, uint32_t i, uint32_t link)
{
	static const char *const counter[] = { "REPLAY", "RECOVERY", "CRC_FLIT" };
	static const struct {
		uint32_t id;
		const char *name;
	} fields[] = {
		{ GV_NVML_FI_LINK_RCV_ERRORS, "NVLINK_COUNT_RCV_ERRORS" },
		{ GV_NVML_FI_LINK_RECOVERED, "NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS" },
		{ GV_NVML_FI_LINK_RECOVERY_FAILED, "NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS" },
	};
	char more[80];

	for (int32_t c = GV_NVML_LINK_REPLAY; c <= GV_NVML_LINK_CRC; c++) {
		uint64_t n = 0;
		int code;

		snprintf(more, sizeof(more), ", %u, %s", link, counter[c]);
		if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetNvLinkErrorCounter, i, more))
			break;
		code = k->lib.f.nvmlDeviceGetNvLinkErrorCounter(k->dev[i].handle, link, c, &n);
		GV_NVML_ANSWER(k, i, code, " counterValue=%llu", (unsigned long long)n);
		if (!code && c == GV_NVML_LINK_CRC)
			return;
		if (code)
			break;
	}
	for (size_t x = 0; x < sizeof(fields) / sizeof(fields[0]); x++) {
		snprintf(more, sizeof(more), ", %s, %u", fields[x].name, link);
		gv_nvml_field(k, i, fields[x].id, link, more);
	}
}

static void links(struct gv_nvml_look *k, uint32_t i)
{
	for (uint32_t link = 0; link < GV_NVML_LINKS_MAX; link++) {
		uint32_t state = 0;
		char more[16];
		int code;

		snprintf(more, sizeof(more), ", %u", link);
		if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetNvLinkState, i, more))
			return;
		code = k->lib.f.nvmlDeviceGetNvLinkState(k->dev[i].handle, link, &state);
		GV_NVML_ANSWER(k, i, code, " isActive=%u", state);
		if (code)
			return; /* no such link, or no NVLink at all */
		if (state == 1)
			link_counters(k, i, link);
	}
}

static void fabric_v1(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_fabric f = { 0 };

	if (gv_nvml_ask(k, GV_C_nvmlDeviceGetGpuFabricInfo, i, ""))
		GV_NVML_ANSWER(k, i, k->lib.f.nvmlDeviceGetGpuFabricInfo(k->dev[i].handle, &f), " status=%u state=%u",
			       f.status, f.state);
}

/* The newest shape first; a driver that does not know it says so. */
static void fabric(struct gv_nvml_look *k, uint32_t i)
{
	struct gv_nvml_fabric_v3 f = { .v2.version = GV_NVML_VERSION(struct gv_nvml_fabric_v3, 3) };
	int code;

	if (!gv_nvml_there(k, GV_C_nvmlDeviceGetGpuFabricInfoV)) {
		fabric_v1(k, i);
		return;
	}
	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetGpuFabricInfoV, i, ", v3"))
		return;
	code = k->lib.f.nvmlDeviceGetGpuFabricInfoV(k->dev[i].handle, &f);
	GV_NVML_ANSWER(k, i, code, " status=%u state=%u healthMask=0x%x healthSummary=%u", f.v2.status, f.v2.state,
		       f.v2.health_mask, f.health_summary);
	if (code != GV_NVML_ARGUMENT_VERSION || !gv_nvml_ask(k, GV_C_nvmlDeviceGetGpuFabricInfoV, i, ", v2"))
		return;
	f = (struct gv_nvml_fabric_v3){ .v2.version = GV_NVML_VERSION(struct gv_nvml_fabric_v2, 2) };
	code = k->lib.f.nvmlDeviceGetGpuFabricInfoV(k->dev[i].handle, &f);
	GV_NVML_ANSWER(k, i, code, " status=%u state=%u healthMask=0x%x", f.v2.status, f.v2.state, f.v2.health_mask);
}

/* ---- processes ---- */

#define UNTOUCHED 0xA5

/* Bytes that the library wrote for each process: what lies beyond n entries of the usual size is untouched there. */
static size_t stride_of(const unsigned char *buf, uint32_t n, size_t usual)
{
	for (size_t x = n * usual; x < (size_t)n * GV_NVML_PROCESS_WIDE; x++)
		if (buf[x] != UNTOUCHED)
			return GV_NVML_PROCESS_WIDE;
	return usual;
}

static void tell_process(struct gv_nvml_look *k, enum gv_nvml_call c, uint32_t i, uint32_t x,
			 const struct gv_nvml_process *p)
{
	char used[32] = "N/A", instance[64] = "";

	if (p->memory != GV_NVML_NOT_AVAILABLE)
		snprintf(used, sizeof(used), "%llu", (unsigned long long)p->memory);
	if (p->gpu_instance != UINT32_MAX)
		snprintf(instance, sizeof(instance), " gpuInstanceId=%u computeInstanceId=%u", p->gpu_instance,
			 p->compute_instance);
	gv_tell(k->t, "%s(%u)[%u]: pid=%u usedGpuMemory=%s%s", gv_nvml_names[c], i, x, p->pid, used, instance);
}

static void tell_processes(struct gv_nvml_look *k, enum gv_nvml_call c, uint32_t i, const unsigned char *buf,
			   uint32_t n, size_t usual)
{
	size_t stride = usual == sizeof(struct gv_nvml_process) ? stride_of(buf, n, usual) : usual;

	for (uint32_t x = 0; x < n && x < PROCESSES_TOLD; x++) {
		struct gv_nvml_process p = { .gpu_instance = UINT32_MAX };

		memcpy(&p, buf + x * stride, usual);
		tell_process(k, c, i, x, &p);
	}
	if (n > PROCESSES_TOLD)
		gv_tell(k->t, "%s(%u): %u more are left out", gv_nvml_names[c], i, n - PROCESSES_TOLD);
}

/* calls: the newest first. The list may grow between two calls: a few times room is made for it. */
static void processes(struct gv_nvml_look *k, uint32_t i, const enum gv_nvml_call calls[3])
{
	static unsigned char buf[PROCESSES_MAX * GV_NVML_PROCESS_WIDE];
	enum gv_nvml_call c = gv_nvml_there(k, calls[0]) ? calls[0] : gv_nvml_there(k, calls[1]) ? calls[1] : calls[2];
	size_t usual = c == calls[2] ? sizeof(struct gv_nvml_process_v1) : sizeof(struct gv_nvml_process);
	uint32_t n = 0, room = 64;
	int code = GV_NVML_INSUFFICIENT_SIZE;

	if (!gv_nvml_ask(k, c, i, ""))
		return;
	for (int tries = 0; tries < 5 && code == GV_NVML_INSUFFICIENT_SIZE; tries++) {
		memset(buf, UNTOUCHED, sizeof(buf));
		n = room;
		code = ((int (*)(struct gv_nvml_device *, uint32_t *, void *))k->lib.p[c])(k->dev[i].handle, &n, buf);
		room = n < PROCESSES_MAX - PROCESSES_MAX / 8 ? n + n / 8 + 8 : PROCESSES_MAX;
	}
	if (code == GV_NVML_INSUFFICIENT_SIZE)
		gv_answer(k->t, " = %d (Insufficient Size) infoCount=%u", code, n);
	else
		GV_NVML_ANSWER(k, i, code, " infoCount=%u", n);
	if (!code && n <= PROCESSES_MAX)
		tell_processes(k, c, i, buf, n, usual);
}

static void all_processes(struct gv_nvml_look *k, uint32_t i)
{
	static const enum gv_nvml_call compute[] = { GV_C_nvmlDeviceGetComputeRunningProcesses_v3,
						     GV_C_nvmlDeviceGetComputeRunningProcesses_v2,
						     GV_C_nvmlDeviceGetComputeRunningProcesses };
	static const enum gv_nvml_call graphics[] = { GV_C_nvmlDeviceGetGraphicsRunningProcesses_v3,
						      GV_C_nvmlDeviceGetGraphicsRunningProcesses_v2,
						      GV_C_nvmlDeviceGetGraphicsRunningProcesses };
	static const enum gv_nvml_call mps[] = { GV_C_nvmlDeviceGetMPSComputeRunningProcesses_v3,
						 GV_C_nvmlDeviceGetMPSComputeRunningProcesses_v2,
						 GV_C_nvmlDeviceGetMPSComputeRunningProcesses };

	processes(k, i, compute);
	processes(k, i, graphics);
	processes(k, i, mps);
}

/* Each takes 20 ms, in which it counts. */
static void pcie_traffic(struct gv_nvml_look *k, uint32_t i)
{
	static const struct gv_nvml_number table[] = {
		{ GV_C_nvmlDeviceGetPcieThroughput, ", TX_BYTES", GV_NVML_PCIE_TX, "value_KBps" },
		{ GV_C_nvmlDeviceGetPcieThroughput, ", RX_BYTES", GV_NVML_PCIE_RX, "value_KBps" },
	};

	GV_NVML_NUMBERS(k, i, table);
}

static void rest(struct gv_nvml_look *k, uint32_t i)
{
	limits(k, i);
	all_processes(k, i);
	fabric(k, i);
	mig_devices(k, i);
	bar1(k, i);
	links(k, i);
}

/* ---- the library ---- */

/* Where the loader does not look: WSL, and the driver's container of the GPU operator. */
static const char *const places[] = {
	"libnvidia-ml.so.1",
	"/usr/lib/wsl/lib/libnvidia-ml.so.1",
	"/run/nvidia/driver/usr/lib64/libnvidia-ml.so.1",
#if defined(__x86_64__)
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
#elif defined(__aarch64__)
	"/run/nvidia/driver/usr/lib/aarch64-linux-gnu/libnvidia-ml.so.1",
#endif
};

static bool load(struct gv_nvml_look *k)
{
	for (size_t x = 0; x < sizeof(places) / sizeof(places[0]); x++) {
		const char *why = "";

		if (!gv_ask_setup(k->t, GV_SCOPE_ALL, "dlopen(%s)", places[x]))
			return false;
		if (!gv_dl_load(places[x], gv_nvml_names, k->lib.p, GV_NVML_NCALLS, &why)) {
			gv_answer(k->t, " = loaded");
			return true;
		}
		/* most machines have no such library: that is no error of theirs, and is not told in the words of one
		 */
		gv_answer(k->t, " = NULL (%s)", strstr(why, "No such file or directory") ? "not there" : why);
	}
	return false;
}

/* A call that others rest on. */
static bool setup(struct gv_nvml_look *k, enum gv_nvml_call c)
{
	return gv_nvml_there(k, c) && gv_ask_setup(k->t, GV_SCOPE_ALL, "%s()", gv_nvml_names[c]);
}

static bool init(struct gv_nvml_look *k)
{
	enum gv_nvml_call c = gv_nvml_there(k, GV_C_nvmlInit_v2) ? GV_C_nvmlInit_v2 : GV_C_nvmlInit;
	int code;

	if (!setup(k, c))
		return false;
	code = ((int (*)(void))k->lib.p[c])();
	if (code)
		gv_nvml_failed(k, GV_NVML_DEVICES_MAX, code);
	else
		gv_answer(k->t, " = 0");
	return !code;
}

static void version(struct gv_nvml_look *k, enum gv_nvml_call c)
{
	char buf[GV_NVML_TEXT_MAX] = "";

	if (gv_nvml_there(k, c) && gv_ask(k->t, GV_SCOPE_ALL, "%s()", gv_nvml_names[c]))
		GV_NVML_ANSWER(k, GV_NVML_DEVICES_MAX,
			       ((int (*)(char *, uint32_t))k->lib.p[c])(buf, GV_NVML_TEXT_MAX - 1), " \"%s\"",
			       gv_nvml_clean(buf, GV_NVML_TEXT_MAX));
}

static void cuda_version(struct gv_nvml_look *k)
{
	enum gv_nvml_call c = gv_nvml_there(k, GV_C_nvmlSystemGetCudaDriverVersion_v2)
				  ? GV_C_nvmlSystemGetCudaDriverVersion_v2
				  : GV_C_nvmlSystemGetCudaDriverVersion;
	int32_t v = 0;

	if (gv_nvml_there(k, c) && gv_ask(k->t, GV_SCOPE_ALL, "%s()", gv_nvml_names[c]))
		GV_NVML_ANSWER(k, GV_NVML_DEVICES_MAX, ((int (*)(int32_t *))k->lib.p[c])(&v), " cudaDriverVersion=%d",
			       v);
}

static void count(struct gv_nvml_look *k)
{
	enum gv_nvml_call c =
	    gv_nvml_there(k, GV_C_nvmlDeviceGetCount_v2) ? GV_C_nvmlDeviceGetCount_v2 : GV_C_nvmlDeviceGetCount;
	uint32_t n = 0;
	int code;

	if (!setup(k, c))
		return;
	code = ((int (*)(uint32_t *))k->lib.p[c])(&n);
	GV_NVML_ANSWER(k, GV_NVML_DEVICES_MAX, code, " deviceCount=%u", n);
	if (code)
		return;
	k->devices = n < GV_NVML_DEVICES_MAX ? n : GV_NVML_DEVICES_MAX;
	if (n > GV_NVML_DEVICES_MAX)
		gv_tell(k->t, "nvmlDeviceGetCount: more than %d, only the first are asked", GV_NVML_DEVICES_MAX);
}

static void each(struct gv_nvml_look *k, void (*what)(struct gv_nvml_look *k, uint32_t i))
{
	for (uint32_t i = 0; i < k->devices; i++)
		what(k, i);
}

static void look(struct gv_teller *t)
{
	static struct gv_nvml_look k; /* of this helper */
	bool works;

	k.t = t;
	if (!load(&k))
		return;
	works = init(&k);
	version(&k, GV_C_nvmlSystemGetNVMLVersion); /* the library's own: it knows it without a driver */
	if (!works)
		return;
	version(&k, GV_C_nvmlSystemGetDriverVersion);
	cuda_version(&k);
	count(&k);
	each(&k, identity);
	each(&k, health);
	each(&k, moving);
	each(&k, rest);
	each(&k, pcie_traffic);
	while (k.devices && gv_tick(t))
		each(&k, moving);
	if (setup(&k, GV_C_nvmlShutdown))
		GV_NVML_ANSWER(&k, GV_NVML_DEVICES_MAX, k.lib.f.nvmlShutdown(), "");
}

const struct gv_vendor gv_vendor_nvml = {
	.name = "nvml",
	.pci_vendor = 0x10de,
	.soname = "libnvidia-ml.so.1",
	.module = "nvidia",
	.untried = "checked against stand-ins for the library only, not yet run on hardware",
	.look = look,
};
