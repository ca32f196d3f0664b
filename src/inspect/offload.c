/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's container of device images, as -fopenmp-targets, the new driver of HIP and CUDA and SYCL put it into objects:
 * each image has a kind and strings, "triple" and "arch" among them. Version 1 holds one image, version 2 several,
 * version 3 may be packed as a whole behind its header. Versions 2 and 3 are known from LLVM's source alone. See
 * docs/gpu-code.md. */
#include <stdlib.h>
#include <string.h>

#include "inspect/device.h"

#define HEADER 32
#define ENTRY 40
#define FRONT ((size_t)64 << 10) /* headers and strings stand in front of the images */
#define IMAGES_MAX 512
#define STRINGS_MAX 64

enum { IMAGE_OBJECT = 1, IMAGE_BITCODE, IMAGE_CUBIN, IMAGE_FATBIN, IMAGE_PTX, IMAGE_SPIRV };

struct container {
	uint64_t at, size;	   /* in the file, with its header */
	uint64_t unpacked, images; /* size as unpacked; 0: it is not packed */
	uint64_t entries;
	unsigned version;
	unsigned packed;
};

static gv_str string_of(gv_str b, const struct container *c, gv_str entry, const char *key)
{
	uint64_t at = gv_u64(entry, 8), n = gv_u64(entry, 16);
	size_t each = c->version == 1 ? 16 : 24;

	if (n > STRINGS_MAX || at > b.n)
		return GV_NONE;
	for (size_t i = 0; i < n; i++)
		if (gv_is(gv_z(b, gv_u64(b, (size_t)at + i * each)), key))
			return gv_z(b, gv_u64(b, (size_t)at + i * each + 8));
	return GV_NONE;
}

static bool kind_of(unsigned image, enum gv_code_kind *ret)
{
	switch (image) {
	case IMAGE_OBJECT:
	case IMAGE_CUBIN:
		*ret = GV_CODE_ELF;
		return true;
	case IMAGE_BITCODE:
		*ret = GV_CODE_BITCODE;
		return true;
	case IMAGE_PTX:
		*ret = GV_CODE_PTX;
		return true;
	case IMAGE_SPIRV:
		*ret = GV_CODE_SPIRV;
		return true;
	}
	return false; /* a fatbin says itself what is in it */
}

/* A part of the bytes as stored, where the container is packed as one. */
static uint64_t stored(const struct container *c, uint64_t n)
{
	if (!c->unpacked)
		return n;
	return n > c->unpacked ? 0 : (uint64_t)((double)c->size * (double)n / (double)c->unpacked);
}

static void read_entries(struct gv_scan *s, const struct container *c, gv_str b)
{
	uint64_t size = c->unpacked ? c->unpacked : c->size;
	bool fatbin = false;

	for (size_t i = 0; i < c->images; i++) {
		gv_str entry = gv_sub(b, (size_t)c->entries + i * ENTRY, ENTRY);

		fatbin |= gv_u16(entry, 0) == IMAGE_FATBIN;
		if (entry.n < ENTRY || gv_u64(entry, 32) > size || gv_u64(entry, 24) > size - gv_u64(entry, 32))
			return;
	}
	if (!fatbin || c->unpacked)
		gv_scan_whole(s, c->at, c->at + c->size, GV_WHOLE);
	for (size_t i = 0; i < c->images; i++) {
		gv_str entry = gv_sub(b, (size_t)c->entries + i * ENTRY, ENTRY);
		struct gv_code code = { .bytes = stored(c, gv_u64(entry, 32)),
					.packed = c->packed,
					.unconfirmed = c->version > 1 };

		/* What lies beside a fatbin is found by itself, too. */
		if (fatbin && !c->unpacked)
			continue;
		if (gv_u64(entry, 24) < b.n)
			code.toolkit = gv_cubin_toolkit(gv_scan_own_arena(s),
							gv_sub(gv_from(b, (size_t)gv_u64(entry, 24)), 0, 4096));
		if (kind_of(gv_u16(entry, 0), &code.kind) && gv_u64(entry, 32) &&
		    gv_device_target(gv_scan_own_arena(s), string_of(b, c, entry, "triple"),
				     string_of(b, c, entry, "arch"), &code))
			gv_scan_code(s, c->at, c->at, &code);
	}
}

static void read_packed(struct gv_scan *s, struct container *c, gv_str b)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	gv_str body = gv_sub(gv_from(b, (size_t)c->entries), 0,
			     (size_t)(c->size - c->entries < b.n ? c->size - c->entries : b.n));
	char *whole = malloc(FRONT);
	ssize_t n;

	if (!whole)
		gv_oom();
	memcpy(whole, b.p, (size_t)c->entries); /* offsets count from the header, which is not packed */
	n = x->unpack ? x->unpack(body, whole + c->entries, FRONT - (size_t)c->entries) : -1;
	c->packed = gv_starts(body, "\x28\xb5\x2f\xfd") ? GV_PACKED_ZSTD : GV_PACKED_ZLIB;
	if (n > 0)
		read_entries(s, c, (gv_str){ whole, (size_t)c->entries + (size_t)n });
	else
		gv_file_note(x,
			     "a compressed LLVM offload container cannot be unpacked here: what is in it is not known");
	free(whole);
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	uint64_t size = gv_scan_size(s);
	struct container c = { .at = p->at, .version = gv_u32(b, 4), .size = gv_u64(b, 8), .entries = gv_u64(b, 16) };

	c.images = c.version == 1 ? 1 : gv_u64(b, 24);
	c.unpacked = c.version >= 3 ? gv_u64(b, 32) : 0;
	if (c.version < 1 || c.version > 3 || c.size < HEADER + ENTRY - 24 || p->at > size || c.size > size - p->at ||
	    c.entries < HEADER || c.entries > 4096 || c.entries > b.n || !c.images || c.images > IMAGES_MAX)
		return;
	if (c.unpacked) {
		if (c.unpacked > c.entries && c.size > c.entries)
			read_packed(s, &c, b);
		return;
	}
	read_entries(s, &c, b);
}

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_want(s, &(struct gv_piece){ .at = at, .n = FRONT, .got = got });
}

const struct gv_pattern gv_pattern_offload = { .bytes = { "\x10\xff\x10\xad", 4 }, .found = found };
