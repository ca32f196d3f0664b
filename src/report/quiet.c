/* SPDX-License-Identifier: Apache-2.0 */
/* One line for a monitor: the state, what it is about, and how much else there is. "FAIL gpu-fell-off-bus on gpu
 * 0000:41:00.0 (n0): ... [+2 warn]". Where there are several machines, those that are not well are named, worst first.
 */
#include "report/common_name.h"

#define LINE_MAX 200  /* columns */
#define HOSTS_MAX 120 /* of which names of machines take so many */

struct counts {
	size_t of[GV_CODE]; /* findings by severity */
	size_t known;	    /* stages */
};

static struct counts count(const struct gv_run *run)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < run->findings.n; i++)
		c.of[run->findings.v[i]->severity]++;
	for (size_t i = 0; i < GV_STAGES; i++)
		c.known += run->stage[i].state >= 0;
	return c;
}

static void put_count(struct gv_buf *b, size_t n, const char *one, const char *many)
{
	if (n)
		gv_printf(b, "%s%zu %s", b->n ? ", " : "", n, n == 1 ? one : many);
}

/* "+1 fail, 2 notes": what there is besides the findings that were told. */
static void put_others(struct gv_buf *b, const struct counts *c, const size_t *told)
{
	put_count(b, c->of[GV_FAIL] - told[GV_FAIL], "fail", "fail");
	put_count(b, c->of[GV_WARN] - told[GV_WARN], "warn", "warn");
	put_count(b, c->of[GV_NOTE] - told[GV_NOTE], "note", "notes");
}

/* " [required but unknown: busy, fed]" */
static void put_required(struct gv_buf *b, const struct gv_run *run, unsigned bits)
{
	size_t n = 0;

	for (size_t i = 0; i < GV_STAGES; i++)
		if (bits >> i & 1 && run->stage[i].state < 0)
			gv_printf(b, "%s %s", n++ ? "," : " [required but unknown:", gv_stage_name[i]);
	gv_putc(b, ']');
}

static enum gv_severity loudness(const struct gv_finding *f)
{
	return f->worst > f->severity ? f->worst : f->severity;
}

/* By the node's index: its loudest finding, of equal ones the first in the report's order. NULL: notes at most. Returns
 * how many nodes have one. */
static size_t worst_of_nodes(const struct gv_run *run, const struct gv_finding **worst)
{
	size_t bad = 0;

	for (size_t i = 0; i < run->findings.n; i++) {
		const struct gv_finding *f = run->findings.v[i], **at;
		const struct gv_entity *node = !f->on ? NULL : f->on->kind == GV_NODE ? f->on : f->on->node;

		if (f->caused_by || loudness(f) < GV_WARN || !node || node->index >= run->entities.n)
			continue;
		at = &worst[node->index];
		bad += !*at;
		if (!*at || loudness(f) > loudness(*at))
			*at = f;
	}
	return bad;
}

/* "n3 throttle-thermal on gpu 0000:41:00.0" */
static void put_host(struct gv_buf *b, const struct gv_entity *node, const struct gv_finding *f)
{
	const struct gv_names names = { 0 };

	gv_put_clean(b, gv_node_name(node));
	gv_printf(b, " %s", gv_kind_info[f->kind].name);
	if (f->on->kind != GV_NODE) {
		gv_puts(b, " on ");
		gv_put_entity(b, &names, f->on);
	}
}

/* "2 of 5 hosts: n0 gpu-fell-off-bus on gpu 0000:41:00.0; n3 ... (warn)": as many as fit, the worst first. */
static void put_hosts(struct gv_buf *out, const struct gv_run *run, size_t *told)
{
	const struct gv_finding **worst = GV_NEWN(run->arena, const struct gv_finding *, run->entities.n + 1);
	size_t bad = worst_of_nodes(run, worst), put = 0;
	struct gv_buf b = { 0 };

	gv_printf(out, "%zu of %zu hosts", bad, gv_count(run, GV_NODE, NULL));
	for (int s = GV_FAIL; s >= GV_WARN; s--)
		for (const struct gv_entity *n = NULL; (n = gv_each(run, GV_NODE, NULL, n));) {
			const struct gv_finding *f = n->index < run->entities.n ? worst[n->index] : NULL;

			if (!f || (int)loudness(f) != s)
				continue;
			b.n = 0;
			put_host(&b, n, f);
			if (s == GV_WARN && loudness(run->verdict) == GV_FAIL)
				gv_puts(&b, " (warn)");
			if (put && gv_width(gv_buf_str(out)) + gv_width(gv_buf_str(&b)) + 2 > HOSTS_MAX)
				continue;
			gv_puts(out, put++ ? "; " : ": ");
			gv_put(out, gv_buf_str(&b));
			told[f->severity]++;
		}
	if (put < bad)
		gv_printf(out, " and %zu more", bad - put);
	gv_buf_free(&b);
}

/* "gpu-fell-off-bus on gpu 0000:41:00.0 (n0): summary" */
static void put_verdict(struct gv_buf *out, const struct gv_run *run, size_t *told)
{
	const struct gv_finding *f = run->verdict;
	struct gv_names names = { 0 };

	gv_printf(out, "%s on ", gv_kind_info[f->kind].name);
	gv_put_on(out, &names, f);
	if (f->on && f->on->kind != GV_NODE && f->on->node) {
		gv_puts(out, " (");
		gv_put_clean(out, gv_node_name(f->on->node));
		gv_putc(out, ')');
	}
	gv_puts(out, ": ");
	gv_put_clean(out, gv_summary(f));
	told[f->severity]++;
}

/* "8 nvidia GPUs (n0), 4 of 7 stages known" */
static void put_calm(struct gv_buf *out, const struct gv_run *run, const struct counts *c)
{
	const struct gv_entity *node = gv_each(run, GV_NODE, NULL, NULL);
	size_t hosts = gv_count(run, GV_NODE, NULL);

	if (hosts > 1) {
		gv_printf(out, "%zu hosts", hosts);
	} else if (node) {
		if (!gv_put_gpus(out, run, node))
			gv_puts(out, "no GPU seen");
		gv_puts(out, " (");
		gv_put_clean(out, gv_node_name(node));
		gv_putc(out, ')');
	}
	gv_printf(out, ", %zu of %d stages known", c->known, (int)GV_STAGES);
}

/* All of it where it fits, else cut at the room. */
static void put_cut(struct gv_buf *out, gv_str s, bool ascii, size_t room)
{
	struct gv_form form = { .width = room, .ascii = ascii };
	struct gv_buf b = { 0 };

	gv_put_clipped(&b, &form, 0, s);
	gv_put(out, gv_rtrim(gv_buf_str(&b)));
	gv_buf_free(&b);
}

static void write_quiet(struct gv_buf *out, const struct gv_run *run, const struct gv_report_opts *opts)
{
	struct gv_buf head = { 0 }, tail = { 0 }, line = { 0 };
	size_t from = out->n;
	struct counts c = count(run);
	size_t told[GV_CODE] = { 0 };
	bool lacking = false, known = run->judged || run->findings.n;

	for (size_t i = 0; i < GV_STAGES; i++)
		lacking |= opts->require >> i & 1 && run->stage[i].state < 0;
	if (run->verdict) {
		gv_printf(&head, "%s ", gv_severity_word[loudness(run->verdict)]);
		if (gv_count(run, GV_NODE, NULL) > 1)
			put_hosts(&head, run, told);
		else
			put_verdict(&head, run, told);
	} else if (known) {
		gv_puts(&head, lacking ? "UNKNOWN " : "OK ");
		put_calm(&head, run, &c);
	} else {
		gv_puts(&head, "UNKNOWN nothing could be judged: ");
		gv_put(&head, gv_why_not_judged(run));
	}
	put_others(&tail, &c, told);
	if (tail.n)
		gv_printf(&line, " [+%.*s]", GV_ARG(gv_buf_str(&tail)));
	if (lacking)
		put_required(&line, run, opts->require);
	put_cut(out, gv_buf_str(&head), opts->form.ascii, LINE_MAX - gv_width(gv_buf_str(&line)));
	gv_put(out, gv_buf_str(&line));
	for (size_t i = from; i < out->n; i++)
		if (out->p[i] == '|') /* monitors take what follows for numbers to plot */
			out->p[i] = '/';
	gv_putc(out, '\n');
	gv_buf_free(&head);
	gv_buf_free(&tail);
	gv_buf_free(&line);
}

const struct gv_report gv_report_quiet = { "quiet", write_quiet };
