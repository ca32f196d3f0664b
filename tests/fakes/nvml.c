/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvidia-ml.so.1 that answers what FAKE_NVML names: what happens ("well", "lost", "hang", ...), with its default
 * at "well" and 8 GPUs. Built three times: whole, FAKE_PARTIAL (a driver that lacks some calls), FAKE_OLD (calls of
 * driver 375 and no later ones). */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vendor/nvml_abi.h"

#define X(name, args) __attribute__((visibility("default"))) int name args;
GV_NVML_CALLS(X)
#undef X

#define GPUS_MAX 64
#define MIB ((uint64_t)1 << 20)
#define TOTAL (81559 * MIB)

struct gv_nvml_device {
	unsigned index;
};
static struct gv_nvml_device all[GPUS_MAX];

static bool is(const char *scenario)
{
	const char *v = getenv("FAKE_NVML");

	return !strcmp(v ? v : "well", scenario);
}

static unsigned gpus(void)
{
	return is("sixteen") ? 16 : is("none") ? 0 : 8;
}

static void hang(void)
{
	for (;;)
		pause();
}

/* What every call about a device runs into first. */
static int gate(const struct gv_nvml_device *d, const char *call)
{
	bool live = !strcmp(call, "nvmlDeviceGetPowerUsage") || !strcmp(call, "nvmlDeviceGetUtilizationRates");

	if (is("lost") && d->index == 3 && strcmp(call, "nvmlDeviceGetPciInfo_v3"))
		return GV_NVML_GPU_IS_LOST;
	if (is("reset") && d->index == 6 && live)
		return GV_NVML_RESET_REQUIRED;
	if (is("unknown") && d->index == 1 && strcmp(call, "nvmlDeviceGetPciInfo_v3"))
		return GV_NVML_UNKNOWN;
	if (is("hang") && d->index == 2 && !strcmp(call, "nvmlDeviceGetPowerUsage"))
		hang();
	if (is("crash") && d->index == 1 && !strcmp(call, "nvmlDeviceGetTotalEccErrors"))
		raise(SIGSEGV);
	if (is("exit") && d->index == 1 && !strcmp(call, "nvmlDeviceGetTotalEccErrors"))
		_exit(7);
	return GV_NVML_SUCCESS;
}

#define GATE(d)                                                                                                        \
	do {                                                                                                           \
		int code_ = gate((d), __func__);                                                                       \
		if (code_)                                                                                             \
			return code_;                                                                                  \
	} while (0)

/* A text of the library's; "garbage" neither ends it nor keeps to what can be printed. */
static int put_text(char *text, uint32_t size, const char *value)
{
	if (is("garbage")) {
		memset(text, 'A', size);
		memcpy(text, "\x1b[2J\n\"\xff", 7);
		return GV_NVML_SUCCESS;
	}
	if (strlen(value) >= size)
		return GV_NVML_INSUFFICIENT_SIZE;
	memcpy(text, value, strlen(value) + 1);
	return GV_NVML_SUCCESS;
}

static int put(uint32_t *value, uint32_t v)
{
	*value = is("garbage") ? 4000000000u : v;
	return GV_NVML_SUCCESS;
}

static int put64(uint64_t *value, uint64_t v)
{
	*value = is("garbage") ? UINT64_MAX : v;
	return GV_NVML_SUCCESS;
}

/* ---- the library ---- */

int nvmlInit(void)
{
	if (is("hang-init"))
		hang();
	return is("not-loaded")	     ? GV_NVML_DRIVER_NOT_LOADED
	       : is("mismatch")	     ? GV_NVML_VERSION_MISMATCH
	       : is("no-permission") ? GV_NVML_NO_PERMISSION
	       : is("init-unknown")  ? GV_NVML_UNKNOWN
				     : GV_NVML_SUCCESS;
}

int nvmlShutdown(void)
{
	return GV_NVML_SUCCESS;
}

int nvmlSystemGetDriverVersion(char *text, uint32_t size)
{
	return put_text(text, size, "550.54.15");
}

int nvmlSystemGetNVMLVersion(char *text, uint32_t size)
{
	return put_text(text, size, is("mismatch") ? "12.550.90.07" : "12.550.54.15");
}

int nvmlSystemGetCudaDriverVersion(int32_t *value)
{
	*value = is("garbage") ? -1 : 12040;
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetCount(uint32_t *value)
{
	return put(value, gpus());
}

int nvmlDeviceGetHandleByIndex(uint32_t index, struct gv_nvml_device **device)
{
	if (index >= GPUS_MAX || (is("garbage") && index >= 5))
		return GV_NVML_NOT_FOUND;
	if (is("lost-handle") && index == 3)
		return GV_NVML_GPU_IS_LOST;
	all[index].index = index;
	*device = &all[index];
	return GV_NVML_SUCCESS;
}

/* ---- who they are ---- */

int nvmlDeviceGetName(GV_NVML_D, char *text, uint32_t size)
{
	GATE(device);
	return put_text(text, size, "NVIDIA H100 80GB HBM3");
}

int nvmlDeviceGetUUID(GV_NVML_D, char *text, uint32_t size)
{
	char uuid[96];

	GATE(device);
	snprintf(uuid, sizeof(uuid), "GPU-%08x-1111-2222-3333-444455556666", device->index + 1);
	return put_text(text, size, uuid);
}

int nvmlDeviceGetVbiosVersion(GV_NVML_D, char *text, uint32_t size)
{
	GATE(device);
	return put_text(text, size, "96.00.89.00.01");
}

static void put_pci(const struct gv_nvml_device *device, struct gv_nvml_pci *pci)
{
	snprintf(pci->bus_id_legacy, sizeof(pci->bus_id_legacy), "0000:%02X:00.0", 0x10 + device->index * 8);
	pci->bus = 0x10 + device->index * 8;
	pci->device_id = 0x233010de;
	if (is("garbage"))
		memset(pci->bus_id_legacy, '\x07', sizeof(pci->bus_id_legacy));
}

int nvmlDeviceGetPciInfo_v2(GV_NVML_D, struct gv_nvml_pci *pci)
{
	GATE(device);
	put_pci(device, pci);
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetMinorNumber(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, device->index);
}

int nvmlDeviceGetCudaComputeCapability(GV_NVML_D, int32_t *major, int32_t *minor)
{
	GATE(device);
	*major = is("garbage") ? -7 : 9;
	*minor = 0;
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetPersistenceMode(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 1);
}

int nvmlDeviceGetComputeMode(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 0);
}

int nvmlDeviceGetDisplayActive(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 0);
}

int nvmlDeviceGetPerformanceState(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 0);
}

/* ---- how they are ---- */

static bool sick(const struct gv_nvml_device *d)
{
	return is("ecc") && d->index == 5;
}

static bool hot(const struct gv_nvml_device *d)
{
	return is("throttle") && d->index == 4;
}

static bool split(const struct gv_nvml_device *d)
{
	return is("mig") && d->index == 0;
}

int nvmlDeviceGetEccMode(GV_NVML_D, uint32_t *current, uint32_t *pending)
{
	GATE(device);
	put(current, 1);
	return put(pending, 1);
}

int nvmlDeviceGetTotalEccErrors(GV_NVML_D, int32_t type, int32_t counter, uint64_t *count)
{
	GATE(device);
	return put64(count, sick(device) && type == GV_NVML_ECC_UNCORRECTED ? 2 : 0);
}

int nvmlDeviceGetRetiredPages(GV_NVML_D, int32_t cause, uint32_t *count, uint64_t *addresses)
{
	GATE(device);
	if (is("garbage"))
		*count = 4000000000u;
	return is("garbage") ? GV_NVML_SUCCESS : GV_NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetRetiredPagesPendingStatus(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return GV_NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetCurrPcieLinkGeneration(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 5);
}

int nvmlDeviceGetCurrPcieLinkWidth(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, is("narrow") && device->index == 7 ? 8 : 16);
}

int nvmlDeviceGetMaxPcieLinkGeneration(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 5);
}

int nvmlDeviceGetMaxPcieLinkWidth(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 16);
}

int nvmlDeviceGetPcieReplayCounter(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 0);
}

/* ---- what moves ---- */

int nvmlDeviceGetUtilizationRates(GV_NVML_D, struct gv_nvml_utilization *rates)
{
	GATE(device);
	if (split(device))
		return GV_NVML_NOT_SUPPORTED;
	put(&rates->gpu, hot(device) ? 100 : 97);
	return put(&rates->memory, 43);
}

int nvmlDeviceGetEncoderUtilization(GV_NVML_D, GV_NVML_U32, uint32_t *period)
{
	GATE(device);
	*period = 166666;
	return put(value, 0);
}

int nvmlDeviceGetDecoderUtilization(GV_NVML_D, GV_NVML_U32, uint32_t *period)
{
	GATE(device);
	*period = 166666;
	return put(value, 0);
}

int nvmlDeviceGetPowerUsage(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, hot(device) ? 410123 : 623456);
}

int nvmlDeviceGetTemperature(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	GATE(device);
	return put(value, hot(device) ? 91 : 61);
}

int nvmlDeviceGetClockInfo(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	GATE(device);
	return put(value, which == GV_NVML_CLOCK_MEM ? 2619 : hot(device) ? 990 : 1980);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(GV_NVML_D, uint64_t *mask)
{
	GATE(device);
	return put64(mask, hot(device) ? 0x48 : 0);
}

static uint64_t used(const struct gv_nvml_device *d)
{
	return is("full") && d->index == 0 ? TOTAL - 700 * MIB : 61234 * MIB;
}

int nvmlDeviceGetMemoryInfo(GV_NVML_D, struct gv_nvml_memory *memory)
{
	GATE(device);
	put64(&memory->total, TOTAL);
	put64(&memory->used, used(device) + 557 * MIB);
	return put64(&memory->free, TOTAL - used(device) - 557 * MIB);
}

/* ---- the rest ---- */

int nvmlDeviceGetEnforcedPowerLimit(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 700000);
}

int nvmlDeviceGetPowerManagementLimit(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 700000);
}

int nvmlDeviceGetPowerManagementDefaultLimit(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 700000);
}

int nvmlDeviceGetPowerManagementLimitConstraints(GV_NVML_D, uint32_t *least, uint32_t *most)
{
	GATE(device);
	put(least, 200000);
	return put(most, 700000);
}

int nvmlDeviceGetTemperatureThreshold(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	static const uint32_t at[] = { 95, 90, 95, 85 }; /* by which */

	GATE(device);
	return which >= 0 && which < 4 ? put(value, at[which]) : 2;
}

int nvmlDeviceGetMaxClockInfo(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	GATE(device);
	return put(value, which == GV_NVML_CLOCK_MEM ? 2619 : 1980);
}

int nvmlDeviceGetApplicationsClock(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	GATE(device);
	return put(value, which == GV_NVML_CLOCK_MEM ? 2619 : 1980);
}

int nvmlDeviceGetBAR1MemoryInfo(GV_NVML_D, struct gv_nvml_bar1 *memory)
{
	GATE(device);
	put64(&memory->total, 131072 * MIB);
	put64(&memory->free, 131070 * MIB);
	return put64(&memory->used, 2 * MIB);
}

int nvmlDeviceGetPcieThroughput(GV_NVML_D, int32_t which, GV_NVML_U32)
{
	GATE(device);
	return put(value, which == GV_NVML_PCIE_TX ? 120000 : 250000);
}

int nvmlDeviceGetNvLinkState(GV_NVML_D, uint32_t link, uint32_t *state)
{
	GATE(device);
	if (split(device))
		return GV_NVML_NOT_SUPPORTED;
	if (link >= 18)
		return 2;
	return put(state, !(is("link") && device->index == 2 && link == 5));
}

int nvmlDeviceGetNvLinkErrorCounter(GV_NVML_D, uint32_t link, int32_t counter, uint64_t *count)
{
	GATE(device);
	return put64(count, 0);
}

/* ---- processes ---- */

static unsigned listed(const struct gv_nvml_device *d)
{
	return is("full") && d->index == 0 ? 2 : 1;
}

/* Entries of `size` bytes that begin as struct gv_nvml_process does. */
static int put_processes(const struct gv_nvml_device *d, uint32_t *n, void *processes, size_t size)
{
	static uint32_t grown = 100;
	unsigned char *p = processes;
	uint32_t room = *n, count = listed(d);

	if (is("garbage")) { /* it grows at every call, or says that it holds more than it was given room for */
		*n = d->index ? 4000000000u : (grown *= 2);
		return d->index ? GV_NVML_SUCCESS : GV_NVML_INSUFFICIENT_SIZE;
	}
	if (split(d))
		return GV_NVML_NOT_SUPPORTED;
	if (is("crowd"))
		count = 300;
	if (is("mps"))
		count = 2;
	*n = count;
	if (room < count)
		return GV_NVML_INSUFFICIENT_SIZE;
	for (uint32_t i = 0; i < count; i++, p += size) {
		struct gv_nvml_process v = { 4000001 + d->index * 1000 + i, used(d) / count, UINT32_MAX, UINT32_MAX };

		if (is("crowd") && i == 0)
			v.memory = GV_NVML_NOT_AVAILABLE;
		memset(p, 0, size);
		memcpy(p, &v, size < sizeof(v) ? size : sizeof(v));
	}
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	return put_processes(device, n, processes, sizeof(struct gv_nvml_process_v1));
}

int nvmlDeviceGetGraphicsRunningProcesses(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	*n = 0;
	return split(device) ? GV_NVML_NOT_SUPPORTED : GV_NVML_SUCCESS;
}

/* In "mps" the same processes as compute, which is how clients of MPS are told from others. */
int nvmlDeviceGetMPSComputeRunningProcesses(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	if (is("mps"))
		return put_processes(device, n, processes, sizeof(struct gv_nvml_process_v1));
	return nvmlDeviceGetGraphicsRunningProcesses(device, n, processes);
}

#ifndef FAKE_OLD

int nvmlInit_v2(void)
{
	return nvmlInit();
}

int nvmlSystemGetCudaDriverVersion_v2(int32_t *value)
{
	return nvmlSystemGetCudaDriverVersion(value);
}

int nvmlDeviceGetCount_v2(uint32_t *value)
{
	return nvmlDeviceGetCount(value);
}

int nvmlDeviceGetHandleByIndex_v2(uint32_t index, struct gv_nvml_device **device)
{
	return nvmlDeviceGetHandleByIndex(index, device);
}

int nvmlDeviceGetPciInfo_v3(GV_NVML_D, struct gv_nvml_pci *pci)
{
	GATE(device);
	put_pci(device, pci);
	snprintf(pci->bus_id, sizeof(pci->bus_id), "00000000:%02X:00.0", pci->bus);
	if (is("garbage"))
		memset(pci->bus_id, '\x1b', sizeof(pci->bus_id));
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetArchitecture(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 9);
}

int nvmlDeviceGetMigMode(GV_NVML_D, uint32_t *current, uint32_t *pending)
{
	GATE(device);
	put(current, is("mig"));
	return put(pending, is("mig"));
}

int nvmlDeviceGetMigDeviceHandleByIndex(GV_NVML_D, uint32_t index, struct gv_nvml_device **mig)
{
	GATE(device);
	*mig = device;
	return index == 0 || index == 2 ? GV_NVML_SUCCESS : index < 7 ? GV_NVML_NOT_FOUND : 2;
}

int nvmlDeviceGetGpuMaxPcieLinkGeneration(GV_NVML_D, GV_NVML_U32)
{
	GATE(device);
	return put(value, 5);
}

int nvmlDeviceGetComputeRunningProcesses_v2(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	return put_processes(device, n, processes, sizeof(struct gv_nvml_process));
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(GV_NVML_D, uint32_t *n, void *processes)
{
	return nvmlDeviceGetGraphicsRunningProcesses(device, n, processes);
}

int nvmlDeviceGetRowRemapperHistogram(GV_NVML_D, struct gv_nvml_histogram *banks)
{
	GATE(device);
	*banks = (struct gv_nvml_histogram){ 640, 0, 0, 0, 0 };
	return GV_NVML_SUCCESS;
}

int nvmlDeviceGetFieldValues(GV_NVML_D, int32_t n, struct gv_nvml_field *fields)
{
	GATE(device);
	for (int32_t i = 0; i < n; i++) {
		struct gv_nvml_field *f = &fields[i];

		f->type = is("garbage") ? 77 : GV_NVML_VALUE_UINT;
		f->value.u64 = 0;
		switch (f->id) {
		case GV_NVML_FI_MEMORY_TEMP:
			f->value.u32 = 70;
			break;
		case GV_NVML_FI_RECOVERY_ACTION:
			f->value.u32 = is("reset") && device->index == 6;
			break;
		default:
			f->code = GV_NVML_NOT_SUPPORTED;
			break;
		}
		if (is("garbage")) {
			f->type = GV_NVML_VALUE_DOUBLE;
			f->value.d = (double)NAN;
		}
	}
	return GV_NVML_SUCCESS;
}

#ifndef FAKE_PARTIAL

int nvmlDeviceGetMemoryInfo_v2(GV_NVML_D, struct gv_nvml_memory_v2 *memory)
{
	GATE(device);
	if (memory->version != 0x02000028)
		return GV_NVML_ARGUMENT_VERSION;
	put64(&memory->total, TOTAL);
	put64(&memory->reserved, 557 * MIB);
	put64(&memory->used, used(device));
	return put64(&memory->free, TOTAL - used(device) - 557 * MIB);
}

int nvmlDeviceGetTemperatureV(GV_NVML_D, struct gv_nvml_temperature *temperature)
{
	GATE(device);
	temperature->temperature = 61;
	return temperature->version == 0x0100000c ? GV_NVML_SUCCESS : GV_NVML_ARGUMENT_VERSION;
}

int nvmlDeviceGetMarginTemperature(GV_NVML_D, struct gv_nvml_margin *margin)
{
	GATE(device);
	margin->margin = hot(device) ? -1 : 26;
	return margin->version == 0x01000008 ? GV_NVML_SUCCESS : GV_NVML_ARGUMENT_VERSION;
}

int nvmlDeviceGetCurrentClocksEventReasons(GV_NVML_D, uint64_t *mask)
{
	return nvmlDeviceGetCurrentClocksThrottleReasons(device, mask);
}

int nvmlDeviceGetSramEccErrorStatus(GV_NVML_D, struct gv_nvml_sram *status)
{
	GATE(device);
	return status->version == 0x01000068 ? GV_NVML_SUCCESS : GV_NVML_ARGUMENT_VERSION;
}

int nvmlDeviceGetRemappedRows(GV_NVML_D, uint32_t *corrected, uint32_t *uncorrected, uint32_t *pending,
			      uint32_t *failed)
{
	GATE(device);
	put(corrected, 0);
	put(uncorrected, sick(device));
	put(pending, sick(device));
	return put(failed, 0);
}

int nvmlDeviceGetRepairStatus(GV_NVML_D, struct gv_nvml_repair *status)
{
	GATE(device);
	return GV_NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetGpuFabricInfo(GV_NVML_D, struct gv_nvml_fabric *fabric)
{
	GATE(device);
	fabric->status = 0;
	fabric->state = GV_NVML_FABRIC_COMPLETED;
	return GV_NVML_SUCCESS;
}

/* It knows the second shape, and no third. */
int nvmlDeviceGetGpuFabricInfoV(GV_NVML_D, void *fabric)
{
	struct gv_nvml_fabric_v2 *f = fabric;

	GATE(device);
	if (f->version != 0x02000024)
		return GV_NVML_ARGUMENT_VERSION;
	f->status = 0;
	f->state = is("fabric") ? GV_NVML_FABRIC_IN_PROGRESS : GV_NVML_FABRIC_COMPLETED;
	return GV_NVML_SUCCESS;
}

/* What drivers 535.43 to 535.86 did. */
int nvmlDeviceGetComputeRunningProcesses_v3(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	return put_processes(device, n, processes,
			     is("wide") || is("crowd") ? GV_NVML_PROCESS_WIDE : sizeof(struct gv_nvml_process));
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(GV_NVML_D, uint32_t *n, void *processes)
{
	return nvmlDeviceGetGraphicsRunningProcesses(device, n, processes);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v2(GV_NVML_D, uint32_t *n, void *processes)
{
	GATE(device);
	if (is("mps"))
		return put_processes(device, n, processes, sizeof(struct gv_nvml_process));
	return nvmlDeviceGetGraphicsRunningProcesses(device, n, processes);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(GV_NVML_D, uint32_t *n, void *processes)
{
	return nvmlDeviceGetMPSComputeRunningProcesses_v2(device, n, processes);
}

#endif /* FAKE_PARTIAL */
#endif /* FAKE_OLD */
