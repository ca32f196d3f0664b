/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet explain: the runbook page of a kind, the row of an Xid or SXid, or what a log line means. */
#include "check/common.h"
#include "cmd/common.h"
#include "core/table.h"

#include <ctype.h>
#include <string.h>

#define SIGS_MAX 8
#define SUGGESTED 4
#define LINES_MAX 10000 /* of a paste; whole logs are for diagnose */

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
	"       gpuvet explain [OPTION]... \"LOG LINES\"",
	"       gpuvet explain [OPTION]... -",
	"       gpuvet explain [OPTION]...",
	"",
	"Prints the runbook page of a kind of finding, what an Xid or SXid code stands",
	"for, or what lines of a log mean, each thing once. With -, the lines are read",
	"from the standard input. Without an argument, lists the kinds that have a page.",
	"",
	"Exit status: 0, or 3 where the code or all of the lines are not known; 64 wrong",
	"usage, 66 the standard input cannot be read, 70 internal error.",
	NULL,
};

/* What there is to say. */
struct answer {
	enum gv_kind kind[SIGS_MAX];
	const struct gv_sig *sig[SIGS_MAX]; /* that led to the kind; NULL where it was named */
	size_t n;
	const struct gv_table *codes; /* with the row of a code */
	size_t row;
	const struct gv_sig
	    *idle; /* matched by a signature that says nothing by itself; NULL where anything else is known */
	const struct gv_line *line; /* where it stands, of several lines; else NULL */
};

/* What lines mean, each thing once: where the first line says it. */
struct answers {
	GV_VEC(struct answer) v;
	size_t lines, unknown; /* lines that are not blank; those of them that no signature matches */
	size_t idle;	       /* those of them that say nothing by themselves */
	const struct gv_sig *first_idle;
	bool cut; /* there were more than LINES_MAX */
};

/* A template without values, its [...] left out; empty where it does not read without them. */
static gv_str bare(struct gv_arena *a, const char *tmpl)
{
	bool inside = false;

	for (const char *z = tmpl; z && *z; z++) {
		inside = *z == '[' || (inside && *z != ']');
		if (*z == '{' && !inside)
			return GV_NONE;
	}
	return gv_template(a, tmpl, NULL, 0);
}

static void kind_text(struct gv_call *c, enum gv_kind k)
{
	const struct gv_kind_info *i = &gv_kind_info[k];
	const struct gv_page *p = gv_page_of(k);
	gv_str lead = p ? bare(c->arena, p->cause) : GV_NONE;

	gv_printf(c->out, "%s: ", i->name);
	gv_put_wrapped(c->out, &c->form, gv_width(gv_str_of(i->name)) + 2, 2, gv_str_of(p ? p->title : i->meaning));
	gv_putc(c->out, '\n');
	gv_put_wrapped(c->out, &c->form, 0, 0, lead.n ? lead : gv_str_of(i->meaning));
	gv_printf(c->out, "\nStage %s; %s%s.\n", gv_stage_name[i->stage],
		  i->severity == GV_CODE ? "how bad it is depends on the code" : "usual severity ",
		  i->severity == GV_CODE ? "" : gv_severity_name[i->severity]);
	if (!p)
		return;
	gv_putc(c->out, '\n');
	gv_put_markdown(c->out, &c->form, gv_str_of(p->body));
}

/* A cell of a code's row in words. */
static gv_str in_words(gv_str cell)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "info", "harmless by itself" },
		{ "warn", "warning: work may be lost, the device goes on" },
		{ "error", "error: the job is lost, the device needs attention" },
		{ "fatal", "fatal: the device cannot be used as it is" },
		{ "seen", "NVIDIA's documents or driver sources" },
		{ "recalled", "general knowledge of the field; no document was at hand" },
		{ "guess", "inferred from similar codes" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_is(cell, words[i].word))
			return gv_str_of(words[i].text);
	return cell;
}

static bool is_sxid(const struct gv_table *t)
{
	return gv_is(gv_str_of(t->name), "sxid");
}

/* The kind of finding that stands for the code. */
static enum gv_kind kind_of_code(const struct gv_table *t, size_t row)
{
	uint64_t code = 0;

	if (is_sxid(t))
		return GV_K_NVSWITCH_ERROR;
	gv_to_u64(gv_cell(t, row, "code"), &code);
	return gv_xid_kind(code <= INT32_MAX ? (int)code : -1);
}

/* What to do: what the table says; where that is a reboot and a page of its own knows better, the page. */
static gv_str remedy_of_code(struct gv_arena *a, const struct gv_table *t, size_t row)
{
	gv_str action = gv_cell(t, row, "action");
	enum gv_kind k = kind_of_code(t, row);
	const struct gv_page *p = gv_page_of(k);
	gv_str page = p && k != GV_K_GPU_XID && k != GV_K_NVSWITCH_ERROR ? bare(a, p->action) : GV_NONE;

	if (page.n && gv_is(action, "reboot-node"))
		return page;
	action = gv_remedy(action);
	return action.n ? gv_fmt(a, "%c%.*s.", toupper((unsigned char)*action.p), GV_ARG(gv_from(action, 1))) : action;
}

static void labelled(struct gv_call *c, const char *label, gv_str text)
{
	if (!text.n)
		return;
	gv_printf(c->out, "%-12s", label);
	gv_put_wrapped(c->out, &c->form, 12, 12, text);
}

static void code_text(struct gv_call *c, const struct gv_table *t, size_t row)
{
	gv_str name = gv_cell(t, row, "name"), code = gv_cell(t, row, "code");

	gv_printf(c->out, "%s %.*s%s%.*s\n\n", is_sxid(t) ? "SXid" : "Xid", GV_ARG(code), name.n ? ": " : "",
		  GV_ARG(name));
	labelled(c, "Means", gv_cell(t, row, "note"));
	labelled(c, "How bad", in_words(gv_cell(t, row, "severity")));
	labelled(c, "What to do", remedy_of_code(c->arena, t, row));
	labelled(c, "Known from", in_words(gv_cell(t, row, "basis")));
	gv_printf(c->out, "\nMore: gpuvet explain %s\n", gv_kind_info[kind_of_code(t, row)].name);
}

static void write_text(struct gv_call *c, const struct answer *a)
{
	if (a->codes)
		code_text(c, a->codes, a->row);
	for (size_t i = 0; i < a->n; i++) {
		if (a->codes && a->kind[i] != GV_K_GPU_XID && a->kind[i] != kind_of_code(a->codes, a->row))
			gv_printf(c->out, "See also: gpuvet explain %s\n", gv_kind_info[a->kind[i]].name);
		if (a->codes)
			continue;
		if (i)
			gv_putc(c->out, '\n');
		if (a->sig[i])
			gv_printf(c->out, "The line matches the signature %.*s.\n\n", GV_ARG(a->sig[i]->id));
		kind_text(c, a->kind[i]);
	}
}

/* Several lines: each answer below the line that it is for. */
static void write_lines_text(struct gv_call *c, const struct answers *all)
{
	for (size_t i = 0; i < all->v.n; i++) {
		const struct answer *a = &all->v.v[i];
		struct gv_buf b = { 0 };

		gv_printf(&b, "%sLine %u: ", i ? "\n" : "", a->line->no);
		gv_put(c->out, gv_buf_str(&b));
		gv_put_clipped(c->out, &c->form, b.n, a->line->text.n ? a->line->text : a->line->raw);
		gv_putc(c->out, '\n');
		write_text(c, a);
		gv_buf_free(&b);
	}
	if (all->unknown)
		gv_printf(c->out, "\nNo signature matches %zu of the %zu lines.\n", all->unknown, all->lines);
	if (all->idle)
		gv_printf(c->out, "\n%zu line%s known but say%s nothing by %s.\n", all->idle,
			  all->idle == 1 ? " is" : "s are", all->idle == 1 ? "s" : "",
			  all->idle == 1 ? "itself" : "themselves");
	if (all->cut)
		gv_printf(c->out, "\nOnly the first %d lines were looked at; \"gpuvet diagnose\" reads whole logs.\n",
			  LINES_MAX);
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

static void code_cell(struct gv_json *j, const char *head, gv_str cell)
{
	uint64_t code;

	if (!gv_is(gv_str_of(head), "code") || !gv_to_u64(cell, &code)) {
		gv_json_some(j, head, cell);
		return;
	}
	gv_json_key(j, head);
	gv_json_u64(j, code);
}

static void code_json(struct gv_json *j, const struct answer *a)
{
	const struct gv_table *t = a ? a->codes : NULL;

	gv_json_key(j, "code");
	if (!t) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	gv_json_key(j, "table");
	gv_json_strz(j, t->name);
	for (size_t i = 0; i < t->cols; i++)
		code_cell(j, t->head[i], gv_cell(t, a->row, t->head[i]));
	gv_json_end(j);
}

/* One of several lines. The texts of its kinds stand in the list of all. */
static void line_json(struct gv_json *j, const struct answer *a)
{
	struct gv_buf b = { 0 };
	bool cut;

	gv_put(&b, gv_piece(a->line->raw, GV_PIECE, &cut));
	gv_puts(&b, cut ? "…" : "");
	gv_json_obj(j);
	gv_json_key(j, "line");
	gv_json_u64(j, a->line->no);
	gv_json_key(j, "text");
	gv_json_str(j, gv_buf_str(&b));
	code_json(j, a);
	gv_json_key(j, "kinds");
	gv_json_arr(j);
	for (size_t i = 0; i < a->n; i++)
		gv_json_strz(j, gv_kind_info[a->kind[i]].name);
	gv_json_end(j);
	gv_json_end(j);
	gv_buf_free(&b);
}

/* n answers, of one thing or of several lines; NULL: every kind that has a page. */
static void write_json(struct gv_buf *out, const struct answer *v, size_t n)
{
	struct gv_json json = { .out = out, .pretty = true }, *j = &json;
	bool told[GV_KINDS] = { false };

	gv_json_obj(j);
	gv_json_key(j, "schema");
	gv_json_strz(j, "gpuvet.explain.v1");
	gv_json_key(j, "version");
	gv_json_strz(j, GV_VERSION);
	code_json(j, n ? v : NULL);
	gv_json_key(j, "kinds");
	gv_json_arr(j);
	for (size_t a = 0; a < n; a++)
		for (size_t i = 0; i < v[a].n; i++) {
			if (!told[v[a].kind[i]])
				kind_json(j, v[a].kind[i], v[a].sig[i]);
			told[v[a].kind[i]] = true;
		}
	for (size_t k = 0; !v && k < GV_KINDS; k++)
		if (gv_page_of((enum gv_kind)k))
			kind_json(j, (enum gv_kind)k, NULL);
	gv_json_end(j);
	gv_json_key(j, "lines");
	gv_json_arr(j);
	for (size_t a = 0; a < n; a++)
		if (v[a].line)
			line_json(j, &v[a]);
	gv_json_end(j);
	gv_json_end(j);
}

static void list_text(struct gv_call *c)
{
	struct gv_buf *out = c->out;
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
			gv_put_clipped(out, &c->form, 27, gv_str_of(p->title));
			n++;
		}
	}
	if (!n)
		gv_puts(out, "No kind has a page in this build.\n");
}

static bool set_code(struct gv_arena *arena, const char *table, uint64_t code, struct answer *a)
{
	const struct gv_table *t = gv_table(table);
	size_t row = t ? gv_table_find(t, "code", gv_fmt(arena, "%llu", (unsigned long long)code), 0) : SIZE_MAX;

	if (row == SIZE_MAX)
		return false;
	a->codes = t;
	a->row = row;
	return true;
}

/* "xid 79", "XID=79", "sxid12028": which table, and what stands behind the word. NULL where the text begins otherwise.
 */
static const char *code_table(gv_str text, gv_str *ret_rest)
{
	const char *table = gv_starts_nocase(text, "sxid") ? "sxid" : gv_starts_nocase(text, "xid") ? "xid" : NULL;

	if (!table)
		return NULL;
	*ret_rest = gv_trim(gv_from(text, table[0] == 's' ? 4 : 3));
	while (ret_rest->n && (*ret_rest->p == '=' || *ret_rest->p == ':' || *ret_rest->p == '#'))
		*ret_rest = gv_trim(gv_from(*ret_rest, 1));
	return table;
}

/* xid N, sxid N. */
static int find_code(struct gv_call *c, const char *table, gv_str code, struct answer *a)
{
	uint64_t n;

	if (!code.n) {
		gv_printf(c->err, "%s needs a number: gpuvet explain %s %s", table, table,
			  *table == 's' ? "12028" : "79");
		return GV_EXIT_USAGE;
	}
	if (!gv_to_u64(code, &n)) {
		gv_printf(c->err, "\"%.*s\" is no code: %s needs a number", GV_ARG(code), table);
		return GV_EXIT_USAGE;
	}
	if (set_code(c->arena, table, n, a))
		return 0;
	gv_printf(c->err, "%s %llu is not in the table of this version", table, (unsigned long long)n);
	return GV_EXIT_UNKNOWN;
}

/* A number alone: an Xid, or an SXid where there is no such Xid. */
static int find_number(struct gv_call *c, uint64_t n, struct answer *a)
{
	if (set_code(c->arena, "xid", n, a) || set_code(c->arena, "sxid", n, a))
		return 0;
	gv_printf(c->err, "%llu is neither an Xid nor an SXid of this version's tables", (unsigned long long)n);
	return GV_EXIT_UNKNOWN;
}

/* The code in a line of the driver: "Xid (PCI:0000:41:00): 79, ...". */
static void code_of_line(struct gv_arena *arena, gv_str line, struct answer *a)
{
	gv_str rest = gv_after(line, "Xid (");
	bool sxid = gv_has(line, "SXid (");
	double n;

	rest = gv_after(rest, "):");
	if (gv_lead_num(rest, &n, &rest) && n >= 0 && n < 1e6)
		set_code(arena, sxid ? "sxid" : "xid", (uint64_t)n, a);
}

static void add_kind(struct answer *a, int kind, const struct gv_sig *sig)
{
	bool seen = kind < 0 || kind >= GV_KINDS || a->n == SIGS_MAX;

	for (size_t k = 0; k < a->n && !seen; k++)
		seen = (int)a->kind[k] == kind;
	if (seen)
		return;
	a->kind[a->n] = (enum gv_kind)kind;
	a->sig[a->n++] = sig;
}

/* What a line means: l->text is without quote marks and escape sequences. A line of gpuvet's own report names its kind.
 */
static void read_line(struct gv_arena *arena, struct gv_sigs *sigs, const struct gv_line *l, struct answer *a)
{
	const struct gv_sig *sig[SIGS_MAX];
	size_t n = gv_sigs_match(sigs, l->text, sig, SIGS_MAX);
	gv_str own[2];

	for (size_t i = 0; i < n && i < SIGS_MAX; i++)
		add_kind(a, sig[i]->kind, sig[i]);
	if (l->flags & GV_LINE_OWN && gv_own_verdict(gv_trim(l->raw)) && gv_words(l->raw, own, 2) >= 2)
		add_kind(a, gv_kind_by_name(own[1]), NULL);
	code_of_line(arena, l->text, a);
	if (n && !a->n && !a->codes)
		a->idle = sig[0];
}

static bool says(const struct answer *a, const struct answer *b)
{
	if (b->codes)
		return a->codes == b->codes && a->row == b->row;
	for (size_t i = 0; i < b->n; i++) {
		bool told = false;

		for (size_t k = 0; k < a->n && !a->codes && !told; k++)
			told = a->kind[k] == b->kind[i];
		if (!told)
			return false;
	}
	return true;
}

/* All lines of the documents of a run. */
static void read_lines(struct gv_call *c, const struct gv_run *run, struct answers *all)
{
	struct gv_sigs *sigs = gv_sigs_new(c->arena);

	for (size_t d = 0; d < run->docs.n; d++)
		for (size_t i = 0; i < run->docs.v[d]->nlines; i++) {
			struct answer a = { .line = &run->docs.v[d]->lines[i] };
			bool told = false;

			if (!gv_trim(a.line->raw).n || a.line->flags & GV_LINE_FENCE)
				continue;
			all->cut |= all->lines == LINES_MAX;
			if (all->cut)
				break;
			all->lines++;
			read_line(c->arena, sigs, a.line, &a);
			all->unknown += !a.n && !a.codes && !a.idle;
			all->idle += a.idle != NULL;
			if (a.idle && !all->first_idle)
				all->first_idle = a.idle;
			for (size_t k = 0; k < all->v.n && !told; k++)
				told = says(&all->v.v[k], &a);
			if (!told && (a.n || a.codes))
				*gv_push(c->arena, &all->v) = a;
		}
	gv_sigs_free(sigs);
}

/* One line, or the words of one. */
static int find_line(struct gv_call *c, gv_str line, struct answer *a)
{
	struct gv_run *run = gv_run_new(c->arena);
	struct answers all = { 0 };

	gv_add_bytes(run, GV_STR("-"), line);
	read_lines(c, run, &all);
	a->idle = all.first_idle;
	if (!all.v.n)
		return GV_EXIT_UNKNOWN;
	*a = all.v.v[0];
	a->line = NULL;
	return 0;
}

/* "; did you mean throttle-power or throttle-thermal?": the kinds that begin with the word, or have it in them; else
 * the nearest one. */
static void suggest(struct gv_call *c, gv_str word)
{
	const char *part_of = gv_fmt(c->arena, "%.*s", GV_ARG(word)).p;
	struct gv_buf *err = c->err;
	const char *names[GV_KINDS], *hits[GV_KINDS], *near;
	size_t n = 0;

	for (int part = 0; part < 2 && !n && word.n >= 3; part++)
		for (size_t k = 0; k < GV_KINDS; k++) {
			gv_str name = gv_str_of(gv_kind_info[k].name);

			if (part ? gv_has(name, part_of) : gv_eq_nocase(gv_sub(name, 0, word.n), word))
				hits[n++] = gv_kind_info[k].name;
		}
	for (size_t i = 0; i < n && i < SUGGESTED; i++)
		gv_printf(err, "%s%s", !i ? "; did you mean " : i + 1 == n ? " or " : ", ", hits[i]);
	if (n > SUGGESTED)
		gv_printf(err, " or one of %zu more", n - SUGGESTED);
	for (size_t k = 0; k < GV_KINDS; k++)
		names[k] = gv_kind_info[k].name;
	near = n ? NULL : gv_nearest(word, names, GV_KINDS);
	if (near)
		gv_printf(err, "; did you mean %s", near);
	gv_puts(err, n || near ? "?" : "; \"gpuvet explain\" lists them");
}

/* One word that is neither a kind nor a line that any signature knows. */
static int no_kind(struct gv_call *c, gv_str word)
{
	gv_printf(c->err, "\"%.*s\" is no kind of finding", GV_ARG(word));
	suggest(c, word);
	return GV_EXIT_USAGE;
}

/* Words of which each is a kind. */
static bool all_kinds(gv_str line)
{
	gv_str word;
	bool all = false;

	while (gv_word(&line, &word)) {
		all = gv_kind_by_name(word) >= 0;
		if (!all)
			return false;
	}
	return all;
}

/* What belongs to other lines: "NCCL version 2.26.2", "Connection closed by remote peer". */
static void says_nothing(struct gv_call *c, const struct gv_sig *sig)
{
	gv_printf(
	    c->err,
	    "known (signature %.*s), but it says nothing by itself: it informs, or follows from what other lines say",
	    GV_ARG(sig->id));
}

static int find_words(struct gv_call *c, gv_str text, struct answer *a)
{
	gv_str word[3], rest;
	size_t words = gv_words(text, word, 3);
	const char *table = code_table(text, &rest);
	uint64_t n;
	int r;

	if (words == 1 && gv_kind_by_name(word[0]) >= 0) {
		a->kind[a->n++] = (enum gv_kind)gv_kind_by_name(word[0]);
		return 0;
	}
	if (words && all_kinds(text)) {
		gv_printf(c->err, "one kind at a time: gpuvet explain %.*s", GV_ARG(word[0]));
		return GV_EXIT_USAGE;
	}
	if (words == 1 && gv_to_u64(word[0], &n))
		return find_number(c, n, a);
	if (table && (words <= 2 || gv_to_u64(rest, &n)))
		return find_code(c, table, rest, a);
	r = words ? find_line(c, text, a) : GV_EXIT_USAGE;
	if (r && a->idle)
		says_nothing(c, a->idle);
	else if (!words)
		gv_puts(c->err, "the argument is empty; \"gpuvet explain\" lists the kinds");
	else if (r && words == 1)
		r = no_kind(c, word[0]);
	else if (r)
		gv_puts(c->err, "no signature matches this line");
	return r;
}

/* The arguments as one text. */
static gv_str joined(struct gv_call *c, const gv_str *args, size_t n)
{
	struct gv_buf b = { 0 };
	gv_str text;

	for (size_t i = 0; i < n; i++) {
		gv_puts(&b, i ? " " : "");
		gv_put(&b, args[i]);
	}
	text = gv_dup(c->arena, gv_trim(gv_buf_str(&b)));
	gv_buf_free(&b);
	return text;
}

/* Lines of an argument, or of the standard input where text is NULL. */
static int explain_lines(struct gv_call *c, const gv_str *text, bool json)
{
	struct gv_run *run = gv_run_new(c->arena);
	struct answers all = { 0 };
	int r = 0;

	if (text)
		gv_add_bytes(run, GV_STR("-"), *text);
	else
		r = gv_add_stdin(run);
	if (r < 0) {
		gv_printf(c->err, "cannot read the standard input: %s", strerror(-r));
		return GV_EXIT_NOINPUT;
	}
	read_lines(c, run, &all);
	if (json)
		write_json(c->out, all.v.v ? all.v.v : &(struct answer){ 0 }, all.v.n);
	else if (all.v.n)
		write_lines_text(c, &all);
	if (all.v.n)
		return GV_EXIT_OK;
	if (!all.lines)
		gv_printf(c->err, "no text on the standard input%s%.*s", run->unread.n ? ": " : "",
			  GV_ARG(run->unread.n ? run->unread.v[0].why : GV_NONE));
	else if (all.first_idle)
		says_nothing(c, all.first_idle);
	else
		gv_printf(c->err, "no signature matches %s", all.lines == 1 ? "this line" : "any of these lines");
	return GV_EXIT_UNKNOWN;
}

static int run_explain(struct gv_call *c)
{
	struct opts o = { 0 };
	struct answer a = { 0 };
	gv_str *args, text;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_explain, &o, &args, &n);

	if (status >= 0)
		return status;
	if (!n) {
		if (o.json)
			write_json(c->out, NULL, 0);
		else
			list_text(c);
		return GV_EXIT_OK;
	}
	if (n == 1 && gv_is(args[0], "-"))
		return explain_lines(c, NULL, o.json);
	text = joined(c, args, n);
	if (gv_find_c(text, '\n') >= 0)
		return explain_lines(c, &text, o.json);
	status = find_words(c, text, &a);
	if (o.json && status < GV_EXIT_USAGE)
		write_json(c->out, &a, 1); /* of what is not known a document as well: code null, no kinds */
	else if (!status)
		write_text(c, &a);
	return status;
}

const struct gv_cmd gv_cmd_explain = { usage, options, run_explain };
