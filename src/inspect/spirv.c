/* SPDX-License-Identifier: Apache-2.0 */
/* SPIR-V modules (Vulkan, OpenCL, SYCL): no vendor's. Five words, then instructions that say how long they are; the
 * first is a capability, the last ends a function. How long a module is stands nowhere: it ends where instructions do.
 */
#include "inspect/device.h"

#define HEADER 20
#define MODULE ((size_t)256 << 10) /* of a larger one so much is counted */
enum { OP_LINE = 8, OP_EXT_INST = 12, OP_CAPABILITY = 17, OP_FUNCTION = 54, OP_FUNCTION_END = 56, OP_NO_LINE = 317 };

/* Where the module that begins at the first byte ends. */
static size_t end_of(gv_str b)
{
	size_t at = HEADER, end = HEADER;
	bool ended = false;

	while (at + 4 <= b.n) {
		unsigned op = gv_u16(b, at), n = gv_u16(b, at + 2);

		if (!n || (ended && op != OP_FUNCTION && op != OP_LINE && op != OP_NO_LINE && op != OP_EXT_INST))
			break;
		at += (size_t)n * 4;
		ended = op == OP_FUNCTION_END || (ended && op != OP_FUNCTION);
		if (op == OP_FUNCTION_END)
			end = at;
	}
	return end > HEADER ? end : at;
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	unsigned char major = b.n > 6 ? (unsigned char)b.p[6] : 0, minor = b.n > 5 ? (unsigned char)b.p[5] : 0;
	struct gv_code code = { .kind = GV_CODE_SPIRV };

	if (b.n < HEADER + 8 || b.p[4] || b.p[7] || major != 1 || minor > 9 || !gv_u32(b, 12) ||
	    gv_u32(b, 12) > 0x400000 || gv_u32(b, 16) || gv_u32(b, HEADER) != (2u << 16 | OP_CAPABILITY))
		return;
	code.bytes = end_of(b);
	if (code.bytes > b.n)
		code.bytes = b.n;
	gv_scan_whole(s, p->at, p->at + code.bytes, GV_WHOLE);
	gv_scan_code(s, p->at, p->at, &code);
}

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_want(s, &(struct gv_piece){ .at = at, .n = MODULE, .got = got });
}

const struct gv_pattern gv_pattern_spirv = { .bytes = { "\x03\x02\x23\x07", 4 }, .found = found };
