/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of tests that ran on GPUs ask alike. */
#pragma once

#include "check/common.h"

/* The GPU that a test names in this fact (TEST_GPU, TEST_PEER). CUDA's numbers are nvidia-smi's only where all GPUs are
 * alike and no mask is set: else, and where the GPU is not known otherwise, NULL. */
const struct gv_entity *gv_tested_gpu(const struct gv_run *run, const struct gv_entity *test, enum gv_fact which);
/* "GPU 3" as the test names it. */
gv_str gv_tested_name(const struct gv_run *run, const struct gv_entity *test, enum gv_fact which);
