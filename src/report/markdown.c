/* SPDX-License-Identifier: Apache-2.0 */
/* The report to paste into a ticket: the text report's content and order as GitHub-flavoured Markdown. Quoted lines
 * stand in fences longer than any run of backticks in them, and words that Markdown could take for something stand in
 * code spans: neither can be left by what evidence says. The first and the last line are known to core/own.c. */
#include "report/common_name.h"
#include "report/common_quote.h"
#include "report/common_site.h"

#define QUOTES_MAX 3  /* lines quoted for the verdict's finding; others get one */
#define OTHERS_MAX 3  /* findings besides the verdict's that are told */
#define NOTES_MAX 5   /* notes that get a line */
#define EFFECTS_MAX 3 /* effects listed under one cause */
#define UNREAD_MAX 3  /* files */
#define STAGE_MAX 3   /* findings named in a row of the table */
#define DEPTH_MAX 8   /* of effects of effects */
#define FENCE_COLUMNS 200

struct markdown {
	struct gv_buf *out;
	const struct gv_run *run;
	struct gv_names names;
	bool all;
	size_t left_out;
};

static void prose(struct markdown *m, gv_str s)
{
	gv_put_prose(m->out, s, false);
}

static void entity_code(struct markdown *m, const struct gv_entity *e)
{
	gv_put_entity(m->out, &m->names, e);
}

/* "- **Cause:** text", an item of a list. */
static void item(struct markdown *m, size_t at, const char *label, gv_str s)
{
	if (!s.n)
		return;
	gv_pad(m->out, ' ', at);
	gv_printf(m->out, "- **%s:** ", label);
	prose(m, s);
	gv_putc(m->out, '\n');
}

static size_t longest_backticks(gv_str s)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Quoted lines in a fence, `at` columns into a list. */
static void quotes(struct markdown *m, size_t at, const struct gv_place *q, size_t n, size_t max)
{
	const struct gv_form form = { .width = FENCE_COLUMNS };
	struct gv_buf b = { 0 };
	struct gv_quotes how = { .out = &b, .run = m->run, .form = &form, .whole = m->all || max > 1 };
	size_t show = m->all || n <= max ? n : max, fence;
	gv_str rest, line;

	gv_put_quotes(&how, q, show);
	m->left_out += n - show;
	rest = gv_buf_str(&b);
	fence = longest_backticks(rest) + 1;
	if (fence < 3)
		fence = 3;
	if (rest.n) {
		gv_pad(m->out, ' ', at);
		gv_pad(m->out, '`', fence);
		gv_putc(m->out, '\n');
		while (gv_next(&rest, '\n', &line)) {
			if (!line.n && !rest.n)
				break;
			gv_pad(m->out, ' ', line.n ? at : 0);
			gv_put(m->out, line);
			gv_putc(m->out, '\n');
		}
		gv_pad(m->out, ' ', at);
		gv_pad(m->out, '`', fence);
		gv_putc(m->out, '\n');
	}
	gv_buf_free(&b);
}

/* "**f2 WARN gpu-starved** on gpu `0000:41:00.0` (high confidence)" */
static void headline(struct markdown *m, const struct gv_finding *f)
{
	struct gv_buf b = { 0 };

	gv_puts(m->out, "**");
	gv_put(m->out, f->id);
	gv_printf(m->out, " %s %s** on ", gv_severity_word[f->severity], gv_kind_info[f->kind].name);
	gv_put_on(m->out, &m->names, f);
	gv_puts(m->out, " (");
	gv_put_certainty(m->out, f);
	if (gv_put_accepted(&b, f)) {
		gv_puts(m->out, "; ");
		prose(m, gv_buf_str(&b));
	}
	gv_putc(m->out, ')');
	gv_buf_free(&b);
}

static void effects(struct markdown *m, const struct gv_finding *cause, size_t at, size_t depth)
{
	size_t shown = 0;

	for (size_t i = 0; i < m->run->findings.n && depth < DEPTH_MAX; i++) {
		const struct gv_finding *f = m->run->findings.v[i];

		if (f->caused_by != cause)
			continue;
		if (!m->all && f->severity == GV_NOTE)
			continue;
		if (!m->all && shown >= EFFECTS_MAX) {
			m->left_out++;
			continue;
		}
		if (!shown++) {
			gv_pad(m->out, ' ', at);
			gv_puts(m->out, "- **And so:**\n");
		}
		gv_pad(m->out, ' ', at + 2);
		gv_puts(m->out, "- ");
		headline(m, f);
		gv_puts(m->out, ": ");
		prose(m, gv_summary(f));
		gv_putc(m->out, '\n');
		if (m->all) {
			quotes(m, at + 4, f->quote, f->nquotes, 1);
			item(m, at + 4, "Do", f->action);
			item(m, at + 4, "Don't", gv_without_do_not(f->avoid));
		}
		effects(m, f, at + 4, depth + 1);
	}
}

/* "- also: iowait (note)": the notes under a cause, in one line. */
static void also_notes(struct markdown *m, const struct gv_finding *cause)
{
	size_t n = 0;

	for (size_t i = 0; i < m->run->findings.n; i++) {
		const struct gv_finding *f = m->run->findings.v[i];

		if (f->caused_by == cause && f->severity == GV_NOTE && n++ < 2)
			gv_printf(m->out, "%s %s (note)", n > 1 ? "," : "- also:", gv_kind_info[f->kind].name);
	}
	if (n > 2)
		gv_printf(m->out, " and %zu more", n - 2);
	if (n)
		gv_putc(m->out, '\n');
	m->left_out += n;
}

/* main: the verdict's finding, whose summary stands above. */
static void finding(struct markdown *m, const struct gv_finding *f, bool main)
{
	gv_putc(m->out, '\n');
	headline(m, f);
	if (!main || m->all) {
		gv_puts(m->out, ": ");
		prose(m, gv_summary(f));
	}
	gv_puts(m->out, "\n\n");
	quotes(m, 0, f->quote, f->nquotes, main ? QUOTES_MAX : 1);
	item(m, 0, "Cause", f->cause);
	item(m, 0, "Do", f->action);
	item(m, 0, "Don't", gv_without_do_not(f->avoid));
	if (!m->all)
		also_notes(m, f);
	effects(m, f, 0, 0);
}

static void notes(struct markdown *m)
{
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->run->findings.n; i++) {
		const struct gv_finding *f = m->run->findings.v[i];

		if (f->severity != GV_NOTE || f->worst > GV_NOTE || f == m->run->verdict || f->caused_by)
			continue;
		if (n++ >= NOTES_MAX) {
			m->left_out++;
			continue;
		}
		gv_puts(m->out, n == 1 ? "\n- **" : "- **");
		gv_put(m->out, f->id);
		gv_printf(m->out, " note %s**%s: ", gv_kind_info[f->kind].name,
			  f->when == GV_HISTORY	 ? " (history)"
			  : f->when == GV_RECENT ? " (recent)"
						 : "");
		prose(m, gv_summary(f));
		b.n = 0;
		if (gv_put_accepted(&b, f)) {
			gv_puts(m->out, " (");
			prose(m, gv_buf_str(&b));
			gv_putc(m->out, ')');
		}
		gv_putc(m->out, '\n');
	}
	gv_buf_free(&b);
}

static void findings(struct markdown *m)
{
	size_t others = 0;

	if (m->run->verdict)
		finding(m, m->run->verdict, true);
	for (size_t i = 0; i < m->run->findings.n; i++) {
		const struct gv_finding *f = m->run->findings.v[i];

		if (f == m->run->verdict || f->caused_by)
			continue;
		if (!m->all && f->severity == GV_NOTE && f->worst <= GV_NOTE)
			continue;
		if (!m->all && others >= OTHERS_MAX) {
			m->left_out++;
			continue;
		}
		others++;
		finding(m, f, false);
	}
	if (!m->all)
		notes(m);
}

/* What --require asks for and nothing is known of. */
static void required(struct markdown *m, unsigned bits)
{
	size_t n = 0;

	for (size_t i = 0; i < GV_STAGES; i++)
		if (bits >> i & 1 && m->run->stage[i].state < 0)
			gv_printf(m->out, "%s %s", n++ ? "," : "- **Required but unknown:**", gv_stage_name[i]);
	if (n)
		gv_putc(m->out, '\n');
}

static void verdict(struct markdown *m, const struct gv_finding *f)
{
	gv_printf(m->out, "%s, %s on ", gv_severity_word[f->worst > f->severity ? f->worst : f->severity],
		  gv_kind_info[f->kind].name);
	gv_put_on(m->out, &m->names, f);
	gv_puts(m->out, "\n\n");
}

static void verdict_summary(struct markdown *m, const struct gv_finding *f)
{
	gv_puts(m->out, "- **Verdict:** ");
	prose(m, gv_summary(f));
	gv_puts(m->out, " (");
	gv_put_certainty(m->out, f);
	if (f->explains)
		gv_printf(m->out, "; explains %zu other finding%s", f->explains, f->explains == 1 ? "" : "s");
	gv_puts(m->out, ")\n");
}

static void line(struct markdown *m, gv_str s)
{
	gv_puts(m->out, "- ");
	prose(m, s);
	gv_putc(m->out, '\n');
}

static void top(struct markdown *m, const struct gv_report_opts *opts)
{
	const struct gv_run *run = m->run;
	struct gv_buf b = { 0 };

	gv_puts(m->out, "### gpuvet: ");
	if (run->verdict)
		verdict(m, run->verdict);
	else if (!run->judged && !run->findings.n)
		gv_puts(m->out, "UNKNOWN, nothing could be judged\n\n");
	else
		gv_puts(m->out, run->findings.n ? "OK, nothing is wrong as far as seen; there are notes\n\n"
						: gv_nothing_known(run) ? "OK, nothing is wrong as far as seen: no line that was given is a known one\n\n"
									  : "OK, nothing is wrong as far as seen\n\n");
	required(m, opts->require);
	if (run->verdict)
		verdict_summary(m, run->verdict);
	else if (!run->judged && !run->findings.n)
		item(m, 0, "Why", gv_why_not_judged(run));
	gv_puts(m->out, "- **Seen:** ");
	gv_put_seen(m->out, &m->names, run);
	gv_putc(m->out, '\n');
	if (gv_put_site(&b, run))
		line(m, gv_buf_str(&b));
	b.n = 0;
	if (gv_put_window(&b, run))
		line(m, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void bound(struct markdown *m)
{
	const struct gv_run *run = m->run;
	const struct gv_finding *f = gv_who_says(run, run->bound_summary);

	gv_puts(m->out, "- **Limit:** ");
	if (run->bound == GV_BOUND_NONE || run->bound == GV_BOUND_UNKNOWN) {
		gv_puts(m->out, "unknown");
	} else {
		gv_puts(m->out, gv_bound_name[run->bound]);
		if (run->bound_on && (m->names.many_nodes || run->bound_on->kind != GV_NODE)) {
			gv_puts(m->out, " on ");
			entity_code(m, run->bound_on);
		}
		gv_printf(m->out, " (%s confidence)", gv_confidence_name[run->bound_confidence]);
	}
	if (f) {
		gv_puts(m->out, ": what ");
		gv_put(m->out, f->id);
		gv_puts(m->out, " says");
	} else if (run->bound_summary.n) {
		gv_puts(m->out, ": ");
		prose(m, run->bound_summary);
	}
	gv_putc(m->out, '\n');
	if (m->all)
		quotes(m, 2, run->bound_quote, run->bound_nquotes, QUOTES_MAX);
}

/* "f1 storage-saturated, f3 iowait"; false where the stage has none. */
static bool stage_findings(struct markdown *m, enum gv_stage stage)
{
	size_t n = 0;

	for (size_t i = 0; i < m->run->findings.n; i++) {
		const struct gv_finding *f = m->run->findings.v[i];

		if (gv_kind_info[f->kind].stage != stage || (n++ >= STAGE_MAX && !m->all))
			continue;
		gv_puts(m->out, n > 1 ? ", " : "");
		gv_put(m->out, f->id);
		gv_printf(m->out, " %s", gv_kind_info[f->kind].name);
	}
	if (n > STAGE_MAX && !m->all)
		gv_printf(m->out, " and %zu more", n - STAGE_MAX);
	return n;
}

static void stages(struct markdown *m)
{
	gv_puts(m->out, "\n| Stage | State | What |\n|---|---|---|\n");
	for (size_t i = 0; i < GV_STAGES; i++) {
		const struct gv_stage_state *s = &m->run->stage[i];

		gv_printf(m->out, "| %s | %s | ", gv_stage_name[i], gv_state_word(s->state));
		if (!stage_findings(m, (enum gv_stage)i))
			gv_put_prose(m->out, s->summary, true);
		gv_puts(m->out, " |\n");
	}
}

static void next(struct markdown *m)
{
	for (size_t i = 0; i < m->run->next.n && i < 3; i++) {
		const struct gv_next *n = &m->run->next.v[i];

		gv_puts(m->out, i ? "- " : "\n**Next, for a better answer:**\n\n- ");
		gv_put_code(m->out, gv_str_of(n->run));
		if (n->why) {
			gv_putc(m->out, ' ');
			prose(m, gv_str_of(n->why));
		}
		gv_putc(m->out, '\n');
	}
}

static void unread(struct markdown *m)
{
	size_t n = m->run->unread.n, show = m->all || n <= UNREAD_MAX ? n : UNREAD_MAX;

	if (n)
		gv_printf(m->out, "\n**Not read: %zu file%s**\n\n", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < show; i++) {
		gv_puts(m->out, "- ");
		gv_put_code(m->out, m->run->unread.v[i].file);
		gv_puts(m->out, ": ");
		prose(m, m->run->unread.v[i].why);
		gv_putc(m->out, '\n');
	}
	m->left_out += n - show;
}

static void remarks(struct markdown *m)
{
	for (size_t i = 0; i < m->run->remarks.n; i++) {
		gv_puts(m->out, i ? "- " : "\n**To be said**\n\n- ");
		prose(m, m->run->remarks.v[i].what);
		gv_puts(m->out, ": ");
		prose(m, m->run->remarks.v[i].why);
		gv_putc(m->out, '\n');
	}
}

static void write_markdown(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	struct markdown m = { .out = out, .run = run, .all = opts->all };

	m.names = (struct gv_names){ .many_nodes = gv_count(run, GV_NODE, NULL) > 1, .all = opts->all, .code = true };
	top(&m, opts);
	if (run->judged || run->findings.n) {
		bound(&m);
		stages(&m);
		findings(&m);
	}
	next(&m);
	remarks(&m);
	unread(&m);
	if (m.left_out)
		gv_puts(out, "\n**More with `--all`.**\n");
	gv_printf(out, "\n*gpuvet %s: end of report*\n", opts->version);
}

const struct gv_report gv_report_markdown = { "markdown", write_markdown };
