/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec.h"

#include "core/table.h"

/* Whether a printed name may be this product: the same, with or without "NVIDIA ", or the start of it before "...". */
static bool names_product(gv_str printed, gv_str product)
{
	bool cut = gv_ends(printed, "...");

	if (gv_starts(printed, "NVIDIA "))
		printed = gv_from(printed, 7);
	if (gv_starts(product, "NVIDIA "))
		product = gv_from(product, 7);
	if (cut)
		printed = gv_rtrim(gv_sub(printed, 0, printed.n - 3));
	return cut ? printed.n >= 4 && product.n >= printed.n && gv_eq(gv_sub(product, 0, printed.n), printed)
		   : gv_eq(printed, product);
}

size_t gv_gpu_spec(gv_str name)
{
	const struct gv_table *t = gv_table("gpu-specs");
	size_t hit = SIZE_MAX;

	for (size_t r = 0; t && name.n && r < t->rows; r++) {
		if (!names_product(name, gv_cell(t, r, "product_name")))
			continue;
		if (hit != SIZE_MAX)
			return SIZE_MAX;
		hit = r;
	}
	return hit;
}
