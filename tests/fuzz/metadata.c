/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of an inventory: metadata of packages, lock files, scripts. The first line is the path, by which a document
 * is known; the rest is what the file holds. What is kept must not hang on the bytes that were read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "inspect/inventory.h"

static size_t sum; /* so that reading is not optimised away */

static void touch(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		sum += (unsigned char)s.p[i];
}

static void touch_package(const struct gv_package *p)
{
	touch(p->name);
	touch(p->version);
	touch(p->local);
	touch(p->dir);
	touch(p->extras);
	for (size_t i = 0; i < p->requires.n; i++) {
		touch(p->requires.v[i].name);
		touch(p->requires.v[i].spec);
		touch(p->requires.v[i].marker);
		touch(p->requires.v[i].extra);
		touch(p->requires.v[i].extras);
	}
	for (size_t i = 0; i < p->files.n; i++)
		touch(p->files.v[i]);
}

static void touch_file(const struct gv_file *f)
{
	for (size_t i = 0; i < f->packages.n; i++)
		touch_package(f->packages.v[i]);
	for (size_t i = 0; i < f->deps.n; i++) {
		gv_fuzz_check(f->deps.v[i].grade < GV_GRADES);
		gv_fuzz_check(f->deps.v[i].name.n > 0);
		touch(f->deps.v[i].name);
		touch(f->deps.v[i].quote);
		touch(f->deps.v[i].extra);
	}
	for (size_t i = 0; i < f->artefacts.n; i++)
		for (size_t k = 0; k < f->artefacts.v[i].props.n; k++)
			touch(f->artefacts.v[i].props.v[k].value);
	for (size_t i = 0; i < f->notes.n; i++)
		touch(f->notes.v[i]);
}

static ssize_t no_unpack(gv_str packed, char *p, size_t n)
{
	return 0;
}

void gv_fuzz_metadata(const uint8_t *data, size_t n)
{
	gv_str all = { (const char *)data, n }, path = gv_fuzz_copy(gv_sub(gv_before(all, "\n"), 0, 300));
	gv_str bytes = gv_fuzz_copy(gv_from(all, path.n + 1)), head = gv_fuzz_copy(gv_sub(bytes, 0, 4096));
	struct gv_arena *a = gv_arena_new();
	struct gv_file f = { .path = gv_dup(a, path), .size = bytes.n };
	struct gv_item it = { .path = path, .head = head, .size = bytes.n };
	struct gv_inspect x = { .arena = a, .file = &f, .item = &it, .unpack = no_unpack };
	const struct gv_document *doc;

	it.name = gv_from(path, (size_t)(gv_rfind(path, "/") + 1));
	it.name = gv_from(it.name, (size_t)(gv_rfind(it.name, "!") + 1));
	doc = gv_document_of(&it);
	if (doc)
		doc->read(&x, bytes);
	free((char *)path.p);
	free((char *)bytes.p);
	free((char *)head.p);
	touch_file(&f);
	gv_arena_free(a);
}
