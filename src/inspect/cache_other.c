/* SPDX-License-Identifier: Apache-2.0 */
/* Caches that are known by the folder they lie in or by their names alone. What they were made for is known where the
 * name says it, or where code is found in them. */
#include "inspect/cache_name.h"

/* "jit_train_step-HASH-cache" of JAX's persistent cache, a SHA-256 in it. */
static bool of_jax(gv_str name)
{
	gv_str s = name;

	if (!gv_ends(s, "-cache") || s.n < 6 + 64 + 2)
		return false;
	s = gv_sub(s, 0, s.n - 6);
	return s.p[s.n - 65] == '-' && gv_is_hex(gv_from(s, s.n - 64));
}

/* rocBLAS and hipBLASLt: TensileLibrary_Type_HH_…_gfx942.dat, Kernels.so-000-gfx90a-xnack-.hsaco, extop_gfx942.co */
static bool of_tensile(gv_str name)
{
	static const char *const begins[] = { "Tensile", "Kernels.so-", "extop_", "hipblaslt" };

	if (!gv_ends(name, ".dat") && !gv_ends(name, ".co") && !gv_ends(name, ".hsaco"))
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (gv_starts(name, begins[i]))
			return true;
	return false;
}

static const char *kind_of(const struct gv_item *it)
{
	if (of_jax(it->name))
		return "jax";
	if (of_tensile(it->name))
		return "tensile";
	if (gv_ends(it->name, ".cl_cache") || gv_ends(it->name, ".l0_cache") ||
	    gv_path_has(it->path, "neo_compiler_cache"))
		return "intel-neo";
	if (gv_path_has(it->path, ".nv/ComputeCache"))
		return "cuda";
	if (gv_path_has(it->path, "comgr") && gv_starts(it->name, "llvmcache-"))
		return "comgr";
	return gv_path_has(it->path, "pocl/kcache") ? "pocl" : NULL;
}

static bool claim(const struct gv_item *it)
{
	return kind_of(it);
}

static void read_other(struct gv_inspect *x, gv_str head)
{
	struct gv_artefact *a = gv_artefact_by_name(x, kind_of(x->item));
	ptrdiff_t at = gv_rfind(x->item->name, "gfx");
	gv_str gfx, rest;

	if (at < 0 || !gv_gfx_of(gv_from(x->item->name, (size_t)at), &gfx, &rest))
		return;
	if (gv_starts(rest, "-xnack-") || gv_starts(rest, "-xnack+"))
		gfx = gv_fmt(x->arena, "%.*s:%.*s", GV_ARG(gfx), 6, rest.p + 1);
	gv_add_prop(x, a, "arch", gfx);
}

const struct gv_document gv_document_cache_other = {
	.type = "cache", .claim = claim, .read = read_other, .head = true
};
