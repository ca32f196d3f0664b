/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of caches for people: the key alone, or with what it is made of; the artefacts that do not fit. */
#include "report/common_cachekey.h"

#define SHOWN 20

static void line(struct gv_buf *out, const struct gv_form *form, size_t indent, size_t hang, struct gv_buf *b)
{
	gv_pad(out, ' ', indent);
	gv_put_wrapped(out, form, indent, hang, gv_buf_str(b));
	gv_buf_free(b);
}

static void explain(struct gv_buf *out, const struct gv_form *form, const struct gv_cache_key *k)
{
	for (size_t i = 0; i < k->props.n; i++) {
		const struct gv_cache_prop *p = &k->props.v[i];
		struct gv_buf b = { 0 }, more = { 0 };

		gv_printf(&b, "%.*s: ", GV_ARG(p->name));
		if (p->value.n) {
			gv_put_clean(&b, p->value);
			gv_puts(&b, gv_is(p->name, "memory") ? " MiB (" : " (");
			gv_put_clean(&b, p->from);
			gv_puts(&b, ")");
		} else {
			gv_puts(&b, "unknown: ");
			gv_put_clean(&b, p->why);
		}
		line(out, form, 0, 4, &b);
		if (p->source.n) {
			gv_printf(&more, "why: %.*s%s", GV_ARG(p->source),
				  gv_is(p->basis, "seen")    ? ""
				  : gv_is(p->basis, "guess") ? " (a guess, to be safe)"
							     : " (recalled, not looked up)");
			line(out, form, 4, 8, &more);
		}
		if (!p->value.n && p->how.n) {
			gv_printf(&more, "to get it: %.*s; then --set %.*s=VALUE", GV_ARG(p->how), GV_ARG(p->name));
			line(out, form, 4, 8, &more);
		}
	}
}

static void put_fit(struct gv_buf *out, const struct gv_form *form, const struct gv_cache_fit *f)
{
	struct gv_buf b = { 0 };

	gv_put_clean(&b, f->file->path);
	gv_printf(&b, " (%s): ", f->artefact->kind);
	gv_put_clean(&b, f->why);
	if (f->artefact->unconfirmed)
		gv_puts(&b, " (known by its name, place or a layout that no real file has confirmed)");
	line(out, form, 2, 6, &b);
}

static void put_fits(struct gv_buf *out, const struct gv_cachekey_report *r, int fits, bool beside, const char *head)
{
	size_t n = 0;

	for (size_t i = 0; i < r->fits->n; i++) {
		if (r->fits->v[i].fits != fits || r->fits->v[i].beside != beside)
			continue;
		if (!n++)
			gv_printf(out, "%s\n", head);
		if (r->all || n <= SHOWN)
			put_fit(out, r->form, &r->fits->v[i]);
	}
	if (!r->all && n > SHOWN)
		gv_printf(out, "  and %zu more (--all)\n", n - SHOWN);
}

static void checked(struct gv_buf *out, const struct gv_cachekey_report *r)
{
	size_t count[3] = { 0 };

	for (size_t i = 0; i < r->fits->n; i++)
		count[r->fits->v[i].fits + 1]++;
	if (r->fits->n) /* else a line on the standard error says so */
		gv_printf(out, "%zu engine%s or cache entr%s: %zu fit%s, %zu do%s not, of %zu it cannot be told.\n",
			  r->fits->n, r->fits->n == 1 ? "" : "s", r->fits->n == 1 ? "y" : "ies", count[2],
			  count[2] == 1 ? "s" : "", count[1], count[1] == 1 ? "es" : "", count[0]);
	put_fits(out, r, 0, false, "\nengine-cache-mismatch:");
	put_fits(out, r, 0, true, "\nFor other devices, beside entries of the same cache that fit:");
	put_fits(out, r, -1, false, "\nCannot be told:");
	for (size_t i = 0; i < r->inv->unread.n && i < SHOWN; i++) {
		struct gv_buf b = { 0 };

		if (!i)
			gv_puts(out, "\nNot read:\n");
		gv_put_clean(&b, r->inv->unread.v[i].path);
		gv_puts(&b, ": ");
		gv_put_clean(&b, r->inv->unread.v[i].why);
		line(out, r->form, 2, 6, &b);
	}
}

void gv_cachekey_text(struct gv_buf *out, const struct gv_cachekey_report *r)
{
	if (r->key && r->key->key.n)
		gv_printf(out, "%.*s\n", GV_ARG(r->key->key));
	if (r->key && r->explain) {
		if (r->key->key.n)
			gv_putc(out, '\n');
		explain(out, r->form, r->key);
	}
	if (r->fits)
		checked(out, r);
}
