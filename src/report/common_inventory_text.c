/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory for people: which files hold GPU code and for what, what they need and by which path it comes. One
 * screen, unless all is wanted: the files with most GPU code first. */
#include <stdlib.h>

#include "report/common_inventory.h"

#define FILES_MAX 8
#define FILES_MAX_JUDGED 3 /* where targets or a policy are what was asked for */
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
	static const char *const units[] = { "bytes", "kB", "MB", "GB" };
	double v = (double)n;
	size_t u = 0;

	for (; v >= 999.5 && u < 3; u++)
		v /= 1000;
	if (u)
		gv_printf(b, v < 9.95 ? "%.1f %s" : "%.0f %s", v, units[u]);
	else
		gv_printf(b, "%.0f %s", v, units[u]);
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

static bool first_of(const struct gv_file *f, size_t i, bool by_kind)
{
	for (size_t k = 0; k < i; k++)
		if (f->code.v[k].vendor == f->code.v[i].vendor && (!by_kind || f->code.v[k].kind == f->code.v[i].kind))
			return false;
	return true;
}

/* "sm_80, sm_90a; PTX 8.5 for compute_80" of one vendor, each architecture once. */
static void put_archs(struct gv_buf *b, const struct gv_file *f, unsigned vendor)
{
	static const char *const lead[] = { "", "PTX for ", "code to be linked for ", "bitcode for ", "SPIR-V" };

	for (int kind = 0; kind < GV_CODE_KINDS; kind++) {
		bool any = false;

		for (size_t i = 0; i < f->code.n; i++) {
			const struct gv_code *c = &f->code.v[i];
			bool known = c->vendor != vendor || (int)c->kind != kind;

			for (size_t k = 0; k < i && !known; k++)
				known = f->code.v[k].vendor == vendor && f->code.v[k].kind == c->kind &&
					gv_eq(f->code.v[k].arch, c->arch);
			if (known)
				continue;
			gv_puts(b, any ? ", " : b->n ? "; " : "");
			if (!any)
				gv_puts(b, lead[kind]);
			any = true;
			gv_put_clean(b, c->arch);
		}
	}
}

static void put_code(struct text *t, const struct gv_file *f)
{
	for (size_t i = 0; i < f->code.n; i++) {
		struct gv_buf archs = { 0 }, line = { 0 };
		uint64_t bytes = 0, images = 0;
		bool unconfirmed = false;

		if (!first_of(f, i, false))
			continue;
		put_archs(&archs, f, f->code.v[i].vendor);
		for (size_t k = i; k < f->code.n; k++)
			if (f->code.v[k].vendor == f->code.v[i].vendor) {
				bytes += f->code.v[k].bytes;
				images += f->code.v[k].count;
				unconfirmed |= f->code.v[k].unconfirmed;
			}
		gv_printf(&line, "code for %s: ", gv_vendor_title(f->code.v[i].vendor));
		gv_put(&line, gv_buf_str(&archs));
		gv_printf(&line, " (%llu image%s, ", (unsigned long long)images, images == 1 ? "" : "s");
		put_size(&line, bytes);
		gv_puts(&line, unconfirmed ? "; read by a layout that no real file has confirmed)" : ")");
		wrapped(t, 4, 6, gv_buf_str(&line));
		gv_buf_free(&archs);
		gv_buf_free(&line);
	}
}

/* ---- Needs ---- */

static void put_name(struct gv_buf *b, const struct gv_dep *d)
{
	const char *const words[] = {
		d->driver ? "the driver's" : NULL,
		d->grade == GV_LINKED && !d->found && !d->driver ? "not in here" : NULL,
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

/* All names of one grade in one paragraph: the first ones, unless all are wanted. */
static void put_grade(struct text *t, const struct gv_file *f, const char *lead, enum gv_grade grade, bool through)
{
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->deps.n; i++) {
		const struct gv_dep *d = &f->deps.v[i];

		if (d->grade != grade || d->through != through || (!t->all && is_told(d)))
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
static void put_path(struct text *t, const struct gv_file *f)
{
	static const char arrow[] = " \xe2\x86\x92 ";
	const struct gv_dep *d = NULL;
	struct gv_buf b = { 0 };
	ptrdiff_t end;

	for (size_t i = 0; i < f->deps.n && !d; i++)
		if (!f->deps.v[i].through)
			d = &f->deps.v[i];
	end = d ? gv_rfind(d->via, arrow) : -1;
	if (end < 0 || (gv_find(gv_sub(d->via, 0, (size_t)end), arrow) < 0 && !d->change.n))
		return;
	gv_puts(&b, "comes by ");
	gv_put_clean(&b, gv_sub(d->via, 0, (size_t)end));
	if (d->change.n) {
		gv_puts(&b, "; to change: ");
		gv_put_clean(&b, d->change);
	}
	wrapped(t, 4, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void put_needs(struct text *t, const struct gv_file *f)
{
	put_grade(t, f, "linked to ", GV_LINKED, false);
	put_grade(t, f, "and through others to ", GV_LINKED, true);
	put_grade(t, f, "has linked in ", GV_STATIC, false);
	put_grade(t, f, "fetches when it is installed ", GV_FETCHED, false);
	put_grade(t, f, "may load ", GV_LOADED, false);
	put_grade(t, f, "declares ", GV_DECLARED, false);
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
	return f->code.n || gpu_needs(f) || f->artefacts.n || f->driver || (f->hidden && f->provides) || (f->notes.n && f->elf);
}

static void headline(struct text *t, const struct gv_file **v, size_t n)
{
	struct gv_buf b = { 0 };
	size_t with_code = 0, with_needs = 0;

	for (size_t i = 0; i < n; i++) {
		with_code += v[i]->code.n > 0;
		with_needs += gpu_needs(v[i]) > 0;
	}
	if (!n)
		gv_printf(&b, "No GPU code and no GPU library in %llu file%s (", (unsigned long long)t->inv->seen,
			  t->inv->seen == 1 ? "" : "s");
	else
		gv_printf(&b, "GPU code in %zu, GPU libraries asked for by %zu of %llu file%s (", with_code, with_needs,
			  (unsigned long long)t->inv->seen, t->inv->seen == 1 ? "" : "s");
	put_size(&b, t->inv->bytes);
	gv_puts(&b, " read).");
	wrapped(t, 0, 0, gv_buf_str(&b));
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

void gv_inventory_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	struct text t = { .out = out, .inv = inv, .form = &opts->form, .all = opts->all };
	const struct gv_file **v = GV_NEWN(inv->arena, const struct gv_file *, inv->files.n + 1);
	size_t n = 0, most;

	for (size_t i = 0; i < inv->files.n; i++)
		if (to_be_shown(inv->files.v[i]))
			v[n++] = inv->files.v[i];
	qsort(v, n, sizeof(*v), by_weight);
	headline(&t, v, n);
	gv_inventory_targets_text(out, inv, opts);
	gv_inventory_images_text(out, inv, opts);
	most = inv->targets.n || inv->policy ? FILES_MAX_JUDGED : FILES_MAX;
	for (size_t i = 0; i < n; i++) {
		if (!t.all && i == most) {
			gv_printf(out, "\n  and %zu more file%s (--all)\n", n - i, n - i == 1 ? "" : "s");
			break;
		}
		gv_putc(out, '\n');
		put_file(&t, v[i]);
	}
	if (t.left_out)
		gv_printf(out, "\n  and %zu more libraries of these files (--all)\n", t.left_out);
	if (inv->policy)
		gv_inventory_policy_text(out, inv->policy, opts);
	put_unread(&t);
}
