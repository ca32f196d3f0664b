/* SPDX-License-Identifier: Apache-2.0 */
#include "inspected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void put(char *p, size_t at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[at + i] = (char)(v >> 8 * i);
}

/* A container with two entries, machine code for sm_90a and PTX 8.6 for compute_80. */
static size_t put_fatbin(char *p)
{
	memset(p, 0, 16 + 2 * 80);
	put(p, 0, 0xba55ed50, 4);
	put(p, 4, 1, 2);
	put(p, 6, 16, 2);
	put(p, 8, 2 * 80, 8);
	put(p, 16, 2, 2);
	put(p, 16 + 4, 64, 4);
	put(p, 16 + 8, 16, 8);
	put(p, 16 + 28, 90, 4);
	put(p, 16 + 40, 0x100011, 8);
	put(p, 96, 1, 2);
	put(p, 96 + 4, 64, 4);
	put(p, 96 + 8, 16, 8);
	put(p, 96 + 24, 6, 2);
	put(p, 96 + 26, 8, 2);
	put(p, 96 + 28, 80, 4);
	put(p, 96 + 40, 0x8011, 8);
	return 176;
}

static const char fatbin_text[] = "nvidia elf sm_90a 1 \nnvidia ptx compute_80 1 \n";

static void fatbin_alone(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char b[200];
	size_t n = put_fatbin(b);
	struct gv_file *f = inspected(a, "k.fatbin", (gv_str){ b, n }, 0);

	assert_string_equal(inspected_text(a, f).p, fatbin_text);
	assert_int_equal(f->code.v[0].kind == GV_CODE_PTX ? f->code.v[0].isa : f->code.v[1].isa, 806);
	for (size_t cut = 0; cut < n; cut++) /* cut off anywhere, it is none */
		assert_int_equal(inspected(a, "k.fatbin", (gv_str){ b, cut }, 0)->code.n, 0);
	put(b, 16 + 8, UINT64_MAX - 10, 8); /* an entry that reaches around the world */
	assert_int_equal(inspected(a, "k.fatbin", (gv_str){ b, n }, 0)->code.n, 0);
	gv_arena_free(a);
}

/* The same whether a file is mapped or comes in pieces, wherever the borders are. */
static void in_pieces(void **state)
{
	struct gv_arena *a = gv_arena_new();
	size_t n = (size_t)3 << 20, pieces[] = { GV_SCAN_KEEP + 4099, GV_SCAN_KEEP * 3, GV_SCAN_KEEP + GV_SCAN_PIECE };
	size_t few = GV_SCAN_KEEP +
		     ((size_t)100 << 10); /* with a border at every byte: long enough for a container and the name */
	char *b = calloc(1, n);
	gv_str end;

	for (size_t at = 8; at + 300 < n; at += 8 * 12345)
		put_fatbin(b + at);
	memcpy(b + n - 20, "\"libcudart.so.12\"", 17);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
		assert_string_equal(inspected_text(a, inspected(a, "blob", (gv_str){ b, n }, pieces[i])).p,
				    inspected_text(a, inspected(a, "blob", (gv_str){ b, n }, 0)).p);
	end = (gv_str){ b + n - few, few };
	assert_string_equal(inspected_text(a, inspected(a, "blob", end, GV_SCAN_KEEP + 1)).p,
			    inspected_text(a, inspected(a, "blob", end, 0)).p);
	assert_true(gv_has(inspected_text(a, inspected(a, "blob", end, 0)), "nvidia elf sm_90a"));
	assert_true(gv_has(inspected_text(a, inspected(a, "blob", (gv_str){ b, n }, 0)), "nvidia elf sm_90a 32 \n"));
	assert_true(gv_has(inspected_text(a, inspected(a, "blob", (gv_str){ b, n }, 0)), "libcudart.so.12 loaded\n"));
	free(b);
	gv_arena_free(a);
}

static void names(void **state)
{
	struct gv_arena *a = gv_arena_new();
	bool driver;

	assert_int_equal(gv_library_vendor(GV_STR("libcudart-1a2b3c4d.so.12.4.127"), &driver), GV_NVIDIA);
	assert_false(driver);
	assert_int_equal(gv_library_vendor(GV_STR("/usr/lib/libcuda.so.1"), &driver), GV_NVIDIA);
	assert_true(driver);
	assert_int_equal(gv_library_vendor(GV_STR("libcudnn_ops.so.9"), &driver), GV_NVIDIA);
	assert_int_equal(gv_library_vendor(GV_STR("libamdhip64.so"), &driver), GV_AMD);
	assert_int_equal(gv_library_vendor(GV_STR("libsycl.so.8"), &driver), GV_INTEL);
	assert_int_equal(gv_library_vendor(GV_STR("libcurl.so.4"), &driver), 0);
	assert_int_equal(gv_library_vendor(GV_STR("libcuda"), &driver), 0);
	assert_string_equal(gv_without_hash(a, GV_STR("libcudart-1a2b3c4d.so.12.4")).p, "libcudart.so.12.4");
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fatbin_alone),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
