/* SPDX-License-Identifier: Apache-2.0 */
/* setup.py of a project, as far as its text says it without being run: requirements written out as texts, and
 * extensions that are built for GPUs when it is installed. */
#pragma once

#include "inspect/inventory.h"

void gv_py_setup(struct gv_inspect *x, gv_str text);
