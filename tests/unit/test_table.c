/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in tables: look-ups, and what every table of data/ must hold. */
#include "pipeline.h"

#include <string.h>

#include "core/table.h"

static const char *const head[] = { "key", "value", "note" };
static const char *const cells[] = { "a", "1.5", "-", "b", "", "x", "a", "two", "y" };
static const struct gv_table small = { "small", 3, 3, head, cells };

static void test_lookups(void **state)
{
	double v = -1;

	(void)state;
	assert_int_equal(gv_table_col(&small, "value"), 1);
	assert_int_equal(gv_table_col(&small, "nothing"), SIZE_MAX);
	assert_int_equal(gv_table_col(NULL, "key"), SIZE_MAX);
	assert_int_equal(gv_table_find(&small, "key", GV_STR("a"), 0), 0);
	assert_int_equal(gv_table_find(&small, "key", GV_STR("a"), 1), 2);
	assert_int_equal(gv_table_find(&small, "key", GV_STR("a"), 3), SIZE_MAX);
	assert_int_equal(gv_table_find(&small, "key", GV_STR("A"), 0), SIZE_MAX);
	assert_int_equal(gv_table_find(&small, "kex", GV_STR("a"), 0), SIZE_MAX);
	assert_true(gv_is(gv_cell(&small, 2, "note"), "y"));
	assert_int_equal(gv_cell(&small, 0, "note").n, 0); /* "-" is no value */
	assert_int_equal(gv_cell(&small, 1, "value").n, 0);
	assert_int_equal(gv_cell(&small, 3, "note").n, 0);
	assert_int_equal(gv_cell(&small, 0, "nothing").n, 0);
	assert_int_equal(gv_cell(NULL, 0, "key").n, 0);
	assert_true(gv_cell_num(&small, 0, "value", &v) && v == 1.5);
	v = -1;
	assert_false(gv_cell_num(&small, 1, "value", &v));
	assert_false(gv_cell_num(&small, 2, "value", &v));
	assert_true(v == -1);
}

static void test_registry(void **state)
{
	(void)state;
	assert_true(gv_ntables > 0);
	for (size_t i = 0; i < gv_ntables; i++) {
		assert_ptr_equal(gv_table(gv_tables[i]->name), gv_tables[i]);
		assert_true(!i || strcmp(gv_tables[i - 1]->name, gv_tables[i]->name) < 0);
	}
	assert_null(gv_table(""));
	assert_null(gv_table("no-such-table"));
}

/* Columns by which a row is found, and those that must be numbers where they are not empty. */
static const struct {
	const char *table, *key, *key2, *numbers;
} shapes[] = {
	{ "xid", "code", NULL, "code" },
	{ "sxid", "code", NULL, "code" },
	{ "gpu-specs", "product_name", NULL,
	  "mem_gib smi_total_mib mem_bw_gbs fp16_bf16_tensor_dense_tflops fp32_tflops default_power_w pcie_gen "
	  "pcie_width "
	  "nvlink_total_gbs nvlink_links slowdown_c shutdown_c max_operating_c tlimit_slowdown tlimit_shutdown "
	  "tlimit_max" },
	{ "amd-specs", "product", NULL,
	  "devices mem_gib mem_bw_gbs fp16_bf16_dense_tflops fp32_vector_tflops tdp_w pcie_gen pcie_width xgmi_links "
	  "gemm_fp16_target_tflops" },
	{ "intel-specs", "product", NULL,
	  "devices mem_gib mem_bw_gbs fp16_bf16_dense_tflops fp32_tflops tdp_w pcie_gen pcie_width" },
	{ "cuda-driver", "kind", "key", "max_cuda" },
	{ "rocm-compat", "rocm", NULL, "" },
	{ "thresholds", "name", "platform", "value upto" },
	{ "pci-ids", "pci_device_id", "subsystem", "" },
	{ "clocks-event-reasons", "bit_hex", "label_q_text", "" },
};

static void check_shape(size_t s)
{
	const struct gv_table *t = gv_table(shapes[s].table);
	gv_str numbers = gv_str_of(shapes[s].numbers), col;

	if (!t)
		fail_msg("no table %s", shapes[s].table);
	assert_true(gv_table_col(t, shapes[s].key) != SIZE_MAX);
	for (size_t r = 0; r < t->rows; r++) {
		gv_str key = gv_cell(t, r, shapes[s].key);

		if (!key.n)
			fail_msg("%s, row %zu: no %s", t->name, r, shapes[s].key);
		for (size_t q = r; (q = gv_table_find(t, shapes[s].key, key, q + 1)) != SIZE_MAX;)
			if (!shapes[s].key2 || gv_eq(gv_cell(t, q, shapes[s].key2), gv_cell(t, r, shapes[s].key2)))
				fail_msg("%s: %.*s stands twice", t->name, GV_ARG(key));
	}
	while (gv_word(&numbers, &col)) {
		char name[64];

		assert_true(col.n < sizeof(name));
		memcpy(name, col.p, col.n);
		name[col.n] = '\0';
		assert_true(gv_table_col(t, name) != SIZE_MAX);
		for (size_t r = 0; r < t->rows; r++) {
			gv_str cell = gv_cell(t, r, name);
			double v;

			if (cell.n && !gv_cell_num(t, r, name, &v))
				fail_msg("%s, row %zu: %s is no number: %.*s", t->name, r, name, GV_ARG(cell));
		}
	}
}

static void test_shapes(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		check_shape(s);
}

/* Where a fact is from, and how sure it is. */
static void test_marks(void **state)
{
	static const char *const marks[] = { "seen", "partly", "derived", "recalled", "guess" };

	(void)state;
	for (size_t i = 0; i < gv_ntables; i++) {
		const struct gv_table *t = gv_tables[i];

		for (size_t r = 0; r < t->rows && gv_table_col(t, "basis") != SIZE_MAX; r++) {
			gv_str mark = gv_cell(t, r, "basis");
			bool known = false;

			for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
				known |= gv_is(mark, marks[k]);
			if (!known)
				fail_msg("%s, row %zu: basis \"%.*s\"", t->name, r, GV_ARG(mark));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
