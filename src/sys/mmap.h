/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory without being read. */
#pragma once

#include "base/str.h"

/* All of a regular file of that size; -errno. To be given back. */
int gv_map_file(int fd, uint64_t size, gv_str *ret);
void gv_unmap_file(gv_str bytes);

/* Runs fn, which may touch mapped files: 0, or -EIO where a file turned out to be shorter than it was, or not readable;
 * then fn did not come to its end, and what it holds is lost. One call at a time in each thread. */
int gv_map_guard(void (*fn)(void *ctx), void *ctx);
