/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/device.h"

bool gv_amdgpu(struct gv_arena *a, gv_str header, struct gv_code *ret)
{
	return false;
}

bool gv_zebin(struct gv_arena *a, gv_str header, struct gv_code *ret)
{
	return false;
}
