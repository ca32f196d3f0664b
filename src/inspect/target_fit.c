/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs on a target: by its architecture (core/arch.h), and PTX by a driver that knows its version of the
 * language. What is for no vendor (SPIR-V) is compiled by the driver of whichever. */
#include "core/arch.h"
#include "core/cuda.h"
#include "core/table.h"
#include "inspect/target.h"

const char *const gv_fit_name[] = { "none", "native", "jit", "unknown", "no" };

static enum gv_fit as_fit(enum gv_runs r)
{
	return r == GV_RUNS ? GV_FIT_NATIVE : r == GV_RUNS_UNKNOWN ? GV_FIT_UNKNOWN : GV_FIT_NO;
}

static enum gv_fit ptx_fit(const struct gv_target *t, const struct gv_code *c, gv_str *ret_driver)
{
	unsigned cuda = gv_cuda_of_ptx(c->isa);

	if (t->sm && gv_sm_runs(t->sm, c->arch) == GV_RUNS_NOT)
		return GV_FIT_NO;
	if (cuda)
		*ret_driver = gv_branch_for_cuda(cuda);
	return t->cuda && cuda > t->cuda ? GV_FIT_NO : GV_FIT_JIT;
}

static enum gv_fit nvidia_fit(const struct gv_target *t, const struct gv_code *c, gv_str *ret_driver)
{
	unsigned sm;
	char suffix;

	if (c->kind != GV_CODE_ELF && c->kind != GV_CODE_PTX && c->kind != GV_CODE_LTOIR)
		return GV_FIT_NONE;
	if (!gv_sm_parse(c->arch, &sm, &suffix))
		return GV_FIT_UNKNOWN;
	if (c->kind == GV_CODE_PTX)
		return ptx_fit(t, c, ret_driver);
	if (c->kind == GV_CODE_LTOIR) /* nvJitLink links it, where the program asks for that */
		return t->sm && gv_sm_runs(t->sm, c->arch) == GV_RUNS_NOT ? GV_FIT_NO : GV_FIT_UNKNOWN;
	return t->sm ? as_fit(gv_sm_runs(t->sm, c->arch)) : GV_FIT_NATIVE;
}

static enum gv_fit amd_fit(const struct gv_target *t, const struct gv_code *c)
{
	if (c->kind != GV_CODE_ELF)
		return GV_FIT_NONE; /* bitcode is to be compiled into something else */
	if (!c->arch.n || gv_ends(c->arch, "?")) /* of an unknown target */
		return GV_FIT_UNKNOWN;
	return t->gfx.n ? as_fit(gv_gfx_runs(t->gfx, c->arch)) : GV_FIT_NATIVE;
}

/* "dg2" is the family of "dg2-g10". */
static enum gv_fit intel_fit(const struct gv_target *t, const struct gv_code *c)
{
	gv_str family;

	if (c->kind != GV_CODE_ELF)
		return GV_FIT_NONE;
	if (!t->xe.n && !t->device.n)
		return GV_FIT_NATIVE;
	if (!c->arch.n || !t->xe.n)
		return GV_FIT_UNKNOWN;
	if (gv_eq(c->arch, t->xe))
		return GV_FIT_NATIVE;
	family = gv_before(t->xe, "-");
	if (!gv_eq(gv_before(c->arch, "-"), family))
		return GV_FIT_NO;
	return gv_eq(c->arch, family) ? GV_FIT_NATIVE : GV_FIT_UNKNOWN;
}

enum gv_fit gv_code_fit(const struct gv_target *t, const struct gv_code *c, gv_str *ret_driver)
{
	*ret_driver = GV_NONE;
	if (t->cpu || (c->vendor && c->vendor != t->vendor))
		return GV_FIT_NO;
	if (c->kind == GV_CODE_SPIRV)
		return GV_FIT_JIT;
	switch (t->vendor) {
	case GV_NVIDIA:
		return nvidia_fit(t, c, ret_driver);
	case GV_AMD:
		return amd_fit(t, c);
	case GV_INTEL:
		return intel_fit(t, c);
	default:
		return GV_FIT_UNKNOWN;
	}
}

/* "libfoo.so.1.2" is there as "libfoo.so.1", and so is "libfoo.so.1" where only "libfoo" was written. */
static bool same_library(gv_str have, gv_str want)
{
	if (gv_eq(have, want))
		return true;
	if (want.n > have.n && memcmp(want.p, have.p, have.n) == 0)
		return want.p[have.n] == '.';
	return have.n > want.n && gv_has(want, ".so.") && memcmp(want.p, have.p, want.n) == 0 && have.p[want.n] == '.';
}

bool gv_target_has(const struct gv_target *t, gv_str library)
{
	const struct gv_table *libs = gv_table("cuda-libraries");
	bool driver;

	for (size_t i = 0; i < t->libraries.n; i++)
		if (same_library(t->libraries.v[i], library))
			return true;
	if (!t->toolkit)
		return false;
	if (t->vendor == GV_AMD) /* a ROCm of this major version; HIP's runtime is the only one that is numbered so */
		return gv_library_vendor(library, &driver) == GV_AMD &&
		       (!gv_starts(library, "libamdhip64.so.") ||
			gv_cuda_parse(gv_from(library, 15)) / 100 == t->toolkit / 100);
	for (size_t i = 0; libs && i < libs->rows; i++) {
		gv_str majors = gv_cell(libs, i, "cuda"), m;

		if (!same_library(gv_cell(libs, i, "library"), library))
			continue;
		while (gv_next(&majors, ',', &m))
			if (gv_cuda_parse(m) / 100 == t->toolkit / 100)
				return true;
	}
	return false;
}
