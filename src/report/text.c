/* SPDX-License-Identifier: Apache-2.0 */
/* The report for a terminal at three in the morning: verdict first, then what limits, the stages, the findings with
 * their evidence, and what to run next. One screen, unless all is wanted. */
#include "report/common.h"
#include "report/common_name.h"
#include "report/common_quote.h"
#include "report/common_site.h"

#define QUOTES_MAX 3  /* lines quoted for the verdict's finding; others get one */
#define OTHERS_MAX 3  /* findings besides the verdict's that get a paragraph */
#define NOTES_MAX 5   /* notes that get a line */
#define SCREEN 40     /* lines; what is longer is told in fewer words */
#define EFFECTS_MAX 3 /* effects listed under one cause */
#define DEPTH_MAX 8   /* of effects of effects; the causes have no circle, but nothing here relies on it */

struct text {
	struct gv_buf *out;
	const struct gv_run *run;
	const struct gv_form *form;
	struct gv_names names;
	bool all, color;
	bool full; /* cause and don't of every finding, as long as it fits into one screen */
	size_t left_out;
};

static const char *const severity_color[] = {
	[GV_NOTE] = "\033[36m", [GV_WARN] = "\033[33m", [GV_FAIL] = "\033[1;31m"
};

static void colored(struct text *t, const char *color, const char *word)
{
	if (t->color)
		gv_puts(t->out, color);
	gv_puts(t->out, word);
	if (t->color)
		gv_puts(t->out, "\033[0m");
}

/* Columns written on the line at hand, colours apart. */
static size_t column(const struct text *t)
{
	size_t from = t->out->n, hidden = 0;
	gv_str line;

	while (from && t->out->p[from - 1] != '\n')
		from--;
	line = gv_from(gv_buf_str(t->out), from);
	for (size_t i = 0; t->color && i < line.n; i++)
		if (line.p[i] == '\033') {
			size_t end = i;

			while (end < line.n && line.p[end] != 'm')
				end++;
			hidden += end - i + 1;
			i = end;
		}
	return gv_width(line) - hidden;
}

static void indent(struct text *t, size_t n)
{
	gv_pad(t->out, ' ', n);
}

/* Goes on with the line at hand, and at `at` on the next ones. */
static void wrapped(struct text *t, size_t at, gv_str s)
{
	gv_put_wrapped(t->out, t->form, column(t), at, s);
}

/* "Cause  text": a label and what belongs to it. */
static void labelled(struct text *t, size_t at, const char *label, gv_str s)
{
	if (!s.n)
		return;
	indent(t, at);
	gv_printf(t->out, "%-7s", label);
	wrapped(t, at + 7, s);
}

/* max 1 tells findings of less weight, of which a glimpse is enough. */
static void quotes(struct text *t, size_t at, const struct gv_place *q, size_t n, size_t max)
{
	struct gv_quotes how = { .out = t->out, .run = t->run, .form = t->form, .indent = at, .color = t->color };
	size_t show = t->all || n <= max ? n : max;

	how.whole = t->all || max > 1;
	gv_put_quotes(&how, q, show);
	t->left_out += n - show;
}

/* "f2  WARN  gpu-starved on gpu 0000:41:00.0 (high confidence)". */
static void headline(struct text *t, size_t at, const struct gv_finding *f)
{
	struct gv_buf b = { 0 };

	gv_printf(&b, "%s on ", gv_kind_info[f->kind].name);
	gv_put_on(&b, &t->names, f);
	gv_puts(&b, " (");
	gv_put_certainty(&b, f);
	if (f->accepted || f->expired)
		gv_puts(&b, "; ");
	gv_put_accepted(&b, f);
	gv_putc(&b, ')');
	indent(t, at);
	gv_put(t->out, f->id);
	gv_pad(t->out, ' ', f->id.n < 4 ? 4 - f->id.n : 1);
	colored(t, severity_color[f->severity], gv_severity_word[f->severity]);
	gv_puts(t->out, "  ");
	wrapped(t, at + 10, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void effects(struct text *t, const struct gv_finding *cause, size_t at, size_t depth)
{
	size_t shown = 0;

	for (size_t i = 0; i < t->run->findings.n && depth < DEPTH_MAX; i++) {
		const struct gv_finding *f = t->run->findings.v[i];

		if (f->caused_by != cause)
			continue;
		if (!t->all && f->severity == GV_NOTE)
			continue;
		if (!t->all && shown >= EFFECTS_MAX) {
			t->left_out++;
			continue;
		}
		if (!shown++) {
			indent(t, at);
			gv_puts(t->out, "and so:\n");
		}
		headline(t, at + 2, f);
		indent(t, at + 6);
		wrapped(t, at + 6, gv_summary(f));
		if (t->all) {
			quotes(t, at + 8, f->quote, f->nquotes, 1);
			labelled(t, at + 6, "Do", f->action);
			labelled(t, at + 6, "Don't", gv_without_do_not(f->avoid));
		}
		effects(t, f, at + 4, depth + 1);
	}
}

/* "also: iowait (note), swap-thrash (note)": the notes under a cause, in one line. */
static void also_notes(struct text *t, const struct gv_finding *cause, size_t at)
{
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < t->run->findings.n; i++) {
		const struct gv_finding *f = t->run->findings.v[i];

		if (f->caused_by == cause && f->severity == GV_NOTE && n++ < 2)
			gv_printf(&b, "%s %s (note)", b.n ? "," : "also:", gv_kind_info[f->kind].name);
	}
	if (n > 2)
		gv_printf(&b, " and %zu more", n - 2);
	if (n) {
		indent(t, at);
		gv_put_clipped(t->out, t->form, at, gv_buf_str(&b));
		t->left_out += n;
	}
	gv_buf_free(&b);
}

/* main: the verdict's finding, which is told in full. */
static void finding(struct text *t, const struct gv_finding *f, bool main)
{
	headline(t, 0, f);
	if (!main || t->all) { /* the verdict has said it */
		indent(t, 4);
		wrapped(t, 4, gv_summary(f));
	}
	quotes(t, 6, f->quote, f->nquotes, main ? QUOTES_MAX : 1);
	if (main || t->all || t->full)
		labelled(t, 4, "Cause", f->cause);
	labelled(t, 4, "Do", f->action);
	if (main || t->all || t->full)
		labelled(t, 4, "Don't", gv_without_do_not(f->avoid));
	if (!t->all)
		also_notes(t, f, 4);
	effects(t, f, 4, 0);
}

/* One line a note: "f3 note persistence-off: persistence mode is off on 8 GPUs". */
static void notes(struct text *t)
{
	struct gv_buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < t->run->findings.n; i++) {
		const struct gv_finding *f = t->run->findings.v[i];

		if (f->severity != GV_NOTE || f->worst > GV_NOTE || f == t->run->verdict || f->caused_by)
			continue;
		if (n++ >= NOTES_MAX) {
			t->left_out++;
			continue;
		}
		if (n == 1)
			gv_putc(t->out, '\n');
		b.n = 0;
		gv_put(&b, f->id);
		gv_printf(&b, " note %s%s: ", gv_kind_info[f->kind].name,
			  f->when == GV_HISTORY	 ? " (history)"
			  : f->when == GV_RECENT ? " (recent)"
						 : "");
		gv_put(&b, gv_summary(f));
		gv_put_clipped(t->out, t->form, 0, gv_buf_str(&b));
		b.n = 0;
		if (gv_put_accepted(&b, f)) {
			indent(t, 3);
			wrapped(t, 3, gv_buf_str(&b));
		}
	}
	gv_buf_free(&b);
}

static void findings(struct text *t)
{
	size_t others = 0;

	if (t->run->verdict) {
		gv_putc(t->out, '\n');
		finding(t, t->run->verdict, true);
	}
	for (size_t i = 0; i < t->run->findings.n; i++) {
		const struct gv_finding *f = t->run->findings.v[i];

		if (f == t->run->verdict || f->caused_by)
			continue;
		if (!t->all && f->severity == GV_NOTE && f->worst <= GV_NOTE)
			continue;
		if (!t->all && others >= OTHERS_MAX) {
			t->left_out++;
			continue;
		}
		others++;
		gv_putc(t->out, '\n');
		finding(t, f, false);
	}
	if (!t->all)
		notes(t);
}

static void verdict(struct text *t, const struct gv_finding *f)
{
	struct gv_buf b = { 0 };
	enum gv_severity worst = f->worst > f->severity ? f->worst : f->severity;

	colored(t, severity_color[worst], gv_severity_word[worst]);
	gv_puts(t->out, "  ");
	gv_printf(&b, "%s on ", gv_kind_info[f->kind].name);
	gv_put_on(&b, &t->names, f);
	wrapped(t, 6, gv_buf_str(&b));
	b.n = 0;
	indent(t, 6);
	wrapped(t, 6, gv_summary(f));
	indent(t, 6);
	gv_put_certainty(&b, f);
	if (f->explains)
		gv_printf(&b, "; explains %zu other finding%s", f->explains, f->explains == 1 ? "" : "s");
	wrapped(t, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void nothing_judged(struct text *t)
{
	gv_puts(t->out, "Nothing could be judged: ");
	wrapped(t, 0, gv_why_not_judged(t->run));
}

/* Where no check says what it lacks: what most questions are answered from. */
static void first_aid(struct text *t)
{
	gv_puts(t->out, "\nUseful, each into a file of its own:\n"
			"  nvidia-smi -q, or amd-smi static and amd-smi metric, or xpu-smi discovery\n"
			"  dmesg -T, lspci -vv, iostat -xz 1 3, mpstat -P ALL 1 3, free -m\n"
			"  the log of the job\n");
}

static void top(struct text *t)
{
	struct gv_buf b = { 0 };

	if (t->run->verdict) {
		verdict(t, t->run->verdict);
	} else if (!t->run->judged && !t->run->findings.n) {
		nothing_judged(t);
	} else {
		colored(t, "\033[32m", "OK");
		gv_puts(t->out, "    ");
		wrapped(t, 6,
			t->run->findings.n ? GV_STR("Nothing is wrong as far as seen; there are notes.")
			: gv_nothing_known(t->run) ? GV_STR("Nothing is wrong as far as seen: no line that was given is a known one.")
						   : GV_STR("Nothing is wrong as far as seen."));
	}
	gv_put_seen(&b, &t->names, t->run);
	gv_puts(t->out, "Seen: ");
	wrapped(t, 6, gv_buf_str(&b));
	b.n = 0;
	if (gv_put_site(&b, t->run))
		wrapped(t, 6, gv_buf_str(&b));
	b.n = 0;
	if (gv_put_window(&b, t->run))
		wrapped(t, 6, gv_buf_str(&b));
	gv_buf_free(&b);
}

static void bound(struct text *t)
{
	const struct gv_run *run = t->run;
	const struct gv_finding *f = gv_who_says(run, run->bound_summary);
	struct gv_buf b = { 0 };

	if (run->bound == GV_BOUND_NONE || run->bound == GV_BOUND_UNKNOWN) {
		gv_puts(&b, "unknown");
	} else {
		gv_printf(&b, "%s", gv_bound_name[run->bound]);
		if (run->bound_on && (t->names.many_nodes || run->bound_on->kind != GV_NODE)) {
			gv_puts(&b, " on ");
			gv_put_entity(&b, &t->names, run->bound_on);
		}
		gv_printf(&b, " (%s confidence)", gv_confidence_name[run->bound_confidence]);
	}
	if (f) {
		gv_puts(&b, ": what ");
		gv_put(&b, f->id);
		gv_puts(&b, " says");
	} else if (run->bound_summary.n) {
		gv_puts(&b, ": ");
		gv_put(&b, run->bound_summary);
	}
	gv_puts(t->out, "Limit: ");
	wrapped(t, 7, gv_buf_str(&b));
	if (t->all)
		quotes(t, 9, run->bound_quote, run->bound_nquotes, QUOTES_MAX);
	gv_buf_free(&b);
}

/* "f1 storage-saturated, f3 iowait": the findings of a stage; false where it has none. */
static bool stage_findings(struct text *t, enum gv_stage stage)
{
	struct gv_buf b = { 0 };
	size_t n = 0;
	bool any;

	for (size_t i = 0; i < t->run->findings.n; i++) {
		const struct gv_finding *f = t->run->findings.v[i];

		if (gv_kind_info[f->kind].stage != stage || (n++ >= 3 && !t->all))
			continue;
		gv_puts(&b, b.n ? ", " : "");
		gv_put(&b, f->id);
		gv_printf(&b, " %s", gv_kind_info[f->kind].name);
	}
	if (n > 3 && !t->all)
		gv_printf(&b, " and %zu more", n - 3);
	any = b.n;
	if (any)
		wrapped(t, 17, gv_buf_str(&b));
	gv_buf_free(&b);
	return any;
}

static void stages(struct text *t)
{
	static const char *const color[] = { "", "\033[32m", "\033[36m", "\033[33m", "\033[1;31m" };

	gv_putc(t->out, '\n');
	for (size_t i = 0; i < GV_STAGES; i++) {
		const struct gv_stage_state *s = &t->run->stage[i];
		size_t w = s->state >= 0 && s->state <= 3 ? (size_t)s->state + 1 : 0;

		gv_printf(t->out, "%-10s ", gv_stage_name[i]);
		if (w)
			colored(t, color[w], gv_state_word(s->state));
		else
			gv_puts(t->out, gv_state_word(s->state));
		gv_pad(t->out, ' ', 17 - column(t));
		if (stage_findings(t, (enum gv_stage)i))
			continue;
		if (t->all)
			wrapped(t, 17, s->summary);
		else
			gv_put_clipped(t->out, t->form, 17, s->summary);
	}
}

static void next(struct text *t)
{
	for (size_t i = 0; i < t->run->next.n && i < 3; i++) {
		const struct gv_next *n = &t->run->next.v[i];

		gv_puts(t->out, i ? "" : "\nNext, for a better answer:\n");
		gv_printf(t->out, "  %s\n", n->run);
		if (n->why) {
			indent(t, 6);
			wrapped(t, 6, gv_str_of(n->why));
		}
	}
}

static void unread(struct text *t)
{
	struct gv_buf b = { 0 };
	size_t n = t->run->unread.n, show = t->all || n <= 3 ? n : 3;

	if (n)
		gv_printf(t->out, "\nNot read: %zu file%s\n", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < show; i++) {
		b.n = 0;
		gv_put_clean(&b, t->run->unread.v[i].file);
		gv_puts(&b, ": ");
		gv_put_clean(&b, t->run->unread.v[i].why);
		indent(t, 2);
		gv_put_clipped(t->out, t->form, 2, gv_buf_str(&b));
	}
	t->left_out += n - show;
	gv_buf_free(&b);
}

/* How a live look was made, where that hides something; lines of a driver that nothing knows. */
static void remarks(struct text *t)
{
	struct gv_buf b = { 0 };

	for (size_t i = 0; i < t->run->remarks.n; i++) {
		b.n = 0;
		gv_put_clean(&b, t->run->remarks.v[i].what);
		gv_puts(&b, ": ");
		gv_put_clean(&b, t->run->remarks.v[i].why);
		gv_puts(t->out, i ? "" : "\nTo be said:\n");
		indent(t, 2);
		wrapped(t, 6, gv_buf_str(&b));
	}
	gv_buf_free(&b);
}

/* What --require asks for and nothing is known of. */
static void required(struct text *t, unsigned bits)
{
	size_t n = 0;

	for (size_t i = 0; i < GV_STAGES; i++)
		if (bits >> i & 1 && t->run->stage[i].state < 0)
			gv_printf(t->out, "%s %s", n++ ? "," : "Required but unknown:", gv_stage_name[i]);
	if (n)
		gv_putc(t->out, '\n');
}

static void write_once(struct text *t, const struct gv_report_opts *opts)
{
	required(t, opts->require);
	top(t);
	if (t->run->judged || t->run->findings.n) {
		bound(t);
		stages(t);
		findings(t);
	} else if (!t->run->next.n)
		first_aid(t);
	next(t);
	remarks(t);
	unread(t);
	if (t->left_out)
		gv_puts(t->out, "\nMore with --all.\n");
}

static size_t lines_from(const struct gv_buf *out, size_t from)
{
	size_t n = 0;

	for (; from < out->n; from++)
		n += out->p[from] == '\n';
	return n;
}

static void write_text(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	struct text t = { .out = out, .run = run, .form = &opts->form, .all = opts->all, .color = opts->color };
	size_t from = out->n;

	t.names = (struct gv_names){ .many_nodes = gv_count(run, GV_NODE, NULL) > 1, .all = opts->all };
	t.full = true;
	write_once(&t, opts);
	if (t.all || lines_from(out, from) <= SCREEN)
		return;
	out->n = from;
	t.full = false;
	t.left_out = 0;
	write_once(&t, opts);
}

const struct gv_report gv_report_text = { "text", write_text };
