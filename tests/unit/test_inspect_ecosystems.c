/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of conda, npm, Debian, RPM and Alpine packages, and scripts that download. */
#include "inspected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/yaml.h"
#include "inspect/common_conda.h"
#include "inspect/common_npm.h"

static struct gv_file *read_text(struct gv_arena *a, const char *path, const char *text)
{
	return inspected(a, path, gv_str_of(text), 0);
}

/* "name version dir how top | name spec marker; ..." of each package, in the order of the file. */
static const char *packages_text(struct gv_arena *a, const struct gv_file *f)
{
	static const char *const how[] = { "here", "locked", "asked" };
	struct gv_buf b = { 0 };
	const char *z;

	for (size_t i = 0; i < f->packages.n; i++) {
		const struct gv_package *p = f->packages.v[i];

		gv_printf(&b, "%s %.*s [%.*s] %s%s", p->eco, GV_ARG(p->name), GV_ARG(p->version), how[p->how],
			  p->top ? " top" : "");
		if (p->local.n)
			gv_printf(&b, " %.*s", GV_ARG(p->local));
		if (p->dir.n)
			gv_printf(&b, " in %.*s", GV_ARG(p->dir));
		for (size_t k = 0; k < p->requires.n; k++)
			gv_printf(&b, "%s%.*s[%.*s]%s", k ? ", " : ": ", GV_ARG(p->requires.v[k].name),
				  GV_ARG(p->requires.v[k].spec), p->requires.v[k].marker.n ? "?" : "");
		for (size_t k = 0; k < p->files.n; k++)
			gv_printf(&b, " +%.*s", GV_ARG(p->files.v[k]));
		gv_putc(&b, '\n');
	}
	z = gv_dupz(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return z;
}

/* "grade vendor name line quote" of each need. */
static const char *needs_text(struct gv_arena *a, const struct gv_file *f)
{
	struct gv_buf b = { 0 };
	const char *z;

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		gv_printf(&b, "%s %s %.*s %u%s%s\n", gv_grade_name[d->grade], gv_vendor_name(d->vendor),
			  GV_ARG(d->name), d->line, d->optional ? " optional" : "", d->driver ? " driver" : "");
	}
	z = gv_dupz(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return z;
}

/* ---- conda ---- */

static void conda_specs(void **state)
{
	static const char *const rows[][3] = {
		{ "pytorch", "pytorch", "" },
		{ "conda-forge::pytorch=2.4=*cuda*", "pytorch", "=2.4=*cuda*" },
		{ " numpy >=1.2,<3 ", "numpy", ">=1.2,<3" },
		{ "conda-forge/linux-64::cuda-version==12.4", "cuda-version", "==12.4" },
		{ "param[version='>=1::0']", "param", "[version='>=1::0']" },
		{ "", "", "" },
		{ "::", "", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gv_conda_spec s = gv_conda_spec_of(gv_str_of(rows[i][0]));

		assert_true(gv_is(s.name, rows[i][1]));
		assert_true(gv_is(s.spec, rows[i][2]));
	}
}

static void conda_builds(void **state)
{
	static const char *const rows[][2] = {
		{ "cuda126_mkl_py310_h5ee0071_304", "cu126" },
		{ "py3.12_cuda12.4_cudnn9.1.0_0", "cu124" },
		{ "cuda_118_py39h1_0", "cu118" },
		{ "cpu_generic_py311_h1_0", "cpu" },
		{ "gpu_py39h1_0", "gpu" },
		{ "py312h0ccab_0", "" },
		{ "cuda", "" },
		{ "cudatoolkit_py3", "" },
		{ "rocm61_py312h1_0", "rocm61" },
		{ "", "" },
	};
	struct gv_arena *a = gv_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(gv_is(gv_conda_hint(a, gv_str_of(rows[i][0])), rows[i][1]));
	gv_arena_free(a);
}

static const char conda_meta[] =
    "{\n\"build\": \"cuda126_mkl_py312_h1_300\",\n\"depends\": [\n\"__cuda\",\n\"libcublas >=12.6,<13.0a0\",\n\"python "
    ">=3.12\"\n],\n"
    "\"constrains\": [\"pytorch-cpu <0\", \"__cuda >=12.6\"],\n"
    "\"files\": [\"lib/libtorch_cuda.so\", \"lib/python3.12/site-packages/torch/__init__.py\", \"bin/torchrun\"],\n"
    "\"name\": \"pytorch\", \"requested_spec\": \"pytorch=2.6\", \"version\": \"2.6.0\"}";

static void conda_installed(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "env/conda-meta/pytorch-2.6.0-cuda126_mkl_py312_h1_300.json", conda_meta);

	assert_string_equal(
	    packages_text(a, f),
	    "conda pytorch [2.6.0] here top cu126 in env: __cuda[], libcublas[>=12.6,<13.0a0], python[>=3.12], "
	    "__cuda[>=12.6]? +lib/libtorch_cuda.so +bin/torchrun\n");
	assert_string_equal(
	    needs_text(a, f),
	    "declared nvidia __cuda 4 driver\ndeclared nvidia libcublas 5\ndeclared nvidia __cuda 8 optional driver\n");
	assert_ptr_equal(f->deps.v[0].of, f->packages.v[0]);
	assert_int_equal(f->packages.v[0]->vendor, GV_NVIDIA);
	assert_true(f->packages.v[0]->listed);
	/* one without files of interest owns nothing, not everything */
	f = read_text(a, "conda-meta/x-1-0.json",
		      "{\"name\": \"x\", \"version\": \"1\", \"files\": [\"share/x.txt\"]}");
	assert_string_equal(packages_text(a, f), "conda x [1] here\n");
	assert_true(f->packages.v[0]->listed);
	/* in a package; the metadata of a .conda is beside its files */
	f = read_text(a, "d/x-1-0.conda!info-x-1-0.tar.zst!info/index.json",
		      "{\"name\": \"x\", \"version\": \"1\", \"build\": \"cpu_0\"}");
	assert_string_equal(packages_text(a, f), "conda x [1] here cpu in d/x-1-0.conda\n");
	f = read_text(a, "x-1-0.tar.bz2!info/index.json", "{\"name\": \"x\", \"version\": \"1\"}");
	assert_string_equal(packages_text(a, f), "conda x [1] here in x-1-0.tar.bz2\n");
	/* others have files of that name */
	f = read_text(a, "info/index.json", "{\"name\": \"x\", \"depends\": [\"__cuda\"]}");
	assert_int_equal(f->packages.n, 0);
	assert_int_equal(f->deps.n, 0);
	gv_arena_free(a);
}

static void conda_wishes(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f =
	    read_text(a, "env/conda-meta/history",
		      "==> 2026-01-02 <==\n# cmd: conda create\n# update specs: ['pytorch', 'cuda-version=12.4', "
		      "\"x[version='>=1']\"]\n"
		      "+conda-forge::pytorch-2.6-0\n# remove specs: ['x']\n# update specs: ['pytorch=2.6=*cuda*']\n");

	assert_string_equal(packages_text(a, f),
			    "conda pytorch [=2.6=*cuda*] asked top\nconda cuda-version [=12.4] asked top\n");
	assert_string_equal(needs_text(a, f), "declared nvidia cuda-version 3\n");
	f = read_text(
	    a, "spec.txt",
	    "# This file\n# platform: linux-64\n@EXPLICIT\nhttps://c/linux-64/libcublas-12.4.5.8-0.conda#1a2b\n"
	    "https://c/noarch/tzdata-2023c-h71feb2d_0.conda\nhttps://c/linux-64/"
	    "pytorch-2.6.0-cuda126_py312h1_0.tar.bz2\n# x\n");
	assert_string_equal(
	    packages_text(a, f),
	    "conda libcublas [12.4.5.8] locked\nconda tzdata [2023c] locked\nconda pytorch [2.6.0] locked cu126\n");
	assert_string_equal(needs_text(a, f), "declared nvidia libcublas 4\ndeclared nvidia pytorch 6\n");
	gv_arena_free(a);
}

static void conda_environment(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f;

	if (!gv_yaml_there())
		skip();
	f = read_text(
	    a, "environment.yml",
	    "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.12\n  - conda-forge::pytorch-gpu>=2\n  - "
	    "pip:\n"
	    "    - --extra-index-url https://host/whl/cu124\n    - Torch_x==2.4.0+cu124 ; python_version > '3'\n");
	assert_string_equal(packages_text(a, f), "conda python [=3.12] asked top\nconda pytorch-gpu [>=2] asked "
						 "top\npypi torch-x [2.4.0+cu124] asked top cu124\n");
	assert_string_equal(
	    needs_text(a, f),
	    "fetched nvidia https://host/whl/cu124 7\ndeclared nvidia pytorch-gpu 5\ndeclared nvidia torch-x 8\n");
	f = read_text(a, "values.yaml", "dependencies:\n  - name: postgresql\n    version: 1\n"); /* a Helm chart's */
	assert_int_equal(f->packages.n, 0);
	f = read_text(a, "environment.yml", "dependencies:\n  - a: [\n");
	assert_int_equal(f->notes.n, 1);
	gv_arena_free(a);
}

static const char conda_lock[] =
    "version: 1\nmetadata:\n  channels:\n  - url: nvidia\npackage:\n"
    "- name: cuda-runtime\n  version: 12.4.0\n  manager: conda\n  platform: linux-64\n  dependencies:\n    "
    "cuda-cudart: '>=12.4'\n"
    "  url: https://c/nvidia/linux-64/cuda-runtime-12.4.0-0.tar.bz2\n  hash:\n    md5: 11\n"
    "- name: cuda-cudart\n  version: 12.4.1\n  manager: conda\n  platform: osx-64\n  dependencies: {}\n  url: "
    "https://c/osx-64/cuda-cudart-12.4.1-0.conda\n"
    "- name: Nvidia_NCCL\n  version: '2.20'\n  manager: pip\n  dependencies:\n    torch: '*'\n  url: https://p/x.whl\n";

static const char pixi_lock[] =
    "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: "
    "https://c/linux-64/pytorch-2.6.0-cuda126_py312h1_0.conda\n"
    "packages:\n- conda: https://c/linux-64/pytorch-2.6.0-cuda126_py312h1_0.conda\n  build_number: 0\n  depends:\n  - "
    "__cuda\n  - libcublas >=12.6\n"
    "  constrains:\n  - pytorch-cpu <0\n  - __cuda >=12.6\n  run_exports:\n    weak:\n    - cudnn >=9\n"
    "- pypi: https://p/a-1.0.whl\n  name: a\n  version: '1.0'\n  requires_dist:\n  - nvidia-x>=1 ; extra == 'gpu'\n";

static void conda_locks(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "conda-lock.yml", conda_lock);

	assert_string_equal(
	    packages_text(a, f),
	    "conda cuda-runtime [12.4.0] locked: cuda-cudart[>=12.4]\npypi nvidia-nccl [2.20] locked: torch[*]\n");
	assert_string_equal(needs_text(a, f), "declared nvidia cuda-cudart 11\ndeclared nvidia torch 25\ndeclared "
					      "nvidia cuda-runtime 6\ndeclared nvidia nvidia-nccl 21\n");
	f = read_text(a, "pixi.lock", pixi_lock);
	assert_string_equal(packages_text(a, f),
			    "conda pytorch [2.6.0] locked cu126: __cuda[], libcublas[>=12.6], __cuda[>=12.6]?\n"
			    "pypi a [1.0] locked: nvidia-x[>=1]?\n");
	gv_arena_free(a);
}

/* ---- npm ---- */

static const char npm_package[] =
    "{\"name\": \"@scope/llm\",\n\"scripts\": {\"test\": \"curl https://developer.download.nvidia.com/x\",\n"
    "\"postinstall\": \"node get.js\"},\n\"dependencies\": {\"a\": \"^1\", \"b\": "
    "\"npm:@node-llama-cpp/linux-x64-cuda@3\"},\n"
    "\"optionalDependencies\": {\"@tensorflow/tfjs-node-gpu\": \"4\"}, \"os\": [\"linux\"], \"devDependencies\": "
    "{\"c\": \"1\"},\n"
    "\"version\": \"1.2.3\"}";

static void npm_packages(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "app/node_modules/@scope/llm/package.json", npm_package);

	assert_string_equal(
	    packages_text(a, f),
	    "npm @scope/llm [1.2.3] here in app/node_modules/@scope/llm: a[^1], @node-llama-cpp/linux-x64-cuda[3], "
	    "@tensorflow/tfjs-node-gpu[4]?\n");
	assert_string_equal(
	    needs_text(a, f),
	    "declared nvidia @node-llama-cpp/linux-x64-cuda 4\ndeclared nvidia @tensorflow/tfjs-node-gpu 5 optional\n");
	f = read_text(a, "llm.tgz!package/package.json", npm_package);
	assert_true(gv_is(f->packages.v[0]->dir, "llm.tgz!package"));
	f = read_text(a, "app/package.json", npm_package); /* a project: these are a user's wishes */
	assert_string_equal(packages_text(a, f), "npm a [^1] asked top\nnpm @node-llama-cpp/linux-x64-cuda [3] asked "
						 "top\nnpm @tensorflow/tfjs-node-gpu [4] asked top\n"
						 "npm c [1] asked top\nnpm @scope/llm [1.2.3] here in app\n");
	/* folders of a package that hold a package.json of their own, and its tests' */
	assert_int_equal(read_text(a, "node_modules/x/test/node-app/package.json", npm_package)->packages.n, 0);
	assert_int_equal(read_text(a, "site-packages/x/labextension/package.json", npm_package)->packages.n, 0);
	/* one that is known to download when its script runs, and the same without a script */
	f = read_text(a, "o.tgz!package/package.json",
		      "{\"name\": \"onnxruntime-node\", \"version\": \"1\", \"scripts\": {\"postinstall\": \"node "
		      "./script/install\"}}");
	assert_string_equal(needs_text(a, f), "fetched nvidia CUDA and TensorRT providers of ONNX Runtime 1\n");
	assert_true(gv_is(f->deps.v[0].quote, "postinstall: node ./script/install"));
	f = read_text(a, "o.tgz!package/package.json", "{\"name\": \"onnxruntime-node\", \"version\": \"1\"}");
	assert_int_equal(f->deps.n, 0);
	gv_arena_free(a);
}

static const char npm_lock_v3[] =
    "{\"lockfileVersion\": 3, \"packages\": {\n\"\": {\"dependencies\": {\"llm\": \"^1\"}},\n"
    "\"node_modules/llm\": {\"version\": \"1.2.3\", \"optionalDependencies\": {\"@node-llama-cpp/linux-x64-cuda\": "
    "\"3\"}},\n"
    "\"node_modules/llm/node_modules/@node-llama-cpp/linux-x64-cuda\": {\"version\": \"3.0.1\", \"optional\": true},\n"
    "\"node_modules/onnxruntime-node\": {\"version\": \"1.30.0\", \"hasInstallScript\": true}},\n"
    "\"dependencies\": {\"other\": {\"version\": \"9\"}}}";

static const char npm_lock_v1[] =
    "{\"lockfileVersion\": 1, \"dependencies\": {\"llm\": {\"version\": \"1.2.3\", \"requires\": {\"cuda\": \"3\"},\n"
    "\"dependencies\": {\"cuda\": {\"version\": \"3.1\", \"dependencies\": {}}, \"d\": {}}, \"dev\": true},\n\"e\": "
    "{\"version\": \"2\"}}}";

static const char yarn_1[] =
    "# yarn lockfile v1\n\n\"@s/llm@^1.0.0\", \"@s/llm@^1.1\":\n  version \"1.2.3\"\n  resolved \"https://r/x.tgz\"\n  "
    "dependencies:\n    a \"^2.0\"\n"
    "  optionalDependencies:\n    \"@node-llama-cpp/linux-x64-cuda\" \"3.0\"\n\na@^2.0:\n  version \"2.1.0\"\n";

static const char yarn_4[] = "__metadata:\n  version: 8\n\n\"app@workspace:.\":\n  version: 0.0.0-use.local\n  "
			     "resolution: \"app@workspace:.\"\n  dependencies:\n"
			     "    llm: \"npm:^1\"\n  languageName: unknown\n\n\"llm@npm:^1, llm@npm:^1.1\":\n  "
			     "version: 1.2.3\n  resolution: \"llm@npm:1.2.3\"\n  dependencies:\n"
			     "    \"@tensorflow/tfjs-node-gpu\": \"npm:4.22.0\"\n";

static const char pnpm_9[] = "lockfileVersion: '9.0'\nsettings:\n  autoInstallPeers: true\nimporters:\n  .:\n    "
			     "dependencies:\n      llm:\n        specifier: ^1\n        version: 1.2.3\n"
			     "packages:\n  '@tensorflow/tfjs-node-gpu@4.22.0':\n    resolution: {integrity: x}\n    "
			     "cpu: [x64]\n  llm@1.2.3:\n    resolution: {integrity: y}\n"
			     "snapshots:\n  llm@1.2.3(peer@2.0):\n    dependencies:\n      "
			     "'@tensorflow/tfjs-node-gpu': 4.22.0\n    transitivePeerDependencies:\n      - z\n";

static const char pnpm_5[] =
    "lockfileVersion: 5.4\nspecifiers:\n  llm: ^1\ndependencies:\n  llm: 1.2.3\npackages:\n\n  /@types/3d/1.0.0:\n    "
    "dev: false\n\n  /llm/1.2.3_peer@2.0.0:\n"
    "    resolution: {integrity: y}\n    optionalDependencies:\n      '@node-llama-cpp/linux-x64-cuda': 3.0.0\n";

static void npm_locks(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "app/package-lock.json", npm_lock_v3);

	assert_string_equal(
	    packages_text(a, f),
	    "npm llm [^1] asked top\nnpm llm [1.2.3] locked: @node-llama-cpp/linux-x64-cuda[3]?\n"
	    "npm @node-llama-cpp/linux-x64-cuda [3.0.1] locked\nnpm onnxruntime-node [1.30.0] locked\n");
	assert_string_equal(needs_text(a, f), "declared nvidia @node-llama-cpp/linux-x64-cuda 3 optional\n"
					      "fetched nvidia CUDA and TensorRT providers of ONNX Runtime 5\n");
	f = read_text(a, "package-lock.json", npm_lock_v1);
	assert_string_equal(
	    packages_text(a, f),
	    "npm llm [1.2.3] locked: cuda[3]\nnpm cuda [3.1] locked\nnpm d [] locked\nnpm e [2] locked\n");
	f = read_text(a, "yarn.lock", yarn_1);
	assert_string_equal(
	    packages_text(a, f),
	    "npm @s/llm [1.2.3] locked: a[^2.0], @node-llama-cpp/linux-x64-cuda[3.0]?\nnpm a [2.1.0] locked\n");
	assert_string_equal(needs_text(a, f), "declared nvidia @node-llama-cpp/linux-x64-cuda 9 optional\n");
	f = read_text(a, "yarn.lock", yarn_4);
	assert_string_equal(packages_text(a, f),
			    "npm llm [^1] asked top\nnpm llm [1.2.3] locked: @tensorflow/tfjs-node-gpu[4.22.0]\n");
	assert_string_equal(needs_text(a, f), "declared nvidia @tensorflow/tfjs-node-gpu 15\n");
	f = read_text(a, "pnpm-lock.yaml", pnpm_9);
	assert_string_equal(
	    needs_text(a, f),
	    "declared nvidia @tensorflow/tfjs-node-gpu 19\nfetched nvidia libtensorflow for CUDA 11 optional\n");
	assert_string_equal(
	    packages_text(a, f),
	    "npm llm [] asked top\nnpm @tensorflow/tfjs-node-gpu [4.22.0] locked\nnpm llm [1.2.3] locked\n"
	    "npm llm [1.2.3] locked: @tensorflow/tfjs-node-gpu[4.22.0]\n");
	f = read_text(a, "pnpm-lock.yaml", pnpm_5);
	assert_string_equal(packages_text(a, f), "npm llm [1.2.3] asked top\nnpm @types/3d [1.0.0] locked\nnpm llm "
						 "[1.2.3] locked: @node-llama-cpp/linux-x64-cuda[3.0.0]?\n");
	gv_arena_free(a);
}

/* ---- Debian, Alpine, RPM ---- */

static const char dpkg_status[] =
    "Package: libapp1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.2+dfsg-3\nDepends: libc6 (>= "
    "2.36),\n libcudart12 (>= 12.0) | libx,\n"
    " libhsa-runtime64-1:any\nSuggests: nvidia-smi\nDescription: x\n Depends: nothing\n .\n\n"
    "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\nDepends: libcudart12\n\nPackage: last\nStatus: "
    "install ok installed\nVersion: 2\n";

static void debian(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "root/var/lib/dpkg/status", dpkg_status);

	assert_string_equal(packages_text(a, f), "deb libapp1 [1.2+dfsg-3] here in root: libc6[>= 2.36], "
						 "libcudart12[>= 12.0], libx[]?, libhsa-runtime64-1[], nvidia-smi[]?\n"
						 "deb last [2] here in root\n");
	assert_string_equal(needs_text(a, f), "declared nvidia libcudart12 5\ndeclared amd libhsa-runtime64-1 "
					      "5\ndeclared nvidia nvidia-smi 8 optional\n");
	f = read_text(a, "l.tar!var/lib/dpkg/info/libapp1:amd64.list",
		      "/.\n/usr\n/usr/lib\n/usr/lib/libapp.so.1\n/usr/share/doc/x\n/lib/x/y.so\n/usr/bin/app\n");
	assert_string_equal(
	    packages_text(a, f),
	    "deb libapp1 [] here in l.tar! +usr/lib/libapp.so.1 +lib/x/y.so +usr/lib/x/y.so +usr/bin/app\n");
	f = read_text(a, "var/lib/dpkg/status.d/libapp1.md5sums",
		      "d41d8cd98f00b204e9800998ecf8427e  usr/lib/libapp.so.1\n");
	assert_string_equal(packages_text(a, f), "deb libapp1 [] here +usr/lib/libapp.so.1\n");
	f = read_text(a, "x.deb!control.tar.xz!control", "Package: libapp1\nVersion: 1\nDepends: libcublas12\n");
	assert_string_equal(packages_text(a, f), "deb libapp1 [1] here in x.deb: libcublas12[]\n");
	assert_false(f->packages.v[0]->listed);
	gv_arena_free(a);
}

static void alpine(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f = read_text(a, "lib/apk/db/installed",
				      "C:Q1\nP:app\nV:1.2-r0\nD:so:libc.musl-x86_64.so.1 so:libcuda.so.1 !old foo>=2 "
				      "cmd:sh\nF:usr/lib\nR:libapp.so.1\nZ:Q1\nR:x.txt\n\n"
				      "P:foo\nV:2-r1\n");

	assert_string_equal(packages_text(a, f),
			    "apk app [1.2-r0] here: foo[>=2] +usr/lib/libapp.so.1\napk foo [2-r1] here\n");
	assert_string_equal(needs_text(a, f), "declared nvidia libcuda.so.1 4 driver\n");
	f = read_text(a, "etc/apk/world", "app foo>2\n!bar\n");
	assert_string_equal(packages_text(a, f), "apk app [] asked top\napk foo [>2] asked top\n");
	f = read_text(a, "app.apk!.PKGINFO",
		      "# Generated\npkgname = app\npkgver = 1.2-r0\ndepend = so:libcudart.so.12\n");
	assert_string_equal(packages_text(a, f), "apk app [1.2-r0] here in app.apk\n");
	assert_int_equal(read_text(a, "app.pkg.tar.zst!.PKGINFO", "pkgname = app\n")->packages.n, 0);
	gv_arena_free(a);
}

static void put32(char *p, uint32_t v)
{
	for (size_t i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * (3 - i));
}

/* A header of these tags; returns its size. */
struct tag {
	uint32_t tag, count;
	const char *values; /* strings with a NUL each, or the bytes of numbers */
	size_t n;
};

static size_t put_header(char *p, const struct tag *tags, size_t n)
{
	size_t at = 0;

	put32(p, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		put32(p + 8 + 16 * i, tags[i].tag);
		put32(p + 8 + 16 * i + 4, 8);
		put32(p + 8 + 16 * i + 8, (uint32_t)at);
		put32(p + 8 + 16 * i + 12, tags[i].count);
		memcpy(p + 8 + 16 * n + at, tags[i].values, tags[i].n);
		at += tags[i].n;
	}
	put32(p + 4, (uint32_t)at);
	return 8 + 16 * n + at;
}

#define LIST(s) s, sizeof(s)
static const struct tag rpm_tags[] = {
	{ 1000, 1, LIST("app") },
	{ 1001, 1, LIST("1.2") },
	{ 1002, 1, LIST("3.el9") },
	{ 1024, 1, LIST("dnf install -y cuda-toolkit-12-4") },
	{ 1049, 4, LIST("cuda-cudart-12-4\0libcuda.so.1()(64bit)\0libcuda.so.1(V)(64bit)\0rpmlib(X)") },
	{ 1050, 4, LIST("12.4.99\0\0\0") },
	{ 5046, 1, LIST("rocm-core") },
};

static size_t put_rpm(char *p)
{
	static const struct tag signature = { 62, 1, LIST("seven7") };

	memset(p, 0, 96);
	put32(p, 0xedabeedb);
	put32(p + 96, 0x8eade801);
	put32(p + 100, 0);
	put_header(p + 104, &signature, 1); /* 104 + 8 + 16 + 7: padded to 136 */
	p[135] = 0;
	put32(p + 136, 0x8eade801);
	put32(p + 140, 0);
	return 144 + put_header(p + 144, rpm_tags, 7);
}

static void rpm(void **state)
{
	struct gv_arena *a = gv_arena_new();
	char b[1024] = { 0 };
	size_t n = put_rpm(b);
	struct gv_file *f = inspected(a, "app.rpm", (gv_str){ b, n }, 0);

	assert_string_equal(packages_text(a, f),
			    "rpm app [1.2-3.el9] here in app.rpm: cuda-cudart-12-4[12.4.99], rocm-core[]?\n");
	assert_string_equal(needs_text(a, f), "declared nvidia cuda-cudart-12-4 0\ndeclared nvidia libcuda.so.1 0 "
					      "driver\ndeclared amd rocm-core 0 optional\n"
					      "fetched nvidia cuda-toolkit-12-4 1\n");
	for (size_t cut = 112; cut < n; cut++) { /* cut off anywhere, it is said */
		char *own = malloc(cut);

		memcpy(own, b, cut);
		f = inspected(a, "app.rpm", (gv_str){ own, cut }, 0);
		assert_int_equal(f->packages.n, 0);
		assert_int_equal(f->notes.n, 1);
		free(own);
	}
	for (size_t i = 96; i < n; i += 4) { /* numbers near 2^32 */
		char own[1024];

		memcpy(own, b, n);
		put32(own + i, 0xfffffff0);
		inspected(a, "app.rpm", (gv_str){ own, n }, 0);
	}
	gv_arena_free(a);
}

/* ---- Scripts ---- */

static void scripts(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_file *f =
	    read_text(a, "Dockerfile",
		      "FROM --platform=linux/amd64 docker.io/nvidia/cuda:12.4.1-devel AS build\nRUN apt-get update && "
		      "apt-get install -y \\\n    curl \\\n# a comment\n    libcudnn9-cuda-12=9.1.* \\\n"
		      " && echo done\nRUN pip install torch==2.4.0+cu124 --index-url https://host/whl/cu124\nRUN rm "
		      "libcublas12\nFROM debian:12\nFROM nvidia/cuda-nothing\n");

	assert_string_equal(needs_text(a, f),
			    "fetched nvidia nvidia/cuda:12.4.1-devel 1\nfetched nvidia libcudnn9-cuda-12=9.1.* "
			    "5\nfetched nvidia https://host/whl/cu124 7\n"
			    "fetched nvidia torch==2.4.0+cu124 7\nfetched nvidia nvidia/cuda-nothing 10\n");
	assert_true(gv_is(f->deps.v[2].quote, "RUN pip install torch==2.4.0+cu124 --index-url https://host/whl/cu124"));
	/* the index says which build it is, also behind the names; without one it is the default */
	f = read_text(a, "Dockerfile",
		      "RUN pip install torch \\\n  --index-url https://host/whl/cpu && pip3 install "
		      "--index-url=https://host/whl/rocm6.1 torchvision; uv pip install -U torch\n");
	assert_string_equal(
	    needs_text(a, f),
	    "fetched amd https://host/whl/rocm6.1 2\nfetched amd torchvision 2\nfetched nvidia torch 2\n");
	assert_true(f->deps.v[2].by_default && !f->deps.v[1].by_default);
	f = read_text(a, "setup.py", "import sys\nsys.exit(\n  \"Run: uv pip install --no-deps 'cupy-cuda12x==13.1'\\n\"\n)\n");
	assert_string_equal(needs_text(a, f), "fetched nvidia cupy-cuda12x==13.1 3\n");
	f = read_text(a, "get",
		      "#!/usr/bin/env bash\nwget -q "
		      "\"https://developer.download.nvidia.com/compute/cuda_${V}_linux.run\"; sh cuda_1_linux.run\n"
		      "echo \"see <https://developer.download.nvidia.com/x>\"\necho \"deb "
		      "https://repo.radeon.com/rocm/apt jammy main\" > /etc/apt/sources.list.d/rocm.list\n");
	assert_string_equal(needs_text(a, f),
			    "fetched nvidia https://developer.download.nvidia.com/compute/cuda_${V}_linux.run "
			    "2\nfetched amd https://repo.radeon.com/rocm/apt 4\n");
	f = read_text(a, "script/install-metadata.js",
		      "// Microsoft.ML.OnnxRuntime.Gpu\nconst x = { name: 'Microsoft.ML.OnnxRuntime.Gpu.Linux' };\n");
	assert_string_equal(needs_text(a, f), "fetched nvidia Microsoft.ML.OnnxRuntime.Gpu.Linux 2\n");
	f = read_text(
	    a, "setup.py",
	    "raise SystemExit('see https://developer.download.nvidia.com/')\nprint('https://repo.radeon.com')\nurl = "
	    "'https://developer.nvidia.com/cuda-zone'\n"
	    "# pip install cupy https://pypi.nvidia.com\nsubprocess.run(['pip', 'list', 'nvidia-cudnn'])\n");
	assert_string_equal(needs_text(a, f), "");
	f = read_text(a, "Dockerfile",
		      "RUN conda create -y -n cuda -c nvidia/label/cuda-12.4 python && conda install -n cuda -c nvidia "
		      "cuda-toolkit\n"
		      "RUN apt-get install -y -t cuda curl\n");
	assert_string_equal(needs_text(a, f), "fetched nvidia cuda-toolkit 1\n");
	/* a program with a shell script in front of it, other scripts */
	assert_null(inspected(a, "x.run", (gv_str){ "#!/bin/sh\n\0\x7f", 12 }, 0)->type);
	assert_null(read_text(a, "x.py", "wget https://repo.radeon.com/x\n")->type);
	gv_arena_free(a);
}

/* ---- What is not as it should be ---- */

static void cut_anywhere(void **state)
{
	static const char *const files[][2] = {
		{ "conda-meta/x.json", conda_meta },
		{ "conda-lock.yml", conda_lock },
		{ "pixi.lock", pixi_lock },
		{ "node_modules/a/package.json", npm_package },
		{ "package-lock.json", npm_lock_v3 },
		{ "package-lock.json", npm_lock_v1 },
		{ "yarn.lock", yarn_1 },
		{ "yarn.lock", yarn_4 },
		{ "pnpm-lock.yaml", pnpm_9 },
		{ "pnpm-lock.yaml", pnpm_5 },
		{ "var/lib/dpkg/status", dpkg_status },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t n = 0; n < strlen(files[i][1]); n++) {
			struct gv_arena *a = gv_arena_new();
			char *own = malloc(n + 1); /* a byte beyond it would be seen */
			struct gv_file *f;

			memcpy(own, files[i][1], n);
			f = inspected(a, files[i][0], (gv_str){ own, n }, 0);
			if (gv_ends(gv_str_of(files[i][0]), ".json"))
				assert_int_equal(f->notes.n, 1);
			free(own);
			gv_arena_free(a);
		}
}

static void too_much(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_buf b = { 0 };
	struct gv_file *f;

	gv_puts(&b, "{\"lockfileVersion\": 1, \"dependencies\": ");
	for (int i = 0; i < 1000; i++)
		gv_puts(&b, "{\"a\": {\"version\": \"1\", \"dependencies\": ");
	f = inspected(a, "package-lock.json", gv_buf_str(&b), 0);
	assert_true(f->packages.n > 10 && f->packages.n < 64);
	assert_int_equal(f->notes.n, 1);
	b.n = 0;
	gv_puts(&b, "Package: a\nVersion: 1\nStatus: install ok installed\nDepends: b");
	for (int i = 0; i < 300000; i++)
		gv_puts(&b, ",cuda");
	f = inspected(a, "var/lib/dpkg/status", gv_buf_str(&b), 0);
	assert_int_equal(f->packages.v[0]->requires.n, 200000);
	assert_true(f->deps.n < 10000);
	assert_true(f->notes.n > 0);
	gv_buf_free(&b);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conda_specs),
		cmocka_unit_test(conda_builds),
		cmocka_unit_test(conda_installed),
		cmocka_unit_test(conda_wishes),
		cmocka_unit_test(conda_environment),
		cmocka_unit_test(conda_locks),
		cmocka_unit_test(npm_packages),
		cmocka_unit_test(npm_locks),
		cmocka_unit_test(debian),
		cmocka_unit_test(alpine),
		cmocka_unit_test(rpm),
		cmocka_unit_test(scripts),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
