/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal that the output goes to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Columns of the terminal behind fd: COLUMNS where it is a number, else what the terminal says, from 40 to 120; 80
 * where fd is no terminal. */
size_t gv_term_width(int fd);
/* Whether the locale's character set is UTF-8, as LC_ALL, LC_CTYPE and LANG name it: no locale file is opened. */
bool gv_term_utf8(void);
/* Says on standard error what goes on, where that is a terminal; NULL takes it away again. */
void gv_term_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
