/* SPDX-License-Identifier: Apache-2.0 */
/* What Xids mean as kinds of findings. */
#include "check/common_xid.h"

#include <stdio.h>

/* What the driver's code means as a kind of finding; every other code is a gpu-xid. */
enum gv_kind gv_xid_kind(int code)
{
	static const struct {
		int code;
		enum gv_kind kind;
	} map[] = {
		{ 13, GV_K_APP_KERNEL_FAULT },	 { 31, GV_K_APP_KERNEL_FAULT },	   { 43, GV_K_APP_KERNEL_FAULT },
		{ 48, GV_K_ECC_UNCORRECTABLE },	 { 63, GV_K_ROW_REMAP_PENDING },   { 64, GV_K_ROW_REMAP_FAILED },
		{ 74, GV_K_NVLINK_DOWN },	 { 79, GV_K_GPU_FELL_OFF_BUS },	   { 94, GV_K_ECC_UNCORRECTABLE },
		{ 95, GV_K_ECC_UNCORRECTABLE },	 { 136, GV_K_NVLINK_DOWN },	   { 140, GV_K_ECC_UNCORRECTABLE },
		{ 144, GV_K_NVLINK_DOWN },	 { 145, GV_K_NVLINK_DOWN },	   { 146, GV_K_NVLINK_DOWN },
		{ 147, GV_K_NVLINK_DOWN },	 { 148, GV_K_NVLINK_DOWN },	   { 149, GV_K_NVLINK_DOWN },
		{ 150, GV_K_NVLINK_DOWN },	 { 154, GV_K_GPU_RESET_REQUIRED }, { 171, GV_K_ECC_UNCORRECTABLE },
		{ 172, GV_K_ECC_UNCORRECTABLE },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].code == code)
			return map[i].kind;
	return GV_K_GPU_XID;
}

enum gv_severity gv_xid_severity_of(gv_str cell)
{
	if (gv_starts(cell, "info"))
		return GV_NOTE;
	return gv_starts(cell, "error") || gv_starts(cell, "fatal") ? GV_FAIL : GV_WARN;
}

enum gv_severity gv_xid_severity(int code)
{
	const struct gv_table *t = gv_table("xid");
	char number[16];
	size_t row;

	snprintf(number, sizeof(number), "%d", code);
	row = t ? gv_table_find(t, "code", gv_str_of(number), 0) : SIZE_MAX;
	return gv_xid_severity_of(row == SIZE_MAX ? GV_NONE : gv_cell(t, row, "severity"));
}
