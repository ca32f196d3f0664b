/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tar archives, in the ustar form with pax headers for long names: a library would be more than a sick node may
 * have. */
#pragma once

#include "base/str.h"

/* One regular file. name: relative; leading slashes and ".." go. 0 or -errno. */
int gv_tar_add(int fd, gv_str name, gv_str bytes, double mtime);
int gv_tar_end(int fd);
