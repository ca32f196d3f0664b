/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders. All return 0 or -errno (results untouched then). */
#pragma once

#include "base/arena.h"

/* Opens a regular file for reading (close-on-exec), returns the descriptor or -errno. Never blocks on what it finds:
 * -ENOTSUP for FIFOs, sockets and devices (which are not even opened), -EISDIR for folders. */
int gv_file_open(const char *path);		  /* symbolic links are followed: the user named it */
int gv_file_open_at(int dirfd, const char *name); /* -ELOOP where the last component is a symbolic link */

/* Opens a pipe that has a name (a FIFO, /dev/fd/N of a shell's "<(command)"); reads of it wait. -ENOTSUP for the rest. */
int gv_pipe_open(const char *path);
void gv_fd_close(int fd); /* negative ones are left alone */

/* The whole file (up to its end also in /proc and /sys, where sizes lie); -EFBIG above limit bytes. NUL-terminated
 * beyond n. */
int gv_file_read(const char *path, size_t limit, struct gv_arena *a, gv_str *ret);
int gv_file_head(const char *path, size_t n, struct gv_arena *a, gv_str *ret); /* its first bytes, at most n */
int gv_file_read_at(int dirfd, const char *name, size_t limit, struct gv_arena *a, gv_str *ret);
/* From any descriptor, standard input too, up to its end; waits for what is still to come. */
bool gv_stdin_waits(void); /* something was piped to this program, and nobody has read it */
int gv_fd_read(int fd, size_t limit, struct gv_arena *a, gv_str *ret);

#define GV_STDOUT 1
int gv_write_all(int fd, gv_str s);

/* A file that is there under its name only once it is whole, readable by its owner alone. A path that is a device or a FIFO is
 * written to as it is. */
struct gv_newfile {
	int fd;
	char *path, *draft; /* draft NULL: written in place */
};
int gv_newfile_open(struct gv_newfile *f, const char *path);
/* r: how the writing went; where it is not 0, or closing fails, the draft goes. Returns what went wrong first, or 0. */
int gv_newfile_close(struct gv_newfile *f, int r);
/* Removes a draft that is being written; a signal that ends the program does so by itself. */
void gv_newfile_abandon(void);

enum gv_walk_kind { GV_WALK_FILE, GV_WALK_DIR, GV_WALK_LINK, GV_WALK_OTHER /* FIFO, socket, device; never opened */ };

struct gv_walk_entry {
	gv_str path; /* relative to the root, NUL-terminated; empty for the root itself */
	enum gv_walk_kind kind;
	int err;   /* 0, or why it cannot be looked at (a positive errno); E2BIG: a folder beyond the depth limit */
	int dirfd; /* with name, for gv_file_read_at() during the callback */
	const char *name;
	uint64_t size; /* of files, in bytes, as the system says */
	gv_str link;   /* of links: their target, as text */
};

struct gv_walk_limits {
	unsigned depth; /* folders within folders, the root counts 0 */
	size_t members;
};
#define GV_WALK_LIMITS ((struct gv_walk_limits){ .depth = 16, .members = 10000 })
#define GV_WALK_DEPTH_MAX 64 /* a higher depth counts as this one */

/* Everything under a folder, depth first, siblings in natural order, a folder before what is in it. Symbolic links are
 * reported, never followed (that path itself may be one). What fn returns other than 0 ends the walk and is returned;
 * -E2BIG where there are more members than the limit, after that many calls. Views live during the call. */
int gv_dir_walk(const char *path, struct gv_walk_limits limits, int (*fn)(void *ctx, const struct gv_walk_entry *e),
		void *ctx);

/* The last bytes of a regular file, from a line's beginning on where not all of it fits: *ret_cut. */
int gv_file_tail(const char *path, size_t limit, struct gv_arena *a, gv_str *ret, bool *ret_cut);
