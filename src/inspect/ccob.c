/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed bundles of HIP: a header of three versions, then one zstd frame or zlib stream that unpacks to a bundle.
 * Only the beginning is unpacked: what the header of the bundle says is what is asked for. The end is where the header
 * says, never where the magic stands again: packed bytes may hold it. Version 1 does not say where it ends; it is known
 * from clang's source alone. See docs/gpu-code.md. */
#include <errno.h>
#include <stdlib.h>

#include "inspect/bundle.h"
#include "inspect/device.h"

#define HEADER_MAX 32
#define UNPACKED GV_BUNDLE_HEADER /* shows also what the first code is */
#define PACKED ((size_t)128 << 10)
#define ALIGNED 4096 /* as bundles of HIP are: where no end is said, the next begins no earlier */
enum { METHOD_ZLIB, METHOD_ZSTD };

struct ccob {
	unsigned version, method;
	size_t header;
	uint64_t total, unpacked; /* total 0: not said */
};

static bool read_header(gv_str b, struct ccob *ret)
{
	ret->version = gv_u16(b, 4);
	ret->method = gv_u16(b, 6);
	ret->total = 0;
	switch (ret->version) {
	case 1:
		ret->header = 20;
		ret->unpacked = gv_u32(b, 8);
		break;
	case 2:
		ret->header = 24;
		ret->total = gv_u32(b, 8);
		ret->unpacked = gv_u32(b, 12);
		break;
	case 3:
		ret->header = 32;
		ret->total = gv_u64(b, 8);
		ret->unpacked = gv_u64(b, 16);
		break;
	default:
		return false;
	}
	if (ret->version > 1 && ret->total <= ret->header)
		return false;
	return b.n > ret->header && ret->method <= METHOD_ZSTD && ret->unpacked >= sizeof(GV_BUNDLE_MAGIC) + 8;
}

/* The share of the packed bytes that an entry has: they are packed as one. */
static uint64_t share(const struct ccob *c, uint64_t size)
{
	if (!c->total || !c->unpacked || size > c->unpacked)
		return 0;
	return (uint64_t)((double)(c->total - c->header) * (double)size / (double)c->unpacked);
}

/* Where one cannot be read, the next begins no earlier than bundles are laid out: a file full of such costs little. */
static void fail(struct gv_scan *s, uint64_t at, const char *why)
{
	gv_scan_whole(s, at, at + ALIGNED, GV_WHOLE);
	gv_file_note(gv_scan_inspect(s), "a compressed bundle of GPU code %s: what is in it is not known", why);
}

static void tell(struct gv_scan *s, const struct ccob *c, uint64_t at, gv_str bundle)
{
	struct gv_bundle_entry entries[GV_BUNDLE_ENTRIES];
	enum gv_code_kind kind = GV_CODE_ELF;
	uint64_t end;
	size_t n = gv_bundle_read(bundle, entries, &end);

	if (!n)
		fail(s, at, "does not unpack to a bundle");
	for (size_t i = 0; i < n; i++) {
		struct gv_code code = { .packed = c->method == METHOD_ZSTD ? GV_PACKED_ZSTD : GV_PACKED_ZLIB,
					.unconfirmed = c->version == 1 };

		if (entries[i].at < bundle.n) /* else as those that are seen: a bundle holds code of one kind */
			gv_device_kind(gv_from(bundle, (size_t)entries[i].at), &kind);
		code.kind = kind;
		code.bytes = share(c, entries[i].size);
		if (gv_bundle_code(gv_scan_own_arena(s), &entries[i], &code))
			gv_scan_code(s, at, at, &code);
	}
}

static void tell_unknown(struct gv_scan *s, const struct ccob *c, uint64_t at, ssize_t err)
{
	const char *how = c->method == METHOD_ZSTD ? "zstd" : "zlib";
	struct gv_code code = { .vendor = GV_AMD, .kind = GV_CODE_ELF, .arch = GV_STR("gfx?") };

	code.packed = c->method == METHOD_ZSTD ? GV_PACKED_ZSTD : GV_PACKED_ZLIB;
	code.bytes = c->total ? c->total - c->header : 0;
	code.unconfirmed = true;
	gv_scan_code(s, at, at, &code);
	if (err != -ENOENT)
		fail(s, at, "is damaged");
	else
		gv_file_note(
		    gv_scan_inspect(s),
		    "GPU code compressed with %s: for which GPUs is not known, since no library for it is here", how);
}

static void got(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	uint64_t size = gv_scan_size(s);
	struct ccob c;
	ssize_t n;
	char *out;
	gv_str packed;

	if (!read_header(b, &c) || p->at > size || c.total > size - p->at)
		return;
	packed = c.total ? gv_sub(b, c.header, c.total - c.header < b.n ? (size_t)(c.total - c.header) : b.n)
			 : gv_from(b, c.header);
	if (c.method == METHOD_ZSTD ? !gv_starts(packed, "\x28\xb5\x2f\xfd") : !packed.n || (packed.p[0] & 15) != 8)
		return;
	out = malloc(UNPACKED);
	if (!out)
		gv_oom();
	n = x->unpack ? x->unpack(packed, out, UNPACKED) : -ENOENT;
	gv_scan_whole(s, p->at, p->at + (c.total ? c.total : ALIGNED), GV_WHOLE_HIP_BUNDLE);
	if (n > 0)
		tell(s, &c, p->at, (gv_str){ out, (size_t)n });
	else
		tell_unknown(s, &c, p->at, n);
	free(out);
}

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_want(s, &(struct gv_piece){ .at = at, .n = PACKED, .got = got });
}

const struct gv_pattern gv_pattern_ccob = { .bytes = { "CCOB", 4 }, .found = found };
