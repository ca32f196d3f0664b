/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code for devices as ELF files. */
#pragma once

#include "inspect/scan.h"

enum { GV_EM_CUDA = 190, GV_EM_INTELGT = 205, GV_EM_AMDGPU = 224 };
#define GV_ELF_HEADER 64

/* What the header says of the code, in the file's own words; false where it is no machine of a device. */
bool gv_device_elf(struct gv_arena *a, gv_str header, struct gv_code *ret);

/* The same for one machine each; vendor and kind are set, header has GV_ELF_HEADER bytes. */
bool gv_cubin(struct gv_arena *a, gv_str header, struct gv_code *ret);
bool gv_amdgpu(struct gv_arena *a, gv_str header, struct gv_code *ret);
bool gv_zebin(struct gv_arena *a, gv_str header, struct gv_code *ret);
