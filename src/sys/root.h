/* SPDX-License-Identifier: Apache-2.0 */
/* The one path layer of the live look: absolute paths below a root, which is / or a recorded tree. In a recorded tree
 * symbolic links, absolute ones too, stay below the root. All return 0 or -errno. */
#pragma once

#include "base/arena.h"

struct gv_root;

/* dir NULL or "/": this machine. -ENOSYS where a recorded tree is asked for and the kernel (before Linux 5.6) cannot
 * keep links inside it. */
int gv_root_open(const char *dir, struct gv_arena *a, struct gv_root **ret);
void gv_root_close(struct gv_root *r);
int gv_root_fd(const struct gv_root *r);	/* the open folder of a recorded tree; 0: this machine's / */
bool gv_root_recorded(const struct gv_root *r); /* not this machine's / */

/* A regular file (of /proc and /sys too), up to limit bytes: -EFBIG where it is longer. */
int gv_root_read(const struct gv_root *r, const char *path, size_t limit, struct gv_arena *a, gv_str *ret);
/* Names in a folder, in natural order, without "." and "..". */
int gv_root_list(const struct gv_root *r, const char *path, struct gv_arena *a, gv_str **ret, size_t *ret_n);
/* The target of a symbolic link, as text. -EINVAL where it is none. */
int gv_root_link(const struct gv_root *r, const char *path, struct gv_arena *a, gv_str *ret);
/* All records of the kernel's log that are there now, in the form of /dev/kmsg; the newest ones where they are more
 * than limit bytes. In a recorded tree an ordinary file. */
int gv_root_kmsg(const struct gv_root *r, size_t limit, struct gv_arena *a, gv_str *ret);
