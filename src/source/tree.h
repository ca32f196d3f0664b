/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes: of a folder, of archives, of archives in archives. Nothing is written to disk, no link followed. */
#pragma once

#include "sys/archive.h"
#include "sys/file.h"

struct gv_tree_item {
	gv_str path; /* of a file: as given to gv_tree_file(); "a.whl!x/y.so" for members of archives */
	enum gv_ar_type type;
	gv_str link;	/* of links: the target as written */
	bool hard;	/* of links: of the archive, not of the file system */
	uint64_t size;	/* UINT64_MAX: not known */
	unsigned depth; /* archives around it */
	int err;	/* 0, or why it cannot be read (a positive errno); EACCES: encrypted */
	gv_str head;	/* its first bytes, GV_AR_HEAD of them or all */
	/* All of it, in `bytes` where read is NULL; else what follows the head comes from read(): how many bytes, 0 at
	 * the end, or -errno. */
	gv_str bytes;
	ssize_t (*read)(void *ctx, char *p, size_t n);
	void *ctx;
};

struct gv_tree_limits {
	struct gv_ar_budget archives; /* `document` is not used */
	unsigned nesting;
};

struct gv_tree_sink {
	/* Of each item that is not opened as an archive, and of archives when they are met (`opened`). What it returns
	 * other than 0 ends the file that it was called for. */
	int (*item)(void *ctx, const struct gv_tree_item *it, bool opened);
	/* Something could not be read, or not all of it. */
	void (*unread)(void *ctx, gv_str path, gv_str why);
	void *ctx;
};

/* A regular file (the descriptor stays open): the file itself, or what is in it where it is an archive. 0, what the
 * sink said, or -errno where it cannot be read. */
int gv_tree_file(int fd, gv_str path, uint64_t size, struct gv_tree_limits *left, const struct gv_tree_sink *sink);
