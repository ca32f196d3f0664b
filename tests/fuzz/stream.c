/* SPDX-License-Identifier: Apache-2.0 */
/* A log that is too large for a document is read piece by piece: it makes the events that it makes when it is read
 * whole. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/engine.h"
#include "fuzz.h"
#include "source/source.h"
#include "sys/file.h"

static struct gv_run *read_as(int fd, size_t document)
{
	struct gv_run *run = gv_run_new(gv_arena_new());

	run->limits =
	    (struct gv_limits){ .document = document, .archive = 1 << 20, .members = 10, .line = 512, .nesting = 1 };
	run->threads = 2;
	lseek(fd, 0, SEEK_SET);
	gv_source_fd(run, fd, "fuzz.log");
	gv_read_all(run);
	gv_judge_all(run);
	gv_fuzz_check_run(run);
	return run;
}

static uint64_t lines_of(const struct gv_run *run, const struct gv_sig *sig)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->events.n; i++)
		if (gv_eq(run->events.v[i]->sig->id, sig->id))
			n += run->events.v[i]->count;
	return n;
}

static void compare(const struct gv_run *a, const struct gv_run *b)
{
	for (size_t i = 0; i < a->events.n; i++) {
		const struct gv_sig *sig = a->events.v[i]->sig;

		if (lines_of(a, sig) != lines_of(b, sig))
			gv_fuzz_bad("%.*s: %llu lines and %llu", GV_ARG(sig->id), (unsigned long long)lines_of(a, sig),
				    (unsigned long long)lines_of(b, sig));
	}
}

void gv_fuzz_stream(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct gv_run *run, *whole;

	if (fd < 0 || gv_write_all(fd, (gv_str){ (const char *)data, n }))
		gv_fuzz_bad("no file in memory");
	run = read_as(fd, 100);
	whole = read_as(fd, 1 << 20);
	if (run->docs.n == 1 && whole->docs.n == 1 && !gv_doc_is_page(whole->docs.v[0])) {
		compare(run, whole);
		compare(whole, run);
	}
	gv_arena_free(whole->arena);
	gv_arena_free(run->arena);
	close(fd);
}
