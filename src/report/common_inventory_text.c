/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory for people: which files hold GPU code and for what, what they need and by which path it comes. One
 * screen, unless all is wanted: the files with most GPU code first. */
#include <stdlib.h>

#include "base/units.h"
#include "report/common_inventory.h"

#define FILES_MAX 5 /* none where targets or a policy are what was asked for */
#define CHANGES_MAX 4
#define NEEDS_MAX 6
#define UNREAD_MAX 3

struct text {
	struct gv_buf *out;
	const struct gv_inventory *inv;
	const struct gv_form *form;
	bool all;
	size_t left_out;
};

static void wrapped(struct text *t, size_t indent, size_t hang, gv_str s)
{
	gv_pad(t->out, ' ', indent);
	gv_put_wrapped(t->out, t->form, indent, hang, s);
}

static void put_size(struct gv_buf *b, uint64_t n)
{
	char text[GV_HUMAN];

	gv_puts(b, gv_human_bytes((double)n, text, sizeof(text)));
}

static uint64_t code_bytes(const struct gv_file *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->code.n; i++)
		n += f->code.v[i].bytes;
	return n;
}

/* A package that is in here is told by its own files. */
static bool is_told(const struct gv_dep *d)
{
	return d->grade == GV_DECLARED && d->found;
}

static size_t gpu_needs(const struct gv_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->deps.n; i++)
		n += !is_told(&f->deps.v[i]);
	return n;
}

/* Files with most code first, then those with most needs, then by name. */
static int by_weight(const void *a, const void *b)
{
	const struct gv_file *x = *(const struct gv_file *const *)a, *y = *(const struct gv_file *const *)b;
	uint64_t cx = code_bytes(x), cy = code_bytes(y);

	if (cx != cy)
		return cx > cy ? -1 : 1;
	if (gpu_needs(x) != gpu_needs(y))
		return gpu_needs(x) > gpu_needs(y) ? -1 : 1;
	return gv_cmp(x->path, y->path);
}

/* ---- Code ---- */

typedef GV_VEC(const struct gv_code *) code_list;

static int by_arch(const void *a, const void *b)
{
	const struct gv_code *x = *(const struct gv_code *const *)a, *y = *(const struct gv_code *const *)b;

	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : gv_cmp_natural(x->arch, y->arch);
}

/* "sm_80, sm_90a; PTX for compute_80", each architecture once. */
static void put_archs(struct gv_buf *b, code_list *of)
{
	static const char *const lead[] = { "", "PTX for ", "code to be linked for ", "bitcode for ", "SPIR-V" };
	const struct gv_code *last = NULL;

	qsort(of->v, of->n, sizeof(*of->v), by_arch);
	for (size_t i = 0; i < of->n; i++) {
		const struct gv_code *c = of->v[i];

		if (last && last->kind == c->kind && gv_eq(last->arch, c->arch))
			continue;
		if (!last || last->kind != c->kind)
			gv_printf(b, "%s%s", last ? "; " : "", lead[c->kind]);
		else
			gv_puts(b, ", ");
		if (c->arch.n)
			gv_put_clean(b, c->arch);
		else if (c->kind != GV_CODE_SPIRV)
			gv_puts(b, "no certain GPU");
		last = c;
	}
}

static void add_code(struct text *t, const struct gv_file *f, unsigned vendor, code_list *ret)
{
	for (size_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].vendor == vendor)
			*gv_push(t->inv->arena, ret) = &f->code.v[i];
}

static bool first_of(const struct gv_file *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (f->code.v[k].vendor == f->code.v[i].vendor)
			return false;
	return true;
}

static void put_code(struct text *t, const struct gv_file *f)
{
	for (size_t i = 0; i < f->code.n; i++) {
		struct gv_buf line = { 0 };
		uint64_t bytes = 0, images = 0;
		bool unconfirmed = false;
		code_list of = { 0 };

		if (!first_of(f, i))
			continue;
		add_code(t, f, f->code.v[i].vendor, &of);
		for (size_t k = 0; k < of.n; k++) {
			bytes += of.v[k]->bytes;
			images += of.v[k]->count;
			unconfirmed |= of.v[k]->unconfirmed;
		}
		gv_printf(&line, "code for %s: ", gv_vendor_title(f->code.v[i].vendor));
		put_archs(&line, &of);
		gv_printf(&line, " (%llu image%s, ", (unsigned long long)images, images == 1 ? "" : "s");
		put_size(&line, bytes);
		gv_puts(&line, unconfirmed ? "; read by a layout that no real file has confirmed)" : ")");
		wrapped(t, 4, 6, gv_buf_str(&line));
		gv_buf_free(&line);
	}
}

/* ---- Needs ---- */

static void put_name(struct gv_buf *b, const struct gv_dep *d)
{
	const char *const words[] = {
		d->driver ? "the driver's" : NULL,
		d->by_name ? "by its name" : NULL,
		d->by_default ? "by default" : NULL,
		d->optional ? "optional" : NULL,
	};
	bool any = false;

	gv_put_clean(b, d->name);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i]) {
			gv_printf(b, "%s%s", any ? ", " : " (", words[i]);
			any = true;
		}
	gv_puts(b, any ? ")" : "");
}

/* All names of one grade in one paragraph, those that are nowhere in here apart from others: the first ones, unless
 * all are wanted. */
static void put_grade(struct text *t, const struct gv_file *f, const char *lead, enum gv_grade grade, bool through,
		      bool absent)
{
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		if (d->grade != grade || d->through != through || (!t->all && is_told(d)) ||
		    absent != (d->grade == GV_LINKED && !d->found && !d->driver))
			continue;
		if (!t->all && n == NEEDS_MAX) {
			t->left_out++;
			continue;
		}
		gv_puts(&b, n++ ? ", " : lead);
		put_name(&b, d);
	}
	if (n)
		wrapped(t, 4, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

/* By which packages it comes, where there is more to say than its own name. */
bool gv_inventory_comes_by(struct gv_buf *b, const struct gv_file *f)
{
	static const char arrow[] = " \xe2\x86\x92 ";
	const struct gv_dep *d = NULL;
	ptrdiff_t end;
	gv_str via;

	for (size_t i = 0; i < f->deps.n && !d; i++)
		if (!f->deps.v[i].through)
			d = &f->deps.v[i];
	end = d ? gv_rfind(d->via, arrow) : -1;
	if (end < 0)
		return false;
	via = gv_sub(d->via, 0, (size_t)end);
	end = gv_rfind(via, arrow);
	if (end >= 0 && gv_eq(gv_from(via, (size_t)end + sizeof(arrow) - 1),
			      gv_from(f->path, (size_t)(gv_rfind(f->path, "/") + 1)))) /* the file itself */
		via = gv_sub(via, 0, (size_t)end);
	if (gv_find(via, arrow) >= 0) {
		gv_puts(b, "comes by ");
		gv_put_clean(b, via);
	} else if (!d->change.n || (f->package && gv_eq(d->change, f->package->name))) {
		return false;
	}
	if (d->change.n) {
		gv_puts(b, gv_find(via, arrow) >= 0 ? "; to change: " : "to change: ");
		gv_put_clean(b, d->change);
	}
	return true;
}

static void put_path(struct text *t, const struct gv_file *f)
{
	struct gv_buf b = { 0 };

	if (gv_inventory_comes_by(&b, f))
		wrapped(t, 4, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void put_needs(struct text *t, const struct gv_file *f)
{
	put_grade(t, f, "linked to ", GV_LINKED, false, false);
	put_grade(t, f, "linked to what is not in here: ", GV_LINKED, false, true);
	put_grade(t, f, "and through others to ", GV_LINKED, true, false);
	put_grade(t, f, "and through others to what is not in here: ", GV_LINKED, true, true);
	put_grade(t, f, "has linked in ", GV_STATIC, false, false);
	put_grade(t, f, "fetches when it is installed ", GV_FETCHED, false, false);
	put_grade(t, f, "may load ", GV_LOADED, false, false);
	put_grade(t, f, "declares ", GV_DECLARED, false, false);
	put_path(t, f);
}

static void put_file(struct text *t, const struct gv_file *f)
{
	struct gv_buf b = { 0 };

	gv_put_clean(&b, f->path);
	if (f->layer)
		gv_printf(&b, " (layer %d)", f->layer);
	if (f->package && f->package->name.n) {
		gv_printf(&b, "  (%s ", f->package->eco);
		gv_put_clean(&b, f->package->name);
		gv_puts(&b, f->package->version.n ? " " : "");
		gv_put_clean(&b, f->package->version);
		gv_putc(&b, ')');
	}
	wrapped(t, 2, 4, gv_buf_str(&b));
	gv_buf_free(&b);
	if (f->hidden) {
		struct gv_buf h = { 0 };

		gv_puts(&h, "shipped, not visible: ");
		gv_put_clean(&h, f->hidden_by);
		wrapped(t, 4, 6, gv_buf_str(&h));
		gv_buf_free(&h);
	}
	if (f->provides && !f->driver && !f->code.n && !f->deps.n) /* else that says it */
		wrapped(t, 4, 6, gv_fmt(t->inv->arena, "is a library for GPUs of %s", gv_vendor_title(f->provides)));
	put_code(t, f);
	put_needs(t, f);
	if (f->driver)
		wrapped(t, 4, 6, GV_STR("is a library of the driver: it must come from the host, not be shipped"));
	for (size_t i = 0; i < f->artefacts.n; i++) {
		struct gv_buf a = { 0 };

		gv_printf(&a, "made by %s", f->artefacts.v[i].kind);
		for (size_t k = 0; k < f->artefacts.v[i].props.n; k++) {
			gv_printf(&a, "%s %s ", k ? "," : " for", f->artefacts.v[i].props.v[k].key);
			gv_put_clean(&a, f->artefacts.v[i].props.v[k].value);
		}
		wrapped(t, 4, 6, gv_buf_str(&a));
		gv_buf_free(&a);
	}
	for (size_t i = 0; i < f->notes.n; i++) {
		struct gv_buf n = { 0 };

		gv_put_clean(&n, f->notes.v[i]);
		wrapped(t, 4, 6, gv_buf_str(&n));
		gv_buf_free(&n);
	}
}

static bool to_be_shown(const struct gv_file *f)
{
	return f->code.n || gpu_needs(f) || f->artefacts.n || f->driver || f->provides || (f->notes.n && f->elf);
}

static void headline(struct text *t, size_t n)
{
	struct gv_buf b = { 0 };

	if (!t->inv->seen) {
		gv_puts(t->out, "There is no file in here.\n");
		return;
	}
	if (n)
		gv_printf(&b, "GPU code or GPU libraries in %zu of %llu file%s (", n, (unsigned long long)t->inv->seen,
			  t->inv->seen == 1 ? "" : "s");
	else
		gv_printf(&b, "No GPU code and no GPU library in %llu file%s (", (unsigned long long)t->inv->seen,
			  t->inv->seen == 1 ? "" : "s");
	put_size(&b, t->inv->bytes);
	gv_puts(&b, " read).");
	wrapped(t, 0, 0, gv_buf_str(&b));
	gv_buf_free(&b);
}

/* The requirements that bring a vendor's code and libraries in: not those of names that are loaded where they are
 * there. */
static void put_changes(struct text *t, struct gv_buf *b, const struct gv_file **v, size_t n, unsigned vendor)
{
	struct gv_map known = { .arena = t->inv->arena };
	size_t changes = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i]->deps.n; k++) {
			const struct gv_dep *d = &v[i]->deps.v[k];
			void **slot;

			if (!d->change.n || d->vendor != vendor || d->optional ||
			    (d->grade == GV_LOADED && !v[i]->code.n))
				continue;
			slot = gv_map_put(&known, d->change);
			if (*slot)
				continue;
			*slot = t;
			if (changes < CHANGES_MAX || t->all) {
				gv_puts(b, changes ? ", " : "; brought in by ");
				gv_put_clean(b, d->change);
			}
			changes++;
		}
	if (changes > CHANGES_MAX && !t->all)
		gv_printf(b, " and %zu more", changes - CHANGES_MAX);
}

/* All that is a vendor's, in one paragraph. */
static void put_vendor(struct text *t, const struct gv_file **v, size_t n, unsigned vendor)
{
	size_t with_code = 0, with_needs = 0, with_names = 0, ships = 0;
	struct gv_buf b = { 0 };
	uint64_t bytes = 0;
	code_list of = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t before = of.n;
		bool needs = false, names = false;

		add_code(t, v[i], vendor, &of);
		with_code += of.n > before;
		ships += v[i]->provides == vendor;
		for (size_t k = 0; k < v[i]->deps.n && !needs; k++) {
			const struct gv_dep *d = &v[i]->deps.v[k];

			needs |= d->vendor == vendor && d->grade != GV_LOADED && !is_told(d);
			names |= d->vendor == vendor && d->grade == GV_LOADED;
		}
		with_needs += needs;
		with_names += names && !needs;
	}
	if (!with_code && !with_needs && !with_names && !ships)
		return;
	for (size_t i = 0; i < of.n; i++)
		bytes += of.v[i]->bytes;
	gv_printf(&b, "%s: ", gv_vendor_title(vendor));
	if (with_code) {
		gv_printf(&b, "code in %zu file%s (", with_code, with_code == 1 ? "" : "s");
		put_size(&b, bytes);
		gv_puts(&b, ") for ");
		put_archs(&b, &of);
	}
	if (ships)
		gv_printf(&b, "%s%zu librar%s in here", with_code ? "; " : "", ships, ships == 1 ? "y" : "ies");
	if (with_needs)
		gv_printf(&b, "%slibraries asked for by %zu file%s", with_code || ships ? "; " : "", with_needs,
			  with_needs == 1 ? "" : "s");
	if (with_names)
		gv_printf(&b, "%s%zu file%s may load a library where it is there",
			  with_code || ships || with_needs ? "; " : "", with_names, with_names == 1 ? "" : "s");
	put_changes(t, &b, v, n, vendor);
	wrapped(t, 2, 4, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void put_not_read(struct text *t, gv_str path, gv_str why, size_t *n)
{
	struct gv_buf b = { 0 };

	if (++*n > UNREAD_MAX && !t->all)
		return;
	if (*n == 1)
		gv_puts(t->out, "\nNot read, or not all of it:\n");
	gv_put_clean(&b, path);
	gv_puts(&b, ": ");
	gv_put_clean(&b, why);
	wrapped(t, 2, 4, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void put_unread(struct text *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->inv->unread.n; i++)
		put_not_read(t, t->inv->unread.v[i].path, t->inv->unread.v[i].why, &n);
	for (size_t i = 0; i < t->inv->files.n; i++)
		for (size_t k = 0; k < t->inv->files.v[i]->notes.n && !to_be_shown(t->inv->files.v[i]); k++)
			put_not_read(t, t->inv->files.v[i]->path, t->inv->files.v[i]->notes.v[k], &n);
	if (n > UNREAD_MAX && !t->all)
		gv_printf(t->out, "  and %zu more not read (--all)\n", n - UNREAD_MAX);
}

static void put_vendors(struct text *t, const struct gv_file **v, size_t n)
{
	for (unsigned vendor = GV_NVIDIA; n > 1 && vendor <= GV_INTEL; vendor <<= 1)
		put_vendor(t, v, n, vendor);
}

/* Then that is what was asked for, and comes first. */
static bool is_judged(const struct text *t)
{
	return t->inv->targets.n || t->inv->policy;
}

static void put_files(struct text *t, const struct gv_file **v, size_t n)
{
	size_t most = t->all ? n : is_judged(t) ? 0 : FILES_MAX;

	for (size_t i = 0; i < n && i < most; i++) {
		gv_putc(t->out, '\n');
		put_file(t, v[i]);
	}
	if (n && !most)
		gv_puts(t->out, "\nWhich files, and how they are reached: --all\n");
	else if (n > most)
		gv_printf(t->out, "\n  and %zu more file%s (--all)\n", n - most, n - most == 1 ? "" : "s");
	if (t->left_out)
		gv_printf(t->out, "\n  and %zu more librar%s of the files above (--all)\n", t->left_out,
			  t->left_out == 1 ? "y" : "ies");
}

void gv_inventory_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	struct text t = { .out = out, .inv = inv, .form = &opts->form, .all = opts->all };
	const struct gv_file **v = GV_NEWN(inv->arena, const struct gv_file *, inv->files.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < inv->files.n; i++)
		if (to_be_shown(inv->files.v[i]))
			v[n++] = inv->files.v[i];
	qsort(v, n, sizeof(*v), by_weight);
	headline(&t, n);
	if (!is_judged(&t))
		put_vendors(&t, v, n);
	gv_inventory_targets_text(out, inv, opts);
	if (inv->policy)
		gv_inventory_policy_text(out, inv, opts);
	gv_inventory_images_text(out, inv, opts);
	if (is_judged(&t) && n > 1) {
		gv_puts(out, "\nWhat is in here:\n");
		put_vendors(&t, v, n);
	}
	put_files(&t, v, n);
	put_unread(&t);
}
