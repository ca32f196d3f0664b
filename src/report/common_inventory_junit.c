/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory as JUnit reads tests: each PATH on each target, and each rule of the policy, is one. */
#include <string.h>

#include "inspect/policy.h"
#include "inspect/target.h"
#include "report/common_inventory.h"

/* Text and attributes alike: no character that ends either, and none that XML forbids. */
static void put_xml(struct gv_buf *out, gv_str s)
{
	struct gv_buf b = { 0 };
	gv_str clean;

	gv_put_clean(&b, s);
	clean = gv_buf_str(&b);
	for (size_t i = 0; i < clean.n; i++) {
		const char c = clean.p[i];

		if (gv_starts(gv_from(clean, i), "\xef\xbf\xbe") || gv_starts(gv_from(clean, i), "\xef\xbf\xbf")) {
			gv_putc(out, '.'); /* no characters */
			i += 2;
		} else if (c == '&' || c == '<' || c == '>' || c == '"') {
			gv_puts(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;");
		} else {
			gv_putc(out, c);
		}
	}
	gv_buf_free(&b);
}

struct junit {
	struct gv_buf cases;
	size_t tests, failures, skipped;
};

static void begin(struct junit *j, gv_str classname, gv_str name)
{
	j->tests++;
	gv_puts(&j->cases, "    <testcase classname=\"");
	put_xml(&j->cases, classname);
	gv_puts(&j->cases, "\" name=\"");
	put_xml(&j->cases, name);
	gv_puts(&j->cases, "\">\n");
}

static void end(struct junit *j)
{
	gv_puts(&j->cases, "    </testcase>\n");
}

/* <failure message="...">lines</failure> */
static void put_result(struct junit *j, const char *element, gv_str message, const struct gv_buf *lines)
{
	gv_printf(&j->cases, "      <%s message=\"", element);
	put_xml(&j->cases, message);
	gv_puts(&j->cases, "\">");
	gv_put(&j->cases, gv_buf_str(lines));
	gv_printf(&j->cases, "</%s>\n", element);
}

/* ---- Targets ---- */

static void put_findings(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_judged *d)
{
	for (size_t i = 0; i < inv->findings.n; i++) {
		const struct gv_judgement *f = &inv->findings.v[i];

		if (f->root != d->root || !gv_eq(f->target, d->target->name))
			continue;
		gv_printf(out, "%s %s: ", gv_severity_name[f->severity], gv_kind_info[f->kind].name);
		put_xml(out, f->summary);
		gv_putc(out, '\n');
	}
}

static void put_judged(struct junit *j, const struct gv_inventory *inv, const struct gv_judged *d)
{
	struct gv_buf lines = { 0 };

	put_findings(&lines, inv, d);
	begin(j, d->target->name, inv->roots.v[d->root]);
	if (d->verdict == GV_FIT_NO) {
		j->failures++;
		put_result(j, "failure", d->why, &lines);
	} else if (d->verdict == GV_FIT_UNKNOWN) {
		j->skipped++;
		put_result(j, "skipped", d->why, &(struct gv_buf){ 0 });
	} else if (lines.n) {
		gv_puts(&j->cases, "      <system-out>");
		gv_put(&j->cases, gv_buf_str(&lines));
		gv_puts(&j->cases, "</system-out>\n");
	}
	end(j);
	gv_buf_free(&lines);
}

/* ---- Policy ---- */

static void put_rule(struct junit *j, const struct gv_policy_result *r, const char *rule)
{
	struct gv_buf lines = { 0 }, message = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < r->violations.n; i++) {
		const struct gv_violation *v = r->violations.v[i];

		if (v->accepted || strcmp(v->rule, rule) != 0)
			continue;
		if (!n++)
			gv_put(&message, v->summary);
		put_xml(&lines, v->summary);
		if (v->file) {
			gv_puts(&lines, " [");
			put_xml(&lines, v->file->path);
			gv_putc(&lines, ']');
		}
		if (v->via.n) {
			gv_puts(&lines, "; comes by ");
			put_xml(&lines, v->via);
		}
		gv_putc(&lines, '\n');
	}
	begin(j, r->policy->name, gv_str_of(rule));
	if (n) {
		j->failures++;
		if (n > 1)
			gv_printf(&message, ", and %zu more", n - 1);
		put_result(j, "failure", gv_buf_str(&message), &lines);
	}
	end(j);
	gv_buf_free(&lines);
	gv_buf_free(&message);
}

/* What was not read is no failure, but whoever counts on the rest has to see it. */
static void put_read(struct junit *j, const struct gv_inventory *inv)
{
	begin(j, GV_STR("gpuvet inventory"), GV_STR("files read"));
	if (inv->unread.n) {
		gv_puts(&j->cases, "      <system-out>");
		for (size_t i = 0; i < inv->unread.n; i++) {
			gv_puts(&j->cases, "not read: ");
			put_xml(&j->cases, inv->unread.v[i].path);
			gv_puts(&j->cases, ": ");
			put_xml(&j->cases, inv->unread.v[i].why);
			gv_putc(&j->cases, '\n');
		}
		gv_puts(&j->cases, "</system-out>\n");
	}
	end(j);
}

void gv_inventory_junit(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	static const char *const rules[] = { "vendors", "toolkit", "architectures", "size" };
	struct junit j = { 0 };

	put_read(&j, inv);
	for (size_t i = 0; i < inv->targets.n; i++)
		put_judged(&j, inv, inv->targets.v[i]);
	for (size_t i = 0; inv->policy && i < sizeof(rules) / sizeof(rules[0]); i++)
		put_rule(&j, inv->policy, rules[i]);
	gv_printf(out,
		  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"gpuvet inventory\" "
		  "tests=\"%zu\" "
		  "failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		  j.tests, j.failures, j.skipped);
	gv_put(out, gv_buf_str(&j.cases));
	gv_puts(out, "  </testsuite>\n</testsuites>\n");
	gv_buf_free(&j.cases);
}
