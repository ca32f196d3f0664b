/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive, loaded at the first archive: with what it brings along (libxml2, ICU, libstdc++) it would cost each start of
 * the program four times what the rest of it does. */
#pragma once

#include <archive.h>
#include <archive_entry.h>

#define GV_LIBARCHIVE(X)                                                                                               \
	X(archive_entry_filetype)                                                                                      \
	X(archive_entry_hardlink)                                                                                      \
	X(archive_entry_is_encrypted)                                                                                  \
	X(archive_entry_mtime)                                                                                         \
	X(archive_entry_mtime_is_set)                                                                                  \
	X(archive_entry_pathname)                                                                                      \
	X(archive_entry_pathname_utf8)                                                                                 \
	X(archive_entry_size)                                                                                          \
	X(archive_entry_size_is_set)                                                                                   \
	X(archive_entry_symlink)                                                                                       \
	X(archive_errno)                                                                                               \
	X(archive_error_string)                                                                                        \
	X(archive_format)                                                                                              \
	X(archive_read_append_filter)                                                                                  \
	X(archive_read_data)                                                                                           \
	X(archive_read_data_skip)                                                                                      \
	X(archive_read_free)                                                                                           \
	X(archive_read_new)                                                                                            \
	X(archive_read_next_header)                                                                                    \
	X(archive_read_open)                                                                                           \
	X(archive_read_open_memory)                                                                                    \
	X(archive_read_support_format_ar)                                                                              \
	X(archive_read_support_format_raw)                                                                             \
	X(archive_read_support_format_tar)                                                                             \
	X(archive_read_support_format_zip)

struct gv_libarchive {
#define X(f) __typeof__(f) *f;
	GV_LIBARCHIVE(X)
#undef X
};

/* NULL where it is not there, or too old: *ret_why says so. */
const struct gv_libarchive *gv_libarchive(const char **ret_why);
