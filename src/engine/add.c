/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine.h"
#include "engine/stream.h"
#include "source/source.h"

struct gv_run *gv_run_new(struct gv_arena *a)
{
	struct gv_run *run = GV_NEW(a, struct gv_run);

	run->arena = a;
	run->limits = (struct gv_limits){
		.document = 64u << 20,
		.archive = 1u << 30,
		.members = 10000,
		.line = 1u << 20,
		.nesting = 4,
	};
	run->read_log = gv_read_log;
	run->workload = "unknown";
	return run;
}

int gv_add_path(struct gv_run *run, const char *path)
{
	return gv_source_path(run, path);
}

int gv_add_stdin(struct gv_run *run)
{
	run->how = GV_HOW_STDIN;
	return gv_source_fd(run, 0, "-");
}

void gv_add_bytes(struct gv_run *run, gv_str name, gv_str bytes)
{
	gv_source_bytes(run, name, bytes);
}
