/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/unpack.h"

#include <errno.h>

ssize_t gv_unpack_head(gv_str packed, char *p, size_t n)
{
	return -ENOENT;
}
