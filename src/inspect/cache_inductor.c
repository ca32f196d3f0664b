/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch's compilers keep: graphs of Inductor (.../fxgraph/…, pickled, which do not say for what), packages of
 * AOTInductor (a .pt2 is a zip; a member …_metadata.json says for what), and vLLM's folder of compiled graphs. */
#include "inspect/cache_json.h"
#include "inspect/cache_name.h"

enum what { NONE, AOT, VLLM, GRAPH };

static enum what what_of(const struct gv_item *it)
{
	if (gv_ends(it->name, "metadata.json") && gv_has(it->head, "\"AOTI_"))
		return AOT;
	if (gv_is(it->name, "cache_key_factors.json") && gv_has(it->head, "_hash\""))
		return VLLM;
	/* .../fxgraph/ab/KEY/HASH */
	return gv_path_has(it->path, "fxgraph") && gv_starts(it->head, "\x80") ? GRAPH : NONE;
}

static bool claim(const struct gv_item *it)
{
	return what_of(it) != NONE;
}

struct aot {
	gv_str capability, machine, isa, device;
};

static void got(void *ctx, const struct gv_cache_value *v)
{
	struct aot *m = ctx;

	if (gv_is(v->key, "AOTI_COMPUTE_CAPABILITY"))
		m->capability = v->text;
	else if (gv_is(v->key, "AOTI_MACHINE"))
		m->machine = v->text;
	else if (gv_is(v->key, "AOTI_CPU_ISA"))
		m->isa = v->text;
	else if (gv_is(v->key, "AOTI_DEVICE_KEY"))
		m->device = v->text;
}

static void read_aot(struct gv_inspect *x, gv_str text)
{
	struct gv_artefact *a = gv_add_artefact(x, "aotinductor");
	struct aot m = { 0 };
	double sm;

	gv_cache_json(x->arena, text, got, &m);
	if (gv_starts(m.capability, "sm_") || gv_starts(m.capability, "gfx"))
		gv_add_prop(x, a, "arch", gv_cut(m.capability, 64));
	else if (gv_to_num(m.capability, &sm) && sm >= 10 && sm < 1000 && !gv_is(m.device, "cpu"))
		gv_add_prop(x, a, "arch", gv_fmt(x->arena, "sm_%.0f", sm));
	if (m.machine.n)
		gv_add_prop(x, a, "machine", gv_cut(m.machine, 64));
	if (m.isa.n)
		gv_add_prop(x, a, "cpu-isa", gv_cut(m.isa, 64));
}

static void read_inductor(struct gv_inspect *x, gv_str head)
{
	switch (what_of(x->item)) {
	case AOT:
		read_aot(x, head);
		break;
	case VLLM:
		gv_add_artefact(x, "vllm");
		break;
	case GRAPH:
		gv_artefact_by_name(x, "inductor");
		break;
	case NONE:
		break;
	}
}

const struct gv_document gv_document_cache_inductor = {
	.type = "compiled graph", .claim = claim, .read = read_inductor, .head = true
};
