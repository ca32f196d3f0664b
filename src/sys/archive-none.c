/* SPDX-License-Identifier: Apache-2.0 */
/* In place of archive.c where gpuvet is built without libarchive. */
#include <errno.h>

#include "sys/archive.h"

int gv_ar_walk(gv_str bytes, gv_str name, struct gv_ar_budget *left, int (*fn)(void *ctx, const struct gv_ar_member *m),
	       void *ctx, struct gv_buf *err)
{
	if (gv_ar_kind(bytes) == GV_AR_NONE) {
		gv_puts(err, "no archive");
		return -ENOTSUP;
	}
	gv_puts(err, "archives cannot be read: built without libarchive");
	return -ENOENT;
}

int gv_ar_walk_feed(const struct gv_ar_feed *feed, gv_str name, struct gv_ar_budget *left,
		    int (*fn)(void *ctx, const struct gv_ar_member *m), void *ctx, struct gv_buf *err)
{
	return gv_ar_walk(feed->head, name, left, fn, ctx, err);
}
