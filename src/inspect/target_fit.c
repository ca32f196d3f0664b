/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs on which device.
 *
 * NVIDIA: machine code of sm_XY runs on the same major X with a minor of at least Y; that of a Tegra (sm_53, 62, 72,
 * 87) and of one chip ("a") on that one only; that of a family ("f") on its later members. PTX is compiled for whatever
 * is newer, under the same rules of "a" and "f", by a driver that knows its version of the language. AMD: code runs on
 * the one target that it was made for, or by way of a generic target. What is for no vendor (SPIR-V) is compiled by the
 * driver of whichever. */
#include <string.h>

#include "core/cuda.h"
#include "core/table.h"
#include "inspect/target.h"

const char *const gv_fit_name[] = { "none", "native", "jit", "unknown", "no" };

/* ---- NVIDIA ---- */

struct sm {
	unsigned n;
	char suffix; /* 'a', 'f', 0 */
};

static bool read_sm(gv_str arch, struct sm *ret)
{
	gv_str digits = gv_starts(arch, "sm_")	      ? gv_from(arch, 3)
			: gv_starts(arch, "compute_") ? gv_from(arch, 8)
						      : GV_NONE;
	uint64_t n;

	*ret = (struct sm){ 0 };
	if (digits.n && (digits.p[digits.n - 1] == 'a' || digits.p[digits.n - 1] == 'f')) {
		ret->suffix = digits.p[digits.n - 1];
		digits = gv_sub(digits, 0, digits.n - 1);
	}
	if (!gv_to_u64(digits, &n) || n < 10 || n > 999)
		return false;
	ret->n = (unsigned)n;
	return true;
}

static bool tegra(unsigned sm)
{
	return sm == 53 || sm == 62 || sm == 72 || sm == 87;
}

static enum gv_fit cubin_fit(unsigned device, struct sm code)
{
	if (code.n == device)
		return GV_FIT_NATIVE;
	if (code.suffix == 'a' || code.n / 10 != device / 10 || code.n > device || tegra(code.n))
		return GV_FIT_NO;
	/* between desktops and Tegras nothing is promised, though much of it runs */
	return tegra(device) ? GV_FIT_UNKNOWN : GV_FIT_NATIVE;
}

static enum gv_fit ptx_fit(const struct gv_target *t, struct sm code, unsigned isa, gv_str *ret_driver)
{
	unsigned cuda = gv_cuda_of_ptx(isa);

	if (t->sm && (code.suffix == 'a'   ? code.n != t->sm
		      : code.suffix == 'f' ? code.n > t->sm || code.n / 10 != t->sm / 10
					   : code.n > t->sm))
		return GV_FIT_NO;
	if (cuda)
		*ret_driver = gv_branch_for_cuda(cuda);
	return t->cuda && cuda > t->cuda ? GV_FIT_NO : GV_FIT_JIT;
}

static enum gv_fit nvidia_fit(const struct gv_target *t, const struct gv_code *c, gv_str *ret_driver)
{
	struct sm code;

	if (c->kind == GV_CODE_LTOIR)
		return GV_FIT_UNKNOWN; /* nvJitLink links it, where the program asks for that */
	if (!read_sm(c->arch, &code))
		return c->kind == GV_CODE_ELF || c->kind == GV_CODE_PTX ? GV_FIT_UNKNOWN : GV_FIT_NONE;
	if (c->kind == GV_CODE_PTX)
		return ptx_fit(t, code, c->isa, ret_driver);
	if (c->kind != GV_CODE_ELF)
		return GV_FIT_NONE;
	return t->sm ? cubin_fit(t->sm, code) : GV_FIT_NATIVE;
}

/* ---- AMD ---- */

/* '+', '-', or 0 where the target says nothing of it. */
static char feature(gv_str arch, const char *name)
{
	gv_str rest = gv_after(arch, ":"), word;
	size_t n = strlen(name);

	while (gv_next(&rest, ':', &word))
		if (word.n == n + 1 && memcmp(word.p, name, n) == 0)
			return word.p[n];
	return 0;
}

static bool generic_of(gv_str gfx, gv_str generic)
{
	const struct gv_table *t = gv_table("gfx-generic");
	size_t row = t ? gv_table_find(t, "gfx", gfx, 0) : SIZE_MAX;

	return row != SIZE_MAX && gv_eq(gv_cell(t, row, "generic"), generic);
}

/* A device comes with ECC of its SRAM, and without XNACK, unless somebody switched that. */
static enum gv_fit feature_fit(gv_str device, gv_str code, const char *name, char usual)
{
	char is = feature(device, name), wants = feature(code, name);

	if (!wants || wants == is)
		return GV_FIT_NATIVE;
	if (is)
		return GV_FIT_NO;
	return wants == usual ? GV_FIT_NATIVE : GV_FIT_UNKNOWN;
}

static enum gv_fit amd_fit(const struct gv_target *t, const struct gv_code *c)
{
	gv_str device = gv_before(t->gfx, ":"), code = gv_before(c->arch, ":");
	enum gv_fit xnack, sramecc;

	if (c->kind != GV_CODE_ELF)
		return GV_FIT_NONE; /* bitcode is to be compiled into something else */
	if (!code.n)
		return GV_FIT_UNKNOWN;
	if (!device.n)
		return GV_FIT_NATIVE;
	if (!gv_eq(device, code) && !generic_of(device, code))
		return GV_FIT_NO;
	xnack = feature_fit(t->gfx, c->arch, "xnack", '-');
	sramecc = feature_fit(t->gfx, c->arch, "sramecc", '+');
	return xnack > sramecc ? xnack : sramecc;
}

/* ---- Intel ---- */

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

/* ---- All ---- */

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
