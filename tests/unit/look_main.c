/* SPDX-License-Identifier: Apache-2.0 */
/* Many looks in one process, for tests that ask about hundreds of folders: look_tool diagnose|facts PATH... prints of
 * each PATH what `gpuvet COMMAND --json PATH` would, and a NUL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "report/common.h"

static int look(const char *path, bool judge)
{
	struct gv_report_opts ro = { .version = "0" };
	struct gv_arena *a = gv_arena_new();
	struct gv_run *run = gv_run_new(a);
	struct gv_buf out = { 0 };
	int r = gv_add_path(run, path);

	if (!r) {
		gv_read_all(run);
		if (judge)
			gv_judge_all(run);
		(judge ? gv_report_json : gv_report_facts_json).write(&out, run, &ro);
		fwrite(gv_buf_str(&out).p, 1, gv_buf_str(&out).n, stdout);
		fputc(0, stdout);
		fflush(stdout);
	} else {
		fprintf(stderr, "%s: %s\n", path, strerror(-r));
	}
	gv_buf_free(&out);
	gv_arena_free(a);
	return r;
}

int main(int argc, char **argv)
{
	bool judge = argc > 2 && !strcmp(argv[1], "diagnose");

	if (!judge && (argc < 3 || strcmp(argv[1], "facts"))) {
		fputs("usage: look_tool diagnose|facts PATH...\n", stderr);
		return 64;
	}
	for (int i = 2; i < argc; i++)
		if (look(argv[i], judge))
			return 66;
	return 0;
}
