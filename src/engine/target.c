/* SPDX-License-Identifier: Apache-2.0 */
/* This machine as targets, by what a look at it shows. */
#include "core/arch.h"
#include "engine/engine.h"
#include "engine/inventory.h"

#define KINDS_MAX 8 /* of GPUs in one machine */

static bool is_known(const struct gv_target *v, size_t n, const struct gv_target *t)
{
	for (size_t i = 0; i < n; i++)
		if (gv_eq(v[i].device, t->device) && v[i].sm == t->sm && gv_eq(v[i].gfx, t->gfx))
			return true;
	return false;
}

static bool read_gpu(struct gv_arena *a, const struct gv_entity *gpu, struct gv_target *t)
{
	gv_str name = gv_text(gpu, GV_F_GPU_NAME), arch = gv_text(gpu, GV_F_GPU_ARCH),
	       cc = gv_text(gpu, GV_F_GPU_COMPUTE_CAP);
	unsigned sm = gv_sm_of_cc(cc);
	struct gv_buf why = { 0 };
	bool ok = false;

	if (sm)
		ok = !gv_target_device(a, gv_fmt(a, "sm_%u", sm), t, &why);
	if (!ok && gv_starts(arch, "gfx"))
		ok = !gv_target_device(a, arch, t, &why);
	if (!ok && name.n)
		ok = !gv_target_device(a, name, t, &why);
	t->device = name;
	gv_buf_free(&why);
	return ok;
}

size_t gv_targets_live(struct gv_arena *a, struct gv_target **ret)
{
	struct gv_target *v = *ret = GV_NEWN(a, struct gv_target, KINDS_MAX);
	struct gv_look look = GV_LOOK;
	struct gv_run *run = gv_run_new(a);
	size_t n = 0;
	int r;

	look.span = 0;
	r = gv_add_live(run, &look);
	if (!r)
		gv_read_all(run);
	for (const struct gv_entity *e = NULL; !r && n < KINDS_MAX && (e = gv_each(run, GV_GPU, NULL, e));) {
		struct gv_target t = { 0 };

		if (!read_gpu(a, e, &t)) {
			t = (struct gv_target){ .device = t.device,
						.unknown = GV_STR("which architecture its GPU has is not seen") };
		} else if (gv_text(e->node, GV_F_DRIVER_KERNEL).n) {
			gv_target_driver(&t, gv_text(e->node, GV_F_DRIVER_KERNEL));
		}
		if (is_known(v, n, &t))
			continue;
		t.name = n ? gv_fmt(a, "live (%.*s)", GV_ARG(t.device)) : GV_STR("live");
		v[n++] = t;
	}
	if (!n)
		v[n++] = (struct gv_target){
			.name = GV_STR("live"),
			.unknown = GV_STR("no GPU is seen on this machine; name the target, as --target sm_90")
		};
	return n;
}
