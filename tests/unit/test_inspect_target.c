/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/cuda.h"
#include "inspect/resolve.h"
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

/* ---- Code ---- */

static struct gv_code code(const char *arch, unsigned isa)
{
	bool ptx = gv_starts(gv_str_of(arch), "compute_");

	return (struct gv_code){ .vendor = gv_starts(gv_str_of(arch), "gfx") ? GV_AMD : GV_NVIDIA,
				 .kind = ptx ? GV_CODE_PTX : GV_CODE_ELF,
				 .arch = gv_str_of(arch),
				 .isa = isa,
				 .count = 1,
				 .bytes = 1000 };
}

static const char *fit(const char *target, const char *arch, unsigned isa)
{
	struct gv_code c = code(arch, isa);
	struct gv_buf err = { 0 };
	struct gv_target t;
	gv_str driver;

	assert_int_equal(gv_target_word(arena, gv_str_of(target), &t, &err), 0);
	return gv_fit_name[gv_code_fit(&t, &c, &driver)];
}

static void nvidia_code(void **state)
{
	static const struct {
		const char *target, *arch, *fit;
		unsigned isa;
	} v[] = {
		{ "sm_86", "sm_80", "native", 0 },
		{ "sm_89", "sm_86", "native", 0 },
		{ "sm_80", "sm_86", "no", 0 },
		{ "sm_90", "sm_89", "no", 0 },
		{ "sm_90", "sm_90a", "native", 0 },
		{ "sm_100", "sm_90a", "no", 0 },
		{ "sm_103", "sm_100", "native", 0 },
		{ "sm_103", "sm_100a", "no", 0 },
		{ "sm_103", "sm_100f", "native", 0 },
		{ "sm_100", "sm_103f", "no", 0 },
		{ "sm_121", "sm_120f", "native", 0 },
		{ "sm_120", "sm_100f", "no", 0 },
		{ "sm_89", "sm_87", "no", 0 },
		{ "sm_87", "sm_80", "unknown", 0 },
		{ "sm_87", "sm_87", "native", 0 },
		{ "sm_90", "compute_80", "jit", 804 },
		{ "sm_80", "compute_90", "no", 804 },
		{ "sm_100", "compute_90a", "no", 804 },
		{ "sm_90", "compute_90a", "jit", 804 },
		{ "sm_103", "compute_100f", "jit", 808 },
		{ "sm_120", "compute_100f", "no", 808 },
		{ "sm_90,driver=550.54.15", "compute_80", "jit", 804 },
		{ "sm_90,driver=550.54.15", "compute_80", "no", 805 },
		{ "sm_90,driver=560.35.03", "compute_80", "jit", 805 },
		{ "driver=580.65.06", "compute_80", "jit", 900 },
		{ "driver=570.26", "compute_80", "no", 900 },
		{ "cuda", "sm_70", "native", 0 },
		{ "rocm", "sm_70", "no", 0 },
		{ "cpu", "sm_70", "no", 0 },
		{ "sm_90", "sm_", "unknown", 0 },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (strcmp(fit(v[i].target, v[i].arch, v[i].isa), v[i].fit) != 0)
			fail_msg("%s on %s: %s, not %s", v[i].arch, v[i].target, fit(v[i].target, v[i].arch, v[i].isa),
				 v[i].fit);
}

static void amd_code(void **state)
{
	static const char *const v[][3] = {
		{ "gfx90a", "gfx90a", "native" },
		{ "gfx90a", "gfx90a:xnack-", "native" },
		{ "gfx90a", "gfx90a:xnack+", "unknown" },
		{ "gfx90a:xnack+", "gfx90a:xnack+", "native" },
		{ "gfx90a:xnack-", "gfx90a:xnack+", "no" },
		{ "gfx942:sramecc+:xnack-", "gfx942:sramecc+", "native" },
		{ "gfx942", "gfx942:sramecc-", "unknown" },
		{ "gfx942", "gfx90a", "no" },
		{ "gfx942", "gfx9-4-generic", "native" },
		{ "gfx90a", "gfx9-4-generic", "no" },
		{ "gfx1101", "gfx11-generic", "native" },
		{ "gfx1101", "gfx1100", "no" },
		{ "rocm", "gfx1100", "native" },
		{ "sm_90", "gfx942", "no" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (strcmp(fit(v[i][0], v[i][1], 0), v[i][2]) != 0)
			fail_msg("%s on %s: %s, not %s", v[i][1], v[i][0], fit(v[i][0], v[i][1], 0), v[i][2]);
}

static void intel_code(void **state)
{
	static const char *const v[][3] = {
		{ "pvc", "pvc", "native" },
		{ "Arc B580", "bmg-g21", "native" },
		{ "Arc A770 16GB", "dg2", "native" },
		{ "Arc A770 16GB", "dg2-g11", "unknown" },
		{ "Data Center GPU Max 1550", "dg2", "no" },
		{ "xpu", "dg2", "native" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct gv_code c = { .vendor = GV_INTEL, .kind = GV_CODE_ELF, .arch = gv_str_of(v[i][1]) };
		struct gv_buf err = { 0 };
		struct gv_target t;
		gv_str driver;

		assert_int_equal(gv_target_word(arena, gv_str_of(v[i][0]), &t, &err), 0);
		assert_string_equal(gv_fit_name[gv_code_fit(&t, &c, &driver)], v[i][2]);
		c = (struct gv_code){ .kind = GV_CODE_SPIRV };
		assert_int_equal(gv_code_fit(&t, &c, &driver), GV_FIT_JIT);
	}
}

static void drivers(void **state)
{
	gv_str first, last;

	assert_int_equal(gv_cuda_of_driver(GV_STR("550.54.15")), 1204);
	assert_int_equal(gv_cuda_of_driver(GV_STR("470.223.02")), 1104);
	assert_int_equal(gv_cuda_of_driver(GV_STR("999.1")), 1304); /* the newest that is known */
	assert_int_equal(gv_cuda_of_driver(GV_STR("100")), 0);
	assert_int_equal(gv_cuda_of_driver(GV_STR("x")), 0);
	assert_int_equal(gv_cuda_of_ptx(806), 1207);
	assert_int_equal(gv_cuda_of_ptx(9900), 0);
	assert_true(gv_is(gv_driver_for_cuda(1200), "525.60.13"));
	assert_true(gv_is(gv_driver_for_cuda(1204), "525.60.13"));
	assert_true(gv_is(gv_driver_for_cuda(1100), "450.80.02"));
	assert_true(gv_is(gv_driver_for_cuda(1300), "580.65.06"));
	assert_true(gv_is(gv_driver_for_cuda(1000), "410.48"));
	assert_int_equal(gv_driver_for_cuda(9900).n, 0);
	gv_branches_for_sm(61, &first, &last);
	assert_true(gv_is(last, "580"));
	gv_branches_for_sm(120, &first, &last);
	assert_true(gv_is(first, "570") && !last.n);
	gv_branches_for_sm(999, &first, &last);
	assert_true(!first.n && !last.n);
	assert_true(gv_is(gv_branch_for_cuda(1205), "555"));
	assert_true(gv_is(gv_branch_for_cuda(1207), "565"));
	assert_int_equal(gv_branch_for_cuda(9900).n, 0);
	assert_int_equal(gv_cuda_parse(GV_STR("12.4.1")), 1204);
	assert_int_equal(gv_cuda_parse(GV_STR("12")), 1200);
	assert_int_equal(gv_cuda_parse(GV_STR("x.4")), 0);
	assert_int_equal(gv_cuda_parse(GV_STR("12.400")), 0);
}

/* ---- The whole ---- */

struct made {
	struct gv_inventory inv;
};

static struct gv_file *add_file(struct made *m, const char *path)
{
	struct gv_file *f = GV_NEW(arena, struct gv_file);

	f->path = gv_str_of(path);
	f->elf = GV_NEW(arena, struct gv_elf);
	*gv_push(arena, &m->inv.files) = f;
	return f;
}

static void add_code(struct gv_file *f, const char *arch, unsigned isa)
{
	*gv_push(arena, &f->code) = code(arch, isa);
}

static struct gv_dep *add_dep(struct gv_file *f, enum gv_grade grade, const char *name)
{
	struct gv_dep *d = gv_push(arena, &f->deps);

	*d = (struct gv_dep){ .name = gv_str_of(name), .grade = grade };
	d->vendor = gv_library_vendor(d->name, &d->driver);
	if (grade == GV_LINKED)
		*gv_push(arena, &f->elf->needed) = d->name;
	return d;
}

static struct gv_package *add_package(struct made *m, const char *name, const char *version, struct gv_file *f)
{
	struct gv_package *p = GV_NEW(arena, struct gv_package);

	*p = (struct gv_package){ .eco = "pypi", .name = gv_str_of(name), .version = gv_str_of(version), .from = f };
	if (f)
		*gv_push(arena, &p->files) = f->path;
	*gv_push(arena, &m->inv.packages) = p;
	return p;
}

static struct gv_judged *judge(struct made *m, const char *target)
{
	struct gv_target *t = GV_NEW(arena, struct gv_target);
	struct gv_buf err = { 0 };

	assert_int_equal(gv_target_word(arena, gv_str_of(target), t, &err), 0);
	if (!m->inv.targets.n)
		gv_inventory_resolve(&m->inv);
	m->inv.findings.n = 0;
	gv_target_judge(&m->inv, t, 0);
	return m->inv.targets.v[m->inv.targets.n - 1];
}

static const char *verdict(struct made *m, const char *target)
{
	return gv_fit_name[judge(m, target)->verdict];
}

/* "fail no-kernel-image cupy 13.1; " of each finding. */
static const char *said(const struct made *m)
{
	gv_str all = GV_STR("");

	for (size_t i = 0; i < m->inv.findings.n; i++) {
		const struct gv_judgement *f = &m->inv.findings.v[i];

		all = gv_fmt(arena, "%.*s%s %s %.*s; ", GV_ARG(all), gv_severity_name[f->severity],
			     gv_kind_info[f->kind].name, GV_ARG(f->part));
		assert_true(f->summary.n && (f->quotes.n || f->kind == GV_K_DRIVER_GPU_UNSUPPORTED));
	}
	return all.p;
}

static void nothing(void **state)
{
	struct made m = { .inv = { .arena = arena } };

	assert_string_equal(verdict(&m, "sm_90"), "none");
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "");
	judge(&m, "L4,driver=470.223.02");
	assert_string_equal(said(&m), "fail driver-gpu-unsupported ; ");
	judge(&m, "Tesla P40,driver=590.48.01");
	assert_string_equal(said(&m), "fail driver-gpu-unsupported ; ");
	judge(&m, "Tesla P40,driver=580.65.06");
	assert_string_equal(said(&m), "");
}

/* A package that brings several builds of one thing uses the one that fits; one that has nothing for the device does
 * not fit. */
static void packages(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *old = add_file(&m, "fast/_fa2.abi3.so"), *new = add_file(&m, "fast/_fa3.abi3.so"),
		       *slow = add_file(&m, "slow/_C.abi3.so");
	struct gv_package *p;

	add_code(old, "sm_80", 0);
	add_code(new, "sm_90a", 0);
	add_code(slow, "sm_75", 0);
	add_code(slow, "compute_75", 804);
	p = add_package(&m, "fast", "1.2", old);
	*gv_push(arena, &p->files) = new->path;
	add_package(&m, "slow", "0.1", slow);
	assert_string_equal(verdict(&m, "sm_90"), "jit"); /* slow, by its PTX */
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&m, "sm_75"), "no");
	assert_string_equal(said(&m), "fail no-kernel-image fast 1.2; ");
	assert_string_equal(verdict(&m, "sm_86"), "jit");
	assert_string_equal(said(&m), "");
	assert_true(gv_has(judge(&m, "sm_86")->parts.v[0].why, "1 of its 2 files with code has none"));
	assert_string_equal(verdict(&m, "sm_90,driver=535.54.03"), "no");
	assert_string_equal(said(&m), "fail cuda-driver-too-old slow 0.1; ");
	assert_string_equal(verdict(&m, "sm_75,driver=535.54.03"), "no"); /* slow runs there natively */
	assert_string_equal(said(&m), "fail no-kernel-image fast 1.2; ");
	assert_string_equal(verdict(&m, "rocm"), "no");
	assert_string_equal(said(&m), "fail wrong-backend-build fast 1.2; fail wrong-backend-build slow 0.1; ");
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "warn hidden-cuda-dependency fast 1.2; ");
}

/* The vendor's own libraries know what to do on old devices; builds for several vendors fit each of them. */
static void libraries(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *app = add_file(&m, "app"), *lt = add_file(&m, "libcusparseLt.so.0"),
		       *cu = add_file(&m, "libbnb_cuda121.so"), *hip = add_file(&m, "libbnb_rocm62.so");

	app->elf->interp = GV_STR("/lib64/ld-linux-x86-64.so.2");
	add_code(app, "sm_75", 0);
	add_dep(app, GV_LINKED, "libcudart.so.12");
	add_code(lt, "sm_80", 0);
	add_code(cu, "sm_75", 0);
	add_code(hip, "gfx942", 0);
	assert_string_equal(verdict(&m, "sm_75"), "native");
	assert_string_equal(said(&m), "note no-kernel-image libcusparseLt.so.0; ");
	assert_true(gv_is(judge(&m, "sm_75")->driver, "525.60.13"));
	assert_int_equal(judge(&m, "sm_75")->needs.n, 1);
	assert_string_equal(verdict(&m, "sm_75,driver=470.223.02"), "no");
	assert_string_equal(verdict(&m, "gfx942"), "no");
	assert_string_equal(said(&m), "fail wrong-backend-build app; ");
	assert_string_equal(verdict(&m, "cpu"), "no");
	assert_string_equal(said(&m), "fail hidden-cuda-dependency app; ");
	app->code.n = app->deps.n = app->elf->needed.n = 0;
	assert_string_equal(verdict(&m, "gfx942"), "native");
	assert_string_equal(verdict(&m, "sm_75"), "native");
}

/* SPIR-V for Vulkan runs anywhere but where no GPU is; that of a program of Intel's runtime only there. */
static void spirv(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *f = add_file(&m, "libggml-vulkan.so");

	*gv_push(arena, &f->code) = (struct gv_code){ .kind = GV_CODE_SPIRV, .count = 9 };
	assert_string_equal(verdict(&m, "sm_90"), "jit");
	assert_string_equal(verdict(&m, "rocm"), "jit");
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "");
	add_dep(f, GV_LINKED, "libsycl.so.8");
	assert_string_equal(verdict(&m, "xpu"), "jit");
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&m, "sm_90"), "no");
	assert_string_equal(said(&m), "fail wrong-backend-build libggml-vulkan.so; ");
}

static void missing(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *app = add_file(&m, "app"), *plugin = add_file(&m, "libplug.so");
	struct gv_target t = { .name = GV_STR("host"), .vendor = GV_NVIDIA, .sm = 80, .toolkit = 1204, .host = true };

	app->elf->interp = GV_STR("/lib64/ld-linux-x86-64.so.2");
	add_code(app, "sm_80", 0);
	add_dep(app, GV_LINKED, "libcudnn.so.9");
	add_dep(app, GV_LINKED, "libcudart.so.12");
	add_dep(app, GV_LINKED, "libcuda.so.1");
	add_dep(app, GV_LOADED, "libnccl.so.2");
	add_code(plugin, "sm_80", 0);
	add_dep(plugin, GV_LINKED, "libnvinfer.so.10");
	gv_inventory_resolve(&m.inv);
	gv_target_judge(&m.inv, &t, 0);
	assert_string_equal(said(&m), "fail missing-shared-library app; ");
	assert_int_equal(m.inv.targets.v[0]->verdict, GV_FIT_NO);
	assert_int_equal(m.inv.targets.v[0]->needs.n, 2); /* of the plug-in as well, which may never be loaded */
	*gv_push(arena, &t.libraries) = GV_STR("libcudnn.so.9");
	m.inv.findings.n = 0;
	gv_target_judge(&m.inv, &t, 0);
	assert_string_equal(said(&m), "");
	assert_int_equal(m.inv.targets.v[1]->verdict, GV_FIT_NATIVE);
	app->layer = 1; /* an image brings all that it needs, but for the driver */
	assert_string_equal(verdict(&m, "sm_80"), "no");
	assert_string_equal(said(&m), "fail missing-shared-library app; fail missing-shared-library app; ");
}

static void drivers_own(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *app = add_file(&m, "app"), *cuda = add_file(&m, "usr/lib/libcuda.so.550.54.15"),
		       *tool = add_file(&m, "usr/lib/libnvidia-container.so.1");

	add_file(&m, "cuda/lib64/stubs/libcuda.so")->elf->soname = GV_STR("libcuda.so.1");
	cuda->elf->soname = GV_STR("libcuda.so.1");
	tool->elf->soname = GV_STR("libnvidia-container.so.1");
	add_code(app, "sm_80", 0);
	assert_string_equal(verdict(&m, "sm_80"), "native");
	assert_string_equal(said(&m), "warn driver-mismatch usr/lib/libcuda.so.550.54.15; ");
	judge(&m, "sm_80,driver=570.26");
	assert_string_equal(said(&m), "fail driver-mismatch usr/lib/libcuda.so.550.54.15; ");
	judge(&m, "sm_80,driver=550.54.15");
	assert_string_equal(said(&m), "warn driver-mismatch usr/lib/libcuda.so.550.54.15; ");
	cuda->path = GV_STR("usr/local/cuda-12.4/compat/libcuda.so.550.54.15");
	judge(&m, "sm_80,driver=535.54.03");
	assert_string_equal(said(&m), "");
	add_dep(app, GV_LINKED, "libcudart.so.12");
	assert_string_equal(verdict(&m, "sm_80,driver=470.223.02"),
			    "unknown"); /* by the compatibility libraries, on some GPUs */
	assert_string_equal(verdict(&m, "GeForce RTX 3090,driver=470.223.02"), "no");
}

static void hidden(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *meta = add_file(&m, "fastops.dist-info/METADATA"), *js = add_file(&m, "postinstall.js"),
		       *ext = add_file(&m, "ext.cpython-311-x86_64-linux-gnu.so");
	struct gv_dep *d;

	meta->elf = js->elf = NULL;
	d = add_dep(meta, GV_DECLARED, "nvidia-cublas-cu12");
	d->vendor = GV_NVIDIA;
	d->line = 7;
	d->of = add_package(&m, "fastops", "1.2", meta);
	d = add_dep(meta, GV_DECLARED, "nvidia-nccl-cu12");
	d->vendor = GV_NVIDIA;
	d->optional = true;
	d = add_dep(js, GV_FETCHED, "onnxruntime-linux-x64-gpu");
	d->vendor = GV_NVIDIA;
	add_dep(ext, GV_LOADED, "libnvrtc.so.12");
	assert_string_equal(verdict(&m, "rocm"), "none");
	assert_string_equal(said(&m),
			    "warn hidden-cuda-dependency fastops; note hidden-cuda-dependency postinstall.js; ");
	assert_true(gv_has(m.inv.findings.v[0].summary, "fastops 1.2 \xe2\x86\x92 nvidia-cublas-cu12"));
	assert_false(gv_has(m.inv.findings.v[0].summary, "nccl"));
	assert_true(gv_has(m.inv.findings.v[0].action, "To change: fastops"));
	assert_string_equal(verdict(&m, "sm_90"), "none");
	assert_string_equal(said(&m), "");
}

/* What an image states, as NVIDIA's base images do: alternatives of conditions that hold together. */
static void stated(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *config = add_file(&m, "config.json"), *meta = add_file(&m, "conda-meta/x.json");
	struct gv_oci *o = GV_NEW(arena, struct gv_oci);
	struct gv_package *p;
	struct gv_require *r;

	config->elf = meta->elf = NULL;
	o->kind = GV_OCI_CONFIG;
	*gv_push(arena, &config->oci) = o;
	*gv_push(arena, &o->env) =
	    GV_STR("NVIDIA_REQUIRE_CUDA=cuda>=12.4 driver>=470,driver<471 brand=tesla,driver>=535,driver<536");
	assert_string_equal(verdict(&m, "sm_80,driver=550.54.15"), "none");
	assert_string_equal(said(&m), "");
	judge(&m, "sm_80,driver=470.223.02");
	assert_string_equal(said(&m), "");
	judge(&m, "sm_80,driver=535.54.03"); /* where it is one of those brands */
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&m, "sm_80,driver=525.60.13"), "no");
	assert_string_equal(said(&m), "fail cuda-driver-too-old config.json; ");
	judge(&m, "sm_80"); /* nothing is said of the driver */
	assert_string_equal(said(&m), "");
	o->env.n = 0;
	p = add_package(&m, "x", "1", meta);
	r = gv_push(arena, &p->requires);
	*r = (struct gv_require){ .name = GV_STR("__cuda"), .spec = GV_STR(">=12.8,<13"), .line = 3 };
	assert_string_equal(verdict(&m, "sm_80,driver=550.54.15"), "none");
	assert_string_equal(said(&m), "warn cuda-driver-too-old x; ");
	judge(&m, "sm_80,driver=570.26");
	assert_string_equal(said(&m), "");
}

/* Names of packages that are not in here say whose they are, and which driver. */
static void names(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *list = add_file(&m, "requirements.txt");
	struct gv_package *p = add_package(&m, "torch", "2.6.0+cu124", list);

	list->elf = NULL;
	p->files.n = 0;
	p->how = GV_PACKAGE_ASKED;
	p->local = GV_STR("cu124");
	p->vendor = GV_NVIDIA;
	assert_string_equal(verdict(&m, "sm_80"), "unknown");
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&m, "sm_80,driver=470.223.02"), "unknown");
	assert_string_equal(said(&m), "warn cuda-driver-too-old torch; ");
	assert_true(gv_is(judge(&m, "sm_80,driver=550.54.15")->driver, "525.60.13"));
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&m, "cpu"), "none");
}

static void cpu_builds(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *meta = add_file(&m, "torch.dist-info/METADATA");

	meta->elf = NULL;
	add_package(&m, "torch", "2.4.1+cpu", meta)->local = GV_STR("cpu");
	assert_string_equal(verdict(&m, "sm_90"), "none");
	assert_string_equal(said(&m), "fail cpu-only-build torch; ");
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "");
}

/* ---- What published packages look like ---- */

static struct gv_code *add_kind(struct gv_file *f, unsigned vendor, enum gv_code_kind kind, const char *arch)
{
	struct gv_code *c = gv_push(arena, &f->code);

	*c = (struct gv_code){ .vendor = vendor, .kind = kind, .arch = gv_str_of(arch), .count = 1, .bytes = 1000 };
	return c;
}

static void put_in(struct gv_package *p, struct gv_file *f)
{
	*gv_push(arena, &p->files) = f->path;
}

/* PTX that a package's tests feed to the driver decides nothing; beside its modules it does. */
static void of_tests(void **state)
{
	struct made m = { .inv = { .arena = arena } }, n = m;
	struct gv_file *test = add_file(&m, "jitter/cuda/tests/link.ptx"), *own = add_file(&n, "jitter/cuda/link.ptx");

	test->elf = own->elf = NULL;
	add_code(test, "compute_50", 600);
	add_code(own, "compute_50", 600);
	add_package(&m, "jitter", "1.0", test);
	add_package(&n, "jitter", "1.0", own);
	assert_string_equal(verdict(&m, "sm_90"), "none");
	assert_string_equal(verdict(&m, "gfx942"), "none");
	assert_string_equal(said(&m), "");
	assert_string_equal(verdict(&n, "sm_90"), "jit");
	assert_string_equal(verdict(&n, "gfx942"), "none"); /* no program is built with it */
	assert_string_equal(said(&n), "note hidden-cuda-dependency jitter 1.0; ");
}

/* A compiler brings bitcode of several vendors and one vendor's profiling library: it is built for none of them alone. */
static void compilers(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *nv = add_file(&m, "comp/nvidia/device.bc"), *amd = add_file(&m, "comp/amd/ocml.bc"),
		       *cupti = add_file(&m, "comp/nvidia/libcupti.so.12"), *fixed = add_file(&m, "comp/nvidia/libcupti_static.a");
	struct gv_package *p;

	nv->elf = amd->elf = NULL;
	fixed->elf->relocatable = true;
	add_kind(nv, GV_NVIDIA, GV_CODE_BITCODE, "");
	add_kind(amd, GV_AMD, GV_CODE_BITCODE, "");
	add_code(cupti, "sm_80", 0);
	add_code(fixed, "sm_80", 0);
	p = add_package(&m, "comp", "3.1", nv);
	put_in(p, amd);
	put_in(p, cupti);
	put_in(p, fixed);
	assert_string_equal(verdict(&m, "gfx942"), "none");
	assert_string_equal(said(&m), "");
	assert_true(gv_has(judge(&m, "gfx942")->why, "compiles for AMD at run time"));
	assert_true(gv_has(judge(&m, "sm_75")->why, "compiles for NVIDIA at run time"));
	assert_string_equal(said(&m), "");
}

/* A library whose usual build uses a GPU where there is one runs without; a framework's build was chosen. */
static void goes_without(void **state)
{
	struct made m = { .inv = { .arena = arena } }, n = m;
	struct gv_file *trees = add_file(&m, "xgboost/lib/libxgboost.so"), *kernels = add_file(&n, "bitsandbytes/libbnb.so");

	add_code(trees, "sm_80", 0);
	add_code(kernels, "sm_80", 0);
	add_package(&m, "xgboost", "3.4", trees);
	add_package(&n, "bitsandbytes", "0.45", kernels);
	assert_string_equal(verdict(&m, "gfx942"), "none");
	assert_string_equal(said(&m), "warn wrong-backend-build xgboost 3.4; ");
	assert_string_equal(verdict(&m, "sm_90"), "no");
	assert_string_equal(verdict(&n, "gfx942"), "no");
	assert_string_equal(said(&n), "fail wrong-backend-build bitsandbytes 0.45; ");
}

/* One package alone: what it asks for comes with it. The driver's library never does, and of an image all is seen. */
static void promised(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *ext = add_file(&m, "net/_C.cpython-312-x86_64-linux-gnu.so"), *meta = add_file(&m, "net.dist-info/METADATA");
	struct gv_package *p = add_package(&m, "net", "2.0", meta);
	struct gv_dep *d;

	meta->elf = NULL;
	put_in(p, ext);
	*gv_push(arena, &meta->packages) = p;
	add_dep(ext, GV_LINKED, "libcudart.so.13");
	assert_string_equal(verdict(&m, "cpu"), "no");
	d = add_dep(meta, GV_DECLARED, "nvidia-cuda-runtime-cu13");
	d->vendor = GV_NVIDIA;
	d->of = p;
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "warn hidden-cuda-dependency net; ");
	ext->layer = 1;
	assert_string_equal(verdict(&m, "cpu"), "no");
	ext->layer = 0;
	add_dep(ext, GV_LINKED, "libcuda.so.1");
	assert_string_equal(verdict(&m, "cpu"), "no");
}

/* Of what is built for several toolkits that one is used whose libraries are here; no driver is older than the device. */
static void builds(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *old = add_file(&m, "fast/lib_cuda118.so"), *new = add_file(&m, "fast/lib_cuda124.so"),
		       *rt = add_file(&m, "nv/libcudart.so.12");
	struct gv_package *p;
	struct gv_judged *j;

	rt->elf->soname = GV_STR("libcudart.so.12");
	add_code(old, "sm_80", 0);
	add_code(old, "compute_80", 708);
	add_dep(old, GV_LINKED, "libcudart.so.11.0");
	add_code(new, "sm_80", 0);
	add_code(new, "compute_80", 804);
	add_dep(new, GV_LINKED, "libcudart.so.12");
	p = add_package(&m, "fast", "1.0", old);
	put_in(p, new);
	j = judge(&m, "sm_80");
	assert_int_equal(j->needs.n, 0);
	j = judge(&m, "sm_120");
	assert_true(gv_is(j->driver, "570"));
	assert_int_equal(j->verdict, GV_FIT_JIT);
}

static void unknown_targets(void **state)
{
	struct gv_code lto = { .vendor = GV_NVIDIA, .kind = GV_CODE_LTOIR, .arch = GV_STR("compute_75") };
	struct gv_buf err = { 0 };
	struct gv_target t;
	gv_str driver;

	assert_string_equal(fit("gfx942", "gfx?", 0), "unknown");
	assert_string_equal(fit("gfx942", "gfx90a", 0), "no");
	assert_int_equal(gv_target_word(arena, GV_STR("sm_70"), &t, &err), 0);
	assert_int_equal(gv_code_fit(&t, &lto, &driver), GV_FIT_NO);
	assert_int_equal(gv_target_word(arena, GV_STR("sm_90"), &t, &err), 0);
	assert_int_equal(gv_code_fit(&t, &lto, &driver), GV_FIT_UNKNOWN);
}

/* What has neither code nor links is told by its name, where that is sure and it is of use with one vendor only. */
static void by_package_name(void **state)
{
	struct made m = { .inv = { .arena = arena } }, n = m, k = m, c = m;
	struct gv_file *meta = add_file(&m, "nvidia_nvtx_cu12.dist-info/METADATA"), *deb = add_file(&n, "libze1/control"),
		       *tool = add_file(&k, "nvidia_ml_py.dist-info/METADATA"), *cpu = add_file(&c, "faiss_cpu.dist-info/METADATA");

	meta->elf = deb->elf = tool->elf = cpu->elf = NULL;
	add_package(&m, "nvidia-nvtx-cu12", "12.9", meta);
	add_package(&n, "libze1", "1.8", deb)->eco = "deb";
	add_package(&k, "nvidia-ml-py", "13.6", tool);
	add_package(&c, "faiss-cpu", "1.15", cpu);
	verdict(&m, "cpu");
	assert_string_equal(said(&m), "warn hidden-cuda-dependency nvidia-nvtx-cu12; ");
	assert_true(gv_has(judge(&m, "sm_90")->why, "is for NVIDIA"));
	assert_string_equal(said(&m), "");
	verdict(&n, "sm_90");
	assert_string_equal(said(&n), "");
	verdict(&k, "cpu");
	assert_string_equal(said(&k), "");
	verdict(&c, "sm_90");
	assert_string_equal(said(&c), "warn cpu-only-build faiss-cpu; ");
}

/* SYCL has CPUs for devices. */
static void sycl(void **state)
{
	struct made m = { .inv = { .arena = arena } };
	struct gv_file *ext = add_file(&m, "dp/_t.cpython-312-x86_64-linux-gnu.so");

	add_dep(ext, GV_LINKED, "libsycl.so.9");
	add_package(&m, "dp", "0.1", ext);
	assert_string_equal(verdict(&m, "cpu"), "none");
	assert_string_equal(said(&m), "note hidden-cuda-dependency dp; ");
	assert_string_equal(verdict(&m, "sm_90"), "no");
}

static void library_names(void **state)
{
	bool driver;

	assert_string_equal(gv_without_hash(arena, GV_STR("libcudart.41118559.so.12")).p, "libcudart.so.12");
	assert_string_equal(gv_without_hash(arena, GV_STR("libcudart-41118559.so.12")).p, "libcudart.so.12");
	assert_string_equal(gv_without_hash(arena, GV_STR("libfoo.1.so.12")).p, "libfoo.1.so.12");
	assert_int_equal(gv_library_vendor(GV_STR("torchvision.libs/libnvjpeg.02b6d700.so.12"), &driver), GV_NVIDIA);
	assert_int_equal(gv_library_vendor(GV_STR("libcupti_static.a"), &driver), GV_NVIDIA);
	assert_int_equal(gv_library_vendor(GV_STR("libother_static.a"), &driver), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nvidia_code, setup, teardown),
		cmocka_unit_test_setup_teardown(amd_code, setup, teardown),
		cmocka_unit_test_setup_teardown(intel_code, setup, teardown),
		cmocka_unit_test_setup_teardown(spirv, setup, teardown),
		cmocka_unit_test_setup_teardown(drivers, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(packages, setup, teardown),
		cmocka_unit_test_setup_teardown(libraries, setup, teardown),
		cmocka_unit_test_setup_teardown(missing, setup, teardown),
		cmocka_unit_test_setup_teardown(drivers_own, setup, teardown),
		cmocka_unit_test_setup_teardown(hidden, setup, teardown),
		cmocka_unit_test_setup_teardown(stated, setup, teardown),
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(cpu_builds, setup, teardown),
		cmocka_unit_test_setup_teardown(of_tests, setup, teardown),
		cmocka_unit_test_setup_teardown(compilers, setup, teardown),
		cmocka_unit_test_setup_teardown(goes_without, setup, teardown),
		cmocka_unit_test_setup_teardown(promised, setup, teardown),
		cmocka_unit_test_setup_teardown(builds, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_targets, setup, teardown),
		cmocka_unit_test_setup_teardown(by_package_name, setup, teardown),
		cmocka_unit_test_setup_teardown(sycl, setup, teardown),
		cmocka_unit_test_setup_teardown(library_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
