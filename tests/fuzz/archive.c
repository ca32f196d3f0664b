/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an archive, within small limits. */
#include "sys/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MEMBERS 40
#define BYTES 300000
#define MEMBER 100000
#define DEPTH 3

struct seen {
	struct gv_ar_budget left;
	unsigned depth;
	uint64_t bytes;
};

static void check_name(gv_str name)
{
	gv_str part;

	gv_fuzz_check(name.n && strlen(name.p) <= name.n && !gv_starts(name, "/"));
	while (gv_next(&name, '/', &part))
		gv_fuzz_check(part.n && !gv_is(part, ".."));
}

/* Of a member that is too large, beyond what came with it. */
static void read_more(const struct gv_ar_member *m)
{
	char piece[1000];
	ssize_t got;

	for (size_t i = 0; i < 50 && (got = m->more(m->more_ctx, piece, sizeof(piece))) > 0; i++)
		gv_fuzz_check((size_t)got <= sizeof(piece));
}

static int on_member(void *ctx, const struct gv_ar_member *m)
{
	struct seen *s = ctx;
	gv_str copy;

	check_name(m->name);
	gv_fuzz_check(m->type == GV_AR_FILE || (!m->bytes.n && !m->err));
	gv_fuzz_check(m->bytes.n <= MEMBER + 1 && (!m->more || m->err == EFBIG));
	if (m->err != EFBIG) /* a log in an archive counts for no limit */
		s->bytes += m->bytes.n;
	gv_fuzz_check(s->bytes + s->left.total <= BYTES);
	if (m->more)
		read_more(m);
	copy = gv_fuzz_copy(m->bytes);
	if (m->type == GV_AR_FILE && s->depth < DEPTH && gv_ar_kind(copy) != GV_AR_NONE) {
		struct gv_buf err = { 0 };

		s->depth++;
		gv_ar_walk(copy, m->name, &s->left, on_member, s, &err);
		s->depth--;
		gv_buf_free(&err);
	}
	free((char *)copy.p);
	return 0;
}

void gv_fuzz_archive(const uint8_t *data, size_t n)
{
	struct seen s = { .left = { .members = MEMBERS, .total = BYTES, .document = MEMBER } };
	struct gv_buf err = { 0 };
	int r = gv_ar_walk((gv_str){ (const char *)data, n }, GV_STR("dir/fuzz.tar.gz"), &s.left, on_member, &s, &err);

	gv_fuzz_check(!r == !err.n);
	gv_fuzz_check(!r || r == -ENOTSUP || r == -ENOENT || r == -EBADMSG || r == -EACCES || r == -E2BIG);
	gv_fuzz_check(!err.n || !memchr(err.p, '\n', err.n));
	gv_buf_free(&err);
}
