/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that are not compressed: a magic of 24 bytes, a count, and for each entry where it lies and an ID that says
 * for what it is. Layout: docs of clang's offload bundler, and files of clang 14 to 22 and of Debian's rocSPARSE, see
 * docs/gpu-code.md. */
#include "inspect/bundle.h"

#include "inspect/device.h"

#define MAGIC (sizeof(GV_BUNDLE_MAGIC) - 1)
#define ID_MAX 256
#define LOOK 16

static bool known_producer(gv_str id)
{
	static const char *const producers[] = { "host-", "hip-", "hipv4-", "openmp-", "sycl-", "cuda-", "opencl-" };

	for (size_t i = 0; i < sizeof(producers) / sizeof(*producers); i++)
		if (gv_starts(id, producers[i]))
			return true;
	return false;
}

size_t gv_bundle_read(gv_str b, struct gv_bundle_entry *ret, uint64_t *ret_end)
{
	uint64_t n = gv_u64(b, MAGIC), end = 0;
	size_t at = MAGIC + 8;

	if (!gv_starts(b, GV_BUNDLE_MAGIC) || n > GV_BUNDLE_ENTRIES)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t id = gv_u64(b, at + 16);

		ret[i].at = gv_u64(b, at);
		ret[i].size = gv_u64(b, at + 8);
		if (!id || id > ID_MAX || at + 24 + id > b.n || ret[i].size > UINT64_MAX / 4 ||
		    ret[i].at > UINT64_MAX / 4)
			return 0;
		ret[i].id = gv_sub(b, at + 24, (size_t)id);
		if (!known_producer(ret[i].id))
			return 0;
		at += 24 + (size_t)id;
		if (ret[i].at + ret[i].size > end)
			end = ret[i].at + ret[i].size;
	}
	if (end < at) /* all of them empty */
		end = at;
	*ret_end = end;
	return (size_t)n;
}

bool gv_bundle_code(struct gv_arena *a, const struct gv_bundle_entry *e, struct gv_code *code)
{
	gv_str triple = gv_after(e->id, "-"), target = GV_NONE;
	static const char *const begins[] = { "-gfx", "-sm_", "-amdgcnspirv" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins) && !target.n; i++) {
		ptrdiff_t at = gv_find(triple, begins[i]);

		if (at >= 0)
			target = gv_from(triple, (size_t)at + 1);
	}
	return e->size && gv_device_target(a, triple, target, code);
}

#define LLVM_14 ".llvm.offloading."

void gv_code_by_section(struct gv_arena *a, struct gv_code *code)
{
	struct gv_bundle_entry e = { .size = 1 };
	struct gv_code named = { .kind = code->kind };
	bool known = false;

	if (code->arch.n)
		return;
	if (gv_starts(code->section, GV_BUNDLE_MAGIC)) {
		e.id = gv_from(code->section, MAGIC);
		known = gv_bundle_code(a, &e, &named);
	} else if (gv_starts(code->section, LLVM_14) && gv_ends(code->section, ".o")) {
		gv_str name = gv_sub(code->section, sizeof(LLVM_14) - 1, code->section.n - sizeof(LLVM_14) - 1);

		known = gv_device_target(a, gv_before(name, "."), gv_after(name, "."), &named);
	}
	if (known && named.vendor == code->vendor)
		code->arch = named.arch;
}

/* ---- In a file ---- */

struct entry {
	struct gv_bundle_entry of;
	uint64_t bundle;
};

static void got_entry(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	const struct entry *e = p->own;
	struct gv_code code = { .bytes = e->of.size };

	if (gv_device_kind(b, &code.kind) && gv_bundle_code(gv_scan_own_arena(s), &e->of, &code))
		gv_scan_code(s, e->bundle, p->at, &code);
}

static void got_bundle(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct gv_bundle_entry entries[GV_BUNDLE_ENTRIES];
	uint64_t end, size = gv_scan_size(s);
	size_t n = gv_bundle_read(b, entries, &end);

	if (!n || p->at > size || end > size - p->at)
		return;
	gv_scan_whole(s, p->at, p->at + end, GV_WHOLE_HIP_BUNDLE);
	for (size_t i = 0; i < n; i++) {
		struct entry *e = GV_NEW(gv_scan_own_arena(s), struct entry);

		*e = (struct entry){ entries[i], p->at };
		e->of.id = gv_dup(gv_scan_own_arena(s), e->of.id);
		gv_scan_want(s, &(struct gv_piece){ .at = p->at + e->of.at, .n = LOOK, .got = got_entry, .own = e });
	}
}

static void found(struct gv_scan *s, uint64_t at)
{
	gv_scan_want(s, &(struct gv_piece){ .at = at, .n = GV_BUNDLE_HEADER, .got = got_bundle });
}

const struct gv_pattern gv_pattern_bundle = { .bytes = { GV_BUNDLE_MAGIC, MAGIC }, .found = found };
