/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls; built once a target, with GV_FUZZ_ONE as the target's function. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	GV_FUZZ_ONE(data, n);
	return 0;
}
