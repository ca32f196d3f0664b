/* SPDX-License-Identifier: Apache-2.0 */
/* A look at this machine: the source, with the libraries of all vendors. */
#include "engine/engine.h"
#include "source/bundle.h"
#include "source/live.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "vendor/vendor.h"

int gv_add_live(struct gv_run *run, const struct gv_look *look)
{
	struct gv_live_library *libraries = GV_NEWN(run->arena, struct gv_live_library, gv_nvendors_known + 1);
	struct gv_live_opts o = { .root = look->root,
				  .span = look->span,
				  .every = look->every,
				  .timeout = look->timeout,
				  .wake = look->wake,
				  .no_load = look->no_load,
				  .libraries = libraries,
				  .nlibraries = gv_nvendors_known };

	for (size_t i = 0; i < gv_nvendors_known; i++) {
		const struct gv_vendor *v = gv_vendors_known[i];

		libraries[i] = (struct gv_live_library){ v->name, v->pci_vendor, v->module, v->untried, v->look };
	}
	return gv_source_live(run, &o);
}

int gv_save(const struct gv_run *run, const char *path, struct gv_buf *ret_left_out)
{
	struct gv_newfile f;
	int r = gv_newfile_open(&f, path);

	if (!r)
		r = gv_bundle_save(run, f.fd, gv_clock_wall(), ret_left_out);
	return gv_newfile_close(&f, r);
}
