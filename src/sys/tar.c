/* SPDX-License-Identifier: Apache-2.0 */
/* Source: POSIX.1-2001, "ustar Interchange Format" and "pax Header Block". */
#include "sys/tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "sys/file.h"

#define BLOCK 512

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2],
	    user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a tar header is one block");

static const char zeros[2 * BLOCK];

static int put_header(int fd, gv_str name, size_t size, double mtime, char type)
{
	struct header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	unsigned sum = 0;

	memcpy(h.name, name.p, name.n < sizeof(h.name) ? name.n : sizeof(h.name));
	snprintf(h.mode, sizeof(h.mode), "%07o", 0644U);
	snprintf(h.uid, sizeof(h.uid), "%07o", 0U);
	snprintf(h.gid, sizeof(h.gid), "%07o", 0U);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size & 077777777777);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo", (unsigned long long)(mtime > 0 ? mtime : 0) & 077777777777);
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	return gv_write_all(fd, (gv_str){ (const char *)&h, sizeof(h) });
}

static int put_bytes(int fd, gv_str bytes)
{
	int r = gv_write_all(fd, bytes);

	if (!r && bytes.n % BLOCK)
		r = gv_write_all(fd, (gv_str){ zeros, BLOCK - bytes.n % BLOCK });
	return r;
}

/* "LENGTH path=NAME\n", whose length counts itself. */
static int put_long_name(int fd, gv_str name, double mtime)
{
	struct gv_buf b = { 0 };
	size_t bare = name.n + 7, n = bare + 1, digits;
	int r;

	for (digits = 1; digits < 20; digits++) {
		size_t limit = 1;

		for (size_t i = 0; i < digits; i++)
			limit *= 10;
		n = bare + digits;
		if (n < limit)
			break;
	}
	gv_printf(&b, "%zu path=%.*s\n", n, GV_ARG(name));
	r = put_header(fd, GV_STR("pax"), b.n, mtime, 'x');
	if (!r)
		r = put_bytes(fd, gv_buf_str(&b));
	gv_buf_free(&b);
	return r;
}

/* Names that unpack below the folder they are unpacked in. */
static void tame(struct gv_buf *b, gv_str name)
{
	gv_str part;

	while (gv_next(&name, '/', &part)) {
		if (!part.n || gv_is(part, ".") || gv_is(part, ".."))
			continue;
		if (b->n)
			gv_putc(b, '/');
		gv_put(b, part);
	}
	if (!b->n)
		gv_putc(b, '_');
}

int gv_tar_add(int fd, gv_str name, gv_str bytes, double mtime)
{
	struct gv_buf tamed = { 0 };
	int r = 0;

	tame(&tamed, name);
	if (tamed.n > sizeof(((struct header *)0)->name))
		r = put_long_name(fd, gv_buf_str(&tamed), mtime);
	if (!r)
		r = put_header(fd, gv_buf_str(&tamed), bytes.n, mtime, '0');
	if (!r)
		r = put_bytes(fd, bytes);
	gv_buf_free(&tamed);
	return r;
}

int gv_tar_end(int fd)
{
	return gv_write_all(fd, (gv_str){ zeros, sizeof(zeros) });
}
