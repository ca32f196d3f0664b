/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arch.h"

#include "core/cuda.h"
#include "core/table.h"

/* ---- NVIDIA ---- */

bool gv_sm_parse(gv_str arch, unsigned *ret_sm, char *ret_suffix)
{
	gv_str digits = gv_starts(arch, "sm_")	      ? gv_from(arch, 3)
			: gv_starts(arch, "compute_") ? gv_from(arch, 8)
						      : GV_NONE;
	char suffix = 0;
	unsigned n = 0;

	if (gv_ends(digits, "a") || gv_ends(digits, "f")) {
		suffix = digits.p[digits.n - 1];
		digits = gv_sub(digits, 0, digits.n - 1);
	}
	if (digits.n < 2 || digits.n > 3)
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return false;
		n = n * 10 + (unsigned)(digits.p[i] - '0');
	}
	if (n < 10)
		return false;
	*ret_sm = n;
	*ret_suffix = suffix;
	return true;
}

unsigned gv_sm_of_cc(gv_str cc)
{
	unsigned v = gv_cuda_parse(cc); /* 900 for 9.0 */

	return v % 100 < 10 ? v / 100 * 10 + v % 100 : 0;
}

bool gv_sm_is_tegra(unsigned sm)
{
	return sm == 53 || sm == 62 || sm == 72 || sm == 87;
}

enum gv_runs gv_sm_runs(unsigned sm, gv_str arch)
{
	unsigned of;
	char suffix;
	bool older, alike;

	if (!gv_sm_parse(arch, &of, &suffix))
		return gv_starts(arch, "gfx") ? GV_RUNS_NOT : GV_RUNS_UNKNOWN;
	if (of == sm)
		return GV_RUNS;
	older = of < sm && suffix != 'a';
	alike = of / 10 == sm / 10;
	if (gv_starts(arch, "compute_"))
		return older && (alike || suffix != 'f') ? GV_RUNS : GV_RUNS_NOT;
	if (!older || !alike || gv_sm_is_tegra(of))
		return GV_RUNS_NOT;
	/* between desktops and Tegras nothing is promised, though much of it runs */
	return gv_sm_is_tegra(sm) ? GV_RUNS_UNKNOWN : GV_RUNS;
}

/* ---- AMD ---- */

/* '+', '-', or 0 where the target says nothing of it. */
static char feature(gv_str arch, const char *name)
{
	gv_str rest = gv_after(arch, ":"), word;

	while (gv_next(&rest, ':', &word))
		if (gv_starts(word, name) && word.n == strlen(name) + 1)
			return word.p[word.n - 1];
	return 0;
}

/* A device comes with ECC of its SRAM, and without XNACK, unless somebody switched that. */
static enum gv_runs feature_runs(gv_str device, gv_str arch, const char *name, char usual)
{
	char is = feature(device, name), wants = feature(arch, name);

	if (!wants || wants == is)
		return GV_RUNS;
	if (is)
		return GV_RUNS_NOT;
	return wants == usual ? GV_RUNS : GV_RUNS_UNKNOWN;
}

static bool generic_of(gv_str gfx, gv_str generic)
{
	const struct gv_table *t = gv_table("gfx-generic");
	size_t row = gv_table_find(t, "gfx", gfx, 0);

	return row != SIZE_MAX && gv_eq(gv_cell(t, row, "generic"), generic);
}

enum gv_runs gv_gfx_runs(gv_str device, gv_str arch)
{
	gv_str gfx = gv_before(device, ":"), of = gv_before(arch, ":");
	enum gv_runs xnack, sramecc;

	if (!of.n)
		return GV_RUNS_UNKNOWN;
	if (!gv_eq(gfx, of) && !generic_of(gfx, of))
		return GV_RUNS_NOT;
	xnack = feature_runs(device, arch, "xnack", '-');
	sramecc = feature_runs(device, arch, "sramecc", '+');
	return xnack < sramecc ? xnack : sramecc;
}

enum gv_runs gv_arch_runs(gv_str device, gv_str arch)
{
	unsigned sm;
	char suffix;

	if (gv_starts(device, "gfx"))
		return gv_gfx_runs(device, arch);
	return gv_sm_parse(device, &sm, &suffix) ? gv_sm_runs(sm, arch) : GV_RUNS_UNKNOWN;
}
