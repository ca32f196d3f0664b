/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void gv_buf_free(struct gv_buf *b)
{
	free(b->p);
	*b = (struct gv_buf){ 0 };
}

static char *room(struct gv_buf *b, size_t n)
{
	if (b->cap - b->n < n) {
		size_t cap = b->cap ? b->cap : 4096;

		while (cap - b->n < n) {
			if (cap > SIZE_MAX / 2)
				gv_oom();
			cap *= 2;
		}
		b->p = realloc(b->p, cap);
		if (!b->p)
			gv_oom();
		b->cap = cap;
	}
	return b->p + b->n;
}

void gv_put(struct gv_buf *b, gv_str s)
{
	if (!s.n)
		return;
	memcpy(room(b, s.n), s.p, s.n);
	b->n += s.n;
}

void gv_puts(struct gv_buf *b, const char *z)
{
	gv_put(b, gv_str_of(z));
}

void gv_putc(struct gv_buf *b, char c)
{
	*room(b, 1) = c;
	b->n++;
}

void gv_pad(struct gv_buf *b, char c, size_t n)
{
	if (!n)
		return;
	memset(room(b, n), c, n);
	b->n += n;
}

void gv_printf(struct gv_buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		vsnprintf(room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

gv_str gv_buf_str(const struct gv_buf *b)
{
	return (gv_str){ b->p, b->n };
}
