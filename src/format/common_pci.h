/* SPDX-License-Identifier: Apache-2.0 */
/* PCI functions, whoever lists them: lspci, sysfs. */
#pragma once

#include "format/common.h"

/* Ids; 0 = not known. */
struct gv_pci_ids {
	uint64_t vendor, device, subvendor, subdevice;
	uint64_t class; /* base class and subclass: 0x0302 */
};

/* "nvidia", "amd", "intel" by the id; NULL for everybody else. */
const char *gv_pci_vendor(uint64_t vendor);
/* Display controllers of all kinds, and processing accelerators. */
bool gv_pci_gpu_class(uint64_t class);
/* "3D controller", as lspci names it; empty where it is not known here. */
gv_str gv_pci_class(uint64_t class);
/* The product, as its driver names it, from the tables of data/; empty where they do not know it. */
gv_str gv_pci_product(struct gv_arena *a, const struct gv_pci_ids *ids);
/* Graphics inside a CPU: not what GPU work runs on; with real GPUs it would only make the machine look mixed. */
bool gv_pci_integrated(struct gv_arena *a, const struct gv_pci_ids *ids, gv_str bus);

/* A function, and a GPU that is one. `bus` is normalised; `printed` is the address as the output has it. */
struct gv_entity *gv_see_pci(struct gv_read *r, gv_str bus);
struct gv_entity *gv_see_pci_gpu(struct gv_read *r, gv_str bus, gv_str printed, const char *vendor, gv_str name,
				 const struct gv_line *l);
