/* SPDX-License-Identifier: Apache-2.0 */
/* Files and pipes that are read piece by piece, and how many processors may do that. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of a regular file, in bytes; -1 for all else. */
int64_t gv_fd_size(int fd);
/* Up to n bytes, fewer only at the end; waits for them. The number, or -errno. */
ssize_t gv_fd_some(int fd, char *p, size_t n);
ssize_t gv_fd_at(int fd, uint64_t at, char *p, size_t n);
/* Everything up to the end, or more than limit bytes (1 is returned then), into memory of malloc(): *ret_p, *ret_n,
 * also on failure. 0 or -errno. */
int gv_fd_take(int fd, size_t limit, char **ret_p, size_t *ret_n);

unsigned gv_processors(void); /* that this process may run on, at least 1 */
