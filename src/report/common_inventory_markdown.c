/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory for the summary of a build or a ticket, as GitHub-flavoured Markdown. */
#include <stdlib.h>

#include "base/units.h"
#include "inspect/diff.h"
#include "inspect/policy.h"
#include "inspect/target.h"
#include "report/common_inventory.h"

#define ROWS_MAX 20

struct markdown {
	struct gv_buf *out;
	const struct gv_inventory *inv;
	bool all;
};

static void cell(struct markdown *m, gv_str s)
{
	gv_put_prose(m->out, s, true);
	gv_puts(m->out, " | ");
}

static void row_end(struct markdown *m)
{
	m->out->n--; /* the blank behind the last bar */
	gv_putc(m->out, '\n');
}

static bool too_many(struct markdown *m, size_t i, size_t n)
{
	if (m->all || i < ROWS_MAX)
		return false;
	gv_printf(m->out, "\nand %zu more (`--all`)\n", n - i);
	return true;
}

/* ---- Targets ---- */

static void put_targets(struct markdown *m)
{
	if (!m->inv->targets.n)
		return;
	gv_puts(m->out, "\n### Targets\n\n| Path | Target | Verdict | Why |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < m->inv->targets.n && !too_many(m, i, m->inv->targets.n); i++) {
		const struct gv_judged *d = m->inv->targets.v[i];

		gv_puts(m->out, "| ");
		cell(m, m->inv->roots.v[d->root]);
		cell(m, d->target->name);
		gv_printf(m->out, d->verdict == GV_FIT_NO ? "**%s** | " : "%s | ", gv_inventory_verdict[d->verdict]);
		cell(m, d->why);
		row_end(m);
	}
}

static void put_item(struct markdown *m, gv_str s)
{
	gv_puts(m->out, "\n  - ");
	gv_put_prose(m->out, s, false);
}

/* What to change, and what to do: once where findings that follow each other say the same. */
static void put_advice(struct markdown *m, const struct gv_judgement *f, gv_str *said)
{
	struct gv_buf b = { 0 };

	if (gv_inventory_change(&b, m->inv, f))
		put_item(m, gv_buf_str(&b));
	gv_buf_free(&b);
	if (f->action.n && !gv_eq(f->action, *said))
		put_item(m, f->action);
	*said = f->action;
}

static void put_findings(struct markdown *m)
{
	gv_str said = GV_NONE;
	size_t n = 0;

	for (size_t i = 0; i < m->inv->findings.n; i++) {
		const struct gv_judgement *f = &m->inv->findings.v[i];

		if (f->severity == GV_NOTE && !m->all)
			continue;
		if (!n++)
			gv_puts(m->out, "\n### Findings\n\n");
		if (too_many(m, n - 1, m->inv->findings.n))
			return;
		gv_printf(m->out, "- **%s** `%s`", gv_severity_name[f->severity], gv_kind_info[f->kind].name);
		if (f->target.n) {
			gv_puts(m->out, " on ");
			gv_put_prose(m->out, f->target, false);
		}
		gv_puts(m->out, ": ");
		gv_put_prose(m->out, f->summary, false);
		if (f->severity != GV_NOTE)
			put_advice(m, f, &said);
		gv_putc(m->out, '\n');
	}
}

/* ---- Policy ---- */

static void put_exceptions(struct markdown *m, const struct gv_policy_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->policy->exceptions.n; i++) {
		struct gv_buf b = { 0 };

		if (gv_inventory_exception(&b, r, &r->policy->exceptions.v[i])) {
			gv_puts(m->out, n++ ? "- " : "\n- ");
			gv_put_prose(m->out, gv_buf_str(&b), false);
			gv_putc(m->out, '\n');
		}
		gv_buf_free(&b);
	}
}

static void put_violations(struct markdown *m, const struct gv_policy_result *r)
{
	size_t n = 0;

	gv_puts(m->out, "\n| Rule | What | File | Comes by |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < r->violations.n; i++) {
		const struct gv_violation *v = r->violations.v[i];

		if (v->accepted)
			continue;
		if (too_many(m, n++, r->open))
			break;
		gv_printf(m->out, "| %s | ", v->rule);
		cell(m, v->expired ? gv_fmt(m->inv->arena, "%.*s; the exception for it ended %.*s", GV_ARG(v->summary),
					    GV_ARG(v->expired->until))
				   : v->summary);
		cell(m, v->file ? v->file->path : GV_NONE);
		cell(m, v->via);
		row_end(m);
	}
}

static void put_policy(struct markdown *m)
{
	const struct gv_policy_result *r = m->inv->policy;

	if (!r)
		return;
	gv_puts(m->out, "\n### Policy ");
	gv_put_prose(m->out, r->policy->name, false);
	if (r->open) {
		gv_printf(m->out, ": broken in %zu place%s\n", r->open, r->open == 1 ? "" : "s");
		put_violations(m, r);
	} else {
		gv_puts(m->out, gv_inventory_policy_kept(m->inv));
	}
	put_exceptions(m, r);
}

/* ---- Code ---- */

static int by_bytes(const void *a, const void *b)
{
	const struct gv_amount *x = *(const struct gv_amount *const *)a, *y = *(const struct gv_amount *const *)b;

	return x->bytes[0] != y->bytes[0] ? (x->bytes[0] > y->bytes[0] ? -1 : 1) : gv_cmp(x->arch, y->arch);
}

static void put_amounts(struct markdown *m)
{
	struct gv_amounts sums = { .map.arena = m->inv->arena };

	for (size_t i = 0; i < m->inv->files.n; i++)
		for (size_t k = 0; k < m->inv->files.v[i]->code.n; k++) {
			const struct gv_code *c = &m->inv->files.v[i]->code.v[k];
			struct gv_amount *x = gv_amount_of(&sums, c->vendor, c->kind, c->arch);

			x->count[0] += c->count;
			x->bytes[0] += c->bytes;
		}
	if (!sums.all.n)
		return;
	qsort(sums.all.v, sums.all.n, sizeof(*sums.all.v), by_bytes);
	gv_puts(m->out, "\n### GPU code\n\n| Vendor | Kind | Architecture | Images | Size |\n");
	gv_puts(m->out, "| --- | --- | --- | ---: | ---: |\n");
	for (size_t i = 0; i < sums.all.n && !too_many(m, i, sums.all.n); i++) {
		const struct gv_amount *x = sums.all.v[i];
		char size[GV_HUMAN];

		gv_printf(m->out, "| %s | %s | ", gv_vendor_title(x->vendor), gv_code_kind_name[x->kind]);
		cell(m, x->arch);
		gv_printf(m->out, "%llu | %s |\n", (unsigned long long)x->count[0],
			  gv_human_bytes((double)x->bytes[0], size, sizeof(size)));
	}
}

static void put_unread(struct markdown *m)
{
	if (m->inv->unread.n)
		gv_puts(m->out, "\n### Not read\n\n");
	for (size_t i = 0; i < m->inv->unread.n && !too_many(m, i, m->inv->unread.n); i++) {
		gv_puts(m->out, "- ");
		gv_put_prose(m->out, m->inv->unread.v[i].path, false);
		gv_puts(m->out, ": ");
		gv_put_prose(m->out, m->inv->unread.v[i].why, false);
		gv_putc(m->out, '\n');
	}
}

void gv_inventory_markdown(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	struct markdown m = { .out = out, .inv = inv, .all = opts->all };
	char size[GV_HUMAN];

	gv_puts(out, "## gpuvet inventory\n\n");
	gv_printf(out, "%llu files, %s read.\n", (unsigned long long)inv->seen,
		  gv_human_bytes((double)inv->bytes, size, sizeof(size)));
	put_targets(&m);
	put_findings(&m);
	put_policy(&m);
	put_amounts(&m);
	put_unread(&m);
}
