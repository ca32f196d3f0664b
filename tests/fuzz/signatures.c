/* SPDX-License-Identifier: Apache-2.0 */
/* A single line against all log signatures. */
#include <stdlib.h>

#include "core/event.h"
#include "fuzz.h"

void gv_fuzz_signatures(const uint8_t *data, size_t n)
{
	static struct gv_sigs *sigs; /* compiled once; it stays until the process ends */
	static struct gv_arena *own;
	static unsigned uses;
	const struct gv_sig *hit[8];
	gv_str line = gv_fuzz_copy((gv_str){ (const char *)data, n });

	if (uses++ % 1000 == 0) { /* each match keeps a little of the arena */
		gv_sigs_free(sigs);
		gv_arena_free(own);
		own = gv_arena_new();
		sigs = gv_sigs_new(own);
	}
	n = gv_sigs_match(sigs, line, hit, 8);
	gv_fuzz_check(n <= 8);
	for (size_t i = 0; i < n; i++)
		gv_fuzz_check(hit[i]->id.n && hit[i]->pattern.n);
	free((char *)line.p);
}
