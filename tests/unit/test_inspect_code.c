/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of code for devices, composed byte by byte. */
#include "inspected.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sys/unpack.h"

#define ROOM 65536

struct bytes {
	char *p;
	size_t n;
};

static void put(struct bytes *b, uint64_t v, size_t n)
{
	assert_true(n <= 8 && b->n + n <= ROOM);
	for (size_t i = 0; i < n; i++)
		b->p[b->n++] = (char)(v >> 8 * i);
}

static void put_text(struct bytes *b, const char *z)
{
	assert_true(b->n + strlen(z) <= ROOM);
	memcpy(b->p + b->n, z, strlen(z));
	b->n += strlen(z);
}

static void pad(struct bytes *b, size_t to)
{
	while (b->n < to)
		put(b, 0, 1);
}

static struct bytes empty(struct gv_arena *a)
{
	return (struct bytes){ GV_NEWN(a, char, ROOM), 0 };
}

/* The same mapped and in pieces; and cut off anywhere, it is read without a step beyond the end. */
static gv_str text_of(struct gv_arena *a, struct bytes b)
{
	gv_str mapped = inspected_text(a, inspected(a, "x.bin", (gv_str){ b.p, b.n }, 0));

	assert_string_equal(inspected_text(a, inspected(a, "x.bin", (gv_str){ b.p, b.n }, GV_SCAN_KEEP + 1)).p,
			    mapped.p);
	for (size_t n = 0; n < b.n; n += n < 600 ? 1 : 997) {
		char *own = malloc(n + 1);

		memcpy(own, b.p, n);
		inspected(a, "x.bin", (gv_str){ own, n }, 0);
		free(own);
	}
	return mapped;
}

/* ---- ELF files of devices ---- */

static void put_elf(struct bytes *b, unsigned machine, unsigned osabi, unsigned abi, uint32_t version, uint32_t flags,
		    size_t size)
{
	size_t from = b->n;

	put_text(b, "\177ELF\2\1\1");
	put(b, osabi, 1);
	put(b, abi, 1);
	pad(b, from + 16);
	put(b, 3, 2);
	put(b, machine, 2);
	put(b, version, 4);
	put(b, 0, 8);
	put(b, 0, 8);
	put(b, size - 64, 8); /* one section header, the last thing in it */
	put(b, flags, 4);
	put(b, 64, 2);
	put(b, 56, 2);
	put(b, 0, 2);
	put(b, 64, 2);
	put(b, 1, 2);
	put(b, 0, 2);
	assert_int_equal(b->n, from + 64);
}

static void put_note(struct bytes *b, const char *owner, uint32_t type, const char *desc, size_t n)
{
	size_t to;

	put(b, strlen(owner) + 1, 4);
	put(b, n, 4);
	put(b, type, 4);
	to = b->n + ((strlen(owner) + 4) & ~(size_t)3);
	put_text(b, owner);
	pad(b, to);
	for (size_t i = 0; i < n; i++)
		put(b, (unsigned char)desc[i], 1);
	pad(b, (b->n + 3) & ~(size_t)3);
}

static void expect_amd(unsigned osabi, unsigned abi, uint32_t flags, const char *arch)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);

	put_elf(&b, 224, osabi, abi, 1, flags, 256);
	pad(&b, 256);
	assert_string_equal(text_of(a, b).p, gv_fmt(a, "amd elf %s 1 \n", arch).p);
	gv_arena_free(a);
}

static void amd_objects(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);

	expect_amd(64, 2, 0x54c, "gfx942");
	expect_amd(64, 2, 0x73f, "gfx90a:xnack+");
	expect_amd(64, 2, 0x62f, "gfx906:xnack-");
	expect_amd(64, 2, 0xe3f, "gfx90a:sramecc+:xnack-");
	expect_amd(64, 3, 0x4e, "gfx1201");
	expect_amd(64, 4, 0x1000054, "gfx11-generic");
	expect_amd(64, 1, 0x2a, "gfx803");
	expect_amd(64, 1, 0x2f, "gfx906:sramecc-:xnack-"); /* version 3: off, where it says nothing */
	expect_amd(64, 1, 0x12c, "gfx900:xnack+");
	expect_amd(64, 2, 0xff, "gfx? (mach 0xff)");
	/* version 2 names it in a note */
	put_elf(&b, 224, 64, 0, 1, 0, 512);
	put_note(&b, "AMD", 3, "\4\0\7\0\7\0\0\0\0\0\0\0\0\0\0\0AMD\0AMDGPU", 27);
	pad(&b, 512);
	assert_string_equal(text_of(a, b).p, "amd elf gfx700 1 \n");
	/* another machine's file is no code of a device */
	b = empty(a);
	put_elf(&b, 62, 0, 0, 1, 0, 256);
	pad(&b, 256);
	assert_string_equal(text_of(a, b).p, "");
	gv_arena_free(a);
}

static void cubins(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);
	struct gv_file *f;

	put_elf(&b, 190, 0x33, 7, 124, 0x590559, 256);
	pad(&b, 256);
	f = inspected(a, "k.cubin", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(inspected_text(a, f).p, "nvidia elf sm_89 1 \n");
	assert_int_equal(f->code.v[0].toolkit, 1204);
	b = empty(a);
	put_elf(&b, 190, 0x33, 7, 126, 0x5a0d5a, 256);
	pad(&b, 256);
	assert_string_equal(text_of(a, b).p, "nvidia elf sm_90a 1 \n");
	b = empty(a);
	put_elf(&b, 190, 0x41, 8, 1, 0x06006404, 1024);
	put_note(&b, "NVIDIA Corp", 0x3e8, "\2\0\x64\0\x82\0\0\0", 8);
	put_note(&b, "NVIDIA Corp", 0x7d0, "ptxas\0Cuda compilation tools\0-arch sm_100f -m 64 ", 50);
	pad(&b, 1024);
	f = inspected(a, "k.cubin", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(inspected_text(a, f).p, "nvidia elf sm_100f 1 \n");
	assert_int_equal(f->code.v[0].toolkit, 1300);
	assert_string_equal(text_of(a, b).p, "nvidia elf sm_100f 1 \n");
	gv_arena_free(a);
}

/* A container says more where what is in it is not packed. */
static void cubin_in_fatbin(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);
	struct gv_file *f;

	put(&b, 0xba55ed50, 4);
	put(&b, 0x100001, 4);
	put(&b, 64 + 512, 8);
	put(&b, 0x1010002, 4);
	put(&b, 64, 4);
	put(&b, 512, 8);
	put(&b, 0, 8);
	put(&b, 0x10007, 4);
	put(&b, 75, 4);
	put(&b, 0, 8);
	put(&b, 0x11, 8);
	pad(&b, b.n + 16);
	put_elf(&b, 190, 0x33, 7, 118, 0x4b054b, 512);
	pad(&b, 16 + 64 + 512);
	f = inspected(a, "k.fatbin", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(text_of(a, b).p, "nvidia elf sm_75 1 \n");
	assert_int_equal(f->code.v[0].toolkit, 1108);
	b.p[16 + 40 + 1] = 0x20; /* packed with LZ4: nothing of it is looked at */
	assert_int_equal(inspected(a, "k.fatbin", (gv_str){ b.p, b.n }, 0)->code.v[0].toolkit, 0);
	gv_arena_free(a);
}

static void ptx(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);
	struct gv_file *f;

	put_text(&b, "//\n// Made by hand\n//\n\n.version 8.7\n.target sm_120a, debug\n.address_size 64\n");
	f = inspected(a, "k.ptx", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(text_of(a, b).p, "nvidia ptx compute_120a 1 \n");
	assert_int_equal(f->code.v[0].isa, 807);
	assert_int_equal(f->code.v[0].bytes, b.n - 23); /* without what stands in front */
	put(&b, 0, 1);
	put_text(&b, ".version 3.2\n.target sm_20\n");
	assert_string_equal(text_of(a, b).p, "nvidia ptx compute_120a 1 \nnvidia ptx compute_20 1 \n");
	b = empty(a); /* what a compiler that writes PTX has in it, and what a page about it says */
	put_text(&b, ".version %d.%d\n.target sm_%d\n");
	put(&b, 0, 1);
	put_text(&b, ".version 8.7\nThen comes\n.target sm_90\n");
	put_text(&b, "the .version 8.7\n.target sm_90b\n");
	assert_string_equal(text_of(a, b).p, "");
	gv_arena_free(a);
}

static void zebins(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);
	struct gv_file *f;

	put_elf(&b, 205, 0, 0, 1, 0, 512);
	put_note(&b, "IntelGT", 1, "\xf7\4\0\0", 4);
	put_note(&b, "IntelGT", 6, "\x04\x00\x00\x05", 4); /* 20.0.4 of other words: 20 << 22 */
	b.p[b.n - 4] = 4;
	b.p[b.n - 3] = 0x40; /* 1 << 14 */
	pad(&b, 512);
	f = inspected(a, "k.zebin", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(inspected_text(a, f).p, "intel elf bmg-g21 1 \n");
	assert_true(f->code.v[0].unconfirmed);
	assert_string_equal(text_of(a, b).p, "intel elf bmg-g21 1 \n");
	gv_arena_free(a);
}

/* ---- Bundles ---- */

#define CODE_AT 4096
#define CODE_SIZE 512

/* For gfx90a:xnack+ and gfx11-generic, and an empty one for the host. */
static void put_bundle(struct bytes *b, const char *payload)
{
	static const char *const ids[] = { "host-x86_64-unknown-linux", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
					   "hipv4-amdgcn-amd-amdhsa--gfx11-generic" };
	size_t from = b->n;

	put_text(b, "__CLANG_OFFLOAD_BUNDLE__");
	put(b, 3, 8);
	for (size_t i = 0; i < 3; i++) {
		put(b, CODE_AT + (i ? (i - 1) * CODE_SIZE : 0), 8);
		put(b, i ? CODE_SIZE : 0, 8);
		put(b, strlen(ids[i]), 8);
		put_text(b, ids[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		pad(b, from + CODE_AT + i * CODE_SIZE);
		if (payload)
			put_text(b, payload);
		else
			put_elf(b, 224, 64, 2, 1, i ? 0x1000054 : 0x73f, CODE_SIZE);
	}
	pad(b, from + CODE_AT + 2 * CODE_SIZE);
}

static const char bundle_text[] = "amd elf gfx11-generic 1 \namd elf gfx90a:xnack+ 1 \n";

static void bundles(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);

	put_bundle(&b, NULL);
	assert_string_equal(text_of(a, b).p, bundle_text);
	pad(&b, 8192);
	put_bundle(&b, NULL);
	assert_string_equal(text_of(a, b).p, "amd elf gfx11-generic 2 \namd elf gfx90a:xnack+ 2 \n");
	b = empty(a); /* what is linked later: bitcode */
	put_bundle(&b, "BC\xc0\xde");
	assert_string_equal(text_of(a, b).p, "amd bitcode gfx11-generic 1 \namd bitcode gfx90a:xnack+ 1 \n");
	b = empty(a); /* the words alone, as a compiler has them */
	put_text(&b, "__CLANG_OFFLOAD_BUNDLE__");
	put_text(&b, "__CLANG_OFFLOAD_BUNDLE____END__ CCOB clang-offload-bundler hipv4-amdgcn-amd-amdhsa--gfx90a");
	pad(&b, 400);
	assert_string_equal(text_of(a, b).p, "");
	b = empty(a); /* an entry that reaches beyond the file */
	put_bundle(&b, NULL);
	b.n -= 8;
	assert_false(gv_has(text_of(a, b), "gfx11"));
	gv_arena_free(a);
}

/* One block that is stored as it is. */
static void put_zstd(struct bytes *b, struct bytes of)
{
	put(b, 0xfd2fb528, 4);
	put(b, 0xa0, 1); /* its size is said in four bytes, and there is no window */
	put(b, of.n, 4);
	put(b, 1 | of.n << 3, 3);
	memcpy(b->p + b->n, of.p, of.n);
	b->n += of.n;
}

static void put_zlib(struct bytes *b, struct bytes of)
{
	put(b, 0x0178, 2);
	put(b, 1, 1);
	put(b, of.n, 2);
	put(b, ~of.n, 2);
	memcpy(b->p + b->n, of.p, of.n);
	b->n += of.n;
}

static void put_ccob(struct bytes *b, unsigned version, unsigned method, struct bytes of)
{
	size_t from = b->n, each = version == 3 ? 8 : 4, total_at;

	put_text(b, "CCOB");
	put(b, version, 2);
	put(b, method, 2);
	total_at = b->n;
	if (version > 1)
		put(b, 0, each);
	put(b, of.n, each);
	put(b, 0x0123456789abcdef, 8);
	(method ? put_zstd : put_zlib)(b, of);
	for (size_t i = 0; version > 1 && i < each; i++)
		b->p[total_at + i] = (char)((uint64_t)(b->n - from) >> 8 * i);
}

static bool can_unpack(unsigned method)
{
	char packed[64], out[8];
	struct bytes b = { packed, 0 }, of = { (char[]){ 'a', 'b' }, 2 };
	ssize_t n;

	(method ? put_zstd : put_zlib)(&b, of);
	n = gv_unpack_head((gv_str){ b.p, b.n }, out, sizeof(out));
	assert_true(n == 2 || n == -ENOENT);
	return n == 2;
}

static void compressed_bundles(void **state)
{
	struct gv_arena *a = gv_arena_new();

	for (unsigned version = 1; version <= 3; version++) {
		for (unsigned method = 0; method < 2; method++) {
			struct bytes b = empty(a), of = empty(a);
			/* version 1 does not say where it ends: nothing in it may be mistaken for code, packed as it is
			 * not */
			const char *want = !can_unpack(method) ? "amd elf gfx? 1 \n"
					   : version > 1
					       ? bundle_text
					       : "amd bitcode gfx11-generic 1 \namd bitcode gfx90a:xnack+ 1 \n";
			struct gv_file *f;

			put_bundle(&of, version > 1 ? NULL : "BC\xc0\xde");
			memcpy(of.p + CODE_AT + 200, "CCOB\2\0\1\0", 8); /* is no other bundle */
			put_ccob(&b, version, method, of);
			assert_string_equal(text_of(a, b).p, want);
			f = inspected(a, "x.co", (gv_str){ b.p, b.n }, 0);
			assert_int_equal(f->code.v[0].packed, method ? GV_PACKED_ZSTD : GV_PACKED_ZLIB);
			assert_int_equal(f->code.v[0].unconfirmed, version == 1 || !can_unpack(method));
			assert_int_equal(f->notes.n, can_unpack(method) ? 0 : 1);
		}
	}
	gv_arena_free(a);
}

static void unpack_heads(void **state)
{
	char out[64], packed[64];
	struct bytes b = { packed, 0 }, of = { (char[]){ "0123456789" }, 10 };

	assert_int_equal(gv_unpack_head(GV_STR("plain text"), out, sizeof(out)), -ENOTSUP);
	assert_int_equal(gv_unpack_head(GV_NONE, out, sizeof(out)), -ENOTSUP);
	for (unsigned method = 0; method < 2; method++) {
		if (!can_unpack(method))
			continue;
		b.n = 0;
		(method ? put_zstd : put_zlib)(&b, of);
		assert_int_equal(gv_unpack_head((gv_str){ b.p, b.n }, out, 4), 4); /* no more than asked for */
		assert_memory_equal(out, "0123", 4);
		assert_int_equal(gv_unpack_head((gv_str){ b.p, b.n }, out, sizeof(out)), 10);
		assert_true(gv_unpack_head((gv_str){ b.p, 2 + 2 * method }, out, sizeof(out)) < 0); /* cut off */
	}
}

/* ---- LLVM's containers ---- */

struct image {
	unsigned kind;
	const char *triple, *arch;
	struct bytes of;
};

static void put_string(struct bytes *b, unsigned version, size_t key, size_t value, size_t n)
{
	put(b, key, 8);
	put(b, value, 8);
	if (version > 1)
		put(b, n, 8);
}

/* Header, entries, pairs of strings, strings, images. */
static void put_offload(struct bytes *b, unsigned version, const struct image *im, size_t n)
{
	size_t header = version > 2 ? 40 : 32, pair = 2 * (version > 1 ? 24 : 16), pairs = header + 40 * n,
	       texts = pairs + pair * n;
	size_t images = texts + 200 * n, at = images, from = b->n;

	for (size_t i = 0; i < n; i++)
		at += im[i].of.n;
	put(b, 0xad10ff10, 4);
	put(b, version, 4);
	put(b, at, 8);
	put(b, header, 8);
	put(b, version > 1 ? n : 40, 8);
	if (version > 2)
		put(b, 0, 8);
	at = images;
	for (size_t i = 0; i < n; i++) {
		put(b, im[i].kind, 2);
		put(b, 1, 2);
		put(b, 0, 4);
		put(b, pairs + i * pair, 8);
		put(b, 2, 8);
		put(b, at, 8);
		put(b, im[i].of.n, 8);
		at += im[i].of.n;
	}
	for (size_t i = 0; i < n; i++) {
		put_string(b, version, texts + i * 200, texts + i * 200 + 10, strlen(im[i].triple));
		put_string(b, version, texts + i * 200 + 100, texts + i * 200 + 110, strlen(im[i].arch));
	}
	for (size_t i = 0; i < n; i++) {
		pad(b, from + texts + i * 200);
		put_text(b, "triple");
		pad(b, from + texts + i * 200 + 10);
		put_text(b, im[i].triple);
		pad(b, from + texts + i * 200 + 100);
		put_text(b, "arch");
		pad(b, from + texts + i * 200 + 110);
		put_text(b, im[i].arch);
	}
	pad(b, from + images);
	for (size_t i = 0; i < n; i++) {
		memcpy(b->p + b->n, im[i].of.p, im[i].of.n);
		b->n += im[i].of.n;
	}
}

static void offload_containers(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes elf = empty(a), some = empty(a), b, packed;
	struct image im[] = {
		{ 1, "amdgcn-amd-amdhsa", "gfx942", { 0 } },  { 2, "amdgcn-amd-amdhsa", "generic", { 0 } },
		{ 5, "nvptx64-nvidia-cuda", "sm_80", { 0 } }, { 6, "spirv64-unknown-unknown", "", { 0 } },
		{ 1, "x86_64-unknown-linux-gnu", "", { 0 } }, { 1, "spir64_gen-unknown-unknown", "pvc", { 0 } }
	};
	static const char all[] =
	    "amd bitcode  1 \namd elf gfx942 1 \nany spirv  1 \nintel elf pvc 1 \nnvidia ptx compute_80 1 \n";
	size_t header = 40;

	put_elf(&elf, 224, 64, 2, 1, 0x54c, 128);
	pad(&elf, 128);
	put_text(&some, "some code");
	for (size_t i = 0; i < 6; i++)
		im[i].of = i ? some : elf;
	b = empty(a);
	for (size_t i = 0; i < 6; i++) { /* version 1 holds one each */
		put_offload(&b, 1, &im[i], 1);
		pad(&b, (b.n + 7) & ~(size_t)7);
	}
	assert_string_equal(text_of(a, b).p, all);
	for (unsigned version = 2; version <= 3; version++) {
		struct gv_file *f;

		b = empty(a);
		put_offload(&b, version, im, 6);
		assert_string_equal(text_of(a, b).p, all);
		f = inspected(a, "x.o", (gv_str){ b.p, b.n }, 0);
		assert_true(f->code.v[0].unconfirmed);
	}
	/* version 3, packed behind its header */
	packed = empty(a);
	put(&packed, 0xad10ff10, 4);
	put(&packed, 3, 4);
	put(&packed, header + 12 + b.n - header, 8);
	put(&packed, header, 8);
	put(&packed, 6, 8);
	put(&packed, b.n, 8);
	put_zstd(&packed, (struct bytes){ b.p + header, b.n - header });
	assert_int_equal(packed.n, b.n + 12);
	if (can_unpack(1))
		assert_string_equal(text_of(a, packed).p, all);
	else
		assert_int_equal(inspected(a, "x.o", (gv_str){ packed.p, packed.n }, 0)->notes.n, 1);
	b.p[24] = 0;	     /* no entries */
	b.p[8] = (char)0xff; /* larger than the file */
	b.p[9] = (char)0xff;
	assert_false(gv_has(inspected_text(a, inspected(a, "x.o", (gv_str){ b.p, b.n }, 0)), "ptx"));
	gv_arena_free(a);
}

/* ---- SPIR-V ---- */

static void put_spirv(struct bytes *b, unsigned minor)
{
	static const uint32_t words[] = { 0, 8, 0, 0x20011, 1,	     0x3000e, 0,       1,      0x50036,
					  1, 2, 0, 3,	    0x200f8, 4,	      0x100fd, 0x10038 };

	put(b, 0x07230203, 4);
	put(b, 0x10000 | minor << 8, 4);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(b, words[i], 4);
}

static void spirv_modules(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);
	struct gv_file *f;

	for (unsigned minor = 0; minor < 5; minor++) {
		put_spirv(&b, minor);
		pad(&b, b.n + 4 * minor);
	}
	f = inspected(a, "x.bin", (gv_str){ b.p, b.n }, 0);
	assert_string_equal(inspected_text(a, f).p, "any spirv  5 \n");
	assert_int_equal(f->code.v[0].bytes, 5 * 76);
	assert_string_equal(text_of(a, b).p, "any spirv  5 \n");
	b = empty(a);
	put(&b, 0x07230203, 4); /* the number alone */
	pad(&b, 100);
	assert_string_equal(text_of(a, b).p, "");
	b = empty(a);
	put_spirv(&b, 5);
	b.p[20] = 14; /* begins with no capability */
	assert_string_equal(text_of(a, b).p, "");
	gv_arena_free(a);
}

/* ---- Bitcode ---- */

struct bits {
	struct bytes *b;
	unsigned n;
};

static void put_bits(struct bits *w, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++, w->n++) {
		if (w->n % 8 == 0)
			put(w->b, 0, 1);
		w->b->p[w->b->n - 1] |= (char)((v >> i & 1) << w->n % 8);
	}
}

static void put_vbr(struct bits *w, uint64_t v, unsigned n)
{
	uint64_t more = 1ull << (n - 1);

	for (; v >= more; v >>= n - 1)
		put_bits(w, (v & (more - 1)) | more, n);
	put_bits(w, v, n);
}

static void align(struct bits *w)
{
	while (w->n % 32)
		put_bits(w, 0, 1);
}

static size_t enter(struct bits *w, unsigned outer, unsigned id, unsigned width)
{
	put_bits(w, 1, outer);
	put_vbr(w, id, 8);
	put_vbr(w, width, 4);
	align(w);
	put_bits(w, 0, 32);
	return w->b->n;
}

static void leave(struct bits *w, unsigned width, size_t from)
{
	uint32_t words;

	put_bits(w, 0, width);
	align(w);
	words = (uint32_t)((w->b->n - from) / 4);
	memcpy(w->b->p + from - 4, &words, 4);
}

static void put_record(struct bits *w, unsigned width, unsigned code, const char *z)
{
	put_bits(w, 3, width);
	put_vbr(w, code, 6);
	put_vbr(w, strlen(z), 6);
	for (; *z; z++)
		put_vbr(w, (unsigned char)*z, 6);
}

static void put_bitcode(struct bytes *b, const char *triple)
{
	struct bits w = { b, 0 };
	size_t outer, inner;

	put_bits(&w, 0xdec04342, 32);
	outer = enter(&w, 2, 13, 5);
	put_record(&w, 5, 1, "LLVM14");
	leave(&w, 5, outer);
	outer = enter(&w, 2, 8, 3);
	put_record(&w, 3, 1, "\2");
	inner = enter(&w, 3, 17, 4); /* types, of no matter here */
	put_record(&w, 4, 9, "abc");
	leave(&w, 4, inner);
	put_record(&w, 3, 2, triple);
	put_record(&w, 3, 3, "e-p:64:64");
	leave(&w, 3, outer);
}

static void bitcode(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct bytes b = empty(a);

	put_bitcode(&b, "amdgcn-amd-amdhsa");
	assert_string_equal(text_of(a, b).p, "amd bitcode  1 \n");
	b = empty(a); /* wrapped */
	put(&b, 0x0b17c0de, 4);
	put(&b, 0, 4);
	put(&b, 20, 4);
	put(&b, 0, 8);
	put_bitcode(&b, "nvptx64-nvidia-cuda");
	assert_string_equal(text_of(a, b).p, "nvidia bitcode  1 \n");
	b = empty(a);
	put_bitcode(&b, "spir64");
	assert_string_equal(text_of(a, b).p, "any bitcode  1 \n");
	b = empty(a); /* for hosts: nothing of a GPU */
	put_bitcode(&b, "x86_64-pc-linux-gnu");
	put_bitcode(&b, "spir64_x86_64-unknown-unknown");
	assert_string_equal(text_of(a, b).p, "");
	b = empty(a); /* the magic alone */
	put_text(&b, "BC\xc0\xde is the magic of bitcode, amdgcn-amd-amdhsa a triple");
	assert_string_equal(text_of(a, b).p, "");
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amd_objects),
		cmocka_unit_test(cubins),
		cmocka_unit_test(cubin_in_fatbin),
		cmocka_unit_test(ptx),
		cmocka_unit_test(zebins),
		cmocka_unit_test(bundles),
		cmocka_unit_test(compressed_bundles),
		cmocka_unit_test(unpack_heads),
		cmocka_unit_test(offload_containers),
		cmocka_unit_test(spirv_modules),
		cmocka_unit_test(bitcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
