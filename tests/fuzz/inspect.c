/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of an inventory: documents by their names, and the search for GPU code, in a file that is mapped
 * and in one that comes in pieces. The first byte chooses the name. */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "fuzz.h"
#include "inspect/resolve.h"
#include "inspect/scan.h"
#include "report/common_inventory.h"
#include "sys/unpack.h"

static const char *const names[] = {
	"lib/libx.so",
	"x-1.0.dist-info/METADATA",
	"x-1.0.dist-info/RECORD",
	"x-1.0.dist-info/variant.json",
	"requirements.txt",
	"poetry.lock",
	"uv.lock",
	"pylock.toml",
	"setup.py",
	"environment.yml",
	"conda-meta/x-1.0-0.json",
	"info/index.json",
	"node_modules/x/package.json",
	"package-lock.json",
	"var/lib/dpkg/status",
	"lib/apk/db/installed",
	"model.engine",
	"cache/triton/x/kernel.json",
	"install.sh",
};
#define NAMES (sizeof(names) / sizeof(*names))

/* In growing windows, as long as they are no larger than what is kept. */
static void feed(struct gv_scan *s, gv_str bytes, bool mapped)
{
	for (size_t i = 1; !mapped && i < 4; i++) {
		gv_str part = gv_fuzz_copy(gv_sub(bytes, 0, bytes.n / 4 * i));

		gv_scan_feed(s, 0, part, false);
		free((char *)part.p);
	}
	gv_scan_feed(s, 0, bytes, true);
	gv_scan_end(s);
}

static struct gv_file *inspect(struct gv_arena *a, const char *name, gv_str bytes, bool mapped)
{
	struct gv_file *f = GV_NEW(a, struct gv_file);
	struct gv_item *it = GV_NEW(a, struct gv_item);
	struct gv_inspect x = { .arena = a, .file = f, .item = it, .unpack = gv_unpack_head };
	const struct gv_document *doc;

	f->path = it->path = gv_str_of(name);
	it->name = gv_from(it->path, (size_t)(gv_rfind(it->path, "/") + 1));
	it->head = gv_sub(bytes, 0, 4096);
	it->size = f->size = bytes.n;
	doc = gv_document_of(it);
	if (doc) {
		f->type = doc->type;
		doc->read(&x, bytes);
	}
	if (!doc || doc->scan)
		feed(gv_scan_new(&x), bytes, mapped);
	return f;
}

static void check(const struct gv_file *f, size_t n)
{
	for (size_t i = 0; i < f->code.n; i++) {
		const struct gv_code *c = &f->code.v[i];

		gv_fuzz_check(c->kind < GV_CODE_KINDS && c->count && c->count <= n && c->arch.n <= 256);
	}
	for (size_t i = 0; i < f->deps.n; i++)
		gv_fuzz_check(f->deps.v[i].name.n && f->deps.v[i].grade < GV_GRADES);
}

static void report(struct gv_arena *a, struct gv_file *f)
{
	struct gv_inventory inv = { .arena = a, .seen = 1, .bytes = f->size };
	struct gv_report_opts opts = { .version = "fuzz", .all = true };
	struct gv_run *run = gv_run_new(gv_arena_new());
	struct gv_buf text = { 0 }, json = { 0 };

	*gv_push(a, &inv.files) = f;
	for (size_t i = 0; i < f->packages.n; i++)
		*gv_push(a, &inv.packages) = f->packages.v[i];
	gv_inventory_resolve(&inv);
	gv_inventory_text(&text, &inv, &opts);
	gv_inventory_json(&json, &inv, &opts);
	gv_fuzz_check_text(gv_buf_str(&text));
	gv_fuzz_check_json(gv_buf_str(&json), run);
	gv_buf_free(&text);
	gv_buf_free(&json);
	gv_arena_free(run->arena);
}

void gv_fuzz_inspect(const uint8_t *data, size_t n)
{
	struct gv_arena *a = gv_arena_new();
	const char *name = names[n ? data[0] % NAMES : 0];
	gv_str bytes = gv_fuzz_copy((gv_str){ (const char *)data + (n ? 1 : 0), n ? n - 1 : 0 });
	struct gv_file *mapped = inspect(a, name, bytes, true), *pieces = inspect(a, name, bytes, false);

	/* Sound files say the same either way (tests/unit/test_inspect_code.c); where things lie over each other it
	 * hangs on which is met first. */
	check(mapped, n);
	check(pieces, n);
	report(a, mapped);
	free((char *)bytes.p);
	gv_arena_free(a);
}
