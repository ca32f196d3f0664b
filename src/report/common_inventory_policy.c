/* SPDX-License-Identifier: Apache-2.0 */
/* What an inventory breaks of a policy. */
#include "inspect/policy.h"
#include "report/common_inventory.h"

#define SHOWN_MAX 8
#define NAMES_MAX 6
#define ARROW " \xe2\x86\x92 "

/* The summary around the name of what breaks the rule: false where it does not stand in it. */
static bool around(const struct gv_violation *v, gv_str *ret_head, gv_str *ret_tail)
{
	for (size_t at = v->what.n && v->summary.n > v->what.n ? v->summary.n - v->what.n : 0; at > 0; at--)
		if (gv_eq(gv_sub(v->summary, at, v->what.n), v->what)) {
			*ret_head = gv_sub(v->summary, 0, at);
			*ret_tail = gv_from(v->summary, at + v->what.n);
			return true;
		}
	return false;
}

/* Without its end, which is the name itself. */
static gv_str path_to(const struct gv_violation *v)
{
	ptrdiff_t end = gv_rfind(v->via, ARROW);

	return end > 0 ? gv_sub(v->via, 0, (size_t)end) : GV_NONE;
}

/* Whether both say the same of another name. */
static bool alike(const struct gv_violation *a, const struct gv_violation *b)
{
	gv_str head[2], tail[2];

	return a->rule == b->rule && a->file == b->file && a->accepted == b->accepted && a->expired == b->expired &&
	       around(a, &head[0], &tail[0]) && around(b, &head[1], &tail[1]) && gv_eq(head[0], head[1]) &&
	       gv_eq(tail[0], tail[1]) && gv_eq(path_to(a), path_to(b));
}

static void put_place(struct gv_buf *b, const struct gv_violation *v, gv_str via)
{
	if (v->file) {
		gv_puts(b, " [");
		gv_put_clean(b, v->file->path);
		if (v->count > 1)
			gv_printf(b, " and %zu more", v->count - 1);
		gv_putc(b, ']');
	}
	if (gv_has(via, ARROW)) {
		gv_puts(b, "; comes by ");
		gv_put_clean(b, via);
	}
	if (v->expired) {
		gv_puts(b, "; the exception for it ended ");
		gv_put_clean(b, v->expired->until);
	}
}

/* Several that are alike in one line, from the i-th on; where the next one begins. */
static size_t put_alike(struct gv_buf *out, const struct gv_report_opts *opts, const struct gv_policy_result *r,
			size_t i)
{
	const struct gv_violation *v = r->violations.v[i];
	size_t next = i + 1, last = i;
	struct gv_buf b = { 0 };
	gv_str head, tail;

	while (next < r->violations.n && alike(v, r->violations.v[next]))
		next++;
	if (next - i > 1 && around(v, &head, &tail)) {
		gv_put_clean(&b, head);
		for (; last < next && (opts->all || last - i < NAMES_MAX); last++) {
			gv_puts(&b, last > i ? ", " : "");
			gv_put_clean(&b, r->violations.v[last]->what);
		}
		if (last < next)
			gv_printf(&b, " and %zu more", next - last);
		gv_put_clean(&b, tail);
	} else {
		gv_put_clean(&b, v->summary);
	}
	put_place(&b, v, next - i > 1 ? path_to(v) : v->via);
	gv_pad(out, ' ', 2);
	gv_put_wrapped(out, &opts->form, 2, 4, gv_buf_str(&b));
	gv_buf_free(&b);
	return next;
}

bool gv_inventory_exception(struct gv_buf *b, const struct gv_policy_result *r, const struct gv_exception *e)
{
	size_t n = 0;

	for (size_t k = 0; k < r->violations.n; k++)
		n += r->violations.v[k]->accepted == e;
	if (!n && e->used)
		return false; /* it has ended: what breaks the rule says so */
	if (n) {
		gv_printf(b, "accepted in %zu place%s: ", n, n == 1 ? "" : "s");
		gv_put_clean(b, e->what);
		gv_puts(b, gv_is(e->until, "never") ? ", without an end" : ", until ");
		if (!gv_is(e->until, "never"))
			gv_put_clean(b, e->until);
		gv_puts(b, ": ");
		gv_put_clean(b, e->reason);
	} else {
		gv_printf(b, "line %u: nothing needs the exception for ", e->line);
		gv_put_clean(b, e->what);
	}
	return true;
}

static void put_exceptions(struct gv_buf *out, const struct gv_policy_result *r, const struct gv_form *form)
{
	for (size_t i = 0; i < r->policy->exceptions.n; i++) {
		struct gv_buf b = { 0 };

		if (gv_inventory_exception(&b, r, &r->policy->exceptions.v[i])) {
			gv_pad(out, ' ', 2);
			gv_put_wrapped(out, form, 2, 4, gv_buf_str(&b));
		}
		gv_buf_free(&b);
	}
}

const char *gv_inventory_policy_kept(const struct gv_inventory *inv)
{
	return !inv->seen      ? ": there is nothing to hold against it\n"
	       : inv->unread.n ? ": kept, as far as was read\n"
			       : ": kept\n";
}

void gv_inventory_policy_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	const struct gv_policy_result *r = inv->policy;
	size_t shown = 0, left = 0;

	gv_puts(out, "\nPolicy ");
	gv_put_clean(out, r->policy->name);
	if (r->open)
		gv_printf(out, ": broken in %zu place%s\n", r->open, r->open == 1 ? "" : "s");
	else
		gv_puts(out, gv_inventory_policy_kept(inv));
	for (size_t i = 0; i < r->violations.n;) {
		if (r->violations.v[i]->accepted) {
			i++;
		} else if (shown < SHOWN_MAX || opts->all) {
			shown++;
			i = put_alike(out, opts, r, i);
		} else {
			left++;
			i++;
		}
	}
	if (left)
		gv_printf(out, "  and %zu more (--all)\n", left);
	put_exceptions(out, r, &opts->form);
}

static void put_exception(struct gv_json *j, const char *key, const struct gv_exception *e)
{
	gv_json_key(j, key);
	if (!e) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_key(j, "line");
	gv_json_u64(j, e->line);
	gv_json_key(j, "reason");
	gv_json_str(j, e->reason);
	gv_json_key(j, "until");
	gv_json_str(j, e->until);
	gv_json_end(j);
}

void gv_inventory_policy_json(struct gv_json *j, const struct gv_policy_result *r)
{
	gv_json_obj(j);
	gv_json_key(j, "file");
	gv_json_str(j, r->policy->name);
	gv_json_key(j, "broken");
	gv_json_u64(j, r->open);
	gv_json_key(j, "violations");
	gv_json_arr(j);
	for (size_t i = 0; i < r->violations.n; i++) {
		const struct gv_violation *v = r->violations.v[i];

		gv_json_obj(j);
		gv_json_key(j, "rule");
		gv_json_strz(j, v->rule);
		gv_json_key(j, "what");
		gv_json_str(j, v->what);
		gv_json_key(j, "summary");
		gv_json_str(j, v->summary);
		gv_json_some(j, "vendor", v->vendor ? gv_str_of(gv_vendor_name(v->vendor)) : GV_NONE);
		gv_json_some(j, "file", v->file ? v->file->path : GV_NONE);
		gv_json_some(j, "via", v->via);
		gv_json_key(j, "count");
		gv_json_u64(j, v->count);
		put_exception(j, "accepted", v->accepted);
		put_exception(j, "expired", v->expired);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_end(j);
}
