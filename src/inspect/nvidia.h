/* SPDX-License-Identifier: Apache-2.0 */
/* Names of NVIDIA's architectures. */
#pragma once

#include "inspect/inventory.h"

/* "sm_90a" for machine code, "compute_90a" for the rest; suffix 'a', 'f' or 0. */
gv_str gv_nvidia_arch(struct gv_arena *a, enum gv_code_kind kind, unsigned sm, char suffix);
