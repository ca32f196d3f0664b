/* SPDX-License-Identifier: Apache-2.0 */
/* TensorRT: engines (also called plans), by what they begin with, and the files that ONNX Runtime keeps of it, by their
 * names:
 *
 *     TensorrtExecutionProvider_TRTKernel_graph_NAME_HASH_0_0_fp16_sm89.engine
 *     TensorrtExecutionProvider_TRTKernel_graph_NAME_HASH_0_0_sm89.profile
 *     TensorrtExecutionProvider_cache_sm89.timing
 *
 * An engine begins with "ptrt" or "ftrt". NVIDIA's own trtexec reads the version of TensorRT from the bytes at 24 where
 * the word at 4 is zero; engines of 8.2 to 8.5 have a number of their format at 8 instead. Some exporters put metadata
 * in front: its length, and JSON. The architecture is that of the machine code inside. */
#include "inspect/cache_name.h"
#include "inspect/scan.h"

static bool is_engine(gv_str s)
{
	return s.n >= 28 && (gv_starts(s, "ptrt") || gv_starts(s, "ftrt"));
}

/* Where the engine begins: empty where there is none. */
static gv_str engine_of(gv_str head)
{
	uint32_t n;

	if (is_engine(head))
		return head;
	n = gv_u32(head, 0);
	if (head.n < 8 || head.p[4] != '{' || n > head.n - 4)
		return GV_NONE;
	head = gv_from(head, 4 + (size_t)n);
	return is_engine(head) ? head : GV_NONE;
}

static bool of_onnxruntime(gv_str name)
{
	return gv_starts(name, "TensorrtExecutionProvider_") || gv_starts(name, "NvTensorRTRTXExecutionProvider_");
}

static bool claim(const struct gv_item *it)
{
	if (engine_of(it->head).n)
		return true;
	if (gv_ends(it->name, ".timing"))
		return gv_has(it->name, "sm") || gv_has_nocase(it->name, "tensorrt") || gv_has_nocase(it->name, "trt");
	return of_onnxruntime(it->name) && (gv_ends(it->name, ".engine") || gv_ends(it->name, ".profile"));
}

static void put_version(struct gv_inspect *x, struct gv_artefact *a, gv_str e)
{
	static const struct {
		uint32_t format;
		const char *version;
	} old[] = { { 205, "8.2" }, { 213, "8.4" }, { 232, "8.5" } };
	const unsigned char *b = (const unsigned char *)e.p;
	uint32_t format = gv_u32(e, 8);

	if (gv_u32(e, 4) != 0)
		return;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (old[i].format == format) {
			gv_add_prop(x, a, "tensorrt", gv_str_of(old[i].version));
			a->unconfirmed = true;
			return;
		}
	if (b[24] >= 8 && b[24] < 32 && b[25] < 64)
		gv_add_prop(x, a, "tensorrt", gv_fmt(x->arena, "%u.%u.%u.%u", b[24], b[25], b[26], b[27]));
}

static void read_tensorrt(struct gv_inspect *x, gv_str head)
{
	gv_str name = x->item->name, engine = engine_of(head), sm = gv_sm_of(x->arena, name);
	bool ort = of_onnxruntime(name);
	const char *kind = gv_ends(name, ".timing") ? "tensorrt-timing" : ort ? "onnxruntime" : "tensorrt";
	struct gv_artefact *a = engine.n ? gv_add_artefact(x, kind) : gv_artefact_by_name(x, kind);

	if (engine.n)
		put_version(x, a, engine);
	if (sm.n)
		gv_add_prop(x, a, "arch", sm);
}

const struct gv_document gv_document_cache_tensorrt = {
	.type = "engine", .claim = claim, .read = read_tensorrt, .head = true
};
