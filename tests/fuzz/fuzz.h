/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz targets. Each stands in a file of its own that defines gv_fuzz_<file>(), and as a line in target.def;
 * libfuzzer.c makes a fuzzer of one, replay.c runs the inputs of tests/data/fuzz through all. A target holds the code
 * to its contract and ends the process where that is broken. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/run.h"

#define TARGET(name, max) void gv_fuzz_##name(const uint8_t *data, size_t n);
#include "target.def"
#undef TARGET

/* Prints the text and ends the process. */
_Noreturn void gv_fuzz_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define gv_fuzz_check(condition)                                                                                       \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			gv_fuzz_bad("%s:%d: %s", __FILE__, __LINE__, #condition);                                      \
	} while (0)

/* s without any NUL behind it, on the heap, so that a step beyond its end is seen; free() its p. */
gv_str gv_fuzz_copy(gv_str s);
/* Does s lie inside of whole? Empty views lie anywhere. */
bool gv_fuzz_inside(gv_str s, gv_str whole);
/* The text is one valid JSON document, and every {"file", "line", "text"} in it stands in the run's documents. */
void gv_fuzz_check_json(gv_str json, const struct gv_run *run);
/* What holds of any run that was read: facts, events, blocks and lines point to what exists. */
void gv_fuzz_check_run(const struct gv_run *run);
/* No byte that could steer a terminal, and valid UTF-8. */
void gv_fuzz_check_text(gv_str text);
/* 16 bits that stand for a reader in inputs, whatever other readers come. */
uint16_t gv_fuzz_reader_id(const char *name);
