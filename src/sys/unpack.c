/* SPDX-License-Identifier: Apache-2.0 */
/* zstd and zlib are loaded when the first compressed code is met, like libarchive: few files need them. Their streams
 * are unpacked no further than what is asked for, so that a small file costs no more than a small output, whatever it
 * claims. */
#include "sys/unpack.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "sys/dl.h"

#if GV_HAVE_ZSTD
#include <zstd.h>

#define ZSTD_SONAME "libzstd.so.1"
GV_DL_NOTE(zstd_note, "zstd", "compressed bundles of GPU code", "suggested", ZSTD_SONAME);

static struct {
	__typeof__(ZSTD_createDStream) *create;
	__typeof__(ZSTD_decompressStream) *decompress;
	__typeof__(ZSTD_isError) *is_error;
	__typeof__(ZSTD_freeDStream) *free;
	bool there;
} zstd;

static void load_zstd(void)
{
	static const char *const names[] = { "ZSTD_createDStream", "ZSTD_decompressStream", "ZSTD_isError",
					     "ZSTD_freeDStream" };
	const char *why;
	void *fns[4];

	if (gv_dl_load(ZSTD_SONAME, names, fns, 4, &why) < 0 || !fns[0] || !fns[1] || !fns[2] || !fns[3])
		return;
	memcpy(&zstd, fns, sizeof(fns));
	zstd.there = true;
}

static ssize_t unpack_zstd(gv_str packed, char *p, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	ZSTD_inBuffer in = { packed.p, packed.n, 0 };
	ZSTD_outBuffer out = { p, n, 0 };
	ZSTD_DStream *stream;
	size_t left = 1;

	pthread_once(&once, load_zstd);
	if (!zstd.there)
		return -ENOENT;
	stream = zstd.create();
	if (!stream)
		return -ENOMEM;
	while (left && out.pos < n) {
		size_t had_in = in.pos, had_out = out.pos;

		left = zstd.decompress(stream, &out, &in);
		if (zstd.is_error(left) || (in.pos == had_in && out.pos == had_out))
			break;
	}
	zstd.free(stream);
	return out.pos ? (ssize_t)out.pos : -EBADMSG;
}
#else
static ssize_t unpack_zstd(gv_str packed, char *p, size_t n)
{
	return -ENOENT;
}
#endif

#if GV_HAVE_ZLIB
#include <zlib.h>

#define ZLIB_SONAME "libz.so.1"
GV_DL_NOTE(zlib_note, "zlib", "compressed bundles of GPU code", "suggested", ZLIB_SONAME);

static struct {
	__typeof__(inflateInit_) *init;
	__typeof__(inflate) *inflate;
	__typeof__(inflateEnd) *end;
	bool there;
} zlib;

static void load_zlib(void)
{
	static const char *const names[] = { "inflateInit_", "inflate", "inflateEnd" };
	const char *why;
	void *fns[3];

	if (gv_dl_load(ZLIB_SONAME, names, fns, 3, &why) < 0 || !fns[0] || !fns[1] || !fns[2])
		return;
	memcpy(&zlib, fns, sizeof(fns));
	zlib.there = true;
}

static ssize_t unpack_zlib(gv_str packed, char *p, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	z_stream z = {
		.next_in = (Bytef *)packed.p, .avail_in = (uInt)packed.n, .next_out = (Bytef *)p, .avail_out = (uInt)n
	};

	pthread_once(&once, load_zlib);
	if (!zlib.there)
		return -ENOENT;
	if (zlib.init(&z, ZLIB_VERSION, sizeof(z)) != Z_OK)
		return -ENOMEM;
	while (z.avail_out && zlib.inflate(&z, Z_NO_FLUSH) == Z_OK)
		;
	zlib.end(&z);
	return z.avail_out < n ? (ssize_t)(n - z.avail_out) : -EBADMSG;
}
#else
static ssize_t unpack_zlib(gv_str packed, char *p, size_t n)
{
	return -ENOENT;
}
#endif

#define MOST ((size_t)1 << 30) /* what zlib can count */

ssize_t gv_unpack_head(gv_str packed, char *p, size_t n)
{
	packed = gv_sub(packed, 0, MOST);
	if (!n || n > MOST)
		return -EINVAL;
	if (gv_starts(packed, "\x28\xb5\x2f\xfd"))
		return unpack_zstd(packed, p, n);
	/* RFC 1950: deflate, and a check of the first two bytes */
	if (packed.n >= 2 && (packed.p[0] & 15) == 8 &&
	    ((unsigned char)packed.p[0] << 8 | (unsigned char)packed.p[1]) % 31 == 0)
		return unpack_zlib(packed, p, n);
	return -ENOTSUP;
}
