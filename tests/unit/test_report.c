/* SPDX-License-Identifier: Apache-2.0 */
/* The reports over a run that is put together by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "report/common.h"
#include "sys/term.h"

struct fixture {
	struct gv_arena *a;
	struct gv_run *run;
	struct gv_doc *doc;
	struct gv_entity *node, *gpu[3];
	struct gv_buf out;
};

static const char *const quoted[] = {
	"  nvme0n1 100.00\t38.1 aqu-sz  ",
	"evil \033[31mred\xe2\x80\xae text\xff end",
	"", /* 300 two-byte characters */
	"",
	"plain",
};
#define LINES (sizeof(quoted) / sizeof(quoted[0]))

static void add_doc(struct fixture *f)
{
	struct gv_buf b = { 0 };

	f->doc = GV_NEW(f->a, struct gv_doc);
	f->doc->name = GV_STR("iostat.txt");
	f->doc->nlines = LINES;
	f->doc->lines = GV_NEWN(f->a, struct gv_line, LINES);
	for (size_t i = 0; i < 300; i++)
		gv_puts(&b, "é");
	for (uint32_t i = 0; i < LINES; i++) {
		gv_str s = i == 2 ? gv_dup(f->a, gv_buf_str(&b)) : gv_str_of(quoted[i]);

		f->doc->lines[i] = (struct gv_line){ .raw = s, .text = s, .no = i + 1 };
	}
	gv_buf_free(&b);
	*gv_push(f->a, &f->run->docs) = f->doc;
}

static struct gv_entity *add_entity(struct fixture *f, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_entity_new(f->a, k, gv_str_of(id));

	e->node = f->node;
	gv_add_entity(f->run, e);
	return e;
}

/* Nothing is known but the node. */
static void node_alone(struct fixture *f)
{
	f->run->entities.n = 0;
	memset(f->run->of_kind, 0, sizeof(f->run->of_kind));
	f->node->next = NULL;
	gv_add_entity(f->run, f->node);
}

static struct gv_finding *add_finding(struct fixture *f, enum gv_kind k, enum gv_severity s, const struct gv_entity *on)
{
	struct gv_finding *x = GV_NEW(f->a, struct gv_finding);

	x->kind = k;
	x->severity = x->worst = s;
	x->confidence = GV_HIGH;
	x->when = GV_NOW;
	x->on = on;
	x->id = gv_fmt(f->a, "f%zu", f->run->findings.n + 1);
	x->summary = GV_STR("a summary that is long enough to be wrapped at the right edge of a terminal, which is at "
			    "eighty columns, and goes on");
	x->cause = GV_STR("the cause");
	x->action = GV_STR("the action");
	x->avoid = GV_STR("the thing to avoid");
	x->quote[x->nquotes++] = (struct gv_place){ f->doc, 1 };
	*gv_push(f->a, &f->run->findings) = x;
	return x;
}

static int setup(void **state)
{
	struct fixture *f;
	struct gv_arena *a = gv_arena_new();

	f = GV_NEW(a, struct fixture);
	f->a = a;
	f->run = GV_NEW(a, struct gv_run);
	f->run->arena = a;
	f->run->workload = "training";
	f->run->bound = GV_BOUND_UNKNOWN;
	f->run->judged = true;
	for (size_t s = 0; s < GV_STAGES; s++)
		f->run->stage[s] = (struct gv_stage_state){ .state = -1, .summary = GV_STR("nothing is known of it") };
	add_doc(f);
	f->node = add_entity(f, GV_NODE, "n0");
	for (size_t i = 0; i < 3; i++)
		f->gpu[i] = add_entity(f, GV_GPU, i == 0 ? "0000:41:00.0" : i == 1 ? "0000:42:00.0" : "0000:43:00.0");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	gv_buf_free(&f->out);
	gv_arena_free(f->a);
	return 0;
}

static gv_str written(struct fixture *f, const struct gv_report *r, bool all, bool color)
{
	struct gv_report_opts o = { .version = "9.9", .all = all, .color = color };

	f->out.n = 0;
	r->write(&f->out, f->run, &o);
	return gv_buf_str(&f->out);
}

static void assert_has(gv_str s, const char *z)
{
	if (!gv_has(s, z))
		fail_msg("\"%s\" is not in:\n%.*s", z, GV_ARG(s));
}

static void assert_has_not(gv_str s, const char *z)
{
	if (gv_has(s, z))
		fail_msg("\"%s\" is in:\n%.*s", z, GV_ARG(s));
}

static void assert_narrow(gv_str s)
{
	gv_str line;

	while (gv_next(&s, '\n', &line))
		if (gv_width(line) > 80)
			fail_msg("wider than 80 columns: %.*s", GV_ARG(line));
}

static void assert_json(gv_str s)
{
	struct gv_json_in in = { .text = s };
	enum gv_json_kind k;

	do
		k = gv_json_next(&in);
	while (k != GV_JSON_END && k != GV_JSON_ERROR);
	if (k == GV_JSON_ERROR)
		fail_msg("%s at %zu of:\n%.*s", in.error, in.at, GV_ARG(s));
}

/* A note that is the root of a failure, as seen on three GPUs. */
static struct gv_finding *add_tree(struct fixture *f)
{
	struct gv_finding *root = add_finding(f, GV_K_CPU_GOVERNOR, GV_NOTE, f->node);
	struct gv_finding *effect = add_finding(f, GV_K_GPU_STARVED, GV_FAIL, f->gpu[0]);

	*gv_push(f->a, &effect->also) = f->gpu[1];
	*gv_push(f->a, &effect->also) = f->gpu[2];
	effect->caused_by = root;
	root->explains = 1;
	root->worst = GV_FAIL;
	f->run->verdict = root;
	return effect;
}

static void json_of_a_tree(void **state)
{
	struct fixture *f = *state;
	struct gv_obs *o;
	gv_str s;

	add_tree(f);
	s = written(f, &gv_report_json, false, false);
	assert_json(s);
	assert_has(s, "\"schema\": \"gpuvet.diagnose.v1\"");
	assert_has(s, "\"finding\": \"f1\"");
	/* The verdict's severity is the worst below it; the finding keeps its own. */
	assert_has(gv_between(s, "\"verdict\"", "\"stages\""), "\"severity\": \"fail\"");
	assert_has(gv_between(s, "\"id\": \"f1\"", "\"id\": \"f2\""), "\"severity\": \"note\"");
	assert_has(gv_after(s, "\"id\": \"f2\""), "\"caused_by\": \"cpu-governor\"");
	assert_has(gv_after(s, "\"id\": \"f2\""), "\"cause_id\": \"f1\"");
	assert_has(gv_between(s, "\"also\"", "]"), "0000:43:00.0");
	/* Three were met, and nothing says that there are no more. */
	assert_has(s, "\"gpus\": null");
	o = gv_observe(f->a, f->node, GV_F_GPU_COUNT, (struct gv_place){ f->doc, 1 });
	o->state = GV_KNOWN;
	o->num = 3;
	assert_has(written(f, &gv_report_json, false, false), "\"gpus\": 3");
	assert_has(written(f, &gv_report_text, false, false), "node n0 with 3 GPUs");
}

static void json_of_nothing(void **state)
{
	struct fixture *f = *state;
	gv_str s;

	node_alone(f);
	s = written(f, &gv_report_json, false, false);
	assert_json(s);
	assert_has(s, "\"verdict\": null");
	assert_has(s, "\"gpus\": null");
	assert_has(s, "\"vendor\": null");
	assert_has(s, "\"value\": \"unknown\"");
	assert_has(s, "\"state\": \"unknown\"");
}

static void zero_gpus_only_where_said(void **state)
{
	struct fixture *f = *state;
	struct gv_obs *o;
	gv_str s;

	node_alone(f);
	o = gv_observe(f->a, f->node, GV_F_GPU_COUNT, (struct gv_place){ f->doc, 1 });
	o->state = GV_KNOWN;
	o->num = 0;
	s = written(f, &gv_report_json, false, false);
	assert_has(s, "\"gpus\": 0");
	assert_has(s, "\"vendor\": \"none\"");
}

static void quotes_are_pieces(void **state)
{
	struct fixture *f = *state;
	struct gv_finding *x = add_finding(f, GV_K_STORAGE_SATURATED, GV_FAIL, f->node);
	size_t chars = 0;
	gv_str s;

	f->run->verdict = x;
	for (uint32_t line = 2; line <= 4; line++)
		x->quote[x->nquotes++] = (struct gv_place){ f->doc, line };
	x->quote[x->nquotes++] = (struct gv_place){ f->doc, 99 }; /* no such line: not quoted, no crash */
	s = written(f, &gv_report_json, false, false);
	assert_json(s);
	assert_has(s, "\"text\": \"nvme0n1 100.00\\t38.1 aqu-sz\"");
	assert_has(s, "evil \\u001b[31mred\xe2\x80\xae text\xef\xbf\xbd end");
	assert_has(s, "\"text\": \"\"");
	assert_has_not(s, "\"line\": 99");
	s = gv_between(gv_after(s, "\"line\": 3"), "\"text\": \"", "\"");
	for (size_t i = 0; i < s.n; i++)
		chars += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	assert_int_equal(chars, GV_PIECE);
	assert_true(gv_ends(s, "é…"));
}

static void exact_length_is_not_cut(void **state)
{
	char line[GV_PIECE + 2];
	bool cut;

	(void)state;
	memset(line, 'x', sizeof(line));
	assert_int_equal(gv_piece((gv_str){ line, GV_PIECE }, GV_PIECE, &cut).n, GV_PIECE);
	assert_false(cut);
	assert_int_equal(gv_piece((gv_str){ line, GV_PIECE + 1 }, GV_PIECE, &cut).n, GV_PIECE - 1);
	assert_true(cut);
}

static void text_of_a_tree(void **state)
{
	struct fixture *f = *state;
	gv_str s;

	add_tree(f);
	s = written(f, &gv_report_text, false, false);
	assert_narrow(s);
	assert_true(gv_starts(s, "FAIL  cpu-governor on node n0\n"));
	assert_has(s, "explains 1 other finding");
	assert_has(s, "      iostat.txt:1  nvme0n1 100.00        38.1 aqu-sz\n");
	assert_has(s, "Cause  the cause\n");
	assert_has(s, "Do     the action\n");
	assert_has(s, "Don't  the thing to avoid\n");
	assert_has(s, "and so:\n      f2  FAIL  gpu-starved on gpu 0000:41:00.0, gpu 0000:42:00.0, gpu\n");
	assert_has(s, "visible    ?     nothing is known of it\n");
	assert_has_not(s, "\033");
	assert_has(written(f, &gv_report_text, false, true), "\033[1;31mFAIL\033[0m  cpu-governor");
}

static void text_is_clean(void **state)
{
	struct fixture *f = *state;
	struct gv_finding *x = add_finding(f, GV_K_STORAGE_SATURATED, GV_FAIL, f->node);
	gv_str s;

	f->run->verdict = x;
	x->quote[0] = (struct gv_place){ f->doc, 2 };
	x->quote[x->nquotes++] = (struct gv_place){ f->doc, 3 };
	x->summary = GV_STR("disk \033]0;title\007 is \xe6\xbb\xbf full");
	s = written(f, &gv_report_text, false, false);
	assert_narrow(s);
	assert_has(s, "evil .[31mred. text\xef\xbf\xbd end");
	assert_has(s, "disk .]0;title. is \xe6\xbb\xbf full");
	assert_has(s, "é…\n");
	assert_narrow(written(f, &gv_report_text, true, false));
}

static void text_without_finding(void **state)
{
	struct fixture *f = *state;
	gv_str s = written(f, &gv_report_text, false, false);

	assert_true(gv_starts(s, "OK    Nothing is wrong as far as seen: no line that was given is a known one.\n"));
	assert_has(s, "1 document,");
	assert_has(s, "node n0 with at least 3 GPUs");
	f->run->judged = false;
	s = written(f, &gv_report_text, false, false);
	assert_true(gv_starts(s, "Nothing could be judged: "));
	assert_has(s, "dmesg -T");
	assert_has_not(s, "OK");
	*gv_push(f->a, &f->run->next) = (struct gv_next){ "mpstat -P ALL 1 3", "to see a hot core", GV_STAGE_VISIBLE, false };
	s = written(f, &gv_report_text, false, false);
	assert_has(s, "  mpstat -P ALL 1 3\n      to see a hot core\n");
	assert_has_not(s, "dmesg -T");
}

static void text_is_one_screen(void **state)
{
	struct fixture *f = *state;
	gv_str s, line;
	size_t lines = 0, all = 0;

	f->run->verdict = add_finding(f, GV_K_STORAGE_SATURATED, GV_FAIL, f->node);
	for (size_t i = 0; i < 40; i++)
		add_finding(f, (enum gv_kind)i, i % 3 ? GV_WARN : GV_NOTE, f->gpu[i % 3])->caused_by =
		    i % 4 ? NULL : f->run->verdict;
	s = written(f, &gv_report_text, false, false);
	assert_narrow(s);
	assert_has(s, "\nMore with --all.\n");
	while (gv_next(&s, '\n', &line))
		lines++;
	assert_in_range(lines, 20, 60);
	s = written(f, &gv_report_text, true, false);
	for (size_t i = 0; i < 40; i++)
		assert_has(s, gv_kind_info[i].name);
	assert_has_not(s, "--all");
	while (gv_next(&s, '\n', &line))
		all++;
	assert_true(all > 3 * lines);
}

static void stages_name_findings(void **state)
{
	struct fixture *f = *state;
	gv_str s;

	f->run->verdict = add_finding(f, GV_K_STORAGE_SATURATED, GV_FAIL, f->node);
	f->run->stage[GV_STAGE_FED].state = 3;
	f->run->bound = GV_BOUND_INPUT;
	f->run->bound_summary = f->run->verdict->summary;
	add_finding(f, GV_K_PERSISTENCE_OFF, GV_NOTE, f->node)->when = GV_HISTORY;
	s = written(f, &gv_report_text, false, false);
	assert_has(s, "fed        FAIL  f1 storage-saturated\n");
	assert_has(s, "confidence): what f1 says\n");
	assert_has(s, "\nf2 note persistence-off (history): a summary that");
}

static void required_is_said(void **state)
{
	struct fixture *f = *state;
	struct gv_report_opts o = { .version = "9.9", .require = 1u << GV_STAGE_FED | 1u << GV_STAGE_BUSY };

	f->run->stage[GV_STAGE_BUSY].state = 0;
	gv_report_text.write(&f->out, f->run, &o);
	assert_true(gv_starts(gv_buf_str(&f->out), "Required but unknown: fed\n"));
	f->out.n = 0;
	gv_report_json.write(&f->out, f->run, &o);
	assert_json(gv_buf_str(&f->out));
	assert_has(gv_between(gv_buf_str(&f->out), "\"required\"", "]"), "fed");
}

/* Rows keep their columns below the names of these; prose does not. */
static void rows_keep_columns(void **state)
{
	static const char *const table[] = { "avg-cpu:  %user   %nice", "Device            r/s     rkB/s   %util",
					     "nvme0n1       2208.00 282624.00  100.00",
					     "sda              1.00      2.00    0.50" };
	struct fixture *f = *state;
	struct gv_finding *x = add_finding(f, GV_K_STORAGE_SATURATED, GV_FAIL, f->node);
	struct gv_block *b = GV_NEW(f->a, struct gv_block);

	for (uint32_t i = 0; i < 4; i++)
		f->doc->lines[i].raw = gv_str_of(table[i]);
	*b = (struct gv_block){ .doc = f->doc, .n = LINES };
	*gv_push(f->a, &f->run->blocks) = b;
	f->run->verdict = x;
	x->quote[0].line = 3;
	x->quote[x->nquotes++] = (struct gv_place){ f->doc, 4 };
	assert_has(written(f, &gv_report_text, false, false),
		   "                    Device            r/s     rkB/s   %util\n"
		   "      iostat.txt:3  nvme0n1       2208.00 282624.00  100.00\n"
		   "      iostat.txt:4  sda              1.00      2.00    0.50\n");
}

static void plurals(void **state)
{
	struct fixture *f = *state;
	struct gv_value v[] = { { "a", GV_STR("1") }, { "b", GV_STR("3") } };
	const char *t = "{a|line}, {b|line}, {a|process|processes}, {b|process|processes}[, {c|line}]";

	assert_true(gv_is(gv_template(f->a, t, v, 2), "1 line, 3 lines, 1 process, 3 processes"));
	assert_true(gv_is(gv_template(f->a, "{a|task wants|tasks want} it", v, 2), "1 task wants it"));
}

static void forms(void **state)
{
	struct gv_form narrow = { .width = 40, .ascii = true };
	struct fixture *f = *state;
	gv_str s;

	gv_put_wrapped(&f->out, &narrow, 0, 2, GV_STR("a text of thirty-two letters, at 100 % of it (b )"));
	assert_true(gv_is(gv_buf_str(&f->out), "a text of thirty-two letters, at 100 %\n  of it (b )\n"));
	f->out.n = 0;
	gv_put_wrapped(&f->out, &narrow, 0, 2, GV_STR("a text of thirty-four letters, or at 100 % of it"));
	assert_true(gv_is(gv_buf_str(&f->out), "a text of thirty-four letters, or at\n  100 % of it\n"));
	f->out.n = 0;
	gv_put_clipped(&f->out, &narrow, 0, GV_STR("0123456789012345678901234567890123456789!"));
	assert_true(gv_is(gv_buf_str(&f->out), "0123456789012345678901234567890123456...\n"));
	f->out.n = 0;
	gv_put_markdown(&f->out, &narrow,
			GV_STR("## Head\n\n1. run `a b` and **look** at what it prints there\n"
			       "   again\n- x\n\n    code  stays\n```\nfence\n```\n"));
	s = gv_buf_str(&f->out);
	assert_string_equal(gv_dupz(f->a, s), "Head\n\n1. run a b and look at what it prints\n   there again\n- x\n\n"
					      "    code  stays\n    fence\n");
}

static void terminal(void **state)
{
	static const struct {
		const char *all, *lang;
		bool utf8;
	} locales[] = { { "", "C.UTF-8", true },	  { "", "de_DE.utf8@euro", true }, { "", "C", false },
			{ "C", "C.UTF-8", false },	  { "", "de_DE", false },	   { "en_US.UTF-8", "C", true },
			{ "", "de_DE.ISO-8859-1", false } };

	(void)state;
	unsetenv("LC_CTYPE");
	for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
		setenv("LC_ALL", locales[i].all, 1);
		setenv("LANG", locales[i].lang, 1);
		assert_int_equal(gv_term_utf8(), locales[i].utf8);
	}
	setenv("COLUMNS", "100", 1);
	assert_int_equal(gv_term_width(-1), 80); /* no terminal */
}

static gv_str wrapped(struct fixture *f, size_t used, size_t indent, gv_str s)
{
	f->out.n = 0;
	gv_put_wrapped(&f->out, NULL, used, indent, s);
	return gv_buf_str(&f->out);
}

static void wrapping(void **state)
{
	struct fixture *f = *state;
	char word[1000];
	gv_str s, line;

	memset(word, 'w', sizeof(word));
	assert_true(gv_is(wrapped(f, 0, 2, GV_NONE), "\n"));
	assert_true(gv_is(wrapped(f, 0, 2, GV_STR("  a   b ")), "a b\n"));
	/* Exactly to the edge, and one more. */
	s = gv_fmt(f->a, "%.*s %.*s", 40, word, 39, word);
	assert_int_equal(gv_find_c(wrapped(f, 0, 2, s), '\n'), 80);
	s = gv_fmt(f->a, "%.*s %.*s", 40, word, 40, word);
	assert_int_equal(gv_find_c(wrapped(f, 0, 2, s), '\n'), 40);
	/* A word wider than the line is broken, a mebibyte of it cut. */
	s = wrapped(f, 70, 4, (gv_str){ word, 150 });
	assert_true(gv_next(&s, '\n', &line));
	assert_int_equal(line.n, 10);
	assert_true(gv_next(&s, '\n', &line));
	assert_int_equal(line.n, 80);
	s = wrapped(f, 0, 4, (gv_str){ word, sizeof(word) });
	assert_true(s.n < 250);
	assert_true(gv_ends(s, "w…\n"));
	/* Wide characters: two columns each, never split over the edge. */
	s = wrapped(f, 75, 4, GV_STR("\xe6\xbb\xbf\xe6\xbb\xbf\xe6\xbb\xbf"));
	assert_true(gv_is(s, "\xe6\xbb\xbf\xe6\xbb\xbf\n    \xe6\xbb\xbf\n"));
	assert_int_equal(gv_width(GV_STR("e\xcc\x81\xff")), 2);
}

static struct gv_block *add_block(struct fixture *f)
{
	struct gv_block *b = GV_NEW(f->a, struct gv_block);

	b->doc = f->doc;
	b->node = f->node;
	b->latest = true;
	*gv_push(f->a, &f->run->blocks) = b;
	return b;
}

static void observe(struct fixture *f, struct gv_block *b, enum gv_fact fact, enum gv_state s, double v,
		    uint32_t sample)
{
	struct gv_obs *o = gv_observe(f->a, f->gpu[0], fact, (struct gv_place){ f->doc, 1 });

	o->block = b;
	o->state = s;
	o->num = v;
	o->sample = sample;
	o->reason = s == GV_KNOWN ? NULL : "the tool says N/A";
}

static void facts_disagree(void **state)
{
	struct fixture *f = *state;
	struct gv_block *a = add_block(f), *b = add_block(f);
	gv_str s;

	a->when = (struct gv_time){ .t = 951782400, .clock = GV_CLOCK_WALL, .zone = true, .year = true };
	observe(f, a, GV_F_GPU_MEM_TOTAL, GV_KNOWN, 81920, 0);
	observe(f, b, GV_F_GPU_MEM_TOTAL, GV_KNOWN, 40960, 0);
	observe(f, a, GV_F_GPU_FAN, GV_UNKNOWN, 0, 0);
	observe(f, a, GV_F_GPU_MIG_DEVICES, GV_NOT_APPLICABLE, 0, 0);
	s = written(f, &gv_report_facts, false, false);
	assert_has(s, "DIFFERS ");
	assert_has(s, "81920 MiB");
	assert_has(s, "40960 MiB");
	assert_has(s, "unknown: the tool says N/A");
	assert_has(s, "not applicable: the tool says N/A");
	assert_has(s, "2000-02-29T00:00:00Z");
	assert_has_not(s, "temp.slowdown");
	assert_has(written(f, &gv_report_facts, true, false), "temp.slowdown");
	s = written(f, &gv_report_facts_json, false, false);
	assert_json(s);
	assert_has(gv_between(s, "\"name\": \"memory.total\"", "\"name\""), "\"disagree\": true");
	assert_has(gv_between(s, "\"name\": \"fan\"", "\"name\""), "\"value\": null");
	assert_has(gv_between(s, "\"name\": \"temp.slowdown\"", "\"unit\""), GV_NOT_SEEN);
}

static void series_do_not_disagree(void **state)
{
	struct fixture *f = *state;
	struct gv_block *a = add_block(f), *b = add_block(f);
	gv_str s;

	for (uint32_t i = 0; i < 5; i++)
		observe(f, a, GV_F_GPU_SM_UTIL, GV_KNOWN, 10 * (double)i, i);
	observe(f, b, GV_F_GPU_SM_UTIL, GV_KNOWN, 77, 0);
	s = written(f, &gv_report_facts_json, false, false);
	assert_has(gv_between(s, "\"name\": \"sm_util\"", "\"name\""), "\"disagree\": false");
}

static void unclaimed_stretches(void **state)
{
	struct fixture *f = *state;
	struct gv_stretch st;
	size_t at = 0;

	f->doc->lines[1].flags = GV_LINE_SIGNED;
	assert_true(gv_unclaimed(f->doc, &at, &st));
	assert_int_equal(st.from, 1);
	assert_int_equal(st.to, 1);
	assert_true(gv_unclaimed(f->doc, &at, &st));
	assert_int_equal(st.from, 3); /* line 4 is blank and does not end it */
	assert_int_equal(st.to, 5);
	assert_int_equal(st.n, 2);
	assert_false(gv_unclaimed(f->doc, &at, &st));
	assert_has(written(f, &gv_report_facts, false, false), "iostat.txt:3-5  ");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(json_of_a_tree),
		T(json_of_nothing),
		T(zero_gpus_only_where_said),
		T(quotes_are_pieces),
		T(exact_length_is_not_cut),
		T(text_of_a_tree),
		T(text_is_clean),
		T(text_without_finding),
		T(text_is_one_screen),
		T(facts_disagree),
		T(series_do_not_disagree),
		T(unclaimed_stretches),
		T(wrapping),
		T(stages_name_findings),
		T(required_is_said),
		T(rows_keep_columns),
		T(plurals),
		T(forms),
		T(terminal),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
