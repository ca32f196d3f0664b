/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of Python: metadata of packages, lists of requirements, lock files, projects; and the TOML of those. */
#include "inspected.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "inspect/common_python.h"
#include "inspect/common_toml.h"

static struct gv_file *read_text(struct gv_arena *a, const char *path, const char *text)
{
	return inspected(a, path, gv_str_of(text), 0);
}

/* A line for each package, then one for each dependency. */
static const char *told(struct gv_arena *a, const struct gv_file *f)
{
	static const char *const how[] = { "here", "locked", "asked" };
	struct gv_buf b = { 0 };
	const char *z;

	for (size_t i = 0; i < f->packages.n; i++) {
		const struct gv_package *p = f->packages.v[i];
		gv_str version = p->version.n ? p->version : GV_STR("?");

		gv_printf(&b, "%.*s %.*s %s%s%s%s", GV_ARG(p->name), GV_ARG(version), how[p->how], p->top ? " top" : "",
			  p->own ? " own" : "", p->listed ? " listed" : "");
		if (p->local.n)
			gv_printf(&b, " build %.*s", GV_ARG(p->local));
		if (p->dir.n)
			gv_printf(&b, " in %.*s", GV_ARG(p->dir));
		for (size_t k = 0; k < p->requires.n; k++) {
			const struct gv_require *r = &p->requires.v[k];

			gv_printf(&b, "%s%.*s", k ? ", " : ": ", GV_ARG(r->name));
			if (r->extras.n)
				gv_printf(&b, "[%.*s]", GV_ARG(r->extras));
			if (r->extra.n)
				gv_printf(&b, " if %.*s", GV_ARG(r->extra));
		}
		for (size_t k = 0; k < p->files.n; k++)
			gv_printf(&b, " +%.*s", GV_ARG(p->files.v[k]));
		gv_putc(&b, '\n');
	}
	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		gv_printf(&b, "%s %s %.*s line %u%s%s", gv_grade_name[d->grade], gv_vendor_name(d->vendor),
			  GV_ARG(d->name), d->line, d->optional ? " optional" : "", d->by_default ? " by default" : "");
		if (d->extra.n)
			gv_printf(&b, " if %.*s", GV_ARG(d->extra));
		gv_putc(&b, '\n');
	}
	z = gv_dupz(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return z;
}

#define assert_told(path, text, expected) assert_string_equal(told(a, read_text(a, path, text)), expected)

static void names(void **state)
{
	static const struct {
		const char *name, *local;
		unsigned vendor;
		const char *toolkit;
		bool by_default;
	} rows[] = {
		{ "nvidia-cublas-cu12", "", GV_NVIDIA, "cu12", false },
		{ "nvidia-cublas", "", GV_NVIDIA, "", false },
		{ "nvidia-something-new", "", GV_NVIDIA, "", false },
		{ "nvidia-pyindex", "", 0, "", false },
		{ "torch", "", GV_NVIDIA, "", true },
		{ "torch", "cpu", 0, "", false },
		{ "torch", "cpu.cxx11.abi", 0, "", false },
		{ "torch", "cu124", GV_NVIDIA, "cu124", false },
		{ "torch", "rocm6.1", GV_AMD, "rocm6.1", false },
		{ "torch", "xpu", GV_INTEL, "xpu", false },
		{ "numpy", "mkl", 0, "", false },
		{ "anything", "cu118", GV_NVIDIA, "cu118", false },
		{ "cupy-cuda12x", "", GV_NVIDIA, "cuda12x", false },
		{ "cupy-rocm-5-0", "", GV_AMD, "rocm-5-0", false },
		{ "cudf-cu12", "", GV_NVIDIA, "cu12", false },
		{ "my-thing-cu13", "", GV_NVIDIA, "cu13", false },
		{ "accustom", "", 0, "", false },
		{ "ioprocmeta", "", 0, "", false },
		{ "jax", "", 0, "", false },
		{ "onnxruntime", "", 0, "", false },
		{ "tensorflow-cpu", "", 0, "", false },
		{ "pytorch-triton-rocm", "", GV_AMD, "rocm", false },
	};
	struct gv_by_name says;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		gv_package_by_name("pypi", gv_str_of(rows[i].name), gv_str_of(rows[i].local), &says);
		if (says.vendor != rows[i].vendor || says.by_default != rows[i].by_default ||
		    !gv_is(says.toolkit, rows[i].toolkit))
			fail_msg("%s+%s: %u %.*s %d", rows[i].name, rows[i].local, says.vendor, GV_ARG(says.toolkit),
				 says.by_default);
	}
	assert_int_equal(gv_extras_vendor(GV_STR("dev, and-cuda")), GV_NVIDIA);
	assert_int_equal(gv_extras_vendor(GV_STR("cuda12-local")), GV_NVIDIA);
	assert_int_equal(gv_extras_vendor(GV_STR("rocm")), GV_AMD);
	assert_int_equal(gv_extras_vendor(GV_STR("curl,tests")), 0);
}

static void normal_names(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char long_name[300];

	assert_true(gv_is(gv_py_name(a, GV_STR("Nvidia_cuBLAS..cu12")), "nvidia-cublas-cu12"));
	assert_int_equal(gv_py_name(a, GV_STR("a b")).n, 0);
	assert_int_equal(gv_py_name(a, GV_STR("a\0b")).n, 0);
	memset(long_name, 'a', sizeof(long_name));
	assert_int_equal(gv_py_name(a, (gv_str){ long_name, sizeof(long_name) }).n, 0);
	gv_arena_free(a);
}

static void markers(void **state)
{
	static const struct {
		const char *marker;
		enum gv_holds holds;
		const char *extra;
	} rows[] = {
		{ "", GV_HOLDS, "" },
		{ "sys_platform == 'linux'", GV_HOLDS, "" },
		{ "sys_platform != \"linux\"", GV_HOLDS_NOT, "" },
		{ "'win32' == sys_platform", GV_HOLDS_NOT, "" },
		{ "platform_system == \"Linux\" and platform_machine == \"x86_64\"", GV_HOLDS_MAYBE, "" },
		{ "platform_machine == 'arm64'", GV_HOLDS_NOT, "" },
		{ "python_version < '3.9'", GV_HOLDS_MAYBE, "" },
		{ "sys_platform == 'win32' or sys_platform == 'linux' and os_name == 'posix'", GV_HOLDS, "" },
		{ "(sys_platform == 'linux' or os_name == 'nt') and sys_platform == 'win32'", GV_HOLDS_NOT, "" },
		{ "extra == 'Cuda_12'", GV_HOLDS_NOT, "cuda-12" },
		{ "extra == 'a' or extra == 'b'", GV_HOLDS_NOT, "a,b" },
		{ "extra == 'a' and sys_platform == 'linux'", GV_HOLDS_NOT, "a" },
		{ "extra == 'a' and sys_platform == 'win32'", GV_HOLDS_NOT, "" },
		{ "extra != 'a'", GV_HOLDS, "" },
		{ "'gpu' in extras", GV_HOLDS_NOT, "gpu" },
		{ "'linux' in sys_platform", GV_HOLDS, "" },
		{ "sys_platform not in 'linux darwin'", GV_HOLDS_NOT, "" },
		{ "sys_platform in 'win32 cygwin'", GV_HOLDS_NOT, "" },
		{ "sys_platform == 'linux", GV_HOLDS_MAYBE, "" },
		{ "sys_platform ==", GV_HOLDS_MAYBE, "" },
		{ ") or (", GV_HOLDS_MAYBE, "" },
		{ "and", GV_HOLDS_MAYBE, "" },
		{ "sys_platform == 'win32' sys_platform == 'linux'", GV_HOLDS_MAYBE, "" },
	};
	struct gv_arena *a = gv_arena_new();
	char deep[400];
	gv_str extra;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum gv_holds holds = gv_py_marker(a, gv_str_of(rows[i].marker), &extra);

		if (holds != rows[i].holds || !gv_is(extra, rows[i].extra))
			fail_msg("%s: %d %.*s", rows[i].marker, (int)holds, GV_ARG(extra));
	}
	memset(deep, '(', sizeof(deep));
	assert_int_equal(gv_py_marker(a, (gv_str){ deep, sizeof(deep) }, &extra), GV_HOLDS_MAYBE);
	gv_arena_free(a);
}

static void wants(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_py_want w;

	assert_true(gv_py_want(a, GV_STR(" JAX[cuda12, pip] == 0.4.30 ; python_version > '3.9'"), &w));
	assert_true(gv_is(w.name, "jax") && gv_is(w.extras, "cuda12, pip") && gv_is(w.version, "0.4.30") &&
		    gv_is(w.marker, "python_version > '3.9'"));
	assert_true(gv_py_want(a, GV_STR("torch (==2.4.0+cu124)"), &w));
	assert_true(gv_is(w.version, "2.4.0+cu124") && gv_is(w.local, "cu124"));
	assert_true(gv_py_want(a, GV_STR("torch>=2,<3"), &w));
	assert_true(gv_is(w.spec, ">=2,<3") && !w.version.n);
	assert_true(gv_py_want(a, GV_STR("x==1.*"), &w) && !w.version.n);
	assert_true(
	    gv_py_want(a,
		       GV_STR("torch @ https://server/whl/torch-2.4.0%2Bcu121-cp311-cp311-linux_x86_64.whl#sha256=0 ; "
			      "os_name == 'posix'"),
		       &w));
	assert_true(gv_is(w.version, "2.4.0+cu121") && gv_is(w.local, "cu121") &&
		    gv_is(w.marker, "os_name == 'posix'"));
	assert_true(gv_py_want(a, GV_STR("torch @ https://server/whl/rocm6.1/t.tar.gz"), &w) &&
		    gv_is(w.local, "rocm6.1"));
	assert_false(gv_py_want(a, GV_STR("-r other.txt"), &w));
	assert_false(gv_py_want(a, GV_STR("a sentence, as in a README"), &w));
	assert_false(gv_py_want(a, GV_STR("x[never closed"), &w));
	assert_false(gv_py_want(a, GV_STR(""), &w));
	assert_true(gv_is(gv_py_index_local(GV_STR("https://server/whl/nightly/cu126/")), "cu126"));
	assert_false(gv_py_index_local(GV_STR("https://server/simple/custom/")).n);
	gv_arena_free(a);
}

static void metadata(void **state)
{
	static const char text[] =
	    "Metadata-Version: 2.1\r\nName: Fast.Ops\nVersion: 1.2+cu124\nSummary: none\n  goes on\n"
	    "Requires-Dist: nvidia-cublas-cu12 (>=12) ; sys_platform == 'linux'\n"
	    "Requires-Dist: nvidia-cublas-cu12; extra == 'all'\nRequires-Dist: numpy\n"
	    "Requires-Dist: cupy-cuda12x ; extra == \"gpu\"\nRequires-Dist: cupy-cuda12x ; extra == \"all\"\n"
	    "Requires-Dist: torch[opt]>=2\nRequires-Dist: triton-rocm; sys_platform == 'win32'\n"
	    "\nRequires-Dist: tensorrt\n";
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "lib/site-packages/fast_ops-1.2+cu124.dist-info/METADATA", text);

	assert_string_equal(f->type, "package metadata");
	assert_string_equal(
	    told(a, f),
	    "fast-ops 1.2+cu124 here listed build cu124 in lib/site-packages: nvidia-cublas-cu12, nvidia-cublas-cu12 "
	    "if all, numpy, "
	    "cupy-cuda12x if gpu, cupy-cuda12x if all, torch[opt], triton-rocm\n"
	    "declared nvidia fast-ops line 0\ndeclared nvidia nvidia-cublas-cu12 line 6\n"
	    "declared nvidia cupy-cuda12x line 9 optional if gpu,all\ndeclared nvidia torch line 11 by default\n"
	    "declared amd triton-rocm line 12 optional\n");
	/* in a wheel all files are its own */
	assert_told("a.whl!x-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: x\nVersion: 1\n",
		    "x 1 here in a.whl!\n");
	assert_told("x-1.tar.gz!x-1/PKG-INFO", "Metadata-Version: 2.1\nName: x\nVersion: 1\n",
		    "x 1 here in x-1.tar.gz!x-1\n");
	assert_told("usr/lib/python3/dist-packages/x-1.egg-info", "Metadata-Version: 1.0\nName: x\nVersion: 1\n",
		    "x 1 here listed in usr/lib/python3/dist-packages\n");
	assert_told("x.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: x\nVersion: 1\n", "x 1 here listed\n");
	assert_int_equal(read_text(a, "PKG-INFO", "Metadata-Version: 2.1\nVersion: 1\n")->notes.n, 1);
	assert_null(read_text(a, "docs/METADATA", "Name: x\n")->type);
	gv_arena_free(a);
}

static void folder(void **state)
{
	struct gv_arena *a = gv_arena_new();
	const struct gv_file *f;

	assert_told("s/x-1.dist-info/RECORD",
		    "x/_ext.so,sha256=a,1\n\"x/a, "
		    "b.so\",,\nx/__pycache__/y.pyc,,\nx/y.h,,\n/etc/passwd,,\n../../bin/x,,\n../s/z.so,,\n../../../../"
		    "z.so,,\nx-1.dist-info/RECORD,,\n",
		    "x ? here listed in s +x/_ext.so +x/a, b.so +z.so\n");
	assert_told("s/x-1.dist-info/REQUESTED", "", "x ? here top listed in s\n");
	assert_told("s/x-1.dist-info/direct_url.json",
		    "{\"dir_info\": {\"editable\": true}, \"url\": \"file:///home/x\"}", "x ? here own listed in s\n");
	assert_told("s/torch-2.dist-info/direct_url.json",
		    "{\"url\": \"https://server/torch-2.4.0%2Bcu124-cp311-cp311-linux_x86_64.whl\"}",
		    "torch ? here listed build cu124 in s\n");
	assert_told("s/x.egg-info/requires.txt",
		    "numpy\n\n[gpu]\ncupy-cuda12x>=12\n\n[:sys_platform == 'win32']\ntensorrt\n",
		    "x ? here listed in s: numpy, cupy-cuda12x if gpu, tensorrt\n"
		    "declared nvidia cupy-cuda12x line 4 optional if gpu\ndeclared nvidia tensorrt line 7 optional\n");
	f = read_text(a, "x.whl!x-1.dist-info/variant.json",
		      "{\"default-priorities\": {\"namespace\": [\"nvidia\"]}, \"variants\": {\"cu128\": {\"nvidia\": "
		      "{\"sm_arch\": [\"90_real\", \"120_real\"]}}}}");
	assert_string_equal(told(a, f), "x ? here in x.whl!\ndeclared nvidia x line 0\n");
	assert_string_equal(f->deps.v[0].quote.p, "nvidia :: sm_arch :: 90_real");
	assert_int_equal(read_text(a, "v/pyvenv.cfg", "home = /usr\ninclude-system-site-packages = true\n")->notes.n,
			 1);
	assert_int_equal(read_text(a, "v/pyvenv.cfg", "home = /usr\ninclude-system-site-packages = false\n")->notes.n,
			 0);
	gv_arena_free(a);
}

static void requirements(void **state)
{
	struct gv_arena *a = gv_arena_new();

	assert_told("requirements.txt",
		    "# a comment: tensorrt==1\n--extra-index-url https://server/whl/cu124\ntorch==2.4.0  # "
		    "why\nnumpy\n-r more.txt\n"
		    "jax[cuda12]==0.4 ; python_version >= '3.10'\nonnxruntime-gpu \\\n    "
		    "--hash=sha256:00\ntorchvision==0.19.0+rocm6.1\n"
		    "triton-rocm ; sys_platform == 'win32'\n-e git+https://server/x#egg=cupy-cuda12x\n",
		    "torch 2.4.0 asked build cu124\nnumpy ? asked\njax 0.4 asked\nonnxruntime-gpu ? asked\ntorchvision "
		    "0.19.0+rocm6.1 asked build rocm6.1\n"
		    "triton-rocm ? asked\ncupy-cuda12x ? asked\n"
		    "declared nvidia torch line 3\ndeclared nvidia jax line 6\ndeclared nvidia onnxruntime-gpu line "
		    "7\ndeclared amd torchvision line 9\n"
		    "declared amd triton-rocm line 10 optional\ndeclared nvidia cupy-cuda12x line 11\n");
	/* a CPU build is none for a GPU; PyPI's is, by default */
	assert_told("requirements/prod.txt", "-i https://server/whl/cpu\ntorch\nonnxruntime\n",
		    "torch ? asked build cpu\nonnxruntime ? asked\n");
	assert_told("requirements-dev.in", "torch\n", "torch ? asked\ndeclared nvidia torch line 1 by default\n");
	assert_told("requirements.txt",
		    "-i https://server/whl/cpu\n--extra-index-url https://server/whl/cu124\ntorch\n",
		    "torch ? asked\ndeclared nvidia torch line 3 by default\n");
	/* what a tool has resolved says who asks for whom */
	assert_told("requirements.txt",
		    "fastops==1.2\n    # via -r requirements.in\nnvidia-cublas-cu12==12.4.5.8 \\\n    "
		    "--hash=sha256:00\n    # via\n    #   fastops\n    #   torch\n"
		    "torch==2.4.0\n    # via fastops\n",
		    "fastops 1.2 locked top: nvidia-cublas-cu12, torch\nnvidia-cublas-cu12 12.4.5.8 locked\ntorch "
		    "2.4.0 locked: nvidia-cublas-cu12\n"
		    "declared nvidia nvidia-cublas-cu12 line 3\ndeclared nvidia torch line 8\n");
	/* and the project that it is for is not in it */
	assert_told(
	    "requirements.txt",
	    "torch==2.4.0\n    # via\n    #   accelerate\n    #   app\naccelerate==1\n    # via app\n",
	    "torch 2.4.0 locked top\naccelerate 1 locked top: torch\ndeclared nvidia torch line 1 by default\n");
	/* by what stands in it */
	assert_told("frozen.txt", "# pip freeze\ncupy-cuda12x==13.0.0\n",
		    "cupy-cuda12x 13.0.0 asked\ndeclared nvidia cupy-cuda12x line 2\n");
	assert_null(read_text(a, "README.txt", "torch is needed\ntorch==2.4\n")->type);
	assert_null(read_text(a, "constraints.txt", "torch==2.4\n")->type);
	gv_arena_free(a);
}

static void locks(void **state)
{
	struct gv_arena *a = gv_arena_new();

	assert_told(
	    "uv.lock",
	    "version = 1\n[[package]]\nname = \"app\"\nversion = \"0.1\"\nsource = { virtual = \".\" }\n"
	    "dependencies = [\n    { name = \"torch\", extra = [\"opt\"], marker = \"sys_platform == 'linux'\" },\n]\n"
	    "[package.optional-dependencies]\ngpu = [{ name = \"cupy-cuda12x\" }]\n[package.metadata]\nrequires-dist = "
	    "[{ name = \"torch\" }]\n"
	    "[[package]]\nname = \"torch\"\nversion = \"2.4.0\"\nsource = { registry = \"https://server/whl/cpu\" }\n"
	    "[[package]]\nname = \"cupy-cuda12x\"\nversion = \"13.0\"\n",
	    "app 0.1 locked own: torch[opt], cupy-cuda12x if gpu\ntorch 2.4.0 locked build cpu\ncupy-cuda12x 13.0 "
	    "locked\n"
	    "declared nvidia cupy-cuda12x line 17\n");
	assert_told("poetry.lock",
		    "[[package]]\nname = \"torch\"\nversion = \"2.4.0\"\noptional = true\n[package.dependencies]\n"
		    "nvidia-nccl-cu12 = {version = \"2.20\", markers = \"platform_system == "
		    "\\\"Linux\\\"\"}\nsetuptools = \"*\"\n"
		    "[package.source]\ntype = \"legacy\"\nurl = \"https://server/whl/cu121\"\n[[package]]\nname = "
		    "\"nvidia-nccl-cu12\"\nversion = \"2.20\"\n",
		    "torch 2.4.0 locked build cu121: nvidia-nccl-cu12, setuptools\nnvidia-nccl-cu12 2.20 locked\n"
		    "declared nvidia torch line 1 optional\ndeclared nvidia nvidia-nccl-cu12 line 11\n");
	assert_told("pdm.lock",
		    "[[package]]\nname = \"fastops\"\nversion = \"1\"\ndependencies = [\n  \"cupy-cuda12x>=12; "
		    "sys_platform == 'linux'\",\n]\n"
		    "[[package]]\nname = \"cupy-cuda12x\"\nversion = \"13\"\n",
		    "fastops 1 locked: cupy-cuda12x\ncupy-cuda12x 13 locked\ndeclared nvidia cupy-cuda12x line 7\n");
	assert_told("pylock.toml",
		    "lock-version = '1.0'\n[[packages]]\nname = 'torch'\nversion = '2.4.0+rocm6.1'\nindex = "
		    "'https://server/whl/rocm6.1'\n"
		    "wheels = [{name = 'x', url = 'https://server/y', hashes = {sha256 = '0'}}]\n[[packages]]\nname = "
		    "'cupy-cuda12x'\nversion = '13'\n"
		    "marker = \"'gpu' in extras\"\n",
		    "torch 2.4.0+rocm6.1 locked build rocm6.1\ncupy-cuda12x 13 locked\n"
		    "declared amd torch line 2\ndeclared nvidia cupy-cuda12x line 7 optional\n");
	assert_told("Pipfile.lock",
		    "{\"_meta\": {\"sources\": [{\"name\": \"pt\", \"url\": \"https://server/whl/rocm6.1\", "
		    "\"verify_ssl\": true}]},\n"
		    "\"default\": {\"torch\": {\"hashes\": [\"sha256:0\"], \"index\": \"pt\", \"version\": "
		    "\"==2.4.0\"},\n\"numpy\": {\"version\": \"==1.0\"}},\n"
		    "\"develop\": {\"cupy-cuda12x\": {\"version\": \"==13\"}}}",
		    "torch 2.4.0 locked build rocm6.1\nnumpy 1.0 locked\ncupy-cuda12x 13 locked\n"
		    "declared amd torch line 2\ndeclared nvidia cupy-cuda12x line 4 optional\n");
	gv_arena_free(a);
}

static void projects(void **state)
{
	struct gv_arena *a = gv_arena_new();

	assert_told("app/pyproject.toml",
		    "[build-system]\nrequires = ['torch']\n[project]\nname = 'My_App'\nversion = '1'\ndependencies = "
		    "['fastops', 'jax[cuda12]']\n"
		    "[project.optional-dependencies]\ngpu = ['cupy-cuda12x']\n[tool.uv.sources]\ntorch = { index = 'x' "
		    "}\n[[tool.uv.index]]\nurl = 'https://s/whl/rocm6.2'\n",
		    "my-app 1 here own in app: torch if build-system, fastops, jax[cuda12], cupy-cuda12x if gpu\n"
		    "declared amd torch line 2 optional if build-system\ndeclared nvidia jax line 6\ndeclared nvidia "
		    "cupy-cuda12x line 8 optional if gpu\n");
	assert_told("p/pyproject.toml",
		    "[tool.poetry]\nname = 'a'\nversion = '1'\n[tool.poetry.dependencies]\npython = '^3.11'\ntorch = "
		    "{version = '^2', source = 'pt'}\n"
		    "tensorflow = {version = '*', extras = ['and-cuda'], optional = "
		    "true}\n[tool.poetry.group.dev.dependencies]\ncupy-cuda12x = '*'\n"
		    "[[tool.poetry.source]]\nname = 'pt'\nurl = 'https://s/whl/cpu'\n",
		    "a 1 here own in p: torch, tensorflow[and-cuda] if optional, cupy-cuda12x if dev\n"
		    "declared nvidia tensorflow line 7 optional by default if optional\ndeclared nvidia cupy-cuda12x "
		    "line 9 optional if dev\n");
	assert_told("x.tar.gz!x-2.0/pyproject.toml", "[tool.black]\nline-length = 88\n",
		    "x ? here in x.tar.gz!x-2.0\n");
	assert_told(
	    "s/setup.cfg",
	    "[metadata]\nname = s\nversion = attr: s.__version__\n[options]\ninstall_requires =\n    numpy\n    "
	    "cupy-cuda12x\n[options.extras_require]\namd =\n    triton-rocm\n",
	    "s ? here own in s: numpy, cupy-cuda12x, triton-rocm if amd\n"
	    "declared nvidia cupy-cuda12x line 7\ndeclared amd triton-rocm line 10 optional if amd\n");
	assert_told("s/setup.cfg", "[flake8]\nmax-line-length = 100\n", "");
	assert_told("k-2.8/setup.py",
		    "from torch.utils.cpp_extension import CUDAExtension\n# HIPExtension('no')\next = "
		    "[CUDAExtension(name='k_cuda', sources=[])]\n"
		    "setup(name=NAME,\n  version='1',\n  install_requires=['torch',  # yes: 'tensorrt'\n    "
		    "\"cupy-cuda12x\"],\n"
		    "  extras_require={'amd': ['triton-rocm'], \"dev\": [\"pytest\"]},\n  keywords=['tensorrt'])\n",
		    "k 1 here own in k-2.8: torch, cupy-cuda12x, triton-rocm if amd, pytest if dev\n"
		    "declared nvidia nvcc line 3\ndeclared nvidia torch line 6 by default\ndeclared nvidia "
		    "cupy-cuda12x line 7\n"
		    "declared amd triton-rocm line 8 optional if amd\n");
	gv_arena_free(a);
}

/* ---- TOML ---- */

static void put_node(struct gv_buf *b, const struct gv_toml *n)
{
	for (; n; n = n->next) {
		gv_printf(b, "%.*s%s", GV_ARG(n->key), n->key.n ? "=" : "");
		if (n->kind <= GV_TOML_OTHER) {
			gv_puts(b, n->kind == GV_TOML_TEXT ? "'" : "");
			gv_put(b, n->text);
			gv_puts(b, n->kind == GV_TOML_TEXT ? "'" : "");
		} else {
			gv_puts(b, n->kind == GV_TOML_LIST ? "[" : "{");
			put_node(b, n->child);
			gv_puts(b, n->kind == GV_TOML_LIST ? "]" : "}");
		}
		gv_puts(b, n->next ? " " : "");
	}
}

static void on_table(void *ctx, const struct gv_toml_table *t)
{
	gv_printf(ctx, t->array ? "<<%.*s>> " : "<%.*s> ", GV_ARG(t->path));
	put_node(ctx, t->first);
	gv_puts(ctx, "; ");
}

static void toml(void **state)
{
	static const struct {
		const char *text, *expected;
		int r;
		uint32_t line;
	} rows[] = {
		{ "", "<> ; ", 0, 1 },
		{ "a = 1 # c\n\"b c\".d = 'x' \n", "<> a=1 b c.d='x'; ", 0, 3 },
		{ "a = \"q\\\"\\n\\u00e9\\t\"\nb = ''", "<> a='q\"\n\xc3\xa9\t' b=''; ", 0, 2 },
		{ "a = '''x\ny'z'''\nb = \"\"\"p\\\n  q\"\"\"\n", "<> a='x\ny'z' b='pq'; ", 0, 5 },
		{ "[t]\na = [1, [2, 'x'], # c\n {k = true, l.m = 2}, ]\n[[u.v]]\n[w]",
		  "<> ; <t> a=[1 [2 'x'] {k=true l.m=2}]; <<u.v>> ; <w> ; ", 0, 5 },
		{ "\xef\xbb\xbf"
		  "a = 2026-01-01T00:00:00Z\r\n",
		  "<> a=2026-01-01T00:00:00Z; ", 0, 2 },
		{ "a = [1, 2\n[t]\nb = 1", "<> a=[1 2]; ", -EINVAL, 2 },
		{ "x = 1\nhello world\n", "<> x=1; ", -EINVAL, 2 },
		{ "a = 'never closed\nb = 1", "<> a=''; ", -EINVAL, 1 },
		{ "[t\na = 1", "<> ; ", -EINVAL, 1 },
		{ "a =", "<> a=; ", -EINVAL, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gv_buf b = { 0 };
		uint32_t line;
		int r = gv_toml_read(gv_str_of(rows[i].text), on_table, &b, &line);

		gv_putc(&b, '\0');
		if (r != rows[i].r || strcmp(b.p, rows[i].expected) || line != rows[i].line)
			fail_msg("row %zu: %d line %u %s", i, r, line, b.p);
		gv_buf_free(&b);
	}
}

/* ---- Hostile ---- */

static const char *const samples[][2] = {
	{ "uv.lock", "[[package]]\nname = \"a\"\nsource = { registry = \"https://s/whl/cu124\" }\ndependencies = [{ "
		     "name = \"torch\", extra = [\"x\"] }]\n[[package]]\nname = 'torch'\n" },
	{ "poetry.lock", "[[package]]\nname = \"a\"\n[package.dependencies]\ntorch = [{version = \"*\", markers = "
			 "\"x\"}, {version = '1'}]\n" },
	{ "Pipfile.lock", "{\"_meta\": {\"sources\": [{\"url\": \"https://s/whl/cu124\"}]}, \"default\": {\"torch\": "
			  "{\"version\": \"==1\", \"markers\": \"os_name == 'x'\"}}}" },
	{ "pyproject.toml", "[project]\nname = 'x'\ndependencies = ['a[b]; extra == \"c\"', "
			    "\"\\u00e9\"]\n[tool.poetry.dependencies]\ny = {extras = ['a']}\n" },
	{ "setup.cfg", "[metadata]\nname = x\n[options]\ninstall_requires =\n  torch\n" },
	{ "setup.py", "setup(name='x', install_requires=['torch', \"a\"], extras_require={'b': ['c']})\n" },
	{ "requirements.txt", "--index-url https://s/whl/cu124\ntorch==1 \\\n # via a, b\nx[y] @ "
			      "https://s/x-1%2B2-py3.whl ; extra == 'z'\n" },
	{ "s/x-1.dist-info/METADATA",
	  "Metadata-Version: 2.1\nName: x\nVersion: 1+cu1\nRequires-Dist: torch[a] (>=1) ; (extra == 'b')\n and\n" },
	{ "s/x-1.dist-info/RECORD", "\"a\"\"b.so\",x,1\n../s/c.so,,\n" },
	{ "s/x-1.dist-info/variant.json", "{\"variants\": {\"a\": {\"nvidia\": {\"sm_arch\": [\"90\"]}}}}" },
	{ "s/x-1.dist-info/direct_url.json",
	  "{\"url\": \"https://s/t-1%2Bcu124-py3.whl\", \"dir_info\": {\"editable\": true}}" },
	{ "s/x.egg-info/requires.txt", "a\n[b:os_name == 'x']\ntorch\n" },
};

/* Cut off anywhere, and with any byte another: all that matters is that it ends, within its memory. */
static void spoilt(void **state)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		size_t n = strlen(samples[i][1]);

		for (size_t k = 0; k < n; k++) {
			static const char bytes[] = { '\0', '"', '\n', '[', '\xff' };
			struct gv_arena *a = gv_arena_new();
			char *own = malloc(k + 1);

			memcpy(own, samples[i][1], k);
			inspected(a, samples[i][0], (gv_str){ own, k }, 0);
			free(own);
			for (size_t b = 0; b < sizeof(bytes); b++) {
				own = malloc(n);
				memcpy(own, samples[i][1], n);
				own[k] = bytes[b];
				assert_true(inspected(a, samples[i][0], (gv_str){ own, n }, 0)->packages.n < 8);
				free(own);
			}
			gv_arena_free(a);
		}
	}
}

static struct gv_file *repeated(struct gv_arena *a, const char *path, const char *lead, const char *piece, size_t times)
{
	struct gv_buf b = { 0 };
	struct gv_file *f;

	gv_puts(&b, lead);
	for (size_t i = 0; i < times; i++)
		gv_puts(&b, piece);
	f = inspected(a, path, gv_buf_str(&b), 0);
	gv_buf_free(&b);
	return f;
}

static void too_much(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f;

	f = repeated(a, "s/x-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: x\n",
		     "Requires-Dist: torch; extra == 'abcdefghijkl'\n", 100000);
	assert_int_equal(f->packages.v[0]->requires.n, GV_PY_REQUIRES_MAX);
	assert_int_equal(f->deps.n, 1);
	f = repeated(a, "requirements.txt", "", "torch\n  # via a\n", 100000);
	assert_true(f->packages.n < GV_PY_PACKAGES_MAX && f->notes.n == 1);
	f = repeated(a, "uv.lock", "", "[[package]]\nname = 'torch'\n", 100000);
	assert_true(f->packages.n < GV_PY_PACKAGES_MAX && f->notes.n);
	f = repeated(a, "uv.lock", "a = ", "[", 1000000);
	assert_true(!f->packages.n && f->notes.n == 1);
	f = repeated(a, "uv.lock", "[[package]]\nname = 'x'\ndependencies = [", "'torch',", 1000000);
	assert_true(f->notes.n >= 1 && f->packages.n <= 1);
	f = repeated(a, "s/x-1.dist-info/RECORD", "", "a.so\n", 300000);
	assert_true(f->packages.v[0]->files.n == 200000 && f->notes.n == 1);
	f = repeated(a, "Pipfile.lock", "", "{\"a\":", 1000000);
	assert_true(!f->packages.n && f->notes.n == 1);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	cmocka_unit_test(normal_names), cmocka_unit_test(markers),
		cmocka_unit_test(wants),	cmocka_unit_test(metadata),	cmocka_unit_test(folder),
		cmocka_unit_test(requirements), cmocka_unit_test(locks),	cmocka_unit_test(projects),
		cmocka_unit_test(toml),		cmocka_unit_test(spoilt),	cmocka_unit_test(too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
