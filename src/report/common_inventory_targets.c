/* SPDX-License-Identifier: Apache-2.0 */
/* What fits which target: a table where there are several, then what is wrong with each. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "inspect/target.h"
#include "report/common_inventory.h"

#define FINDINGS_MAX 4 /* of one target and PATH */
#define NEEDS_MAX 6
#define IDLE_BYTES ((uint64_t)64 << 20)

static const char *const words[GV_FITS] = { "nothing for its GPU", "runs natively",
					    "runs, compiled by the driver when it starts", "cannot tell",
					    "will not run" };
const char *const gv_inventory_verdict[GV_FITS] = { "nothing", "native", "jit", "unknown", "fails" };
static const char *const colors[GV_FITS] = { "", "\033[32m", "\033[32m", "\033[33m", "\033[1;31m" };
static const char *const severity_color[] = { "\033[36m", "\033[33m", "\033[1;31m" };

struct text {
	struct gv_buf *out;
	const struct gv_inventory *inv;
	const struct gv_report_opts *opts;
};

static void colored(const struct text *t, const char *color, const char *word)
{
	gv_puts(t->out, t->opts->color ? color : "");
	gv_puts(t->out, word);
	gv_puts(t->out, t->opts->color && *color ? "\033[0m" : "");
}

static void wrapped(const struct text *t, size_t indent, size_t hang, gv_str s)
{
	struct gv_buf b = { 0 };

	gv_put_clean(&b, s);
	gv_pad(t->out, ' ', indent);
	gv_put_wrapped(t->out, &t->opts->form, indent, hang, gv_buf_str(&b));
	gv_buf_free(&b);
}

static size_t width_of(const struct text *t)
{
	return t->opts->form.width ? t->opts->form.width : GV_REPORT_WIDTH;
}

/* ---- The table ---- */

static gv_str root_of(const struct text *t, unsigned root)
{
	return root < t->inv->roots.n ? t->inv->roots.v[root] : GV_NONE;
}

static void cell(const struct text *t, gv_str s, size_t columns)
{
	struct gv_buf b = { 0 };
	size_t n;

	gv_put_clean(&b, gv_width(s) > columns ? gv_cut(s, columns) : s);
	gv_put(t->out, gv_buf_str(&b));
	n = gv_width(gv_buf_str(&b));
	gv_pad(t->out, ' ', n < columns ? columns - n : 0);
	gv_puts(t->out, "  ");
	gv_buf_free(&b);
}

static size_t narrower(gv_str s, size_t most)
{
	size_t n = gv_width(s);

	return n > most ? most : n < 7 ? 7 : n;
}

/* The end of a path tells more than its beginning. */
static gv_str path_end(const struct text *t, gv_str path, size_t columns)
{
	const char *mark = gv_cut_mark(&t->opts->form);
	size_t room = columns - gv_width(gv_str_of(mark)), from = path.n > room ? path.n - room : 0;

	if (gv_width(path) <= columns)
		return path;
	while (from < path.n && ((unsigned char)path.p[from] & 0xc0) == 0x80) /* in the middle of a character */
		from++;
	return gv_fmt(t->inv->arena, "%s%.*s", mark, GV_ARG(gv_from(path, from)));
}

struct columns {
	size_t paths, targets;
	size_t first, each; /* columns of a PATH, and of a target at most */
};

/* How wide they may be: PATHs give way first, then the names of targets. */
static bool fit_columns(const struct text *t, struct columns *c)
{
	static const size_t paths[] = { 40, 30, 22, 22, 16 }, targets[] = { 24, 24, 16, 10, 8 };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		size_t all = 2;

		c->first = 0;
		c->each = targets[i];
		for (size_t k = 0; k < c->paths; k++) {
			size_t n = narrower(t->inv->roots.v[k], paths[i]);

			c->first = n > c->first ? n : c->first;
		}
		all += c->first;
		for (size_t k = 0; k < c->targets; k++)
			all += narrower(t->inv->targets.v[k * c->paths]->target->name, c->each) + 2;
		if (all <= width_of(t))
			return true;
	}
	return false;
}

static void put_row(const struct text *t, const struct columns *c, size_t row)
{
	gv_puts(t->out, "\n  ");
	cell(t, path_end(t, t->inv->roots.v[row], c->first), c->first);
	for (size_t k = 0; k < c->targets; k++) {
		const struct gv_judged *j = t->inv->targets.v[k * c->paths + row];
		size_t w = narrower(j->target->name, c->each), n = strlen(gv_inventory_verdict[j->verdict]);

		colored(t, colors[j->verdict], gv_inventory_verdict[j->verdict]);
		if (k + 1 < c->targets)
			gv_pad(t->out, ' ', w + 2 - n);
	}
}

/* PATHs down, targets across; targets are the outer loop of what was judged. False where there is one only, or no room.
 */
static bool put_table(const struct text *t)
{
	struct columns c = { .paths = t->inv->roots.n };

	c.targets = c.paths ? t->inv->targets.n / c.paths : 0;
	if (c.targets * c.paths != t->inv->targets.n || t->inv->targets.n < 2 || !fit_columns(t, &c))
		return false;
	gv_puts(t->out, "\n  ");
	cell(t, GV_STR(""), c.first);
	for (size_t k = 0; k < c.targets; k++)
		cell(t, t->inv->targets.v[k * c.paths]->target->name,
		     narrower(t->inv->targets.v[k * c.paths]->target->name, c.each));
	while (t->out->n && t->out->p[t->out->n - 1] == ' ')
		t->out->n--;
	for (size_t i = 0; i < c.paths; i++)
		put_row(t, &c, i);
	gv_putc(t->out, '\n');
	return true;
}

/* ---- One target ---- */

static void put_needs(const struct text *t, const struct gv_judged *j)
{
	struct gv_buf b = { 0 };

	if (!j->needs.n)
		return;
	gv_puts(&b, "needs from elsewhere: ");
	for (size_t i = 0; i < j->needs.n && (t->opts->all || i < NEEDS_MAX); i++)
		gv_printf(&b, "%s%.*s", i ? ", " : "", GV_ARG(j->needs.v[i]));
	if (j->needs.n > NEEDS_MAX && !t->opts->all)
		gv_printf(&b, " and %zu more", j->needs.n - NEEDS_MAX);
	wrapped(t, 4, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

/* The part that a finding is about, as it was judged. */
static const struct gv_part *part_of(const struct gv_inventory *inv, const struct gv_judgement *f)
{
	for (size_t i = 0; i < inv->targets.n; i++) {
		const struct gv_judged *j = inv->targets.v[i];

		if (j->root != f->root || !gv_eq(j->target->name, f->target))
			continue;
		for (size_t k = 0; k < j->parts.n; k++)
			if (gv_eq(j->parts.v[k].name, f->part))
				return &j->parts.v[k];
	}
	return NULL;
}

bool gv_inventory_change(struct gv_buf *b, const struct gv_inventory *inv, const struct gv_judgement *f)
{
	const struct gv_part *p = part_of(inv, f);

	return p && p->file && !gv_has(f->summary, "; by ") && gv_inventory_comes_by(b, p->file);
}

static void put_comes_by(const struct text *t, const struct gv_judgement *f)
{
	const struct gv_part *p = f->kind == GV_K_CUDA_DRIVER_TOO_OLD ? part_of(t->inv, f) : NULL;
	struct gv_buf b = { 0 };

	if (p && gv_starts(p->why, "only PTX"))
		wrapped(t, 6, 8, gv_fmt(t->inv->arena, "it has %.*s", GV_ARG(gv_before(p->why, ":"))));
	if (gv_inventory_change(&b, t->inv, f))
		wrapped(t, 6, 8, gv_buf_str(&b));
	gv_buf_free(&b);
}

/* What is to be done, once where several findings say the same. */
static void put_finding(const struct text *t, const struct gv_judgement *f, gv_str *said)
{
	struct gv_buf b = { 0 };

	gv_pad(t->out, ' ', 4);
	colored(t, severity_color[f->severity], gv_severity_name[f->severity]);
	gv_printf(&b, "%s: ", gv_kind_info[f->kind].name);
	gv_put_clean(&b, f->summary);
	gv_putc(t->out, ' ');
	gv_put_wrapped(t->out, &t->opts->form, 5 + strlen(gv_severity_name[f->severity]), 6, gv_buf_str(&b));
	gv_buf_free(&b);
	if (f->severity != GV_NOTE)
		put_comes_by(t, f);
	if (f->severity != GV_NOTE && f->action.n && !gv_eq(f->action, *said))
		wrapped(t, 6, 6, f->action);
	*said = f->action;
}

/* Failures first; notes only where all is wanted. */
static void put_findings(const struct text *t, const struct gv_judged *j)
{
	size_t shown = 0, left = 0;
	gv_str said = GV_NONE;

	for (int s = GV_FAIL; s >= (t->opts->all ? GV_NOTE : GV_WARN); s--)
		for (size_t i = 0; i < t->inv->findings.n; i++) {
			const struct gv_judgement *f = &t->inv->findings.v[i];

			if ((int)f->severity != s || f->root != j->root || !gv_eq(f->target, j->target->name))
				continue;
			if (!t->opts->all && shown == FINDINGS_MAX) {
				left++;
				continue;
			}
			shown++;
			put_finding(t, f, &said);
		}
	if (left)
		gv_printf(t->out, "    and %zu more (--all)\n", left);
}

/* Nothing to be done about it: where a table shows how it fits, that is enough. */
static bool is_fine(const struct text *t, const struct gv_judged *j)
{
	for (size_t i = 0; i < t->inv->findings.n; i++) {
		const struct gv_judgement *f = &t->inv->findings.v[i];

		if (f->root == j->root && gv_eq(f->target, j->target->name) && f->severity > GV_NOTE)
			return false;
	}
	return j->verdict != GV_FIT_UNKNOWN && j->verdict != GV_FIT_NO;
}

/* A finding says it, in more words. */
static bool is_said(const struct text *t, const struct gv_judged *j)
{
	for (size_t i = 0; i < t->inv->findings.n; i++) {
		const struct gv_judgement *f = &t->inv->findings.v[i];

		if (f->root == j->root && gv_eq(f->target, j->target->name) && f->severity == GV_FAIL &&
		    j->verdict == GV_FIT_NO)
			return true;
	}
	return false;
}

/* What its name does not say itself. */
static gv_str more_of(const struct text *t, const struct gv_target *x)
{
	gv_str what = gv_target_text(t->inv->arena, x);

	if (x->device.n && gv_has(x->name, gv_dupz(t->inv->arena, x->device)))
		return gv_target_arch(t->inv->arena, x);
	return gv_eq(what, x->name) || gv_has(x->name, gv_dupz(t->inv->arena, what)) ? GV_NONE : what;
}

/* Worth a line where most of it lies there for nothing. */
static void put_idle(const struct text *t, const struct gv_judged *j)
{
	char all[GV_HUMAN], idle[GV_HUMAN];

	if (t->opts->all ? !j->idle : j->idle < IDLE_BYTES || j->idle < j->code / 2)
		return;
	gv_human_bytes((double)j->code, all, sizeof(all));
	gv_human_bytes((double)j->idle, idle, sizeof(idle));
	wrapped(t, 4, 6,
		j->idle == j->code ? gv_fmt(t->inv->arena, "holds %s of GPU code, none of which runs here", all)
				   : gv_fmt(t->inv->arena, "of %s of GPU code %s never run here", all, idle));
}

static void put_judged(const struct text *t, const struct gv_judged *j)
{
	gv_str what = more_of(t, j->target);
	struct gv_buf b = { 0 };

	gv_putc(t->out, '\n');
	if (t->inv->roots.n > 1)
		gv_printf(&b, "%.*s on ", GV_ARG(root_of(t, j->root)));
	gv_put(&b, j->target->name);
	if (what.n)
		gv_printf(&b, " (%.*s)", GV_ARG(what));
	gv_put_clean(t->out, gv_buf_str(&b));
	gv_puts(t->out, ": ");
	colored(t, colors[j->verdict],
		j->target->cpu && j->verdict == GV_FIT_NONE ? "needs no GPU" : words[j->verdict]);
	gv_putc(t->out, '\n');
	gv_buf_free(&b);
	if (!is_said(t, j) &&
	    !(j->verdict == GV_FIT_NONE && !j->parts.n && !j->driver.n && gv_starts(j->why, "nothing for")))
		wrapped(t, 4, 6, j->why);
	put_findings(t, j);
	if (j->verdict == GV_FIT_NO && !t->opts->all) /* what it would need besides is no matter yet */
		return;
	if (j->driver.n)
		wrapped(t, 4, 6, gv_fmt(t->inv->arena, "needs driver %.*s or newer", GV_ARG(j->driver)));
	put_needs(t, j);
	put_idle(t, j);
}

void gv_inventory_targets_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	struct text t = { out, inv, opts };
	bool tabled;

	if (!inv->targets.n)
		return;
	tabled = put_table(&t);
	for (size_t i = 0; i < inv->targets.n; i++)
		if (!tabled || opts->all || !is_fine(&t, inv->targets.v[i]))
			put_judged(&t, inv->targets.v[i]);
}

/* ---- JSON ---- */

static void put_parts(struct gv_json *j, const struct gv_judged *d)
{
	gv_json_key(j, "parts");
	gv_json_arr(j);
	for (size_t i = 0; i < d->parts.n; i++) {
		const struct gv_part *p = &d->parts.v[i];

		gv_json_obj(j);
		gv_json_key(j, "name");
		gv_json_str(j, p->name);
		gv_json_some(j, "package", p->package ? p->package->name : GV_NONE);
		gv_json_some(j, "file", p->file ? p->file->path : GV_NONE);
		gv_json_key(j, "verdict");
		gv_json_strz(j, gv_fit_name[p->fit]);
		gv_json_some(j, "why", p->why);
		gv_json_key(j, "required");
		gv_json_bool(j, p->required);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void put_target(struct gv_json *j, const struct gv_inventory *inv, const struct gv_judged *d)
{
	const struct gv_target *t = d->target;
	gv_str arch = gv_target_arch(inv->arena, t);

	gv_json_obj(j);
	gv_json_key(j, "target");
	gv_json_str(j, t->name);
	gv_json_key(j, "path");
	gv_json_str(j, inv->roots.v[d->root]);
	gv_json_key(j, "verdict");
	gv_json_strz(j, gv_fit_name[d->verdict]);
	gv_json_some(j, "why", d->why);
	gv_json_key(j, "vendor");
	if (t->cpu || t->vendor)
		gv_json_strz(j, t->cpu ? "none" : gv_vendor_name(t->vendor));
	else
		gv_json_null(j);
	gv_json_some(j, "device", t->device);
	gv_json_some(j, "arch", arch);
	gv_json_some(j, "driver", t->driver);
	gv_json_some(j, "needs_driver", d->driver);
	gv_json_key(j, "code_bytes");
	gv_json_u64(j, d->code);
	gv_json_key(j, "idle_bytes");
	gv_json_u64(j, d->idle);
	gv_json_key(j, "needs");
	gv_json_arr(j);
	for (size_t i = 0; i < d->needs.n; i++)
		gv_json_str(j, d->needs.v[i]);
	gv_json_end(j);
	put_parts(j, d);
	gv_json_end(j);
}

static void put_finding_json(struct gv_json *j, const struct gv_inventory *inv, size_t i)
{
	const struct gv_judgement *f = &inv->findings.v[i];
	char id[24];

	snprintf(id, sizeof(id), "f%zu", i + 1);
	gv_json_obj(j);
	gv_json_key(j, "id");
	gv_json_strz(j, id);
	gv_json_key(j, "kind");
	gv_json_strz(j, gv_kind_info[f->kind].name);
	gv_json_key(j, "severity");
	gv_json_strz(j, gv_severity_name[f->severity]);
	gv_json_key(j, "confidence");
	gv_json_strz(j, gv_confidence_name[f->confidence]);
	gv_json_some(j, "target", f->target);
	gv_json_some(j, "path", f->root < inv->roots.n ? inv->roots.v[f->root] : GV_NONE);
	gv_json_some(j, "part", f->part);
	gv_json_key(j, "summary");
	gv_json_str(j, f->summary);
	gv_json_key(j, "evidence");
	gv_json_arr(j);
	for (size_t k = 0; k < f->quotes.n; k++) {
		gv_json_obj(j);
		gv_json_key(j, "file");
		gv_json_str(j, f->quotes.v[k].file);
		gv_json_key(j, "line");
		if (f->quotes.v[k].line)
			gv_json_u64(j, f->quotes.v[k].line);
		else
			gv_json_null(j);
		gv_json_some(j, "text", f->quotes.v[k].text);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_some(j, "cause", f->cause);
	gv_json_some(j, "action", f->action);
	gv_json_some(j, "avoid", f->avoid);
	gv_json_end(j);
}

void gv_inventory_targets_json(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "targets");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->targets.n; i++)
		put_target(j, inv, inv->targets.v[i]);
	gv_json_end(j);
	gv_json_key(j, "findings");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->findings.n; i++)
		put_finding_json(j, inv, i);
	gv_json_end(j);
}
