/* SPDX-License-Identifier: Apache-2.0 */
/* mst status -v: which RDMA device and interface an adapter of NVIDIA (Mellanox) is, and where on the bus. */
#include "format/common.h"

static bool is_head(gv_str text)
{
	return gv_starts(gv_trim(text), "DEVICE_TYPE") && gv_has(text, "RDMA") && gv_has(text, "PCI");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;
	gv_str w[8];

	(void)seg;
	if (!is_head(l[0].text))
		return 0;
	while (i < n && gv_words(l[i].text, w, 8) >= 5)
		i++;
	return i;
}

static void read_devices(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_columns c;

	gv_columns(&c, l[0].text);
	for (size_t i = 1; i < n; i++) {
		gv_str w[8];
		size_t nw = gv_words(l[i].text, w, 8);
		gv_str rdma = gv_cell_of(&c, w, nw > 8 ? 8 : nw, "RDMA"),
		       pci = gv_cell_of(&c, w, nw > 8 ? 8 : nw, "PCI");

		if (gv_starts(rdma, "mlx") && pci.n > 6)
			gv_put_str(r, gv_see(r, GV_NIC, rdma), GV_F_NIC_BUS_ID, pci, &l[i]);
	}
}

const struct gv_format gv_format_mst = {
	.name = "mst status",
	.heads = { "DEVICE_TYPE" },
	.claim = claim,
	.read = read_devices,
};
