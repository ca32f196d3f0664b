/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata that Triton keeps beside each kernel: ~/.triton/cache/KEY/NAME.json, and the same below caches of
 * PyTorch.
 *
 *     {"hash": "…", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4, …, "triton_version":
 * "3.1.0", …}
 *
 * "target" was a list, ["cuda", 80], in Triton 2.2. */
#include "inspect/cache_json.h"
#include "inspect/cache_name.h"

static bool claim(const struct gv_item *it)
{
	return gv_ends(it->name, ".json") && gv_starts(it->head, "{") && gv_has(it->head, "\"num_warps\"") &&
	       (gv_has(it->head, "\"target\"") || gv_has(it->head, "\"triton_version\""));
}

struct kernel {
	gv_str backend, arch, version;
};

static void got(void *ctx, const struct gv_cache_value *v)
{
	struct kernel *k = ctx;

	if (gv_is(v->key, "triton_version") && !v->parent.n)
		k->version = v->text;
	else if (gv_is(v->parent, "target") && gv_is(v->key, "backend"))
		k->backend = v->text;
	else if (gv_is(v->parent, "target") && gv_is(v->key, "arch"))
		k->arch = v->text;
	else if (gv_is(v->parent, "target") && !v->key.n)
		*(k->backend.n ? &k->arch : &k->backend) = v->text;
}

static void read_triton(struct gv_inspect *x, gv_str text)
{
	struct gv_artefact *a;
	struct kernel k = { 0 };
	double sm;

	gv_cache_json(x->arena, text, got, &k);
	if (!k.version.n && !k.backend.n)
		return;
	a = gv_add_artefact(x, "triton");
	if (gv_is(k.backend, "cuda") && gv_to_num(k.arch, &sm) && sm >= 10 && sm < 1000)
		gv_add_prop(x, a, "arch", gv_fmt(x->arena, "sm_%.0f", sm));
	else if (gv_starts(k.arch, "gfx"))
		gv_add_prop(x, a, "arch", gv_cut(k.arch, 64));
	else if (k.backend.n)
		gv_add_prop(x, a, "backend", gv_cut(k.backend, 64));
	if (k.version.n)
		gv_add_prop(x, a, "triton", gv_cut(k.version, 64));
}

const struct gv_document gv_document_cache_triton = { .type = "kernel metadata", .claim = claim, .read = read_triton };
