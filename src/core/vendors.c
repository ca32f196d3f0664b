/* SPDX-License-Identifier: Apache-2.0 */
#include "core/vendors.h"

unsigned gv_vendor_of(gv_str word)
{
	return gv_is(word, "nvidia") ? GV_NVIDIA : gv_is(word, "amd") ? GV_AMD : gv_is(word, "intel") ? GV_INTEL : 0;
}

const char *gv_vendor_name(unsigned vendor)
{
	return vendor == GV_NVIDIA ? "nvidia" : vendor == GV_AMD ? "amd" : vendor == GV_INTEL ? "intel" : "any";
}

const char *gv_vendor_title(unsigned vendor)
{
	return vendor == GV_NVIDIA ? "NVIDIA" : vendor == GV_AMD ? "AMD" : vendor == GV_INTEL ? "Intel" : "any vendor";
}
