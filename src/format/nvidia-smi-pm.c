/* SPDX-License-Identifier: Apache-2.0 */
/* What `nvidia-smi -pm 1` and its relatives say about persistence mode, one line a GPU. */
#include "format/common.h"

#define MAX_LINES 4096

enum said { NOTHING, SWITCHED_ON, SWITCHED_OFF, IS_ON, IS_OFF };

static enum said said(gv_str t)
{
	if (gv_starts(t, "Enabled persistence mode for"))
		return SWITCHED_ON;
	if (gv_starts(t, "Disabled persistence mode for"))
		return SWITCHED_OFF;
	if (gv_starts(t, "Persistence mode is already Enabled"))
		return IS_ON;
	if (gv_starts(t, "Persistence mode is already Disabled") ||
	    gv_starts(t, "Warning: persistence mode is disabled on"))
		return IS_OFF;
	return NOTHING;
}

static size_t pm_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 0;

	(void)seg;
	while (i < n && i < MAX_LINES && said(gv_trim(l[i].text)) != NOTHING)
		i++;
	if (i > 0 && i < n && gv_is(gv_trim(l[i].text), "All done."))
		i++;
	return i;
}

static void pm_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text), bus;
		enum said s = said(t);
		struct gv_entity *gpu;

		if (s == SWITCHED_ON || s == SWITCHED_OFF)
			gv_put_flag(r, gv_see_node(r), GV_F_PERSISTENCE_SET, s == SWITCHED_ON, &l[i]);
		if (s == NOTHING || !gv_find_bus_id(r->arena, t, &bus))
			continue;
		gpu = gv_see(r, GV_GPU, GV_NONE);
		gv_key(r, gpu, GV_KEY_BUS, bus);
		gv_put_str(r, gpu, GV_F_GPU_BUS_ID, bus, &l[i]);
		gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), &l[i]);
		gv_put_flag(r, gpu, GV_F_GPU_PERSISTENCE, s == SWITCHED_ON || s == IS_ON, &l[i]);
	}
}

const struct gv_format gv_format_nvidia_smi_pm = {
	.name = "nvidia-smi -pm",
	.heads = { "persistence mode", "Persistence mode is already" },
	.claim = pm_claim,
	.read = pm_read,
};
