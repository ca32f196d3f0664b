/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries that are loaded when they are needed, and may be absent. */
#pragma once

#include <stddef.h>

/* Loads `soname` (with its version) and looks up n symbols into ret_fns; a symbol that is not there becomes NULL. The
 * library stays loaded. -ENOENT where it cannot be loaded: *ret_why is the loader's text, static until the next call. */
int gv_dl_load(const char *soname, const char *const *names, void **ret_fns, size_t n, const char **ret_why);
