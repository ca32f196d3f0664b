/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_pci.h"

#include "core/table.h"

#define NVIDIA 0x10de
#define AMD 0x1002
#define INTEL 0x8086
#define HABANA 0x1da3

const char *gv_pci_vendor(uint64_t vendor)
{
	switch (vendor) {
	case NVIDIA:
		return "nvidia";
	case AMD:
		return "amd";
	case INTEL:
	case HABANA:
		return "intel";
	default:
		return NULL;
	}
}

bool gv_pci_gpu_class(uint64_t class)
{
	return class >> 8 == 0x03 || class == 0x1200;
}

gv_str gv_pci_class(uint64_t class)
{
	static const struct {
		uint16_t class;
		const char *name;
	} names[] = {
		{ 0x0100, "SCSI storage controller" },
		{ 0x0101, "IDE interface" },
		{ 0x0104, "RAID bus controller" },
		{ 0x0106, "SATA controller" },
		{ 0x0107, "Serial Attached SCSI controller" },
		{ 0x0108, "Non-Volatile memory controller" },
		{ 0x0180, "Mass storage controller" },
		{ 0x0200, "Ethernet controller" },
		{ 0x0207, "Infiniband controller" },
		{ 0x0280, "Network controller" },
		{ 0x0300, "VGA compatible controller" },
		{ 0x0302, "3D controller" },
		{ 0x0380, "Display controller" },
		{ 0x0403, "Audio device" },
		{ 0x0580, "Memory controller" },
		{ 0x0600, "Host bridge" },
		{ 0x0601, "ISA bridge" },
		{ 0x0604, "PCI bridge" },
		{ 0x0680, "Bridge" },
		{ 0x0700, "Serial controller" },
		{ 0x0780, "Communication controller" },
		{ 0x0806, "IOMMU" },
		{ 0x0880, "System peripheral" },
		{ 0x0c03, "USB controller" },
		{ 0x0c05, "SMBus" },
		{ 0x1080, "Encryption controller" },
		{ 0x1180, "Signal processing controller" },
		{ 0x1200, "Processing accelerators" },
		{ 0x1300, "Non-Essential Instrumentation" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].class == class)
			return gv_str_of(names[i].name);
	return GV_NONE;
}

static gv_str pair(struct gv_arena *a, uint64_t vendor, uint64_t device)
{
	return gv_fmt(a, "%04llx:%04llx", (unsigned long long)vendor, (unsigned long long)device);
}

/* Boards of one chip are told apart by their subsystem. Where that is not in the list, the name that all of them share.
 */
static gv_str nvidia_product(struct gv_arena *a, const struct gv_pci_ids *ids)
{
	const struct gv_table *t = gv_table("pci-ids");
	gv_str device = gv_fmt(a, "%04llx", (unsigned long long)ids->device),
	       sub = pair(a, ids->subvendor, ids->subdevice);
	gv_str any = GV_NONE, common = GV_NONE;
	bool differ = false;

	for (size_t row = 0; (row = gv_table_find(t, "pci_device_id", device, row)) != SIZE_MAX; row++) {
		gv_str name = gv_cell(t, row, "name"), of = gv_cell(t, row, "subsystem");

		if (of.n && gv_eq(of, sub))
			return name;
		any = of.n ? any : name;
		differ |= common.n && !gv_eq(common, name);
		common = name;
	}
	return any.n ? any : differ ? GV_NONE : common;
}

gv_str gv_pci_product(struct gv_arena *a, const struct gv_pci_ids *ids)
{
	const struct gv_table *t = gv_table("gpu-ids");
	gv_str name = ids->vendor == NVIDIA ? nvidia_product(a, ids) : GV_NONE;

	return name.n ? name : gv_cell(t, gv_table_find(t, "pci_id", pair(a, ids->vendor, ids->device), 0), "name");
}

bool gv_pci_integrated(struct gv_arena *a, const struct gv_pci_ids *ids, gv_str bus)
{
	const struct gv_table *t = gv_table("gpu-ids");

	/* Intel's are device 2 of bus 0: what sits beside it was passed to a guest. Its FPGAs and NPUs are accelerators by
	 * class. */
	if (ids->vendor == INTEL)
		return (bus.n > 8 && gv_starts(gv_from(bus, bus.n - 7), "00:02.")) || ids->class == 0x1200;
	return gv_is(gv_cell(t, gv_table_find(t, "pci_id", pair(a, ids->vendor, ids->device), 0), "integrated"), "yes");
}

struct gv_entity *gv_see_pci(struct gv_read *r, gv_str bus)
{
	struct gv_entity *pci = gv_see(r, GV_PCI, bus);

	gv_key(r, pci, GV_KEY_BUS, bus);
	return pci;
}

struct gv_entity *gv_see_pci_gpu(struct gv_read *r, gv_str bus, gv_str printed, const char *vendor, gv_str name,
				 const struct gv_line *l)
{
	struct gv_entity *gpu = gv_see(r, GV_GPU, GV_NONE);

	gv_key(r, gpu, GV_KEY_BUS, bus);
	gv_put_str(r, gpu, GV_F_GPU_BUS_ID, printed, l);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, gv_str_of(vendor), l);
	if (name.n)
		gv_put_str(r, gpu, GV_F_GPU_NAME, name, l);
	return gpu;
}
