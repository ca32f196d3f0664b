/* SPDX-License-Identifier: Apache-2.0 */
/* How NVML is asked: announced calls whose answers become lines. */
#pragma once

#include "vendor/nvml_abi.h"
#include "vendor/vendor.h"

#define GV_NVML_DEVICES_MAX 64
#define GV_NVML_TEXT_MAX 256

enum gv_nvml_call {
#define X(name, args) GV_C_##name,
	GV_NVML_CALLS(X)
#undef X
	    GV_NVML_NCALLS
};

extern const char *const gv_nvml_names[GV_NVML_NCALLS];

union gv_nvml_library { /* NULL: not in this library */
	struct {
#define X(name, args) int(*name) args;
		GV_NVML_CALLS(X)
#undef X
	} f;
	void *p[GV_NVML_NCALLS];
};
_Static_assert(sizeof(union gv_nvml_library) == GV_NVML_NCALLS * sizeof(void *), "");

struct gv_nvml_look {
	struct gv_teller *t;
	union gv_nvml_library lib;
	bool told[GV_NVML_NCALLS]; /* that it is not in the library */
	uint32_t devices;
	struct {
		struct gv_nvml_device *handle; /* NULL: the library gave none */
		bool lost, mig;
		unsigned silent; /* what need not be asked again, as the caller counts */
	} dev[GV_NVML_DEVICES_MAX];
};

/* Is the call in the library? Tells where it is not. */
bool gv_nvml_there(struct gv_nvml_look *k, enum gv_nvml_call c);
/* Announces a call about a device. `more`: its further arguments, ", SM", or "". */
bool gv_nvml_ask(struct gv_nvml_look *k, enum gv_nvml_call c, uint32_t i, const char *more);
/* The answer of a call that failed; i: the device, GV_NVML_DEVICES_MAX where it was about none. */
void gv_nvml_failed(struct gv_nvml_look *k, uint32_t i, int code);
/* The answer of a call: makes it, and tells its values where it went well. */
#define GV_NVML_ANSWER(k, i, code, ...)                                                                                \
	do {                                                                                                           \
		int code_ = (code);                                                                                    \
		if (code_)                                                                                             \
			gv_nvml_failed((k), (i), code_);                                                               \
		else                                                                                                   \
			gv_answer((k)->t, " = 0" __VA_ARGS__);                                                         \
	} while (0)
/* Text of the library's, which need not end, as it can stand between quotation marks on one line. */
const char *gv_nvml_clean(char *text, size_t size);

/* ---- calls of one shape ---- */

struct gv_nvml_number { /* one number; which of several where `more` is not empty */
	enum gv_nvml_call call;
	const char *more;
	int32_t which;
	const char *key;
};

/* The code; -1 where the call was not made. */
int gv_nvml_number(struct gv_nvml_look *k, uint32_t i, const struct gv_nvml_number *n);
void gv_nvml_numbers(struct gv_nvml_look *k, uint32_t i, const struct gv_nvml_number *n, size_t count);
#define GV_NVML_NUMBERS(k, i, table) gv_nvml_numbers((k), (i), (table), sizeof(table) / sizeof((table)[0]))
/* Two numbers: {now, after the next reset}, {least, most}. */
void gv_nvml_pair(struct gv_nvml_look *k, uint32_t i, enum gv_nvml_call c, const char *first, const char *second);
void gv_nvml_text(struct gv_nvml_look *k, uint32_t i, enum gv_nvml_call c);
/* One field; its own code counts where the call went well. `more`: the field's name, and the link. */
void gv_nvml_field(struct gv_nvml_look *k, uint32_t i, uint32_t id, uint32_t scope, const char *more);
