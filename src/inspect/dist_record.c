/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD of an installed Python package or a wheel: which files are its own.
 * "torch/lib/libtorch_cuda.so,sha256=...,1234" */
#include "inspect/common_python.h"

#define FILES_MAX 200000

static bool claim(const struct gv_item *it)
{
	return (gv_is(it->name, "RECORD") || gv_is(it->name, "installed-files.txt")) && gv_py_in_dist(it);
}

/* Of these there is never anything to say. */
static bool is_dull(gv_str path)
{
	static const char *const ends[] = { ".pyc", ".pyi", ".h",   ".hpp",  ".hxx", ".cuh", ".inl",
					    ".txt", ".md",  ".rst", ".html", ".png", ".svg" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (gv_ends(path, ends[i]))
			return true;
	return gv_has(path, ".dist-info/");
}

/* The first cell of a line of a CSV table. */
static gv_str first_cell(struct gv_arena *a, gv_str line)
{
	gv_str cell = gv_before(line, ",");
	char *p;
	size_t n = 0;

	if (!gv_starts(line, "\""))
		return cell;
	p = gv_alloc(a, line.n);
	for (size_t i = 1; i < line.n; i++) {
		if (line.p[i] == '"' && (i + 1 == line.n || line.p[i + 1] != '"'))
			break;
		i += line.p[i] == '"';
		p[n++] = line.p[i];
	}
	return (gv_str){ p, n };
}

/* "../../bin/x" of site-packages, "../foo/x" of an egg-info: relative to `dir`, which loses a folder with each. */
static gv_str whole(struct gv_inspect *x, gv_str dir, gv_str path)
{
	while (gv_starts(path, "../")) {
		ptrdiff_t cut = gv_rfind(dir, "/");

		if (!dir.n || gv_ends(dir, "!"))
			return GV_NONE;
		dir = gv_sub(dir, 0, cut < 0 ? 0 : (size_t)cut);
		path = gv_from(path, 3);
	}
	return dir.n ? gv_fmt(x->arena, "%.*s/%.*s", GV_ARG(dir), GV_ARG(path)) : gv_dup(x->arena, path);
}

static void add_file(struct gv_inspect *x, struct gv_package *p, gv_str path)
{
	struct gv_arena_mark mark = gv_arena_mark(x->arena);
	gv_str full;

	if (gv_starts(path, "/") || is_dull(path))
		return;
	if (!gv_starts(path, "../")) {
		*gv_push(x->arena, &p->files) = gv_dup(x->arena, path);
		return;
	}
	full = whole(x, p->dir, path);
	/* one that is not below dir cannot be told as relative to it */
	if (!p->dir.n || full.n <= p->dir.n || !gv_eq(gv_sub(full, 0, p->dir.n), p->dir) || full.p[p->dir.n] != '/')
		gv_arena_reset(x->arena, mark);
	else
		*gv_push(x->arena, &p->files) = gv_from(full, p->dir.n + 1);
}

static void read(struct gv_inspect *x, gv_str text)
{
	struct gv_package *p = gv_py_dist_package(x, GV_NONE, GV_NONE);
	bool egg = gv_is(x->item->name, "installed-files.txt");
	gv_str line;

	while (p && gv_next(&text, '\n', &line)) {
		gv_str path = gv_trim(egg ? line : first_cell(x->arena, gv_rtrim(line)));

		if (egg && gv_starts(path, "../")) /* below the folder of metadata */
			path = gv_from(path, 3);
		if (path.n)
			add_file(x, p, path);
		if (p->files.n == FILES_MAX) {
			gv_file_note(x, "more than %d files: the rest is not kept", FILES_MAX);
			break;
		}
	}
}

const struct gv_document gv_document_dist_record = { .type = "list of files", .claim = claim, .read = read };
