/* SPDX-License-Identifier: Apache-2.0 */
#include "inspected.h"

#include <stdlib.h>
#include <string.h>

#include "sys/unpack.h"

static void scan(struct gv_inspect *x, gv_str bytes, size_t piece)
{
	struct gv_scan *s = gv_scan_new(x);

	if (!piece)
		gv_scan_feed(s, 0, bytes, true);
	for (size_t at = 0, end = 0; piece && end < bytes.n;) {
		end = bytes.n - at < piece ? bytes.n : at + piece;
		/* memory of its own: what is kept of it would be seen */
		char *own = malloc(end - at);

		memcpy(own, bytes.p + at, end - at);
		gv_scan_feed(s, at, (gv_str){ own, end - at }, end == bytes.n);
		free(own);
		at = end > GV_SCAN_KEEP ? end - GV_SCAN_KEEP : 0;
	}
	gv_scan_end(s);
}

struct gv_file *inspected(struct gv_arena *a, const char *path, gv_str bytes, size_t piece)
{
	struct gv_file *f = GV_NEW(a, struct gv_file);
	struct gv_item *it = GV_NEW(a, struct gv_item);
	struct gv_inspect x = { .arena = a, .file = f, .item = it, .unpack = gv_unpack_head };
	const struct gv_document *doc;

	f->path = it->path = gv_str_of(path);
	it->name = gv_from(it->path, (size_t)(gv_rfind(it->path, "/") + 1));
	it->name = gv_from(it->name, (size_t)(gv_rfind(it->name, "!") + 1));
	it->head = gv_sub(bytes, 0, 4096);
	f->size = bytes.n;
	it->size = piece ? UINT64_MAX : bytes.n;
	doc = gv_document_of(it);
	if (doc) {
		f->type = doc->type;
		doc->read(&x, doc->head ? it->head : bytes);
	}
	if (!doc || doc->scan || doc->head)
		scan(&x, bytes, piece);
	return f;
}

static int by_text(const void *a, const void *b)
{
	return gv_cmp(*(const gv_str *)a, *(const gv_str *)b);
}

gv_str inspected_text(struct gv_arena *a, const struct gv_file *f)
{
	gv_str *lines = GV_NEWN(a, gv_str, f->code.n + f->deps.n + 1), all = GV_STR("");
	size_t n = 0;

	for (size_t i = 0; i < f->code.n; i++) {
		const struct gv_code *c = &f->code.v[i];

		lines[n++] = gv_fmt(a, "%s %s %.*s %llu %.*s", gv_vendor_name(c->vendor), gv_code_kind_name[c->kind],
				    GV_ARG(c->arch), (unsigned long long)c->count, GV_ARG(c->section));
	}
	for (size_t i = 0; i < f->deps.n; i++)
		lines[n++] = gv_fmt(a, "%.*s %s", GV_ARG(f->deps.v[i].name), gv_grade_name[f->deps.v[i].grade]);
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++)
		all = gv_fmt(a, "%.*s%.*s\n", GV_ARG(all), GV_ARG(lines[i]));
	return all;
}
