/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that the site accepts become notes: known, said, and no alarm. */
#include "engine/engine.h"

void gv_apply_site(struct gv_run *run)
{
	if (!run->site)
		return;
	for (size_t i = 0; i < run->findings.n; i++) {
		struct gv_finding *f = run->findings.v[i];
		struct gv_accept *a = gv_site_accepts(run->site, f->kind, f->on);

		if (!a)
			continue;
		a->findings++;
		if (a->expired) {
			f->expired = a;
			continue;
		}
		f->accepted = a;
		f->unaccepted = f->severity;
		f->severity = GV_NOTE;
	}
}
