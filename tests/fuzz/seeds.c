/* SPDX-License-Identifier: Apache-2.0 */
/* First inputs for the targets that want more than a document: every output that a reader claims in the files, as the
 * target `readers` takes it, and the lines of every event, for `signatures`.
 *
 * usage: fuzz_seeds FOLDER FILE... (writes into FOLDER/readers and FOLDER/signatures, which exist) */
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "format/common.h"
#include "fuzz.h"
#include "report/common.h"
#include "source/source.h"

#define LARGEST 12000

/* The name is made of the content: the same input is written once. */
static void save(const char *folder, const char *target, gv_str s)
{
	uint64_t h = 14695981039346656037u;
	char path[4096];
	FILE *f;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	snprintf(path, sizeof(path), "%s/%s/%016llx", folder, target, (unsigned long long)h);
	f = fopen(path, "wb");
	if (!f || fwrite(s.p, 1, s.n, f) != s.n || fclose(f))
		gv_fuzz_bad("%s: cannot be written", path);
}

static void save_block(const char *folder, const struct gv_block *b)
{
	uint16_t id = gv_fuzz_reader_id(b->format->name);
	struct gv_buf out = { 0 };

	gv_putc(&out, (char)(id & 255));
	gv_putc(&out, (char)(id >> 8));
	gv_putc(&out, 0);
	if (b->seg->cmd.n)
		gv_printf(&out, "$ %.*s\n", GV_ARG(b->seg->cmd));
	for (size_t i = b->first; i < b->first + b->n && out.n < LARGEST; i++) {
		gv_put(&out, b->doc->lines[i].text);
		gv_putc(&out, '\n');
	}
	save(folder, "readers", gv_buf_str(&out));
	gv_buf_free(&out);
}

static void save_all(const char *folder, const struct gv_run *run)
{
	for (size_t i = 0; i < run->blocks.n; i++)
		save_block(folder, run->blocks.v[i]);
	for (size_t i = 0; i < run->events.n; i++) {
		const struct gv_line *l = gv_line_at(run->events.v[i]->first);

		if (l)
			save(folder, "signatures", gv_sub(l->text, 0, 1000));
	}
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		struct gv_run *run = gv_run_new(gv_arena_new());

		if (gv_source_path(run, argv[i]) == 0) {
			gv_read_all(run);
			save_all(argv[1], run);
		}
		gv_arena_free(run->arena);
	}
	return 0;
}
