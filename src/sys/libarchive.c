/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/libarchive.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "sys/dl.h"

#define SONAME "libarchive.so.13"
GV_DL_NOTE(note, "archive", "tar, zip and compressed files", "recommended", SONAME);

static const char *const names[] = {
#define X(f) #f,
	GV_LIBARCHIVE(X)
#undef X
};

#define COUNT (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(struct gv_libarchive) == COUNT * sizeof(void *), "one pointer a symbol");

static struct gv_libarchive lib;
static bool loaded;
static const char *why;

static void load(void)
{
	void *fns[COUNT];

	if (gv_dl_load(SONAME, names, fns, COUNT, &why) < 0)
		return;
	for (size_t i = 0; i < COUNT; i++)
		if (!fns[i]) {
			why = SONAME " lacks a function: it is too old";
			return;
		}
	memcpy(&lib, fns, sizeof(lib));
	loaded = true;
}

/* The readers of an inventory come to their first archives at the same time. */
const struct gv_libarchive *gv_libarchive(const char **ret_why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	*ret_why = why;
	return loaded ? &lib : NULL;
}
