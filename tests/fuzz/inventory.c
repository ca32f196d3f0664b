/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of which an inventory is taken: archives in archives, images and their layers, wheels, ELF files;
 * then its reports. */
#include "engine/inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "report/common_inventory.h"

static void check_file(const struct gv_inventory *inv, const struct gv_file *f)
{
	gv_fuzz_check(f->path.n && (f->layer > 0) == (f->stored.n > 0));
	gv_fuzz_check(!f->hidden || (!f->images && f->hidden_by.n && f->layer));
	gv_fuzz_check(!f->images || f->images >> (inv->images.n - 1) <= 1);
	for (size_t i = 0; i < f->deps.n; i++)
		gv_fuzz_check(f->deps.v[i].name.n && f->deps.v[i].vendor &&
			      (!f->deps.v[i].found || !f->deps.v[i].found->hidden));
}

static void check_json(gv_str text)
{
	struct gv_json_in in = { .text = text };
	enum gv_json_kind k;

	while ((k = gv_json_next(&in)) != GV_JSON_END)
		gv_fuzz_check(k != GV_JSON_ERROR);
}

static void check_reports(struct gv_inventory *inv)
{
	struct gv_report_opts opts = { .version = "0", .all = true, .form = { .width = 80 } };
	struct gv_buf out = { 0 };

	gv_inventory_json(&out, inv, &opts);
	check_json(gv_buf_str(&out));
	out.n = 0;
	gv_inventory_text(&out, inv, &opts);
	for (size_t i = 0; i < out.n; i++)
		gv_fuzz_check((unsigned char)out.p[i] >= ' ' || out.p[i] == '\n');
	gv_buf_free(&out);
}

void gv_fuzz_inventory(const uint8_t *data, size_t n)
{
	struct gv_inventory inv = { .arena = gv_arena_new() };
	struct gv_inventory_opts opts = { .archive = 300000, .members = 200, .nesting = 4, .threads = 1 };
	struct gv_buf err = { 0 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];
	gv_str name;

	gv_fuzz_check(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	name = gv_str_of(path);
	if (!gv_inventory_read(&inv, &name, 1, &opts, &err)) {
		for (size_t i = 0; i < inv.files.n; i++)
			check_file(&inv, inv.files.v[i]);
		check_reports(&inv);
	}
	gv_inventory_free(&inv);
	gv_arena_free(inv.arena);
	gv_buf_free(&err);
	close(fd);
}
