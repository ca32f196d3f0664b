/* SPDX-License-Identifier: Apache-2.0 */
/* What a script or command downloads of a GPU vendor, as far as one line says so (data/gpu-fetches.tsv): where it comes
 * from, or the names that a package manager is told to install. What only might be downloaded is not told. */
#pragma once

#include "inspect/common_package.h"

/* A line of a script, or a command in a document. */
void gv_fetch_line(struct gv_inspect *x, gv_str text, uint32_t line);
/* A whole script: comments and what is only printed are left out, lines that go on are one command. */
void gv_fetch_script(struct gv_inspect *x, gv_str bytes);
/* An npm package that runs a script at installation, which is known to download something. */
void gv_fetch_npm(struct gv_inspect *x, struct gv_package *p, gv_str quote, uint32_t line);
