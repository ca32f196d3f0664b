/* SPDX-License-Identifier: Apache-2.0 */
/* Vendor libraries. Each stands in a file of its own that defines `const struct gv_vendor gv_vendor_<file>`, and as a line
 * in vendor.def. A vendor makes calls and tells what they answered, as lines of a transcript that a reader in format/
 * understands: it never judges, and keeps nothing. It runs in a helper process (sys/helper.h). */
#pragma once

#include "sys/helper.h"

struct gv_vendor {
	const char *name;    /* of the transcript: "nvml" */
	unsigned pci_vendor; /* whose devices it is for: 0x10de */
	const char *soname;  /* "libnvidia-ml.so.1" */
	const char *module;  /* kernel module that it needs, as in /sys/module: "nvidia" */
	const char *untried; /* what it has met so far, where that was no hardware; NULL: it ran on some */
	/* Makes all calls that are made once, then those that are sampled, tick by tick. */
	void (*look)(struct gv_teller *t);
};

extern const struct gv_vendor *const gv_vendors_known[];
extern const size_t gv_nvendors_known;
