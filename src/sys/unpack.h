/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of compressed bytes. */
#pragma once

#include <sys/types.h>

#include "base/str.h"

/* Up to n bytes of what a zstd frame or a zlib stream, of which at least the beginning is there, unpacks to: how many
 * (fewer where the bytes end, or are damaged further on), or -errno: -ENOENT no library here that can, -EBADMSG damaged
 * from the first byte on, -ENOTSUP neither of the two. Of several threads at a time. */
ssize_t gv_unpack_head(gv_str packed, char *p, size_t n);
