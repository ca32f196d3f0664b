/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that run on GPUs and print a table by number: nvbandwidth, bandwidthTest, p2pBandwidthLatencyTest, gpu-burn.
 *
 * They number GPUs as CUDA does, which need not be as nvidia-smi does: a mask, or cards of different speed, changes the
 * order. Where the output itself says which bus id a number has, the test names that. */
#pragma once

#include "format/common.h"

#define GV_TESTED_MAX 64 /* GPUs of one output */

struct gv_tested {
	gv_str bus, name; /* empty where the output does not say */
	const struct gv_line *at;
};

/* The GPUs of one output by their numbers. */
struct gv_tested_gpus {
	struct gv_tested v[GV_TESTED_MAX];
};

/* What is known of a number; empty beyond what is held. */
struct gv_tested gv_tested_at(const struct gv_tested_gpus *g, double number);
/* "Device 0: NVIDIA H100 (00000000:18:00)", "Device: 0, Tesla V100, pciBusID: 5d, pciDeviceID: 0, pciDomainID:0",
 * "Device 0: Tesla K80": true where it is such a line. */
bool gv_tested_line(struct gv_read *r, struct gv_tested_gpus *g, const struct gv_line *l);
bool gv_is_tested_line(gv_str text);
/* Sightings of those GPUs of which the bus id is known. */
void gv_see_tested_gpus(struct gv_read *r, const struct gv_tested_gpus *g);
/* A bus id made of its numbers. */
gv_str gv_bus_of_numbers(struct gv_arena *a, uint64_t domain, uint64_t bus, uint64_t device);

/* A test on GPU `gpu`, with or without a peer (negative: none). Its id is "TOOL MODE gpuN gpuM". */
struct gv_entity *gv_see_gpu_test(struct gv_read *r, const struct gv_tested_gpus *g, const char *tool, gv_str mode,
				  double gpu, double peer, const struct gv_line *l);

/* A row of a matrix: its own number, then numbers; how many of them there are, 0 where it is no row. "N/A" gives NaN.
 */
size_t gv_matrix_row(gv_str text, double *ret_row, double *ret, size_t max);
/* The line above a matrix: whole numbers, each greater than the one before; how many, 0 where it is none. */
size_t gv_matrix_head(gv_str text, double *ret, size_t max);
