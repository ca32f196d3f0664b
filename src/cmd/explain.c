/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet explain: the runbook page of a kind, the row of an Xid or SXid, or what a log line means. */
#include "cmd/common.h"
#include "core/table.h"

#define SIGS_MAX 8

struct opts {
	struct gv_basic basic;
	bool json;
};

static const struct gv_opt options[] = {
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet explain [OPTION]... KIND",
	"       gpuvet explain [OPTION]... xid|sxid CODE",
	"       gpuvet explain [OPTION]... \"A LOG LINE\"",
	"       gpuvet explain [OPTION]...",
	"",
	"Prints the runbook page of a kind of finding, what an Xid or SXid code stands",
	"for, or what a log line means. Without an argument, lists the kinds that have a",
	"page.",
	"",
	"Exit status: 0, or 3 where the code or the line is not known; 64 wrong usage,",
	"70 internal error.",
	NULL,
};

/* What there is to say. */
struct answer {
	enum gv_kind kind[SIGS_MAX];
	const struct gv_sig *sig[SIGS_MAX]; /* that led to the kind; NULL where it was named */
	size_t n;
	const struct gv_table *codes; /* with the row of a code */
	size_t row;
};

static void kind_text(struct gv_buf *out, enum gv_kind k)
{
	const struct gv_kind_info *i = &gv_kind_info[k];
	const struct gv_page *p = gv_page_of(k);

	gv_printf(out, "%s: %s\n\n", i->name, p ? p->title : i->meaning);
	gv_put_wrapped(out, 0, 0, gv_str_of(i->meaning));
	gv_printf(out, "\nStage %s; severity %s.\n", gv_stage_name[i->stage],
		  i->severity == GV_CODE ? "by the code" : gv_severity_name[i->severity]);
	if (p)
		gv_printf(out, "\n%s", p->body);
}

static void code_text(struct gv_buf *out, const struct gv_table *t, size_t row)
{
	gv_str name = gv_cell(t, row, "name"), code = gv_cell(t, row, "code");

	gv_printf(out, "%s %.*s%s%.*s\n\n", gv_is(gv_str_of(t->name), "sxid") ? "SXid" : "Xid", GV_ARG(code),
		  name.n ? ": " : "", GV_ARG(name));
	for (size_t i = 0; i < t->cols; i++) {
		gv_str head = gv_str_of(t->head[i]), cell = gv_cell(t, row, t->head[i]);

		if (!cell.n || gv_is(head, "code") || gv_is(head, "name"))
			continue;
		gv_put(out, head);
		gv_pad(out, ' ', head.n < 20 ? 20 - head.n : 1);
		gv_put_wrapped(out, 20, 20, cell);
	}
}

static void write_text(struct gv_buf *out, const struct answer *a)
{
	if (a->codes)
		code_text(out, a->codes, a->row);
	for (size_t i = 0; i < a->n; i++) {
		if (a->codes || i)
			gv_putc(out, '\n');
		if (a->sig[i])
			gv_printf(out, "The line matches the signature %.*s.\n\n", GV_ARG(a->sig[i]->id));
		kind_text(out, a->kind[i]);
	}
}

static void kind_json(struct gv_json *j, enum gv_kind k, const struct gv_sig *sig)
{
	const struct gv_kind_info *i = &gv_kind_info[k];
	const struct gv_page *p = gv_page_of(k);

	gv_json_obj(j);
	gv_json_key(j, "kind");
	gv_json_strz(j, i->name);
	gv_json_key(j, "stage");
	gv_json_strz(j, gv_stage_name[i->stage]);
	gv_json_key(j, "severity");
	gv_json_strz(j, i->severity == GV_CODE ? "by-code" : gv_severity_name[i->severity]);
	gv_json_key(j, "meaning");
	gv_json_strz(j, i->meaning);
	gv_json_some(j, "signature", sig ? sig->id : GV_NONE);
	gv_json_key(j, "title");
	gv_json_strz(j, p ? p->title : NULL);
	gv_json_key(j, "page");
	gv_json_strz(j, p ? p->body : NULL);
	gv_json_end(j);
}

/* a NULL: every kind that has a page. */
static void write_json(struct gv_buf *out, const struct answer *a)
{
	struct gv_json json = { .out = out, .pretty = true }, *j = &json;
	const struct gv_table *t = a ? a->codes : NULL;

	gv_json_obj(j);
	gv_json_key(j, "schema");
	gv_json_strz(j, "gpuvet.explain.v1");
	gv_json_key(j, "version");
	gv_json_strz(j, GV_VERSION);
	gv_json_key(j, "code");
	if (t) {
		gv_json_obj(j);
		gv_json_key(j, "table");
		gv_json_strz(j, t->name);
		for (size_t i = 0; i < t->cols; i++)
			gv_json_some(j, t->head[i], gv_cell(t, a->row, t->head[i]));
		gv_json_end(j);
	} else {
		gv_json_null(j);
	}
	gv_json_key(j, "kinds");
	gv_json_arr(j);
	for (size_t i = 0; a && i < a->n; i++)
		kind_json(j, a->kind[i], a->sig[i]);
	for (size_t k = 0; !a && k < GV_KINDS; k++)
		if (gv_page_of((enum gv_kind)k))
			kind_json(j, (enum gv_kind)k, NULL);
	gv_json_end(j);
	gv_json_end(j);
}

static void list_text(struct gv_buf *out)
{
	size_t n = 0;

	for (size_t s = 0; s < GV_STAGES; s++) {
		bool headed = false;

		for (size_t k = 0; k < GV_KINDS; k++) {
			const struct gv_page *p = gv_page_of((enum gv_kind)k);

			if (!p || gv_kind_info[k].stage != s)
				continue;
			if (!headed)
				gv_printf(out, "%s%s\n", n ? "\n" : "", gv_stage_name[s]);
			headed = true;
			gv_printf(out, "  %-24s ", gv_kind_info[k].name);
			gv_put_clipped(out, 27, gv_str_of(p->title));
			n++;
		}
	}
	if (!n)
		gv_puts(out, "No kind has a page in this build.\n");
}

/* xid N, sxid N. */
static int find_code(struct gv_call *c, const char *table, gv_str code, struct answer *a)
{
	const struct gv_table *t = gv_table(table);
	uint64_t n;
	gv_str plain;

	if (!gv_to_u64(code, &n)) {
		gv_printf(c->err, "\"%.*s\" is no code: %s needs a number", GV_ARG(code), table);
		return GV_EXIT_USAGE;
	}
	plain = gv_fmt(c->arena, "%llu", (unsigned long long)n);
	a->row = t ? gv_table_find(t, "code", plain, 0) : SIZE_MAX;
	if (a->row == SIZE_MAX) {
		gv_printf(c->err, "%s %.*s is not in the table of this version", table, GV_ARG(plain));
		return GV_EXIT_UNKNOWN;
	}
	a->codes = t;
	return 0;
}

static int find_line(struct gv_call *c, gv_str line, struct answer *a)
{
	const struct gv_sig *sig[SIGS_MAX];
	struct gv_sigs *sigs = gv_sigs_new(c->arena);
	size_t n = gv_sigs_match(sigs, line, sig, SIGS_MAX);

	for (size_t i = 0; i < n && i < SIGS_MAX; i++) {
		bool seen = sig[i]->kind < 0 || sig[i]->kind >= GV_KINDS;

		for (size_t k = 0; k < a->n && !seen; k++)
			seen = (int)a->kind[k] == sig[i]->kind;
		if (seen)
			continue;
		a->kind[a->n] = (enum gv_kind)sig[i]->kind;
		a->sig[a->n++] = sig[i];
	}
	gv_sigs_free(sigs);
	return a->n ? 0 : GV_EXIT_UNKNOWN;
}

/* One word that is neither a kind nor a line that any signature knows. */
static int no_kind(struct gv_call *c, gv_str word)
{
	const char *names[GV_KINDS], *near;

	for (size_t k = 0; k < GV_KINDS; k++)
		names[k] = gv_kind_info[k].name;
	near = gv_nearest(word, names, GV_KINDS);
	gv_printf(c->err, "\"%.*s\" is no kind of finding", GV_ARG(word));
	if (near)
		gv_printf(c->err, "; did you mean %s?", near);
	else
		gv_puts(c->err, "; \"gpuvet explain\" lists them");
	return GV_EXIT_USAGE;
}

static int find(struct gv_call *c, const gv_str *args, size_t n, struct answer *a)
{
	struct gv_buf line = { 0 };
	gv_str word[3];
	size_t words;
	int kind, r;

	for (size_t i = 0; i < n; i++) {
		gv_puts(&line, i ? " " : "");
		gv_put(&line, args[i]);
	}
	words = gv_words(gv_buf_str(&line), word, 3);
	kind = words == 1 ? gv_kind_by_name(word[0]) : -1;
	if (kind >= 0) {
		a->kind[a->n++] = (enum gv_kind)kind;
		r = 0;
	} else if (words == 2 && (gv_eq_nocase(word[0], GV_STR("xid")) || gv_eq_nocase(word[0], GV_STR("sxid")))) {
		r = find_code(c, word[0].n == 3 ? "xid" : "sxid", word[1], a);
	} else {
		r = words ? find_line(c, gv_buf_str(&line), a) : GV_EXIT_UNKNOWN;
		if (r && words == 1)
			r = no_kind(c, word[0]);
		else if (r)
			gv_puts(c->err, "no signature matches this line");
	}
	gv_buf_free(&line);
	return r;
}

static int run_explain(struct gv_call *c)
{
	struct opts o = { 0 };
	struct answer a = { 0 };
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_explain, &o, &args, &n);

	if (status >= 0)
		return status;
	if (!n) {
		if (o.json)
			write_json(c->out, NULL);
		else
			list_text(c->out);
		return GV_EXIT_OK;
	}
	status = find(c, args, n, &a);
	if (!status)
		(o.json ? write_json : write_text)(c->out, &a);
	return status;
}

const struct gv_cmd gv_cmd_explain = { usage, options, run_explain };
