/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inventory.h"

#include <stdarg.h>

const char *const gv_code_kind_name[] = { "elf", "ptx", "ltoir", "bitcode", "spirv" };
const char *const gv_grade_name[] = { "linked", "loaded", "fetched", "declared", "static" };

#define PATTERN(file)
#define DOCUMENT(file) extern const struct gv_document gv_document_##file;
#include "inspect.def"
#undef PATTERN
#undef DOCUMENT

static const struct gv_document *const documents[] = {
#define PATTERN(file)
#define DOCUMENT(file) &gv_document_##file,
#include "inspect.def"
#undef PATTERN
#undef DOCUMENT
	NULL,
};

/* What one file can make this hold. */
#define DEPS_MAX 4096
#define PACKAGES_MAX 20000
#define ARTEFACTS_MAX 256
#define NOTES_MAX 8

const struct gv_document *gv_document_of(const struct gv_item *it)
{
	for (size_t i = 0; documents[i]; i++)
		if (documents[i]->claim(it))
			return documents[i];
	return NULL;
}

static bool is_of_package(const struct gv_file *f)
{
	return f->package && f->package->name.n;
}

bool gv_file_is_of_tests(const struct gv_file *f)
{
	return !f->elf && is_of_package(f) && (gv_has(f->path, "/tests/") || gv_has(f->path, "/test/"));
}

bool gv_code_is_material(const struct gv_file *f, const struct gv_code *c)
{
	return c->kind == GV_CODE_BITCODE || (!f->elf && is_of_package(f) && c->kind != GV_CODE_ELF);
}

bool gv_file_matters(const struct gv_file *f)
{
	return f->code.n || f->deps.n || f->packages.n || f->artefacts.n || f->notes.n || f->provides || f->elf ||
	       f->oci.n || f->search.n;
}

gv_str gv_file_name(gv_str path)
{
	size_t from = path.n;

	while (from && path.p[from - 1] != '/' && path.p[from - 1] != '!')
		from--;
	return gv_from(path, from);
}

gv_str gv_folder_above(gv_str path, unsigned n)
{
	size_t end = path.n;

	for (; n; n--) {
		while (end && path.p[end - 1] != '/' && path.p[end - 1] != '!')
			end--;
		end -= end > 0;
	}
	return gv_sub(path, 0, end);
}

void gv_file_note(struct gv_inspect *x, const char *fmt, ...)
{
	va_list ap;
	gv_str note;

	if (x->file->notes.n >= NOTES_MAX)
		return;
	va_start(ap, fmt);
	note = gv_vfmt(x->arena, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < x->file->notes.n; i++)
		if (gv_eq(x->file->notes.v[i], note)) /* once is enough, however many pieces of code it is true of */
			return;
	*gv_push(x->arena, &x->file->notes) = note;
}

/* Where more are told than are kept, the last one gives its place to the next: who fills it in need not know. */
#define ADD(vec, max) ((vec)->n < (max) ? gv_push(x->arena, vec) : (full(x), &(vec)->v[(vec)->n - 1]))

static void full(struct gv_inspect *x)
{
	gv_file_note(x, "more in it than is kept: what is listed is not all");
}

struct gv_dep *gv_add_dep(struct gv_inspect *x, enum gv_grade grade, gv_str name, unsigned vendor)
{
	struct gv_dep *d = ADD(&x->file->deps, DEPS_MAX);

	*d = (struct gv_dep){ .name = gv_dup(x->arena, name), .vendor = vendor, .grade = grade };
	return d;
}

void gv_package_judge(struct gv_package *p)
{
	struct gv_by_name says;

	gv_package_by_name(p->eco, p->name, p->local, &says);
	p->vendor = says.vendor;
	p->by_default = says.by_default && says.vendor;
}

struct gv_package *gv_add_package(struct gv_inspect *x, const char *eco, gv_str name, gv_str version)
{
	struct gv_package **p = ADD(&x->file->packages, PACKAGES_MAX);
	ptrdiff_t plus = gv_find_c(version, '+');

	*p = GV_NEW(x->arena, struct gv_package);
	(*p)->eco = eco;
	(*p)->name = gv_dup(x->arena, name);
	(*p)->version = gv_dup(x->arena, version);
	if (plus >= 0)
		(*p)->local = gv_from((*p)->version, (size_t)plus + 1);
	gv_package_judge(*p);
	(*p)->from = x->file;
	return *p;
}

struct gv_artefact *gv_add_artefact(struct gv_inspect *x, const char *kind)
{
	struct gv_artefact *a = ADD(&x->file->artefacts, ARTEFACTS_MAX);

	*a = (struct gv_artefact){ .kind = kind };
	return a;
}

void gv_add_prop(struct gv_inspect *x, struct gv_artefact *a, const char *key, gv_str value)
{
	*gv_push(x->arena, &a->props) = (struct gv_prop){ key, gv_dup(x->arena, value) };
}
