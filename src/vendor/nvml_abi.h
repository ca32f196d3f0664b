/* SPDX-License-Identifier: Apache-2.0 */
/* What is used of the binary interface of NVML (libnvidia-ml.so.1): numbers, shapes and calls, from its documentation
 * and from what drivers 375 to 590 answer. All enums of it are 32 bits wide. A struct with a version carries
 * sizeof(struct) | number << 24 when it goes into a call. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Codes that calls return; NVML's own names without NVML_ERROR_. */
enum gv_nvml_code {
	GV_NVML_SUCCESS = 0,
	GV_NVML_NOT_SUPPORTED = 3,
	GV_NVML_NO_PERMISSION = 4,
	GV_NVML_NOT_FOUND = 6,
	GV_NVML_INSUFFICIENT_SIZE = 7,
	GV_NVML_DRIVER_NOT_LOADED = 9,
	GV_NVML_FUNCTION_NOT_FOUND = 13,
	GV_NVML_GPU_IS_LOST = 15,
	GV_NVML_RESET_REQUIRED = 16,
	GV_NVML_VERSION_MISMATCH = 18, /* of library and kernel module */
	GV_NVML_ARGUMENT_VERSION = 25, /* of a struct */
	GV_NVML_DEPRECATED = 26,
	GV_NVML_UNKNOWN = 999,
};

/* Arguments. */
enum {
	GV_NVML_CLOCK_SM = 1,
	GV_NVML_CLOCK_MEM = 2,

	GV_NVML_SENSOR_GPU = 0,

	GV_NVML_TEMP_SHUTDOWN = 0,
	GV_NVML_TEMP_SLOWDOWN = 1,
	GV_NVML_TEMP_MEM_MAX = 2,
	GV_NVML_TEMP_GPU_MAX = 3,

	GV_NVML_ECC_CORRECTED = 0,
	GV_NVML_ECC_UNCORRECTED = 1,
	GV_NVML_ECC_VOLATILE = 0,
	GV_NVML_ECC_AGGREGATE = 1,

	GV_NVML_RETIRED_SINGLE = 0, /* for several single-bit errors */
	GV_NVML_RETIRED_DOUBLE = 1,

	GV_NVML_PCIE_TX = 0,
	GV_NVML_PCIE_RX = 1,

	GV_NVML_LINK_REPLAY = 0,
	GV_NVML_LINK_RECOVERY = 1,
	GV_NVML_LINK_CRC = 2,
	GV_NVML_LINKS_MAX = 36,

	GV_NVML_MIG_MAX = 16, /* devices of a GPU; 7 by now */
};

/* Fields of nvmlDeviceGetFieldValues. */
enum {
	GV_NVML_FI_MEMORY_TEMP = 82,
	GV_NVML_FI_NVLINK_SPEED = 90,	  /* MB/s of one link in one direction */
	GV_NVML_FI_LINK_RCV_ERRORS = 208, /* these of NVLink 5 */
	GV_NVML_FI_LINK_RECOVERED = 213,
	GV_NVML_FI_LINK_RECOVERY_FAILED = 214,
	GV_NVML_FI_RECOVERY_ACTION = 230,
};

enum {
	GV_NVML_VALUE_DOUBLE = 0,
	GV_NVML_VALUE_UINT = 1,
	GV_NVML_VALUE_ULONG = 2,
	GV_NVML_VALUE_ULONGLONG = 3,
	GV_NVML_VALUE_SLONGLONG = 4,
	GV_NVML_VALUE_SINT = 5,
	GV_NVML_VALUE_USHORT = 6,
};

#define GV_NVML_NOT_AVAILABLE UINT64_MAX /* of a process's memory */

#define GV_NVML_VERSION(type, number) ((uint32_t)sizeof(type) | (uint32_t)(number) << 24)

struct gv_nvml_device; /* only ever a pointer of the library's */

struct gv_nvml_pci { /* since R410; before it ended behind subsystem and 16 reserved bytes */
	char bus_id_legacy[16];
	uint32_t domain, bus, device;
	uint32_t device_id; /* device << 16 | vendor */
	uint32_t subsystem;
	char bus_id[32];
};
_Static_assert(sizeof(struct gv_nvml_pci) == 68 && offsetof(struct gv_nvml_pci, bus_id) == 36, "");

struct gv_nvml_memory {
	uint64_t total, free, used;
};
_Static_assert(sizeof(struct gv_nvml_memory) == 24, "");

struct gv_nvml_memory_v2 {
	uint32_t version;
	uint64_t total, reserved, free, used;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_memory_v2, 2) == 0x02000028, "");

struct gv_nvml_bar1 {
	uint64_t total, free, used;
};
_Static_assert(sizeof(struct gv_nvml_bar1) == 24, "");

struct gv_nvml_utilization {
	uint32_t gpu, memory;
};
_Static_assert(sizeof(struct gv_nvml_utilization) == 8, "");

struct gv_nvml_margin {
	uint32_t version;
	int32_t margin;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_margin, 1) == 0x01000008, "");

struct gv_nvml_temperature {
	uint32_t version;
	uint32_t sensor;
	int32_t temperature;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_temperature, 1) == 0x0100000c, "");

struct gv_nvml_histogram {
	uint32_t max, high, partial, low, none;
};
_Static_assert(sizeof(struct gv_nvml_histogram) == 20, "");

struct gv_nvml_sram {
	uint32_t version;
	uint64_t aggregate_parity, aggregate_sec_ded, aggregate_corrected;
	uint64_t volatile_parity, volatile_sec_ded, volatile_corrected;
	uint64_t bucket[5];
	uint32_t threshold_exceeded;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_sram, 1) == 0x01000068 &&
		   offsetof(struct gv_nvml_sram, threshold_exceeded) == 96,
	       "");

struct gv_nvml_repair {
	uint32_t version;
	uint32_t channel_pending, tpc_pending;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_repair, 1) == 0x0100000c, "");

struct gv_nvml_fabric {
	unsigned char cluster[16];
	uint32_t status; /* one of the codes above */
	uint32_t clique;
	unsigned char state;
};
_Static_assert(sizeof(struct gv_nvml_fabric) == 28, "");

struct gv_nvml_fabric_v2 {
	uint32_t version;
	unsigned char cluster[16];
	uint32_t status;
	uint32_t clique;
	unsigned char state;
	uint32_t health_mask;
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_fabric_v2, 2) == 0x02000024 &&
		   offsetof(struct gv_nvml_fabric_v2, health_mask) == 32,
	       "");

struct gv_nvml_fabric_v3 {
	struct gv_nvml_fabric_v2 v2;
	unsigned char health_summary; /* 1 healthy, 2 unhealthy, 3 limited */
};
_Static_assert(GV_NVML_VERSION(struct gv_nvml_fabric_v3, 3) == 0x03000028 &&
		   offsetof(struct gv_nvml_fabric_v3, health_summary) == 36,
	       "");

enum { GV_NVML_FABRIC_NONE, GV_NVML_FABRIC_NOT_STARTED, GV_NVML_FABRIC_IN_PROGRESS, GV_NVML_FABRIC_COMPLETED };

/* Drivers 535.43 to 535.86 wrote 32 bytes a process into the same calls, which begin with these. */
struct gv_nvml_process {
	uint32_t pid;
	uint64_t memory;
	uint32_t gpu_instance, compute_instance;
};
_Static_assert(sizeof(struct gv_nvml_process) == 24, "");
#define GV_NVML_PROCESS_WIDE 32

struct gv_nvml_process_v1 { /* of the calls without a number, before R450 */
	uint32_t pid;
	uint64_t memory;
};
_Static_assert(sizeof(struct gv_nvml_process_v1) == 16, "");

struct gv_nvml_field {
	uint32_t id, scope;
	int64_t timestamp, latency; /* us */
	uint32_t type;
	int32_t code; /* of this field */
	union {
		double d;
		uint32_t u32;
		int32_t s32;
		uint64_t u64;
		int64_t s64;
		uint16_t u16;
	} value;
};
_Static_assert(sizeof(struct gv_nvml_field) == 40 && offsetof(struct gv_nvml_field, code) == 28, "");

/* All calls, as X(symbol, parameters); each returns a code as int. D is a device. */
#define GV_NVML_D struct gv_nvml_device *device
#define GV_NVML_U32 uint32_t *value
#define GV_NVML_CALLS(X)                                                                                               \
	X(nvmlInit, (void))                                                                                            \
	X(nvmlInit_v2, (void))                                                                                         \
	X(nvmlShutdown, (void))                                                                                        \
	X(nvmlSystemGetDriverVersion, (char *text, uint32_t size))                                                     \
	X(nvmlSystemGetNVMLVersion, (char *text, uint32_t size))                                                       \
	X(nvmlSystemGetCudaDriverVersion, (int32_t * value))                                                           \
	X(nvmlSystemGetCudaDriverVersion_v2, (int32_t * value))                                                        \
	X(nvmlDeviceGetCount, (GV_NVML_U32))                                                                           \
	X(nvmlDeviceGetCount_v2, (GV_NVML_U32))                                                                        \
	X(nvmlDeviceGetHandleByIndex, (uint32_t index, struct gv_nvml_device * *device))                               \
	X(nvmlDeviceGetHandleByIndex_v2, (uint32_t index, struct gv_nvml_device * *device))                            \
	X(nvmlDeviceGetName, (GV_NVML_D, char *text, uint32_t size))                                                   \
	X(nvmlDeviceGetUUID, (GV_NVML_D, char *text, uint32_t size))                                                   \
	X(nvmlDeviceGetVbiosVersion, (GV_NVML_D, char *text, uint32_t size))                                           \
	X(nvmlDeviceGetPciInfo_v2, (GV_NVML_D, struct gv_nvml_pci * pci))                                              \
	X(nvmlDeviceGetPciInfo_v3, (GV_NVML_D, struct gv_nvml_pci * pci))                                              \
	X(nvmlDeviceGetMinorNumber, (GV_NVML_D, GV_NVML_U32))                                                          \
	X(nvmlDeviceGetArchitecture, (GV_NVML_D, GV_NVML_U32))                                                         \
	X(nvmlDeviceGetCudaComputeCapability, (GV_NVML_D, int32_t * major, int32_t * minor))                           \
	X(nvmlDeviceGetPersistenceMode, (GV_NVML_D, GV_NVML_U32))                                                      \
	X(nvmlDeviceGetComputeMode, (GV_NVML_D, GV_NVML_U32))                                                          \
	X(nvmlDeviceGetDisplayActive, (GV_NVML_D, GV_NVML_U32))                                                        \
	X(nvmlDeviceGetPerformanceState, (GV_NVML_D, GV_NVML_U32))                                                     \
	X(nvmlDeviceGetMigMode, (GV_NVML_D, uint32_t * current, uint32_t * pending))                                   \
	X(nvmlDeviceGetMigDeviceHandleByIndex, (GV_NVML_D, uint32_t index, struct gv_nvml_device * *mig))              \
	X(nvmlDeviceGetMemoryInfo, (GV_NVML_D, struct gv_nvml_memory * memory))                                        \
	X(nvmlDeviceGetMemoryInfo_v2, (GV_NVML_D, struct gv_nvml_memory_v2 * memory))                                  \
	X(nvmlDeviceGetBAR1MemoryInfo, (GV_NVML_D, struct gv_nvml_bar1 * memory))                                      \
	X(nvmlDeviceGetUtilizationRates, (GV_NVML_D, struct gv_nvml_utilization * rates))                              \
	X(nvmlDeviceGetEncoderUtilization, (GV_NVML_D, GV_NVML_U32, uint32_t * period))                                \
	X(nvmlDeviceGetDecoderUtilization, (GV_NVML_D, GV_NVML_U32, uint32_t * period))                                \
	X(nvmlDeviceGetPowerUsage, (GV_NVML_D, GV_NVML_U32))                                                           \
	X(nvmlDeviceGetEnforcedPowerLimit, (GV_NVML_D, GV_NVML_U32))                                                   \
	X(nvmlDeviceGetPowerManagementLimit, (GV_NVML_D, GV_NVML_U32))                                                 \
	X(nvmlDeviceGetPowerManagementDefaultLimit, (GV_NVML_D, GV_NVML_U32))                                          \
	X(nvmlDeviceGetPowerManagementLimitConstraints, (GV_NVML_D, uint32_t * least, uint32_t * most))                \
	X(nvmlDeviceGetTemperature, (GV_NVML_D, int32_t which, GV_NVML_U32))                                           \
	X(nvmlDeviceGetTemperatureV, (GV_NVML_D, struct gv_nvml_temperature * temperature))                            \
	X(nvmlDeviceGetTemperatureThreshold, (GV_NVML_D, int32_t which, GV_NVML_U32))                                  \
	X(nvmlDeviceGetMarginTemperature, (GV_NVML_D, struct gv_nvml_margin * margin))                                 \
	X(nvmlDeviceGetClockInfo, (GV_NVML_D, int32_t which, GV_NVML_U32))                                             \
	X(nvmlDeviceGetMaxClockInfo, (GV_NVML_D, int32_t which, GV_NVML_U32))                                          \
	X(nvmlDeviceGetApplicationsClock, (GV_NVML_D, int32_t which, GV_NVML_U32))                                     \
	X(nvmlDeviceGetCurrentClocksEventReasons, (GV_NVML_D, uint64_t * mask))                                        \
	X(nvmlDeviceGetCurrentClocksThrottleReasons, (GV_NVML_D, uint64_t * mask))                                     \
	X(nvmlDeviceGetEccMode, (GV_NVML_D, uint32_t * current, uint32_t * pending))                                   \
	X(nvmlDeviceGetTotalEccErrors, (GV_NVML_D, int32_t type, int32_t counter, uint64_t * count))                   \
	X(nvmlDeviceGetSramEccErrorStatus, (GV_NVML_D, struct gv_nvml_sram * status))                                  \
	X(nvmlDeviceGetRetiredPages, (GV_NVML_D, int32_t cause, uint32_t * count, uint64_t * addresses))               \
	X(nvmlDeviceGetRetiredPagesPendingStatus, (GV_NVML_D, GV_NVML_U32))                                            \
	X(nvmlDeviceGetRemappedRows,                                                                                   \
	  (GV_NVML_D, uint32_t * corrected, uint32_t * uncorrected, uint32_t * pending, uint32_t * failed))            \
	X(nvmlDeviceGetRowRemapperHistogram, (GV_NVML_D, struct gv_nvml_histogram * banks))                            \
	X(nvmlDeviceGetRepairStatus, (GV_NVML_D, struct gv_nvml_repair * status))                                      \
	X(nvmlDeviceGetFieldValues, (GV_NVML_D, int32_t n, struct gv_nvml_field * fields))                             \
	X(nvmlDeviceGetCurrPcieLinkGeneration, (GV_NVML_D, GV_NVML_U32))                                               \
	X(nvmlDeviceGetCurrPcieLinkWidth, (GV_NVML_D, GV_NVML_U32))                                                    \
	X(nvmlDeviceGetMaxPcieLinkGeneration, (GV_NVML_D, GV_NVML_U32))                                                \
	X(nvmlDeviceGetMaxPcieLinkWidth, (GV_NVML_D, GV_NVML_U32))                                                     \
	X(nvmlDeviceGetGpuMaxPcieLinkGeneration, (GV_NVML_D, GV_NVML_U32))                                             \
	X(nvmlDeviceGetPcieReplayCounter, (GV_NVML_D, GV_NVML_U32))                                                    \
	X(nvmlDeviceGetPcieThroughput, (GV_NVML_D, int32_t which, GV_NVML_U32))                                        \
	X(nvmlDeviceGetNvLinkState, (GV_NVML_D, uint32_t link, uint32_t * state))                                      \
	X(nvmlDeviceGetNvLinkErrorCounter, (GV_NVML_D, uint32_t link, int32_t counter, uint64_t * count))              \
	X(nvmlDeviceGetGpuFabricInfo, (GV_NVML_D, struct gv_nvml_fabric * fabric))                                     \
	X(nvmlDeviceGetGpuFabricInfoV, (GV_NVML_D, void *fabric))                                                      \
	X(nvmlDeviceGetMPSComputeRunningProcesses, (GV_NVML_D, uint32_t * n, void *processes))                         \
	X(nvmlDeviceGetMPSComputeRunningProcesses_v2, (GV_NVML_D, uint32_t * n, void *processes))                      \
	X(nvmlDeviceGetMPSComputeRunningProcesses_v3, (GV_NVML_D, uint32_t * n, void *processes))                      \
	X(nvmlDeviceGetComputeRunningProcesses, (GV_NVML_D, uint32_t * n, void *processes))                            \
	X(nvmlDeviceGetComputeRunningProcesses_v2, (GV_NVML_D, uint32_t * n, void *processes))                         \
	X(nvmlDeviceGetComputeRunningProcesses_v3, (GV_NVML_D, uint32_t * n, void *processes))                         \
	X(nvmlDeviceGetGraphicsRunningProcesses, (GV_NVML_D, uint32_t * n, void *processes))                           \
	X(nvmlDeviceGetGraphicsRunningProcesses_v2, (GV_NVML_D, uint32_t * n, void *processes))                        \
	X(nvmlDeviceGetGraphicsRunningProcesses_v3, (GV_NVML_D, uint32_t * n, void *processes))
