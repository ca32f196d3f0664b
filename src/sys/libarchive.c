/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/libarchive.h"

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

const struct gv_libarchive *gv_libarchive(const char **ret_why)
{
	static struct gv_libarchive lib;
	static int loaded; /* 1 yes, -1 no */
	static const char *why;
	void *fns[COUNT];

	if (!loaded) {
		loaded = gv_dl_load(SONAME, names, fns, COUNT, &why) < 0 ? -1 : 1;
		for (size_t i = 0; loaded > 0 && i < COUNT; i++)
			if (!fns[i]) {
				why = SONAME " lacks a function: it is too old";
				loaded = -1;
			}
		if (loaded > 0)
			memcpy(&lib, fns, sizeof(lib));
	}
	*ret_why = why;
	return loaded > 0 ? &lib : NULL;
}
