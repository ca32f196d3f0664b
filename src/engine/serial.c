/* SPDX-License-Identifier: Apache-2.0 */
/* Which board it is: whoever has to swap one, or asks its vendor, needs the number on its label. Findings about a GPU get it
 * as their value "serial", and the pages of those that may end with a new board name it. */
#include "core/check.h"
#include "engine/engine.h"

#define LABEL "GPU Board Serial Number: "
enum { LINES_BELOW = 3 }; /* the driver prints the number right below the line that names the GPU */

/* "NVRM: GPU at PCI:0000:07:00: GPU-..." and below it "NVRM: GPU Board Serial Number: ...". */
static gv_str below(const struct gv_event *ev)
{
	const struct gv_doc *doc = ev->doc;

	for (size_t i = ev->first.line; i < ev->first.line + LINES_BELOW && i < doc->nlines; i++) {
		gv_str serial = gv_trim(gv_after(doc->lines[i].text, LABEL));

		if (serial.n)
			return serial;
	}
	return GV_NONE;
}

static gv_str serial_of(const struct gv_entity *gpu)
{
	gv_str serial = gv_text(gpu, GV_F_GPU_SERIAL);

	for (const struct gv_event *ev = NULL; !serial.n && (ev = gv_each_event_on(gpu->node, ev));)
		if (ev->gpu == gpu && gv_is(ev->sig->id, "nv-gpu-at"))
			serial = below(ev);
	return serial.n && !gv_is(serial, "N/A") ? serial : GV_NONE;
}

void gv_set_serials(struct gv_run *run)
{
	struct gv_judge j = { .run = run };

	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];

		if (f->on && f->on->kind == GV_GPU)
			gv_set_str(&j, f, "serial", serial_of(f->on));
	}
}
