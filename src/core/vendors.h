/* SPDX-License-Identifier: Apache-2.0 */
/* Vendors of GPUs, as bits. */
#pragma once

#include "base/str.h"

enum { GV_NVIDIA = 1, GV_AMD = 2, GV_INTEL = 4 };
#define GV_VENDORS 3
#define GV_VENDORS_ALL (GV_NVIDIA | GV_AMD | GV_INTEL)

/* "nvidia", "amd", "intel"; 0: none of them. */
unsigned gv_vendor_of(gv_str word);
const char *gv_vendor_name(unsigned vendor);  /* "nvidia", "amd", "intel"; "any" for 0 */
const char *gv_vendor_title(unsigned vendor); /* "NVIDIA", "AMD", "Intel"; "any vendor" for 0 */
