/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor/common_nvml.h"

const char *const gv_nvml_names[GV_NVML_NCALLS] = {
#define X(name, args) #name,
	GV_NVML_CALLS(X)
#undef X
};

/* NVML's words for its codes. The library is not asked for them: that were one more call into it. */
static const char *words_of(int code)
{
	static const struct {
		int code;
		const char *words;
	} table[] = {
		{ 1, "Uninitialized" },
		{ 2, "Invalid Argument" },
		{ GV_NVML_NOT_SUPPORTED, "Not Supported" },
		{ GV_NVML_NO_PERMISSION, "Insufficient Permissions" },
		{ GV_NVML_NOT_FOUND, "Not Found" },
		{ GV_NVML_INSUFFICIENT_SIZE, "Insufficient Size" },
		{ 8, "Insufficient External Power" },
		{ GV_NVML_DRIVER_NOT_LOADED, "Driver Not Loaded" },
		{ 10, "Timeout" },
		{ 11, "Interrupt Request Issue" },
		{ 12, "NVML Shared Library Not Found" },
		{ GV_NVML_FUNCTION_NOT_FOUND, "Function Not Found" },
		{ 14, "Corrupted infoROM" },
		{ GV_NVML_GPU_IS_LOST, "GPU is lost" },
		{ GV_NVML_RESET_REQUIRED, "GPU requires reset" },
		{ 17, "Blocked by the operating system" },
		{ GV_NVML_VERSION_MISMATCH, "Driver/library version mismatch" },
		{ 19, "In Use" },
		{ 20, "Insufficient Memory" },
		{ 21, "No Data" },
		{ 23, "Insufficient Resources" },
		{ GV_NVML_ARGUMENT_VERSION, "Argument Version Mismatch" },
		{ GV_NVML_DEPRECATED, "Deprecated" },
		{ 27, "Not Ready" },
		{ 28, "GPU Not Found" },
		{ 29, "Invalid State" },
		{ GV_NVML_UNKNOWN, "Unknown Error" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].code == code)
			return table[i].words;
	return "no known code";
}

bool gv_nvml_there(struct gv_nvml_look *k, enum gv_nvml_call c)
{
	if (!k->lib.p[c] && !k->told[c])
		gv_tell(k->t, "%s: not in this library", gv_nvml_names[c]);
	k->told[c] = true;
	return k->lib.p[c];
}

bool gv_nvml_ask(struct gv_nvml_look *k, enum gv_nvml_call c, uint32_t i, const char *more)
{
	return k->dev[i].handle && !k->dev[i].lost && gv_nvml_there(k, c) &&
	       gv_ask(k->t, (int)i, "%s(%u%s)", gv_nvml_names[c], i, more);
}

void gv_nvml_failed(struct gv_nvml_look *k, uint32_t i, int code)
{
	gv_answer(k->t, " = %d (%s)", code, words_of(code));
	if (i < GV_NVML_DEVICES_MAX && code == GV_NVML_GPU_IS_LOST)
		k->dev[i].lost = true;
}

const char *gv_nvml_clean(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"')
			*p = '?';
	return text;
}

int gv_nvml_number(struct gv_nvml_look *k, uint32_t i, const struct gv_nvml_number *n)
{
	struct gv_nvml_device *h = k->dev[i].handle;
	uint32_t v = 0;
	int code;

	if (!gv_nvml_ask(k, n->call, i, n->more))
		return -1;
	if (*n->more)
		code = ((int (*)(struct gv_nvml_device *, int32_t, uint32_t *))k->lib.p[n->call])(h, n->which, &v);
	else
		code = ((int (*)(struct gv_nvml_device *, uint32_t *))k->lib.p[n->call])(h, &v);
	GV_NVML_ANSWER(k, i, code, " %s=%u", n->key, v);
	return code;
}

void gv_nvml_numbers(struct gv_nvml_look *k, uint32_t i, const struct gv_nvml_number *n, size_t count)
{
	for (size_t x = 0; x < count; x++)
		gv_nvml_number(k, i, &n[x]);
}

void gv_nvml_pair(struct gv_nvml_look *k, uint32_t i, enum gv_nvml_call c, const char *first, const char *second)
{
	uint32_t a = 0, b = 0;

	if (!gv_nvml_ask(k, c, i, ""))
		return;
	GV_NVML_ANSWER(
	    k, i, ((int (*)(struct gv_nvml_device *, uint32_t *, uint32_t *))k->lib.p[c])(k->dev[i].handle, &a, &b),
	    " %s=%u %s=%u", first, a, second, b);
}

void gv_nvml_text(struct gv_nvml_look *k, uint32_t i, enum gv_nvml_call c)
{
	char buf[GV_NVML_TEXT_MAX] = "";

	if (!gv_nvml_ask(k, c, i, ""))
		return;
	GV_NVML_ANSWER(k, i,
		       ((int (*)(struct gv_nvml_device *, char *, uint32_t))k->lib.p[c])(k->dev[i].handle, buf,
											 GV_NVML_TEXT_MAX - 1),
		       " \"%s\"", gv_nvml_clean(buf, GV_NVML_TEXT_MAX));
}

static void answer_value(struct gv_nvml_look *k, const struct gv_nvml_field *f)
{
	switch (f->type) {
	case GV_NVML_VALUE_DOUBLE:
		gv_answer(k->t, " = 0 value=%.17g", f->value.d);
		break;
	case GV_NVML_VALUE_UINT:
		gv_answer(k->t, " = 0 value=%u", f->value.u32);
		break;
	case GV_NVML_VALUE_SINT:
		gv_answer(k->t, " = 0 value=%d", f->value.s32);
		break;
	case GV_NVML_VALUE_USHORT:
		gv_answer(k->t, " = 0 value=%u", f->value.u16);
		break;
	case GV_NVML_VALUE_SLONGLONG:
		gv_answer(k->t, " = 0 value=%lld", (long long)f->value.s64);
		break;
	default:
		gv_answer(k->t, " = 0 value=%llu", (unsigned long long)f->value.u64);
		break;
	}
}

void gv_nvml_field(struct gv_nvml_look *k, uint32_t i, uint32_t id, uint32_t scope, const char *more)
{
	struct gv_nvml_field f = { .id = id, .scope = scope };
	int code;

	if (!gv_nvml_ask(k, GV_C_nvmlDeviceGetFieldValues, i, more))
		return;
	code = k->lib.f.nvmlDeviceGetFieldValues(k->dev[i].handle, 1, &f);
	if (code || f.code)
		gv_nvml_failed(k, i, code ? code : f.code);
	else
		answer_value(k, &f);
}
