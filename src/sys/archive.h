/* SPDX-License-Identifier: Apache-2.0 */
/* Archives and compressed files, in memory; nothing is ever written to disk. */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "base/str.h"

/* By content alone, never by name; a text is never an archive. The compressed kinds may hold a tar. */
enum gv_ar_kind {
	GV_AR_NONE,
	GV_AR_TAR,
	GV_AR_ZIP,
	GV_AR_GZIP,
	GV_AR_BZIP2,
	GV_AR_XZ,
	GV_AR_ZSTD,
	GV_AR_LZ4,
	GV_AR_DEB, /* a package of Debian's kind: an archive of two tars */
};
enum gv_ar_kind gv_ar_kind(gv_str bytes);
#define GV_TAR_BLOCK 512 /* bytes that tell a tar */
bool gv_ar_is_tar(gv_str bytes);

/* What may still be read. `members` and `total` count down; pass the same one to walks of archives within archives (the
 * callback may start them; how deep is its caller's matter). */
struct gv_ar_pool {
	_Atomic uint64_t members, total, more;
};

struct gv_ar_budget {
	size_t members;
	uint64_t total;	 /* inflated bytes */
	size_t document; /* bytes of one member; 0: all come through `more` */
	uint64_t more;	 /* bytes read through `more`, which do not count in total */
	/* Where walks of several threads share it: what is left for all of them; each takes some at a time of it when
	 * its own is used up. NULL: what is above is all. */
	struct gv_ar_pool *pool;
};
#define GV_AR_BUDGET                                                                                                   \
	((struct gv_ar_budget){                                                                                        \
	    .members = 10000, .total = 1u << 30, .document = 64u << 20, .more = (uint64_t)16 << 30 })

enum gv_ar_type { GV_AR_FILE, GV_AR_DIR, GV_AR_LINK, GV_AR_OTHER /* device, FIFO */ };

struct gv_ar_member {
	gv_str name; /* relative, without "." and ".."; NUL-terminated; "." for the top folder */
	enum gv_ar_type type;
	gv_str link; /* of links, symbolic and hard: the target as written */
	bool hard;   /* of links */
	/* 0; EFBIG: above the document limit, bytes hold at most as much as was read; EACCES: encrypted; EBADMSG:
	 * damaged, bytes hold what came before */
	int err;
	gv_str bytes;  /* of files; lives during the call: gv_dup() what stays */
	uint64_t size; /* as the archive says; that of bytes where it does not */
	int64_t mtime; /* seconds since 1970, 0 where unknown */
	/* With EFBIG: what follows `bytes`, up to n of it, 0 at the end, or -errno. What is read so counts for no
	 * limit, but that of its own. NULL where the member cannot be read. */
	ssize_t (*more)(void *ctx, char *p, size_t n);
	void *more_ctx;
};

/* Calls fn for each member in the order of the archive. A compressed file that is no tar is one member, called by the
 * last part of `name` without its suffix. What fn returns other than 0 ends the walk and is returned. Else 0, or with a
 * line in err (no newline): -ENOTSUP no archive, -ENOENT no libarchive on this machine or in this build, -EBADMSG
 * damaged, -EACCES some members are encrypted (the others came), -E2BIG a limit ended the walk. */
int gv_ar_walk(gv_str bytes, gv_str name, struct gv_ar_budget *left, int (*fn)(void *ctx, const struct gv_ar_member *m),
	       void *ctx, struct gv_buf *err);

/* The same of an archive that comes piece by piece: `head` is what was read of it already (GV_AR_HEAD bytes, or all
 * there is), read() gives what follows: how many bytes, 0 at the end, or -errno. */
#define GV_AR_HEAD 4096
struct gv_ar_feed {
	gv_str head;
	ssize_t (*read)(void *ctx, char *p, size_t n);
	void *ctx;
};
int gv_ar_walk_feed(const struct gv_ar_feed *feed, gv_str name, struct gv_ar_budget *left,
		    int (*fn)(void *ctx, const struct gv_ar_member *m), void *ctx, struct gv_buf *err);
