/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/yaml.h"
#include "inspect/target.h"

static struct gv_arena *arena;

static int setup(void **state)
{
	arena = gv_arena_new();
	return 0;
}

static int teardown(void **state)
{
	gv_arena_free(arena);
	return 0;
}

/* ---- Words ---- */

/* "vendor sm gfx cuda", or what is wrong with it. */
static const char *word(const char *text)
{
	struct gv_target t = { 0 };
	struct gv_buf err = { 0 };
	gv_str ret;

	if (gv_target_word(arena, gv_str_of(text), &t, &err))
		ret = gv_dup(arena, gv_buf_str(&err));
	else
		ret = gv_fmt(arena, "%s %u %.*s %u", t.cpu ? "cpu" : gv_vendor_name(t.vendor), t.sm, GV_ARG(t.gfx),
			     t.cuda);
	gv_buf_free(&err);
	return ret.p;
}

static void words(void **state)
{
	assert_string_equal(word("sm_90"), "nvidia 90  0");
	assert_string_equal(word("sm_90a"), "nvidia 90  0");
	assert_string_equal(word("gfx942"), "amd 0 gfx942 0");
	assert_string_equal(word("gfx90a:sramecc+:xnack-"), "amd 0 gfx90a:sramecc+:xnack- 0");
	assert_string_equal(word("NVIDIA H100 80GB HBM3"), "nvidia 90  0");
	assert_string_equal(word("H100"), "nvidia 90  0");
	assert_string_equal(word("L4"), "nvidia 89  0");
	assert_string_equal(word("Tesla T4"), "nvidia 75  0");
	assert_string_equal(word("AMD Instinct MI300X"), "amd 0 gfx942 0");
	assert_string_equal(word("rocm"), "amd 0  0");
	assert_string_equal(word("cuda"), "nvidia 0  0");
	assert_string_equal(word("xpu"), "intel 0  0");
	assert_string_equal(word("cpu"), "cpu 0  0");
	assert_string_equal(word("550.54.15"), "nvidia 0  1204");
	assert_string_equal(word("driver=550.54"), "nvidia 0  1204");
	assert_string_equal(word("L4, driver=535.104.05"), "nvidia 89  1202");
	assert_string_equal(word("driver=572.16"), "nvidia 0  1208");
	assert_true(gv_has(gv_str_of(word("rcom")), "did you mean rocm?"));
	assert_true(gv_has(gv_str_of(word("RTX 6000")), "several devices"));
	assert_true(gv_has(gv_str_of(word("GTX 9999")), "no device that is known"));
	assert_true(gv_has(gv_str_of(word("9.0")), "written sm_90"));
	assert_true(gv_has(gv_str_of(word("sm_90,rocm")), "does not go with"));
	assert_true(gv_has(gv_str_of(word("cpu,driver=550")), "does not go with"));
	assert_true(gv_has(gv_str_of(word("driver=newest")), "no version"));
	assert_true(gv_has(gv_str_of(word(" ")), "empty"));
}

/* ---- Files ---- */

static const char *file(const char *text, struct gv_target *ret)
{
	struct gv_buf err = { 0 };
	gv_str said;

	*ret = (struct gv_target){ 0 };
	if (!gv_target_read(arena, GV_STR("nodes/a100.yaml"), gv_str_of(text), ret, &err))
		return "";
	said = gv_dup(arena, gv_buf_str(&err));
	gv_buf_free(&err);
	return said.p;
}

static void files(void **state)
{
	struct gv_target t;

	if (!gv_yaml_there())
		skip();
	assert_string_equal(
	    file("device: NVIDIA A100-SXM4-80GB\ndriver: 550.54.15\ntoolkit: \"12.4\"\nlibraries: [libnccl.so.2]\n",
		 &t),
	    "");
	assert_string_equal(t.name.p, "a100");
	assert_int_equal(t.sm, 80);
	assert_int_equal(t.cuda, 1204);
	assert_true(t.host && gv_target_has(&t, GV_STR("libnccl.so.2")) &&
		    gv_target_has(&t, GV_STR("libcudart.so.12")));
	assert_false(gv_target_has(&t, GV_STR("libcudart.so.13")) || gv_target_has(&t, GV_STR("libcudnn.so.9")));
	assert_string_equal(
	    file("# a pool\nname: \"pool 7\"\nbackend: rocm\ndevice: MI300X\ndriver: 6.10.5\ntoolkit: \"6.2\"\n", &t),
	    "");
	assert_string_equal(t.name.p, "pool 7");
	assert_true(gv_is(t.gfx, "gfx942") && !t.cuda);
	assert_true(gv_target_has(&t, GV_STR("libamdhip64.so.6")) && gv_target_has(&t, GV_STR("librocblas.so.4")));
	assert_false(gv_target_has(&t, GV_STR("libamdhip64.so.5")));
	assert_string_equal(file("backend: cpu\n", &t), "");
	assert_true(t.cpu);
	assert_string_equal(file("devcie: L4\n", &t),
			    "nodes/a100.yaml:1: \"devcie\" is no key of a target; did you mean device?");
	assert_true(gv_has(gv_str_of(file("backend: rocn\n", &t)), "did you mean rocm?"));
	assert_true(gv_starts(gv_str_of(file("backend: rocm\ndevice: L4\n", &t)), "nodes/a100.yaml:2: device:"));
	assert_true(gv_has(gv_str_of(file("device: [L4]\n", &t)), "has to be a text"));
	assert_true(gv_has(gv_str_of(file("device: L4\ndriver: newest\n", &t)), ":2: driver: has to be a version"));
	assert_true(gv_has(gv_str_of(file("device: L4\ntoolkit: new\n", &t)), ":2: toolkit: has to be a version"));
	assert_true(
	    gv_has(gv_str_of(file("device: L4\nlibraries: libnccl.so.2\n", &t)), ":2: libraries: has to be a list"));
	assert_true(gv_has(gv_str_of(file("driver: 550.54.15\n", &t)), "needs \"device\" or \"backend\""));
	assert_true(gv_has(gv_str_of(file("", &t)), "a target is a map"));
	assert_true(gv_has(gv_str_of(file("- L4\n", &t)), "a target is a map"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words, setup, teardown),
		cmocka_unit_test_setup_teardown(files, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
