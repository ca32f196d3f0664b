/* SPDX-License-Identifier: Apache-2.0 */
/* What each host program with CUDA code calls before main(): shows that there is some where the library that has it is
 * linked in, so that nothing else does. */
#include "inspect/scan.h"

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_symbol(s, at, GV_NVIDIA);
}

const struct gv_pattern gv_pattern_register_cuda = { .bytes = { "__cudaRegisterFatBinary", 23 }, .found = found };
