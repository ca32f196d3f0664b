/* SPDX-License-Identifier: Apache-2.0 */
/* What conda writes into all of its documents. */
#pragma once

#include "inspect/common_package.h"

struct gv_conda_spec {
	gv_str name; /* without the channel */
	gv_str spec; /* version and build as written */
};

/* "conda-forge::pytorch >=2.4 cuda*", "numpy=1.26.4=py312h1_0", "pytorch[version='>=2', build=cuda*]" */
struct gv_conda_spec gv_conda_spec_of(gv_str text);
/* A hint of a build string, in the form of a local version: "cuda126_mkl_py312" -> "cu126", "cpu_generic" -> "cpu". It
 * is a hint only: build strings have no grammar. */
gv_str gv_conda_hint(struct gv_arena *a, gv_str build);
/* Sets `local` and `vendor` by the build string, which may be empty. */
void gv_conda_build(struct gv_inspect *x, struct gv_package *p, gv_str build);
/* A requirement; "__cuda", what the driver can do, is one of NVIDIA's driver. */
void gv_conda_require(struct gv_inspect *x, struct gv_package *p, gv_str text, bool optional, uint32_t line);
/* "linux-64/pytorch-2.4.0-cuda126_py312h1_0.conda" and what is in front of it. False where it is no name of a package.
 */
bool gv_conda_archive(gv_str url, gv_str *ret_name, gv_str *ret_version, gv_str *ret_build);
/* A user's wish, as a package that is asked for. */
struct gv_package *gv_conda_wish(struct gv_inspect *x, gv_str text, uint32_t line);
