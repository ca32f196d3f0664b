/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries that are loaded when they are needed, and may be absent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Loads `soname` (with its version) and looks up n symbols into ret_fns; a symbol that is not there becomes NULL. The
 * library stays loaded. -ENOENT where it cannot be loaded: *ret_why is the loader's text, static until the next call. */
int gv_dl_load(const char *soname, const char *const *names, void **ret_fns, size_t n, const char **ret_why);

/* A library that may be loaded, in an ELF note, so that packaging tools see it (the format is systemd's, "ELF dlopen()
 * metadata"): once at the top of a file, with string literals. `priority`: required, recommended or suggested. */
#define GV_DL_NOTE(var, feature, what, priority, soname)                                                               \
	GV_DL_NOTE_(var, "[{\"feature\":\"" feature "\",\"description\":\"" what "\",\"priority\":\"" priority         \
			 "\",\"soname\":[\"" soname "\"]}]")
#define GV_DL_NOTE_(var, json)                                                                                         \
	static const struct {                                                                                          \
		uint32_t name_size, json_size, type;                                                                   \
		char name[4];                                                                                          \
		_Alignas(4) char text[sizeof(json)];                                                                   \
	} var __attribute__((used, section(".note.dlopen"), aligned(4))) GV_DL_PLAIN = { 4, sizeof(json), 0x407c0c0a,  \
											 "FDO", json }
#ifdef __clang__ /* its sanitizer puts gaps between variables */
#define GV_DL_PLAIN __attribute__((no_sanitize("address")))
#else
#define GV_DL_PLAIN
#endif
