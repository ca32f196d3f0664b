/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive is told exactly one compression and one format, those found here: left to guess it takes texts for
 * archives, and unwraps up to 25 layers of compression in one go, without a limit on what the inner ones inflate to. */
#include "sys/archive.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sys/libarchive.h"

/* Set before the first use, by whichever reader comes first, and never changed. Not one a thread: a stream may be
 * read by another one than opened it. */
static const struct gv_libarchive *_Atomic lib;

struct walk {
	struct archive *ar;
	enum gv_ar_kind kind; /* of the outside */
	bool tar;	      /* inside or outside */
	struct gv_ar_budget *left;
	struct gv_buf name;
	char *p; /* the bytes of a member */
	size_t cap;
	size_t encrypted;
	bool read_on;		       /* the member at hand was, beyond the document limit */
	const struct gv_ar_feed *feed; /* NULL: all bytes are there */
	struct walk *unpacked_by;      /* what the feed comes from */
	char *piece;		       /* of the feed */
	bool begun;
	int (*fn)(void *ctx, const struct gv_ar_member *m);
	void *ctx;
	struct gv_buf *err;
};

static int filter_of(enum gv_ar_kind kind)
{
	switch (kind) {
	case GV_AR_GZIP:
		return ARCHIVE_FILTER_GZIP;
	case GV_AR_BZIP2:
		return ARCHIVE_FILTER_BZIP2;
	case GV_AR_XZ:
		return ARCHIVE_FILTER_XZ;
	case GV_AR_ZSTD:
		return ARCHIVE_FILTER_ZSTD;
	case GV_AR_LZ4:
		return ARCHIVE_FILTER_LZ4;
	default:
		return ARCHIVE_FILTER_NONE;
	}
}

/* The library tells what went wrong with it as damage, too. */
static void end_without_memory(struct walk *w)
{
	if (w->ar && lib->archive_errno(w->ar) == ENOMEM)
		gv_oom();
}

static int damaged(struct walk *w)
{
	const char *why = w->unpacked_by ? lib->archive_error_string(w->unpacked_by->ar) : NULL;

	if (!why && w->ar)
		why = lib->archive_error_string(w->ar);
	end_without_memory(w);
	gv_printf(w->err, "damaged archive: %s", why ? why : "unreadable");
	return -EBADMSG;
}

/* Some more from what all share, where there is more: a part of what is left, so that the last is divided finely. */
static uint64_t draw(_Atomic uint64_t *pool, uint64_t least)
{
	uint64_t left = *pool, n;

	do {
		n = left / 64 > least ? left / 64 : left < least ? left : least;
	} while (n && !atomic_compare_exchange_weak(pool, &left, left - n));
	return n;
}

static bool has_members(struct gv_ar_budget *b)
{
	if (!b->members && b->pool)
		b->members = (size_t)draw(&b->pool->members, 16);
	return b->members;
}

/* Takes n bytes of the budget; false: there are not as many. */
static bool take_total(struct gv_ar_budget *b, uint64_t n)
{
	uint64_t got = 1;

	while (b->total < n && b->pool && got)
		b->total += got = draw(&b->pool->total, (uint64_t)64 << 10);
	if (b->total < n)
		return false;
	b->total -= n;
	return true;
}

static int over(struct walk *w, const char *what)
{
	gv_printf(w->err, "the archive holds more %s than the limit", what);
	return -E2BIG;
}

/* The library does not stand it everywhere when memory ends: better that it ends here. */
#define ROOM ((size_t)1 << 20)
static void must_have(size_t n)
{
	void *volatile p = malloc(n); /* volatile: or the compiler sees that nobody uses it */

	if (!p)
		gv_oom();
	free(p);
}

static int new_as(struct walk *w, int format)
{
	int filter = filter_of(w->kind);

	lib->archive_read_free(w->ar);
	must_have(ROOM);
	w->ar = lib->archive_read_new();
	if (!w->ar)
		gv_oom();
	if (format == ARCHIVE_FORMAT_TAR)
		lib->archive_read_support_format_tar(w->ar);
	else if (format == ARCHIVE_FORMAT_ZIP)
		lib->archive_read_support_format_zip(w->ar);
	else if (format == ARCHIVE_FORMAT_AR)
		lib->archive_read_support_format_ar(w->ar);
	else
		lib->archive_read_support_format_raw(w->ar);
	if (filter != ARCHIVE_FILTER_NONE && lib->archive_read_append_filter(w->ar, filter) != ARCHIVE_OK)
		return damaged(w);
	return 0;
}

static int open_as(struct walk *w, gv_str bytes, int format)
{
	int r = new_as(w, format);

	if (r)
		return r;
	return lib->archive_read_open_memory(w->ar, bytes.p, bytes.n) == ARCHIVE_OK ? 0 : damaged(w);
}

/* Whether a tar is inside the compression. */
static int look_inside(struct walk *w, gv_str bytes)
{
	char block[GV_TAR_BLOCK];
	struct archive_entry *e;
	size_t n = 0;
	int r = open_as(w, bytes, ARCHIVE_FORMAT_RAW);

	if (r)
		return r;
	r = lib->archive_read_next_header(w->ar, &e);
	while (r >= ARCHIVE_WARN && n < sizeof(block)) {
		la_ssize_t got = lib->archive_read_data(w->ar, block + n, sizeof(block) - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	w->tar = gv_ar_is_tar((gv_str){ block, n });
	return 0;
}

static void put_normal(struct gv_buf *b, gv_str path)
{
	gv_str part;

	b->n = 0;
	while (gv_next(&path, '/', &part)) {
		if (!part.n || gv_is(part, "."))
			continue;
		if (gv_is(part, "..")) {
			while (b->n && b->p[--b->n] != '/')
				;
			continue;
		}
		if (b->n)
			gv_putc(b, '/');
		gv_put(b, part);
	}
	if (!b->n)
		gv_putc(b, '.');
	gv_putc(b, 0);
	b->n--;
}

/* "dir/x.log.gz" -> "x.log" */
static gv_str single_name(gv_str name)
{
	static const char *const suffixes[] = { ".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4" };

	name = gv_from(name, (size_t)(gv_rfind(name, "/") + 1));
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (gv_ends(name, suffixes[i]) && name.n > strlen(suffixes[i]))
			return gv_sub(name, 0, name.n - strlen(suffixes[i]));
	return name;
}

/* Reads at most max bytes of the member at hand into w->p, and charges them; 0, EFBIG, EBADMSG, or -E2BIG. */
static int read_member(struct walk *w, size_t max, size_t *ret_n)
{
	size_t n = 0;
	int r = EFBIG;

	while (n <= max) {
		size_t room;
		la_ssize_t got;

		if (n == w->cap) {
			w->cap = w->cap ? w->cap * 2 : (size_t)64 << 10;
			w->p = realloc(w->p, w->cap);
			if (!w->p)
				gv_oom();
		}
		room = w->cap - n > max - n ? max - n + 1 : w->cap - n; /* one above the limit tells */
		got = lib->archive_read_data(w->ar, w->p + n, room);
		if (got <= 0) {
			r = got == 0 ? 0 : EBADMSG;
			if (r)
				end_without_memory(w);
			break;
		}
		if (!take_total(w->left, (uint64_t)got))
			return over(w, "bytes");
		n += (size_t)got;
	}
	*ret_n = n;
	return r;
}

/* Past a member that is not read. What has to be inflated for that counts too. */
static int skip_member(struct walk *w, const struct gv_ar_member *m, bool size_known)
{
	char waste[16384];
	la_ssize_t got;

	if (size_known && filter_of(w->kind) == ARCHIVE_FILTER_NONE && !w->unpacked_by)
		return lib->archive_read_data_skip(w->ar) == ARCHIVE_FATAL ? damaged(w) : 0;
	if (size_known && m->size > w->left->total && !w->left->pool)
		return over(w, "bytes");
	while ((got = lib->archive_read_data(w->ar, waste, sizeof(waste))) > 0) {
		if (!take_total(w->left, (uint64_t)got))
			return over(w, "bytes");
	}
	return got == ARCHIVE_FATAL ? damaged(w) : 0;
}

static void describe(struct archive_entry *e, struct gv_ar_member *m)
{
	const char *hard = lib->archive_entry_hardlink(e), *soft = lib->archive_entry_symlink(e);
	mode_t type = lib->archive_entry_filetype(e);

	m->type = hard || type == AE_IFLNK	  ? GV_AR_LINK
		  : type == AE_IFDIR		  ? GV_AR_DIR
		  : type == AE_IFREG || type == 0 ? GV_AR_FILE
						  : GV_AR_OTHER;
	m->link = gv_str_of(hard ? hard : soft);
	m->hard = hard != NULL;
	m->size = lib->archive_entry_size_is_set(e) && lib->archive_entry_size(e) > 0
		      ? (uint64_t)lib->archive_entry_size(e)
		      : 0;
	m->mtime = lib->archive_entry_mtime_is_set(e) ? lib->archive_entry_mtime(e) : 0;
}

static ssize_t more_of_member(void *ctx, char *p, size_t n)
{
	struct walk *w = ctx;
	la_ssize_t got;

	if (!w->left->more && w->left->pool)
		w->left->more = draw(&w->left->pool->more, (uint64_t)1 << 20);
	if (!w->left->more)
		return -EFBIG;
	if (n > w->left->more)
		n = (size_t)w->left->more;
	w->read_on = true;
	got = lib->archive_read_data(w->ar, p, n);
	if (got < 0) {
		end_without_memory(w);
		return -EBADMSG;
	}
	/* what this one comes from may have taken of the same budget meanwhile */
	w->left->more -= (uint64_t)got < w->left->more ? (uint64_t)got : w->left->more;
	return (ssize_t)got;
}

static int member(struct walk *w, struct archive_entry *e, gv_str single)
{
	const char *path = lib->archive_entry_pathname(e);
	bool size_known = lib->archive_entry_size_is_set(e);
	struct gv_ar_member m = { 0 };
	size_t n = 0;
	int r;

	if (!has_members(w->left))
		return over(w, "members");
	w->left->members--;
	if (!path)
		path = lib->archive_entry_pathname_utf8(e);
	put_normal(&w->name, single.n ? single : gv_str_of(path));
	m.name = gv_buf_str(&w->name);
	describe(e, &m);
	if (m.type != GV_AR_FILE)
		return w->fn(w->ctx, &m);
	if (lib->archive_entry_is_encrypted(e)) {
		w->encrypted++;
		m.err = EACCES;
		return w->fn(w->ctx, &m);
	}
	if (size_known && m.size > w->left->document) {
		m.err = EFBIG;
	} else {
		r = read_member(w, w->left->document, &n);
		if (r < 0)
			return r;
		m.err = r;
		m.bytes = (gv_str){ w->p, n };
		m.size = size_known && m.size > n ? m.size : n;
	}
	w->read_on = false;
	if (m.err == EFBIG) {
		m.more = more_of_member;
		m.more_ctx = w;
	}
	r = w->fn(w->ctx, &m);
	if (w->read_on)
		w->left->total += n;	     /* logs do not count */
	if (r || m.err != EFBIG || single.n) /* of a single file nothing follows */
		return r;
	return skip_member(w, &m, size_known);
}

static int walk(struct walk *w, gv_str single)
{
	struct archive_entry *e;
	int r;

	while ((r = lib->archive_read_next_header(w->ar, &e)) != ARCHIVE_EOF) {
		if (r == ARCHIVE_FATAL || r == ARCHIVE_FAILED)
			return damaged(w);
		if (r == ARCHIVE_RETRY) {
			if (!has_members(w->left))
				return over(w, "members");
			w->left->members--;
			continue;
		}
		r = member(w, e, single);
		if (r)
			return r;
	}
	if (w->encrypted) {
		gv_printf(w->err, "%zu member%s encrypted", w->encrypted, w->encrypted == 1 ? " is" : "s are");
		return -EACCES;
	}
	return 0;
}

/* The dictionary that an xz asks for in its first block, in bytes; 0: not told. "The .xz File Format" 1.1.0, 3.1
 * and 5.3.1. */
static uint64_t xz_dictionary(gv_str head)
{
	const unsigned char *p = (const unsigned char *)head.p + 12;
	size_t n = head.n > 12 ? head.n - 12 : 0, at = 2;

	for (unsigned skip = n > 1 ? (p[1] >> 6 & 1) + (p[1] >> 7) : 0; skip;
	     skip--, at++) /* sizes, of seven bits a byte */
		while (at < n && p[at] & 0x80)
			at++;
	for (unsigned filters = n > 1 ? (p[1] & 3) + 1u : 0; filters && at + 2 < n; filters--) {
		unsigned id = p[at], size = p[at + 1], bits = p[at + 2];

		if (id == 0x21 && size == 1)
			return bits >= 40 ? UINT32_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);
		at += 2 + size;
	}
	return 0;
}

/* What unpacks an archive keeps a dictionary of it. "xz -9" asks for 64 MiB. */
#define DICTIONARY ((uint64_t)128 << 20)
static int check_memory(struct walk *w, gv_str head)
{
	uint64_t n = w->kind == GV_AR_XZ ? xz_dictionary(head) : 0;

	if (n <= DICTIONARY)
		return 0;
	gv_printf(w->err, "%llu MiB of memory are needed to unpack it, more than the limit of %llu",
		  (unsigned long long)(n >> 20), (unsigned long long)(DICTIONARY >> 20));
	return -EBADMSG; /* what is beside it in another archive is read on */
}

static int load(struct walk *w)
{
	const char *why;

	if (w->kind == GV_AR_NONE) {
		gv_puts(w->err, "no archive");
		return -ENOTSUP;
	}
	lib = gv_libarchive(&why);
	if (lib)
		return 0;
	gv_printf(w->err, "archives cannot be read here: %s", why);
	return -ENOENT;
}

static gv_str single_or_data(gv_str name)
{
	name = single_name(name);
	return name.n ? name : GV_STR("data");
}

static void end(struct walk *w)
{
	if (lib)
		lib->archive_read_free(w->ar);
	gv_buf_free(&w->name);
	free(w->p);
	free(w->piece);
}

int gv_ar_walk(gv_str bytes, gv_str name, struct gv_ar_budget *left, int (*fn)(void *ctx, const struct gv_ar_member *m),
	       void *ctx, struct gv_buf *err)
{
	struct walk w = { .kind = gv_ar_kind(bytes), .left = left, .fn = fn, .ctx = ctx, .err = err };
	gv_str single = GV_NONE;
	int r = load(&w);

	r = r ? r : check_memory(&w, bytes);
	if (r)
		return r;
	w.tar = w.kind == GV_AR_TAR;
	if (filter_of(w.kind) != ARCHIVE_FILTER_NONE) {
		r = look_inside(&w, bytes);
		if (!w.tar)
			single = single_or_data(name);
	}
	if (!r)
		r = open_as(&w, bytes,
			    w.tar		  ? ARCHIVE_FORMAT_TAR
			    : single.n		  ? ARCHIVE_FORMAT_RAW
			    : w.kind == GV_AR_DEB ? ARCHIVE_FORMAT_AR
						  : ARCHIVE_FORMAT_ZIP);
	if (!r)
		r = walk(&w, single);
	end(&w);
	return r;
}

/* ---- From a feed ---- */

#define PIECE ((size_t)64 << 10)

static la_ssize_t next_piece(struct archive *ar, void *ctx, const void **ret)
{
	struct walk *w = ctx;
	ssize_t n;

	if (!w->begun) {
		w->begun = true;
		*ret = w->feed->head.p;
		if (w->feed->head.n)
			return (la_ssize_t)w->feed->head.n;
	}
	n = w->feed->read(w->feed->ctx, w->piece, PIECE);
	*ret = w->piece;
	return n < 0 ? -1 : n;
}

static ssize_t next_unpacked(void *ctx, char *p, size_t n)
{
	struct walk *w = ctx;
	la_ssize_t got = lib->archive_read_data(w->ar, p, n);

	if (got < 0)
		end_without_memory(w);
	return got < 0 ? -EBADMSG : (ssize_t)got;
}

static int open_feed(struct walk *w, int format)
{
	int r;

	w->piece = malloc(PIECE);
	if (!w->piece)
		gv_oom();
	r = new_as(w, format);
	if (!r && lib->archive_read_open(w->ar, w, NULL, next_piece, NULL) != ARCHIVE_OK)
		r = damaged(w);
	return r;
}

/* What is packed is unpacked first, as far as needed to see whether a tar is inside: the library would take zeros for
 * an empty one. Then the rest of it is the feed of a second walk. */
static int walk_unpacked(struct walk *packed, gv_str name)
{
	char head[GV_AR_HEAD];
	struct gv_ar_feed feed = { { head, 0 }, next_unpacked, packed };
	struct walk w = { .left = packed->left,
			  .fn = packed->fn,
			  .ctx = packed->ctx,
			  .err = packed->err,
			  .feed = &feed,
			  .unpacked_by = packed };
	struct archive_entry *e;
	ssize_t got = 1;
	int r = open_feed(packed, ARCHIVE_FORMAT_RAW);

	if (!r && lib->archive_read_next_header(packed->ar, &e) < ARCHIVE_WARN)
		r = damaged(packed);
	while (!r && feed.head.n < sizeof(head) &&
	       (got = next_unpacked(packed, head + feed.head.n, sizeof(head) - feed.head.n)) > 0)
		feed.head.n += (size_t)got;
	if (got < 0 && !feed.head.n)
		r = damaged(packed);
	if (!r) {
		w.tar = gv_ar_is_tar(feed.head);
		w.kind = w.tar ? GV_AR_TAR : GV_AR_NONE;
		r = open_feed(&w, w.tar ? ARCHIVE_FORMAT_TAR : ARCHIVE_FORMAT_RAW);
		if (!r)
			r = walk(&w, w.tar ? GV_NONE : single_or_data(name));
		end(&w);
	}
	return r;
}

int gv_ar_walk_feed(const struct gv_ar_feed *feed, gv_str name, struct gv_ar_budget *left,
		    int (*fn)(void *ctx, const struct gv_ar_member *m), void *ctx, struct gv_buf *err)
{
	struct walk w = {
		.kind = gv_ar_kind(feed->head), .left = left, .fn = fn, .ctx = ctx, .err = err, .feed = feed
	};
	int r = load(&w);

	r = r ? r : check_memory(&w, feed->head);
	if (r)
		return r;
	if (filter_of(w.kind) != ARCHIVE_FILTER_NONE) {
		r = walk_unpacked(&w, name);
	} else {
		r = open_feed(&w, w.kind == GV_AR_TAR	? ARCHIVE_FORMAT_TAR
				  : w.kind == GV_AR_DEB ? ARCHIVE_FORMAT_AR
							: ARCHIVE_FORMAT_ZIP);
		if (!r)
			r = walk(&w, GV_NONE);
	}
	end(&w);
	return r;
}
