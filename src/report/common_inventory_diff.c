/* SPDX-License-Identifier: Apache-2.0 */
/* What came and what went between two inventories, for people and as gpuvet.inventory-diff.v1. */
#include "base/units.h"
#include "inspect/diff.h"
#include "report/common_inventory.h"

#define SHOWN_MAX 12
#define NAMES_MAX 6

struct text {
	struct gv_buf *out;
	const struct gv_form *form;
	bool all;
	const char *heading; /* not printed yet */
	size_t shown;
};

/* A heading once, then lines, each behind "+", "-" or "~"; how many were left out at the end. */
static void start(struct text *t, const char *heading)
{
	t->shown = 0;
	t->heading = heading;
}

static void line(struct text *t, char mark, const struct gv_buf *b)
{
	if (t->shown++ >= SHOWN_MAX && !t->all)
		return;
	if (t->heading)
		gv_printf(t->out, "\n%s\n", t->heading);
	t->heading = NULL;
	gv_printf(t->out, "  %c ", mark);
	gv_put_wrapped(t->out, t->form, 4, 6, gv_buf_str(b));
}

static void finish(struct text *t)
{
	if (t->shown > SHOWN_MAX && !t->all)
		gv_printf(t->out, "  and %zu more (--all)\n", t->shown - SHOWN_MAX);
}

static void put_bytes(struct gv_buf *b, uint64_t old, uint64_t new)
{
	char x[GV_HUMAN], y[GV_HUMAN];

	if (!old || !new)
		gv_puts(b, gv_human_bytes((double)(old + new), x, sizeof(x)));
	else
		gv_printf(b, "%s \xe2\x86\x92 %s", gv_human_bytes((double)old, x, sizeof(x)),
			  gv_human_bytes((double)new, y, sizeof(y)));
}

static void put_code(struct gv_buf *b, unsigned vendor, enum gv_code_kind kind, gv_str arch)
{
	gv_printf(b, "%s %s ", gv_vendor_title(vendor), gv_code_kind_name[kind]);
	gv_put_clean(b, arch);
}

static void amounts(struct text *t, const struct gv_diff *d)
{
	start(t, "GPU code");
	for (size_t i = 0; i < d->amounts.all.n; i++) {
		const struct gv_amount *m = d->amounts.all.v[i];
		struct gv_buf b = { 0 };

		if (m->bytes[0] == m->bytes[1] && m->count[0] == m->count[1])
			continue;
		put_code(&b, m->vendor, m->kind, m->arch);
		gv_puts(&b, ": ");
		put_bytes(&b, m->bytes[0], m->bytes[1]);
		line(t, !m->count[0] ? '+' : !m->count[1] ? '-' : '~', &b);
		gv_buf_free(&b);
	}
	finish(t);
}

static bool goes_with(const struct gv_diff_code *a, const struct gv_diff_code *b)
{
	return a->came == b->came && a->of->hidden == b->of->hidden && gv_eq(a->of->file, b->of->file);
}

/* All of one file that came, or went, in one line. */
static void files(struct text *t, const struct gv_diff *d)
{
	start(t, "GPU code, by file");
	for (size_t i = 0, next; i < d->code.n; i = next) {
		const struct gv_diff_code *c = &d->code.v[i];
		struct gv_buf b = { 0 };

		gv_put_clean(&b, c->of->file);
		gv_puts(&b, c->of->hidden ? " (shipped, not visible)" : "");
		for (next = i; next < d->code.n && goes_with(c, &d->code.v[next]); next++) {
			const struct gv_saved_code *of = d->code.v[next].of;

			const struct gv_saved_code *last = next == i ? NULL : d->code.v[next - 1].of;

			gv_puts(&b, !last ? ": " : ", ");
			if (last && last->vendor == of->vendor && last->kind == of->kind)
				gv_put_clean(&b, of->arch);
			else
				put_code(&b, of->vendor, of->kind, of->arch);
		}
		line(t, c->came ? '+' : '-', &b);
		gv_buf_free(&b);
	}
	finish(t);
}

/* The path to it without its own name: what asks for it. */
static gv_str asker(const struct gv_saved_library *l)
{
	ptrdiff_t end = gv_rfind(l->via, " \xe2\x86\x92 ");

	return end > 0 ? gv_sub(l->via, 0, (size_t)end) : l->file;
}

static bool alike(const struct gv_diff_library *a, const struct gv_diff_library *b)
{
	return a->came == b->came && a->files == b->files && a->of->vendor == b->of->vendor &&
	       a->of->grade == b->of->grade && gv_eq(asker(a->of), asker(b->of));
}

/* All that one file, or requirement, asks for in the same way in one line. */
static void libraries(struct text *t, const struct gv_diff *d)
{
	start(t, "Libraries asked for, and shipped");
	for (size_t i = 0, next; i < d->libraries.n; i = next) {
		const struct gv_diff_library *l = &d->libraries.v[i];
		struct gv_buf b = { 0 };

		for (next = i; next < d->libraries.n && alike(l, &d->libraries.v[next]); next++) {
			if (next - i < NAMES_MAX || t->all) {
				gv_puts(&b, next == i ? "" : ", ");
				gv_put_clean(&b, d->libraries.v[next].of->name);
			}
		}
		if (next - i > NAMES_MAX && !t->all)
			gv_printf(&b, " and %zu more", next - i - NAMES_MAX);
		gv_printf(&b, l->of->grade == GV_GRADES ? " (%s, %s) as " : " (%s, %s) by ",
			  gv_vendor_title(l->of->vendor), gv_saved_grade(l->of));
		gv_put_clean(&b, asker(l->of));
		if (l->files > 1)
			gv_printf(&b, " and %zu more", l->files - 1);
		line(t, l->came ? '+' : '-', &b);
		gv_buf_free(&b);
	}
	finish(t);
}

static void packages(struct text *t, const struct gv_diff *d)
{
	start(t, "Packages");
	for (size_t i = 0; i < d->packages.n; i++) {
		const struct gv_saved_package *old = d->packages.v[i].old, *new = d->packages.v[i].new;
		struct gv_buf b = { 0 };

		gv_put_clean(&b, (new ? new : old)->eco);
		gv_putc(&b, ' ');
		gv_put_clean(&b, (new ? new : old)->name);
		gv_putc(&b, ' ');
		gv_put_clean(&b, (old ? old : new)->version);
		if (old && new) {
			gv_puts(&b, " \xe2\x86\x92 ");
			gv_put_clean(&b, new->version);
		}
		line(t, !old ? '+' : !new ? '-' : '~', &b);
		gv_buf_free(&b);
	}
	finish(t);
}

void gv_inventory_diff_text(struct gv_buf *out, const struct gv_diff *d, const struct gv_report_opts *opts)
{
	struct text t = { .out = out, .form = &opts->form, .all = opts->all };
	struct gv_buf b = { 0 };

	gv_puts(&b, d->same ? "No GPU code, library or package came or went ("
			    : "GPU code, libraries or packages changed (");
	put_bytes(&b, d->bytes[0], d->bytes[1]);
	gv_puts(&b, " in all).");
	gv_put_wrapped(out, &opts->form, 0, 0, gv_buf_str(&b));
	gv_buf_free(&b);
	packages(&t, d);
	libraries(&t, d);
	amounts(&t, d);
	files(&t, d);
}

/* ---- JSON ---- */

static void put_pair(struct gv_json *j, const char *key, const uint64_t v[2])
{
	gv_json_key(j, key);
	gv_json_obj(j);
	gv_json_key(j, "old");
	gv_json_u64(j, v[0]);
	gv_json_key(j, "new");
	gv_json_u64(j, v[1]);
	gv_json_end(j);
}

static void put_word(struct gv_json *j, const char *key, const char *word)
{
	gv_json_key(j, key);
	gv_json_strz(j, word);
}

static void json_code(struct gv_json *j, const struct gv_diff *d)
{
	gv_json_key(j, "amounts");
	gv_json_arr(j);
	for (size_t i = 0; i < d->amounts.all.n; i++) {
		const struct gv_amount *m = d->amounts.all.v[i];

		gv_json_obj(j);
		put_word(j, "vendor", gv_vendor_name(m->vendor));
		put_word(j, "kind", gv_code_kind_name[m->kind]);
		gv_json_some(j, "arch", m->arch);
		put_pair(j, "count", m->count);
		put_pair(j, "bytes", m->bytes);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_key(j, "code");
	gv_json_arr(j);
	for (size_t i = 0; i < d->code.n; i++) {
		const struct gv_saved_code *c = d->code.v[i].of;

		gv_json_obj(j);
		put_word(j, "change", d->code.v[i].came ? "came" : "went");
		gv_json_some(j, "file", c->file);
		put_word(j, "vendor", gv_vendor_name(c->vendor));
		put_word(j, "kind", gv_code_kind_name[c->kind]);
		gv_json_some(j, "arch", c->arch);
		gv_json_key(j, "visible");
		gv_json_bool(j, !c->hidden);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void json_names(struct gv_json *j, const struct gv_diff *d)
{
	gv_json_key(j, "libraries");
	gv_json_arr(j);
	for (size_t i = 0; i < d->libraries.n; i++) {
		const struct gv_saved_library *l = d->libraries.v[i].of;

		gv_json_obj(j);
		put_word(j, "change", d->libraries.v[i].came ? "came" : "went");
		gv_json_some(j, "name", l->name);
		put_word(j, "vendor", gv_vendor_name(l->vendor));
		put_word(j, "grade", gv_saved_grade(l));
		gv_json_some(j, "file", l->file);
		gv_json_some(j, "via", l->via);
		gv_json_key(j, "files");
		gv_json_u64(j, d->libraries.v[i].files);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_key(j, "packages");
	gv_json_arr(j);
	for (size_t i = 0; i < d->packages.n; i++) {
		const struct gv_saved_package *old = d->packages.v[i].old, *new = d->packages.v[i].new;

		gv_json_obj(j);
		put_word(j, "change", !old ? "came" : !new ? "went" : "changed");
		gv_json_some(j, "ecosystem", (new ? new : old)->eco);
		gv_json_some(j, "name", (new ? new : old)->name);
		gv_json_some(j, "old", old ? old->version : GV_NONE);
		gv_json_some(j, "new", new ? new->version : GV_NONE);
		gv_json_end(j);
	}
	gv_json_end(j);
}

void gv_inventory_diff_json(struct gv_buf *out, const struct gv_diff *d, const struct gv_report_opts *opts)
{
	struct gv_json j = { .out = out, .pretty = true };

	gv_json_obj(&j);
	put_word(&j, "schema", "gpuvet.inventory-diff.v1");
	put_word(&j, "version", opts->version);
	gv_json_key(&j, "same");
	gv_json_bool(&j, d->same);
	put_pair(&j, "bytes", d->bytes);
	json_code(&j, d);
	json_names(&j, d);
	gv_json_end(&j);
	gv_putc(out, '\n');
}
