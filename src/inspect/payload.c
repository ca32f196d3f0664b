/* SPDX-License-Identifier: Apache-2.0 */
/* What is large and holds no code: told quickly, so that a folder of models costs nothing. */
#include "inspect/scan.h"

static bool is_media(gv_str h)
{
	static const struct {
		uint32_t at;
		gv_str bytes;
	} magic[] = {
		{ 0, GV_STR("\x89PNG\r\n\x1a\n") },
		{ 0, GV_STR("\xff\xd8\xff") },
		{ 0, GV_STR("GIF8") },
		{ 4, GV_STR("ftyp") },
		{ 8, GV_STR("WEBP") },
		{ 8, GV_STR("WAVE") },
		{ 8, GV_STR("AVI ") },
		{ 0, GV_STR("OggS") },
		{ 0, GV_STR("fLaC") },
		{ 0, GV_STR("ID3") },
		{ 0, GV_STR("\x1a\x45\xdf\xa3") },
	};

	for (size_t i = 0; i < sizeof(magic) / sizeof(*magic); i++)
		if (gv_eq(gv_sub(h, magic[i].at, magic[i].bytes.n), magic[i].bytes))
			return true;
	return false;
}

static bool all_digits(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

bool gv_is_payload(const struct gv_item *it)
{
	static const char *const pickled[] = { ".pt", ".pth", ".ckpt", ".bin", ".pkl" };
	gv_str h = it->head, dir = gv_sub(it->path, 0, it->path.n - it->name.n);

	if (gv_starts(h, "GGUF") || gv_starts(h, "\x93NUMPY") || gv_starts(h, "\x89HDF\r\n") || is_media(h))
		return true;
	if (gv_ends(it->name, ".safetensors")) /* the length of a JSON text, and the text */
		return h.n > 9 && h.p[8] == '{' && gv_u64(h, 0) < (uint64_t)1 << 32;
	if (gv_ends(it->name, ".onnx") || gv_ends(it->name, ".onnx_data"))
		return h.n > 1 && h.p[0] == 8; /* ir_version, of a protobuf */
	if (gv_starts(h, "\x80\x02") || gv_starts(h, "\x80\x04"))
		for (size_t i = 0; i < sizeof(pickled) / sizeof(*pickled); i++)
			if (gv_ends(it->name, pickled[i]))
				return true;
	/* tensors of PyTorch's archives: "model/data/17" */
	return all_digits(it->name) && gv_ends(dir, "/data/") && gv_find_c(dir, '!') >= 0;
}
