/* SPDX-License-Identifier: Apache-2.0 */
#include "source/bundle.h"

#include "base/buf.h"
#include "core/stream.h"
#include "sys/tar.h"

#define CALL GV_BUNDLE_LIVE "call/" /* live documents are named by a path, or by a word for what has none */

/* "unread: NAME\tWHY": what the run could not use, and has no document of. */
static void read_head(struct gv_run *run, gv_str bytes)
{
	gv_str line;

	while (gv_next(&bytes, '\n', &line)) {
		gv_str v = gv_after(line, "unread: ");

		if (gv_starts(line, "unread: ") && gv_has(v, "\t"))
			gv_unread(run, gv_dup(run->arena, gv_before(v, "\t")), gv_dup(run->arena, gv_after(v, "\t")));
	}
}

bool gv_bundle_member(struct gv_bundle *b, struct gv_run *run, gv_str name, gv_str bytes)
{
	bool first = !b->members++;

	if (!first || !(gv_is(name, GV_BUNDLE_SAVED) || gv_is(name, GV_BUNDLE_COLLECTED)) ||
	    !gv_starts(bytes, GV_BUNDLE_HEAD))
		return false;
	b->saved = gv_is(name, GV_BUNDLE_SAVED);
	b->collected = !b->saved;
	b->look = GV_NEW(run->arena, struct gv_account);
	read_head(run, bytes);
	return true;
}

gv_str gv_bundle_name(const struct gv_bundle *b, gv_str name, gv_str usual)
{
	if (b->saved && gv_starts(name, GV_BUNDLE_PATH))
		return gv_from(name, sizeof(GV_BUNDLE_PATH) - 1);
	if (b->saved && gv_starts(name, CALL))
		return gv_from(name, sizeof(CALL) - 1);
	if (b->saved && gv_starts(name, GV_BUNDLE_LIVE))
		return gv_from(name, sizeof(GV_BUNDLE_LIVE) - 2);
	return usual;
}

gv_str gv_bundle_live_name(struct gv_arena *a, gv_str name)
{
	return gv_starts(name, "/") ? gv_fmt(a, GV_BUNDLE_LIVE "%.*s", GV_ARG(gv_from(name, 1)))
				    : gv_fmt(a, CALL "%.*s", GV_ARG(name));
}

void gv_bundle_mark_live(struct gv_account *look, struct gv_doc *doc)
{
	doc->look = look;
	gv_account_parse(doc->text, look);
	doc->no_log = !gv_ends(doc->name, "dev/kmsg");
}

void gv_bundle_mark(const struct gv_bundle *b, gv_str name, struct gv_doc *doc)
{
	if (b->look && gv_starts(name, GV_BUNDLE_LIVE))
		gv_bundle_mark_live(b->look, doc);
	else if (b->collected)
		doc->look = b->look;
}

/* Entries that reading the documents again will not make: of what is no document. */
static bool of_document(const struct gv_run *run, gv_str file)
{
	for (size_t i = 0; i < run->docs.n; i++)
		if (gv_eq(run->docs.v[i]->name, file))
			return true;
	return false;
}

static int put_head(const struct gv_run *run, int fd, double now)
{
	struct gv_buf b = { 0 };
	int r;

	gv_puts(&b, GV_BUNDLE_HEAD);
	for (size_t i = 0; i < run->sourced; i++)
		if (!of_document(run, run->unread.v[i].file))
			gv_printf(&b, "unread: %.*s\t%.*s\n", GV_ARG(run->unread.v[i].file),
				  GV_ARG(run->unread.v[i].why));
	r = gv_tar_add(fd, GV_STR(GV_BUNDLE_SAVED), gv_buf_str(&b), now);
	gv_buf_free(&b);
	return r;
}

int gv_bundle_save(const struct gv_run *run, int fd, double now, struct gv_buf *ret_left_out)
{
	struct gv_arena *a = gv_arena_new();
	int r = put_head(run, fd, now);

	for (size_t i = 0; i < run->docs.n && !r; i++) {
		const struct gv_doc *d = run->docs.v[i];
		gv_str name =
		    d->look ? gv_bundle_live_name(a, d->name) : gv_fmt(a, GV_BUNDLE_PATH "%.*s", GV_ARG(d->name));

		if (d->stream) /* it is not held: its beginning is what there is to save */
			gv_printf(ret_left_out, "%s%.*s: only its first %zu bytes are saved",
				  ret_left_out->n ? "; " : "", GV_ARG(d->name), d->text.n);
		r = gv_tar_add(fd, name, d->text, now);
	}
	gv_arena_free(a);
	return r ? r : gv_tar_end(fd);
}
