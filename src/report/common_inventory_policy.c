/* SPDX-License-Identifier: Apache-2.0 */
/* What an inventory breaks of a policy. */
#include "inspect/policy.h"
#include "report/common_inventory.h"

#define SHOWN_MAX 12

static void put_place(struct gv_buf *b, const struct gv_violation *v)
{
	if (v->file) {
		gv_puts(b, " [");
		gv_put_clean(b, v->file->path);
		if (v->count > 1)
			gv_printf(b, " and %zu more", v->count - 1);
		gv_putc(b, ']');
	}
	if (gv_has(v->via, "\xe2\x86\x92")) {
		gv_puts(b, "; comes by ");
		gv_put_clean(b, v->via);
	}
	if (v->expired) {
		gv_puts(b, "; the exception for it ended ");
		gv_put_clean(b, v->expired->until);
	}
}

static void put_line(struct gv_buf *out, const struct gv_form *form, const struct gv_violation *v)
{
	struct gv_buf b = { 0 };

	gv_put_clean(&b, v->summary);
	put_place(&b, v);
	if (v->accepted) {
		gv_puts(&b, "; accepted until ");
		gv_put_clean(&b, v->accepted->until);
		gv_puts(&b, ": ");
		gv_put_clean(&b, v->accepted->reason);
	}
	gv_pad(out, ' ', 2);
	gv_put_wrapped(out, form, 2, 4, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void put_unused(struct gv_buf *out, const struct gv_policy *p, const struct gv_form *form)
{
	for (size_t i = 0; i < p->exceptions.n; i++)
		if (!p->exceptions.v[i].used) {
			struct gv_buf b = { 0 };

			gv_printf(&b, "line %u: nothing needs the exception for ", p->exceptions.v[i].line);
			gv_put_clean(&b, p->exceptions.v[i].what);
			gv_pad(out, ' ', 2);
			gv_put_wrapped(out, form, 2, 4, gv_buf_str(&b));
			gv_buf_free(&b);
		}
}

void gv_inventory_policy_text(struct gv_buf *out, const struct gv_policy_result *r, const struct gv_report_opts *opts)
{
	size_t shown = 0;

	gv_puts(out, "\nPolicy ");
	gv_put_clean(out, r->policy->name);
	if (r->open)
		gv_printf(out, ": broken in %zu place%s\n", r->open, r->open == 1 ? "" : "s");
	else
		gv_puts(out, ": kept\n");
	for (size_t i = 0; i < r->violations.n; i++) {
		if (r->violations.v[i]->accepted)
			continue;
		if (shown++ == SHOWN_MAX && !opts->all) {
			gv_printf(out, "  and %zu more (--all)\n", r->open - SHOWN_MAX);
			break;
		}
		put_line(out, &opts->form, r->violations.v[i]);
	}
	for (size_t i = 0; i < r->violations.n; i++)
		if (r->violations.v[i]->accepted && opts->all)
			put_line(out, &opts->form, r->violations.v[i]);
	put_unused(out, r->policy, &opts->form);
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
