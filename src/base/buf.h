/* SPDX-License-Identifier: Apache-2.0 */
/* A text buffer on the heap that grows; reports are written into one and printed at the end in one piece. */
#pragma once

#include <stdarg.h>

#include "base/str.h"

struct gv_buf {
	char *p;
	size_t n, cap;
};

void gv_buf_free(struct gv_buf *b);
void gv_put(struct gv_buf *b, gv_str s);
void gv_puts(struct gv_buf *b, const char *z);
void gv_putc(struct gv_buf *b, char c);
void gv_pad(struct gv_buf *b, char c, size_t n);
void gv_printf(struct gv_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
gv_str gv_buf_str(const struct gv_buf *b);
