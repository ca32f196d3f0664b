/* SPDX-License-Identifier: Apache-2.0 */
#include "inspected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/sha256.h"
#include "core/table.h"
#include "inspect/cache_json.h"
#include "inspect/cachekey.h"

/* "kind name=value ..." of the only artefact; "" where there is none. */
static const char *told(struct gv_arena *a, const char *path, gv_str bytes)
{
	struct gv_file *f = inspected(a, path, bytes, 0);
	gv_str s = GV_STR("");

	assert_true(f->artefacts.n <= 1);
	for (size_t i = 0; i < f->artefacts.n; i++) {
		s = gv_fmt(a, "%s", f->artefacts.v[i].kind);
		for (size_t k = 0; k < f->artefacts.v[i].props.n; k++)
			s = gv_fmt(a, "%.*s %s=%.*s", GV_ARG(s), f->artefacts.v[i].props.v[k].key,
				   GV_ARG(f->artefacts.v[i].props.v[k].value));
	}
	return gv_dupz(a, s);
}

static void sha256_of_known_texts(void **state)
{
	static const struct {
		const char *text, *hex;
	} t[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[2 * GV_SHA256_BYTES + 1];
	char *million = malloc(1000000);

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		gv_sha256_hex(gv_str_of(t[i].text), hex);
		assert_string_equal(hex, t[i].hex);
	}
	memset(million, 'a', 1000000);
	gv_sha256_hex((gv_str){ million, 1000000 }, hex);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void engines_cut_anywhere(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char b[64] = "ptrt";

	memcpy(b + 24, "\x0a\x03\x00\x1a", 4);
	for (size_t n = 0; n <= sizeof(b); n++) { /* memory of its own: what is read behind it would be seen */
		char *own = malloc(n ? n : 1);

		memcpy(own, b, n);
		assert_string_equal(told(a, "x.bin", (gv_str){ own, n }), n < 28 ? "" : "tensorrt tensorrt=10.3.0.26");
		free(own);
	}
	b[24] = 1; /* no version that there is */
	assert_string_equal(told(a, "x.bin", (gv_str){ b, sizeof(b) }), "tensorrt");
	gv_arena_free(a);
}

static void exported_engines_that_lie(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char b[80] = "\x10\0\0\0{\"a\":          }ptrt";

	memcpy(b + 4 + 16 + 24, "\x08\x06\x01\x06", 4);
	assert_string_equal(told(a, "y.engine", (gv_str){ b, sizeof(b) }), "tensorrt tensorrt=8.6.1.6");
	for (unsigned v = 0; v < 256; v++) {
		b[0] = b[3] = (char)v;
		if (v != 0x10)
			assert_string_equal(told(a, "y.engine", (gv_str){ b, sizeof(b) }), "");
	}
	gv_arena_free(a);
}

static void names_of_databases(void **state)
{
	static const struct {
		const char *path, *told;
	} t[] = {
		{ "3.5.1.dabb6df2b9/gfx1201_32.ukdb", "miopen arch=gfx1201 units=32 miopen=3.5.1" },
		{ "gfx94250.HIP.fdb.txt", "miopen arch=gfx942 units=80" },
		{ "gfx942e4.kdb", "miopen arch=gfx942 units=228" },
		{ "gfx90a6e.HIP.2_20_0_e17d43ae.ufdb.txt", "miopen arch=gfx90a units=110 miopen=2.20.0" },
		{ "gfx942_304.HIP.fdb.txt", "miopen arch=gfx942 units=304" },
		{ "gfx906_nosramecc_60.db.txt", "miopen arch=gfx906 units=60" },
		{ "gfx908.kdb", "miopen arch=gfx908" },
		{ "gfx942fffffff.kdb", "miopen arch=gfx942" },
		{ "gfx9.kdb", "" },
		{ "gfx942", "" },
		{ "gfx10.kdb", "" },
		{ "agfx942.kdb", "" },
		{ "gfx1030_99999999999999999999999.kdb", "miopen arch=gfx1030" },
	};
	struct gv_arena *a = gv_arena_new();

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		assert_string_equal(told(a, t[i].path, GV_STR("SQLite format 3")), t[i].told);
	gv_arena_free(a);
}

static void kernels_whose_metadata_lie(void **state)
{
#define K(more) "{\"num_warps\": 4, \"target\": " more "}"
	static const struct {
		const char *text, *told;
	} t[] = {
		{ K("{\"backend\": \"cuda\", \"arch\": 90}"), "triton arch=sm_90" },
		{ K("{\"backend\": \"cuda\", \"arch\": 1e9}"), "triton backend=cuda" },
		{ K("{\"backend\": \"cuda\", \"arch\": \"gfx90a:xnack-\"}"), "triton arch=gfx90a:xnack-" },
		{ K("{\"backend\": \"xpu\", \"arch\": {}}"), "triton backend=xpu" },
		{ K("[\"cuda\", 80]"), "triton arch=sm_80" },
		{ K("[[[[]]]]"), "" },
		{ K("7, \"triton_version\": \"3.\\u0030\""), "triton triton=3.0" },
		{ K("7, \"x\": {\"triton_version\": \"9\"}"), "" },
		{ K("\"num_warps"), "" },
	};
	struct gv_arena *a = gv_arena_new();
	char *deep = malloc(4096);

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		assert_string_equal(told(a, "k.json", gv_str_of(t[i].text)), t[i].told);
	memset(deep, '[', 4096);
	memcpy(deep, "{\"num_warps\": \"target\", \"target\":", 33);
	assert_string_equal(told(a, "k.json", (gv_str){ deep, 4096 }), "");
	free(deep);
	gv_arena_free(a);
}

static void count(void *ctx, const struct gv_cache_value *v)
{
	++*(size_t *)ctx;
}

static void no_more_values_than_the_cap(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char *many = malloc(400000);
	size_t n = 0;

	for (size_t i = 0; i < 400000; i += 2)
		memcpy(many + i, "1,", 2);
	many[0] = '[';
	many[1] = '1';
	many[2] = ',';
	many[3] = '1';
	gv_cache_json(a, (gv_str){ many, 400000 }, count, &n);
	assert_in_range(n, 1, 100000);
	free(many);
	gv_arena_free(a);
}

/* A key is of a machine of which only what is stated is known. */
static gv_str key_of(struct gv_arena *a, const char *cache, const char *const *set, size_t *ret_unknown)
{
	struct gv_machine m = { .arena = a };
	struct gv_cache_key k;
	struct gv_buf err = { 0 };

	for (; *set; set++)
		assert_int_equal(gv_machine_set(&m, gv_str_of(*set), "--set", &err), 0);
	assert_int_equal(gv_cache_key(&m, gv_str_of(cache), &k, &err), 0);
	gv_buf_free(&err);
	*ret_unknown = k.unknown;
	return k.key;
}

static void no_key_without_all_properties(void **state)
{
	static const char *const all[] = { "arch=sm_90", "driver=550.54.15", NULL },
				 *const one[] = { "arch=9.0", NULL }, *const none[] = { NULL };
	static const char *const twice[] = { "arch=80", "driver=1", "driver=550.54.15", "arch=90", NULL };
	struct gv_arena *a = gv_arena_new();
	size_t unknown;
	gv_str key = key_of(a, "cuda", all, &unknown);

	assert_int_equal(unknown, 0);
	assert_true(gv_starts(key, "gv1-cuda-sm_90-"));
	assert_true(gv_eq(key_of(a, "cuda", twice, &unknown), key));
	assert_int_equal(key_of(a, "cuda", one, &unknown).n, 0);
	assert_int_equal(unknown, 1);
	assert_int_equal(key_of(a, "cuda", none, &unknown).n, 0);
	assert_int_equal(unknown, 2);
	gv_arena_free(a);
}

/* Every row names facts that there are, says how to get what none tells, and why the cache depends on it. */
static void the_table_of_properties(void **state)
{
	const struct gv_table *t = gv_table("cache-keys");

	assert_non_null(t);
	for (size_t r = 0; r < t->rows; r++) {
		gv_str facts = gv_cell(t, r, "facts"), word, basis = gv_cell(t, r, "basis");

		while (gv_word(&facts, &word))
			assert_int_not_equal(
			    gv_fact_by_name(gv_starts(word, "gpu.") ? GV_GPU : GV_NODE, gv_after(word, ".")), GV_FACTS);
		assert_true(gv_cell(t, r, "how").n && gv_cell(t, r, "source").n);
		assert_true(gv_is(basis, "seen") || gv_is(basis, "recalled") || gv_is(basis, "guess"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_of_known_texts),	 cmocka_unit_test(engines_cut_anywhere),
		cmocka_unit_test(exported_engines_that_lie),	 cmocka_unit_test(names_of_databases),
		cmocka_unit_test(kernels_whose_metadata_lie),	 cmocka_unit_test(no_more_values_than_the_cap),
		cmocka_unit_test(no_key_without_all_properties), cmocka_unit_test(the_table_of_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
